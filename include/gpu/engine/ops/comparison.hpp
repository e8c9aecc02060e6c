/// @file
/// equal, not_equal, less, less_equal, greater, greater_equal, isclose.
#pragma once

#include "arithmetic.hpp"
#include "predicates.hpp"
#include "rules.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {
namespace detail {

template <class A, class B>
inline constexpr bool mixed_signs_64 = integer<A> && integer<B> && !integer<result_type_t<A, B>>;

template <class T, class Other>
using comparison_type =
    std::conditional_t<mixed_signs_64<T, Other>, std::conditional_t<std::is_signed_v<T>, int64, uint64>,
                       result_type_t<T, Other>>;

/// Complex numbers compare by their real parts, then by their imaginary ones; one with a NaN is never less.
template <class T>
[[gnu::always_inline]] constexpr bool lexicographic_less(complex<T> a, complex<T> b, bool parts_less) noexcept {
  return ((a.re < b.re) & (a.im == a.im) & (b.im == b.im)) | ((a.re == b.re) & parts_less);
}

}  // namespace detail

/// Their common type, but int64 with uint64, which compare exactly.
template <class A, class B>
using comparison_arguments = std::enable_if_t<arithmetic<A> && arithmetic<B>,
                                              type_list<detail::comparison_type<A, B>, detail::comparison_type<B, A>>>;

struct equal {
  static constexpr const char* name = "equal";
  template <class A, class B>
  using arguments = comparison_arguments<A, B>;
  template <class A, class B>
  [[nodiscard]] [[gnu::always_inline]] constexpr bool operator()(A a, B b) const noexcept {
    if constexpr (std::same_as<A, B>) {
      return a == b;
    } else {
      return (static_cast<uint64>(a) == static_cast<uint64>(b)) & (static_cast<int64>(a) >= 0) &
             (static_cast<int64>(b) >= 0);
    }
  }
};

struct not_equal {
  static constexpr const char* name = "not_equal";
  template <class A, class B>
  using arguments = comparison_arguments<A, B>;
  template <class A, class B>
  [[nodiscard]] [[gnu::always_inline]] constexpr bool operator()(A a, B b) const noexcept {
    return !equal{}(a, b);
  }
};

struct less {
  static constexpr const char* name = "less";
  template <class A, class B>
  using arguments = comparison_arguments<A, B>;
  template <class A, class B>
  [[nodiscard]] [[gnu::always_inline]] constexpr bool operator()(A a, B b) const noexcept {
    if constexpr (!std::same_as<A, B>) {
      // A negative int64 or a uint64 from 2^63 decides by itself.
      const bool smaller = static_cast<uint64>(a) < static_cast<uint64>(b);
      return std::is_signed_v<A> ? (static_cast<int64>(a) < 0) | smaller : (static_cast<int64>(b) >= 0) & smaller;
    } else if constexpr (complex_number<A>) {
      return detail::lexicographic_less(a, b, a.im < b.im);
    } else {
      return a < b;
    }
  }
};

struct less_equal {
  static constexpr const char* name = "less_equal";
  template <class A, class B>
  using arguments = comparison_arguments<A, B>;
  template <class A, class B>
  [[nodiscard]] [[gnu::always_inline]] constexpr bool operator()(A a, B b) const noexcept {
    if constexpr (!std::same_as<A, B>) {
      return !less{}(b, a);
    } else if constexpr (complex_number<A>) {
      return detail::lexicographic_less(a, b, a.im <= b.im);
    } else {
      return a <= b;
    }
  }
};

struct greater {
  static constexpr const char* name = "greater";
  template <class A, class B>
  using arguments = comparison_arguments<A, B>;
  template <class A, class B>
  [[nodiscard]] [[gnu::always_inline]] constexpr bool operator()(A a, B b) const noexcept {
    return less{}(b, a);
  }
};

struct greater_equal {
  static constexpr const char* name = "greater_equal";
  template <class A, class B>
  using arguments = comparison_arguments<A, B>;
  template <class A, class B>
  [[nodiscard]] [[gnu::always_inline]] constexpr bool operator()(A a, B b) const noexcept {
    return less_equal{}(b, a);
  }
};

/// `abs(a - b) <= atol + rtol * abs(b)`: the tolerance scales with the second argument. Equal infinities are close; NaN
/// is close to NaN if `equal_nan`.
struct isclose {
  static constexpr const char* name = "isclose";
  static constexpr bool uses_vector_math = true;
  double rtol = 1e-5;
  double atol = 1e-8;
  bool equal_nan = false;

  // The second argument is made inexact first, as in NumPy, so that the tolerance is computed in its precision.
  template <class A, class B>
  using arguments = std::enable_if_t<arithmetic<A> && arithmetic<B>,
                                     type_list<result_type_t<A, gpu::detail::inexact_t<B>>, gpu::detail::inexact_t<B>>>;
  template <class A, class B>
  [[nodiscard]] [[gnu::always_inline]] constexpr bool operator()(A a, B b) const noexcept {
    using tolerance_type = real_t<B>;
    const A other = detail::cast<A>(b);
    const auto tolerance = static_cast<tolerance_type>(atol) + static_cast<tolerance_type>(rtol) * absolute{}(b);
    const bool near = absolute{}(subtract{}(a, other)) <= static_cast<real_t<A>>(tolerance);
    const bool close = detail::either(detail::both(near, isfinite{}(b)), a == other);
    return detail::either(close, detail::both(equal_nan, detail::both(isnan{}(a), isnan{}(b))));
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
