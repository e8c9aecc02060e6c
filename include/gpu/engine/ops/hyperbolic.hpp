/// @file
/// sinh, cosh, tanh, arcsinh, arccosh, arctanh.
#pragma once

#include "complex_inverse.hpp"
#include "complex_math.hpp"
#include "rules.hpp"
#include "vector_math.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {

struct sinh : detail::widened<sinh> {
  static constexpr const char* name = "sinh";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::sinh(x);
  }
};

struct cosh : detail::widened<cosh> {
  static constexpr const char* name = "cosh";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::cosh(x);
  }
};

struct tanh : detail::widened<tanh> {
  static constexpr const char* name = "tanh";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::tanh(x);
  }
};

struct arcsinh : detail::widened<arcsinh> {
  static constexpr const char* name = "arcsinh";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::asinh(x);
  }
};

struct arccosh : detail::widened<arccosh> {
  static constexpr const char* name = "arccosh";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::acosh(x);
  }
};

struct arctanh : detail::widened<arctanh> {
  static constexpr const char* name = "arctanh";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::atanh(x);
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
