/// @file
/// `cuda::scan`: running reductions (cumulative sums and products) of a fused expression along an axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "reduce.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

namespace kernels {

/// The second phase of a scan: running totals of accumulators that stay accumulators.
template <class Reducer>
struct partial_scan {
  using input = typename Reducer::accumulator;
  using accumulator = typename Reducer::accumulator;
  using result = typename Reducer::accumulator;
  Reducer reducer;

  [[nodiscard]] constexpr accumulator identity() const { return reducer.identity(); }
  [[nodiscard]] constexpr accumulator lift(const accumulator& a, std::int64_t) const { return a; }
  [[nodiscard]] constexpr accumulator combine(const accumulator& a, const accumulator& b) const {
    return reducer.combine(a, b);
  }
  [[nodiscard]] constexpr accumulator finish(const accumulator& a, std::int64_t) const { return a; }
};

/// `value` of the thread `delta` lanes below, or of lane `delta` of the group if `Broadcast`.
template <bool Broadcast, class T>
__device__ __forceinline__ T shuffle(const T& value, unsigned delta, int width) {
  constexpr int words = static_cast<int>((sizeof(T) + 3) / 4);
  unsigned raw[words] = {};
  __builtin_memcpy(raw, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i) {
    raw[i] = Broadcast ? __shfl_sync(0xffffffffu, raw[i], static_cast<int>(delta), width)
                       : __shfl_up_sync(0xffffffffu, raw[i], delta, width);
  }
  T result = value;
  __builtin_memcpy(&result, raw, sizeof(T));
  return result;
}

/// The inclusive scan of `value` over the lanes of a row, after `carry`, which becomes the total so far. Every thread
/// takes part; `step` counts the calls.
template <class Reducer, class Accumulator>
__device__ __forceinline__ Accumulator scan_lanes(const Reducer& reducer, Accumulator value, Accumulator& carry,
                                                  std::uint32_t lanes, std::uint32_t step) {
  constexpr std::uint32_t warp = 32;
  constexpr std::uint32_t warps = block_threads / warp;
  __shared__ __align__(alignof(Accumulator)) unsigned char memory[2 * warps * sizeof(Accumulator)];
  const std::uint32_t group = lanes < warp ? lanes : warp;
  const std::uint32_t lane = threadIdx.x % group;
#pragma unroll 1
  for (std::uint32_t delta = 1; delta < group; delta *= 2) {
    const Accumulator below = shuffle<false>(value, delta, static_cast<int>(group));
    if (lane >= delta) value = reducer.combine(below, value);
  }
  if (lanes <= warp) {
    value = reducer.combine(carry, value);
    carry = group == 1 ? value : shuffle<true>(value, group - 1, static_cast<int>(group));
    return value;
  }
  // Two sets of totals in turn: a thread may still read the one while others write the next.
  auto* const totals = reinterpret_cast<Accumulator*>(memory) + step % 2 * warps;
  if (lane == warp - 1) totals[threadIdx.x / warp] = value;
  __syncthreads();
#pragma unroll 1
  for (std::uint32_t i = 0; i < warps; ++i) {
    if (i == threadIdx.x / warp) value = reducer.combine(carry, value);
    carry = reducer.combine(carry, totals[i]);
  }
  return value;
}

template <int Unroll, class Reducer, class F, class... In>
__global__ __launch_bounds__(block_threads) void scan_kernel(const __grid_constant__ nest<1 + sizeof...(In)> n,
                                                             const __grid_constant__ row_schedule s,
                                                             const __grid_constant__ F f,
                                                             const __grid_constant__ Reducer reducer) {
  using accumulator = typename Reducer::accumulator;
  constexpr int pointer_count = 1 + static_cast<int>(sizeof...(In));
  const std::uint32_t lanes = 1u << s.lane_bits;
  const std::uint32_t lane = threadIdx.x & (lanes - 1);
  const std::uint32_t segment = blockIdx.x / s.row_blocks;
  const std::uint32_t own_row =
      (blockIdx.x - segment * s.row_blocks) * (block_threads >> s.lane_bits) + (threadIdx.x >> s.lane_bits);
  // Threads without a row or element of their own repeat the last one and drop the result: all must take part.
  const bool real = own_row < s.rows;
  const std::uint32_t row = real ? own_row : s.rows - 1;
  char* start[pointer_count];
#pragma unroll
  for (int k = 0; k < pointer_count; ++k) start[k] = n.operand[k].data;
  advance(n, row, start, static_cast<int>(s.row_loops), n.rank);

  const std::uint32_t begin = segment * s.segment;
  const std::uint32_t end = s.length - begin < s.segment ? s.length : begin + s.segment;
  accumulator carry = reducer.identity();
  if (s.partials != nullptr && (segment > 0 || s.first_index > 0)) {
    carry = (static_cast<const accumulator*>(s.partials) + std::size_t{segment} * s.rows + row)[-std::int64_t{s.rows}];
  }
  std::uint32_t step = 0;
#pragma unroll 1
  for (std::uint32_t base = begin; base < end; base += Unroll * lanes) {
    leaves<Unroll, In...> in;
    char* out[Unroll];
#pragma unroll
    for (int j = 0; j < Unroll; ++j) {
      const std::uint32_t at = base + lane + static_cast<std::uint32_t>(j) * lanes;
      char* pointers[pointer_count];
#pragma unroll
      for (int k = 0; k < pointer_count; ++k) pointers[k] = start[k];
      advance(n, at < end ? at : end - 1, pointers, 0, static_cast<int>(s.row_loops));
      in.template load<1>(pointers, j);
      out[j] = pointers[0];
    }
#pragma unroll
    for (int j = 0; j < Unroll; ++j) {
      const std::uint32_t at = base + lane + static_cast<std::uint32_t>(j) * lanes;
      const std::int64_t index = s.first_index + at;
      accumulator value = reducer.lift(in.template apply<typename Reducer::input>(f, j), index);
      if (at >= end) value = reducer.identity();
      value = scan_lanes(reducer, value, carry, lanes, step++);
      if (real && at < end) {
        *reinterpret_cast<stored<typename Reducer::result>*>(out[j]) = reducer.finish(value, index + 1);
      }
    }
  }
}

/// Rows lie along threads, a warp or a block if they are contiguous; otherwise each thread walks a column. Few long
/// rows are split in segments, which costs a second read of the input.
[[nodiscard]] inline row_schedule schedule_scan(const loops& l, int kept_rank, int unroll) noexcept {
  constexpr std::int64_t warp = 32;
  constexpr std::int64_t enough_blocks = 1024;
  row_schedule s = schedule_rows(l, kept_rank, unroll);
  s.columns = prefers_columns(l, kept_rank) && l.extents[kept_rank - 1] >= warp;
  const std::int64_t rows = s.rows;
  const std::int64_t length = s.length;
  std::int64_t lanes = 1;
  if (s.columns == 0) {
    while (lanes < warp && lanes * 4 <= length) lanes *= 2;
    if (length >= 2 * block_threads && (rows * warp < plenty_of_threads || length >= 16 * block_threads)) {
      lanes = block_threads;
    }
  }
  s.lane_bits = 0;
  while ((std::int64_t{1} << s.lane_bits) < lanes) ++s.lane_bits;
  s.row_blocks = static_cast<std::uint32_t>(divide_up(rows, block_threads / lanes));
  const std::int64_t step = lanes * unroll;
  std::int64_t segments = 1;
  if (s.row_blocks < enough_blocks / 4) {
    segments = divide_up(enough_blocks, s.row_blocks);
    const std::int64_t most = length / (step * 8);
    segments = segments < most ? segments : most > 1 ? most : 1;
  }
  const std::int64_t segment = divide_up(divide_up(length, segments), step) * step;
  s.segment = static_cast<std::uint32_t>(segment);
  s.segments = static_cast<std::uint32_t>(divide_up(length, segment));
  return s;
}

/// The kernels of a scan, erased of its types.
struct scan_kernels {
  const void* sums;      ///< of the segments, by `reduce_kernel`
  const void* partials;  ///< running totals of those sums
  const void* elements;  ///< the scan itself
  std::int64_t accumulator_size;
  int unroll;
};

/// Runs the scan, or only tells how many bytes of scratch memory it needs (`measure`).
inline std::size_t run_scan(const engine::reduce_plan& plan, const scan_kernels& kernels, const void* f,
                            const void* reducer, void* scratch, cudaStream_t stream, bool measure) {
  if (plan.kept == 0 || plan.reduced == 0) return 0;
  loops all;
  all.rank = plan.kept_rank + plan.reduced_rank;
  all.operands = plan.inputs + 1;
  all.operand[0] = plan.out;
  for (int i = 0; i < all.rank; ++i) all.extents[i] = plan.extents[i];
  all.size = plan.kept * plan.reduced;
  for (int k = 0; k < plan.inputs; ++k) all.operand[k + 1] = plan.in[k];

  std::int64_t needed = 0;
  split_rows(all, plan.kept_rank, [&](const loops& rows, const loops& along) {
    any_nest n;
    const auto each_piece = [&](const auto& run) {
      split(along, [&](const loops& piece, std::int64_t first_index) {
        loops l = rows;
        l.nest(piece);
        row_schedule s = schedule_scan(l, rows.rank, kernels.unroll);
        s.first_index = first_index;
        run(l, s);
      });
    };
    std::int64_t segments = 0;
    each_piece([&](const loops&, const row_schedule& s) { segments += s.segments; });
    const std::int64_t bytes = segments > 1 ? segments * rows.size * kernels.accumulator_size : 0;
    needed = bytes > needed ? bytes : needed;
    if (measure) return;

    const auto each_launch = [&](const void* kernel) {
      auto* partials = static_cast<char*>(scratch);
      each_piece([&](const loops& l, row_schedule& s) {
        if (segments > 1) s.partials = partials;
        partials += s.segments * rows.size * kernels.accumulator_size;
        fill_nest(n, l, 0, l.rank);
        void* arguments[] = {&n, &s, const_cast<void*>(f), const_cast<void*>(reducer)};
        launch_erased("scan", kernel, s.blocks(), arguments, stream);
      });
    };
    if (segments > 1) {
      each_launch(kernels.sums);
      loops l;
      l.operands = 2;
      const std::int64_t step = rows.size * kernels.accumulator_size;
      if (rows.size > 1) {
        l.extents[l.rank] = rows.size;
        l.operand[0].strides[l.rank++] = kernels.accumulator_size;
      }
      l.extents[l.rank] = segments;
      l.operand[0].strides[l.rank++] = step;
      l.operand[0].data = scratch;
      l.operand[1] = l.operand[0];
      row_schedule s = schedule_scan(l, l.rank - 1, 2);
      s.segments = 1;
      s.segment = s.length;
      fill_nest(n, l, 0, l.rank);
      void* arguments[] = {&n, &s, const_cast<void*>(f), const_cast<void*>(reducer)};
      launch_erased("scan", kernels.partials, s.blocks(), arguments, stream);
    }
    each_launch(kernels.elements);
  });
  return static_cast<std::size_t>(needed);
}

template <class Reducer, class F, class... In>
[[nodiscard]] scan_kernels kernels_of_scan() {
  using accumulator = typename Reducer::accumulator;
  constexpr int unroll = reduce_unroll<accumulator, In...> < 4 ? reduce_unroll<accumulator, In...> : 4;
  return {reinterpret_cast<const void*>(&reduce_kernel<reduce_unroll<accumulator, In...>, Reducer, F, In...>),
          reinterpret_cast<const void*>(&scan_kernel<2, partial_scan<Reducer>, pass_through, accumulator>),
          reinterpret_cast<const void*>(&scan_kernel<unroll, Reducer, F, In...>),
          static_cast<std::int64_t>(sizeof(accumulator)), unroll};
}

}  // namespace kernels

