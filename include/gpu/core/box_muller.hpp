/// @file
/// Two random words to two independent normal numbers (Box and Muller, 1958), with logarithm, square root, sine and
/// cosine of our own: branch-free, so that GCC vectorises them without flags, and alike on the host and every GPU
/// (contraction to fused multiply-add may change the last bits; the results agree within 4 units in the last place).
#pragma once

#include <cstdint>

#include "float_bits.hpp"

namespace gpu::detail {

/// sqrt(y) for 1e-30 < y < 1e30, within 1 ulp. `std::sqrt` sets errno, which keeps GCC from vectorising it.
[[nodiscard]] [[gnu::always_inline]] constexpr float square_root(float y) noexcept {
  float inverse = __builtin_bit_cast(float, 0x5f375a86u - (__builtin_bit_cast(std::uint32_t, y) >> 1));
  const float half_y = 0.5f * y;
  inverse *= 1.5f - half_y * inverse * inverse;
  inverse *= 1.5f - half_y * inverse * inverse;
  const float root = y * inverse;
  return root + 0.5f * inverse * (y - root * root);
}
[[nodiscard]] [[gnu::always_inline]] constexpr double square_root(double y) noexcept {
  double inverse = __builtin_bit_cast(double, 0x5fe6eb50c7b537a9u - (__builtin_bit_cast(std::uint64_t, y) >> 1));
  const double half_y = 0.5 * y;
  inverse *= 1.5 - half_y * inverse * inverse;
  inverse *= 1.5 - half_y * inverse * inverse;
  inverse *= 1.5 - half_y * inverse * inverse;
  const double root = y * inverse;
  return root + 0.5 * inverse * (y - root * root);
}

/// ln((m + 1/2) / 2^31) for a 31-bit m, within 3 ulp also close to 0: from -22.2 to -2.3e-10.
[[nodiscard]] [[gnu::always_inline]] constexpr float log_of_fraction(std::uint32_t m) noexcept {
  constexpr std::uint32_t root_half = 0x3f3504f3u;  // the significand goes to [sqrt(1/2), sqrt(2))
  const float scaled = static_cast<float>(static_cast<std::int32_t>(m)) + 0.5f;
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, scaled) + (0x3f800000u - root_half);
  const auto exponent = static_cast<std::int32_t>(bits >> 23) - (127 + 31);
  const float significand = __builtin_bit_cast(float, (bits & 0x7fffffu) + root_half);
  // Near 1 the distance from 1 comes from the integer, which has all of its bits.
  const float distance = (static_cast<float>(static_cast<std::int32_t>(0x7fffffffu - m)) + 0.5f) * -0x1p-31f;
  const float f = select(exponent == 0, distance, significand - 1.0f);
  float p = 7.0376836292e-2f;
  p = p * f - 1.1514610310e-1f;
  p = p * f + 1.1676998740e-1f;
  p = p * f - 1.2420140846e-1f;
  p = p * f + 1.4249322787e-1f;
  p = p * f - 1.6668057665e-1f;
  p = p * f + 2.0000714765e-1f;
  p = p * f - 2.4999993993e-1f;
  p = p * f + 3.3333331174e-1f;
  const float square = f * f;
  const auto k = static_cast<float>(exponent);
  const float tail = square * f * p + k * -2.12194440e-4f;
  return (tail - 0.5f * square + f) + k * 0.693359375f;
}

/// ln(u) for 2^-53 <= u < 1, within 1 ulp.
[[nodiscard]] [[gnu::always_inline]] constexpr double log_of_fraction(double u) noexcept {
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcdu;
  const std::uint64_t bits = __builtin_bit_cast(std::uint64_t, u) + (0x3ff0000000000000u - root_half);
  // There is no vector conversion of 64-bit integers: put the exponent below 2^52 instead.
  const double k = __builtin_bit_cast(double, (bits >> 52) | 0x4330000000000000u) - (0x1p52 + 1023);
  const double f = __builtin_bit_cast(double, (bits & 0xfffffffffffffu) + root_half) - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  double p = 1.479819860511658591e-01;
  p = p * z + 1.531383769920937332e-01;
  p = p * z + 1.818357216161805012e-01;
  p = p * z + 2.222219843214978396e-01;
  p = p * z + 2.857142874366239149e-01;
  p = p * z + 3.999999999940941908e-01;
  p = p * z + 6.666666666666735130e-01;
  const double half_square = 0.5 * f * f;
  return s * (half_square + z * p) + k * 1.90821492927058770002e-10 - half_square + f + k * 6.93147180369123816490e-01;
}

