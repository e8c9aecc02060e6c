/// @file
/// `half`: IEEE binary16. Stored in two bytes, computed in float, rounded to nearest even.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "dtype.hpp"
#include "float_bits.hpp"
#include "narrow_arithmetic.hpp"

struct __half;  // CUDA's, so that it converts without its header

namespace gpu {

namespace detail {

/// A two-byte number of another library (Eigen::half, _Float16, ...) that converts to and from float.
template <class F>
concept foreign_narrow_float =
    !std::integral<F> && !narrow_float<F> && (std::is_class_v<F> || std::floating_point<F>) && requires(const F& f) {
      requires sizeof(F) == 2;
      requires std::is_trivially_copyable_v<F>;
      static_cast<float>(f);
      static_cast<F>(1.0f);
    };

}  // namespace detail

/// IEEE binary16 in two bytes, layout-compatible with CUDA's `__half`. Arithmetic converts to float, computes and
/// rounds to nearest even, so it is the same on every device. All conversions are explicit.
struct half : detail::narrow_arithmetic<half> {
  std::uint16_t bits = 0;

  constexpr half() noexcept = default;
  /// The number with this bit pattern.
  [[nodiscard]] static constexpr half from_bits(std::uint16_t pattern) noexcept {
    half h;
    h.bits = pattern;
    return h;
  }

  [[gnu::always_inline]] constexpr explicit half(float value) noexcept : bits(detail::half_bits_from_float(value)) {}
  /// Rounds once, from the double or integer itself.
  template <class From>
    requires std::same_as<From, double> || std::integral<From>
  [[gnu::always_inline]] constexpr explicit half(From value) noexcept : half(detail::round_to_odd(value)) {}
  /// From CUDA's `__half` (the same bits) or another library's two-byte number (through float).
  template <class From>
    requires std::same_as<From, __half> || detail::foreign_narrow_float<From>
  [[gnu::always_inline]] constexpr explicit half(From value) noexcept {
    if constexpr (std::same_as<From, __half>) {
      bits = __builtin_bit_cast(std::uint16_t, value);
    } else {
      bits = detail::half_bits_from_float(static_cast<float>(value));
    }
  }

  /// To any arithmetic type; integers truncate and saturate, NaN to an integer is 0, bool is "not zero".
  template <class To>
    requires std::is_arithmetic_v<To>
  [[gnu::always_inline]] constexpr explicit operator To() const noexcept {
    if constexpr (std::same_as<To, bool>) {
      return (bits & 0x7fffu) != 0;
    } else if constexpr (std::integral<To>) {
      return detail::saturating_truncate<To>(detail::float_from_half_bits(bits));
    } else {
      return static_cast<To>(detail::float_from_half_bits(bits));
    }
  }
  template <class To>
    requires std::same_as<To, __half> || (!std::is_arithmetic_v<To> && detail::foreign_narrow_float<To>)
  [[gnu::always_inline]] constexpr explicit operator To() const noexcept {
    if constexpr (std::same_as<To, __half>) {
      return __builtin_bit_cast(To, bits);
    } else {
      return static_cast<To>(detail::float_from_half_bits(bits));
    }
  }
};

static_assert(sizeof(half) == 2 && std::is_trivially_copyable_v<half>);

}  // namespace gpu

template <>
class std::numeric_limits<gpu::half> : public std::numeric_limits<float> {
  static constexpr gpu::half pattern(std::uint16_t bits) noexcept { return gpu::half::from_bits(bits); }

 public:
  static constexpr int digits = 11;
  static constexpr int digits10 = 3;
  static constexpr int max_digits10 = 5;
  static constexpr int min_exponent = -13;
  static constexpr int min_exponent10 = -4;
  static constexpr int max_exponent = 16;
  static constexpr int max_exponent10 = 4;
  static constexpr gpu::half min() noexcept { return pattern(0x0400); }
  static constexpr gpu::half lowest() noexcept { return pattern(0xfbff); }
  static constexpr gpu::half max() noexcept { return pattern(0x7bff); }
  static constexpr gpu::half epsilon() noexcept { return pattern(0x1400); }
  static constexpr gpu::half round_error() noexcept { return pattern(0x3800); }
  static constexpr gpu::half infinity() noexcept { return pattern(0x7c00); }
  static constexpr gpu::half quiet_NaN() noexcept { return pattern(0x7e00); }
  static constexpr gpu::half signaling_NaN() noexcept { return pattern(0x7d00); }
  static constexpr gpu::half denorm_min() noexcept { return pattern(0x0001); }
};
