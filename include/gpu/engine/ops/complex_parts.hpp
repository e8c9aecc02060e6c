/// @file
/// real, imag, conjugate, angle.
#pragma once

#include "../../core/constants.hpp"
#include "rules.hpp"
#include "vector_math.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {

/// A real number is its own real part.
struct real {
  static constexpr const char* name = "real";
  template <class A>
  using arguments = own_arguments<A>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr real_t<T> operator()(T x) const noexcept {
    if constexpr (complex_number<T>) {
      return x.re;
    } else {
      return x;
    }
  }
};

/// 0 of its type for a real number.
struct imag {
  static constexpr const char* name = "imag";
  template <class A>
  using arguments = own_arguments<A>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr real_t<T> operator()(T x) const noexcept {
    if constexpr (complex_number<T>) {
      return x.im;
    } else {
      return T{};
    }
  }
};

/// A real number is its own conjugate.
struct conjugate {
  static constexpr const char* name = "conjugate";
  template <class A>
  using arguments = numeric_arguments<A>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T x) const noexcept {
    if constexpr (complex_number<T>) {
      return {x.re, -x.im};
    } else {
      return x;
    }
  }
};

/// The angle in (-pi, pi], in degrees if `deg`; 0 or pi for a real number.
struct angle {
  static constexpr const char* name = "angle";
  static constexpr bool uses_vector_math = true;
  bool deg = false;

  template <class A>
  using arguments = inexact_arguments<std::conditional_t<boolean<A>, int64, A>>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr real_t<T> operator()(T z) const noexcept {
    if constexpr (narrow_float<T>) {
      const T radians = T(math::atan2(0.0f, static_cast<float>(z)));
      return deg ? radians * T(180 / pi) : radians;
    } else {
      using part = real_t<T>;
      part radians{};
      if constexpr (complex_number<T>) {
        radians = math::atan2(z.im, z.re);
      } else {
        radians = math::atan2(T{0}, z);
      }
      return math::select(deg, radians * static_cast<part>(180 / pi), radians);
    }
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
