/// @file
/// The library's own matrix product on the host: packed panels, blocked for the caches, for every type and any strides.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "../../core/types.hpp"
#include "lane_kernels.hpp"
#include "threads.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

/// One matrix product, `out = left @ right`, m x k by k x n; strides count elements.
struct gemm_task {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  std::int64_t left_row = 0;
  std::int64_t left_column = 0;
  std::int64_t right_row = 0;
  std::int64_t right_column = 0;
  std::int64_t out_row = 0;
  std::int64_t out_column = 0;
};

/// Uninitialised working memory on cache lines of its own.
template <class T>
class working_memory {
 public:
  explicit working_memory(std::int64_t size)
      : data_(static_cast<T*>(::operator new(static_cast<std::size_t>(size) * sizeof(T), alignment))) {}
  [[nodiscard]] T* data() const noexcept { return data_.get(); }

 private:
  static constexpr std::align_val_t alignment{64};
  struct free {
    void operator()(T* p) const noexcept { ::operator delete(p, alignment); }
  };
  std::unique_ptr<T, free> data_;
};

/// The number of this thread within the innermost parallel region.
inline std::int64_t thread_index() noexcept {
#if defined(_OPENMP)
  return omp_get_thread_num();
#else
  return 0;
#endif
}

/// A complex product is a real one of twice the rows and twice the sum: [re -im; im re] times [re; im].
template <class T>
inline constexpr int lane_parts = complex_number<T> ? 2 : 1;

template <class T>
[[gnu::always_inline]] inline lane<T> to_lane(const T& value) noexcept {
  return static_cast<lane<T>>(value);
}

/// Packs `rows` x `k` elements as one panel of `height` lane rows, column by column; rows that are missing are 0.
template <class T>
void pack_left(const T* from, std::int64_t row, std::int64_t column, std::int64_t rows, std::int64_t k, int height,
               lane<T>* to) noexcept {
  constexpr int parts = lane_parts<T>;
  const std::int64_t all_rows = height / parts;
  const auto put = [&](std::int64_t i, std::int64_t p) {
    const T value = from[i * row + p * column];
    if constexpr (complex_number<T>) {
      lane<T>* const at = to + 2 * p * height + 2 * i;
      at[0] = value.re;
      at[1] = value.im;
      at[height] = -value.im;
      at[height + 1] = value.re;
    } else {
      to[p * height + i] = to_lane(value);
    }
  };
  if (rows < all_rows) std::fill_n(to, height * k * parts, lane<T>{});
  if (column == 1) {
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t p = 0; p < k; ++p) put(i, p);
    }
  } else {
    for (std::int64_t p = 0; p < k; ++p) {
      for (std::int64_t i = 0; i < rows; ++i) put(i, p);
    }
  }
}

/// Packs `k` x `columns` elements as one panel of `width` lane columns, row by row; missing columns are 0.
template <class T>
void pack_right(const T* from, std::int64_t row, std::int64_t column, std::int64_t k, std::int64_t columns, int width,
                lane<T>* to) noexcept {
  constexpr int parts = lane_parts<T>;
  const auto put = [&](std::int64_t p, std::int64_t j) {
    const T value = from[p * row + j * column];
    if constexpr (complex_number<T>) {
      to[2 * p * width + j] = value.re;
      to[(2 * p + 1) * width + j] = value.im;
    } else {
      to[p * width + j] = to_lane(value);
    }
  };
  if (columns < width) std::fill_n(to, width * k * parts, lane<T>{});
  if (row == 1) {
    for (std::int64_t j = 0; j < columns; ++j) {
      for (std::int64_t p = 0; p < k; ++p) put(p, j);
    }
  } else {
    for (std::int64_t p = 0; p < k; ++p) {
      for (std::int64_t j = 0; j < columns; ++j) put(p, j);
    }
  }
}

/// Writes the valid part of a tile, or adds it to what is there.
template <class T, class Out>
void store_tile(const lane<T>* tile, int width, std::int64_t rows, std::int64_t columns, Out* out, std::int64_t row,
                std::int64_t column, bool adds) noexcept {
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      Out& to = out[i * row + j * column];
      if constexpr (complex_number<T>) {
        const T value{tile[2 * i * width + j], tile[(2 * i + 1) * width + j]};
        to = adds ? to + value : value;
      } else {
        lane<T> sum = tile[i * width + j];
        if (adds) accumulate<lane<T>>(static_cast<lane<T>>(to), sum);
        to = static_cast<Out>(sum);
      }
    }
  }
}

