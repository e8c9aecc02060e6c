/// @file
/// Many strided copies in one kernel: the parts of an array that is put together from others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "strided_copy.hpp"
#include "transfer.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

namespace kernels {

/// One copy of many; blocks from `first_block` to that of the next one work on it.
struct move_part {
  std::uint32_t first_block;
  std::int32_t size;  ///< bytes of an element
  tiling tiles;
  nest<2> loops;
};

/// So few parts travel with the launch; the table of more is uploaded.
inline constexpr int inline_parts = 16;

struct part_table {
  move_part parts[inline_parts];

  [[nodiscard]] __device__ __forceinline__ const move_part& operator[](int i) const { return parts[i]; }
};

/// `Table`: a `part_table` or a pointer to parts in the device's memory.
template <class Table>
__global__ __launch_bounds__(block_threads) void parts_kernel(const __grid_constant__ Table parts, const int count) {
  int mine = 0;
  for (int last = count - 1; mine < last;) {
    const int middle = (mine + last + 1) / 2;
    if (parts[middle].first_block <= blockIdx.x) {
      mine = middle;
    } else {
      last = middle - 1;
    }
  }
  const move_part& part = parts[mine];
  const std::uint32_t block = blockIdx.x - part.first_block;
  move_elements(part.loops, part.tiles, block * (block_threads * move_items) + threadIdx.x, part.size, false, {});
}

/// Appends the pieces of a copy and returns the number of blocks so far.
inline std::int64_t add_parts(std::vector<move_part>& parts, const gpu::detail::strided_copy& copy,
                              std::int64_t blocks) {
  kernels::loops l;
  set_loops(l, copy);
  plan_move(l, static_cast<std::int64_t>(copy.itemsize), true,
            [&](const any_nest& n, const tiling& tiles, int size, std::int64_t needed) {
              move_part& part = parts.emplace_back();
              part.first_block = static_cast<std::uint32_t>(blocks);
              part.size = size;
              part.tiles = tiles;
              std::memcpy(&part.loops, &n, sizeof part.loops);  // what `nest` says of its layout
              blocks += needed;
            });
  return blocks;
}

}  // namespace kernels

/// Strided copies of which none reads or writes what another writes: one kernel, however many they are; one for each
/// 16 while work is captured, when no table can be uploaded. Does not wait. @throws cuda_error, out_of_memory
inline void copy_parts(const detail::strided_copy* copies, std::size_t count, buffer& dst, buffer_list reads,
                       detail::stream_state& s) {
  if (count == 1) return copy_strided(copies[0], dst, **reads.begin(), s);
  std::vector<kernels::move_part> parts;
  parts.reserve(count);
  std::int64_t blocks = 0;
  for (std::size_t i = 0; i < count; ++i) blocks = kernels::add_parts(parts, copies[i], blocks);
  if (parts.empty()) return;
  std::vector<buffer*> used(reads.begin(), reads.end());
  buffer_ptr table;
  if (parts.size() > kernels::inline_parts && !is_capturing(s)) {
    const std::size_t bytes = parts.size() * sizeof(kernels::move_part);
    s.add_handle();
    table = allocate_buffer(bytes, s.owner, stream::adopt(s));
    copy_from_host(*table, 0, parts.data(), bytes, s);
    used.push_back(table.get());
  }
  const cuda_stream::submission scope(cuda_stream_of(s), used, {&dst});
  if (table) {
    kernels::launch("copy of parts", blocks, native(s), kernels::parts_kernel<const kernels::move_part*>,
                    static_cast<const kernels::move_part*>(table->data()), static_cast<int>(parts.size()));
    return;
  }
  for (std::size_t first = 0; first < parts.size(); first += kernels::inline_parts) {
    kernels::part_table some{};
    const std::size_t left = parts.size() - first;
    const std::size_t here = left < kernels::inline_parts ? left : kernels::inline_parts;
    const std::uint32_t before = parts[first].first_block;
    const std::int64_t end = here < left ? parts[first + here].first_block : blocks;
    for (std::size_t i = 0; i < here; ++i) {
      some.parts[i] = parts[first + i];
      some.parts[i].first_block -= before;
    }
    kernels::launch("copy of parts", end - before, native(s), kernels::parts_kernel<kernels::part_table>, some,
                    static_cast<int>(here));
  }
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
