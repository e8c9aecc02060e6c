/// @file
/// Taking elements by index and putting them back: take, take_along_axis, compress, choose, put, scatter_add, ...
///
/// None waits for the device, unless its documentation says so. Indices are integers of any type. One out of range is
/// an `index_error`: at once on the host, before anything is written; on a GPU, of the next call that waits for it.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/keyword.hpp"
#include "engine/along_axis.hpp"
#include "engine/ops/extrema.hpp"
#include "index_arrays.hpp"
#include "joining.hpp"
#include "logic.hpp"
#include "manipulation.hpp"
#include "tiling.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// Keyword arguments of `take`.
struct take_options {
  keyword_only _{};
  optional_value<std::int64_t> axis{};  ///< of the array; by default it is read as one dimension
  index_mode mode = index_mode::raise;
};

namespace engine {

/// An array of integers.
template <class A>
concept integer_array = array_like<A> && integer<value_t<A>>;

/// Something whose elements can be written: an array or a view.
template <class A>
concept writable_array =
    (std::same_as<std::remove_cvref_t<A>, array<value_t<A>>> && !std::is_const_v<std::remove_reference_t<A>>) ||
    std::same_as<std::remove_cvref_t<A>, view<value_t<A>>>;

/// The elements that `indices` name along one axis: `axis` of them in place of that axis.
template <integer_array I>
[[nodiscard]] indexed_elements elements_along(const detail::storage& target, I&& indices, int axis, index_mode mode) {
  indexed_elements e;
  e.target = target;
  e.mode = mode;
  e.arrays.push_back({as_storage(std::forward<I>(indices)), dtype_of<value_t<I>>});
  const detail::storage& data = e.arrays[0].data;
  check_index_device(target, data);
  std::vector<detail::index_entry> entries(static_cast<std::size_t>(axis),
                                           {detail::index_entry::kind::basic, gpu::slice(), {}});
  entries.push_back({detail::index_entry::kind::array, gpu::ellipsis, data.where.extents});
  e.where = detail::resolve_index(target.where, entries.data(), static_cast<int>(entries.size()));
  if (target.where.extents[axis] == 0 && data.where.extents.size() != 0 && mode != index_mode::raise) {
    detail::raise<index_error>("cannot do a non-empty take from an empty axes: axis ", axis, " of shape ",
                               target.where.extents);
  }
  return e;
}

/// As `elements_along`, with an index for each element of the result: `indices` broadcasts with the array but for
/// `axis`.
template <integer_array I>
[[nodiscard]] indexed_elements elements_at(const detail::storage& target, I&& indices, int axis) {
  indexed_elements e;
  e.target = target;
  e.arrays.push_back({as_storage(std::forward<I>(indices)), dtype_of<value_t<I>>});
  const layout& index = e.arrays[0].data.where;
  check_index_device(target, e.arrays[0].data);
  if (index.rank() != target.where.rank()) {
    detail::raise<shape_error>("`indices` and `arr` must have the same number of dimensions: shapes ", index.extents,
                               " and ", target.where.extents);
  }
  index_vector rest = target.where.extents;
  rest[axis] = 1;
  shape all{rest};
  detail::join_index_shapes(all, index.extents);
  e.where.base = broadcast_layout({shape(rest), target.where.strides}, all);
  e.where.base.strides[axis] = 0;
  e.where.broadcast = all;
  e.where.count = 1;
  e.where.axes[0] = {axis, target.where.strides[axis], target.where.extents[axis]};
  return e;
}

/// The elements read as one dimension, where they are if they lie in C order.
[[nodiscard]] inline detail::storage flat_storage(const detail::storage& s, std::int64_t itemsize) {
  detail::storage result = detail::dense(s, itemsize);
  result.where = contiguous_layout(shape{s.where.extents.size()});
  return result;
}

/// Lets `write` change the elements, read as one dimension: in place if they lie in C order, otherwise in a copy.
template <class Write>
void write_flat(const detail::storage& target, std::int64_t itemsize, const Write& write) {
  detail::check_writable(target.where);
  const detail::storage flat = flat_storage(target, itemsize);
  write(flat);
  if (flat.owner == target.owner && is_contiguous(target.where)) return;
  detail::storage back = flat;
  back.where = contiguous_layout(target.where.extents);
  detail::copy_elements(target, back, itemsize);
}

/// `values`, in C order, as often as it takes to make `n`: itself if there is one, or are `n`.
template <class T>
[[nodiscard]] detail::storage repeated_to(const detail::storage& values, std::int64_t n) {
  detail::storage flat = flat_storage(values, sizeof(T));
  const std::int64_t count = flat.where.extents[0];
  if (count == 1 || n == 0) {
    flat.where = contiguous_layout(shape{count == 1 ? 1 : 0});
    return flat;
  }
  if (count >= n) {
    flat.where = contiguous_layout(shape{n});
    return flat;
  }
  return resize(view<const T>(flat), n).storage();
}

}  // namespace engine

