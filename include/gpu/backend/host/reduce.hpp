/// @file
/// The host's reduction driver. The order in which values are combined depends on the layout alone, never on the number
/// of threads, and forms a balanced tree.
#pragma once

#include <cstdint>

#include "../../engine/make_plan.hpp"
#include "reduction.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

/// Tiles that one thread folds without splitting: a perfect subtree.
inline constexpr std::int64_t tiles_in_chunk = 64;
/// Rows that a column sum adds one after the other before the result joins the tree.
inline constexpr std::int64_t sequential_rows = 128;
/// The most neighbouring results of a column sum: longer pieces of rows suit the prefetchers better.
inline constexpr std::int64_t column_tile_elements = 4096;
/// The elements of a tile of rows.
inline constexpr std::int64_t folded_tile_elements = 1024;
/// With fewer independent results than this, the reduced loops are divided among the threads too.
inline constexpr std::int64_t enough_results = 8;

/// Results whose values are one short run each: a tile holds the runs of several results.
inline void reduce_short_rows(const reduction& job, bool parallel) {
  const engine::reduce_plan& plan = job.plan;
  const erased_reducer& r = job.reducer;
  const int row = plan.kept_rank - 1;
  const int loops[] = {row, plan.kept_rank};
  const std::int64_t length = plan.extents[plan.kept_rank];
  const std::int64_t rows = plan.extents[row];
  std::int64_t tile_rows = folded_tile_elements / length;
  if (tile_rows > rows) tile_rows = rows;
  const std::int64_t row_tiles = (rows + tile_rows - 1) / tile_rows;
  for_ranges(plan.kept / rows * row_tiles, parallel, [&](std::int64_t first, std::int64_t last) {
    sub_nest at(job, loops, 2);
    tile_source source(job, at.nest, folded_tile_elements);
    tile_walk walk(at.nest, {0, 1, tile_rows, length});
    accumulator_memory folded(r.accumulator_size * tile_rows);
    for (std::int64_t item = first; item < last; ++item) {
      at.reset(job);
      at.advance(job, 0, row, item / row_tiles);
      const std::int64_t first_row = item % row_tiles * tile_rows;
      walk.move_to(first_row, 0);
      const auto* const values = static_cast<const char*>(source.read(walk));
      const std::int64_t count = walk.rows();
      for (std::int64_t i = 0; i < count; ++i) {
        r.fold(r.reducer, values + i * length * job.value_size, length, 0, folded.data() + i * r.accumulator_size);
      }
      char* const out = target_at(plan, row, item / row_tiles) + first_row * plan.out.strides[row];
      r.finish(r.reducer, folded.data(), count, plan.reduced, out, plan.out.strides[row]);
    }
  });
}

/// Each result is folded from tiles of its own values: for reduced loops that are contiguous in memory.
inline void reduce_rows(const reduction& job, bool parallel) {
  const engine::reduce_plan& plan = job.plan;
  const erased_reducer& r = job.reducer;
  int loops[max_rank] = {};
  for (int i = 0; i < plan.reduced_rank; ++i) loops[i] = plan.kept_rank + i;
  const sub_nest model(job, loops, plan.reduced_rank);
  const tiling cut = r.ordered ? ordered_tiling(model.nest) : choose_tiling(model.nest);
  const std::int64_t tiles = tile_walk(model.nest, cut).tiles();
  const std::int64_t chunks = (tiles + tiles_in_chunk - 1) / tiles_in_chunk;
  accumulator_memory partials(r.accumulator_size * plan.kept * chunks);
  for_ranges(plan.kept * chunks, parallel, [&](std::int64_t first, std::int64_t last) {
    sub_nest at(job, loops, plan.reduced_rank);
    tile_source source(job, at.nest, cut.rows * cut.columns);
    tile_walk walk(at.nest, cut);
    alignas(16) char levels[balanced_tree::levels * max_accumulator];
    alignas(16) char partial[max_accumulator];
    balanced_tree tree(r, 1, levels);
    for (std::int64_t item = first; item < last; ++item) {
      at.reset(job);
      at.advance(job, 0, plan.kept_rank, item / chunks);
      const std::int64_t begin = item % chunks * tiles_in_chunk;
      const std::int64_t end = begin + tiles_in_chunk < tiles ? begin + tiles_in_chunk : tiles;
      walk.seek(begin);
      for (std::int64_t i = begin; i < end; ++i, walk.next()) {
        const void* const values = source.read(walk);
        r.fold(r.reducer, values, walk.rows() * walk.columns(), walk.flat_index(), partial);
        tree.push(partial);
      }
      tree.collect(partials.data() + item * r.accumulator_size);
    }
  });
  alignas(16) char levels[balanced_tree::levels * max_accumulator];
  alignas(16) char total[max_accumulator];
  balanced_tree tree(r, 1, levels);
  for (std::int64_t k = 0; k < plan.kept; ++k) {
    char* const partial = partials.data() + k * chunks * r.accumulator_size;
    for (std::int64_t c = 0; c < chunks; ++c) tree.push(partial + c * r.accumulator_size);
    tree.collect(total);
    r.finish(r.reducer, total, 1, plan.reduced, target_at(plan, plan.kept_rank, k), plan.out.itemsize);
  }
}

