/// @file
/// Shapes and axes: reshape, transpose, broadcast_to, expand_dims, squeeze, flip, diagonal and their kin; copyto. All
/// of them give views where NumPy does; what is taken from an expression is evaluated first.
#pragma once

#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "array.hpp"
#include "core/axes.hpp"
#include "engine/ops/astype.hpp"
#include "engine/ops/logic.hpp"
#include "engine/where_argument.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

namespace engine {

/// The view that functions of this header work on: of the elements themselves for an array or view, const if they are.
template <class A>
[[nodiscard]] auto as_view(A&& a) {
  using T = value_t<A>;
  using plain = std::remove_cvref_t<A>;
  if constexpr (is_computed<plain>) {
    return view<T>(as_storage(a));
  } else if constexpr (std::is_same_v<plain, array<T>>) {
    // A temporary array belongs to nobody else, so its elements may be written through the view.
    constexpr bool is_const = std::is_const_v<std::remove_reference_t<A>>;
    return view<std::conditional_t<is_const, const T, T>>(a.storage());
  } else {
    return plain(a);
  }
}

/// The same elements in another layout, `offset` elements further.
template <class View>
[[nodiscard]] View with_layout(const View& v, const layout& where, std::int64_t offset = 0) {
  return View(detail::with_layout(v.storage(), where, offset * View::itemsize()));
}

}  // namespace engine

/// Keyword arguments of `reshape`, `ravel` and `flatten`. 'C': the last axis runs fastest; 'F': the first one.
struct order_options {
  keyword_only _{};
  gpu::order order = gpu::order::C;
};

/// The elements in another shape; one extent may be -1. A view if the layout allows, otherwise of a copy.
/// @throws shape_error if the number of elements differs.
template <array_like A>
[[nodiscard]] auto reshape(A&& a, const index_vector& shape, const order_options& options = {}) {
  auto v = engine::as_view(std::forward<A>(a));
  const gpu::shape extents = resolve_reshape(v.size(), shape);
  index_vector strides;
  if (reshape_strides(v.storage().where, extents, options.order, strides)) {
    return engine::with_layout(v, {extents, strides});
  }
  detail::storage dense = detail::make_storage(v.shape(), v.itemsize(), v.device());
  dense.where.strides = contiguous_strides(v.shape(), options.order);
  detail::copy_elements(dense, v.storage(), v.itemsize());
  dense.where = contiguous_layout(extents, options.order);
  return decltype(v)(std::move(dense));
}

/// The elements in one dimension: a view if they are contiguous.
template <array_like A>
[[nodiscard]] auto ravel(A&& a, const order_options& options = {}) {
  return reshape(std::forward<A>(a), index_vector{-1}, options);
}

/// The axes reversed, or permuted by `axes`: a view. @throws axis_error, shape_error
template <array_like A>
[[nodiscard]] auto transpose(A&& a, const index_vector& axes = {}) {
  return engine::as_view(std::forward<A>(a)).transpose(axes);
}
/// The same as `transpose`, as the array API names it.
template <array_like A>
[[nodiscard]] auto permute_dims(A&& a, const index_vector& axes) {
  return engine::as_view(std::forward<A>(a)).transpose(axes);
}

/// Two axes exchanged: a view. @throws axis_error
template <array_like A>
[[nodiscard]] auto swapaxes(A&& a, std::int64_t axis1, std::int64_t axis2) {
  auto v = engine::as_view(std::forward<A>(a));
  index_vector permutation(v.ndim(), 0);
  for (int i = 0; i < v.ndim(); ++i) permutation[i] = i;
  const int first = normalize_axis(axis1, v.ndim());
  const int second = normalize_axis(axis2, v.ndim());
  std::swap(permutation[first], permutation[second]);
  return engine::with_layout(v, permute(v.storage().where, permutation));
}
/// The last two axes exchanged: a view. @throws shape_error below two dimensions.
template <array_like A>
[[nodiscard]] auto matrix_transpose(A&& a) {
  if (a.ndim() < 2) {
    detail::raise<shape_error>("matrix_transpose: input array must be at least 2-dimensional, but it is ", a.ndim());
  }
  return swapaxes(std::forward<A>(a), -1, -2);
}

/// Axes `source` moved to positions `destination`: a view. @throws axis_error, shape_error
template <array_like A>
[[nodiscard]] auto moveaxis(A&& a, const axes& source, const axes& destination) {
  auto v = engine::as_view(std::forward<A>(a));
  const index_vector& from = source.list();
  const index_vector& to = destination.list();
  if (from.rank() != to.rank()) {
    detail::raise<shape_error>("`source` and `destination` arguments must have the same number of elements");
  }
  const detail::axis_marks moved(source, v.ndim());
  const detail::axis_marks taken(destination, v.ndim());
  index_vector permutation(v.ndim(), 0);
  for (int i = 0; i < from.rank(); ++i) {
    permutation[normalize_axis(to[i], v.ndim())] = normalize_axis(from[i], v.ndim());
  }
  int next = 0;
  for (int i = 0; i < v.ndim(); ++i) {
    if (taken.marked[i]) continue;
    while (moved.marked[next]) ++next;
    permutation[i] = next++;
  }
  return engine::with_layout(v, permute(v.storage().where, permutation));
}

