/// @file
/// The library's own matrix product kernels on CUDA: for types that cuBLAS does not know and strides that it cannot
/// read.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "../../core/types.hpp"
#include "../../engine/matmul_plan.hpp"
#include "elements.hpp"
#include "launch.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {
namespace kernels {

/// What products of `T` are summed in. Wrapping arithmetic is the same in any wider unsigned type.
template <class T>
using product_sum = std::conditional_t<
    narrow_float<T>, float,
    std::conditional_t<integer<T> && sizeof(T) <= 4, std::uint32_t, std::conditional_t<integer<T>, std::uint64_t, T>>>;

/// Strides of one operand, in elements.
struct product_operand {
  std::int64_t row;
  std::int64_t column;
  std::int64_t stack[max_rank];
};

template <class T>
struct product_arguments {
  const stored<T>* left;
  const stored<T>* right;
  stored<T>* out;
  std::int64_t m;
  std::int64_t n;
  std::int64_t k;
  product_operand left_strides;
  product_operand right_strides;
  product_operand out_strides;
  int stack_rank;
  bool conjugated;
  std::int64_t stack_extents[max_rank];
  std::int64_t first_block;  ///< larger problems are launched in parts
};

/// The tile of the result that a block computes, 4 x 4 elements a thread, in steps of `tile_depth` along k.
inline constexpr int product_edge = 64;
inline constexpr int product_depth = 16;
inline constexpr int product_threads_edge = 16;
inline constexpr int product_elements = product_edge / product_threads_edge;
static_assert(product_threads_edge * product_threads_edge == block_threads);

#if defined(__CUDACC__)

template <class T>
__device__ __forceinline__ product_sum<T> product_value(const stored<T>& element) {
  return static_cast<product_sum<T>>(value_of<T>(element));
}

template <class Sum>
__device__ __forceinline__ void add_product(Sum a, Sum b, Sum& sum) {
  if constexpr (std::same_as<Sum, bool>) {
    sum = sum | (a & b);
  } else {
    sum += a * b;
  }
}

/// The operands of one entry of the stack.
template <class T>
struct product_pointers {
  const stored<T>* left;
  const stored<T>* right;
  stored<T>* out;
};

template <class T>
__device__ __forceinline__ product_pointers<T> stack_entry(const product_arguments<T>& p, std::int64_t index) {
  product_pointers<T> at{p.left, p.right, p.out};
  for (int i = p.stack_rank - 1; i >= 0; --i) {
    const std::int64_t step = index % p.stack_extents[i];
    index /= p.stack_extents[i];
    at.left += step * p.left_strides.stack[i];
    at.right += step * p.right_strides.stack[i];
    at.out += step * p.out_strides.stack[i];
  }
  return at;
}

__device__ __forceinline__ std::int64_t magnitude(std::int64_t stride) { return stride < 0 ? -stride : stride; }

/// One tile of the result a block; both factors go through shared memory, read along their shorter stride.
template <class T>
__global__ void __launch_bounds__(block_threads) tiled_product(const __grid_constant__ product_arguments<T> p) {
  using sum = product_sum<T>;
  constexpr int pitch = product_edge + 1;
  // Raw bytes: a shared variable must not have a constructor.
  __shared__ alignas(16) unsigned char left_bytes[product_depth * pitch * sizeof(sum)];
  __shared__ alignas(16) unsigned char right_bytes[product_depth * pitch * sizeof(sum)];
  sum* const left_tile = reinterpret_cast<sum*>(left_bytes);
  sum* const right_tile = reinterpret_cast<sum*>(right_bytes);

  const std::int64_t columns = (p.n + product_edge - 1) / product_edge;
  const std::int64_t rows = (p.m + product_edge - 1) / product_edge;
  const std::int64_t block = p.first_block + blockIdx.x;
  const product_pointers<T> at = stack_entry(p, block / (rows * columns));
  const std::int64_t i0 = block / columns % rows * product_edge;
  const std::int64_t j0 = block % columns * product_edge;
  const bool left_along_k = magnitude(p.left_strides.column) <= magnitude(p.left_strides.row);
  const bool right_along_k = magnitude(p.right_strides.row) < magnitude(p.right_strides.column);
  const int thread = static_cast<int>(threadIdx.x);
  const int x = thread % product_threads_edge;
  const int y = thread / product_threads_edge;

  sum sums[product_elements][product_elements] = {};
  for (std::int64_t k0 = 0; k0 < p.k; k0 += product_depth) {
    for (int e = thread; e < product_edge * product_depth; e += static_cast<int>(block_threads)) {
      const int li = left_along_k ? e / product_depth : e % product_edge;
      const int lk = left_along_k ? e % product_depth : e / product_edge;
      const bool left_inside = i0 + li < p.m && k0 + lk < p.k;
      left_tile[lk * pitch + li] =
          left_inside ? product_value<T>(at.left[(i0 + li) * p.left_strides.row + (k0 + lk) * p.left_strides.column])
                      : sum{};
      const int rj = right_along_k ? e / product_depth : e % product_edge;
      const int rk = right_along_k ? e % product_depth : e / product_edge;
      const bool right_inside = j0 + rj < p.n && k0 + rk < p.k;
      right_tile[rk * pitch + rj] =
          right_inside
              ? product_value<T>(at.right[(k0 + rk) * p.right_strides.row + (j0 + rj) * p.right_strides.column])
              : sum{};
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < product_depth; ++step) {
      sum left[product_elements];
      sum right[product_elements];
#pragma unroll
      for (int i = 0; i < product_elements; ++i) {
        left[i] = left_tile[step * pitch + y + i * product_threads_edge];
        right[i] = right_tile[step * pitch + x + i * product_threads_edge];
      }
#pragma unroll
      for (int i = 0; i < product_elements; ++i) {
#pragma unroll
        for (int j = 0; j < product_elements; ++j) add_product(left[i], right[j], sums[i][j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < product_elements; ++i) {
#pragma unroll
    for (int j = 0; j < product_elements; ++j) {
      const std::int64_t row = i0 + y + i * product_threads_edge;
      const std::int64_t column = j0 + x + j * product_threads_edge;
      if (row < p.m && column < p.n) {
        at.out[row * p.out_strides.row + column * p.out_strides.column] =
            static_cast<stored<T>>(static_cast<T>(sums[i][j]));
      }
    }
  }
}

/// One element of the result a block: for few results of long sums, and matrices whose rows are contiguous times a
/// vector.
template <class T>
__global__ void __launch_bounds__(block_threads) summed_product(const __grid_constant__ product_arguments<T> p) {
  using sum = product_sum<T>;
  __shared__ alignas(16) unsigned char bytes[block_threads * sizeof(sum)];
  sum* const parts = reinterpret_cast<sum*>(bytes);
  const std::int64_t block = p.first_block + blockIdx.x;
  const product_pointers<T> at = stack_entry(p, block / (p.m * p.n));
  const std::int64_t row = block / p.n % p.m;
  const std::int64_t column = block % p.n;
  const stored<T>* const left = at.left + row * p.left_strides.row;
  const stored<T>* const right = at.right + column * p.right_strides.column;

  sum total{};
  for (std::int64_t k = threadIdx.x; k < p.k; k += block_threads) {
    sum a = product_value<T>(left[k * p.left_strides.column]);
    if constexpr (complex_number<T>) {
      if (p.conjugated) a = conj(a);
    }
    add_product(a, product_value<T>(right[k * p.right_strides.row]), total);
  }
  parts[threadIdx.x] = total;
  for (unsigned half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) {
      if constexpr (std::same_as<sum, bool>) {
        parts[threadIdx.x] = parts[threadIdx.x] | parts[threadIdx.x + half];
      } else {
        parts[threadIdx.x] += parts[threadIdx.x + half];
      }
    }
  }
  if (threadIdx.x == 0) {
    at.out[row * p.out_strides.row + column * p.out_strides.column] = static_cast<stored<T>>(static_cast<T>(parts[0]));
  }
}

#endif

[[nodiscard]] inline product_operand product_strides(const engine::matmul_operand& o) noexcept {
  product_operand strides{o.row, o.column, {}};
  std::copy(std::begin(o.stack), std::end(o.stack), strides.stack);
  return strides;
}

/// Whether each element of the result is better summed by a block of its own.
[[nodiscard]] inline bool sums_by_block(const engine::matmul_plan& p) noexcept {
  if (p.conjugated || p.kind == engine::matmul_kind::dot) return true;
  const auto length = [](std::int64_t stride) { return stride < 0 ? -stride : stride; };
  if (p.kind == engine::matmul_kind::gemv) return length(p.left.column) <= length(p.left.row);
  return p.k >= 1024 && p.m * p.n <= 256;
}

/// Computes the whole plan with own kernels: any strides, k = 0 included. `T` is bool, unsigned, floating or complex.
template <class T>
void own_matmul(const engine::matmul_plan& p, const T* left, const T* right, T* out, cudaStream_t stream) {
  product_arguments<T> arguments{reinterpret_cast<const stored<T>*>(left) + p.left.offset,
                                 reinterpret_cast<const stored<T>*>(right) + p.right.offset,
                                 reinterpret_cast<stored<T>*>(out) + p.out.offset,
                                 p.m,
                                 p.n,
                                 p.k,
                                 product_strides(p.left),
                                 product_strides(p.right),
                                 product_strides(p.out),
                                 p.stack_rank,
                                 p.conjugated,
                                 {},
                                 0};
  std::copy(std::begin(p.stack_extents), std::end(p.stack_extents), arguments.stack_extents);
  const bool by_block = sums_by_block(p);
  const std::int64_t results = by_block ? p.m * p.n : divide_up(p.m, product_edge) * divide_up(p.n, product_edge);
  const std::int64_t blocks = results * p.stack_size();
  constexpr std::int64_t most_blocks = std::numeric_limits<std::int32_t>::max();
  for (; arguments.first_block < blocks; arguments.first_block += most_blocks) {
    launch("matmul", std::min(blocks - arguments.first_block, most_blocks), stream,
           by_block ? &summed_product<T> : &tiled_product<T>, arguments);
  }
}

}  // namespace kernels
}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
