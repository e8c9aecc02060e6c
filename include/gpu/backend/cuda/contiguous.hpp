/// @file
/// Elementwise work on contiguous memory: from sm_90 on a block's operands arrive in shared memory by bulk copies.
#pragma once

#include "../../core/config.hpp"

#if defined(GPUARRAY_USE_CUB)
#include <cub/device/device_transform.cuh>
#endif

#include <cstdint>
#include <utility>

#include "elements.hpp"
#include "launch.hpp"
#include "nest.hpp"
#include "strided.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

/// Whether this unit sends contiguous work to `cub::DeviceTransform` instead of our own kernel: -DGPUARRAY_USE_CUB. It
/// costs 4 s of nvcc per unit and more per expression.
#if defined(GPUARRAY_USE_CUB)
inline constexpr bool use_cub = true;
#else
inline constexpr bool use_cub = false;
#endif

namespace kernels {

/// How much a block of `bulk_kernel` keeps in shared memory: about 8 KiB, so that a multiprocessor full of blocks has
/// 64 KiB on the way.
template <class... In>
struct bulk_tile {
  static constexpr std::uint32_t padding = 128;  // room for what precedes the first element in its 16 bytes
  static constexpr int element_bytes = (0 + ... + static_cast<int>(sizeof(In)));
  static constexpr std::uint32_t items = element_bytes == 0 || element_bytes > 48
                                             ? 1
                                             : power_of_two_below(element_bytes == 1 ? 32 : 48 / element_bytes);
  static constexpr std::uint32_t elements = block_threads * items;
  static constexpr std::uint32_t bytes = elements * element_bytes + sizeof...(In) * padding;
  static constexpr bool fits = sizeof...(In) > 0 && bytes <= 40 * 1024;
};

#if __CUDA_ARCH__ >= 900

/// Makes `barrier`, which no other thread uses yet, open when `bytes` bytes have been copied.
__device__ __forceinline__ void expect_copies(std::uint32_t barrier, std::uint32_t bytes) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}

/// Starts copying; both addresses and the size are multiples of 16 bytes.
__device__ __forceinline__ void copy_in_bulk(std::uint32_t to, const char* from, std::uint32_t bytes,
                                             std::uint32_t barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to),
               "l"(__cvta_generic_to_global(from)), "r"(bytes), "r"(barrier)
               : "memory");
}

__device__ __forceinline__ void wait_for_copies(std::uint32_t barrier) {
  std::uint32_t done = 0;
  while (done == 0) {
    asm volatile(
        "{\n\t.reg .pred complete;\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 complete, [%1], 0;\n\t"
        "selp.u32 %0, 1, 0, complete;\n\t}"
        : "=r"(done)
        : "r"(barrier)
        : "memory");
  }
}

#endif

/// One block: a tile of neighbouring elements, which lie contiguous in all operands.
template <class Out, class F, class... In>
__global__ __launch_bounds__(block_threads) void bulk_kernel(const __grid_constant__ nest<1 + sizeof...(In)> n,
                                                             const tiling, const __grid_constant__ F f) {
  using tile = bulk_tile<In...>;
  constexpr int inputs = static_cast<int>(sizeof...(In));
  constexpr std::uint32_t sizes[] = {sizeof(In)...};
  const std::uint32_t first = blockIdx.x * tile::elements;
  const std::uint32_t count = n.size - first < tile::elements ? n.size - first : tile::elements;
  const char* source[inputs];
#pragma unroll
  for (int k = 0; k < inputs; ++k) source[k] = n.operand[k + 1].data + std::size_t{first} * sizes[k];

#if __CUDA_ARCH__ >= 900
  __shared__ __align__(128) unsigned char memory[tile::bytes];
  __shared__ std::uint64_t barrier;
  // Copies are of whole multiples of 16 bytes: a little more than the tile, which the first and last ones do not have.
  constexpr std::uintptr_t unit = 16;
  const bool inner = blockIdx.x > 0 && blockIdx.x + 2 < gridDim.x;
  const char* staged[inputs];
  std::uint32_t total = 0;
  std::uint32_t place = 0;
#pragma unroll
  for (int k = 0; k < inputs; ++k) {
    const auto head = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(source[k]) % unit);
    staged[k] = reinterpret_cast<const char*>(memory) + place + head;
    place += tile::elements * sizes[k] + tile::padding;
    total += (tile::elements * sizes[k] + head + 15) / 16 * 16;
  }
  if (inner) {
    const auto at = static_cast<std::uint32_t>(__cvta_generic_to_shared(&barrier));
    if (threadIdx.x == 0) {
      expect_copies(at, total);
#pragma unroll
      for (int k = 0; k < inputs; ++k) {
        const auto head = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(source[k]) % unit);
        copy_in_bulk(static_cast<std::uint32_t>(__cvta_generic_to_shared(staged[k] - head)), source[k] - head,
                     (tile::elements * sizes[k] + head + 15) / 16 * 16, at);
      }
    }
    __syncthreads();
    wait_for_copies(at);
#pragma unroll
    for (int k = 0; k < inputs; ++k) source[k] = staged[k];
  }
#endif

#pragma unroll 1
  for (std::uint32_t i = threadIdx.x; i < count; i += block_threads) {
    leaves<1, In...> in;
    char* pointers[1 + inputs];
#pragma unroll
    for (int k = 0; k < inputs; ++k) pointers[k + 1] = const_cast<char*>(source[k]) + i * sizes[k];
    in.template load<1>(pointers, 0);
    reinterpret_cast<stored<Out>*>(n.operand[0].data)[first + i] = in.template apply<Out>(f, 0);
  }
}

#if defined(GPUARRAY_USE_CUB)

/// `f` on elements as they lie in memory.
template <class Out, class F, class... In>
struct stored_function {
  F f;

  __host__ __device__ stored<Out> operator()(const stored<In>&... elements) const {
    return f(value_of<In>(elements)...);
  }
};

template <class Out, class... In, class F, std::size_t... I>
void transform_with_cub(const loops& l, const F& f, cudaStream_t stream, std::index_sequence<I...>) {
  auto* const out = static_cast<stored<Out>*>(const_cast<void*>(l.operand[0].data));
  const auto inputs = ::cuda::std::make_tuple(static_cast<const stored<In>*>(l.operand[I + 1].data)...);
  const stored_function<Out, F, In...> function{f};
  check(cub::DeviceTransform::Transform(inputs, out, l.size, function, stream), "elementwise operation");
  count_launch();
}

#endif

}  // namespace kernels
}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
