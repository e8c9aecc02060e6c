/// @file
/// The parts of complex numbers. `real` and `imag` of a complex array are views, through which its parts can be
/// written.
#pragma once

#include <utility>

#include "array.hpp"
#include "core/keyword.hpp"
#include "engine/ops/complex_parts.hpp"
#include "manipulation.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

namespace engine {

/// One part of each complex number as a view of real numbers.
template <class T, class View>
[[nodiscard]] auto part_view(const View& v, std::int64_t part) {
  using real = real_t<T>;
  constexpr bool is_const = std::is_same_v<View, view<const T>>;
  layout where = v.storage().where;
  for (int i = 0; i < where.rank(); ++i) where.strides[i] *= 2;
  return view<std::conditional_t<is_const, const real, real>>(
      detail::with_layout(v.storage(), where, part * static_cast<std::int64_t>(sizeof(real))));
}

}  // namespace engine

/// The real part: a view of a complex array, the array itself if it is real.
template <array_like A>
[[nodiscard]] auto real(A&& x) {
  using T = value_t<A>;
  if constexpr (engine::is_expression<std::remove_cvref_t<A>>) {
    return engine::apply(ops::real{}, std::forward<A>(x));
  } else if constexpr (complex_number<T>) {
    return engine::part_view<T>(engine::as_view(std::forward<A>(x)), 0);
  } else {
    return engine::as_view(std::forward<A>(x));
  }
}
/// The imaginary part: a view of a complex array, zeros if it is real.
template <array_like A>
[[nodiscard]] auto imag(A&& x) {
  using T = value_t<A>;
  if constexpr (complex_number<T> && !engine::is_expression<std::remove_cvref_t<A>>) {
    return engine::part_view<T>(engine::as_view(std::forward<A>(x)), 1);
  } else {
    return engine::apply(ops::imag{}, std::forward<A>(x));
  }
}

/// The complex conjugate; real numbers stay.
template <array_like A>
[[nodiscard]] auto conjugate(A&& x) {
  return engine::apply(ops::conjugate{}, std::forward<A>(x));
}

/// The same as `conjugate`.
template <array_like A>
[[nodiscard]] auto conj(A&& x) {
  return engine::apply(ops::conjugate{}, std::forward<A>(x));
}

/// Keyword arguments of `angle`.
struct angle_options {
  keyword_only _{};
  bool deg = false;  ///< degrees instead of radians
};

/// The angle of complex numbers in (-pi, pi]; of real ones 0 or pi.
template <array_like A>
[[nodiscard]] auto angle(A&& z, const angle_options& options = {}) {
  return engine::apply(ops::angle{options.deg}, std::forward<A>(z));
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