template <class F>
struct sine_and_cosine {
  F sine, cosine;
};

/// Sine and cosine of the angle of `turn` / 2^32 (2^64) turns; within 3 ulp, or 2^-54 close to 0 in double.
[[nodiscard]] [[gnu::always_inline]] constexpr sine_and_cosine<float> sin_cos_of_turn(std::uint32_t turn) noexcept {
  const std::uint32_t quadrant = (turn + 0x20000000u) >> 30;
  const float t = static_cast<float>(static_cast<std::int32_t>(turn - (quadrant << 30))) * 1.46291807926715968e-9f;
  const float z = t * t;
  float p = -1.9515295891e-4f;
  p = p * z + 8.3321608736e-3f;
  p = p * z - 1.6666654611e-1f;
  const auto s = __builtin_bit_cast(std::uint32_t, p* z* t + t);
  float q = 2.443315711809948e-5f;
  q = q * z - 1.388731625493765e-3f;
  q = q * z + 4.166664568298827e-2f;
  const auto c = __builtin_bit_cast(std::uint32_t, q* z* z - 0.5f * z + 1.0f);
  const std::uint32_t swap = 0u - (quadrant & 1u);
  return {__builtin_bit_cast(float, blend(swap, c, s) ^ ((quadrant & 2u) << 30)),
          __builtin_bit_cast(float, blend(swap, s, c) ^ (((quadrant + 1u) & 2u) << 30))};
}
[[nodiscard]] [[gnu::always_inline]] constexpr sine_and_cosine<double> sin_cos_of_turn(std::uint64_t turn) noexcept {
  const std::uint64_t shifted = turn + 0x2000000000000000u;
  const std::uint64_t quadrant = shifted >> 62;
  const std::uint64_t rest = (shifted & 0x3fffffffffffffffu) >> 10;
  const double t = (__builtin_bit_cast(double, rest | 0x4330000000000000u) - (0x1p52 + 0x1p51)) * 3.487868498008632e-16;
  const double z = t * t;
  double p = 1.58969099521155010221e-10;
  p = p * z - 2.50507602534068634195e-08;
  p = p * z + 2.75573137070700676789e-06;
  p = p * z - 1.98412698298579493134e-04;
  p = p * z + 8.33333333332248946124e-03;
  p = p * z - 1.66666666666666324348e-01;
  const auto s = __builtin_bit_cast(std::uint64_t, p* z* t + t);
  double q = -1.13596475577881948265e-11;
  q = q * z + 2.08757232129817482790e-09;
  q = q * z - 2.75573143513906633035e-07;
  q = q * z + 2.48015872894767294178e-05;
  q = q * z - 1.38888888888741095749e-03;
  q = q * z + 4.16666666666666019037e-02;
  const auto c = __builtin_bit_cast(std::uint64_t, q* z* z - 0.5 * z + 1.0);
  const std::uint64_t swap = std::uint64_t{0} - (quadrant & 1u);
  return {__builtin_bit_cast(double, s ^ ((s ^ c) & swap) ^ ((quadrant & 2u) << 62)),
          __builtin_bit_cast(double, c ^ ((s ^ c) & swap) ^ (((quadrant + 1u) & 2u) << 62))};
}

template <class F>
struct normal_pair {
  F even, odd;
};

/// Two standard normal numbers from two words; of magnitude at most 6.7, finite always.
[[nodiscard]] [[gnu::always_inline]] constexpr normal_pair<float> box_muller(std::uint32_t radius_bits,
                                                                             std::uint32_t angle_bits) noexcept {
  const float radius = square_root(-2.0f * log_of_fraction(radius_bits >> 1));
  const sine_and_cosine<float> direction = sin_cos_of_turn(angle_bits);
  return {radius * direction.cosine, radius * direction.sine};
}
/// The same in double, of magnitude at most 8.6.
[[nodiscard]] [[gnu::always_inline]] constexpr normal_pair<double> box_muller(std::uint64_t radius_bits,
                                                                              std::uint64_t angle_bits) noexcept {
  const double u = (__builtin_bit_cast(double, (radius_bits >> 12) | 0x3ff0000000000000u) - 1.0) + 0x1p-53;
  const double radius = square_root(-2.0 * log_of_fraction(u));
  const sine_and_cosine<double> direction = sin_cos_of_turn(angle_bits);
  return {radius * direction.cosine, radius * direction.sine};
}

}  // namespace gpu::detail
