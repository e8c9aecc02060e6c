/// @file
/// What a strided copy looks like to the driver: one run of bytes, rows of bytes, or neither.
#pragma once

#include <cstdint>

#include "../../core/config.hpp"
#include "../../runtime/backend.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

[[nodiscard]] inline bool is_contiguous(const std::int64_t* strides, const detail::strided_copy& copy) noexcept {
  auto expected = static_cast<std::int64_t>(copy.itemsize);
  for (int i = copy.rank - 1; i >= 0; --i) {
    if (copy.extents[i] != 1 && strides[i] != expected) return false;
    expected *= copy.extents[i];
  }
  return true;
}

inline void set_contiguous(std::int64_t* strides, const detail::strided_copy& copy) noexcept {
  auto stride = static_cast<std::int64_t>(copy.itemsize);
  for (int i = copy.rank - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= copy.extents[i];
  }
}

/// `height` rows of `width` bytes, a pitch apart.
struct rows {
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t dst_pitch = 0;
  std::size_t src_pitch = 0;
};

/// Whether the innermost axes are runs of bytes on both sides and the rest is one axis of rows.
[[nodiscard]] inline bool as_rows(const detail::strided_copy& copy, rows& r) noexcept {
  auto width = static_cast<std::int64_t>(copy.itemsize);
  int axis = copy.rank - 1;
  for (; axis >= 0; --axis) {
    if (copy.extents[axis] == 1) continue;
    if (copy.dst_strides[axis] != width || copy.src_strides[axis] != width) break;
    width *= copy.extents[axis];
  }
  std::int64_t height = 1;
  std::int64_t dst_pitch = width;
  std::int64_t src_pitch = width;
  for (; axis >= 0; --axis) {
    if (copy.extents[axis] == 1) continue;
    if (height == 1) {
      dst_pitch = copy.dst_strides[axis];
      src_pitch = copy.src_strides[axis];
    } else if (copy.dst_strides[axis] != dst_pitch * height || copy.src_strides[axis] != src_pitch * height) {
      return false;
    }
    height *= copy.extents[axis];
  }
  constexpr std::int64_t max_pitch = std::int64_t{1} << 30;  // what every driver takes
  if (dst_pitch < width || src_pitch < width || dst_pitch > max_pitch || src_pitch > max_pitch) return false;
  r = {static_cast<std::size_t>(width), static_cast<std::size_t>(height), static_cast<std::size_t>(dst_pitch),
       static_cast<std::size_t>(src_pitch)};
  return true;
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
