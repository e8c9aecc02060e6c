/// @file
/// astype: the conversion of every element, and replacing NaN on the way into a reduction.
#pragma once

#include <limits>

#include "../../core/types.hpp"
#include "../type_list.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {

/// Converts to `To` by the rules of `detail::cast`.
template <class To>
struct astype {
  static constexpr const char* name = "astype";
  template <class From>
  using arguments = type_list<From>;
  template <class From>
  [[nodiscard]] [[gnu::always_inline]] constexpr To operator()(From value) const noexcept {
    return gpu::detail::cast<To>(value);
  }
};

/// A small constant in place of NaN.
template <int Replacement>
struct nan_to {
  static constexpr const char* name = "nan_to";
  template <class T>
  using arguments = type_list<T>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T value) const noexcept {
    if constexpr (complex_number<T>) {
      return ((value.re != value.re) | (value.im != value.im)) ? T(Replacement) : value;
    } else if constexpr (floating<T>) {
      return value != value ? T(Replacement) : value;
    } else {
      return value;
    }
  }
};

/// Infinity in place of NaN, negative if `Negative`; what has no NaN stays as it is.
template <bool Negative>
struct nan_to_infinity {
  static constexpr const char* name = "nan_to_infinity";
  template <class T>
  using arguments = type_list<T>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T value) const noexcept {
    constexpr real_t<T> infinity = std::numeric_limits<real_t<T>>::infinity();
    constexpr T replacement(Negative ? -infinity : infinity);
    if constexpr (complex_number<T>) {
      return (value.re != value.re) | (value.im != value.im) ? replacement : value;
    } else {
      return value != value ? replacement : value;
    }
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
