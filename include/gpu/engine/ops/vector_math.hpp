/// @file
/// The elementary functions of float and double: CUDA's on a device; on the host the C library's, which GCC replaces by
/// glibc's vector versions (libmvec) in the loops that it vectorises.
///
/// The vector versions were compared with the scalar ones on special values and on random bit patterns: the same
/// infinities, NaN and signed zeros, and errors below 4 ulp. Clang, other C libraries and other CPUs use the scalar
/// ones.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "../../core/config.hpp"
#include "../../core/float_bits.hpp"

// A name cannot be a template parameter, so these lists are macros; they end with this file.
// clang-format off
#define GPUARRAY_UNARY_FUNCTIONS(X)                                                                             \
  X(exp) X(exp2) X(expm1) X(log) X(log2) X(log10) X(log1p) X(cbrt) X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) \
  X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh)
// clang-format on
#define GPUARRAY_BINARY_FUNCTIONS(X) X(pow) X(atan2) X(hypot)

// GPUARRAY_CALL(name): how this pass of the compiler calls the C library's `name`.
#if defined(__CUDA_ARCH__)
#define GPUARRAY_CALL(name) ::name
#define GPUARRAY_BUILTIN(name) ::name
#else
#define GPUARRAY_BUILTIN(name) __builtin_##name
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#if __GLIBC__ * 1000 + __GLIBC_MINOR__ >= 2035
#define GPUARRAY_CALL(name) gpuarray_libm_##name
#define GPUARRAY_VECTORISED __attribute__((simd("notinbranch"), const, nothrow))
extern "C" {
#define GPUARRAY_DECLARE(name)                                                 \
  float gpuarray_libm_##name##f(float) __asm__(#name "f") GPUARRAY_VECTORISED; \
  double gpuarray_libm_##name(double) __asm__(#name) GPUARRAY_VECTORISED;
GPUARRAY_UNARY_FUNCTIONS(GPUARRAY_DECLARE)
#undef GPUARRAY_DECLARE
#define GPUARRAY_DECLARE(name)                                                        \
  float gpuarray_libm_##name##f(float, float) __asm__(#name "f") GPUARRAY_VECTORISED; \
  double gpuarray_libm_##name(double, double) __asm__(#name) GPUARRAY_VECTORISED;
GPUARRAY_BINARY_FUNCTIONS(GPUARRAY_DECLARE)
#undef GPUARRAY_DECLARE
}
#undef GPUARRAY_VECTORISED
#endif
#endif
#if !defined(GPUARRAY_CALL)
#define GPUARRAY_CALL(name) __builtin_##name
#endif
#endif

