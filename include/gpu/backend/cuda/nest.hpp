/// @file
/// A loop nest as kernels see it: 32-bit positions, byte strides, and divisions precomputed on the host.
#pragma once

#include <cstdint>
#include <limits>

#include "../../core/config.hpp"
#include "../../core/shape.hpp"
#include "../../engine/plan.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {
namespace kernels {

/// Kernels count in 32 bits: problems of this size and more, and strides of this many bytes, are split.
inline constexpr std::int64_t index_limit = std::int64_t{1} << 31;

/// Divides numbers below 2^31 by a constant with one multiplication and a shift.
struct divisor {
  std::uint32_t value;
  std::uint32_t multiplier;
  std::uint32_t shift;

  divisor() = default;
  /// `d` in [1, 2^31).
  explicit constexpr divisor(std::int64_t d) noexcept : value(static_cast<std::uint32_t>(d)), multiplier(0), shift(0) {
    if (d <= 1) return;
    while ((std::int64_t{1} << shift) < d) ++shift;
    const std::uint64_t power = std::uint64_t{1} << (31 + shift);
    multiplier = static_cast<std::uint32_t>((power + value - 1) / value);
    --shift;
  }
  [[nodiscard]] constexpr std::uint32_t quotient(std::uint32_t n) const noexcept {
    if (multiplier == 0) return n;
    return static_cast<std::uint32_t>((std::uint64_t{n} * multiplier) >> 32) >> shift;
  }
};

/// A plan's loops with the operands that move along them, output (where there is one) first; on the host.
struct loops {
  int rank = 0;
  int operands = 0;
  std::int64_t size = 1;
  std::int64_t extents[max_rank] = {};
  engine::operand operand[engine::max_leaves + 1];

  /// Drops loop `i`, at position `at` of it.
  void fix(int i, std::int64_t at) noexcept {
    for (int k = 0; k < operands; ++k) {
      engine::operand& o = operand[k];
      o.data = static_cast<const char*>(o.data) + at * o.strides[i];
      for (int j = i; j + 1 < rank; ++j) o.strides[j] = o.strides[j + 1];
    }
    size /= extents[i];
    for (int j = i; j + 1 < rank; ++j) extents[j] = extents[j + 1];
    --rank;
  }
  /// Cuts loop `i` down to [first, last).
  void cut(int i, std::int64_t first, std::int64_t last) noexcept {
    for (int k = 0; k < operands; ++k) {
      operand[k].data = static_cast<const char*>(operand[k].data) + first * operand[k].strides[i];
    }
    size = size / extents[i] * (last - first);
    extents[i] = last - first;
  }
  /// Appends the loops of `inner`, whose operands take the place of these.
  void nest(const loops& inner) noexcept {
    for (int k = 0; k < operands; ++k) operand[k].data = inner.operand[k].data;
    for (int i = 0; i < inner.rank; ++i, ++rank) {
      extents[rank] = inner.extents[i];
      for (int k = 0; k < operands; ++k) operand[k].strides[rank] = inner.operand[k].strides[i];
    }
    size *= inner.size;
  }
  /// Loops [first, last) only.
  [[nodiscard]] loops range(int first, int last) const noexcept {
    loops part;
    part.operands = operands;
    part.rank = last - first;
    for (int k = 0; k < operands; ++k) part.operand[k].data = operand[k].data;
    for (int i = 0; i < part.rank; ++i) {
      part.extents[i] = extents[first + i];
      part.size *= part.extents[i];
      for (int k = 0; k < operands; ++k) part.operand[k].strides[i] = operand[k].strides[first + i];
    }
    return part;
  }
  /// The distance in bytes that loop `i` moves operands [first, last), added up.
  [[nodiscard]] std::int64_t reach(int i, int first, int last) const noexcept {
    std::int64_t sum = 0;
    for (int k = first; k < last; ++k) sum += magnitude(operand[k].strides[i]);
    return sum;
  }
  /// Puts the loops in the order in which operands [first, last) lie in memory, and merges those that follow on.
  void sort(int first, int last) noexcept {
    for (int i = 1; i < rank; ++i) {
      for (int j = i; j > 0 && reach(j, first, last) > reach(j - 1, first, last); --j) swap(j, j - 1);
    }
    merge();
  }
  /// Drops loops of extent 1 and makes one loop of two where every operand allows.
  void merge() noexcept {
    for (int i = 0; i < rank;) {
      if (extents[i] == 1) {
        fix(i, 0);
        continue;
      }
      bool follows = i + 1 < rank;
      for (int k = 0; k < operands && follows; ++k) {
        follows = operand[k].strides[i] == operand[k].strides[i + 1] * extents[i + 1];
      }
      if (!follows) {
        ++i;
        continue;
      }
      const std::int64_t merged = extents[i] * extents[i + 1];
      const std::int64_t total = size;
      fix(i, 0);
      extents[i] = merged;
      size = total;
    }
  }
  [[nodiscard]] static std::int64_t magnitude(std::int64_t stride) noexcept { return stride < 0 ? -stride : stride; }
  void swap(int i, int j) noexcept {
    exchange(extents[i], extents[j]);
    for (int k = 0; k < operands; ++k) exchange(operand[k].strides[i], operand[k].strides[j]);
  }

