/// @file
/// The inverse trigonometric and hyperbolic functions of complex numbers, by Kahan's formulas ("Branch Cuts for Complex
/// Elementary Functions"): no term cancels. Special values as in complex_math.hpp.
#pragma once

#include "complex_math.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {
namespace math {

/// Where `z * z + 1` is `z * z` and the formulas below would overflow.
template <real T>
[[nodiscard]] constexpr bool is_large(complex<T> z) noexcept {
  constexpr T limit = T{2} / std::numeric_limits<T>::epsilon();
  return fabs(z.re) > limit || fabs(z.im) > limit;
}

template <real T>
[[nodiscard]] constexpr complex<T> asinh(complex<T> z) noexcept {
  if (is_nan(z.re) || is_nan(z.im)) {
    if (fabs(z.re) == infinity<T>) return {z.re, z.im};
    if (fabs(z.im) == infinity<T>) return {z.im, quiet_nan<T>};
    return {quiet_nan<T>, z.im == T{0} ? z.im : quiet_nan<T>};
  }
  if (is_large(z)) {
    constexpr T ln2 = T(0.693147180559945309417232121458176568);
    return {copysign(log_abs(z) + ln2, z.re), copysign(atan2(fabs(z.im), fabs(z.re)), z.im)};
  }
  // asin(i z) / i with asin(w) = (atan2(re w, re(p q)), asinh(im(conj(p) q))), p = sqrt(1 - w), q = sqrt(1 + w).
  const complex<T> p = sqrt(complex<T>(T{1} + z.im, -z.re));
  const complex<T> q = sqrt(complex<T>(T{1} - z.im, z.re));
  return {copysign(asinh(p.re * q.im - p.im * q.re), z.re), copysign(atan2(z.im, p.re * q.re - p.im * q.im), z.im)};
}

template <real T>
[[nodiscard]] constexpr complex<T> asin(complex<T> z) noexcept {
  return exchanged(asinh(exchanged(z)));
}

template <real T>
[[nodiscard]] constexpr complex<T> acos(complex<T> z) noexcept {
  constexpr T half_pi = T(1.570796326794896619231321691639751442);
  if (is_nan(z.re) || is_nan(z.im)) {
    if (fabs(z.re) == infinity<T>) return {quiet_nan<T>, -infinity<T>};
    if (fabs(z.im) == infinity<T>) return {quiet_nan<T>, -z.im};
    return {z.re == T{0} ? half_pi : quiet_nan<T>, quiet_nan<T>};
  }
  if (is_large(z)) {
    constexpr T ln2 = T(0.693147180559945309417232121458176568);
    return {atan2(fabs(z.im), z.re), -copysign(log_abs(z) + ln2, z.im)};
  }
  const complex<T> p = sqrt(complex<T>(T{1} - z.re, -z.im));
  const complex<T> q = sqrt(complex<T>(T{1} + z.re, z.im));
  return {2 * atan2(p.re, q.re), -copysign(asinh(q.im * p.re - q.re * p.im), z.im)};
}

/// The logarithm's branch: a real part of at least 0.
template <real T>
[[nodiscard]] constexpr complex<T> acosh(complex<T> z) noexcept {
  const complex<T> angle = acos(z);
  if (is_nan(angle.im)) return {angle.im, angle.im};
  if (is_nan(angle.re)) return {fabs(angle.im), angle.re};
  return {fabs(angle.im), copysign(angle.re, z.im)};
}

template <real T>
[[nodiscard]] constexpr complex<T> atanh(complex<T> z) noexcept {
  constexpr T half_pi = T(1.570796326794896619231321691639751442);
  const T x = fabs(z.re);
  const T y = fabs(z.im);
  if (is_nan(x) || is_nan(y)) {
    if (y == infinity<T>) return {copysign(T{0}, z.re), copysign(half_pi, z.im)};
    if (x == infinity<T> || x == T{0}) return {copysign(T{0}, z.re), quiet_nan<T>};
    return {quiet_nan<T>, quiet_nan<T>};
  }
  if (is_large(z)) {
    // re(1 / z) without overflow.
    const T large = x < y ? y : x;
    const T scaled_x = x / large;
    const T scaled_y = y / large;
    const T real = large == infinity<T> ? T{0} : scaled_x / (scaled_x * scaled_x + scaled_y * scaled_y) / large;
    return {copysign(real, z.re), copysign(half_pi, z.im)};
  }
  const T rest = T{1} - x;
  T real{};
  if (x == T{1} && y < std::numeric_limits<T>::epsilon()) {
    real = y == T{0} ? infinity<T> : (log(T{2}) - log(y)) / 2;
  } else {
    real = log1p(4 * x / (rest * rest + y * y)) / 4;
  }
  const T imaginary = atan2(2 * y, rest * (T{1} + x) - y * y) / 2;
  return {copysign(real, z.re), copysign(imaginary, z.im)};
}

template <real T>
[[nodiscard]] constexpr complex<T> atan(complex<T> z) noexcept {
  return exchanged(atanh(exchanged(z)));
}

}  // namespace math
}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
