/// @file
/// heaviside, nan_to_num, sinc.
#pragma once

#include <limits>

#include "../../core/constants.hpp"
#include "complex_math.hpp"
#include "rules.hpp"
#include "vector_math.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {

/// 0 below 0, 1 above, `at_zero` at 0; NaN stays.
struct heaviside : detail::widened<heaviside> {
  static constexpr const char* name = "heaviside";
  template <class A, class B>
  using arguments = floating_arguments<A, B>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x, T at_zero) noexcept {
    const T step = math::select(x > T{0}, T{1}, T{0});
    return math::select(x == T{0}, at_zero, math::select(x == x, step, x));
  }
};

/// Replaces NaN and infinities, in complex numbers by parts. Integers and bool stay as they are.
struct nan_to_num {
  static constexpr const char* name = "nan_to_num";
  double nan;
  double posinf;
  double neginf;

  /// With NumPy's defaults for arrays of `T`: 0 and the largest finite numbers.
  template <class T>
  [[nodiscard]] static constexpr nan_to_num defaults() noexcept {
    using limits = std::numeric_limits<real_t<T>>;
    return {0, static_cast<double>(limits::max()), static_cast<double>(limits::lowest())};
  }

  template <class A>
  using arguments = own_arguments<A>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T x) const noexcept {
    if constexpr (std::integral<T>) {
      return x;
    } else if constexpr (complex_number<T>) {
      return {operator()(x.re), operator()(x.im)};
    } else if constexpr (narrow_float<T>) {
      return T(replaced(static_cast<float>(x)));
    } else {
      return replaced(x);
    }
  }

 private:
  template <class T>
  [[gnu::always_inline]] constexpr T replaced(T x) const noexcept {
    constexpr T infinity = std::numeric_limits<T>::infinity();
    const T finite =
        math::select(x == infinity, static_cast<T>(posinf), math::select(x == -infinity, static_cast<T>(neginf), x));
    return math::select(x == x, finite, static_cast<T>(nan));
  }
};

/// `sin(pi x) / (pi x)`, 1 at 0. Integers compute in double.
struct sinc : detail::widened<sinc> {
  static constexpr const char* name = "sinc";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = std::enable_if_t<arithmetic<A>, type_list<gpu::detail::inexact_t<A>>>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    if constexpr (complex_number<T>) {
      if (x == T{}) return T{1};
      const T scaled = x * T{static_cast<real_t<T>>(pi)};
      return math::sin(scaled) / scaled;
    } else {
      const T scaled = static_cast<T>(pi) * math::select(x == T{0}, T(1e-20), x);
      return math::sin(scaled) / scaled;
    }
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
