/// @file
/// The host's elementwise driver: ordinary code that runs one erased loop over tiles, on all threads.
#pragma once

#include <cstdint>

#include "../../engine/plan.hpp"
#include "streaming.hpp"
#include "threads.hpp"
#include "tile_walk.hpp"
#include "tiles.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

/// Whether to write past the caches: a large target that no operand brings into them.
inline bool streams(const engine::elementwise_plan& plan) noexcept {
  bool in_place = false;
  for (int k = 0; k < plan.inputs; ++k) in_place |= plan.in[k].data == plan.out.data;
  return plan.size >= streaming_threshold / plan.out.itemsize && !in_place;
}

/// One dense run: every operand has unit stride or is a single value.
[[gnu::noinline]] inline void run_dense(const engine::elementwise_plan& plan, const block_kernel& kernel,
                                        bool parallel) {
  bool values = false;
  for (int k = 0; k < plan.inputs; ++k) values |= plan.rank > 0 && plan.in[k].strides[0] == 0;
  const bool streaming = streams(plan);
  const std::int64_t grain = tile_elements;
  const std::int64_t grains = (plan.size + grain - 1) / grain;
  for_ranges(grains, parallel, [&](std::int64_t first_grain, std::int64_t last_grain) {
    const std::int64_t first = first_grain * grain;
    const std::int64_t last = last_grain == grains ? plan.size : last_grain * grain;
    const bool ragged = kernel.whole_lanes && (last - first) % lane_multiple != 0;
    char* tails[engine::max_leaves + 1] = {};
    const void* in[engine::max_leaves + 1];
    char* out_tile = nullptr;
    const auto run = [&](std::int64_t i, std::int64_t n) {
      for (int k = 0; k < plan.inputs; ++k) {
        if (plan.rank > 0 && plan.in[k].strides[0] == 0) continue;
        in[k] = static_cast<const char*>(plan.in[k].data) + i * plan.in[k].itemsize;
      }
      auto* const out = static_cast<char*>(const_cast<void*>(plan.out.data)) + i * plan.out.itemsize;
      run_block(kernel, streaming ? out_tile : out, plan.out.itemsize, in, plan.in, plan.inputs, n, tails);
      if (streaming) stream_bytes(out, out_tile, n * plan.out.itemsize);
    };
    const bool in_tiles = values || streaming;
    if (!in_tiles && !ragged) return run(first, last - first);
    const scratch memory(2 * (plan.inputs + 1), tile_elements, widest(plan));
    for (int k = 0; k <= plan.inputs; ++k) tails[k] = memory.tile(k);
    if (!in_tiles) return run(first, last - first);
    out_tile = memory.tile(2 * plan.inputs + 1);
    for (int k = 0; k < plan.inputs; ++k) {
      if (plan.rank == 0 || plan.in[k].strides[0] != 0) continue;
      char* const tile = memory.tile(plan.inputs + 1 + k);
      repeat_element(tile, plan.in[k].data, last - first < tile_elements ? last - first : tile_elements,
                     plan.in[k].itemsize);
      in[k] = tile;
    }
    for (std::int64_t i = first; i < last; i += tile_elements) {
      run(i, last - i < tile_elements ? last - i : tile_elements);
    }
    if (streaming) finish_streaming();
  });
}

[[gnu::noinline]] inline void run_tiled(const engine::elementwise_plan& plan, const block_kernel& kernel,
                                        bool parallel) {
  const std::int64_t itemsize = plan.out.itemsize;
  const tiling cut = choose_tiling(plan);
  const std::int64_t tiles = tile_walk(plan, cut).tiles();
  const bool streaming = plan.out.strides[cut.column] == itemsize && streams(plan);
  for_ranges(tiles, parallel, [&](std::int64_t first, std::int64_t last) {
    const scratch memory(2 * (plan.inputs + 1), cut.rows * cut.columns, widest(plan));
    char* tails[engine::max_leaves + 1] = {};
    for (int k = 0; k <= plan.inputs; ++k) tails[k] = memory.tile(plan.inputs + 1 + k);
    char* const out_tile = memory.tile(plan.inputs);
    tile_reader readers[engine::max_leaves];
    for (int k = 0; k < plan.inputs; ++k) readers[k] = tile_reader(memory.tile(k));
    tile_walk walk(plan, cut);
    walk.seek(first);
    const void* in[engine::max_leaves + 1];
    for (std::int64_t i = first; i < last; ++i, walk.next()) {
      const std::int64_t rows = walk.rows();
      const std::int64_t columns = walk.columns();
      for (int k = 0; k < plan.inputs; ++k) {
        in[k] = readers[k].read(walk.view(plan.in[k]), rows, columns, plan.in[k].itemsize);
      }
      const tile_view target = walk.view(plan.out);
      const bool direct = !streaming && is_dense(target, rows, columns, itemsize);
      run_block(kernel, direct ? target.data : out_tile, itemsize, in, plan.in, plan.inputs, rows * columns, tails);
      if (direct) continue;
      if (streaming) {
        for (std::int64_t r = 0; r < rows; ++r) {
          stream_bytes(target.data + r * target.row, out_tile + r * columns * itemsize, columns * itemsize);
        }
      } else {
        copy_tile(target, {out_tile, columns * itemsize, itemsize}, rows, columns, itemsize, target);
      }
    }
    if (streaming) finish_streaming();
  });
}

/// Evaluates a plan with an erased kernel. Exceptions of the kernel leave through the calling thread.
[[gnu::noinline]] inline void elementwise(const engine::elementwise_plan& plan, const block_kernel& kernel) {
  if (plan.size == 0) return;
  bool dense = plan.rank <= 1;
  if (plan.rank == 1) {
    dense = plan.out.strides[0] == plan.out.itemsize;
    for (int k = 0; k < plan.inputs; ++k) {
      dense &= plan.in[k].strides[0] == plan.in[k].itemsize || plan.in[k].strides[0] == 0;
    }
  }
  const bool parallel = plan.size >= parallel_threshold;
  if (dense) {
    run_dense(plan, kernel, parallel);
  } else {
    run_tiled(plan, kernel, parallel);
  }
}

}  // namespace host
}  // namespace GPUARRAY_ABI
}  // namespace gpu
