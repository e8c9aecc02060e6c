/// @file
/// Rearranging elements: roll, rot90, fliplr, flipud, rollaxis. `roll` gives a new array, written by one kernel; the
/// others give views, of the values where the argument is an expression. None waits for the device.
#pragma once

#include <concepts>
#include <cstdint>
#include <utility>

#include "engine/along_axis.hpp"
#include "manipulation.hpp"
#include "runtime/assembly.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// Keyword arguments of `roll`.
struct roll_options {
  keyword_only _{};
  axes axis = none;  ///< the axes of the shifts; by default the flattened array is rolled
};

namespace engine {

/// Copies `source` to `target`, of the same shape, with element i of axis k going to i + by[k] modulo the extent: the
/// two pieces into which each axis that moves falls are copied to their places.
inline void add_rolled(detail::assembly& copies, const detail::storage& source, const layout& target,
                       const index_vector& by, std::int64_t itemsize) {
  const layout& from = source.where;
  if (from.extents.size() == 0) return;
  index_vector moving;
  for (int i = 0; i < from.rank(); ++i) {
    if (by[i] != 0) moving.push_back(i);
  }
  for (std::uint32_t wrapped = 0; wrapped < (std::uint32_t{1} << moving.rank()); ++wrapped) {
    index_vector extents = from.extents;
    std::int64_t read = 0;
    std::int64_t written = 0;
    for (int k = 0; k < moving.rank(); ++k) {
      const int i = static_cast<int>(moving[k]);
      const bool wraps = (wrapped >> k & 1U) != 0;
      const std::int64_t stays = from.extents[i] - by[i];
      extents[i] = wraps ? by[i] : stays;
      read += wraps ? stays * from.strides[i] : 0;
      written += wraps ? 0 : by[i] * target.strides[i];
    }
    const shape piece(extents);
    copies.add({piece, target.strides}, written, detail::with_layout(source, {piece, from.strides}, read * itemsize));
  }
}

/// `shift` modulo `extent`, not negative.
[[nodiscard]] inline std::int64_t wrap_shift(std::int64_t shift, std::int64_t extent) noexcept {
  if (extent == 0) return 0;
  const std::int64_t rest = shift % extent;
  return rest < 0 ? rest + extent : rest;
}

/// How far each axis is rolled, less than its extent; the flattened array's only axis if none is named.
/// @throws shape_error, axis_error
[[nodiscard]] [[gnu::noinline]] inline index_vector resolve_shifts(const shape& extents, const index_vector& shift,
                                                                   const axes& axis) {
  const int shifts = shift.rank();
  if (axis.all()) {
    std::int64_t by = 0;
    for (const std::int64_t s : shift) by = wrap_shift(by + wrap_shift(s, extents.size()), extents.size());
    return {by};
  }
  const int named = axis.list().rank();
  const shape given[] = {shape{shifts}, shape{named}};
  const std::int64_t pairs = broadcast_all(given, 2)[0];
  index_vector by(extents.rank(), 0);
  for (int i = 0; i < pairs; ++i) {
    const int along = normalize_axis(axis.list()[named == 1 ? 0 : i], extents.rank());
    const std::int64_t n = extents[along];
    // Both are below the extent, so that their sum does not overflow.
    by[along] = wrap_shift(by[along] + wrap_shift(shift[shifts == 1 ? 0 : i], n), n);
  }
  return by;
}

}  // namespace engine

/// Elements moved along axes by `shift[i]` places; those that leave at the end come in at the front. One shift counts
/// for all axes and one axis for all shifts; shifts of one axis add up. Without axes the flattened array is rolled.
/// @throws shape_error unless there are as many shifts as axes. @throws axis_error
template <array_like A>
[[nodiscard]] array<value_t<A>> roll(const A& a, const index_vector& shift, const roll_options& options = {}) {
  constexpr std::int64_t itemsize = sizeof(value_t<A>);
  detail::storage source = engine::as_storage(a);
  const shape extents = source.where.extents;
  const index_vector by = engine::resolve_shifts(extents, shift, options.axis);
  if (options.axis.all()) source = engine::along_axis(source, none, itemsize).elements;
  detail::storage result = detail::make_storage(extents, itemsize, source.device());
  detail::assembly copies(result, itemsize);
  engine::add_rolled(copies, source, contiguous_layout(source.where.extents), by, itemsize);
  copies.run();
  return array<value_t<A>>(std::move(result));
}
/// One shift.
template <array_like A, std::integral Shift>
[[nodiscard]] array<value_t<A>> roll(const A& a, Shift shift, const roll_options& options = {}) {
  return roll(a, index_vector{shift}, options);
}

/// Keyword arguments of `rot90`.
struct rot90_options {
  keyword_only _{};
  std::int64_t k = 1;       ///< how many times
  index_vector axes{0, 1};  ///< the plane: from the first axis towards the second
};

/// Turned by 90 degrees in the plane of two axes: a view. @throws shape_error unless there are two different axes.
template <array_like A>
[[nodiscard]] auto rot90(A&& m, const rot90_options& options = {}) {
  if (options.axes.rank() != 2) detail::raise<shape_error>("len(axes) must be 2.");
  auto v = engine::as_view(std::forward<A>(m));
  const std::int64_t first = options.axes[0];
  const std::int64_t second = options.axes[1];
  const std::int64_t rank = v.ndim();
  if (first == second || first - second == rank || second - first == rank) {
    detail::raise<shape_error>("Axes must be different.");
  }
  if (first >= rank || first < -rank || second >= rank || second < -rank) {
    detail::raise<shape_error>("Axes=", options.axes, " out of range for array of ndim=", rank, ".");
  }
  switch (engine::wrap_shift(options.k, 4)) {
    case 0: return v;
    case 1: return swapaxes(flip(v, second), first, second);
    case 2: return flip(flip(v, first), second);
    default: return flip(swapaxes(v, first, second), second);
  }
}

/// The columns in reverse order: a view. @throws shape_error below two dimensions.
template <array_like A>
[[nodiscard]] auto fliplr(A&& m) {
  if (m.ndim() < 2) detail::raise<shape_error>("Input must be >= 2-d.");
  return flip(std::forward<A>(m), 1);
}
/// The rows in reverse order: a view. @throws shape_error for rank 0.
template <array_like A>
[[nodiscard]] auto flipud(A&& m) {
  if (m.ndim() < 1) detail::raise<shape_error>("Input must be >= 1-d.");
  return flip(std::forward<A>(m), 0);
}

/// An axis moved before position `start`: a view. `moveaxis` is clearer. @throws axis_error
template <array_like A>
[[nodiscard]] auto rollaxis(A&& a, std::int64_t axis, std::int64_t start = 0) {
  auto v = engine::as_view(std::forward<A>(a));
  const int n = v.ndim();
  const int moved = normalize_axis(axis, n);
  if (start < -n || start > n) {
    detail::raise<axis_error>("'start' arg requires ", -n, " <= start < ", n + 1, ", but ", start, " was passed in");
  }
  std::int64_t before = start < 0 ? start + n : start;
  if (moved < before) --before;
  return moveaxis(v, moved, before);
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
