/// @file
/// Whether a target may be written while a leaf of the same memory is read.
#pragma once

#include <cstdint>

#include "../runtime/storage.hpp"
#include "make_plan.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

/// Whether a leaf, broadcast to the target's shape, is exactly the target's elements in the same order.
inline bool is_same_elements(const leaf_ref& leaf, const void* target, const layout& where,
                             std::int64_t itemsize) noexcept {
  if (leaf.data != target || leaf.itemsize != itemsize || !(leaf.where->extents == where.extents)) return false;
  for (int i = 0; i < where.rank(); ++i) {
    if (where.extents[i] > 1 && leaf.where->strides[i] != where.strides[i]) return false;
  }
  return true;
}

/// Whether evaluating into the target in place would read elements already overwritten.
inline bool conflicts(const leaf_ref* leaves, int count, const void* target, const layout& where,
                      std::int64_t itemsize) noexcept {
  for (int k = 0; k < count; ++k) {
    if (is_same_elements(leaves[k], target, where, itemsize)) continue;
    if (detail::spans_meet(leaves[k].data, *leaves[k].where, leaves[k].itemsize, target, where, itemsize)) return true;
  }
  return false;
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
