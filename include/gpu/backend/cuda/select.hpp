/// @file
/// Selection by a boolean mask: counting, positions, and moving selected elements out of an array and into it.
#pragma once

#include <cstdint>

#include "../../runtime/storage.hpp"
#include "gather.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

namespace kernels {

inline constexpr int warp_threads = 32;
inline constexpr int warps = static_cast<int>(block_threads) / warp_threads;
/// Mask bytes that a warp handles, 32 at a time, and a block.
inline constexpr int warp_span = 512;
inline constexpr int selection_tile = warp_span * warps;

/// What happens to the selected elements.
enum class selection_action { list_positions, compress, expand };

/// Which of the warp's 32 mask bytes from `first` on are true.
__device__ __forceinline__ unsigned selected_lanes(const std::uint8_t* mask, std::int64_t n, std::int64_t first) {
  const std::int64_t i = first + threadIdx.x % warp_threads;
  return __ballot_sync(0xffffffffu, i < n && mask[i] != 0);
}

/// True mask bytes in the warp's part of the block's tile.
__device__ __forceinline__ int count_in_warp(const std::uint8_t* mask, std::int64_t n, std::int64_t first) {
  int count = 0;
#pragma unroll 4
  for (int i = 0; i < warp_span; i += warp_threads) count += __popc(selected_lanes(mask, n, first + i));
  return count;
}

/// The sum of `value` over earlier warps; `total` receives that of the block.
__device__ __forceinline__ std::int64_t sum_before_warp(std::int64_t value, std::int64_t& total) {
  __shared__ std::int64_t sums[warps];
  if (threadIdx.x % warp_threads == 0) sums[threadIdx.x / warp_threads] = value;
  __syncthreads();
  std::int64_t before = 0;
  total = 0;
#pragma unroll
  for (int w = 0; w < warps; ++w) {
    if (w == static_cast<int>(threadIdx.x) / warp_threads) before = total;
    total += sums[w];
  }
  __syncthreads();
  return before;
}

template <int = 0>
__global__ __launch_bounds__(block_threads) void count_kernel(const std::uint8_t* const mask, const std::int64_t n,
                                                              std::int64_t* const counts) {
  const std::int64_t first = std::int64_t{blockIdx.x} * selection_tile + threadIdx.x / warp_threads * warp_span;
  std::int64_t total = 0;
  static_cast<void>(sum_before_warp(count_in_warp(mask, n, first), total));
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

/// One block: counts become the sums before them; the sum of all follows the last.
template <int = 0>
__global__ __launch_bounds__(block_threads) void offsets_kernel(std::int64_t* const counts, const std::int64_t n) {
  std::int64_t carry = 0;
  for (std::int64_t base = 0; base < n; base += block_threads) {
    const std::int64_t i = base + threadIdx.x;
    const std::int64_t own = i < n ? counts[i] : 0;
    std::int64_t sum = own;
#pragma unroll
    for (int delta = 1; delta < warp_threads; delta *= 2) {
      const std::int64_t below = __shfl_up_sync(0xffffffffu, sum, static_cast<unsigned>(delta));
      if (static_cast<int>(threadIdx.x) % warp_threads >= delta) sum += below;
    }
    std::int64_t total = 0;
    const std::int64_t before = sum_before_warp(__shfl_sync(0xffffffffu, sum, warp_threads - 1), total);
    if (i < n) counts[i] = carry + before + sum - own;
    carry += total;
  }
  if (threadIdx.x == 0) counts[n] = carry;
}

template <int = 0>
__global__ __launch_bounds__(block_threads) void select_kernel(const std::uint8_t* const mask, const std::int64_t n,
                                                               const std::int64_t* const offsets,
                                                               const selection_action action, char* const dense,
                                                               const __grid_constant__ indexed_array array,
                                                               const element_parts element) {
  const std::int64_t first = std::int64_t{blockIdx.x} * selection_tile + threadIdx.x / warp_threads * warp_span;
  std::int64_t total = 0;
  std::int64_t at = offsets[blockIdx.x] + sum_before_warp(count_in_warp(mask, n, first), total);
  const unsigned lane = threadIdx.x % warp_threads;
#pragma unroll 1
  for (int i = 0; i < warp_span; i += warp_threads) {
    const unsigned chosen = selected_lanes(mask, n, first + i);
    if (chosen >> lane & 1u) {
      const std::int64_t rank = at + __popc(chosen & ((1u << lane) - 1u));
      const std::int64_t position = first + i + lane;
      if (action == selection_action::list_positions) {
        reinterpret_cast<std::int64_t*>(dense)[rank] = position;
      } else {
        char* const here = dense + rank * (element.size * element.parts);
        char* const there = array.at(position);
        const bool out = action == selection_action::compress;
        move_element(out ? here : there, out ? there : here, element);
      }
    }
    at += __popc(chosen);
  }
}

inline void run_select(const std::uint8_t* mask, std::int64_t n, const std::int64_t* offsets, selection_action action,
                       void* dense, const indexed_array& array, std::int64_t itemsize, cudaStream_t stream) {
  const auto alignment = element_parts::alignment(array) | reinterpret_cast<std::uintptr_t>(dense);
  launch("selection by a mask", divide_up(n, selection_tile), stream, select_kernel<>, mask, n, offsets, action,
         static_cast<char*>(dense), array, element_parts::of(itemsize, alignment));
}

}  // namespace kernels

/// How many 64-bit integers `count_selected` writes for a mask of `n` bytes.
[[nodiscard]] inline std::int64_t selection_offsets(std::int64_t n) noexcept {
  return kernels::divide_up(n, kernels::selection_tile) + 1;
}

/// Counts the bytes of `mask` that are not 0: afterwards the last of the offsets is their number, the others say where
/// each part of the mask begins. Two kernels; does not wait. @throws cuda_error if a launch fails
inline void count_selected(const std::uint8_t* mask, std::int64_t n, std::int64_t* offsets, cudaStream_t stream) {
  const std::int64_t tiles = selection_offsets(n) - 1;
  kernels::launch("count of a mask", tiles, stream, kernels::count_kernel<>, mask, n, offsets);
  kernels::launch("count of a mask", 1, stream, kernels::offsets_kernel<>, offsets, tiles);
}

/// The positions of the bytes that are not 0, in order. One kernel; does not wait. @throws cuda_error
inline void mask_positions(const std::uint8_t* mask, std::int64_t n, const std::int64_t* offsets,
                           std::int64_t* positions, cudaStream_t stream) {
  kernels::run_select(mask, n, offsets, kernels::selection_action::list_positions, positions, {}, sizeof(std::int64_t),
                      stream);
}

/// Copies the selected elements of `source` to `out`, dense, in C order. One kernel; does not wait. @throws cuda_error
inline void compress_elements(const std::uint8_t* mask, std::int64_t n, const std::int64_t* offsets,
                              const indexed_array& source, void* out, std::int64_t itemsize, cudaStream_t stream) {
  kernels::run_select(mask, n, offsets, kernels::selection_action::compress, out, source, itemsize, stream);
}

/// Copies `values`, dense, to the selected elements of `target`. One kernel; does not wait. @throws cuda_error
inline void expand_elements(const std::uint8_t* mask, std::int64_t n, const std::int64_t* offsets,
                            const indexed_array& target, const void* values, std::int64_t itemsize,
                            cudaStream_t stream) {
  kernels::run_select(mask, n, offsets, kernels::selection_action::expand, const_cast<void*>(values), target, itemsize,
                      stream);
}

/// The offsets of a mask, dense and of `n` elements, and (waiting for it) the number of its true elements.
[[nodiscard]] inline detail::storage count_mask(const detail::storage& mask, std::int64_t n, std::int64_t& count,
                                                const char* operation) {
  const device d = mask.device();
  const std::int64_t entries = selection_offsets(n);
  constexpr std::int64_t itemsize = sizeof(std::int64_t);
  detail::storage offsets = detail::make_storage(shape{entries}, itemsize, d);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(mask.first);
  auto* const written = reinterpret_cast<std::int64_t*>(offsets.first);
  submit(current_stream(d), {mask.owner.get()}, {offsets.owner.get()},
         [=](void* stream) { count_selected(bytes, n, written, static_cast<cudaStream_t>(stream)); });
  const detail::storage last{offsets.owner, offsets.first + (entries - 1) * itemsize, contiguous_layout(shape{})};
  detail::read_elements(last, itemsize, &count, operation);
  return offsets;
}

/// The elements of `elements` where `mask`, dense and of the same shape, is true. Waits: the size depends on data.
[[nodiscard]] inline detail::storage compress(const detail::storage& elements, const detail::storage& mask,
                                              std::int64_t itemsize) {
  const device d = elements.device();
  const std::int64_t n = elements.where.extents.size();
  if (n == 0) return detail::make_storage(shape{0}, itemsize, d);
  std::int64_t count = 0;
  const detail::storage offsets = count_mask(mask, n, count, "indexing with a boolean mask");
  detail::storage result = detail::make_storage(shape{count}, itemsize, d);
  if (count == 0) return result;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(mask.first);
  const auto* const starts = reinterpret_cast<const std::int64_t*>(offsets.first);
  const indexed_array source(elements.first, elements.where, itemsize);
  submit(current_stream(d), {elements.owner.get(), mask.owner.get(), offsets.owner.get()}, {result.owner.get()},
         [=, out = result.first](void* stream) {
           compress_elements(bytes, n, starts, source, out, itemsize, static_cast<cudaStream_t>(stream));
         });
  return result;
}

/// Writes `values`, dense, to the elements of `target` where `mask`, dense and of the same shape, is true. Waits, and
/// calls `check(count)` before anything is written.
template <class Check>
void expand(const detail::storage& target, const detail::storage& mask, const detail::storage& values,
            std::int64_t itemsize, const Check& check) {
  const device d = target.device();
  const std::int64_t n = target.where.extents.size();
  std::int64_t count = 0;
  const detail::storage offsets = count_mask(mask, n, count, "assignment through a boolean mask");
  check(count);
  if (count == 0) return;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(mask.first);
  const auto* const starts = reinterpret_cast<const std::int64_t*>(offsets.first);
  const indexed_array into(target.first, target.where, itemsize);
  submit(current_stream(d), {mask.owner.get(), offsets.owner.get(), values.owner.get()}, {target.owner.get()},
         [=, from = values.first](void* stream) {
           expand_elements(bytes, n, starts, into, from, itemsize, static_cast<cudaStream_t>(stream));
         });
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
