/// @file
/// How a loop nest is cut into tiles, and the walk over them.
#pragma once

#include <cstdint>

#include "../../engine/plan.hpp"
#include "tiles.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

/// How a nest of two or more loops, or a strided one, is cut into tiles.
struct tiling {
  int row = -1;    ///< the loop that runs over a tile's rows; -1: tiles are single rows
  int column = 0;  ///< the innermost loop
  std::int64_t rows = 1;
  std::int64_t columns = 1;
};

/// The largest element of any operand, which scratch is sized for.
inline std::int64_t widest(const engine::elementwise_plan& plan) noexcept {
  std::int64_t size = plan.out.itemsize;
  for (int k = 0; k < plan.inputs; ++k) size = size > plan.in[k].itemsize ? size : plan.in[k].itemsize;
  return size;
}

/// Tiles of one long row or several short ones, consecutive in C order.
[[gnu::noinline]] inline tiling ordered_tiling(const engine::elementwise_plan& plan) noexcept {
  tiling t;
  t.column = plan.rank - 1;
  const std::int64_t length = plan.extents[t.column];
  t.columns = length < tile_elements ? length : tile_elements;
  if (plan.rank > 1 && length < long_row) {
    t.row = t.column - 1;
    t.rows = tile_elements / length;
    if (t.rows > plan.extents[t.row]) t.rows = plan.extents[t.row];
  }
  return t;
}

/// Tiles that read a transposed operand cache line by cache line, or `ordered_tiling` without one or for large
/// elements.
[[gnu::noinline]] inline tiling choose_tiling(const engine::elementwise_plan& plan) noexcept {
  const int column = plan.rank - 1;
  const std::int64_t length = plan.extents[column];
  for (int k = 0; k < plan.inputs; ++k) {
    const engine::operand& o = plan.in[k];
    for (int i = 0; i < column; ++i) {
      const bool along_row = o.strides[i] == o.itemsize || o.strides[i] == -o.itemsize;
      if (!along_row || plan.extents[i] < 4 || o.strides[column] == 0) continue;
      if (widest(plan) > transposed_row_bytes) break;
      const std::int64_t elements = transposed_tile_bytes / widest(plan);
      tiling t{i, column, 1, elements / (transposed_row_bytes / o.itemsize)};
      if (t.columns > length) t.columns = length;
      t.rows = elements / t.columns;
      if (t.rows > plan.extents[i]) t.rows = plan.extents[i];
      return t;
    }
  }
  return ordered_tiling(plan);
}

/// Visits the tiles of a nest in order, keeping the position of each operand.
class tile_walk {
 public:
  [[gnu::noinline]] tile_walk(const engine::elementwise_plan& plan, const tiling& cut) noexcept
      : plan_(plan), cut_(cut) {
    for (int i = 0; i < plan.rank; ++i) {
      if (i == cut.row || i == cut.column) continue;
      loops_[count_] = i;
      steps_[count_++] = 1;
    }
    if (cut.row >= 0) {
      loops_[count_] = cut.row;
      steps_[count_++] = cut.rows;
    }
    loops_[count_] = cut.column;
    steps_[count_++] = cut.columns;
  }

  [[nodiscard]] std::int64_t tiles() const noexcept {
    std::int64_t n = 1;
    for (int i = 0; i < count_; ++i) n *= (plan_.extents[loops_[i]] + steps_[i] - 1) / steps_[i];
    return n;
  }

  /// Places the walk at tile `index`.
  [[gnu::noinline]] void seek(std::int64_t index) noexcept {
    for (int i = count_ - 1; i >= 0; --i) {
      const std::int64_t n = (plan_.extents[loops_[i]] + steps_[i] - 1) / steps_[i];
      position_[loops_[i]] = index % n * steps_[i];
      index /= n;
    }
  }

  void next() noexcept {
    for (int i = count_ - 1; i >= 0; --i) {
      const int loop = loops_[i];
      position_[loop] += steps_[i];
      if (position_[loop] < plan_.extents[loop]) return;
      position_[loop] = 0;
    }
  }

  /// Places a walk over two loops at a row and a column.
  void move_to(std::int64_t row, std::int64_t column) noexcept {
    position_[cut_.row] = row;
    position_[cut_.column] = column;
  }

  /// The position in C order of the tile's first element.
  [[nodiscard]] std::int64_t flat_index() const noexcept {
    std::int64_t index = 0;
    for (int i = 0; i < plan_.rank; ++i) index = index * plan_.extents[i] + position_[i];
    return index;
  }

  [[nodiscard]] std::int64_t rows() const noexcept {
    return cut_.row < 0 ? 1 : clipped(cut_.rows, plan_.extents[cut_.row] - position_[cut_.row]);
  }
  [[nodiscard]] std::int64_t columns() const noexcept {
    return clipped(cut_.columns, plan_.extents[cut_.column] - position_[cut_.column]);
  }
  [[nodiscard, gnu::noinline]] tile_view view(const engine::operand& o) const noexcept {
    char* data = static_cast<char*>(const_cast<void*>(o.data));
    for (int i = 0; i < plan_.rank; ++i) data += position_[i] * o.strides[i];
    return {data, cut_.row < 0 ? 0 : o.strides[cut_.row], o.strides[cut_.column]};
  }

 private:
  static std::int64_t clipped(std::int64_t size, std::int64_t left) noexcept { return size < left ? size : left; }

  const engine::elementwise_plan& plan_;
  tiling cut_;
  int count_ = 0;
  int loops_[max_rank] = {};
  std::int64_t steps_[max_rank] = {};
  std::int64_t position_[max_rank] = {};
};

}  // namespace host
}  // namespace GPUARRAY_ABI
}  // namespace gpu
