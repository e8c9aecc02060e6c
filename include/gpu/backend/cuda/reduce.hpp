/// @file
/// `cuda::reduce`: reduces a fused expression along axes, reading it directly, with one kernel family for rows of any
/// number and length (see `row_schedule`).
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "elements.hpp"
#include "reduce_schedule.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

namespace kernels {

/// Accumulators that carry an index: which of two has the lower one decides who comes first in `combine`.
template <class Accumulator>
concept indexed_accumulator = requires(const Accumulator& a) {
  { a.index } -> std::convertible_to<std::int64_t>;
};

/// Lanes hold interleaved elements, so an index has to be compared; other reducers are commutative.
template <class Reducer, class Accumulator>
[[nodiscard]] constexpr Accumulator combine_any_order(const Reducer& reducer, const Accumulator& a,
                                                      const Accumulator& b) {
  if constexpr (indexed_accumulator<Accumulator>) {
    return a.index <= b.index ? reducer.combine(a, b) : reducer.combine(b, a);
  } else {
    return reducer.combine(a, b);
  }
}

/// The second phase: what it reads are accumulators.
template <class Reducer>
struct partial_reducer {
  using input = typename Reducer::accumulator;
  using accumulator = typename Reducer::accumulator;
  using result = typename Reducer::result;
  Reducer reducer;

  [[nodiscard]] constexpr accumulator identity() const { return reducer.identity(); }
  [[nodiscard]] constexpr accumulator lift(const accumulator& a, std::int64_t) const { return a; }
  [[nodiscard]] constexpr accumulator combine(const accumulator& a, const accumulator& b) const {
    return reducer.combine(a, b);
  }
  [[nodiscard]] constexpr result finish(const accumulator& a, std::int64_t count) const {
    return reducer.finish(a, count);
  }
};

struct pass_through {
  template <class T>
  [[nodiscard]] constexpr T operator()(const T& value) const {
    return value;
  }
};

/// Elements that a lane loads before it combines them: at least 16 bytes in flight, fewer for large accumulators.
template <class Accumulator, class... In>
inline constexpr int reduce_unroll = [] {
  const int bytes = (0 + ... + static_cast<int>(sizeof(In)));
  const int n = bytes == 0 ? 4 : power_of_two_below(bytes < 16 ? 16 / bytes : 1);
  const int most = sizeof(Accumulator) > 16 ? 2 : 8;
  return n < 2 ? 2 : n > most ? most : n;
}();

/// `Count` elements of a row, `step` apart, as accumulators: all loads first, so that they overlap.
template <int Count, class Reducer, class F, class... In>
__device__ __forceinline__ void load_elements(typename Reducer::accumulator (&out)[Count],
                                              const nest<1 + sizeof...(In)>& n, const row_schedule& s, const F& f,
                                              const Reducer& reducer, char* const (&row)[1 + sizeof...(In)],
                                              std::uint32_t index, std::uint32_t step) {
  constexpr int pointer_count = 1 + static_cast<int>(sizeof...(In));
  leaves<Count, In...> in;
#pragma unroll
  for (int j = 0; j < Count; ++j) {
    const std::uint32_t at = index + static_cast<std::uint32_t>(j) * step;
    char* pointers[pointer_count];
#pragma unroll
    for (int k = 0; k < pointer_count; ++k) pointers[k] = row[k];
    if (s.row_loops == 1) {
#pragma unroll
      for (int k = 1; k < pointer_count; ++k) {
        pointers[k] += static_cast<std::int64_t>(n.operand[k].strides[0]) * static_cast<std::int32_t>(at);
      }
    } else {
      advance<1>(n, at, pointers, 0, static_cast<int>(s.row_loops));
    }
    in.template load<1>(pointers, j);
  }
#pragma unroll
  for (int j = 0; j < Count; ++j) {
    const std::int64_t at = s.first_index + index + static_cast<std::uint32_t>(j) * step;
    out[j] = reducer.lift(in.template apply<typename Reducer::input>(f, j), at);
  }
}

/// Combines the lanes of each row; the first lane receives the total. Every thread of the block takes part.
template <class Reducer, class Accumulator>
__device__ __forceinline__ Accumulator combine_lanes(const row_schedule& s, const Reducer& reducer, Accumulator total,
                                                     std::uint32_t lane) {
  __shared__ __align__(alignof(Accumulator)) unsigned char memory[block_threads * sizeof(Accumulator)];
  auto* const shared = reinterpret_cast<Accumulator*>(memory);
  const std::uint32_t lanes = 1u << s.lane_bits;
  const std::uint32_t step = s.columns != 0 ? block_threads >> s.lane_bits : 1;
  if (lanes > 1) shared[threadIdx.x] = total;
#pragma unroll 1
  for (std::uint32_t offset = 1; offset < lanes; offset *= 2) {
    __syncthreads();
    if (lane % (2 * offset) == 0) {
      total = combine_any_order(reducer, total, shared[threadIdx.x + offset * step]);
      shared[threadIdx.x] = total;
    }
  }
  return total;
}

template <int Unroll, class Reducer, class F, class... In>
__global__ __launch_bounds__(block_threads) void reduce_kernel(const __grid_constant__ nest<1 + sizeof...(In)> n,
                                                               const __grid_constant__ row_schedule s,
                                                               const __grid_constant__ F f,
                                                               const __grid_constant__ Reducer reducer) {
  using accumulator = typename Reducer::accumulator;
  const std::uint32_t lanes = 1u << s.lane_bits;
  const std::uint32_t rows = block_threads >> s.lane_bits;
  const std::uint32_t lane = s.columns != 0 ? threadIdx.x / rows : threadIdx.x & (lanes - 1);
  const std::uint32_t local = s.columns != 0 ? threadIdx.x & (rows - 1) : threadIdx.x >> s.lane_bits;
  const std::uint32_t segment = blockIdx.x / s.row_blocks;
  const std::uint32_t row = (blockIdx.x - segment * s.row_blocks) * rows + local;

  accumulator total = reducer.identity();
  char* pointers[1 + sizeof...(In)];
#pragma unroll
  for (int k = 0; k <= static_cast<int>(sizeof...(In)); ++k) pointers[k] = n.operand[k].data;
  if (row < s.rows) {
    advance(n, row, pointers, static_cast<int>(s.row_loops), n.rank);
    const std::uint32_t begin = segment * s.segment;
    const std::uint32_t end = s.length - begin < s.segment ? s.length : begin + s.segment;
    std::uint32_t i = begin + lane;
#pragma unroll 1
    for (; i + (Unroll - 1) * lanes < end; i += Unroll * lanes) {
      accumulator part[Unroll];
      load_elements<Unroll, Reducer, F, In...>(part, n, s, f, reducer, pointers, i, lanes);
#pragma unroll
      for (int width = 1; width < Unroll; width *= 2) {
#pragma unroll
        for (int j = 0; j < Unroll; j += 2 * width) {
          part[j] = combine_any_order(reducer, part[j], part[j + width]);
        }
      }
      total = combine_any_order(reducer, total, part[0]);
    }
#pragma unroll 1
    for (; i < end; i += lanes) {
      accumulator one[1];
      load_elements<1, Reducer, F, In...>(one, n, s, f, reducer, pointers, i, lanes);
      total = combine_any_order(reducer, total, one[0]);
    }
  }
  total = combine_lanes(s, reducer, total, lane);
  if (lane != 0 || row >= s.rows) return;
  if (s.partials != nullptr) {
    static_cast<accumulator*>(s.partials)[std::size_t{segment} * s.rows + row] = total;
  } else {
    *reinterpret_cast<stored<typename Reducer::result>*>(pointers[0]) = reducer.finish(total, s.count);
  }
}

template <class Reducer, class F, class... In>
[[nodiscard]] reduce_kernels kernels_of_reduction() {
  using accumulator = typename Reducer::accumulator;
  constexpr int unroll = reduce_unroll<accumulator, In...>;
  return {reinterpret_cast<const void*>(&reduce_kernel<unroll, Reducer, F, In...>),
          reinterpret_cast<const void*>(&reduce_kernel<2, partial_reducer<Reducer>, pass_through, accumulator>),
          static_cast<std::int64_t>(sizeof(accumulator)),
          unroll,
          indexed_accumulator<accumulator>,
          "reduction"};
}

}  // namespace kernels

