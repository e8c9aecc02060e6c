/// @file
/// How a reduction is laid over the GPU, decided on the host from the shape alone: so that equal input gives equal
/// results, on every GPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "launch.hpp"
#include "nest.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {
namespace kernels {

/// Enough blocks for any GPU: the last wave of them is a small part of the work.
inline constexpr std::int64_t plenty_of_blocks = 4096;
/// Enough threads to fill any GPU without splitting rows.
inline constexpr std::int64_t plenty_of_threads = std::int64_t{1} << 18;

/// A block of 256 threads is `rows x lanes`: the lanes of a row share its elements. Threads that are neighbours in a
/// warp are neighbouring lanes if rows lie contiguous, neighbouring rows ("columns") if their elements lie apart:
/// memory is read coalesced either way. Short rows get few lanes, long ones a block or, split in segments, the whole
/// GPU.
struct row_schedule {
  std::uint32_t rows = 0;        ///< results
  std::uint32_t length = 0;      ///< elements of a row
  std::uint32_t row_loops = 0;   ///< the innermost loops of the nest run along a row
  std::uint32_t lane_bits = 0;   ///< lanes = 1 << lane_bits
  std::uint32_t columns = 0;     ///< 1: neighbouring threads are on neighbouring rows
  std::uint32_t row_blocks = 0;  ///< blocks side by side
  std::uint32_t segments = 1;    ///< parts of each row, given to different blocks
  std::uint32_t segment = 0;     ///< elements of a part
  std::int64_t first_index = 0;  ///< of a row's first element here
  std::int64_t count = 0;        ///< elements of a whole row
  void* partials = nullptr;      ///< [segments][rows] accumulators; null: there is one segment