/// The elements of `a` at `indices`, along an axis or in the array read as one dimension: a new array, of the shape of
/// `a` with that of `indices` in place of the axis. @throws index_error, axis_error
template <array_like A, engine::integer_array I>
[[nodiscard]] array<value_t<A>> take(const A& a, I&& indices, const take_options& options = {}) {
  using T = value_t<A>;
  const engine::along_axis source(engine::as_storage(a), options.axis, sizeof(T), "take");
  return array<T>(engine::gather(
      engine::elements_along(source.elements, std::forward<I>(indices), source.axis, options.mode), sizeof(T)));
}

/// The same at one index: without that axis.
template <array_like A, integer I>
[[nodiscard]] array<value_t<A>> take(const A& a, I index, const take_options& options = {}) {
  const device_guard there(a.device());
  return take(a, full<std::int64_t>(shape{}, index), options);
}

/// Along `axis`, or (`none`) in the array read as one dimension, an element for each index: `result(i, j) =
/// a(indices(i, j), j)` for axis 0. `indices` has as many dimensions as `a` and broadcasts with it but for that axis.
/// What `argsort` and `argmax` with `keepdims` give fits.
/// @throws shape_error for another number of dimensions; index_error, axis_error
template <array_like A, engine::integer_array I>
[[nodiscard]] array<value_t<A>> take_along_axis(const A& a, I&& indices, const optional_value<std::int64_t>& axis) {
  using T = value_t<A>;
  const engine::along_axis source(engine::as_storage(a), axis, sizeof(T), "take_along_axis");
  return array<T>(
      engine::gather(engine::elements_at(source.elements, std::forward<I>(indices), source.axis), sizeof(T)));
}

/// Writes `values`, which broadcast, to the elements that `take_along_axis` reads. Of several values for one element
/// the last one stays on the host, any of them on a GPU. @throws shape_error, index_error, axis_error
template <class A, engine::integer_array I, operand_like V>
  requires array_like<A> && engine::writable_array<A>
void put_along_axis(A&& a, I&& indices, V&& values, const optional_value<std::int64_t>& axis) {
  using T = value_t<A>;
  const auto write = [&](const detail::storage& target, int along) {
    const engine::indexed_elements e = engine::elements_at(target, std::forward<I>(indices), along);
    engine::scatter(e, engine::values_for<T>(e, std::forward<V>(values)), sizeof(T));
  };
  if (axis) {
    write(a.storage(), normalize_axis(*axis, a.ndim(), "put_along_axis"));
  } else {
    engine::write_flat(a.storage(), sizeof(T), [&](const detail::storage& flat) { write(flat, 0); });
  }
}

/// Keyword arguments of `compress`.
struct compress_options {
  keyword_only _{};
  optional_value<std::int64_t> axis{};  ///< by default the array is read as one dimension
};

/// The slices along an axis where `condition`, of one dimension, is true; it may be shorter than the axis. Waits for
/// the device: the size depends on data. @throws shape_error, index_error, axis_error
template <array_like Condition, array_like A>
[[nodiscard]] array<value_t<A>> compress(const Condition& condition, const A& a, const compress_options& options = {}) {
  if (condition.ndim() != 1) {
    detail::raise<shape_error>("compress: condition must be a 1-d array, but its shape is ", condition.shape());
  }
  return take(a, flatnonzero(condition), {.axis = options.axis});
}

/// The elements of `a` where `condition`, of as many elements, is not 0, in one dimension. Waits for the device.
/// @throws index_error
template <array_like Condition, array_like A>
[[nodiscard]] array<value_t<A>> extract(const Condition& condition, const A& a) {
  return take(a, flatnonzero(condition));
}

/// Keyword arguments of `put`.
struct put_options {
  keyword_only _{};
  index_mode mode = index_mode::raise;
};

/// `a`, read as one dimension, at `indices` becomes `values`, which are repeated if they are fewer.
/// @throws index_error; shape_error for a broadcast view
template <class A, engine::integer_array I, operand_like V>
  requires array_like<A> && engine::writable_array<A>
