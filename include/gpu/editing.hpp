/// @file
/// Adding and removing elements: delete_, insert, trim_zeros. The results of the first two are new arrays on the device
/// of the argument, written by one kernel; indices come from the host, since the shape depends on them.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "creation.hpp"
#include "engine/along_axis.hpp"
#include "joining.hpp"
#include "reduce.hpp"
#include "runtime/assembly.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// Keyword arguments of `delete_` and `insert`.
struct edit_options {
  keyword_only _{};
  optional_value<std::int64_t> axis{};  ///< none: of the flattened array
};

namespace engine {

/// A copy without the elements at these positions of the axis, which are sorted and differ.
[[nodiscard]] inline detail::storage remove_at(const along_axis& source, const std::vector<std::int64_t>& removed,
                                               std::int64_t itemsize) {
  const std::int64_t n = source.length();
  const int axis = source.axis;
  const auto left = n - static_cast<std::int64_t>(removed.size());
  detail::storage result = detail::make_storage(source.resized(left), itemsize, source.elements.device());
  detail::assembly copies(result, itemsize);
  std::int64_t from = 0;
  std::int64_t to = 0;
  const auto keep_until = [&](std::int64_t end) {
    copies.add(range_of(result, axis, to, end - from, itemsize),
               range_of(source.elements, axis, from, end - from, itemsize));
    to += end - from;
    from = end + 1;
  };
  for (const std::int64_t at : removed) keep_until(at);
  keep_until(n);
  copies.run();
  return result;
}

}  // namespace engine

/// NumPy's `delete`: without the elements, or slices of an axis, at these indices, which may repeat and be negative.
/// @throws index_error for an index out of bounds. @throws axis_error
template <array_like A>
[[nodiscard]] array<value_t<A>> delete_(const A& arr, const std::vector<std::int64_t>& obj,
                                        const edit_options& options = {}) {
  constexpr std::int64_t itemsize = sizeof(value_t<A>);
  const engine::along_axis source(engine::as_storage(arr), options.axis, itemsize);
  std::vector<std::int64_t> removed;
  removed.reserve(obj.size());
  for (const std::int64_t index : obj) {
    removed.push_back(detail::checked_index(index, source.axis, source.length()));
  }
  std::sort(removed.begin(), removed.end());
  removed.erase(std::unique(removed.begin(), removed.end()), removed.end());
  return array<value_t<A>>(engine::remove_at(source, removed, itemsize));
}
/// Without the element at one index.
template <array_like A, std::integral Index>
[[nodiscard]] array<value_t<A>> delete_(const A& arr, Index obj, const edit_options& options = {}) {
  return delete_(arr, std::vector<std::int64_t>{static_cast<std::int64_t>(obj)}, options);
}
/// Without the elements that a slice selects, which may reach beyond the end.
template <array_like A, std::same_as<slice> Slice>  // braces are indices
[[nodiscard]] array<value_t<A>> delete_(const A& arr, const Slice& obj, const edit_options& options = {}) {
  constexpr std::int64_t itemsize = sizeof(value_t<A>);
  const engine::along_axis source(engine::as_storage(arr), options.axis, itemsize);
  const std::int64_t n = source.length();
  detail::slice_range r = detail::resolve_slice(obj, n);
  if (r.count <= 1) r.step = 1;
  if (r.step < 0) r = {r.first + (r.count - 1) * r.step, r.count, -r.step};
  const std::int64_t itself = r.count;
  detail::storage result = detail::make_storage(source.resized(n - itself), itemsize, source.elements.device());
  detail::assembly copies(result, itemsize);
  const int axis = source.axis;
  const auto add = [&](std::int64_t from, std::int64_t to, std::int64_t count) {
    copies.add(engine::range_of(result, axis, to, count, itemsize),
               engine::range_of(source.elements, axis, from, count, itemsize));
  };
  const std::int64_t gap = r.step - 1;  // elements that stay between two that go
  const std::int64_t end = r.count > 0 ? r.first + (r.count - 1) * r.step + 1 : 0;
  if (r.count > 0) add(0, 0, r.first);
  // What stays between the deleted ones is as regular as they are: one strided part.
  if (r.count > 1 && gap > 0) {
    detail::storage from = engine::range_of(source.elements, axis, r.first + 1, 1, itemsize);
    detail::storage to = engine::range_of(result, axis, r.first, 1, itemsize);
    if (from.where.rank() < max_rank) {
      const auto spread = [&](detail::storage& s, std::int64_t step, std::int64_t stride) {
        index_vector extents = s.where.extents;
        extents[axis] = gap;
        extents.insert(axis, r.count - 1);
        s.where.strides.insert(axis, step * stride);
        s.where.extents = shape(extents);
      };
      spread(from, r.step, source.elements.where.strides[axis]);
      spread(to, gap, result.where.strides[axis]);
      copies.add(to, from);
    } else {
      for (std::int64_t i = 0; i + 1 < r.count; ++i) add(r.first + i * r.step + 1, r.first + i * gap, gap);
    }
  }
  add(end, end - itself, n - end);
  copies.run();
  return array<value_t<A>>(std::move(result));
}

