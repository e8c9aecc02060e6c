/// @file
/// Repeating elements: tile, repeat and resize. Each result is a new array on the device of the argument, written by
/// one kernel; none waits for the device.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "engine/along_axis.hpp"
#include "manipulation.hpp"
#include "runtime/assembly.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

namespace engine {

/// An array whose axis i is the source's `counts[i]` times. The copy has one more axis for each that is repeated, as
/// far as the largest rank allows, and is made as often as the others say.
[[nodiscard]] inline detail::storage repeat_axes(const detail::storage& source, const index_vector& counts,
                                                 std::int64_t itemsize) {
  const layout& from = source.where;
  index_vector extents = from.extents;
  for (int i = 0; i < from.rank(); ++i) {
    if (__builtin_mul_overflow(from.extents[i], counts[i], &extents[i])) {
      detail::raise<shape_error>("array is too big: ", counts[i], " times ", from.extents[i], " elements of axis ", i);
    }
  }
  detail::storage result = detail::make_storage(shape(extents), itemsize, source.device());
  if (result.where.extents.size() == 0) return result;
  index_vector copied;
  index_vector separate(from.rank(), 1);
  layout target;
  layout read;
  int added = 0;
  for (int i = 0; i < from.rank(); ++i) {
    if (counts[i] != 1 && from.rank() + added < max_rank) {
      ++added;
      copied.push_back(counts[i]);
      target.strides.push_back(result.where.strides[i] * from.extents[i]);
      read.strides.push_back(0);
    } else {
      separate[i] = counts[i];
    }
    copied.push_back(from.extents[i]);
    target.strides.push_back(result.where.strides[i]);
    read.strides.push_back(from.strides[i]);
  }
  target.extents = read.extents = shape(copied);
  detail::assembly copies(result, itemsize);
  for (std::int64_t k = shape(separate).size(); k-- > 0;) {
    std::int64_t offset = 0;
    std::int64_t rest = k;
    for (int i = 0; i < from.rank(); rest /= separate[i++]) {
      offset += rest % separate[i] * from.extents[i] * result.where.strides[i];
    }
    copies.add(target, offset, {source.owner, source.first, read});
  }
  copies.run();
  return result;
}

}  // namespace engine

/// The array repeated `reps[i]` times along axis i; `reps` and the shape are filled with leading ones to one length.
/// @throws shape_error for a negative number or a result of more than `max_rank` dimensions
template <array_like A>
[[nodiscard]] array<value_t<A>> tile(const A& a, const index_vector& reps) {
  detail::storage source = engine::as_storage(a);
  index_vector counts = reps;
  while (counts.rank() < source.where.rank()) counts.insert(0, 1);
  index_vector extents = source.where.extents;
  while (extents.rank() < counts.rank()) {
    extents.insert(0, 1);
    source.where.strides.insert(0, 0);
  }
  source.where.extents = shape(extents);
  for (const std::int64_t n : counts) {
    if (n < 0) detail::raise<shape_error>("tile: negative dimensions are not allowed: ", reps);
  }
  return array<value_t<A>>(engine::repeat_axes(source, counts, sizeof(value_t<A>)));
}
/// Repeated along the last axis.
template <array_like A, std::integral Count>
[[nodiscard]] array<value_t<A>> tile(const A& a, Count reps) {
  return tile(a, index_vector{reps});
}

/// Keyword arguments of `repeat`.
struct repeat_options {
  keyword_only _{};
  optional_value<std::int64_t> axis{};  ///< none: of the flattened array
};

/// Each element, or slice along an axis, `repeats` times in a row. @throws shape_error for a negative number.
/// @throws axis_error
template <array_like A, std::integral Count>
[[nodiscard]] array<value_t<A>> repeat(const A& a, Count repeats, const repeat_options& options = {}) {
  constexpr std::int64_t itemsize = sizeof(value_t<A>);
  const auto count = static_cast<std::int64_t>(repeats);
  const engine::along_axis source(engine::as_storage(a), options.axis, itemsize);
  if (count < 0) detail::raise<shape_error>("repeat: negative dimensions are not allowed: ", count, " repeats");
  std::int64_t length = 0;
  if (__builtin_mul_overflow(source.length(), count, &length)) {
    detail::raise<shape_error>("array is too big: ", count, " times ", source.length(), " elements");
  }
  detail::storage result = detail::make_storage(source.resized(length), itemsize, source.elements.device());
  // Of the slices that one element becomes, each is a copy of the whole source.
  detail::assembly copies(result, itemsize);
  const int axis = source.axis;
  const layout& from = source.elements.where;
  layout target = result.where;
  layout read = from;
  target.strides[axis] *= count;
  if (from.rank() < max_rank) {
    index_vector extents = from.extents;
    extents.insert(axis + 1, count);
    target.strides.insert(axis + 1, result.where.strides[axis]);
    read.strides.insert(axis + 1, 0);
    target.extents = read.extents = shape(extents);
    copies.add(target, 0, {source.elements.owner, source.elements.first, read});
  } else {
    target.extents = from.extents;
    for (std::int64_t i = 0; i < count; ++i) copies.add(target, i * result.where.strides[axis], source.elements);
  }
  copies.run();
  return array<value_t<A>>(std::move(result));
}

