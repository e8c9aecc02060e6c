/// @file
/// Conversions between number formats, bit by bit: the one place where rounding and saturation are decided.
/// Branch-free, so that GCC vectorises loops over them, and the same on the host and on every GPU.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace gpu::detail {

/// All bits set where `a < b`, for values below 2^31. Branches that GCC makes of `?:` around floating-point arithmetic
/// stop it from vectorising a loop; masks do not.
[[nodiscard]] [[gnu::always_inline]] constexpr std::uint32_t mask_less(std::uint32_t a, std::uint32_t b) noexcept {
  return static_cast<std::uint32_t>((static_cast<std::int32_t>(a) - static_cast<std::int32_t>(b)) >> 31);
}

/// `mask ? a : b`, bit by bit.
[[nodiscard]] [[gnu::always_inline]] constexpr std::uint32_t blend(std::uint32_t mask, std::uint32_t a,
                                                                   std::uint32_t b) noexcept {
  return b ^ ((a ^ b) & mask);
}

/// `condition ? a : b` for values that are both computed already; loops over it vectorise.
template <class F>
  requires std::floating_point<F>
[[nodiscard]] [[gnu::always_inline]] constexpr F select(bool condition, F a, F b) noexcept {
  using bits = std::conditional_t<sizeof(F) == 4, std::uint32_t, std::uint64_t>;
  const bits mask = bits{0} - static_cast<bits>(condition);
  const bits other = __builtin_bit_cast(bits, b);
  return __builtin_bit_cast(F, other ^ ((__builtin_bit_cast(bits, a) ^ other) & mask));
}

/// The float whose value is that of the IEEE binary16 `bits`: exact, NaN payloads kept.
[[nodiscard]] [[gnu::always_inline]] constexpr float float_from_half_bits(std::uint16_t bits) noexcept {
  constexpr std::uint32_t smallest_normal = 113u << 23;
  const std::uint32_t wide = bits;
  const std::uint32_t shifted = (wide & 0x7fffu) << 13;
  const std::uint32_t special = mask_less((0x7c00u << 13) - 1, shifted);
  const std::uint32_t normal = shifted + (112u << 23) + ((112u << 23) & special);
  // Subnormals: put the significand below a 1 and subtract that 1 as a float.
  const float subnormal =
      __builtin_bit_cast(float, shifted + smallest_normal) - __builtin_bit_cast(float, smallest_normal);
  const std::uint32_t tiny = mask_less(shifted, 1u << 23);
  const std::uint32_t magnitude = blend(tiny, __builtin_bit_cast(std::uint32_t, subnormal), normal);
  return __builtin_bit_cast(float, magnitude | (wide & 0x8000u) << 16);
}

/// `value` rounded to binary16, to nearest, ties to even; NaN becomes quiet and keeps its upper payload bits.
[[nodiscard]] [[gnu::always_inline]] constexpr std::uint16_t half_bits_from_float(float value) noexcept {
  constexpr std::uint32_t infinity = 255u << 23;
  constexpr std::uint32_t overflow = 143u << 23;         // 65536; from 65520 rounding carries into infinity by itself
  constexpr std::uint32_t smallest_normal = 113u << 23;  // 2^-14
  constexpr std::uint32_t aligner = 126u << 23;          // 0.5: adding it leaves multiples of 2^-24 in the low bits
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t normal = (magnitude - (112u << 23) + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  const std::uint32_t tiny = mask_less(magnitude, smallest_normal);
  const float aligned = __builtin_bit_cast(float, magnitude& tiny) + __builtin_bit_cast(float, aligner);
  const std::uint32_t subnormal = __builtin_bit_cast(std::uint32_t, aligned) - aligner;
  const std::uint32_t finite = blend(tiny, subnormal, normal);
  const std::uint32_t nan = mask_less(infinity, magnitude);
  const std::uint32_t special = 0x7c00u | (nan & (0x200u | ((magnitude >> 13) & 0x3ffu)));
  const std::uint32_t result = blend(mask_less(magnitude, overflow), finite, special);
  return static_cast<std::uint16_t>(result | ((bits >> 16) & 0x8000u));
}

/// The float whose upper half is `bits`: exact.
[[nodiscard]] [[gnu::always_inline]] constexpr float float_from_bfloat16_bits(std::uint16_t bits) noexcept {
  return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits) << 16);
}

