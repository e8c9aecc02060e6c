/// @file
/// From layouts to loop nests: axes are ordered by the target's strides, dropped, and merged where every operand
/// allows.
#pragma once

#include <cstdint>

#include "../core/layout.hpp"
#include "../runtime/buffer.hpp"
#include "plan.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

/// A leaf of an expression as the planner sees it.
struct leaf_ref {
  const void* data = nullptr;
  const layout* where = nullptr;
  std::int64_t itemsize = 0;
  buffer* owner = nullptr;
};

/// Writes the byte strides of a leaf read as `extents`.
inline void set_operand(operand& o, const leaf_ref& leaf, const shape& extents) {
  o.data = leaf.data;
  o.itemsize = leaf.itemsize;
  const int lead = extents.rank() - leaf.where->rank();
  for (int i = 0; i < extents.rank(); ++i) {
    const bool stretched = i < lead || leaf.where->extents[i - lead] == 1;
    o.strides[i] = stretched ? 0 : leaf.where->strides[i - lead] * leaf.itemsize;
  }
}

namespace planning {

inline std::int64_t magnitude(std::int64_t stride) noexcept { return stride < 0 ? -stride : stride; }

/// Whether loop `a` belongs outside loop `b`: by the target's strides, then by the inputs'.
inline bool is_outer(const operand& out, const operand* in, int inputs, int a, int b) noexcept {
  if (magnitude(out.strides[a]) != magnitude(out.strides[b])) {
    return magnitude(out.strides[a]) > magnitude(out.strides[b]);
  }
  for (int k = 0; k < inputs; ++k) {
    if (in[k].strides[a] != in[k].strides[b]) return magnitude(in[k].strides[a]) > magnitude(in[k].strides[b]);
  }
  return a < b;
}

inline void swap_loops(std::int64_t* extents, operand& out, operand* in, int inputs, int a, int b) noexcept {
  const auto swap = [](std::int64_t& x, std::int64_t& y) {
    const std::int64_t t = x;
    x = y;
    y = t;
  };
  swap(extents[a], extents[b]);
  swap(out.strides[a], out.strides[b]);
  for (int k = 0; k < inputs; ++k) swap(in[k].strides[a], in[k].strides[b]);
}

inline void move_loop(std::int64_t* extents, operand& out, operand* in, int inputs, int from, int to) noexcept {
  extents[to] = extents[from];
  out.strides[to] = out.strides[from];
  for (int k = 0; k < inputs; ++k) in[k].strides[to] = in[k].strides[from];
}

/// Makes a loop that the target crosses backwards run forwards.
inline void flip_negative(const std::int64_t* extents, int rank, operand& out, operand* in, int inputs) noexcept {
  for (int i = 0; i < rank; ++i) {
    if (out.strides[i] >= 0) continue;
    const std::int64_t last = extents[i] - 1;
    out.data = static_cast<const char*>(out.data) + out.strides[i] * last;
    out.strides[i] = -out.strides[i];
    for (int k = 0; k < inputs; ++k) {
      in[k].data = static_cast<const char*>(in[k].data) + in[k].strides[i] * last;
      in[k].strides[i] = -in[k].strides[i];
    }
  }
}

/// Drops loops of extent 1 and merges each loop with the next one where all operands allow. Returns the new rank.
inline int merge(std::int64_t* extents, int first, int last, operand& out, operand* in, int inputs) noexcept {
  int rank = first;
  for (int i = first; i < last; ++i) {
    if (extents[i] == 1) continue;
    bool mergeable = rank > first && out.strides[rank - 1] == out.strides[i] * extents[i];
    for (int k = 0; k < inputs && mergeable; ++k) {
      mergeable = in[k].strides[rank - 1] == in[k].strides[i] * extents[i];
    }
    if (mergeable) {
      const std::int64_t product = extents[rank - 1] * extents[i];
      move_loop(extents, out, in, inputs, i, rank - 1);
      extents[rank - 1] = product;
    } else {
      move_loop(extents, out, in, inputs, i, rank++);
    }
  }
  return rank;
}

}  // namespace planning