void put(A&& a, I&& indices, V&& values, const put_options& options = {}) {
  using T = value_t<A>;
  if (indices.size() == 0) return;
  engine::write_flat(a.storage(), sizeof(T), [&](const detail::storage& flat) {
    engine::indexed_elements e = engine::elements_along(flat, std::forward<I>(indices), 0, options.mode);
    const detail::storage given = engine::values_for<T>(e, std::forward<V>(values));
    if (given.where.extents.size() == 0) return;  // NumPy: nothing to put
    detail::storage repeated = engine::repeated_to<T>(given, e.shape().size());
    if (repeated.where.extents[0] != 1) repeated.where = contiguous_layout(e.shape());
    engine::scatter(e, repeated, sizeof(T));
  });
}

/// The elements of `a` where `mask`, of as many elements, is true become `values`, one after the other, repeated if
/// they are fewer. Waits for the device. @throws shape_error for another size, or no values: "Cannot insert from an
/// empty array!"
template <class A, array_like Mask, operand_like V>
  requires array_like<A> && engine::writable_array<A>
void place(A&& a, const Mask& mask, V&& values) {
  if (mask.size() != a.size()) {
    detail::raise<shape_error>("place: mask and data must be the same size: shapes ", mask.shape(), " and ", a.shape());
  }
  const array<std::int64_t> positions = flatnonzero(mask);
  if constexpr (array_like<V>) {
    if (values.size() == 0 && positions.size() != 0) {
      detail::raise<shape_error>("place: Cannot insert from an empty array!");
    }
  }
  put(a, positions, std::forward<V>(values));
}

/// The elements of `a` where `mask`, of as many elements, is true become those of `values` at the same positions of the
/// array read as one dimension; `values` is repeated if it is smaller. Does not wait. @throws shape_error
template <class A, array_like Mask, operand_like V>
  requires array_like<A> && engine::writable_array<A>
void putmask(A&& a, const Mask& mask, V&& values) {
  using T = value_t<A>;
  if (mask.size() != a.size()) {
    detail::raise<shape_error>("putmask: mask and data must be the same size: shapes ", mask.shape(), " and ",
                               a.shape());
  }
  if constexpr (scalar_like<V>) {
    engine::require_same_kind<weak_result_t<T, std::remove_cvref_t<V>>, T>();
  } else {
    engine::require_same_kind<value_t<V>, T>();
  }
  engine::indexed_elements where;
  where.target = a.storage();
  const detail::storage given = engine::values_for<T>(where, std::forward<V>(values));
  if (given.where.extents.size() == 0 || a.size() == 0) return;
  detail::storage repeated = engine::repeated_to<T>(given, a.size());
  if (repeated.where.extents[0] != 1) repeated.where = contiguous_layout(a.shape());
  detail::storage chosen = engine::flat_storage(engine::truth_of(mask), 1);
  chosen.where = contiguous_layout(a.shape());
  if (repeated.where.extents.size() == 1) repeated.where = {};
  const engine::leaf<bool> condition{chosen};
  engine::assign<T>(
      a.storage(), engine::make_node(ops::where{}, condition, engine::leaf<T>{repeated}, engine::leaf<T>{a.storage()}));
}

/// Keyword arguments of `fill_diagonal`.
struct fill_diagonal_options {
  keyword_only _{};
  bool wrap = false;  ///< a tall matrix gets another diagonal below the first one, after a row without
};

/// Writes to the main diagonal of a matrix, or of an array of equal extents, a number or values that are repeated.
/// Does not wait. @throws shape_error below two dimensions, or for unequal extents of more.
template <class A, operand_like V>
  requires array_like<A> && engine::writable_array<A>
void fill_diagonal(A&& a, V&& values, const fill_diagonal_options& options = {}) {
  const shape& extents = a.shape();
  if (a.ndim() < 2) detail::raise<shape_error>("fill_diagonal: array must be at least 2-d, but its shape is ", extents);
  const index_vector strides = contiguous_strides(extents);
  std::int64_t step = 0;
  for (const std::int64_t s : strides) step += s;
  std::int64_t end = a.size();
  if (a.ndim() == 2) {
    step = extents[1] + 1;
    if (!options.wrap && extents[1] < extents[0]) end = extents[1] * extents[1];
  } else {
    for (const std::int64_t n : extents) {
      if (n != extents[0]) {
        detail::raise<shape_error>("fill_diagonal: All dimensions of input must be of equal length: ", extents);
      }
    }
  }
  const device_guard there(a.storage().owner ? a.device() : current_device());
  put(a, arange(std::int64_t{0}, end, step), std::forward<V>(values));
}