/// Neighbouring results are folded side by side, row after row: for kept loops that are contiguous in memory.
inline void reduce_columns(const reduction& job, bool parallel) {
  const engine::reduce_plan& plan = job.plan;
  const erased_reducer& r = job.reducer;
  const int column = plan.kept_rank - 1;
  const int row = job.loops() - 1;
  const int loops[] = {row, column};
  const std::int64_t length = plan.extents[column];
  const std::int64_t columns = length < column_tile_elements ? length : column_tile_elements;
  std::int64_t rows = columns < folded_tile_elements ? folded_tile_elements / columns : 1;
  if (rows > plan.extents[row]) rows = plan.extents[row];
  const std::int64_t column_tiles = (length + columns - 1) / columns;
  const std::int64_t row_tiles = (plan.extents[row] + rows - 1) / rows;
  const std::int64_t results = plan.kept / length * column_tiles;
  const std::int64_t steps = plan.reduced / plan.extents[row] * row_tiles;
  std::int64_t chunk = steps;
  if (results < enough_results) {
    chunk = (tiles_in_chunk * folded_tile_elements + rows * columns - 1) / (rows * columns);
    constexpr std::int64_t most_chunks = 256;
    if (chunk * most_chunks < steps) chunk = (steps + most_chunks - 1) / most_chunks;
  }
  const std::int64_t chunks = (steps + chunk - 1) / chunk;
  const std::int64_t width = r.accumulator_size * columns;
  accumulator_memory partials(chunks > 1 ? width * results * chunks : 0);
  const auto finish = [&](char* folded, std::int64_t result) {
    const std::int64_t first_column = result % column_tiles * columns;
    char* const out = target_at(plan, column, result / column_tiles) + first_column * plan.out.strides[column];
    const std::int64_t n = length - first_column < columns ? length - first_column : columns;
    r.finish(r.reducer, folded, n, plan.reduced, out, plan.out.strides[column]);
  };
  for_ranges(results * chunks, parallel, [&](std::int64_t first, std::int64_t last) {
    sub_nest at(job, loops, 2);
    tile_source source(job, at.nest, rows * columns);
    tile_walk walk(at.nest, {0, 1, rows, columns});
    accumulator_memory memory(width * (balanced_tree::levels + 2));
    char* const running = memory.data();
    balanced_tree tree(r, columns, running + 2 * width);
    for (std::int64_t item = first; item < last; ++item) {
      const std::int64_t result = item / chunks;
      const std::int64_t begin = item % chunks * chunk;
      const std::int64_t end = begin + chunk < steps ? begin + chunk : steps;
      std::int64_t pending = 0;
      r.initialise(r.reducer, running, columns);
      for (std::int64_t step = begin; step < end; ++step) {
        at.reset(job);
        at.advance(job, 0, column, result / column_tiles);
        at.advance(job, plan.kept_rank, row, step / row_tiles);
        walk.move_to(step % row_tiles * rows, result % column_tiles * columns);
        const void* const values = source.read(walk);
        const std::int64_t index = step / row_tiles * plan.extents[row] + step % row_tiles * rows;
        r.fold_columns(r.reducer, values, walk.rows(), walk.columns(), index, 1, running);
        pending += walk.rows();
        if (pending >= sequential_rows) {
          tree.push(running);
          r.initialise(r.reducer, running, columns);
          pending = 0;
        }
      }
      if (pending > 0) tree.push(running);
      char* const folded = chunks > 1 ? partials.data() + item * width : running + width;
      tree.collect(folded);
      if (chunks == 1) finish(folded, result);
    }
  });
  if (chunks == 1) return;
  accumulator_memory memory(width * (balanced_tree::levels + 1));
  balanced_tree tree(r, columns, memory.data() + width);
  for (std::int64_t result = 0; result < results; ++result) {
    for (std::int64_t c = 0; c < chunks; ++c) tree.push(partials.data() + (result * chunks + c) * width);
    tree.collect(memory.data());
    finish(memory.data(), result);
  }
}

/// Whether the values lie closer together along the last kept loop than along the last reduced one.
inline bool prefers_columns(const engine::reduce_plan& plan) noexcept {
  if (plan.kept_rank == 0 || plan.reduced_rank == 0) return plan.kept_rank > 0;
  for (int k = 0; k < plan.inputs; ++k) {
    const std::int64_t kept = engine::planning::magnitude(plan.in[k].strides[plan.kept_rank - 1]);
    const std::int64_t reduced =
        engine::planning::magnitude(plan.in[k].strides[plan.kept_rank + plan.reduced_rank - 1]);
    if (kept != reduced) return kept != 0 && (reduced == 0 || kept < reduced);
  }
  return false;
}

/// Reduces a plan; results are written through `plan.out`.
inline void reduce(reduction job) {
  engine::reduce_plan plan = job.plan;
  if (plan.kept == 0) return;
  if (plan.reduced == 0) {
    alignas(16) char identity[max_accumulator];
    job.reducer.initialise(job.reducer.reducer, identity, 1);
    for (std::int64_t k = 0; k < plan.kept; ++k) {
      job.reducer.finish(job.reducer.reducer, identity, 1, 0, target_at(plan, plan.kept_rank, k), plan.out.itemsize);
    }
    return;
  }
  const bool parallel = plan.kept * plan.reduced >= parallel_threshold;
  if (prefers_columns(plan)) {
    // A reduction over nothing has one row.
    if (plan.reduced_rank == 0) {
      plan.extents[plan.kept_rank] = 1;
      plan.reduced_rank = 1;
      return reduce_columns({plan, job.kernel, job.reducer, job.value_size}, parallel);
    }
    return reduce_columns(job, parallel);
  }
  if (plan.kept_rank > 0 && plan.reduced_rank == 1 && plan.extents[plan.kept_rank] <= folded_tile_elements) {
    return reduce_short_rows(job, parallel);
  }
  reduce_rows(job, parallel);
}

}  // namespace host
}  // namespace GPUARRAY_ABI
}  // namespace gpu