 private:
  static void exchange(std::int64_t& a, std::int64_t& b) noexcept {
    const std::int64_t t = a;
    a = b;
    b = t;
  }
};

/// The loops of an elementwise plan, the output as operand 0.
inline void set_loops(loops& l, const engine::elementwise_plan& plan) noexcept {
  l.rank = plan.rank;
  l.size = plan.size;
  l.operands = plan.inputs + 1;
  for (int i = 0; i < plan.rank; ++i) l.extents[i] = plan.extents[i];
  l.operand[0] = plan.out;
  for (int k = 0; k < plan.inputs; ++k) l.operand[k + 1] = plan.in[k];
}

/// Calls `run(part, index of its first element in C order)` on parts small enough for kernels, usually on `l` itself.
template <class Run>
void split(const loops& l, const Run& run, std::int64_t first = 0, std::int64_t limit = index_limit) {
  bool small = l.size < limit;
  for (int i = 0; i < l.rank && small; ++i) {
    for (int k = 0; k < l.operands; ++k) {
      const std::int64_t stride = l.operand[k].strides[i];
      small = small && stride < limit && stride > -limit;
    }
  }
  if (small) return run(l, first);
  const std::int64_t inner = l.size / l.extents[0];
  if (l.size >= limit && l.extents[0] > 1) {
    const std::int64_t rows = inner >= limit / 2 ? 1 : limit / 2 / inner;
    for (std::int64_t i = 0; i < l.extents[0]; i += rows) {
      loops part = l;
      part.cut(0, i, i + rows < l.extents[0] ? i + rows : l.extents[0]);
      if (part.extents[0] == 1) part.fix(0, 0);
      split(part, run, first + i * inner, limit);
    }
    return;
  }
  for (std::int64_t i = 0; i < l.extents[0]; ++i) {
    loops part = l;
    part.fix(0, i);
    split(part, run, first + i * inner, limit);
  }
}

/// An operand of a kernel's nest: strides in bytes, innermost loop first.
struct nest_operand {
  char* data;
  std::int32_t strides[max_rank];
};

/// What a kernel receives: loops innermost first. Only the last member depends on `Operands`, so that ordinary code
/// fills a `nest<most_operands>` for a kernel that takes fewer: a launch copies what the kernel declares.
template <int Operands>
struct nest {
  std::uint32_t size;
  std::int32_t rank;
  divisor extents[max_rank];
  nest_operand operand[Operands > 0 ? Operands : 1];
};

inline constexpr int most_operands = engine::max_leaves + 1;
using any_nest = nest<most_operands>;

/// Loops [first, last) of `l`, each within the limits of `split`, and the operands from `operand` on.
inline void fill_nest(any_nest& n, const loops& l, int first, int last, int operand = 0) noexcept {
  n.rank = last - first;
  std::int64_t size = 1;
  for (int i = 0; i < n.rank; ++i) {
    const int source = last - 1 - i;
    n.extents[i] = divisor(l.extents[source]);
    size *= l.extents[source];
    for (int k = operand; k < l.operands; ++k) {
      n.operand[k - operand].strides[i] = static_cast<std::int32_t>(l.operand[k].strides[source]);
    }
  }
  n.size = static_cast<std::uint32_t>(size);
  for (int k = operand; k < l.operands; ++k) {
    n.operand[k - operand].data = static_cast<char*>(const_cast<void*>(l.operand[k].data));
  }
}

/// Moves `pointers[First...]` from the first element to element `index` of loops [loop, end), the inner one first.
template <int First = 0, int Operands, int Pointers>
__device__ __forceinline__ void advance(const nest<Operands>& n, std::uint32_t index, char* (&pointers)[Pointers],
                                        int loop, int end) {
#pragma unroll 1  // unrolled, it would double the time that a kernel takes to compile
  for (; loop < end; ++loop) {
    std::uint32_t position = index;
    if (loop + 1 < end) {
      index = n.extents[loop].quotient(index);
      position -= index * n.extents[loop].value;
    }
#pragma unroll
    for (int k = First; k < Pointers; ++k) {
      pointers[k] += static_cast<std::int64_t>(n.operand[k].strides[loop]) * static_cast<std::int32_t>(position);
    }
  }
}

}  // namespace kernels
}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
