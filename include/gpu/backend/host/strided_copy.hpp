/// @file
/// Copies between strided layouts in host memory, of elements of any size.
#pragma once

#include <cstdint>
#include <cstring>

#include "../../runtime/backend.hpp"

namespace gpu::detail {

/// The loops of a copy with adjacent ones merged, outermost first as the target has its elements in memory.
[[nodiscard, gnu::cold]] inline strided_copy merge_loops(const strided_copy& copy) noexcept {
  const auto magnitude = [](std::int64_t stride) { return stride < 0 ? -stride : stride; };
  strided_copy sorted = copy;
  sorted.rank = 0;
  for (int i = 0; i < copy.rank; ++i) {
    if (copy.extents[i] == 1) continue;
    int at = sorted.rank++;
    for (; at > 0 && magnitude(sorted.dst_strides[at - 1]) < magnitude(copy.dst_strides[i]); --at) {
      sorted.extents[at] = sorted.extents[at - 1];
      sorted.dst_strides[at] = sorted.dst_strides[at - 1];
      sorted.src_strides[at] = sorted.src_strides[at - 1];
    }
    sorted.extents[at] = copy.extents[i];
    sorted.dst_strides[at] = copy.dst_strides[i];
    sorted.src_strides[at] = copy.src_strides[i];
  }
  strided_copy merged = sorted;
  merged.rank = 0;
  for (int i = 0; i < sorted.rank; ++i) {
    const int last = merged.rank - 1;
    if (last >= 0 && merged.dst_strides[last] == sorted.dst_strides[i] * sorted.extents[i] &&
        merged.src_strides[last] == sorted.src_strides[i] * sorted.extents[i]) {
      merged.extents[last] *= sorted.extents[i];
    } else {
      merged.extents[last + 1] = sorted.extents[i];
      ++merged.rank;
    }
    merged.dst_strides[merged.rank - 1] = sorted.dst_strides[i];
    merged.src_strides[merged.rank - 1] = sorted.src_strides[i];
  }
  return merged;
}

/// `count` elements of one row; `Size` is their size, or 0 for one known at run time only.
template <std::size_t Size>
[[gnu::noinline]] void copy_row(char* to, const char* from, std::int64_t count, std::int64_t to_stride,
                                std::int64_t from_stride, std::size_t itemsize) noexcept {
  for (std::int64_t i = 0; i < count; ++i, to += to_stride, from += from_stride) {
    std::memcpy(to, from, Size == 0 ? itemsize : Size);
  }
}

/// Performs the copy in the calling thread.
[[gnu::cold]] inline void copy_strided_on_host(const strided_copy& copy) noexcept {
  for (int i = 0; i < copy.rank; ++i) {
    if (copy.extents[i] == 0) return;
  }
  strided_copy loops = merge_loops(copy);
  const auto itemsize = static_cast<std::int64_t>(copy.itemsize);
  const bool rows_are_contiguous =
      loops.rank > 0 && loops.dst_strides[loops.rank - 1] == itemsize && loops.src_strides[loops.rank - 1] == itemsize;
  if (!rows_are_contiguous && loops.rank >= 2) {
    // The loop along which the source is densest becomes the rows of the tiles.
    int rows = loops.rank - 2;
    for (int i = 0; i < loops.rank - 1; ++i) {
      const auto magnitude = [&](int k) {
        return loops.src_strides[k] < 0 ? -loops.src_strides[k] : loops.src_strides[k];
      };
      if (magnitude(i) != 0 && magnitude(i) < magnitude(rows)) rows = i;
    }
    const auto swap = [rows, other = loops.rank - 2](std::int64_t* values) {
      const std::int64_t kept = values[rows];
      values[rows] = values[other];
      values[other] = kept;
    };
    swap(loops.extents);
    swap(loops.dst_strides);
    swap(loops.src_strides);
  }
  using row_function = void(char*, const char*, std::int64_t, std::int64_t, std::int64_t, std::size_t) noexcept;
  row_function* const copy_one_row = copy.itemsize == 1    ? &copy_row<1>
                                     : copy.itemsize == 2  ? &copy_row<2>
                                     : copy.itemsize == 4  ? &copy_row<4>
                                     : copy.itemsize == 8  ? &copy_row<8>
                                     : copy.itemsize == 16 ? &copy_row<16>
                                                           : &copy_row<0>;
  // The two innermost loops are walked in tiles, which keep both sides in cache when rows of one are columns of the
  // other.
  constexpr std::int64_t tile = 64;
  const int columns = loops.rank - 1;
  const int rows = rows_are_contiguous ? -1 : loops.rank - 2;
  const int outer = rows < 0 ? columns : rows;
  const std::int64_t column_count = columns < 0 ? 1 : loops.extents[columns];
  const std::int64_t columns_at_once = rows < 0 ? column_count : tile;
  const std::int64_t row_count = rows < 0 ? 1 : loops.extents[rows];
  const std::int64_t dst_column = columns < 0 ? 0 : loops.dst_strides[columns];
  const std::int64_t src_column = columns < 0 ? 0 : loops.src_strides[columns];
  const std::int64_t dst_row = rows < 0 ? 0 : loops.dst_strides[rows];
  const std::int64_t src_row = rows < 0 ? 0 : loops.src_strides[rows];
  auto* dst = static_cast<char*>(copy.dst);
  const auto* src = static_cast<const char*>(copy.src);
  std::int64_t index[max_rank] = {};
  for (;;) {
    if (rows_are_contiguous) {
      std::memcpy(dst, src, static_cast<std::size_t>(column_count * itemsize));
    } else {
      for (std::int64_t first_row = 0; first_row < row_count; first_row += tile) {
        const std::int64_t last_row = first_row + tile < row_count ? first_row + tile : row_count;
        for (std::int64_t first = 0; first < column_count; first += columns_at_once) {
          const std::int64_t count = first + columns_at_once < column_count ? columns_at_once : column_count - first;
          for (std::int64_t r = first_row; r < last_row; ++r) {
            copy_one_row(dst + r * dst_row + first * dst_column, src + r * src_row + first * src_column, count,
                         dst_column, src_column, copy.itemsize);
          }
        }
      }
    }
    int axis = outer - 1;
    for (; axis >= 0; --axis) {
      dst += loops.dst_strides[axis];
      src += loops.src_strides[axis];
      if (++index[axis] < loops.extents[axis]) break;
      dst -= loops.dst_strides[axis] * loops.extents[axis];
      src -= loops.src_strides[axis] * loops.extents[axis];
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}

}  // namespace gpu::detail