/// Bytes of device memory that `reduce` of this plan needs for its second phase; 0 for one phase.
template <class Reducer, class... In, class F>
[[nodiscard]] std::size_t reduce_scratch_bytes(const engine::reduce_plan& plan, const F&) {
  return kernels::run_reduce(plan, kernels::kernels_of_reduction<Reducer, F, In...>(), nullptr, nullptr, nullptr,
                             nullptr, true);
}

/// `out[k] = reduce over r of f(in...[k, r])` on the stream: one kernel, or two where few rows are long. The order of
/// additions depends on the plan alone. `f` returns `Reducer::input`. `scratch`: `reduce_scratch_bytes` of memory, free
/// to use in stream order. Does not wait. @throws cuda_error if a launch fails
template <class Reducer, class... In, class F>
void reduce(const engine::reduce_plan& plan, const F& f, const Reducer& reducer, cudaStream_t stream, void* scratch) {
  static_assert(std::is_trivially_copyable_v<Reducer>, "the reducer travels to the device as bytes");
  static_assert(sizeof(typename Reducer::accumulator) <= 32, "accumulators of a block must fit shared memory");
  static_cast<void>(kernels::run_reduce(plan, kernels::kernels_of_reduction<Reducer, F, In...>(), &f, &reducer, scratch,
                                        stream, false));
}

/// The same with scratch memory from `source`, allocated and freed in stream order.
template <class Reducer, class... In, class F>
void reduce(const engine::reduce_plan& plan, const F& f, const Reducer& reducer, cudaStream_t stream,
            const scratch_source& source = driver_scratch()) {
  const scratch memory(source, reduce_scratch_bytes<Reducer, In...>(plan, f), stream);
  reduce<Reducer, In...>(plan, f, reducer, stream, memory.get());
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
