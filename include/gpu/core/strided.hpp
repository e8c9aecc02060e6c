/// @file
/// The erased form of an array: where its elements are, of what type, how many and how far apart.
#pragma once

#include "dtype.hpp"
#include "shape.hpp"

namespace gpu {

/// Elements of type `type` at `data`; `strides` are in bytes, one for each axis, of any sign, 0 for a broadcast axis.
template <class Pointer>
struct basic_strided_ref {
  Pointer data;
  dtype type;
  shape extents;
  index_vector strides;
};

using strided_ref = basic_strided_ref<void*>;
using const_strided_ref = basic_strided_ref<const void*>;

}  // namespace gpu
