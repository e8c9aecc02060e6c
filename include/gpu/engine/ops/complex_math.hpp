/// @file
/// exp, log, powers and the trigonometric and hyperbolic functions of complex numbers, made of real ones: the same on
/// the host and on devices. Infinities, NaN and signed zeros follow C's Annex G, as NumPy's do.
#pragma once

#include <limits>

#include "../../core/complex.hpp"
#include "vector_math.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {
namespace math {

template <real T>
inline constexpr T infinity = std::numeric_limits<T>::infinity();
template <real T>
inline constexpr T quiet_nan = std::numeric_limits<T>::quiet_NaN();

template <real T>
[[nodiscard]] constexpr bool is_nan(T x) noexcept {
  return x != x;
}
template <real T>
[[nodiscard]] constexpr bool is_finite(T x) noexcept {
  return fabs(x) < infinity<T>;
}

template <real T>
[[nodiscard]] constexpr bool is_infinite(complex<T> z) noexcept {
  return fabs(z.re) == infinity<T> || fabs(z.im) == infinity<T>;
}

template <real T>
struct sine_and_cosine {
  T sine;
  T cosine;

  constexpr explicit sine_and_cosine(T x) noexcept : sine(x), cosine(x) {
#if defined(__clang__)
    sine = sin(x);
    cosine = cos(x);
#elif defined(__CUDA_ARCH__)
    if constexpr (std::same_as<T, float>) {
      ::sincosf(x, &sine, &cosine);
    } else {
      ::sincos(x, &sine, &cosine);
    }
#else
    if constexpr (std::same_as<T, float>) {
      __builtin_sincosf(x, &sine, &cosine);
    } else {
      __builtin_sincos(x, &sine, &cosine);
    }
#endif
  }
};

/// `exp(z)`, also where exp alone overflows but its product with a sine does not.
template <real T>
[[nodiscard]] constexpr complex<T> exp(complex<T> z) noexcept {
  if (z.im == T{0}) return {exp(z.re), z.im};
  if (!is_finite(z.im)) {
    if (z.re == -infinity<T>) return {T{0}, copysign(T{0}, z.im)};
    return {z.re == infinity<T> ? z.re : quiet_nan<T>, quiet_nan<T>};
  }
  const auto [sine, cosine] = sine_and_cosine<T>(z.im);
  const T size = exp(z.re);
  if (is_finite(size) || !is_finite(z.re)) return {size * cosine, size * sine};
  const T root = exp(z.re / 2);
  return {root * cosine * root, root * sine * root};
}

template <real T>
[[nodiscard]] constexpr complex<T> exp2(complex<T> z) noexcept {
  constexpr T ln2 = T(0.693147180559945309417232121458176568);
  return exp(complex<T>(z.re * ln2, z.im * ln2));
}

template <real T>
[[nodiscard]] constexpr complex<T> expm1(complex<T> z) noexcept {
  const T half_sine = sin(z.im / 2);
  return {expm1(z.re) * cos(z.im) - 2 * half_sine * half_sine, exp(z.re) * sin(z.im)};
}

/// `(1 + x)^2 + y^2 - 1` without cancellation, for small x: products and sums in two parts each.
template <real T>
[[nodiscard]] constexpr T norm_excess(T x, T y) noexcept {
  if constexpr (std::same_as<T, float>) {
    const double wide_x = x;
    const double wide_y = y;
    return static_cast<float>(wide_x * (wide_x + 2) + wide_y * wide_y);
  } else {
    // Half of the digits, whose squares are exact.
    constexpr bits_t<T> upper = ~((bits_t<T>{1} << ((std::numeric_limits<T>::digits + 1) / 2)) - 1);
    const T x_high = __builtin_bit_cast(T, bits_of(x) & upper);
    const T y_high = __builtin_bit_cast(T, bits_of(y) & upper);
    const T low = (x - x_high) * (x + x_high) + (y - y_high) * (y + y_high);
    const T linear = 2 * x;
    const T square = y_high * y_high;
    const T sum = linear + square;
    const T part = sum - linear;
    const T lost = (linear - (sum - part)) + (square - part);
    return (sum + x_high * x_high) + (low + lost);
  }
}

/// The logarithm of the magnitude.
template <real T>
[[nodiscard]] constexpr T log_abs(complex<T> z) noexcept {
  const T x = fabs(z.re);
  const T y = fabs(z.im);
  const T large = select(x < y, y, x);
  const T small = select(x < y, x, y);
  if (large > T{0.5} && large < T{2}) {
    const T excess = norm_excess(large - T{1}, small);
    if (excess > T{-0.5}) return log1p(excess) / 2;
  }
  // Scaled where the magnitude would overflow or lose digits.
  constexpr T ln2 = T(0.693147180559945309417232121458176568);
  constexpr int digits = std::numeric_limits<T>::digits;
  constexpr T scale = static_cast<T>(std::uint64_t{1} << digits);
  if (large > std::numeric_limits<T>::max() / 2 && large < infinity<T>) return log(hypot(x / 2, y / 2)) + ln2;
  if (large < std::numeric_limits<T>::min() * scale) return log(hypot(x * scale, y * scale)) - digits * ln2;
  return log(hypot(x, y));
}

template <real T>
[[nodiscard]] constexpr complex<T> log(complex<T> z) noexcept {
  return {log_abs(z), atan2(z.im, z.re)};
}

template <real T>
[[nodiscard]] constexpr complex<T> log2(complex<T> z) noexcept {
  const complex<T> natural = log(z);
  constexpr T log2_e = T(1.442695040888963407359924681001892137);
  return {natural.re * log2_e, natural.im * log2_e};
}

template <real T>
[[nodiscard]] constexpr complex<T> log10(complex<T> z) noexcept {
  const complex<T> natural = log(z);
  constexpr T log10_e = T(0.434294481903251827651128918916605082);
  return {natural.re * log10_e, natural.im * log10_e};
}

/// Accurate near 0, where NumPy's is not.
template <real T>
[[nodiscard]] constexpr complex<T> log1p(complex<T> z) noexcept {
  const complex<T> sum(z.re + T{1}, z.im);
  const bool near = fabs(z.re) < T{0.5} && fabs(z.im) < T{0.5};
  return {near ? log1p(norm_excess(z.re, z.im)) / 2 : log_abs(sum), atan2(sum.im, sum.re)};
}

template <real T>
[[nodiscard]] constexpr complex<T> sqrt(complex<T> z) noexcept {
  if (z.re == T{0} && z.im == T{0}) return {T{0}, z.im};
  if (fabs(z.im) == infinity<T>) return {infinity<T>, z.im};
  if (is_nan(z.re)) return {z.re, quiet_nan<T>};
  if (fabs(z.re) == infinity<T>) {
    const T zero_or_nan = z.im - z.im;
    return z.re > T{0} ? complex<T>(z.re, copysign(zero_or_nan, z.im))
                       : complex<T>(fabs(zero_or_nan), copysign(z.re, z.im));
  }
  // Powers of four, so that neither the magnitude overflows nor subnormal parts lose digits.
  const T large = fabs(z.re) < fabs(z.im) ? fabs(z.im) : fabs(z.re);
  constexpr int digits = 2 * ((std::numeric_limits<T>::digits + 1) / 2);
  constexpr T up = static_cast<T>(std::uint64_t{1} << digits);
  constexpr T up_root = static_cast<T>(std::uint64_t{1} << (digits / 2));
  T root_scale = T{1};
  if (large > std::numeric_limits<T>::max() / 4) {
    z = {z.re / 16, z.im / 16};
    root_scale = T{4};
  } else if (large < std::numeric_limits<T>::min() * up) {
    z = {z.re * up, z.im * up};
    root_scale = T{1} / up_root;
  }
  const T root = sqrt((fabs(z.re) + hypot(z.re, z.im)) / 2);
  const T other = fabs(z.im) / (2 * root);
  const complex<T> result =
      z.re >= T{0} ? complex<T>(root, copysign(other, z.im)) : complex<T>(other, copysign(root, z.im));
  return {result.re * root_scale, result.im * root_scale};
}

/// sinh and cosh of `x` times the given cosine and sine, also where sinh alone overflows.
template <real T>
[[nodiscard]] constexpr complex<T> large_hyperbolic(T x, T first, T second) noexcept {
  const T root = exp(fabs(x) / 2);
  return {root / 2 * first * root, root / 2 * second * root};
}

template <real T>
[[nodiscard]] constexpr complex<T> sinh(complex<T> z) noexcept {
  if (z.im == T{0}) return {sinh(z.re), z.im};
  const auto [sine, cosine] = sine_and_cosine<T>(z.im);
  if (z.re == T{0}) return {is_nan(cosine) ? z.re : z.re * cosine, sine};
  if (fabs(z.re) == infinity<T> && is_nan(cosine)) return {infinity<T>, cosine};
  const T size = sinh(z.re);
  if (is_finite(size) || !is_finite(z.re)) return {size * cosine, cosh(z.re) * sine};
  return large_hyperbolic(z.re, copysign(cosine, cosine * z.re), sine);
}

template <real T>
[[nodiscard]] constexpr complex<T> cosh(complex<T> z) noexcept {
  if (z.im == T{0}) return {cosh(z.re), is_nan(z.re) ? z.im : copysign(z.im, z.im * copysign(T{1}, z.re))};
  const auto [sine, cosine] = sine_and_cosine<T>(z.im);
  if (z.re == T{0}) return {cosine, is_nan(sine) ? T{0} : z.re * sine};
  if (fabs(z.re) == infinity<T> && is_nan(cosine)) return {infinity<T>, cosine};
  const T size = cosh(z.re);
  if (is_finite(size) || !is_finite(z.re)) return {size * cosine, sinh(z.re) * sine};
  return large_hyperbolic(z.re, cosine, copysign(sine, sine * z.re));
}

template <real T>
[[nodiscard]] constexpr complex<T> tanh(complex<T> z) noexcept {
  if (z.im == T{0}) return {tanh(z.re), z.im};
  const T size = fabs(z.re);
  if (size == infinity<T>) {
    return {copysign(T{1}, z.re), copysign(T{0}, is_finite(z.im) ? sin(z.im) * cos(z.im) : z.im)};
  }
  if (!is_finite(z.im)) return {z.re == T{0} ? z.re : quiet_nan<T>, quiet_nan<T>};
  if (size > T{std::numeric_limits<T>::digits}) {
    // 1 / cosh(x)^2 is 4 exp(-2 |x|) here.
    const T small = exp(-size);
    return {copysign(T{1}, z.re), 4 * sin(z.im) * cos(z.im) * small * small};
  }
  // Kahan's form.
  const T tangent = tan(z.im);
  const T beta = T{1} + tangent * tangent;
  const T s = sinh(z.re);
  const T rho = sqrt(T{1} + s * s);
  const T denominator = T{1} + beta * s * s;
  return {beta * rho * s / denominator, tangent / denominator};
}

// Trigonometric functions are hyperbolic ones with the parts exchanged.

template <real T>
[[nodiscard]] constexpr complex<T> exchanged(complex<T> z) noexcept {
  return {z.im, z.re};
}

template <real T>
[[nodiscard]] constexpr complex<T> sin(complex<T> z) noexcept {
  return exchanged(sinh(exchanged(z)));
}

template <real T>
[[nodiscard]] constexpr complex<T> cos(complex<T> z) noexcept {
  return cosh(complex<T>(-z.im, z.re));
}

template <real T>
[[nodiscard]] constexpr complex<T> tan(complex<T> z) noexcept {
  return exchanged(tanh(exchanged(z)));
}

/// The direction of an infinite number: infinite parts as 1, finite ones beside them as 0. NaN counts as 0.
template <real T>
[[nodiscard]] constexpr complex<T> direction(complex<T> z) noexcept {
  if (is_infinite(z)) {
    z.re = fabs(z.re) == infinity<T> ? copysign(T{1}, z.re) : T{0};
    z.im = fabs(z.im) == infinity<T> ? copysign(T{1}, z.im) : T{0};
  }
  return {is_nan(z.re) ? T{0} : z.re, is_nan(z.im) ? T{0} : z.im};
}

/// The product as C's Annex G has it: infinite if a factor or a partial product is, where the plain formula gives NaN.
template <real T>
[[nodiscard]] constexpr complex<T> annex_g_product(complex<T> a, complex<T> b) noexcept {
  const complex<T> plain = a * b;
  const bool infinite = is_infinite(a) || is_infinite(b) || is_infinite(complex<T>(a.re * b.re, a.im * b.im)) ||
                        is_infinite(complex<T>(a.re * b.im, a.im * b.re));
  if (!is_nan(plain.re) || !is_nan(plain.im) || !infinite) return plain;
  const complex<T> finite = direction(a) * direction(b);
  return {infinity<T> * finite.re, infinity<T> * finite.im};
}

/// NumPy's rules: anything to the power 0 is 1, and small integer powers are products.
template <real T>
[[nodiscard]] constexpr complex<T> pow(complex<T> base, complex<T> exponent) noexcept {
  if (exponent == complex<T>()) return {T{1}, T{0}};
  if (base == complex<T>()) {
    if (exponent.re > T{0}) return {T{0}, T{0}};
    return {quiet_nan<T>, quiet_nan<T>};
  }
  if (exponent.im != T{0} || !(fabs(exponent.re) < T{100}) || trunc(exponent.re) != exponent.re) {
    return exp(annex_g_product(exponent, log(base)));
  }
  const int power = static_cast<int>(fabs(exponent.re));
  complex<T> result{T{1}, T{0}};
  complex<T> factor = base;
  // 1 * z is not z for infinities; NumPy multiplies by it but for these.
  bool started = power > 3 || exponent.re < T{0};
  for (int rest = power; rest != 0; rest >>= 1) {
    if ((rest & 1) != 0) {
      result = started ? result * factor : factor;
      started = true;
    }
    if (rest > 1) factor = factor * factor;
  }
  return exponent.re < T{0} ? complex<T>{T{1}, T{0}} / result : result;
}

}  // namespace math
}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