/// `value` rounded to bfloat16, to nearest, ties to even; NaN becomes quiet and keeps its upper payload bits.
[[nodiscard]] [[gnu::always_inline]] constexpr std::uint16_t bfloat16_bits_from_float(float value) noexcept {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const std::uint32_t nan = (bits >> 16) | 0x40u;
  return static_cast<std::uint16_t>(blend(mask_less(0x7f800000u, bits & 0x7fffffffu), nan, rounded));
}

/// `value` as a float, rounded to odd: a further rounding to fewer bits gives what rounding `value` once would.
[[nodiscard]] [[gnu::always_inline]] constexpr float round_to_odd(double value) noexcept {
  const auto nearest = static_cast<float>(value);
  // Both have one sign, so the difference of the patterns orders the magnitudes.
  const std::uint64_t difference =
      __builtin_bit_cast(std::uint64_t, value) - __builtin_bit_cast(std::uint64_t, static_cast<double>(nearest));
  const auto rounded_up = static_cast<std::uint32_t>(difference >> 63);
  const auto inexact = static_cast<std::uint32_t>((difference | (0 - difference)) >> 63);
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, nearest);
  // A NaN's conversion keeps its upper bits, so this leaves it a NaN.
  return __builtin_bit_cast(float, (bits - rounded_up) | inexact);
}

/// An integer as a float that rounds on to half or bfloat16 as the integer itself would.
template <std::integral I>
[[nodiscard]] [[gnu::always_inline]] constexpr float round_to_odd(I value) noexcept {
  if constexpr (sizeof(I) <= 2) {
    return static_cast<float>(value);
  } else if constexpr (sizeof(I) == 4) {
    return round_to_odd(static_cast<double>(value));
  } else {
    // Beyond 2^52 the low 12 bits only matter as "something is there".
    constexpr I low = 0xfff;
    constexpr I exact = I{1} << 52;
    const bool small = value < exact && (std::is_unsigned_v<I> || value > static_cast<I>(0 - exact));
    const I sticky = static_cast<I>((value & low) != 0 ? low / 2 + 1 : 0);
    return round_to_odd(static_cast<double>(small ? value : static_cast<I>((value & static_cast<I>(~low)) | sticky)));
  }
}

/// A floating value as an integer: truncated; out of range saturates and NaN is 0, on every device.
/// NumPy leaves out-of-range values undefined (they differ by CPU and size); within the range both agree.
template <std::integral I, std::floating_point F>
[[nodiscard]] [[gnu::always_inline]] constexpr I saturating_truncate(F value) noexcept {
  using limits = std::numeric_limits<I>;
  const F number = select(value == value, value, F{0});
  if constexpr (sizeof(I) < 4) {
    constexpr F low = static_cast<F>(limits::min());
    constexpr F high = static_cast<F>(limits::max());
    const F above = select(number > low, number, low);
    return static_cast<I>(static_cast<std::int32_t>(select(above < high, above, high)));
  } else if constexpr (std::is_signed_v<I>) {
    using bits = std::make_unsigned_t<I>;
    constexpr F low = static_cast<F>(limits::min());
    constexpr F high = -low * (F{1} - std::numeric_limits<F>::epsilon() / 2);  // the last F below 2^digits
    const F above = select(number > low, number, low);
    const auto inside = static_cast<bits>(static_cast<I>(select(above < high, above, high)));
    const bits too_large = bits{0} - static_cast<bits>(number >= -low);
    return static_cast<I>(inside ^ ((inside ^ static_cast<bits>(limits::max())) & too_large));
  } else {
    // There is no vector conversion to unsigned: convert the rest of what is at least 2^31 (2^63), then add that.
    using signed_type = std::make_signed_t<I>;
    constexpr F half_range = -static_cast<F>(std::numeric_limits<signed_type>::min());
    const F above = select(number > F{0}, number, F{0});
    const bool upper = above >= half_range;
    const F rest = select(upper, above - half_range, above);
    return static_cast<I>(static_cast<I>(saturating_truncate<signed_type>(rest)) +
                          (static_cast<I>(upper) << (limits::digits - 1)));
  }
}

}  // namespace gpu::detail
