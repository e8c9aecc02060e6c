/// @file
/// NumPy's advanced indexing, resolved on shapes alone: what is selected, in which order of axes.
#pragma once

#include <cstdint>

#include "../core/layout.hpp"
#include "../core/slice.hpp"
#include "index_plan.hpp"

namespace gpu::detail {

/// One entry between the parentheses of `a(...)`, arrays included.
struct index_entry {
  enum class kind : std::uint8_t {
    basic,  ///< an integer, slice, ellipsis or newaxis
    array,  ///< an array of integers of shape `extents`
    flag    ///< a boolean of rank 0: an axis of extent 1 or 0 (`extents`) that belongs to no axis of the array
  };

  kind what = kind::basic;
  index_item item = index_item(ellipsis_t{});
  shape extents;
};

/// An array of integers among the entries: the axis that it moves along.
struct indexed_axis {
  int axis = 0;
  std::int64_t stride = 0;
  std::int64_t extent = 0;
};

/// What the entries select.
struct resolved_index {
  layout base;              ///< the shape of the result; strides of the array, 0 along the axes of the index arrays
  std::int64_t offset = 0;  ///< of its first element
  shape broadcast;          ///< the common shape of the index arrays
  int first = 0;            ///< the axis of the result where `broadcast` begins
  int count = 0;
  indexed_axis axes[max_rank];  ///< of the index arrays, in their order
};

/// The common shape of index arrays. @throws index_error with NumPy's words
constexpr void join_index_shapes(shape& all, const shape& other) {
  if (join_shapes(all, other)) return;
  raise<index_error>("shape mismatch: indexing arrays could not be broadcast together with shapes ", all, " ", other);
}

/// Applies NumPy's rules to an array of layout `l`. Index arrays broadcast together; an integer counts as one. If they
/// are next to each other, their axes take the place of the indexed ones, otherwise they come first.
/// @throws index_error for more indices than axes, an integer out of range, or shapes that do not broadcast
[[nodiscard]] constexpr resolved_index resolve_index(const layout& l, const index_entry* entries, int count) {
  using kind = index_entry::kind;
  int used = 0;
  int ellipses = 0;
  bool advanced = false;
  for (int i = 0; i < count; ++i) {
    const index_entry& e = entries[i];
    advanced |= e.what != kind::basic;
    if (e.what == kind::flag) continue;
    if (e.what == kind::basic && e.item.what == index_item::kind::ellipsis) {
      ++ellipses;
    } else if (e.what == kind::array || e.item.what != index_item::kind::newaxis) {
      ++used;
    }
  }
  if (ellipses > 1) raise<index_error>("an index can only have a single ellipsis");
  if (used > l.rank()) {
    raise<index_error>("too many indices for array: array is ", l.rank(), "-dimensional, but ", used, " were indexed");
  }
  resolved_index r;
  index_vector extents;
  index_vector strides;
  int axis = 0;
  // Whether an index array or integer came, then something else, then one again.
  enum class run : std::uint8_t { before, within, after, separated } state = run::before;
  const auto keep = [&](std::int64_t n, std::int64_t stride) {
    extents.push_back(n);
    strides.push_back(stride);
  };
  for (int i = 0; i < count; ++i) {
    const index_entry& e = entries[i];
    const bool is_index = e.what != kind::basic || e.item.what == index_item::kind::integer;
    if (!is_index) {
      if (state == run::within) state = run::after;
    } else if (state == run::before) {
      r.first = extents.rank();
      state = run::within;
    } else if (state == run::after) {
      r.first = 0;
      state = run::separated;
    }
    if (e.what == kind::flag) {
      join_index_shapes(r.broadcast, e.extents);
      continue;
    }
    if (e.what == kind::array) {
      join_index_shapes(r.broadcast, e.extents);
      r.axes[r.count++] = {axis, l.strides[axis], l.extents[axis]};
      ++axis;
      continue;
    }
    switch (e.item.what) {
      case index_item::kind::ellipsis:
        for (int n = l.rank() - used; n > 0; --n, ++axis) keep(l.extents[axis], l.strides[axis]);
        break;
      case index_item::kind::newaxis: keep(1, 0); break;
      case index_item::kind::integer:
        r.offset += checked_index(e.item.integer, axis, l.extents[axis]) * l.strides[axis];
        ++axis;
        break;
      case index_item::kind::slice: {
        const slice_range range = resolve_slice(e.item.range, l.extents[axis]);
        r.offset += range.first * l.strides[axis];
        keep(range.count, range.count > 1 ? range.step * l.strides[axis] : l.strides[axis]);
        ++axis;
        break;
      }
    }
  }
  for (; axis < l.rank(); ++axis) keep(l.extents[axis], l.strides[axis]);
  if (!advanced) r.first = 0;
  for (int i = 0; i < r.broadcast.rank(); ++i) {
    extents.insert(r.first + i, r.broadcast[i]);
    strides.insert(r.first + i, 0);
  }
  r.base = {shape(extents), strides};
  return r;
}

/// An array of integers as the plan needs it.
struct index_source {
  const char* data = nullptr;
  layout where;
  dtype type = dtype::int64;
};

/// Adds a loop, or enlarges the one before if everything follows on.
constexpr void add_index_loop(index_plan& p, std::int64_t extent, std::int64_t array_stride, std::int64_t value_stride,
                              const std::int64_t* index_strides) {
  if (extent == 1) return;
  p.size *= extent;
  if (const int last = p.rank - 1; last >= 0) {
    bool follows = p.array_strides[last] == extent * array_stride && p.value_strides[last] == extent * value_stride;
    for (int k = 0; k < p.count; ++k) follows &= p.index[k].strides[last] == extent * index_strides[k];
    if (follows) {
      p.extents[last] *= extent;
      p.array_strides[last] = array_stride;
      p.value_strides[last] = value_stride;
      for (int k = 0; k < p.count; ++k) p.index[k].strides[last] = index_strides[k];
      return;
    }
  }
  p.extents[p.rank] = extent;
  p.array_strides[p.rank] = array_stride;
  p.value_strides[p.rank] = value_stride;
  for (int k = 0; k < p.count; ++k) p.index[k].strides[p.rank] = index_strides[k];
  ++p.rank;
}

/// Makes larger elements of neighbouring ones that no index separates: whole rows move in pieces of 16 bytes.
constexpr void widen_elements(index_plan& p) {
  if (!has_dense_rows(p)) return;
  const int last = p.rank - 1;
  while (p.itemsize <= 8 && p.extents[last] % 2 == 0) {
    p.itemsize *= 2;
    p.extents[last] /= 2;
    p.size /= 2;
    p.array_strides[last] = p.value_strides[last] = p.itemsize;
  }
}

/// The plan for elements of `itemsize` bytes of an array that begins at `array`. `values` has the shape of the result.
/// `widens`: elements are only moved, so that neighbours may move as one.
[[nodiscard]] constexpr index_plan make_index_plan(const resolved_index& r, char* array, std::int64_t itemsize,
                                                   const index_source* index, char* values,
                                                   const index_vector& value_strides, index_mode mode, bool widens) {
  index_plan p;
  p.itemsize = itemsize;
  p.mode = mode;
  p.count = r.count;
  p.array = array == nullptr ? nullptr : array + r.offset * itemsize;
  p.values = values;
  std::int64_t strides[max_rank][max_rank] = {};  // of index array k along axis i
  for (int k = 0; k < r.count; ++k) {
    p.index[k].data = index[k].data;
    p.index[k].type = index[k].type;
    p.index[k].step = r.axes[k].stride * itemsize;
    p.index[k].extent = r.axes[k].extent;
    p.index[k].axis = r.axes[k].axis;
    const layout there = broadcast_layout(index[k].where, r.broadcast);
    for (int i = 0; i < r.broadcast.rank(); ++i) {
      strides[r.first + i][k] = there.strides[i] * static_cast<std::int64_t>(gpu::itemsize(index[k].type));
    }
  }
  p.moves = r.base.extents.size() != 0;
  for (int i = 0; i < r.base.rank(); ++i) {
    // Without elements the indices are checked all the same.
    if (!p.moves && (i < r.first || i >= r.first + r.broadcast.rank())) continue;
    add_index_loop(p, r.base.extents[i], r.base.strides[i] * itemsize, value_strides[i] * itemsize, strides[i]);
  }
  if (!p.moves && mode != index_mode::raise) p.size = 0;
  if (p.moves && widens) widen_elements(p);
  return p;
}

}  // namespace gpu::detail
