/// @file
/// maximum, minimum, fmax, fmin, clip.
#pragma once

#include "comparison.hpp"
#include "predicates.hpp"
#include "rules.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {
namespace detail {

/// `a > b`, or `a >= b` for the types of which NumPy takes the first of equal numbers: they differ in signs of zeros.
template <class T>
[[gnu::always_inline]] constexpr bool prefers_greater(T a, T b) noexcept {
  return narrow_float<T> || complex_number<T> ? greater_equal{}(a, b) : greater{}(a, b);
}
template <class T>
[[gnu::always_inline]] constexpr bool prefers_less(T a, T b) noexcept {
  return narrow_float<T> || complex_number<T> ? less_equal{}(a, b) : less{}(a, b);
}

}  // namespace detail

/// The larger one; a NaN wins, the first of two. Which of 0.0 and -0.0 it is follows NumPy on x86.
struct maximum {
  static constexpr const char* name = "maximum";
  template <class A, class B>
  using arguments = common_arguments<A, B>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T a, T b) const noexcept {
    return detail::choose(detail::either(detail::prefers_greater(a, b), isnan{}(a)), a, b);
  }
};

/// The smaller one; otherwise as `maximum`.
struct minimum {
  static constexpr const char* name = "minimum";
  template <class A, class B>
  using arguments = common_arguments<A, B>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T a, T b) const noexcept {
    return detail::choose(detail::either(detail::prefers_less(a, b), isnan{}(a)), a, b);
  }
};

/// The larger one; a NaN loses.
struct fmax {
  static constexpr const char* name = "fmax";
  template <class A, class B>
  using arguments = common_arguments<A, B>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T a, T b) const noexcept {
    return detail::choose(detail::either(detail::prefers_greater(a, b), isnan{}(b)), a, b);
  }
};

/// The smaller one; a NaN loses.
struct fmin {
  static constexpr const char* name = "fmin";
  template <class A, class B>
  using arguments = common_arguments<A, B>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T a, T b) const noexcept {
    return detail::choose(detail::either(detail::prefers_less(a, b), isnan{}(b)), a, b);
  }
};

/// `low` below it, `high` above it; a NaN in any of the three passes, and `high` wins where the bounds cross.
struct clip {
  static constexpr const char* name = "clip";
  template <class A, class Low, class High>
  using arguments = common_arguments<A, Low, High>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T x, T low, T high) const noexcept {
    const T raised = detail::choose(detail::either(keeps_first(low, x), isnan{}(x)), x, low);
    return detail::choose(detail::either(keeps_first(raised, high), isnan{}(raised)), raised, high);
  }

 private:
  /// Unlike `less`, NumPy's clip orders complex numbers whose imaginary parts are NaN.
  template <class T>
  [[gnu::always_inline]] static constexpr bool keeps_first(T smaller, T larger) noexcept {
    if constexpr (complex_number<T>) {
      return (smaller.re < larger.re) | ((smaller.re == larger.re) & (smaller.im < larger.im));
    } else if constexpr (narrow_float<T>) {
      return smaller <= larger;
    } else {
      return smaller < larger;
    }
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
