/// @file
/// bitwise_and, bitwise_or, bitwise_xor, invert, left_shift, right_shift, bitwise_count.
#pragma once

#include "rules.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {

struct bitwise_and {
  static constexpr const char* name = "bitwise_and";
  template <class A, class B>
  using arguments = bit_arguments<A, B>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T a, T b) const noexcept {
    return static_cast<T>(a & b);
  }
};

struct bitwise_or {
  static constexpr const char* name = "bitwise_or";
  template <class A, class B>
  using arguments = bit_arguments<A, B>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T a, T b) const noexcept {
    return static_cast<T>(a | b);
  }
};

struct bitwise_xor {
  static constexpr const char* name = "bitwise_xor";
  template <class A, class B>
  using arguments = bit_arguments<A, B>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T a, T b) const noexcept {
    return static_cast<T>(a ^ b);
  }
};

/// bool is "not".
struct invert {
  static constexpr const char* name = "invert";
  template <class A>
  using arguments = bit_arguments<A>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T x) const noexcept {
    if constexpr (boolean<T>) {
      return detail::is_clear(x);
    } else {
      return static_cast<T>(~x);
    }
  }
};

/// By the width or more, or by a negative number: 0.
struct left_shift {
  static constexpr const char* name = "left_shift";
  template <class A, class B>
  using arguments = shift_arguments<A, B>;
  template <integer T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T a, T b) const noexcept {
    using modulus = detail::modular<T>;
    constexpr modulus width = 8 * sizeof(T);
    const modulus amount = static_cast<std::make_unsigned_t<T>>(b);
    const modulus shifted = static_cast<modulus>(a) << (amount & (width - 1));
    return static_cast<T>(amount < width ? shifted : modulus{0});
  }
};

/// Keeps the sign; by the width or more, or by a negative number: 0 or -1.
struct right_shift {
  static constexpr const char* name = "right_shift";
  template <class A, class B>
  using arguments = shift_arguments<A, B>;
  template <integer T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T a, T b) const noexcept {
    using modulus = detail::modular<T>;
    using wide = std::conditional_t<std::is_signed_v<T>, std::make_signed_t<modulus>, modulus>;
    constexpr modulus width = 8 * sizeof(T);
    const modulus amount = static_cast<std::make_unsigned_t<T>>(b);
    const wide shifted = static_cast<wide>(a) >> (amount < width ? amount : width - 1);
    if constexpr (std::is_signed_v<T>) {
      return static_cast<T>(shifted);
    } else {
      return static_cast<T>(amount < width ? shifted : wide{0});
    }
  }
};

/// The number of ones in the magnitude, as uint8.
struct bitwise_count {
  static constexpr const char* name = "bitwise_count";
  template <class A>
  using arguments = shift_arguments<A>;
  template <integer T>
  [[nodiscard]] [[gnu::always_inline]] constexpr uint8 operator()(T x) const noexcept {
    // Without -mpopcnt the builtin is a call; adding neighbouring fields vectorises.
    using U = std::make_unsigned_t<T>;
    using modulus = detail::modular<T>;
    modulus n = static_cast<U>(detail::is_negative(x) ? modulus{0} - static_cast<modulus>(x) : static_cast<modulus>(x));
    n = n - ((n >> 1) & static_cast<modulus>(0x5555555555555555u));
    n = (n & static_cast<modulus>(0x3333333333333333u)) + ((n >> 2) & static_cast<modulus>(0x3333333333333333u));
    n = (n + (n >> 4)) & static_cast<modulus>(0x0f0f0f0f0f0f0f0fu);
    if constexpr (sizeof(T) >= 2) n = n + (n >> 8);
    if constexpr (sizeof(T) >= 4) n = n + (n >> 16);
    if constexpr (sizeof(T) == 8) n = n + (n >> 32);
    return static_cast<uint8>(n & 0x7f);
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