/// Plans `target[i] = f(leaves[i]...)`. `in` has room for `inputs` operands and outlives the plan.
inline elementwise_plan make_elementwise_plan(void* target, const layout& where, std::int64_t itemsize,
                                              const leaf_ref* leaves, int inputs, operand* in) {
  elementwise_plan plan;
  plan.size = where.extents.size();
  plan.inputs = inputs;
  plan.in = in;
  set_operand(plan.out, {target, &where, itemsize, nullptr}, where.extents);
  for (int k = 0; k < inputs; ++k) set_operand(in[k], leaves[k], where.extents);
  if (plan.size == 0) return plan;
  const int rank = where.rank();
  for (int i = 0; i < rank; ++i) plan.extents[i] = where.extents[i];
  planning::flip_negative(plan.extents, rank, plan.out, in, inputs);
  for (int i = 1; i < rank; ++i) {
    for (int j = i; j > 0 && planning::is_outer(plan.out, in, inputs, j, j - 1); --j) {
      planning::swap_loops(plan.extents, plan.out, in, inputs, j, j - 1);
    }
  }
  plan.rank = planning::merge(plan.extents, 0, rank, plan.out, in, inputs);
  return plan;
}

/// Plans a reduction of `extents` over the axes marked in `reduced`; `kept_strides` are the target's byte strides, in
/// the order of the kept axes.
inline reduce_plan make_reduce_plan(void* target, std::int64_t itemsize, const index_vector& kept_strides,
                                    const shape& extents, const bool* reduced, const leaf_ref* leaves, int inputs,
                                    operand* in) {
  reduce_plan plan;
  plan.inputs = inputs;
  plan.in = in;
  plan.out.data = target;
  plan.out.itemsize = itemsize;
  operand source[1];
  int axes[max_rank] = {};
  int n = 0;
  for (int i = 0; i < extents.rank(); ++i) {
    if (reduced[i]) continue;
    plan.out.strides[n] = kept_strides[n];
    axes[n++] = i;
    plan.kept *= extents[i];
  }
  const int kept = n;
  for (int i = 0; i < extents.rank(); ++i) {
    if (!reduced[i]) continue;
    axes[n++] = i;
    plan.reduced *= extents[i];
  }
  for (int i = 0; i < n; ++i) plan.extents[i] = extents[axes[i]];
  for (int k = 0; k < inputs; ++k) {
    set_operand(source[0], leaves[k], extents);
    in[k] = source[0];
    for (int i = 0; i < n; ++i) in[k].strides[i] = source[0].strides[axes[i]];
  }
  if (plan.kept == 0 || plan.reduced == 0) {
    plan.kept_rank = kept;
    plan.reduced_rank = n - kept;
    return plan;
  }
  // Reduced loops keep their C order; kept ones may follow the inputs' memory order.
  for (int i = 1; i < kept; ++i) {
    for (int j = i; j > 0 && inputs > 0; --j) {
      bool outer = false;
      for (int k = 0; k < inputs; ++k) {
        const std::int64_t a = planning::magnitude(in[k].strides[j]);
        const std::int64_t b = planning::magnitude(in[k].strides[j - 1]);
        if (a == b) continue;
        outer = a > b;
        break;
      }
      if (!outer) break;
      planning::swap_loops(plan.extents, plan.out, in, inputs, j, j - 1);
    }
  }
  plan.kept_rank = planning::merge(plan.extents, 0, kept, plan.out, in, inputs);
  for (int i = 0; i < n - kept; ++i) {
    planning::move_loop(plan.extents, plan.out, in, inputs, kept + i, plan.kept_rank + i);
    plan.out.strides[plan.kept_rank + i] = 0;
  }
  const int end = planning::merge(plan.extents, plan.kept_rank, plan.kept_rank + n - kept, plan.out, in, inputs);
  plan.reduced_rank = end - plan.kept_rank;
  return plan;
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
