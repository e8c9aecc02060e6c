/// @file
/// `cuda::generate`: elements that depend on nothing but their position: ranges, grids, random numbers.
#pragma once

#include <cstdint>
#include <type_traits>

#include "elements.hpp"
#include "launch.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

namespace kernels {

/// A function that makes `F::width` consecutive elements at once: `f(group, values)`.
template <class F, class Out>
concept makes_groups = requires(const F& f, std::int64_t group, Out (&values)[F::width]) { f(group, values); };

template <class F, class Out>
inline constexpr int generate_width = vector_width<Out>;
template <class F, class Out>
  requires makes_groups<F, Out>
inline constexpr int generate_width<F, Out> = F::width;

/// One thread: a group of consecutive elements, stored at once where the memory is aligned.
template <int Width, class Out, class F>
__global__ __launch_bounds__(block_threads) void generate_kernel(stored<Out>* const out, const std::int64_t n,
                                                                 const __grid_constant__ F f) {
  const std::int64_t group = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  const std::int64_t first = group * Width;
  if (first >= n) return;
  stored<Out> elements[Width];
  if constexpr (makes_groups<F, Out>) {
    Out values[Width];
    f(group, values);
#pragma unroll
    for (int j = 0; j < Width; ++j) elements[j] = values[j];
  } else {
#pragma unroll
    for (int j = 0; j < Width; ++j) elements[j] = f(first + j);
  }
  const bool aligned = reinterpret_cast<std::uintptr_t>(out + first) % alignof(chunk<stored<Out>, Width>) == 0;
  const int count = n - first < Width ? static_cast<int>(n - first) : Width;
  if (aligned) {
    store_row(reinterpret_cast<char*>(out + first), static_cast<std::int32_t>(sizeof(Out)), count, elements);
  } else {
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      if (j < count) out[first + j] = elements[j];
    }
  }
}

}  // namespace kernels

/// `out[i] = f(i)` for i in [0, n), contiguous, in one kernel. `f` takes a 64-bit position and returns `Out`; one with
/// a member `width` instead fills `width` values for each group: `f(group, values)`. Does not wait.
/// @throws cuda_error if the launch fails
template <class Out, class F>
void generate(Out* out, std::int64_t n, const F& f, cudaStream_t stream) {
  static_assert(std::is_trivially_copyable_v<F>, "the function travels to the device as bytes");
  constexpr int width = kernels::generate_width<F, Out>;
  kernels::launch("generate", kernels::divide_up(n, std::int64_t{width} * block_threads), stream,
                  kernels::generate_kernel<width, Out, F>, reinterpret_cast<kernels::stored<Out>*>(out), n, f);
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