namespace engine {

/// `values` as elements of type `T` beside an array. @throws device_error, type_error
template <class T, operand_like V>
[[nodiscard]] detail::storage inserted_values(const V& values, const detail::storage& beside) {
  if constexpr (array_like<V>) {
    require_same_kind<value_t<V>, T>();
    detail::storage s = as_storage_of<T>(values);
    located where = location_of(beside);
    join_location(where, location_of(s), "insert");
    return s;
  } else {
    require_same_kind<weak_result_t<T, V>, T>();
    check_weak<T>(values);
    const device_guard on(beside.device());
    return evaluate<T>(scalar<T>{detail::cast<T>(values), {}});
  }
}

/// `values` read as the shape of what is inserted. @throws shape_error
[[nodiscard]] inline detail::storage broadcast_values(detail::storage values, const shape& extents, bool one_index) {
  if (!gpu::is_assignable(values.where.extents, extents)) {
    if (one_index) {
      detail::raise<shape_error>("could not broadcast input array from shape ", values.where.extents, " into shape ",
                                 extents);
    }
    detail::raise<shape_error>("shape mismatch: value array of shape ", values.where.extents,
                               " could not be broadcast to indexing result of shape ", extents);
  }
  values.where = broadcast_layout(values.where, extents);
  return values;
}

/// A copy with `values`, of the shape of what is added, at positions of the axis of the result, which differ.
[[nodiscard]] inline detail::storage insert_at(const along_axis& source, const std::vector<std::int64_t>& positions,
                                               const detail::storage& values, std::int64_t itemsize) {
  const auto added = static_cast<std::int64_t>(positions.size());
  const std::int64_t total = source.length() + added;
  const int axis = source.axis;
  std::vector<std::int64_t> order(positions.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  const auto position = [&](std::int64_t i) { return positions[static_cast<std::size_t>(i)]; };
  std::sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) { return position(a) < position(b); });
  detail::storage result = detail::make_storage(source.resized(total), itemsize, source.elements.device());
  detail::assembly copies(result, itemsize);
  const auto add = [&](std::int64_t to, const detail::storage& from, std::int64_t first, std::int64_t count) {
    copies.add(range_of(result, axis, to, count, itemsize), range_of(from, axis, first, count, itemsize));
  };
  std::int64_t at = 0;
  std::int64_t kept = 0;
  for (std::size_t k = 0; k < order.size();) {
    // Values that go next to each other in their order are one part.
    std::size_t end = k + 1;
    const auto follows = [&](std::size_t i) {
      return order[i] == order[i - 1] + 1 && position(order[i]) == position(order[i - 1]) + 1;
    };
    while (end < order.size() && follows(end)) ++end;
    const std::int64_t to = position(order[k]);
    add(at, source.elements, kept, to - at);
    kept += to - at;
    add(to, values, order[k], static_cast<std::int64_t>(end - k));
    at = to + static_cast<std::int64_t>(end - k);
    k = end;
  }
  add(at, source.elements, kept, total - at);
  copies.run();
  return result;
}

/// Inserts what is one place wide, or as wide as `values`, before an index.
[[nodiscard]] [[gnu::noinline]] inline detail::storage insert_before(const along_axis& source, std::int64_t index,
                                                                     detail::storage values, bool is_list,
                                                                     std::int64_t itemsize) {
  const int rank = source.elements.where.rank();
  const std::int64_t n = source.length();
  if (index < -n || index > n) {
    detail::raise<index_error>("index ", index, " is out of bounds for axis ", source.axis, " with size ", n);
  }
  layout where = values.where;
  index_vector extents = where.extents;
  while (extents.rank() < rank) {
    extents.insert(0, 1);
    where.strides.insert(0, 0);
  }
  if (!is_list && extents.rank() > 0) {
    // As NumPy: the first axis of the values becomes the axis.
    const std::int64_t extent = extents[0];
    const std::int64_t stride = where.strides[0];
    extents.erase(0);
    extents.insert(source.axis, extent);
    where.strides.erase(0);
    where.strides.insert(source.axis, stride);
  }
  where.extents = shape(extents);
  values.where = where;
  const std::int64_t first = index < 0 ? index + n : index;
  std::vector<std::int64_t> positions(static_cast<std::size_t>(extents[source.axis]));
  for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = first + static_cast<std::int64_t>(i);
  values = broadcast_values(std::move(values), source.resized(extents[source.axis]), true);
  return insert_at(source, positions, values, itemsize);
}

}  // namespace engine

