/// @file
/// sin, cos, tan, arcsin, arccos, arctan, arctan2, hypot, deg2rad, rad2deg.
#pragma once

#include "../../core/constants.hpp"
#include "complex_inverse.hpp"
#include "complex_math.hpp"
#include "rules.hpp"
#include "vector_math.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {

struct sin : detail::widened<sin> {
  static constexpr const char* name = "sin";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::sin(x);
  }
};

struct cos : detail::widened<cos> {
  static constexpr const char* name = "cos";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::cos(x);
  }
};

struct tan : detail::widened<tan> {
  static constexpr const char* name = "tan";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::tan(x);
  }
};

struct arcsin : detail::widened<arcsin> {
  static constexpr const char* name = "arcsin";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::asin(x);
  }
};

struct arccos : detail::widened<arccos> {
  static constexpr const char* name = "arccos";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::acos(x);
  }
};

struct arctan : detail::widened<arctan> {
  static constexpr const char* name = "arctan";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::atan(x);
  }
};

/// The angle of the point (x, y), in [-pi, pi].
struct arctan2 : detail::widened<arctan2> {
  static constexpr const char* name = "arctan2";
  static constexpr bool uses_vector_math = true;
  template <class A, class B>
  using arguments = floating_arguments<A, B>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T y, T x) noexcept {
    return math::atan2(y, x);
  }
};

/// `sqrt(a**2 + b**2)` without overflow on the way.
struct hypot : detail::widened<hypot> {
  static constexpr const char* name = "hypot";
  static constexpr bool uses_vector_math = true;
  template <class A, class B>
  using arguments = floating_arguments<A, B>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T a, T b) noexcept {
    return math::hypot(a, b);
  }
};

struct deg2rad : detail::widened<deg2rad> {
  static constexpr const char* name = "deg2rad";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = floating_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return x * (static_cast<T>(pi) / T{180});
  }
};

struct rad2deg : detail::widened<rad2deg> {
  static constexpr const char* name = "rad2deg";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = floating_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return x * (T{180} / static_cast<T>(pi));
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
