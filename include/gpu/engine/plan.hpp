/// @file
/// What one evaluation iterates over, erased of types: the shared half of every backend's work.
#pragma once

#include <cstdint>

#include "../core/config.hpp"
#include "../core/shape.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

/// The most leaves of one evaluation; deeper expressions evaluate a part into a temporary first. For GPUs fewer: nvcc's
/// optimiser takes 2 s for a kernel of 16 leaves, 6 for one of 24, 40 for one of 28 and minutes for more.
#if defined(__CUDACC__)
inline constexpr int max_leaves = 16;
#else
inline constexpr int max_leaves = 32;
#endif

/// One operand of a loop nest: its first element and, for each loop, the distance in bytes (0: the same element).
struct operand {
  const void* data = nullptr;
  std::int64_t itemsize = 0;
  std::int64_t strides[max_rank + 1] = {};
};

/// `out[i] = f(in0[i], in1[i], ...)` over a nest of `rank` loops, outermost first. Adjacent loops that every operand
/// crosses with one stride are merged and loops of extent 1 dropped, so contiguous work has rank 1 (rank 0: one
/// element).
struct elementwise_plan {
  int rank = 0;
  std::int64_t extents[max_rank] = {};
  std::int64_t size = 0;  ///< the product of the extents; 0: nothing to do
  operand out;            ///< written; never aliases an input except as exactly the same elements
  int inputs = 0;
  const operand* in = nullptr;
};

/// `out[k] = reduce over r of f(in...[k, r])`: loops over kept axes come first, then those over reduced axes, which
/// keep their C order (so that an index within the reduced axes is well defined). Merged as above within each group.
struct reduce_plan {
  int kept_rank = 0;
  int reduced_rank = 0;
  std::int64_t extents[max_rank + 1] = {};  ///< kept_rank kept extents, then reduced_rank reduced ones
  std::int64_t kept = 1;                    ///< product of the kept extents
  std::int64_t reduced = 1;                 ///< product of the reduced extents; 0: every result is the identity
  operand out;                              ///< strides of the first kept_rank loops only
  int inputs = 0;
  const operand* in = nullptr;
};

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