/// Read as another shape by repeating elements: a view that cannot be written. @throws shape_error
template <array_like A>
[[nodiscard]] auto broadcast_to(A&& a, const gpu::shape& shape) {
  using T = value_t<A>;
  const view<const T> v = engine::as_view(std::forward<A>(a));
  if (!is_broadcastable(v.shape(), shape)) {
    detail::raise<shape_error>("operands could not be broadcast together with remapped shapes [original->remapped]: ",
                               v.shape(), " and requested shape ", shape);
  }
  return engine::with_layout(v, broadcast_layout(v.storage().where, shape));
}

/// New axes of extent 1 at these positions of the result: a view. @throws axis_error, shape_error
template <array_like A>
[[nodiscard]] auto expand_dims(A&& a, const axes& axis) {
  auto v = engine::as_view(std::forward<A>(a));
  const int rank = v.ndim() + axis.list().rank();
  if (rank > max_rank) detail::raise<shape_error>("rank ", rank, " exceeds the largest rank, ", max_rank);
  const detail::axis_marks added(axes(axis.list()), rank);
  layout where;
  index_vector extents;
  for (int i = 0, next = 0; i < rank; ++i) {
    const bool is_new = added.marked[i];
    extents.push_back(is_new ? 1 : v.shape()[next]);
    where.strides.push_back(is_new ? 0 : v.storage().where.strides[next]);
    next += !is_new;
  }
  where.extents = gpu::shape(extents);
  return engine::with_layout(v, where);
}

/// Without axes of extent 1: all of them, or those named. A view. @throws shape_error for an axis of another extent.
template <array_like A>
[[nodiscard]] auto squeeze(A&& a, const axes& axis = none) {
  auto v = engine::as_view(std::forward<A>(a));
  const detail::axis_marks marks(axis, v.ndim());
  layout where;
  index_vector extents;
  for (int i = 0; i < v.ndim(); ++i) {
    const std::int64_t n = v.shape()[i];
    if (marks.marked[i] && n == 1) continue;
    if (marks.marked[i] && !axis.all()) {
      detail::raise<shape_error>("cannot select an axis to squeeze out which has size not equal to one: axis ", i,
                                 " of shape ", v.shape());
    }
    extents.push_back(n);
    where.strides.push_back(v.storage().where.strides[i]);
  }
  where.extents = gpu::shape(extents);
  return engine::with_layout(v, where);
}

/// The order of elements reversed along all axes, or those named: a view. @throws axis_error
template <array_like A>
[[nodiscard]] auto flip(A&& a, const axes& axis = none) {
  auto v = engine::as_view(std::forward<A>(a));
  const detail::axis_marks marks(axis, v.ndim());
  layout where = v.storage().where;
  std::int64_t offset = 0;
  for (int i = 0; i < v.ndim(); ++i) {
    if (!marks.marked[i]) continue;
    if (where.extents[i] > 0) offset += where.strides[i] * (where.extents[i] - 1);
    where.strides[i] = -where.strides[i];
  }
  if (v.size() == 0) offset = 0;
  return engine::with_layout(v, where, offset);
}

/// Keyword arguments of `diagonal`.
struct diagonal_options {
  keyword_only _{};
  std::int64_t offset = 0;
  std::int64_t axis1 = 0;
  std::int64_t axis2 = 1;
};

/// The diagonal of two axes, which becomes the last axis: a view. @throws shape_error, axis_error
template <array_like A>
[[nodiscard]] auto diagonal(A&& a, const diagonal_options& options = {}) {
  auto v = engine::as_view(std::forward<A>(a));
  if (v.ndim() < 2) detail::raise<shape_error>("diag requires an array of at least two dimensions");
  const int first = normalize_axis(options.axis1, v.ndim());
  const int second = normalize_axis(options.axis2, v.ndim());
  if (first == second) detail::raise<shape_error>("axis1 and axis2 cannot be the same");
  const layout& old = v.storage().where;
  const std::int64_t k = detail::nearest_diagonal(options.offset, old.extents[first], old.extents[second]);
  const std::int64_t down = k < 0 ? -k : 0;
  const std::int64_t right = k > 0 ? k : 0;
  const std::int64_t rows = old.extents[first] - down;
  const std::int64_t columns = old.extents[second] - right;
  const std::int64_t length = rows < columns ? rows : columns;
  layout where;
  index_vector extents;
  for (int i = 0; i < v.ndim(); ++i) {
    if (i == first || i == second) continue;
    extents.push_back(old.extents[i]);
    where.strides.push_back(old.strides[i]);
  }
  extents.push_back(length > 0 ? length : 0);
  where.strides.push_back(old.strides[first] + old.strides[second]);
  where.extents = gpu::shape(extents);
  const std::int64_t offset = length > 0 ? down * old.strides[first] + right * old.strides[second] : 0;
  return engine::with_layout(v, where, offset);
}

