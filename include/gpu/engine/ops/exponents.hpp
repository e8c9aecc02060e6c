/// @file
/// exp, exp2, expm1, log, log2, log10, log1p, logaddexp, logaddexp2, sqrt, rsqrt, cbrt.
#pragma once

#include <limits>

#include "complex_math.hpp"
#include "rules.hpp"
#include "vector_math.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {

struct exp : detail::widened<exp> {
  static constexpr const char* name = "exp";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::exp(x);
  }
};

struct exp2 : detail::widened<exp2> {
  static constexpr const char* name = "exp2";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::exp2(x);
  }
};

/// `exp(x) - 1`, accurate near 0.
struct expm1 : detail::widened<expm1> {
  static constexpr const char* name = "expm1";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::expm1(x);
  }
};

struct log : detail::widened<log> {
  static constexpr const char* name = "log";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::log(x);
  }
};

struct log2 : detail::widened<log2> {
  static constexpr const char* name = "log2";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::log2(x);
  }
};

struct log10 : detail::widened<log10> {
  static constexpr const char* name = "log10";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::log10(x);
  }
};

/// `log(1 + x)`, accurate near 0.
struct log1p : detail::widened<log1p> {
  static constexpr const char* name = "log1p";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::log1p(x);
  }
};

/// `log(exp(a) + exp(b))` without overflow.
struct logaddexp : detail::widened<logaddexp> {
  static constexpr const char* name = "logaddexp";
  static constexpr bool uses_vector_math = true;
  template <class A, class B>
  using arguments = floating_arguments<A, B>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T a, T b) noexcept {
    const T larger = math::select(a > b, a, b);
    const T rest = math::log1p(math::exp(-math::fabs(a - b)));
    // Equal infinities have no difference.
    return larger + math::select(a == b, T(0.693147180559945309417232121458176568), rest);
  }
};

/// `log2(2**a + 2**b)` without overflow.
struct logaddexp2 : detail::widened<logaddexp2> {
  static constexpr const char* name = "logaddexp2";
  static constexpr bool uses_vector_math = true;
  template <class A, class B>
  using arguments = floating_arguments<A, B>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T a, T b) noexcept {
    const T larger = math::select(a > b, a, b);
    const T rest = T(1.442695040888963407359924681001892137) * math::log1p(math::exp2(-math::fabs(a - b)));
    return larger + math::select(a == b, T{1}, rest);
  }
};

struct sqrt : detail::widened<sqrt> {
  static constexpr const char* name = "sqrt";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::sqrt(x);
  }
};

/// `1 / sqrt(x)`.
struct rsqrt : detail::widened<rsqrt> {
  static constexpr const char* name = "rsqrt";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return T(1) / math::sqrt(x);
  }
};

struct cbrt : detail::widened<cbrt> {
  static constexpr const char* name = "cbrt";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = floating_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    const T root = math::cbrt(x);
#if defined(__CUDA_ARCH__)
    return root;
#else
    // The vector version is off by up to 3 ulp, also for cubes of integers: one step of Newton's method makes those
    // exact.
    const bool special = (x == T{0}) | !(math::fabs(x) < std::numeric_limits<T>::infinity());
    return math::select(special, root, refined(x, root));
#endif
  }

 private:
  [[gnu::always_inline]] static constexpr float refined(float x, float root) noexcept {
    const double r = root;
    return static_cast<float>(r - (r - static_cast<double>(x) / (r * r)) / 3);
  }
  [[gnu::always_inline]] static constexpr double refined(double x, double root) noexcept {
    // Half of the digits, so that the square is exact.
    const double r = __builtin_bit_cast(double, (math::bits_of(root) + 0x2000000u) & ~uint64{0x3ffffff});
    const double quotient = x / (r * r);
    return r + r * ((quotient - r) / (r + r + quotient));
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