/// Computes one task with panels of `kernels`. `T` is bool, unsigned, floating or complex; `Out` is `T`, or float where
/// `T` is narrower, so that sums stay in float. The result does not depend on the number of threads.
template <class T, class Out>
void blocked_gemm(const gemm_task& t, const T* left, const T* right, Out* out, bool parallel,
                  const lane_kernels<lane<T>>& kernels = best_lane_kernels<lane<T>>()) {
  using Lane = lane<T>;
  constexpr std::int64_t parts = lane_parts<T>;
  const std::int64_t panel_rows = kernels.rows / parts;
  const std::int64_t panel_columns = kernels.columns;
  const auto blocks = [](std::int64_t n, std::int64_t size) { return (n + size - 1) / size; };

  // A left block fills half of a usual L2 cache, a right one part of L3.
  const std::int64_t depth = std::min<std::int64_t>(t.k, 256 / parts);
  const std::int64_t threads = parallel ? thread_count() : 1;
  const std::int64_t fitting_rows = 192 * 1024 / (256 * static_cast<std::int64_t>(sizeof(Lane)) * parts);
  const std::int64_t shared_rows = blocks(t.m, threads);
  const std::int64_t height = blocks(std::min(fitting_rows, shared_rows), panel_rows) * panel_rows;
  const std::int64_t width = blocks(std::min<std::int64_t>(t.n, 2048), panel_columns) * panel_columns;
  const std::int64_t row_blocks = blocks(t.m, height);

  const std::int64_t left_size = height * parts * depth * parts;
  const std::int64_t right_size = width * depth * parts;
  const working_memory<Lane> memory(right_size + threads * left_size);
  Lane* const right_block = memory.data();

  for (std::int64_t j0 = 0; j0 < t.n; j0 += width) {
    const std::int64_t columns = std::min(width, t.n - j0);
    const std::int64_t column_panels = blocks(columns, panel_columns);
    // Few rows: threads share the columns instead.
    const std::int64_t column_groups = row_blocks >= threads ? 1 : std::min(column_panels, blocks(threads, row_blocks));
    for (std::int64_t p0 = 0; p0 < t.k; p0 += depth) {
      const std::int64_t k = std::min(depth, t.k - p0);
      const std::int64_t right_panel = panel_columns * k * parts;
      const std::int64_t left_panel = panel_rows * parts * k * parts;
      for_ranges(column_panels, threads > 1, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t panel = first; panel < last; ++panel) {
          const std::int64_t j = panel * panel_columns;
          pack_right(right + p0 * t.right_row + (j0 + j) * t.right_column, t.right_row, t.right_column, k,
                     std::min(panel_columns, columns - j), kernels.columns, right_block + panel * right_panel);
        }
      });
      for_ranges(row_blocks * column_groups, threads > 1, [&](std::int64_t first, std::int64_t last) {
        Lane* const left_block = right_block + right_size + (threads > 1 ? thread_index() : 0) * left_size;
        alignas(64) Lane tile[largest_tile / sizeof(Lane)];
        std::int64_t packed = -1;
        for (std::int64_t item = first; item < last; ++item) {
          const std::int64_t i0 = item / column_groups * height;
          const std::int64_t rows = std::min(height, t.m - i0);
          for (std::int64_t i = 0; packed != i0 && i < rows; i += panel_rows) {
            pack_left(left + (i0 + i) * t.left_row + p0 * t.left_column, t.left_row, t.left_column,
                      std::min(panel_rows, rows - i), k, kernels.rows, left_block + i / panel_rows * left_panel);
          }
          packed = i0;
          const std::int64_t group = item % column_groups;
          const std::int64_t last_panel = (group + 1) * column_panels / column_groups;
          for (std::int64_t panel = group * column_panels / column_groups; panel < last_panel; ++panel) {
            const std::int64_t j = panel * panel_columns;
            for (std::int64_t i = 0; i < rows; i += panel_rows) {
              const Lane* const from_left = left_block + i / panel_rows * left_panel;
              const Lane* const from_right = right_block + panel * right_panel;
              Out* const to = out + (i0 + i) * t.out_row + (j0 + j) * t.out_column;
              const std::int64_t tile_rows = std::min(panel_rows, rows - i);
              const std::int64_t tile_columns = std::min(panel_columns, columns - j);
              if constexpr (std::is_same_v<Out, Lane>) {
                if (t.out_column == 1 && tile_rows == panel_rows && tile_columns == panel_columns) {
                  kernels.multiply(k, from_left, from_right, to, t.out_row, p0 > 0);
                  continue;
                }
              }
              kernels.multiply(k * parts, from_left, from_right, tile, kernels.columns, false);
              store_tile<T>(tile, kernels.columns, tile_rows, tile_columns, to, t.out_row, t.out_column, p0 > 0);
            }
          }
        }
      });
    }
  }
}

/// The same for half and bfloat16: groups of rows are summed in float and rounded once.
template <narrow_float T>
void blocked_gemm(const gemm_task& t, const T* left, const T* right, T* out, bool parallel) {
  constexpr std::int64_t elements = 8 << 20;
  const std::int64_t height = std::min(t.m, std::max<std::int64_t>(64, elements / t.n));
  const working_memory<float> sums(height * t.n);
  for (std::int64_t i0 = 0; i0 < t.m; i0 += height) {
    gemm_task part = t;
    part.m = std::min(height, t.m - i0);
    part.out_row = t.n;
    part.out_column = 1;
    blocked_gemm<T, float>(part, left + i0 * t.left_row, right, sums.data(), parallel);
    for_ranges(part.m, parallel && part.m * t.n >= parallel_threshold, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        for (std::int64_t j = 0; j < t.n; ++j) {
          out[(i0 + i) * t.out_row + j * t.out_column] = T(sums.data()[i * t.n + j]);
        }
      }
    });
  }
}

/// Products too small to be worth packing.
template <class T>
void plain_gemm(const gemm_task& t, const T* left, const T* right, T* out) noexcept {
  using sum_type = std::conditional_t<complex_number<T>, T, lane<T>>;
  for (std::int64_t i = 0; i < t.m; ++i) {
    for (std::int64_t j = 0; j < t.n; ++j) {
      sum_type sum{};
      for (std::int64_t p = 0; p < t.k; ++p) {
        multiply_add<sum_type>(static_cast<sum_type>(left[i * t.left_row + p * t.left_column]),
                               static_cast<sum_type>(right[p * t.right_row + j * t.right_column]), sum);
      }
      out[i * t.out_row + j * t.out_column] = static_cast<T>(sum);
    }
  }
}

}  // namespace host
}  // namespace GPUARRAY_ABI
}  // namespace gpu
