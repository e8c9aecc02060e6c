/// @file
/// Cutting a loop nest into tiles small enough for the first-level cache, and bringing each operand's tile into
/// unit-stride form: dense operands are used in place, everything else goes through scratch.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>

#include "../../engine/plan.hpp"
#include "gather.hpp"
#include "loop.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

/// The elements of a tile of dense rows: with more, stores past the caches overlap less with the reads of the next
/// tile.
inline constexpr std::int64_t tile_elements = 512;
/// Tiles of transposed operands: each row of theirs fills one cache line, and the tile one half of the first-level
/// cache.
inline constexpr std::int64_t transposed_row_bytes = 64;
inline constexpr std::int64_t transposed_tile_bytes = 16384;
/// Rows at least this long make good tiles by themselves.
inline constexpr std::int64_t long_row = 256;

/// The erased loop of one expression.
struct block_kernel {
  block_function run;
  const void* function;
  bool whole_lanes;  ///< give it multiples of `lane_multiple` elements only
};

/// Memory for `operands` tiles of `elements` elements of `itemsize` bytes.
class scratch {
 public:
  scratch(int operands, std::int64_t elements, std::int64_t itemsize)
      : stride_((elements + lane_multiple) * (itemsize > 0 ? itemsize : 1)),
        memory_(static_cast<char*>(std::malloc(static_cast<std::size_t>(operands * stride_ + 64)))) {
    if (!memory_) throw std::bad_alloc();
  }
  scratch(const scratch&) = delete;
  scratch& operator=(const scratch&) = delete;
  ~scratch() { std::free(memory_); }

  [[nodiscard]] char* tile(int operand) const noexcept {
    const auto aligned = (reinterpret_cast<std::uintptr_t>(memory_) + 63) & ~std::uintptr_t{63};
    return reinterpret_cast<char*>(aligned) + operand * stride_;
  }

 private:
  std::int64_t stride_;
  char* memory_;
};

/// A tile of an operand: where it starts and how far apart its rows and columns are, in bytes.
struct tile_view {
  char* data;
  std::int64_t row;
  std::int64_t column;
};

/// Whether a tile lies in memory as one dense run.
inline bool is_dense(const tile_view& t, std::int64_t rows, std::int64_t columns, std::int64_t itemsize) noexcept {
  return (t.column == itemsize || columns == 1) && (rows == 1 || t.row == columns * itemsize);
}

/// Copies a tile, along the direction in which the strided side is contiguous.
[[gnu::noinline]] inline void copy_tile(const tile_view& to, const tile_view& from, std::int64_t rows,
                                        std::int64_t columns, std::int64_t itemsize, const tile_view& strided) {
  const auto magnitude = [](std::int64_t v) { return v < 0 ? -v : v; };
  if (rows > 1 && magnitude(strided.row) < magnitude(strided.column)) {
    copy_elements(to.data, to.column, to.row, from.data, from.column, from.row, columns, rows, itemsize);
  } else {
    copy_elements(to.data, to.row, to.column, from.data, from.row, from.column, rows, columns, itemsize);
  }
}

/// The input side of a tile: remembers what scratch holds, so that broadcast values are spread once.
class tile_reader {
 public:
  tile_reader() noexcept = default;
  explicit tile_reader(char* memory) noexcept : scratch_(memory) {}

  /// The tile as unit-stride elements: in place if it is dense, otherwise in scratch.
  [[gnu::noinline]] const void* read(const tile_view& t, std::int64_t rows, std::int64_t columns,
                                     std::int64_t itemsize) {
    if (t.column != 0 && is_dense(t, rows, columns, itemsize)) return t.data;
    const bool repeats = t.column == 0 || t.row == 0 || rows == 1;
    if (repeats && held_ == t.data && rows <= rows_ && columns == columns_) return scratch_;
    if (t.column == 0 && (t.row == 0 || rows == 1)) {
      repeat_element(scratch_, t.data, rows * columns, itemsize);
    } else {
      copy_tile({scratch_, columns * itemsize, itemsize}, t, rows, columns, itemsize, t);
    }
    held_ = t.row == 0 || rows == 1 ? t.data : nullptr;
    rows_ = rows;
    columns_ = columns;
    return scratch_;
  }

 private:
  char* scratch_ = nullptr;
  const char* held_ = nullptr;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
};

/// Runs a kernel on `n` unit-stride elements; a ragged end is computed in scratch, padded with the last element.
[[gnu::noinline]] inline void run_block(const block_kernel& kernel, void* out, std::int64_t out_itemsize,
                                        const void* const* in, const engine::operand* operands, int inputs,
                                        std::int64_t n, char* const* tails) {
  const std::int64_t whole = kernel.whole_lanes ? n - n % lane_multiple : n;
  if (whole > 0) kernel.run(kernel.function, out, in, whole);
  if (whole == n) return;
  const void* padded[engine::max_leaves];
  for (int k = 0; k < inputs; ++k) {
    const std::int64_t size = operands[k].itemsize;
    const auto* const from = static_cast<const char*>(in[k]);
    std::memcpy(tails[k], from + whole * size, static_cast<std::size_t>((n - whole) * size));
    repeat_element(tails[k] + (n - whole) * size, from + (n - 1) * size, lane_multiple - (n - whole), size);
    padded[k] = tails[k];
  }
  kernel.run(kernel.function, tails[inputs], padded, lane_multiple);
  std::memcpy(static_cast<char*>(out) + whole * out_itemsize, tails[inputs],
              static_cast<std::size_t>((n - whole) * out_itemsize));
}

}  // namespace host
}  // namespace GPUARRAY_ABI
}  // namespace gpu