/// The element of the first choice whose condition holds, or `default_value`; all broadcast. Does not wait.
/// @throws shape_error unless there are as many conditions as choices, and one at least.
template <class T>
[[nodiscard]] array<T> select(const std::vector<array<bool>>& conditions, const std::vector<array<T>>& choices,
                              const T& default_value = T(0)) {
  if (conditions.size() != choices.size()) {
    detail::raise<shape_error>("select: list of cases must be same length as list of conditions: ", choices.size(),
                               " and ", conditions.size());
  }
  if (conditions.empty()) detail::raise<shape_error>("select with an empty condition list is not possible");
  shape all;
  for (const array<bool>& c : conditions) all = detail::broadcast_pair(all, c.shape(), "select");
  for (const array<T>& c : choices) all = detail::broadcast_pair(all, c.shape(), "select");
  const device_guard there(choices[0].device());
  array<T> result = full<T>(all, default_value);
  for (std::size_t i = conditions.size(); i-- > 0;) result = where(conditions[i], choices[i], result);
  return result;
}

/// Keyword arguments of `choose`.
struct choose_options {
  keyword_only _{};
  index_mode mode = index_mode::raise;
};

/// For each element of `a` the element of `choices[a]`; all broadcast. Does not wait. A negative number is out of
/// range.
/// @throws shape_error if there are no choices; index_error
template <engine::integer_array I, class T>
[[nodiscard]] array<T> choose(const I& a, const std::vector<array<T>>& choices, const choose_options& options = {}) {
  if (choices.empty()) detail::raise<shape_error>("choose: there are no choices");
  shape all = a.shape();
  for (const array<T>& c : choices) all = detail::broadcast_pair(all, c.shape(), "choose");
  std::vector<view<const T>> broadcast;
  broadcast.reserve(choices.size());
  for (const array<T>& c : choices) broadcast.push_back(broadcast_to(c, all));
  const array<T> table = stack(broadcast);
  engine::indexed_elements e;
  e.target = table.storage();
  e.mode = options.mode;
  // Unsigned, so that a negative number does not count from the end.
  if (options.mode == index_mode::raise) {
    e.arrays.push_back(
        {engine::evaluate<std::uint64_t>(engine::apply(ops::astype<std::uint64_t>{}, a)), dtype::uint64});
  } else {
    e.arrays.push_back({engine::as_storage(a), dtype_of<value_t<I>>});
  }
  const layout& one = table.storage().where;
  e.where.base = {all, {}};
  for (int i = 0; i < all.rank(); ++i) e.where.base.strides.push_back(one.strides[i + 1]);
  e.where.broadcast = all;
  e.where.count = 1;
  e.where.axes[0] = {0, one.strides[0], one.extents[0]};
  return array<T>(engine::gather(e, sizeof(T)));
}

namespace engine {

template <class Operation, class T, operand_like V>
void accumulate(const indexed_view<T>& target, V&& values) {
  static_assert(!std::is_const_v<T>, "gpuarray: the elements are const");
  if constexpr (scalar_like<V>) {
    require_same_kind<weak_result_t<T, std::remove_cvref_t<V>>, T>();
  } else {
    require_same_kind<value_t<V>, T>();
  }
  const indexed_elements& e = target.elements();
  scatter_combining<T, Operation>(e, values_for<T>(e, std::forward<V>(values)));
}

}  // namespace engine

/// `scatter_add(a(rows, columns), values)`: adds `values`, which broadcast, to the elements; one that is named more
/// than once gets all of its values, unlike with `+=`. NumPy's `add.at`. On a GPU the order of additions differs from
/// run to run, and so do the last bits of sums of floating numbers. @throws shape_error, device_error, index_error
template <arithmetic T, operand_like V>
void scatter_add(const indexed_view<T>& target, V&& values) {
  engine::accumulate<ops::add>(target, std::forward<V>(values));
}
/// The same with the smaller of element and value; a NaN wins. NumPy's `minimum.at`.
template <arithmetic T, operand_like V>
  requires(!complex_number<T>)
void scatter_min(const indexed_view<T>& target, V&& values) {
  engine::accumulate<ops::minimum>(target, std::forward<V>(values));
}
/// The same with the larger of element and value; a NaN wins. NumPy's `maximum.at`.
template <arithmetic T, operand_like V>
  requires(!complex_number<T>)
void scatter_max(const indexed_view<T>& target, V&& values) {
  engine::accumulate<ops::maximum>(target, std::forward<V>(values));
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
