/// @file
/// isfinite, isinf, isnan, isneginf, isposinf, iscomplex, isreal: questions about one value.
#pragma once

#include <limits>

#include "rules.hpp"
#include "vector_math.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {

/// False for complex numbers with an infinite or NaN part.
struct isfinite : detail::widened<isfinite> {
  static constexpr const char* name = "isfinite";
  template <class A>
  using arguments = own_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr bool compute(T x) noexcept {
    if constexpr (std::integral<T>) {
      return true;
    } else if constexpr (complex_number<T>) {
      return detail::both(compute(x.re), compute(x.im));
    } else {
      return math::fabs(x) < std::numeric_limits<T>::infinity();
    }
  }
};

/// True for complex numbers with an infinite part.
struct isinf : detail::widened<isinf> {
  static constexpr const char* name = "isinf";
  template <class A>
  using arguments = own_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr bool compute(T x) noexcept {
    if constexpr (std::integral<T>) {
      return false;
    } else if constexpr (complex_number<T>) {
      return detail::either(compute(x.re), compute(x.im));
    } else {
      return math::fabs(x) == std::numeric_limits<T>::infinity();
    }
  }
};

/// True for complex numbers with a NaN part.
struct isnan : detail::widened<isnan> {
  static constexpr const char* name = "isnan";
  template <class A>
  using arguments = own_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr bool compute(T x) noexcept {
    if constexpr (std::integral<T>) {
      return false;
    } else if constexpr (complex_number<T>) {
      return detail::either(compute(x.re), compute(x.im));
    } else {
      return x != x;
    }
  }
};

struct isneginf : detail::widened<isneginf> {
  static constexpr const char* name = "isneginf";
  template <class A>
  using arguments = std::enable_if_t<real_number<A>, type_list<A>>;
  template <class T>
  [[gnu::always_inline]] static constexpr bool compute(T x) noexcept {
    if constexpr (std::integral<T>) {
      return false;
    } else {
      return x == -std::numeric_limits<T>::infinity();
    }
  }
};

struct isposinf : detail::widened<isposinf> {
  static constexpr const char* name = "isposinf";
  template <class A>
  using arguments = std::enable_if_t<real_number<A>, type_list<A>>;
  template <class T>
  [[gnu::always_inline]] static constexpr bool compute(T x) noexcept {
    if constexpr (std::integral<T>) {
      return false;
    } else {
      return x == std::numeric_limits<T>::infinity();
    }
  }
};

/// True where the imaginary part is not 0.
struct iscomplex {
  static constexpr const char* name = "iscomplex";
  template <class A>
  using arguments = own_arguments<A>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr bool operator()(T x) const noexcept {
    if constexpr (complex_number<T>) {
      return x.im != 0;
    } else {
      return false;
    }
  }
};

/// True where the imaginary part is 0.
struct isreal {
  static constexpr const char* name = "isreal";
  template <class A>
  using arguments = own_arguments<A>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr bool operator()(T x) const noexcept {
    return !iscomplex{}(x);
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
