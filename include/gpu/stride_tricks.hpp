/// @file
/// Views with strides of one's own: as_strided, sliding_window_view. Elements may appear in several places of such a
/// view, so it cannot be written. Nothing is copied but the values of an expression.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "manipulation.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// The memory of an array in another shape, with other strides, in bytes as NumPy counts them. A view of const
/// elements. Unlike NumPy's, it is checked. @throws shape_error unless all of it lies in the array's memory, there are
/// as many strides as extents, and these are multiples of the size of an element
template <array_like A>
[[nodiscard]] view<const value_t<A>> as_strided(A&& x, const gpu::shape& shape, const index_vector& strides) {
  using T = value_t<A>;
  constexpr std::int64_t itemsize = sizeof(T);
  const view<const T> v = engine::as_view(std::forward<A>(x));
  if (shape.rank() != strides.rank()) {
    detail::raise<shape_error>("as_strided: mismatch in length of strides ", strides, " and shape ", shape);
  }
  layout where{shape, strides};
  std::int64_t low = 0;
  std::int64_t high = itemsize;
  bool inside = true;
  for (int i = 0; i < shape.rank() && shape.size() != 0; ++i) {
    if (strides[i] % itemsize != 0) {
      detail::raise<shape_error>("as_strided: strides ", strides, " are not multiples of the element size, ", itemsize);
    }
    where.strides[i] = strides[i] / itemsize;
    std::int64_t reach = 0;
    inside &= !__builtin_mul_overflow(strides[i], shape[i] - 1, &reach);
    std::int64_t& end = reach < 0 ? low : high;
    inside &= !__builtin_add_overflow(end, reach, &end);
  }
  const detail::storage& memory = v.storage();
  const std::int64_t size = memory.owner ? static_cast<std::int64_t>(memory.owner->size()) : 0;
  const std::int64_t begin = memory.owner ? memory.first - static_cast<const char*>(memory.owner->data()) : 0;
  if (shape.size() != 0 && (!inside || low < -begin || high > size - begin)) {
    detail::raise<shape_error>("as_strided: shape ", shape, " with strides ", strides, " reaches outside of the ", size,
                               " bytes of memory of an array of shape ", v.shape());
  }
  return engine::with_layout(v, where);
}

/// Keyword arguments of `sliding_window_view`.
struct sliding_window_options {
  keyword_only _{};
  axes axis = none;  ///< the axis of each window extent; by default one for each axis
};

/// All windows of a shape that fit into the array: their positions come first, the windows' own axes last. A view of
/// const elements. @throws shape_error for a window that is larger than the array, or as many axes as extents.
/// @throws axis_error
template <array_like A>
[[nodiscard]] view<const value_t<A>> sliding_window_view(A&& x, const index_vector& window_shape,
                                                         const sliding_window_options& options = {}) {
  const view<const value_t<A>> v = engine::as_view(std::forward<A>(x));
  index_vector axis = options.axis.list();
  for (const std::int64_t n : window_shape) {
    if (n < 0) detail::raise<shape_error>("`window_shape` cannot contain negative values: ", window_shape);
  }
  if (options.axis.all()) {
    if (window_shape.rank() != v.ndim()) {
      detail::raise<shape_error>("Since axis is `None`, must provide window_shape for all dimensions of `x`; got ",
                                 window_shape.rank(), " window_shape elements and `x.ndim` is ", v.ndim(), ".");
    }
    for (int i = 0; i < v.ndim(); ++i) axis.push_back(i);
  } else if (axis.rank() != window_shape.rank()) {
    detail::raise<shape_error>("Must provide matching length window_shape and axis; got ", window_shape.rank(),
                               " window_shape elements and ", axis.rank(), " axes elements.");
  }
  layout where = v.storage().where;
  index_vector extents = where.extents;
  for (int i = 0; i < axis.rank(); ++i) {
    const int along = normalize_axis(axis[i], v.ndim());
    if (extents[along] < window_shape[i]) {
      detail::raise<shape_error>("window shape cannot be larger than input array shape: window ", window_shape,
                                 ", array ", v.shape());
    }
    extents[along] -= window_shape[i] - 1;
    where.strides.push_back(v.storage().where.strides[along]);
  }
  for (const std::int64_t n : window_shape) extents.push_back(n);
  where.extents = gpu::shape(extents);
  return engine::with_layout(v, where);
}
/// Windows along the only axis, or the one that is given.
template <array_like A, std::integral Size>
[[nodiscard]] view<const value_t<A>> sliding_window_view(A&& x, Size window_shape,
                                                         const sliding_window_options& options = {}) {
  return sliding_window_view(std::forward<A>(x), index_vector{window_shape}, options);
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