/// At least one dimension: a view. A single value becomes a vector.
template <array_like A>
[[nodiscard]] auto atleast_1d(A&& a) {
  auto v = engine::as_view(std::forward<A>(a));
  return v.ndim() == 0 ? expand_dims(v, 0) : v;
}
/// At least two dimensions: a view. A vector becomes a row.
template <array_like A>
[[nodiscard]] auto atleast_2d(A&& a) {
  auto v = atleast_1d(std::forward<A>(a));
  return v.ndim() == 1 ? expand_dims(v, 0) : v;
}
/// At least three dimensions: a view. A vector of n elements gets the shape (1,n,1), a matrix a last axis.
template <array_like A>
[[nodiscard]] auto atleast_3d(A&& a) {
  auto v = atleast_2d(std::forward<A>(a));
  return v.ndim() == 2 ? expand_dims(v, -1) : v;
}

namespace engine {

/// The shape that all broadcast to. @throws shape_error with NumPy's words
[[nodiscard]] [[gnu::noinline]] inline shape broadcast_all(const shape* shapes, std::size_t count) {
  shape all;
  for (std::size_t k = 0; k < count; ++k) {
    if (!is_broadcastable(all, shapes[k]) && !is_broadcastable(shapes[k], all)) {
      for (std::size_t j = 0; j < k; ++j) {
        for (int i = 1; i <= shapes[k].rank() && i <= shapes[j].rank(); ++i) {
          const std::int64_t m = shapes[j][shapes[j].rank() - i];
          const std::int64_t n = shapes[k][shapes[k].rank() - i];
          if (m == n || m == 1 || n == 1) continue;
          detail::raise<shape_error>(
              "shape mismatch: objects cannot be broadcast to a single shape. Mismatch is between arg ", j,
              " with shape ", shapes[j], " and arg ", k, " with shape ", shapes[k], ".");
        }
      }
    }
    all = broadcast_shapes(all, shapes[k]);
  }
  return all;
}

}  // namespace engine

/// The arrays read as their common shape: a tuple of views that cannot be written. @throws shape_error
template <array_like... Arrays>
[[nodiscard]] auto broadcast_arrays(Arrays&&... arrays) {
  const shape shapes[] = {shape(), arrays.shape()...};
  const shape all = engine::broadcast_all(shapes + 1, sizeof...(Arrays));
  return std::tuple<view<const value_t<Arrays>>...>{broadcast_to(std::forward<Arrays>(arrays), all)...};
}
/// Those of a range, as a vector. @throws shape_error
template <std::ranges::input_range Range>
  requires array_like<std::ranges::range_value_t<Range>> && (!array_like<Range>)
[[nodiscard]] auto broadcast_arrays(const Range& arrays) {
  std::vector<shape> shapes;
  for (const auto& a : arrays) shapes.push_back(a.shape());
  const shape all = engine::broadcast_all(shapes.data(), shapes.size());
  std::vector<view<const value_t<std::ranges::range_value_t<Range>>>> views;
  for (const auto& a : arrays) views.push_back(broadcast_to(a, all));
  return views;
}

/// Keyword arguments of `copyto`.
struct copyto_options {
  keyword_only _{};
  where_argument where{};  ///< elements where it is false stay as they are
};

/// Writes `src`, an array or a number that casts as same_kind and broadcasts, to the elements of `dst`, an array or a
/// view. Does not wait. @throws shape_error, device_error; type_error for an integer that does not fit
template <class Target, operand_like S>
  requires(engine::is_assignable<std::remove_reference_t<Target>> && !engine::is_computed<std::remove_cvref_t<Target>>)
void copyto(Target&& dst, const S& src, const copyto_options& options = {}) {
  using T = value_t<Target>;
  const detail::storage& target = dst.storage();
  if (!options.where) return engine::assign_operand<T>(target, src);
  const detail::storage& mask = options.where.mask();
  if (!is_broadcastable(mask.where.extents, target.where.extents)) {
    detail::raise<shape_error>("could not broadcast where mask from shape ", mask.where.extents, " into shape ",
                               target.where.extents);
  }
  const auto write = [&](const auto& values) {
    engine::check_assignment(target, values.shape(), values.location());
    engine::assign<T>(target,
                      engine::make_node(ops::where{}, engine::leaf<bool>{mask}, values, engine::leaf<T>{target}));
  };
  if constexpr (array_like<S>) {
    engine::require_same_kind<value_t<S>, T>();
    write(engine::make_node(ops::astype<T>{}, engine::as_node(src)));
  } else {
    engine::require_same_kind<weak_result_t<T, S>, T>();
    write(engine::as_operand<T>(src));
  }
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