/// `values`, an array or a number that casts to the array's type as same_kind, inserted before an index of an axis. The
/// values are as wide along the axis as their first axis is long. @throws index_error for an index out of bounds.
/// @throws shape_error if the values do not broadcast. @throws axis_error, device_error
template <array_like A, std::integral Index, operand_like V>
[[nodiscard]] array<value_t<A>> insert(const A& arr, Index obj, const V& values, const edit_options& options = {}) {
  using T = value_t<A>;
  const engine::along_axis source(engine::as_storage(arr), options.axis, sizeof(T));
  return array<T>(engine::insert_before(source, static_cast<std::int64_t>(obj),
                                        engine::inserted_values<T>(values, source.elements), false, sizeof(T)));
}
/// Value i inserted before index i of the list, which counts in the array as it was; values broadcast along the list.
template <array_like A, operand_like V>
[[nodiscard]] array<value_t<A>> insert(const A& arr, const std::vector<std::int64_t>& obj, const V& values,
                                       const edit_options& options = {}) {
  using T = value_t<A>;
  const engine::along_axis source(engine::as_storage(arr), options.axis, sizeof(T));
  detail::storage given = engine::inserted_values<T>(values, source.elements);
  if (obj.size() == 1) {
    return array<T>(engine::insert_before(source, obj[0], std::move(given), true, sizeof(T)));
  }
  const std::int64_t n = source.length();
  const auto added = static_cast<std::int64_t>(obj.size());
  std::vector<std::int64_t> order(obj.size());
  std::vector<std::int64_t> positions(obj);
  for (std::size_t i = 0; i < obj.size(); ++i) {
    order[i] = static_cast<std::int64_t>(i);
    if (positions[i] < 0) positions[i] += n;
  }
  const auto position = [&](std::int64_t i) -> std::int64_t& { return positions[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return position(a) < position(b); });
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::int64_t before = position(order[i]);
    position(order[i]) += static_cast<std::int64_t>(i);
    if (before < 0 || before > n) {
      detail::raise<index_error>("index ", position(order[i]), " is out of bounds for axis ", source.axis,
                                 " with size ", n + added);
    }
  }
  given = engine::broadcast_values(std::move(given), source.resized(added), false);
  return array<T>(engine::insert_at(source, positions, given, sizeof(T)));
}

/// Before each index that a slice of the axis selects.
template <array_like A, std::same_as<slice> Slice, operand_like V>
[[nodiscard]] array<value_t<A>> insert(const A& arr, const Slice& obj, const V& values,
                                       const edit_options& options = {}) {
  const shape& extents = arr.shape();
  const std::int64_t n = options.axis ? extents[normalize_axis(*options.axis, extents.rank())] : extents.size();
  const detail::slice_range r = detail::resolve_slice(obj, n);
  std::vector<std::int64_t> selected(static_cast<std::size_t>(r.count));
  for (std::int64_t i = 0; i < r.count; ++i) selected[static_cast<std::size_t>(i)] = r.first + i * r.step;
  return insert(arr, selected, values, options);
}

/// Keyword arguments of `trim_zeros`.
struct trim_zeros_options {
  keyword_only _{};
  std::string_view trim = "fb";         ///< from the front, from the back, or both
  optional_value<std::int64_t> axis{};  ///< one axis alone; by default all
};

/// Without the zeros in front and behind: the smallest part that holds all other elements, as a view; an empty one if
/// there are none. Waits for the device: the shape depends on the elements. @throws shape_error, axis_error
template <array_like A>
[[nodiscard]] auto trim_zeros(A&& filt, const trim_zeros_options& options = {}) {
  const auto is = [&](std::string_view a, std::string_view b) { return options.trim == a || options.trim == b; };
  const bool front = is("f", "F") || is("fb", "FB") || is("bf", "BF");
  const bool back = is("b", "B") || is("fb", "FB") || is("bf", "BF");
  if (!front && !back) {
    detail::raise<shape_error>("unexpected character(s) in `trim`: '", std::string(options.trim), "'");
  }
  auto v = engine::as_view(std::forward<A>(filt));
  const axes trimmed = options.axis ? axes(*options.axis) : axes(none);
  const detail::axis_marks marks(trimmed, v.ndim());
  const int rank = v.ndim();
  if (rank == 0) return v;
  std::vector<std::int64_t> found(static_cast<std::size_t>(2 * rank), 0);
  bool empty = v.size() == 0;
  if (!empty) {
    std::vector<array<std::int64_t>> ends;
    for (int i = 0; i < rank; ++i) {
      index_vector others;
      for (int k = 0; k < rank; ++k) {
        if (k != i) others.push_back(k);
      }
      const array<bool> present = any(v, {.axis = axes(others)});
      ends.push_back(argmax(present));
      ends.push_back(argmax(flip(present)));
      if (i == 0) ends.push_back(count_nonzero(present));
    }
    found = to_host(stack(ends));
    empty = found[2] == 0;
    found.erase(found.begin() + 2);
  }
  layout where = v.storage().where;
  index_vector extents = where.extents;
  std::int64_t offset = 0;
  for (int i = 0; i < rank; ++i) {
    if (!marks.marked[i]) continue;
    const std::int64_t n = extents[i];
    const std::int64_t first = empty || !front ? 0 : found[2 * static_cast<std::size_t>(i)];
    const std::int64_t last = empty ? 0 : back ? n - found[2 * static_cast<std::size_t>(i) + 1] : n;
    extents[i] = last - first;
    offset += first * where.strides[i];
  }
  where.extents = shape(extents);
  return engine::with_layout(v, where, where.extents.size() == 0 ? 0 : offset);
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
