/// @file
/// `cuda::transform`: evaluates a fused elementwise expression in one kernel.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "contiguous.hpp"
#include "strided.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

namespace kernels {

/// Whether every operand is one run of neighbouring elements.
[[nodiscard]] inline bool is_contiguous(const loops& l) noexcept {
  if (l.rank == 0) return true;
  bool unit = l.rank == 1;
  for (int k = 0; k < l.operands && unit; ++k) unit = l.operand[k].strides[0] == l.operand[k].itemsize;
  return unit;
}

/// Whether `rows_kernel` can move `width` elements at once: rows of contiguous operands start aligned, a chunk never
/// crosses a row, and the output is contiguous.
[[nodiscard]] inline bool is_vectorizable(const loops& l, int width) noexcept {
  if (l.rank == 0) return true;
  const int inner = l.rank - 1;
  if (l.rank > 1 && l.extents[inner] % width != 0) return false;
  if (l.operand[0].strides[inner] != l.operand[0].itemsize) return false;
  for (int k = 0; k < l.operands; ++k) {
    const engine::operand& o = l.operand[k];
    if (o.strides[inner] == 0) continue;
    if (o.strides[inner] != o.itemsize) return false;
    const std::int64_t bytes = o.itemsize * width;
    bool aligned = (bytes & (bytes - 1)) != 0 || is_multiple(o.data, bytes);
    for (int i = 0; i < inner; ++i) aligned = aligned && o.strides[i] % bytes == 0;
    if (!aligned) return false;
  }
  return true;
}

/// The kernels of an expression, erased of its types, and how many elements a thread of each handles.
struct elementwise_kernels {
  const void* rows;
  const void* strided;
  const void* bulk;  ///< null if its operands do not fit shared memory
  int width;
  int items;
  int bulk_items;
};

/// Whether bulk copies pay: the GPU has them, and most tiles lie inside the arrays.
[[nodiscard]] inline bool is_bulky(const loops& l, const elementwise_kernels& kernels) {
  constexpr std::int64_t many_tiles = 64;
  if (kernels.bulk == nullptr || l.size < many_tiles * kernels.bulk_items * block_threads || !is_contiguous(l))
    return false;
  int device = 0;
  int major = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "cudaDeviceGetAttribute");
  return major >= 9;
}

inline void run_part(const loops& l, const elementwise_kernels& kernels, const void* f, cudaStream_t stream) {
  loops walked = l;
  tiling tiles;
  const void* kernel = kernels.rows;
  std::int64_t items = kernels.width;
  if (is_bulky(l, kernels)) {
    kernel = kernels.bulk;
    items = kernels.bulk_items;
  } else if (!is_vectorizable(l, kernels.width)) {
    kernel = kernels.strided;
    items = kernels.items;
    tiles = choose_tiles(walked);
  }
  any_nest n;
  fill_nest(n, walked, 0, walked.rank);
  void* arguments[] = {&n, &tiles, const_cast<void*>(f)};
  launch_erased("elementwise operation", kernel, divide_up(walked_size(walked, tiles), items * block_threads),
                arguments, stream);
}

inline void run_elementwise(const loops& l, const elementwise_kernels& kernels, const void* f, cudaStream_t stream) {
  split(l, [&](const loops& part, std::int64_t) { run_part(part, kernels, f, stream); });
}

template <class Out, class F, class... In>
[[nodiscard]] elementwise_kernels kernels_of_expression() {
  using tile = bulk_tile<In...>;
  elementwise_kernels all;
  all.width = vector_width<Out, In...>;
  all.items = items_per_thread<In...>;
  all.bulk_items = static_cast<int>(tile::items);
  all.rows = reinterpret_cast<const void*>(&rows_kernel<vector_width<Out, In...>, Out, F, In...>);
  all.strided = reinterpret_cast<const void*>(&strided_kernel<items_per_thread<In...>, Out, F, In...>);
  all.bulk = nullptr;
  if constexpr (tile::fits && !use_cub) all.bulk = reinterpret_cast<const void*>(&bulk_kernel<Out, F, In...>);
  return all;
}

}  // namespace kernels

/// `out[i] = f(in0[i], in1[i], ...)` on the stream, one kernel (several only beyond 2^31 elements, or strides of
/// 2 GiB). `f` returns `Out`: conversions belong to the expression. Does not wait.
/// @throws cuda_error if the launch fails
template <class Out, class... In, class F>
void transform(const engine::elementwise_plan& plan, const F& f, cudaStream_t stream) {
  static_assert(std::same_as<std::invoke_result_t<const F&, In...>, Out>, "the function must return Out itself");
  if (plan.size == 0) return;
  kernels::loops l;
  kernels::set_loops(l, plan);
#if defined(GPUARRAY_USE_CUB)
  // CUB reports errors that others left pending as its own, so it is not used while there is one.
  if constexpr (sizeof...(In) > 0) {
    if (kernels::is_contiguous(l) && cudaPeekAtLastError() == cudaSuccess) {
      return kernels::transform_with_cub<Out, In...>(l, f, stream, std::index_sequence_for<In...>{});
    }
  }
#endif
  kernels::run_elementwise(l, kernels::kernels_of_expression<Out, F, In...>(), &f, stream);
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
