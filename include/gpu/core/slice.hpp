/// @file
/// Basic indexing: `slice`, `ellipsis`, `newaxis` and integers, resolved against a layout.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>

#include "error.hpp"
#include "layout.hpp"

namespace gpu {

/// An absent slice bound, Python's None: `slice(gpu::none, gpu::none, -1)` reverses an axis.
struct none_t {};
inline constexpr none_t none{};

/// The rest of the axes, whole: Python's `...`.
struct ellipsis_t {};
inline constexpr ellipsis_t ellipsis{};

/// Inserts an axis of extent 1.
struct newaxis_t {};
inline constexpr newaxis_t newaxis{};

namespace detail {

/// An index as a signed number; one beyond all arrays stays so.
template <std::integral I>
[[nodiscard]] constexpr std::int64_t as_index(I i) noexcept {
  if constexpr (std::is_unsigned_v<I> && sizeof(I) >= sizeof(std::int64_t)) {
    constexpr auto largest = static_cast<I>(std::numeric_limits<std::int64_t>::max());
    return static_cast<std::int64_t>(i < largest ? i : largest);
  } else {
    return static_cast<std::int64_t>(i);
  }
}

/// The place that an index, which may be negative, names on an axis of `n`. @throws index_error if there is none
[[nodiscard]] constexpr std::int64_t checked_index(std::int64_t index, int axis, std::int64_t n) {
  if (index < -n || index >= n) {
    raise<index_error>("index ", index, " is out of bounds for axis ", axis, " with size ", n);
  }
  return index < 0 ? index + n : index;
}

/// An integer or nothing.
struct slice_bound {
  std::int64_t value = 0;
  bool given = false;

  constexpr slice_bound() noexcept = default;
  constexpr slice_bound(none_t) noexcept {}
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  constexpr slice_bound(I v) noexcept : value(as_index(v)), given(true) {}
};

}  // namespace detail

/// Python's slice: `slice()` is a whole axis, `slice(stop)`, `slice(start, stop)`, `slice(start, stop, step)`.
/// Bounds beyond the axis are clipped, negative ones count from its end; a step of 0 is an `index_error` where it is
/// used.
struct slice {
  detail::slice_bound start;
  detail::slice_bound stop;
  detail::slice_bound step;

  constexpr slice() noexcept = default;
  constexpr explicit slice(detail::slice_bound stop_) noexcept : stop(stop_) {}
  constexpr slice(detail::slice_bound start_, detail::slice_bound stop_, detail::slice_bound step_ = none) noexcept
      : start(start_), stop(stop_), step(step_) {}
};

namespace detail {

/// One entry between the parentheses of `a(...)`.
struct index_item {
  enum class kind : std::uint8_t { integer, slice, ellipsis, newaxis };

  kind what;
  std::int64_t integer = 0;
  gpu::slice range;

  template <std::integral I>
    requires(!std::same_as<I, bool>)
  constexpr index_item(I i) noexcept : what(kind::integer), integer(as_index(i)) {}
  constexpr index_item(const gpu::slice& s) noexcept : what(kind::slice), range(s) {}
  constexpr index_item(ellipsis_t) noexcept : what(kind::ellipsis) {}
  constexpr index_item(newaxis_t) noexcept : what(kind::newaxis) {}
};

/// What a slice selects from an axis: `count` elements from `first`, `step` apart.
struct slice_range {
  std::int64_t first;
  std::int64_t count;
  std::int64_t step;
};

/// CPython's PySlice_AdjustIndices. @throws index_error for a step of 0.
[[nodiscard]] constexpr slice_range resolve_slice(const gpu::slice& s, std::int64_t n) {
  const std::int64_t step = s.step.given ? s.step.value : 1;
  if (step == 0) raise<index_error>("slice step cannot be zero");
  const auto clip = [&](std::int64_t v) {
    if (v < 0) v += n;
    if (v < 0) return step < 0 ? std::int64_t{-1} : std::int64_t{0};
    if (v >= n) return step < 0 ? n - 1 : n;
    return v;
  };
  const std::int64_t first = s.start.given ? clip(s.start.value) : step < 0 ? n - 1 : 0;
  const std::int64_t last = s.stop.given ? clip(s.stop.value) : step < 0 ? -1 : n;
  const std::int64_t distance = step < 0 ? first - last : last - first;
  if (distance <= 0) return {0, 0, step};
  // As unsigned, so that a step of INT64_MIN has a magnitude.
  const auto magnitude = step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  return {first, static_cast<std::int64_t>((static_cast<std::uint64_t>(distance) - 1) / magnitude) + 1, step};
}

/// The layout that the items select from `l`, and the element offset of its first element.
struct selection {
  layout result;
  std::int64_t offset = 0;
};

/// Applies NumPy's basic indexing. @throws index_error for an integer out of range or more indices than axes.
[[nodiscard]] constexpr selection select(const layout& l, const index_item* items, int count) {
  int used = 0;
  int ellipses = 0;
  for (int i = 0; i < count; ++i) {
    const index_item& item = items[i];
    if (item.what == index_item::kind::ellipsis) {
      ++ellipses;
    } else if (item.what != index_item::kind::newaxis) {
      ++used;
    }
  }
  if (ellipses > 1) raise<index_error>("an index can only have a single ellipsis");
  if (used > l.rank()) {
    raise<index_error>("too many indices for array: array is ", l.rank(), "-dimensional, but ", used, " were indexed");
  }
  selection s;
  index_vector extents;
  int axis = 0;
  const auto keep = [&](int axes) {
    for (; axes > 0; --axes, ++axis) {
      extents.push_back(l.extents[axis]);
      s.result.strides.push_back(l.strides[axis]);
    }
  };
  for (int i = 0; i < count; ++i) {
    const index_item& item = items[i];
    switch (item.what) {
      case index_item::kind::ellipsis: keep(l.rank() - used); break;
      case index_item::kind::newaxis:
        extents.push_back(1);
        s.result.strides.push_back(0);
        break;
      case index_item::kind::integer:
        s.offset += checked_index(item.integer, axis, l.extents[axis]) * l.strides[axis];
        ++axis;
        break;
      case index_item::kind::slice: {
        const slice_range r = resolve_slice(item.range, l.extents[axis]);
        s.offset += r.first * l.strides[axis];
        extents.push_back(r.count);
        s.result.strides.push_back(r.count > 1 ? r.step * l.strides[axis] : l.strides[axis]);
        ++axis;
        break;
      }
    }
  }
  keep(l.rank() - axis);
  s.result.extents = shape(extents);
  return s;
}

}  // namespace detail
}  // namespace gpu