  [[nodiscard]] std::int64_t blocks() const noexcept { return std::int64_t{row_blocks} * segments; }
};

/// Whether neighbouring rows lie closer together in memory than neighbouring elements of a row.
[[nodiscard]] inline bool prefers_columns(const loops& l, int kept_rank) noexcept {
  return kept_rank > 0 && l.rank > kept_rank &&
         l.reach(kept_rank - 1, 1, l.operands) < l.reach(l.rank - 1, 1, l.operands);
}

/// `l`: the loops over rows, then `l.rank - kept_rank` ones along a row; both below 2^31 elements.
[[nodiscard]] inline row_schedule schedule_rows(const loops& l, int kept_rank, int unroll) noexcept {
  std::int64_t rows = 1;
  for (int i = 0; i < kept_rank; ++i) rows *= l.extents[i];
  std::int64_t length = 1;
  for (int i = kept_rank; i < l.rank; ++i) length *= l.extents[i];

  const bool columns = prefers_columns(l, kept_rank);
  std::int64_t lanes = 1;
  if (columns) {
    // 32 rows at a time read whole cache lines; the block's other threads share the columns.
    lanes = rows >= plenty_of_threads ? 1 : 8;
    while (lanes < block_threads && rows * lanes * 2 <= block_threads) lanes *= 2;
    while (lanes > 1 && lanes * unroll > length) lanes /= 2;
  } else {
    while (lanes < block_threads && lanes * unroll * 4 <= length) lanes *= 2;
    while (lanes < block_threads && lanes * 2 <= length && rows * lanes < plenty_of_threads) lanes *= 2;
  }

  row_schedule s;
  s.rows = static_cast<std::uint32_t>(rows);
  s.length = static_cast<std::uint32_t>(length);
  s.row_loops = static_cast<std::uint32_t>(l.rank - kept_rank);
  s.columns = columns;
  while ((std::int64_t{1} << s.lane_bits) < lanes) ++s.lane_bits;
  s.row_blocks = static_cast<std::uint32_t>(divide_up(rows, block_threads / lanes));
  const std::int64_t step = lanes * unroll;
  std::int64_t segments = 1;
  if (s.row_blocks < plenty_of_blocks / 4) {
    segments = divide_up(plenty_of_blocks, s.row_blocks);
    if (segments > length / (step * 2)) segments = length / (step * 2) > 1 ? length / (step * 2) : 1;
  }
  const std::int64_t segment = divide_up(divide_up(length, segments), step) * step;
  s.segment = static_cast<std::uint32_t>(segment);
  s.segments = length == 0 ? 1 : static_cast<std::uint32_t>(divide_up(length, segment));
  return s;
}

/// Calls `run(rows, part)` for parts of the rows that kernels can count, `part` holding their loops and then those
/// along the row: usually once, for `l`.
template <class Run>
void split_rows(const loops& l, int kept_rank, const Run& run) {
  const loops along = l.range(kept_rank, l.rank);
  split(l.range(0, kept_rank), [&](const loops& rows, std::int64_t) {
    loops inner = along;
    for (int k = 0; k < l.operands; ++k) inner.operand[k].data = rows.operand[k].data;
    run(rows, inner);
  });
}

/// The kernels of a reduction, erased of its types.
struct reduce_kernels {
  const void* elements;  ///< reduces expressions
  const void* partials;  ///< reduces accumulators
  std::int64_t accumulator_size;
  int unroll;
  bool indexed;  ///< whether the order of the loops along a row means something
  const char* name;
};

/// The loops of a reduce plan, those along a row in the order of memory unless that order matters.
[[nodiscard]] inline loops reduce_loops(const engine::reduce_plan& plan, bool indexed) noexcept {
  loops l;
  l.rank = plan.kept_rank + plan.reduced_rank;
  l.operands = plan.inputs + 1;
  l.operand[0] = plan.out;
  for (int i = 0; i < l.rank; ++i) l.extents[i] = plan.extents[i];
  l.size = plan.kept * plan.reduced;
  for (int k = 0; k < plan.inputs; ++k) l.operand[k + 1] = plan.in[k];
  for (int i = plan.kept_rank; i < l.rank; ++i) l.operand[0].strides[i] = 0;
  if (indexed || plan.reduced == 0) return l;
  loops along = l.range(plan.kept_rank, l.rank);
  along.sort(1, along.operands);
  l = l.range(0, plan.kept_rank);
  l.nest(along);
  return l;
}

/// Runs the reduction, or only tells how many bytes of scratch memory it needs (`measure`).
inline std::size_t run_reduce(const engine::reduce_plan& plan, const reduce_kernels& kernels, const void* f,
                              const void* reducer, void* scratch, cudaStream_t stream, bool measure) {
  if (plan.kept == 0) return 0;
  const loops all = reduce_loops(plan, kernels.indexed);
  std::int64_t needed = 0;
  split_rows(all, plan.kept_rank, [&](const loops& rows, const loops& along) {
    std::int64_t segments = 0;
    const auto each_piece = [&](const auto& run) {
      split(along, [&](const loops& piece, std::int64_t first_index) {
        loops l = rows;
        l.nest(piece);
        row_schedule s = schedule_rows(l, rows.rank, kernels.unroll);
        s.first_index = first_index;
        s.count = plan.reduced;
        run(l, s);
      });
    };
    each_piece([&](const loops&, const row_schedule& s) { segments += s.segments; });
    const std::int64_t bytes = segments > 1 ? segments * rows.size * kernels.accumulator_size : 0;
    needed = bytes > needed ? bytes : needed;
    if (measure) return;

    any_nest n;
    auto* partials = static_cast<char*>(scratch);
    each_piece([&](const loops& l, row_schedule& s) {
      if (segments > 1) s.partials = partials;
      partials += s.segments * rows.size * kernels.accumulator_size;
      fill_nest(n, l, 0, l.rank);
      void* arguments[] = {&n, &s, const_cast<void*>(f), const_cast<void*>(reducer)};
      launch_erased(kernels.name, kernels.elements, s.blocks(), arguments, stream);
    });
    if (segments == 1) return;

    // Second phase: [segments][rows] accumulators, few enough that one block finishes a row.
    loops l = rows;
    l.operands = 2;
    engine::operand& partial = l.operand[1];
    partial.data = scratch;
    std::int64_t step = kernels.accumulator_size;
    for (int i = l.rank - 1; i >= 0; step *= l.extents[i--]) partial.strides[i] = step;
    l.extents[l.rank] = segments;
    partial.strides[l.rank] = step;
    l.operand[0].strides[l.rank] = 0;
    ++l.rank;
    row_schedule s = schedule_rows(l, rows.rank, 1);
    s.segments = 1;
    s.segment = s.length;
    s.count = plan.reduced;
    fill_nest(n, l, 0, l.rank);
    void* arguments[] = {&n, &s, const_cast<void*>(f), const_cast<void*>(reducer)};
    launch_erased(kernels.name, kernels.partials, s.blocks(), arguments, stream);
  });
  return static_cast<std::size_t>(needed);
}

}  // namespace kernels
}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