/// Bytes of device memory that `scan` of this plan needs; 0 for a single kernel.
template <class Reducer, class... In, class F>
[[nodiscard]] std::size_t scan_scratch_bytes(const engine::reduce_plan& plan, const F&) {
  return kernels::run_scan(plan, kernels::kernels_of_scan<Reducer, F, In...>(), nullptr, nullptr, nullptr, nullptr,
                           true);
}

/// `out[k, r] = finish(combine of f(in...[k, 0]) to f(in...[k, r]), r + 1)` on the stream, r in C order of the reduced
/// loops: one kernel, or three where few rows are long. Unlike in `reduce`, `plan.out` has strides for all loops; it
/// may be an input, element by element. `scratch`: `scan_scratch_bytes` of memory, free to use in stream order. Does
/// not wait. @throws cuda_error if a launch fails
template <class Reducer, class... In, class F>
void scan(const engine::reduce_plan& plan, const F& f, const Reducer& reducer, cudaStream_t stream, void* scratch) {
  static_assert(std::is_trivially_copyable_v<Reducer>, "the reducer travels to the device as bytes");
  static_assert(!kernels::indexed_accumulator<typename Reducer::accumulator>, "scans carry no index");
  static_cast<void>(
      kernels::run_scan(plan, kernels::kernels_of_scan<Reducer, F, In...>(), &f, &reducer, scratch, stream, false));
}

/// The same with scratch memory from `source`, allocated and freed in stream order.
template <class Reducer, class... In, class F>
void scan(const engine::reduce_plan& plan, const F& f, const Reducer& reducer, cudaStream_t stream,
          const scratch_source& source = driver_scratch()) {
  const scratch memory(source, scan_scratch_bytes<Reducer, In...>(plan, f), stream);
  scan<Reducer, In...>(plan, f, reducer, stream, memory.get());
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
