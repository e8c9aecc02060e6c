/// @file
/// Parts along one axis: what functions with NumPy's `axis=None` work on, and ranges of indices.
#pragma once

#include <cstdint>
#include <utility>

#include "../core/keyword.hpp"
#include "../runtime/storage.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

/// Whether the elements can be read in one dimension; fills the stride if so.
[[nodiscard]] [[gnu::noinline]] inline bool is_flat(const layout& l, const shape& flat,
                                                    index_vector& strides) noexcept {
  return reshape_strides(l, flat, order::C, strides);
}

/// The array as `repeat`, `delete_`, `insert` and `take` see it: of one dimension if no axis is given; and the axis.
struct along_axis {
  detail::storage elements;
  int axis = 0;

  along_axis(const detail::storage& a, const optional_value<std::int64_t>& given, std::int64_t itemsize,
             const char* operation = "")
      : elements(a) {
    if (given) {
      axis = normalize_axis(*given, a.where.rank(), operation);
      return;
    }
    const shape flat{a.where.extents.size()};
    index_vector strides;
    if (!is_flat(a.where, flat, strides)) {
      elements = detail::clone_in_c_order(a, itemsize);
      strides = index_vector{1};
    }
    elements.where = {flat, strides};
  }

  [[nodiscard]] std::int64_t length() const noexcept { return elements.where.extents[axis]; }
  /// The shape with another extent of the axis.
  [[nodiscard]] shape resized(std::int64_t n) const {
    index_vector extents = elements.where.extents;
    extents[axis] = n;
    return shape(extents);
  }
};

/// Elements `first`, `first + step`, ..., `n` of them, of an axis.
[[nodiscard]] inline detail::storage range_of(const detail::storage& s, int axis, std::int64_t first, std::int64_t n,
                                              std::int64_t itemsize, std::int64_t step = 1) {
  layout where = s.where;
  index_vector extents = where.extents;
  extents[axis] = n;
  where.extents = shape(extents);
  const std::int64_t offset = n > 0 ? first * where.strides[axis] * itemsize : 0;
  if (n > 1) where.strides[axis] *= step;
  return detail::with_layout(s, where, offset);
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
