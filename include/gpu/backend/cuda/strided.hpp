/// @file
/// Elementwise kernels for operands that are not all contiguous: broadcast, sliced, transposed, reversed.
#pragma once

#include <cstdint>

#include "elements.hpp"
#include "launch.hpp"
#include "nest.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {
namespace kernels {

/// Edge of the square tiles in which two loops are walked when operands are contiguous along different ones.
inline constexpr std::uint32_t tile_edge = 32;

/// How a problem is walked in tiles: the two innermost loops, tile by tile, so that what a warp reads across rows is
/// used by its neighbours while it is still in the cache.
struct tiling {
  bool used = false;
  divisor columns{1};  ///< tiles along the innermost loop
  divisor rows{1};     ///< tiles along the next one
};

/// Walks in tiles where some operand is contiguous along another loop than the output: brings that loop next to the
/// innermost one.
[[nodiscard]] inline tiling choose_tiles(loops& l) noexcept {
  constexpr std::int64_t edge = tile_edge;
  const int inner = l.rank - 1;
  for (int k = 1; k < l.operands && inner > 0; ++k) {
    const engine::operand& o = l.operand[k];
    for (int i = 0; i < inner; ++i) {
      const bool along = o.strides[i] == o.itemsize || o.strides[i] == -o.itemsize;
      if (!along || o.strides[inner] == 0 || l.extents[i] < edge / 4 || l.extents[inner] < edge / 4) continue;
      const std::int64_t columns = divide_up(l.extents[inner], edge);
      const std::int64_t rows = divide_up(l.extents[i], edge);
      const std::int64_t outer = l.size / (l.extents[inner] * l.extents[i]);
      if (outer * columns * rows * edge * edge >= index_limit) return {};
      l.swap(i, inner - 1);
      return {true, divisor(columns), divisor(rows)};
    }
  }
  return {};
}

/// Positions that threads visit: with tiles, those beyond the edges too.
[[nodiscard]] inline std::int64_t walked_size(const loops& l, const tiling& tiles) noexcept {
  if (!tiles.used) return l.size;
  return l.size / (l.extents[l.rank - 1] * l.extents[l.rank - 2]) * tiles.columns.value * tiles.rows.value * tile_edge *
         tile_edge;
}

/// The operands of the element at position `index` of the walk; false if there is none.
template <int Operands>
__device__ __forceinline__ bool locate(const nest<Operands>& n, const tiling& tiles, std::uint32_t index,
                                       char* (&pointers)[Operands]) {
#pragma unroll
  for (int k = 0; k < Operands; ++k) pointers[k] = n.operand[k].data;
  if (!tiles.used) {
    if (index >= n.size) return false;
    advance(n, index, pointers, 0, n.rank);
    return true;
  }
  std::uint32_t column = index % tile_edge;
  std::uint32_t row = index / tile_edge % tile_edge;
  index /= tile_edge * tile_edge;
  const std::uint32_t next = tiles.columns.quotient(index);
  column += (index - next * tiles.columns.value) * tile_edge;
  index = tiles.rows.quotient(next);
  row += (next - index * tiles.rows.value) * tile_edge;
  if (column >= n.extents[0].value || row >= n.extents[1].value) return false;
#pragma unroll
  for (int k = 0; k < Operands; ++k) {
    pointers[k] += static_cast<std::int64_t>(n.operand[k].strides[0]) * static_cast<std::int32_t>(column) +
                   static_cast<std::int64_t>(n.operand[k].strides[1]) * static_cast<std::int32_t>(row);
  }
  advance(n, index, pointers, 2, n.rank);
  return true;
}

/// Elements per thread where each is found on its own: enough loads in flight, few registers.
template <class... In>
inline constexpr int items_per_thread = sizeof...(In) <= 3 ? 4 : 2;

/// One thread: `Width` consecutive elements of a row, which lie contiguous, or are one value, in most operands.
template <int Width, class Out, class F, class... In>
__global__ __launch_bounds__(block_threads) void rows_kernel(const __grid_constant__ nest<1 + sizeof...(In)> n,
                                                             const tiling, const __grid_constant__ F f) {
  const std::uint32_t index = (blockIdx.x * block_threads + threadIdx.x) * Width;
  if (index >= n.size) return;
  char* pointers[1 + sizeof...(In)];
#pragma unroll
  for (int k = 0; k <= static_cast<int>(sizeof...(In)); ++k) pointers[k] = n.operand[k].data;
  advance(n, index, pointers, 0, n.rank);
  const int count = n.size - index < Width ? static_cast<int>(n.size - index) : Width;
  leaves<Width, In...> in;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (load_row(static_cast<lane_values<I, In, Width>&>(in).values, pointers[I + 1], n.operand[I + 1].strides[0], count),
     ...);
  }(std::index_sequence_for<In...>{});
  stored<Out> out[Width];
#pragma unroll
  for (int j = 0; j < Width; ++j) out[j] = in.template apply<Out>(f, j);
  store_row(pointers[0], n.operand[0].strides[0], count, out);
}

/// One thread: `Items` elements, a block apart, so that a warp is on neighbouring ones; any strides.
template <int Items, class Out, class F, class... In>
__global__ __launch_bounds__(block_threads) void strided_kernel(const __grid_constant__ nest<1 + sizeof...(In)> n,
                                                                const __grid_constant__ tiling tiles,
                                                                const __grid_constant__ F f) {
  const std::uint32_t first = blockIdx.x * (block_threads * Items) + threadIdx.x;
  leaves<Items, In...> in;
  char* out[Items];
#pragma unroll
  for (int j = 0; j < Items; ++j) {
    char* pointers[1 + sizeof...(In)];
    out[j] = nullptr;
    if (!locate(n, tiles, first + static_cast<std::uint32_t>(j) * block_threads, pointers)) continue;
    in.template load<1>(pointers, j);
    out[j] = pointers[0];
  }
#pragma unroll
  for (int j = 0; j < Items; ++j) {
    if (out[j] != nullptr) *reinterpret_cast<stored<Out>*>(out[j]) = in.template apply<Out>(f, j);
  }
}

}  // namespace kernels
}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