/// Element i, or slice i along an axis, `repeats[i]` times in a row; a single number counts for all. The numbers are
/// the host's, since the size of the result depends on them: those of an array come from `to_host`.
/// @throws shape_error for negative numbers, or another number of them than elements. @throws axis_error
template <array_like A>
[[nodiscard]] array<value_t<A>> repeat(const A& a, const std::vector<std::int64_t>& repeats,
                                       const repeat_options& options = {}) {
  if (repeats.size() == 1) return repeat(a, repeats[0], options);
  constexpr std::int64_t itemsize = sizeof(value_t<A>);
  const engine::along_axis source(engine::as_storage(a), options.axis, itemsize);
  const int axis = source.axis;
  if (source.length() != static_cast<std::int64_t>(repeats.size())) {
    detail::raise<shape_error>("operands could not be broadcast together with shape ", shape{source.length()}, " ",
                               shape{repeats.size()});
  }
  std::int64_t total = 0;
  for (const std::int64_t n : repeats) {
    if (n < 0) detail::raise<shape_error>("repeats may not contain negative values. One is ", n);
    if (__builtin_add_overflow(total, n, &total)) detail::raise<shape_error>("array is too big: its repeats overflow");
  }
  detail::storage result = detail::make_storage(source.resized(total), itemsize, source.elements.device());
  detail::assembly copies(result, itemsize);
  std::int64_t at = 0;
  const auto n = static_cast<std::int64_t>(repeats.size());
  for (std::int64_t i = 0; i < n;) {
    const std::int64_t count = repeats[static_cast<std::size_t>(i)];
    // Neighbours that are taken once are one part.
    std::int64_t together = 1;
    while (count == 1 && i + together < n && repeats[static_cast<std::size_t>(i + together)] == 1) ++together;
    detail::storage part = engine::range_of(source.elements, axis, i, together, itemsize);
    if (count > 1) part.where = broadcast_layout(part.where, source.resized(count));
    copies.add(engine::range_of(result, axis, at, count * together, itemsize), part);
    at += count * together;
    i += together;
  }
  copies.run();
  return array<value_t<A>>(std::move(result));
}

/// A new array of another shape, filled with the elements in C order, again and again if they are too few; zeros if
/// there are none. @throws shape_error for a negative extent
template <array_like A>
[[nodiscard]] array<value_t<A>> resize(const A& a, const index_vector& new_shape) {
  constexpr std::int64_t itemsize = sizeof(value_t<A>);
  for (const std::int64_t n : new_shape) {
    if (n < 0) detail::raise<shape_error>("all elements of `new_shape` must be non-negative: ", new_shape);
  }
  const shape extents(new_shape);
  const engine::along_axis source(engine::as_storage(a), none, itemsize);
  const std::int64_t n = source.length();
  if (n == 0) return array<value_t<A>>(detail::make_zeros(extents, itemsize, source.elements.device()));
  detail::storage result = detail::make_storage(extents, itemsize, source.elements.device());
  const std::int64_t whole = extents.size() / n;
  detail::assembly copies(result, itemsize);
  copies.add(contiguous_layout(shape{whole, n}), 0, source.elements);
  copies.add(contiguous_layout(shape{extents.size() - whole * n}), whole * n,
             engine::range_of(source.elements, 0, 0, extents.size() - whole * n, itemsize));
  copies.run();
  return array<value_t<A>>(std::move(result));
}
/// Of one dimension.
template <array_like A, std::integral Size>
[[nodiscard]] array<value_t<A>> resize(const A& a, Size new_shape) {
  return resize(a, index_vector{new_shape});
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
