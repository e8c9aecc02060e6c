/// @file
/// Strided copies and fills of bytes, whatever the element type: one kernel for all sizes.
#pragma once

#include <cstdint>

#include "../../runtime/backend.hpp"
#include "launch.hpp"
#include "move.hpp"
#include "nest.hpp"
#include "strided.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

namespace kernels {

/// Elements that one thread moves, a block apart: a block of threads covers a tile.
inline constexpr int move_items = 4;

/// Moves elements `first`, `first + block_threads`, ... of a thread from operand 1 to operand 0, or writes `pattern` to
/// operand 0 if `filling`.
__device__ __forceinline__ void move_elements(const nest<2>& n, const tiling& tiles, std::uint32_t first, int size,
                                              bool filling, const element_bytes& pattern) {
#pragma unroll 1  // unrolled, this kernel takes ptxas seconds
  for (std::uint32_t j = 0; j < move_items; ++j) {
    char* pointers[2];
    if (!locate(n, tiles, first + j * block_threads, pointers)) continue;
    store_element(pointers[0], filling ? pattern : load_element(pointers[1], size), size);
  }
}

/// Moves, or fills with, elements of `size` bytes.
template <int = 0>
__global__ __launch_bounds__(block_threads) void move_kernel(const __grid_constant__ nest<2> n,
                                                             const __grid_constant__ tiling tiles, const int size,
                                                             const bool filling,
                                                             const __grid_constant__ element_bytes pattern) {
  move_elements(n, tiles, blockIdx.x * (block_threads * move_items) + threadIdx.x, size, filling, pattern);
}

/// Any kernel of the library's: whether it can be loaded tells whether the program was built for a GPU.
[[nodiscard]] inline const void* copy_kernel() noexcept { return reinterpret_cast<const void*>(&move_kernel<>); }

/// Regroups neighbouring elements into larger ones, up to 16 bytes, as far as alignment allows; splits odd sizes.
[[nodiscard]] inline std::int64_t regroup(loops& l, std::int64_t itemsize, bool widen) noexcept {
  const auto fits = [&](std::int64_t size, int rank) {
    bool aligned = true;
    for (int k = 0; k < l.operands; ++k) {
      aligned = aligned && is_multiple(l.operand[k].data, size);
      for (int i = 0; i < rank; ++i) aligned = aligned && l.operand[k].strides[i] % size == 0;
    }
    return aligned;
  };
  std::int64_t size = vector_bytes;
  while (itemsize % size != 0 || !fits(size, l.rank)) size /= 2;
  if (size < itemsize && l.rank < max_rank) {
    // An element is a row of smaller ones.
    l.extents[l.rank] = itemsize / size;
    for (int k = 0; k < l.operands; ++k) l.operand[k].strides[l.rank] = size;
    l.size *= itemsize / size;
    ++l.rank;
    l.merge();
  }
  const int inner = l.rank - 1;
  while (widen && inner >= 0 && size < vector_bytes && l.extents[inner] % 2 == 0 && fits(2 * size, inner)) {
    for (int k = 0; k < l.operands; ++k) {
      if (l.operand[k].strides[inner] != size) return size;
    }
    size *= 2;
    l.extents[inner] /= 2;
    l.size /= 2;
    for (int k = 0; k < l.operands; ++k) l.operand[k].strides[inner] = size;
  }
  return size;
}

/// Calls `run(nest, tiles, bytes of an element, blocks)` for each piece in which a kernel does a move; usually one.
template <class Run>
void plan_move(loops& l, std::int64_t itemsize, bool widen, const Run& run) {
  if (l.size == 0 || itemsize == 0) return;
  l.sort(0, 1);
  const std::int64_t size = regroup(l, itemsize, widen);
  split(l, [&](const loops& part, std::int64_t) {
    loops walked = part;
    const tiling tiles = choose_tiles(walked);
    any_nest n;
    fill_nest(n, walked, 0, walked.rank);
    const std::int64_t blocks = divide_up(walked_size(walked, tiles), std::int64_t{move_items} * block_threads);
    run(n, tiles, static_cast<int>(size), blocks);
  });
}

inline void run_move(loops& l, std::int64_t itemsize, const element_bytes* pattern, cudaStream_t stream) {
  plan_move(l, itemsize, pattern == nullptr, [&](any_nest& n, tiling tiles, int bytes, std::int64_t blocks) {
    bool filling = pattern != nullptr;
    element_bytes value = filling ? *pattern : element_bytes{};
    void* arguments[] = {&n, &tiles, &bytes, &filling, &value};
    launch_erased(filling ? "fill" : "copy", copy_kernel(), blocks, arguments, stream);
  });
}

/// The loops of a copy, the target as operand 0.
inline void set_loops(loops& l, const gpu::detail::strided_copy& copy) noexcept {
  l.rank = copy.rank;
  l.operands = 2;
  l.operand[0].data = copy.dst;
  l.operand[1].data = copy.src;
  for (int i = 0; i < copy.rank; ++i) {
    l.extents[i] = copy.extents[i];
    l.size *= copy.extents[i];
    l.operand[0].strides[i] = copy.dst_strides[i];
    l.operand[1].strides[i] = copy.src_strides[i];
  }
}

}  // namespace kernels

/// `dst[i...] = src[i...]` within one device; the two do not overlap. Any size of element, any strides; one kernel.
/// Does not wait. @throws cuda_error if the launch fails
inline void copy_strided(const gpu::detail::strided_copy& copy, cudaStream_t stream) {
  kernels::loops l;
  kernels::set_loops(l, copy);
  kernels::run_move(l, static_cast<std::int64_t>(copy.itemsize), nullptr, stream);
}

/// `dst[i...] = value` for elements of 1, 2, 4, 8 or 16 bytes; `src` of `copy` is where the value is, on the host, and
/// is read before the call returns. Does not wait. @throws cuda_error if the launch fails
inline void fill_strided(const gpu::detail::strided_copy& copy, cudaStream_t stream) {
  kernels::loops l;
  l.rank = copy.rank;
  l.operands = 1;
  l.operand[0].data = copy.dst;
  for (int i = 0; i < copy.rank; ++i) {
    l.extents[i] = copy.extents[i];
    l.size *= copy.extents[i];
    l.operand[0].strides[i] = copy.dst_strides[i];
  }
  kernels::element_bytes pattern{};
  __builtin_memcpy(&pattern, copy.src, copy.itemsize);
  kernels::run_move(l, static_cast<std::int64_t>(copy.itemsize), &pattern, stream);
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
