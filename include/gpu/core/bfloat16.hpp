/// @file
/// `bfloat16`: the upper half of a float. Stored in two bytes, computed in float, rounded to nearest even.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "dtype.hpp"
#include "float_bits.hpp"
#include "half.hpp"
#include "narrow_arithmetic.hpp"

struct __nv_bfloat16;  // CUDA's, so that it converts without its header

namespace gpu {

/// The upper half of an IEEE binary32, layout-compatible with CUDA's `__nv_bfloat16`. Arithmetic converts to float,
/// computes and rounds to nearest even, so it is the same on every device. All conversions are explicit.
struct bfloat16 : detail::narrow_arithmetic<bfloat16> {
  std::uint16_t bits = 0;

  constexpr bfloat16() noexcept = default;
  /// The number with this bit pattern.
  [[nodiscard]] static constexpr bfloat16 from_bits(std::uint16_t pattern) noexcept {
    bfloat16 result;
    result.bits = pattern;
    return result;
  }

  [[gnu::always_inline]] constexpr explicit bfloat16(float value) noexcept
      : bits(detail::bfloat16_bits_from_float(value)) {}
  /// Rounds once, from the double or integer itself.
  template <class From>
    requires std::same_as<From, double> || std::integral<From>
  [[gnu::always_inline]] constexpr explicit bfloat16(From value) noexcept : bfloat16(detail::round_to_odd(value)) {}
  /// From CUDA's `__nv_bfloat16` (the same bits) or another library's two-byte number (through float).
  template <class From>
    requires std::same_as<From, __nv_bfloat16> || detail::foreign_narrow_float<From>
  [[gnu::always_inline]] constexpr explicit bfloat16(From value) noexcept {
    if constexpr (std::same_as<From, __nv_bfloat16>) {
      bits = __builtin_bit_cast(std::uint16_t, value);
    } else {
      bits = detail::bfloat16_bits_from_float(static_cast<float>(value));
    }
  }

  [[gnu::always_inline]] constexpr explicit bfloat16(half value) noexcept : bfloat16(static_cast<float>(value)) {}
  [[gnu::always_inline]] constexpr explicit operator half() const noexcept {
    return half(detail::float_from_bfloat16_bits(bits));
  }

  /// To any arithmetic type; integers truncate and saturate, NaN to an integer is 0, bool is "not zero".
  template <class To>
    requires std::is_arithmetic_v<To>
  [[gnu::always_inline]] constexpr explicit operator To() const noexcept {
    if constexpr (std::same_as<To, bool>) {
      return (bits & 0x7fffu) != 0;
    } else if constexpr (std::integral<To>) {
      return detail::saturating_truncate<To>(detail::float_from_bfloat16_bits(bits));
    } else {
      return static_cast<To>(detail::float_from_bfloat16_bits(bits));
    }
  }
  template <class To>
    requires std::same_as<To, __nv_bfloat16> || (!std::is_arithmetic_v<To> && detail::foreign_narrow_float<To>)
  [[gnu::always_inline]] constexpr explicit operator To() const noexcept {
    if constexpr (std::same_as<To, __nv_bfloat16>) {
      return __builtin_bit_cast(To, bits);
    } else {
      return static_cast<To>(detail::float_from_bfloat16_bits(bits));
    }
  }
};

static_assert(sizeof(bfloat16) == 2 && std::is_trivially_copyable_v<bfloat16>);

}  // namespace gpu

template <>
class std::numeric_limits<gpu::bfloat16> : public std::numeric_limits<float> {
  static constexpr gpu::bfloat16 pattern(std::uint16_t bits) noexcept { return gpu::bfloat16::from_bits(bits); }

 public:
  static constexpr int digits = 8;
  static constexpr int digits10 = 2;
  static constexpr int max_digits10 = 4;
  static constexpr gpu::bfloat16 min() noexcept { return pattern(0x0080); }
  static constexpr gpu::bfloat16 lowest() noexcept { return pattern(0xff7f); }
  static constexpr gpu::bfloat16 max() noexcept { return pattern(0x7f7f); }
  static constexpr gpu::bfloat16 epsilon() noexcept { return pattern(0x3c00); }
  static constexpr gpu::bfloat16 round_error() noexcept { return pattern(0x3f00); }
  static constexpr gpu::bfloat16 infinity() noexcept { return pattern(0x7f80); }
  static constexpr gpu::bfloat16 quiet_NaN() noexcept { return pattern(0x7fc0); }
  static constexpr gpu::bfloat16 signaling_NaN() noexcept { return pattern(0x7fa0); }
  static constexpr gpu::bfloat16 denorm_min() noexcept { return pattern(0x0001); }
};
