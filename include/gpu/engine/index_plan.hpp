/// @file
/// `index_plan`: indexing with arrays of integers, as a backend is asked to do it.
#pragma once

#include <cstdint>

#include "../core/dtype.hpp"
#include "../core/shape.hpp"

namespace gpu {

/// What becomes of an index out of range: an `index_error`, the remainder by the size of the axis, or the nearest index
/// of the axis (then a negative one is 0). NumPy's `mode=`.
enum class index_mode : std::uint8_t { raise, wrap, clip };

namespace detail {

/// The place that an index names on an axis of `n`; -1 if there is none.
[[nodiscard]] constexpr std::int64_t place_of(std::int64_t index, std::int64_t n, index_mode mode) noexcept {
  if (mode == index_mode::clip) return index < 0 ? 0 : index < n ? index : n - 1;
  if (mode == index_mode::wrap) {
    const std::int64_t rest = index % n;
    return rest < 0 ? rest + n : rest;
  }
  const std::int64_t place = index < 0 ? index + n : index;
  return place >= 0 && place < n ? place : -1;
}

/// One array of integers that moves along an axis.
struct index_operand {
  const char* data = nullptr;
  std::int64_t strides[max_rank] = {};  ///< in bytes, of the plan's loops
  std::int64_t step = 0;                ///< bytes from one place of the axis to the next
  std::int64_t extent = 0;              ///< of the axis
  int axis = 0;                         ///< its number, for the error
  dtype type = dtype::int64;
};

/// Elements of `array`, at places that arrays of integers name, and beside them dense or broadcast `values`: to read
/// the former into the latter or to write them. Loops of extent 1 are gone, neighbours that follow on are one.
struct index_plan {
  int rank = 0;
  int count = 0;      ///< of index arrays
  bool moves = true;  ///< false: there are no elements, only indices to be checked
  index_mode mode = index_mode::raise;
  std::int64_t size = 1;
  std::int64_t itemsize = 1;
  std::int64_t extents[max_rank] = {};
  char* array = nullptr;
  std::int64_t array_strides[max_rank] = {};  ///< in bytes, without what the index arrays add
  char* values = nullptr;
  std::int64_t value_strides[max_rank] = {};  ///< in bytes
  index_operand index[max_rank];
};
static_assert(sizeof(index_plan) < 3584, "a plan is the parameter of a kernel, of which there are 4 KiB");

/// Whether no index changes within the last loop, along which the elements lie side by side.
[[nodiscard]] constexpr bool has_dense_rows(const index_plan& p) noexcept {
  const int last = p.rank - 1;
  if (last < 0 || p.array_strides[last] != p.itemsize || p.value_strides[last] != p.itemsize) return false;
  for (int k = 0; k < p.count; ++k) {
    if (p.index[k].strides[last] != 0) return false;
  }
  return true;
}

}  // namespace detail
}  // namespace gpu