// A square root that need not set errno is one instruction and vectorises: `const` promises that for calls by exactly
// these names. std::sqrt stays as it is.
#if defined(__CUDA_ARCH__)
#define GPUARRAY_SQRTF ::sqrtf
#define GPUARRAY_SQRT ::sqrt
#elif defined(__clang__)
namespace gpu::detail::no_errno {
extern "C" float sqrtf(float) noexcept __attribute__((const));
extern "C" double sqrt(double) noexcept __attribute__((const));
}  // namespace gpu::detail::no_errno
#define GPUARRAY_SQRTF gpu::detail::no_errno::sqrtf
#define GPUARRAY_SQRT gpu::detail::no_errno::sqrt
#else
extern "C" float sqrtf(float) noexcept __attribute__((const));
extern "C" double __builtin_sqrt(double) noexcept __attribute__((const));
#define GPUARRAY_SQRTF ::sqrtf
#define GPUARRAY_SQRT __builtin_sqrt
#endif

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {

/// Functions of float and double under the C library's names; those of complex numbers are in complex_math.hpp.
namespace math {

using gpu::detail::select;

template <class T>
concept real = std::same_as<T, float> || std::same_as<T, double>;

#define GPUARRAY_DEFINE(name)                                           \
  template <real T>                                                     \
  [[nodiscard]] [[gnu::always_inline]] constexpr T name(T x) noexcept { \
    if constexpr (std::same_as<T, float>) {                             \
      return GPUARRAY_CALL(name##f)(x);                                 \
    } else {                                                            \
      return GPUARRAY_CALL(name)(x);                                    \
    }                                                                   \
  }
GPUARRAY_UNARY_FUNCTIONS(GPUARRAY_DEFINE)
#undef GPUARRAY_DEFINE

#define GPUARRAY_DEFINE(name)                                                \
  template <real T>                                                          \
  [[nodiscard]] [[gnu::always_inline]] constexpr T name(T x, T y) noexcept { \
    if constexpr (std::same_as<T, float>) {                                  \
      return GPUARRAY_CALL(name##f)(x, y);                                   \
    } else {                                                                 \
      return GPUARRAY_CALL(name)(x, y);                                      \
    }                                                                        \
  }
GPUARRAY_BINARY_FUNCTIONS(GPUARRAY_DEFINE)
#undef GPUARRAY_DEFINE

template <real T>
[[nodiscard]] [[gnu::always_inline]] constexpr T sqrt(T x) noexcept {
  if constexpr (std::same_as<T, float>) {
    return GPUARRAY_SQRTF(x);
  } else {
    return GPUARRAY_SQRT(x);
  }
}

/// `x * 2^exponent`, rounded once.
template <real T>
[[nodiscard]] [[gnu::always_inline]] constexpr T ldexp(T x, int exponent) noexcept {
  if constexpr (std::same_as<T, float>) {
    return GPUARRAY_BUILTIN(ldexpf)(x, exponent);
  } else {
    return GPUARRAY_BUILTIN(ldexp)(x, exponent);
  }
}

// From here on: plain arithmetic on bits, the same everywhere.

template <real T>
using bits_t = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <real T>
inline constexpr bits_t<T> sign_mask = bits_t<T>{1} << (8 * sizeof(T) - 1);

template <real T>
[[nodiscard]] [[gnu::always_inline]] constexpr bits_t<T> bits_of(T x) noexcept {
  return __builtin_bit_cast(bits_t<T>, x);
}

template <real T>
[[nodiscard]] [[gnu::always_inline]] constexpr T fabs(T x) noexcept {
  if constexpr (std::same_as<T, float>) {
    return GPUARRAY_BUILTIN(fabsf)(x);
  } else {
    return GPUARRAY_BUILTIN(fabs)(x);
  }
}

template <real T>
[[nodiscard]] [[gnu::always_inline]] constexpr T copysign(T magnitude, T sign) noexcept {
  if constexpr (std::same_as<T, float>) {
    return GPUARRAY_BUILTIN(copysignf)(magnitude, sign);
  } else {
    return GPUARRAY_BUILTIN(copysign)(magnitude, sign);
  }
}

template <real T>
[[nodiscard]] [[gnu::always_inline]] constexpr bool signbit(T x) noexcept {
  return (bits_of(x) & sign_mask<T>) != 0;
}

/// Rounds to the nearest integer, ties to even: one instruction, but for clang's loops, which have no variant for CPUs
/// with SSE4.1. There adding 2^(digits - 1) pushes the fraction out.
template <real T>
[[nodiscard]] [[gnu::always_inline]] constexpr T rint(T x) noexcept {
#if defined(__clang__) && !defined(__CUDA_ARCH__) && defined(__x86_64__) && !defined(__SSE4_1__)
  constexpr T integral = std::same_as<T, float> ? T(8388608) : T(4503599627370496);
  const T size = fabs(x);
  return select(size < integral, copysign((size + integral) - integral, x), x);
#else
  if constexpr (std::same_as<T, float>) {
    return GPUARRAY_BUILTIN(rintf)(x);
  } else {
    return GPUARRAY_BUILTIN(rint)(x);
  }
#endif
}

// By way of `rint`, since GCC vectorises its own floor, ceil and trunc only without -ftrapping-math, and the loop loses
// that when these functions are inlined. Zeros keep the sign of x.
template <real T>
[[nodiscard]] [[gnu::always_inline]] constexpr T floor(T x) noexcept {
#if defined(__CUDA_ARCH__)
  return ::floor(x);
#else
  const T nearest = rint(x);
  return copysign(nearest - select(nearest > x, T{1}, T{0}), x);
#endif
}

template <real T>
[[nodiscard]] [[gnu::always_inline]] constexpr T ceil(T x) noexcept {
#if defined(__CUDA_ARCH__)
  return ::ceil(x);
#else
  const T nearest = rint(x);
  return copysign(nearest + select(nearest < x, T{1}, T{0}), x);
#endif
}

template <real T>
[[nodiscard]] [[gnu::always_inline]] constexpr T trunc(T x) noexcept {
#if defined(__CUDA_ARCH__)
  return ::trunc(x);
#else
  const T size = fabs(x);
  const T nearest = rint(size);
  return copysign(nearest - select(nearest > size, T{1}, T{0}), x);
#endif
}

/// `x - count * y` where that is exact: `count` an integer below 2^51, the result not larger than y.
[[nodiscard]] [[gnu::always_inline]] constexpr double subtract_product(float x, double count, float y) noexcept {
  return static_cast<double>(x) - count * static_cast<double>(y);
}
[[nodiscard]] [[gnu::always_inline]] constexpr double subtract_product(double x, double count, double y) noexcept {
  constexpr bits_t<double> upper = ~bits_t<double>{0x7ffffff};
  const double count_high = __builtin_bit_cast(double, bits_of(count) & upper);
  const double y_high = __builtin_bit_cast(double, bits_of(y) & upper);
  const double count_low = count - count_high;
  const double y_low = y - y_high;
  return (((x - count_high * y_high) - count_high * y_low) - count_low * y_high) - count_low * y_low;
}

/// The remainder of truncated division, exact; the sign of `x`. The C library goes digit by digit; a quotient of less
/// than 2^29 leaves a remainder that a few products give exactly.
template <real T>
[[nodiscard]] [[gnu::always_inline]] constexpr T fmod(T x, T y) noexcept {
#if !defined(__CUDA_ARCH__)
  const T size = fabs(x);
  const T divisor = fabs(y);
  const double quotient = static_cast<double>(size) / static_cast<double>(divisor);
  if ((quotient < 0x1p29) & (divisor < std::numeric_limits<T>::infinity())) {
    const auto count = static_cast<double>(static_cast<std::int64_t>(quotient));
    const double rest = subtract_product(size, count, divisor);
    // The quotient may have been rounded up to the next integer.
    return copysign(static_cast<T>(rest < 0 ? rest + static_cast<double>(divisor) : rest), x);
  }
#endif
  if constexpr (std::same_as<T, float>) {
    return GPUARRAY_BUILTIN(fmodf)(x, y);
  } else {
    return GPUARRAY_BUILTIN(fmod)(x, y);
  }
}

}  // namespace math
}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu

#undef GPUARRAY_UNARY_FUNCTIONS
#undef GPUARRAY_BINARY_FUNCTIONS
#undef GPUARRAY_CALL
#undef GPUARRAY_BUILTIN
#undef GPUARRAY_SQRTF
#undef GPUARRAY_SQRT
