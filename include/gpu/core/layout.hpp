/// @file
/// `layout`: extents and element strides, and what follows from them: contiguity, broadcasting, reshaping, overlap.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <utility>

#include "error.hpp"
#include "shape.hpp"

namespace gpu {

/// Memory order, NumPy's `order=`: 'C' is row-major, 'F' column-major.
enum class order : char { C = 'C', F = 'F' };

/// Where the elements of an array lie relative to its first one. Strides count elements and may be 0 or negative.
struct layout {
  shape extents;
  index_vector strides;

  [[nodiscard]] constexpr int rank() const noexcept { return extents.rank(); }
};

/// The strides of a dense array.
[[nodiscard]] constexpr index_vector contiguous_strides(const shape& extents, order o = order::C) noexcept {
  index_vector strides(extents.rank(), 1);
  std::int64_t step = 1;
  for (int i = 0; i < extents.rank(); ++i) {
    const int axis = o == order::C ? extents.rank() - 1 - i : i;
    strides[axis] = step;
    if (extents[axis] > 0) step *= extents[axis];
  }
  return strides;
}

[[nodiscard]] constexpr layout contiguous_layout(const shape& extents, order o = order::C) noexcept {
  return {extents, contiguous_strides(extents, o)};
}

/// Whether the elements are dense in the given order. Axes of extent 1 do not count; an empty array is contiguous.
[[nodiscard]] constexpr bool is_contiguous(const layout& l, order o = order::C) noexcept {
  std::int64_t step = 1;
  bool dense = true;
  for (int i = 0; i < l.rank(); ++i) {
    const int axis = o == order::C ? l.rank() - 1 - i : i;
    const std::int64_t n = l.extents[axis];
    if (n == 0) return true;
    if (n > 1 && l.strides[axis] != step) dense = false;
    step *= n;
  }
  return dense;
}

/// Whether some element is reached by more than one index because an axis has stride 0.
[[nodiscard]] constexpr bool is_broadcast(const layout& l) noexcept {
  if (l.extents.size() == 0) return false;
  for (int i = 0; i < l.rank(); ++i) {
    if (l.extents[i] > 1 && l.strides[i] == 0) return true;
  }
  return false;
}

/// The lowest and highest element offset that the layout reaches; {0, -1} when it is empty.
[[nodiscard]] constexpr std::pair<std::int64_t, std::int64_t> offset_range(const layout& l) noexcept {
  std::int64_t low = 0;
  std::int64_t high = 0;
  for (int i = 0; i < l.rank(); ++i) {
    if (l.extents[i] == 0) return {0, -1};
    const std::int64_t reach = l.strides[i] * (l.extents[i] - 1);
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

/// The strides of a dense copy whose axes lie in the same order as those of `l` (NumPy's order='K').
[[nodiscard]] constexpr index_vector keep_order_strides(const layout& l) noexcept {
  int axes[max_rank] = {};
  const auto span = [&](int axis) { return l.strides[axis] < 0 ? -l.strides[axis] : l.strides[axis]; };
  for (int i = 0; i < l.rank(); ++i) {
    int j = i;
    for (; j > 0 && span(axes[j - 1]) < span(i); --j) axes[j] = axes[j - 1];
    axes[j] = i;
  }
  index_vector strides(l.rank(), 1);
  std::int64_t step = 1;
  for (int i = l.rank() - 1; i >= 0; --i) {
    strides[axes[i]] = step;
    if (l.extents[axes[i]] > 0) step *= l.extents[axes[i]];
  }
  return strides;
}

namespace detail {
/// The diagonal `k` of a matrix; for one outside of it the nearest that holds no element.
[[nodiscard]] constexpr std::int64_t nearest_diagonal(std::int64_t k, std::int64_t rows,
                                                      std::int64_t columns) noexcept {
  return k < -rows ? -rows : k > columns ? columns : k;
}

/// Makes `all` the common shape of both, if there is one; otherwise it stays as it is, and the result is false.
[[nodiscard]] constexpr bool join_shapes(shape& all, const shape& other) {
  if (all == other) return true;
  const int rank = all.rank() > other.rank() ? all.rank() : other.rank();
  index_vector result(rank, 1);
  for (int i = 1; i <= rank; ++i) {
    const std::int64_t m = i <= all.rank() ? all[all.rank() - i] : 1;
    const std::int64_t n = i <= other.rank() ? other[other.rank() - i] : 1;
    if (m != n && m != 1 && n != 1) return false;
    result[rank - i] = m == 1 ? n : m;
  }
  all = shape(result);
  return true;
}

/// The common shape of two operands; an error begins with the name of the operation, if there is one.
[[nodiscard]] constexpr shape broadcast_pair(const shape& a, const shape& b, const char* operation = "") {
  shape all = a;
  if (!join_shapes(all, b)) {
    raise<shape_error>(operation, *operation != '\0' ? ": " : "",
                       "operands could not be broadcast together with shapes ", a, " ", b);
  }
  return all;
}
}  // namespace detail

/// The common shape of the operands under NumPy's broadcasting.
/// @throws shape_error "operands could not be broadcast together with shapes (3,4) (5,)".
[[nodiscard]] constexpr shape broadcast_shapes(const shape& a, const shape& b) { return detail::broadcast_pair(a, b); }

template <class... Shapes>
[[nodiscard]] constexpr shape broadcast_shapes(const shape& a, const shape& b, const Shapes&... more) {
  return broadcast_shapes(broadcast_shapes(a, b), more...);
}

/// Whether an array of shape `from` can be read as one of shape `to`.
[[nodiscard]] constexpr bool is_broadcastable(const shape& from, const shape& to) noexcept {
  if (from.rank() > to.rank()) return false;
  for (int i = 1; i <= from.rank(); ++i) {
    const std::int64_t n = from[from.rank() - i];
    if (n != 1 && n != to[to.rank() - i]) return false;
  }
  return true;
}

/// Whether an array of shape `from` can be assigned to one of shape `to`: NumPy drops leading extents of 1 if need be.
[[nodiscard]] constexpr bool is_assignable(const shape& from, const shape& to) noexcept {
  for (int i = 1; i <= from.rank(); ++i) {
    const std::int64_t n = from[from.rank() - i];
    if (n != 1 && (i > to.rank() || n != to[to.rank() - i])) return false;
  }
  return true;
}

/// The layout read as shape `to`: new axes and stretched ones get stride 0. `is_assignable` must hold.
[[nodiscard]] constexpr layout broadcast_layout(const layout& l, const shape& to) noexcept {
  index_vector strides(to.rank(), 0);
  for (int i = 1; i <= l.rank(); ++i) {
    if (l.extents[l.rank() - i] != 1) strides[to.rank() - i] = l.strides[l.rank() - i];
  }
  return {to, strides};
}

/// A requested shape with at most one -1 replaced by what fits `size` elements.
/// @throws shape_error if the sizes differ or there is more than one -1.
[[nodiscard]] constexpr shape resolve_reshape(std::int64_t size, const index_vector& requested) {
  index_vector result = requested;
  int unknown = -1;
  std::int64_t known = 1;
  for (int i = 0; i < requested.rank(); ++i) {
    if (requested[i] == -1) {
      if (unknown >= 0) detail::raise<shape_error>("can only specify one unknown dimension: ", requested);
      unknown = i;
    } else if (requested[i] < 0 || __builtin_mul_overflow(known, requested[i], &known)) {
      detail::raise<shape_error>("cannot reshape array of size ", size, " into shape ", requested);
    }
  }
  if (unknown >= 0 && known != 0 && size % known == 0) {
    result[unknown] = size / known;
    known = size;
  }
  if (known != size || (unknown >= 0 && result[unknown] < 0)) {
    detail::raise<shape_error>("cannot reshape array of size ", size, " into shape ", requested);
  }
  return shape(result);
}

/// Whether `l` can be read as shape `to` (of the same size) without moving an element; fills `strides` if so.
/// The rule is NumPy's: groups of old axes that multiply to groups of new ones must be mergeable.
[[nodiscard]] constexpr bool reshape_strides(const layout& l, const shape& to, order o,
                                             index_vector& strides) noexcept {
  if (l.extents.size() == 0) {
    strides = contiguous_strides(to, o);
    return true;
  }
  index_vector old_extents;
  index_vector old_strides;
  for (int i = 0; i < l.rank(); ++i) {
    if (l.extents[i] == 1) continue;
    old_extents.push_back(l.extents[i]);
    old_strides.push_back(l.strides[i]);
  }
  strides = index_vector(to.rank(), 0);
  int i = 0;
  int j = 0;
  while (i < old_extents.rank() && j < to.rank()) {
    const int i0 = i;
    const int j0 = j;
    std::int64_t m = old_extents[i++];
    std::int64_t n = to[j++];
    while (m != n) {
      if (m < n) {
        m *= old_extents[i++];
      } else {
        n *= to[j++];
      }
    }
    for (int k = i0; k + 1 < i; ++k) {
      const bool mergeable = o == order::C ? old_strides[k] == old_extents[k + 1] * old_strides[k + 1]
                                           : old_strides[k + 1] == old_extents[k] * old_strides[k];
      if (!mergeable) return false;
    }
    if (o == order::C) {
      std::int64_t step = old_strides[i - 1];
      for (int k = j - 1; k >= j0; --k) {
        strides[k] = step;
        step *= to[k];
      }
    } else {
      std::int64_t step = old_strides[i0];
      for (int k = j0; k < j; ++k) {
        strides[k] = step;
        step *= to[k];
      }
    }
  }
  // What is left has extent 1; NumPy gives it the stride of a dense axis.
  const std::int64_t last = j > 0 && o == order::F ? strides[j - 1] * to[j - 1] : 1;
  for (; j < to.rank(); ++j) strides[j] = last;
  return true;
}

/// `axes` as a permutation of 0..rank-1; empty means reversed. @throws shape_error or axis_error as NumPy's transpose.
[[nodiscard]] constexpr index_vector resolve_permutation(const index_vector& axes, int rank) {
  index_vector result(rank, 0);
  if (axes.empty()) {
    for (int i = 0; i < rank; ++i) result[i] = rank - 1 - i;
    return result;
  }
  if (axes.rank() != rank) detail::raise<shape_error>("axes don't match array: axes ", axes, ", dimension ", rank);
  bool seen[max_rank] = {};
  for (int i = 0; i < rank; ++i) {
    const int axis = normalize_axis(axes[i], rank);
    if (seen[axis]) detail::raise<shape_error>("repeated axis in transpose: ", axes);
    seen[axis] = true;
    result[i] = axis;
  }
  return result;
}

[[nodiscard]] constexpr layout permute(const layout& l, const index_vector& permutation) noexcept {
  index_vector extents(l.rank(), 0);
  index_vector strides(l.rank(), 0);
  for (int i = 0; i < l.rank(); ++i) {
    extents[i] = l.extents[static_cast<int>(permutation[i])];
    strides[i] = l.strides[static_cast<int>(permutation[i])];
  }
  return {shape(extents), strides};
}

}  // namespace gpu
