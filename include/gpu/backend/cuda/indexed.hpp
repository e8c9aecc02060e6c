/// @file
/// Indexing with arrays of integers on a GPU: one kernel that checks, finds and moves, or combines, every element.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../../core/types.hpp"
#include "../../engine/index_plan.hpp"
#include "../../engine/ops/arithmetic.hpp"
#include "gather.hpp"
#include "index_fault.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {
namespace kernels {

[[nodiscard]] __device__ __forceinline__ std::int64_t load_index(const char* at, dtype type) {
  switch (type) {
    case dtype::int8: return *reinterpret_cast<const std::int8_t*>(at);
    case dtype::int16: return *reinterpret_cast<const std::int16_t*>(at);
    case dtype::int32: return *reinterpret_cast<const std::int32_t*>(at);
    case dtype::uint8: return *reinterpret_cast<const std::uint8_t*>(at);
    case dtype::uint16: return *reinterpret_cast<const std::uint16_t*>(at);
    case dtype::uint32: return *reinterpret_cast<const std::uint32_t*>(at);
    case dtype::uint64: {
      const auto value = *reinterpret_cast<const std::uint64_t*>(at);
      return value > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(value);
    }
    default: return *reinterpret_cast<const std::int64_t*>(at);
  }
}

__device__ __forceinline__ void note_index_fault(detail::index_fault* fault, std::int64_t index,
                                                 const detail::index_operand& operand) {
  if (atomicCAS(&fault->state, 0U, 1U) != 0U) return;
  fault->axis = operand.axis;
  fault->index = index;
  fault->extent = operand.extent;
  __threadfence_system();
  atomicExch(&fault->state, 2U);
}

/// Finds element `position` of the plan; false if an index is out of range.
[[nodiscard]] __device__ __forceinline__ bool find_indexed(const detail::index_plan& p, std::int64_t position,
                                                           detail::index_fault* fault, char*& element, char*& value) {
  const bool narrow = p.size <= INT32_MAX;
  std::int64_t places[max_rank];
  element = p.array;
  value = p.values;
#pragma unroll 1
  for (int loop = p.rank - 1; loop >= 0; --loop) {
    const std::int64_t extent = p.extents[loop];
    const std::int64_t outer =
        loop == 0 ? 0
        : narrow  ? static_cast<std::int64_t>(static_cast<std::uint32_t>(position) / static_cast<std::uint32_t>(extent))
                  : position / extent;
    const std::int64_t place = position - outer * extent;
    places[loop] = place;
    element += place * p.array_strides[loop];
    value += place * p.value_strides[loop];
    position = outer;
  }
  bool inside = true;
#pragma unroll 1
  for (int k = 0; k < p.count; ++k) {
    const detail::index_operand& operand = p.index[k];
    const char* at = operand.data;
#pragma unroll 1
    for (int loop = 0; loop < p.rank; ++loop) at += places[loop] * operand.strides[loop];
    const std::int64_t index = load_index(at, operand.type);
    const std::int64_t place = detail::place_of(index, operand.extent, p.mode);
    if (place < 0) {
      note_index_fault(fault, index, operand);
      inside = false;
    } else {
      element += place * operand.step;
    }
  }
  return inside && p.moves;
}

template <int = 0>
__global__ __launch_bounds__(block_threads) void move_indexed_kernel(const __grid_constant__ detail::index_plan plan,
                                                                     detail::index_fault* const fault,
                                                                     const element_parts parts, const bool gathering) {
  const std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (i >= plan.size) return;
  char* element = nullptr;
  char* value = nullptr;
  if (!find_indexed(plan, i, fault, element, value)) return;
  move_element(gathering ? value : element, gathering ? element : value, parts);
}

/// `*at = operation(*at, value)` as one step that no other thread divides.
template <class Operation, class Word, class T>
__device__ __forceinline__ void combine_word(T* at, T value) {
  static_assert(sizeof(Word) == sizeof(T));
  auto* const word = reinterpret_cast<Word*>(at);
  Word old = *reinterpret_cast<volatile Word*>(word);
  for (;;) {
    const T combined = Operation{}(__builtin_bit_cast(T, old), value);
    const Word seen = atomicCAS(word, old, __builtin_bit_cast(Word, combined));
    if (seen == old) return;
    old = seen;
  }
}

/// The same for types of one or two bytes, in the aligned word of four that holds them.
template <class Operation, class T>
__device__ __forceinline__ void combine_narrow(char* at, T value) {
  using bits = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  auto* const word = reinterpret_cast<unsigned*>(address & ~std::uintptr_t{3});
  const auto shift = static_cast<unsigned>(address & 3U) * 8U;
  const unsigned mask = static_cast<unsigned>(static_cast<bits>(~bits{0})) << shift;
  unsigned old = *reinterpret_cast<volatile unsigned*>(word);
  for (;;) {
    const auto part = static_cast<bits>(old >> shift);
    T combined{};
    if constexpr (std::is_same_v<T, bool>) {
      combined = Operation{}(part != 0, value);
    } else {
      combined = Operation{}(__builtin_bit_cast(T, part), value);
    }
    const unsigned next = (old & ~mask) | (static_cast<unsigned>(__builtin_bit_cast(bits, combined)) << shift);
    const unsigned seen = atomicCAS(word, old, next);
    if (seen == old) return;
    old = seen;
  }
}

template <class Operation, class T>
__device__ __forceinline__ void combine_element(char* at, T value) {
  if constexpr (complex_number<T>) {  // parts add up apart
    using part = real_t<T>;
    combine_element<Operation>(at, static_cast<part>(value.re));
    combine_element<Operation>(at + sizeof(part), static_cast<part>(value.im));
  } else if constexpr (sizeof(T) <= 2) {
    combine_narrow<Operation>(at, value);
  } else if constexpr (std::is_same_v<Operation, ops::add> && std::is_floating_point_v<T>) {
    atomicAdd(reinterpret_cast<T*>(at), value);
  } else if constexpr (sizeof(T) == 4) {
    combine_word<Operation, unsigned>(reinterpret_cast<T*>(at), value);
  } else {
    combine_word<Operation, unsigned long long>(reinterpret_cast<T*>(at), value);
  }
}

template <class T, class Operation>
__global__ __launch_bounds__(block_threads) void combine_indexed_kernel(const __grid_constant__ detail::index_plan plan,
                                                                        detail::index_fault* const fault) {
  const std::int64_t i = std::int64_t{blockIdx.x} * block_threads + threadIdx.x;
  if (i >= plan.size) return;
  char* element = nullptr;
  char* value = nullptr;
  if (!find_indexed(plan, i, fault, element, value)) return;
  if constexpr (std::is_same_v<T, bool>) {
    combine_element<Operation>(element, *reinterpret_cast<const std::uint8_t*>(value) != 0);
  } else {
    combine_element<Operation>(element, *reinterpret_cast<const T*>(value));
  }
}

inline void run_move_indexed(const detail::index_plan& p, int ordinal, bool gathering, cudaStream_t stream) {
  std::uint64_t alignment = reinterpret_cast<std::uintptr_t>(p.array) | reinterpret_cast<std::uintptr_t>(p.values);
  for (int i = 0; i < p.rank; ++i)
    alignment |= static_cast<std::uint64_t>(p.array_strides[i]) | static_cast<std::uint64_t>(p.value_strides[i]);
  for (int k = 0; k < p.count; ++k) alignment |= static_cast<std::uint64_t>(p.index[k].step);
  launch(gathering ? "indexing with arrays" : "assignment through index arrays", divide_up(p.size, block_threads),
         stream, move_indexed_kernel<>, p, index_fault_of(ordinal), element_parts::of(p.itemsize, alignment),
         gathering);
}

}  // namespace kernels

/// Copies the indexed elements to the values. One kernel; does not wait. An index out of range is an `index_error` of
/// the next call that waits for the device; its elements are left out. @throws cuda_error if the launch fails
inline void gather_indexed(const detail::index_plan& p, int ordinal, cudaStream_t stream) {
  kernels::run_move_indexed(p, ordinal, true, stream);
}

/// Copies the values to the indexed elements; of several for one element any may stay. Otherwise as above.
inline void scatter_indexed(const detail::index_plan& p, int ordinal, cudaStream_t stream) {
  kernels::run_move_indexed(p, ordinal, false, stream);
}

/// `element = operation(element, value)` for every value, in any order. Otherwise as above.
template <class T, class Operation>
void combine_indexed(const detail::index_plan& p, int ordinal, cudaStream_t stream) {
  kernels::launch("accumulation through index arrays", kernels::divide_up(p.size, block_threads), stream,
                  kernels::combine_indexed_kernel<T, Operation>, p, index_fault_of(ordinal));
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
