/// @file
/// Gather and scatter of elements by 64-bit positions, whatever the element type: one kernel for both and all sizes.
#pragma once

#include <cstdint>

#include "../../core/layout.hpp"
#include "launch.hpp"
#include "move.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

/// An array addressed by the position of an element in C order.
struct indexed_array {
  char* data = nullptr;
  std::int64_t size = 1;
  int rank = 0;
  std::int64_t extents[max_rank] = {};
  std::int64_t strides[max_rank] = {};  ///< in bytes

  indexed_array() = default;
  /// `data` is the first element of `where`; neighbouring axes that follow on become one.
  indexed_array(const void* first, const layout& where, std::int64_t itemsize) noexcept
      : data(static_cast<char*>(const_cast<void*>(first))) {
    for (int i = 0; i < where.rank(); ++i) {
      const std::int64_t n = where.extents[i];
      const std::int64_t stride = where.strides[i] * itemsize;
      size *= n;
      if (n == 1) continue;
      if (rank > 0 && strides[rank - 1] == stride * n) {
        extents[rank - 1] *= n;
        strides[rank - 1] = stride;
      } else {
        extents[rank] = n;
        strides[rank++] = stride;
      }
    }
  }

  [[nodiscard]] __device__ __forceinline__ char* at(std::int64_t position) const {
    char* pointer = data;
    const bool narrow = size <= INT32_MAX;
#pragma unroll 1
    for (int i = rank - 1; i > 0; --i) {
      const std::int64_t outer =
          narrow
              ? static_cast<std::int64_t>(static_cast<std::uint32_t>(position) / static_cast<std::uint32_t>(extents[i]))
              : position / extents[i];
      pointer += (position - outer * extents[i]) * strides[i];
      position = outer;
    }
    return rank > 0 ? pointer + position * strides[0] : pointer;
  }
};

namespace kernels {

/// An element as `parts` pieces of a size that registers hold.
struct element_parts {
  int size;
  int parts;

  /// For elements of `itemsize` bytes, all at multiples of `alignment`.
  [[nodiscard]] static element_parts of(std::int64_t itemsize, std::uint64_t alignment) noexcept {
    const std::uint64_t all = static_cast<std::uint64_t>(itemsize) | alignment | 16U;
    const auto size = static_cast<std::int64_t>(all & (~all + 1));
    return {static_cast<int>(size), static_cast<int>(itemsize / size)};
  }
  [[nodiscard]] static std::uint64_t alignment(const indexed_array& a) noexcept {
    std::uint64_t all = reinterpret_cast<std::uintptr_t>(a.data);
    for (int i = 0; i < a.rank; ++i) all |= static_cast<std::uint64_t>(a.strides[i]);
    return all;
  }
};

__device__ __forceinline__ void move_element(char* to, const char* from, const element_parts& e) {
#pragma unroll 1
  for (int part = 0; part < e.parts; ++part) {
    store_element(to + part * e.size, load_element(from + part * e.size, e.size), e.size);
  }
}

/// Moves elements between `array`, at positions, and a dense or constant sequence.
template <int = 0>
__global__ __launch_bounds__(block_threads) void indexed_kernel(const __grid_constant__ indexed_array array,
                                                                const std::int64_t* const positions,
                                                                const std::int64_t n, char* const sequence,
                                                                const std::int64_t stride, const element_parts element,
                                                                const bool gathering) {
  const std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (i >= n) return;
  char* const there = array.at(positions[i]);
  char* const here = sequence + i * stride;
  move_element(gathering ? here : there, gathering ? there : here, element);
}

inline void run_indexed(const indexed_array& array, const std::int64_t* positions, std::int64_t n, char* sequence,
                        std::int64_t stride, std::int64_t itemsize, bool gathering, cudaStream_t stream) {
  const auto alignment =
      element_parts::alignment(array) | reinterpret_cast<std::uintptr_t>(sequence) | static_cast<std::uint64_t>(stride);
  launch(gathering ? "gather" : "scatter", divide_up(n, block_threads), stream, indexed_kernel<>, array, positions, n,
         sequence, stride, element_parts::of(itemsize, alignment), gathering);
}

}  // namespace kernels

/// `out[i] = source at positions[i]` for n elements of `itemsize` bytes, `out` dense. Positions count in C order and
/// are not checked. Does not wait. @throws cuda_error if the launch fails
inline void gather(void* out, const indexed_array& source, const std::int64_t* positions, std::int64_t n,
                   std::int64_t itemsize, cudaStream_t stream) {
  kernels::run_indexed(source, positions, n, static_cast<char*>(out), itemsize, itemsize, true, stream);
}

/// `target at positions[i] = values[i]`; `value_stride` in bytes, 0 for one value. Of several values for one position
/// any may win. Does not wait. @throws cuda_error if the launch fails
inline void scatter(const indexed_array& target, const std::int64_t* positions, std::int64_t n, const void* values,
                    std::int64_t value_stride, std::int64_t itemsize, cudaStream_t stream) {
  kernels::run_indexed(target, positions, n, static_cast<char*>(const_cast<void*>(values)), value_stride, itemsize,
                       false, stream);
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
