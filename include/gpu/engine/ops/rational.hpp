/// @file
/// gcd and lcm.
#pragma once

#include "rules.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {
namespace detail {

template <integer T>
[[gnu::always_inline]] constexpr std::make_unsigned_t<T> magnitude(T x) noexcept {
  using modulus = modular<T>;
  return static_cast<std::make_unsigned_t<T>>(is_negative(x) ? modulus{0} - static_cast<modulus>(x)
                                                             : static_cast<modulus>(x));
}

template <class U>
constexpr U greatest_common_divisor(U a, U b) noexcept {
  while (b != 0) {
    const U rest = static_cast<U>(a % b);
    a = b;
    b = rest;
  }
  return a;
}

}  // namespace detail

/// Not negative, but for the most negative integer with itself or 0, which wraps; gcd(0, 0) is 0.
struct gcd {
  static constexpr const char* name = "gcd";
  template <class A, class B>
  using arguments = integer_arguments<A, B>;
  template <integer T>
  [[nodiscard]] constexpr T operator()(T a, T b) const noexcept {
    return static_cast<T>(detail::greatest_common_divisor(detail::magnitude(a), detail::magnitude(b)));
  }
};

/// 0 if one of them is; wraps when it does not fit.
struct lcm {
  static constexpr const char* name = "lcm";
  template <class A, class B>
  using arguments = integer_arguments<A, B>;
  template <integer T>
  [[nodiscard]] constexpr T operator()(T a, T b) const noexcept {
    const auto x = detail::magnitude(a);
    const auto y = detail::magnitude(b);
    const auto divisor = detail::greatest_common_divisor(x, y);
    if (divisor == 0) return T{0};
    using modulus = detail::modular<T>;
    return static_cast<T>(static_cast<modulus>(x / divisor) * static_cast<modulus>(y));
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
