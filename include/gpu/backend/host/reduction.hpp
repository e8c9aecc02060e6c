/// @file
/// What the host's reductions share: the job, its values tile by tile, and the balanced tree that partial results join.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

#include "elementwise.hpp"
#include "reduce_loop.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

/// The most bytes of an accumulator.
inline constexpr std::int64_t max_accumulator = 32;

/// A reduction with its types erased. `kernel` is null if the values are the elements of the only leaf.
struct reduction {
  const engine::reduce_plan& plan;
  const block_kernel* kernel;
  erased_reducer reducer;
  std::int64_t value_size;

  [[nodiscard]] int loops() const noexcept { return plan.kept_rank + plan.reduced_rank; }
};

/// Heap memory for accumulators.
class accumulator_memory {
 public:
  explicit accumulator_memory(std::int64_t bytes)
      : data_(static_cast<char*>(std::malloc(static_cast<std::size_t>(bytes + 16)))) {
    if (!data_) throw std::bad_alloc();
  }
  accumulator_memory(const accumulator_memory&) = delete;
  accumulator_memory& operator=(const accumulator_memory&) = delete;
  ~accumulator_memory() { std::free(data_); }
  [[nodiscard]] char* data() const noexcept { return data_; }

 private:
  char* data_;
};

/// Combines partial results, each of `n` accumulators, pairwise as a binary counter does: rounding errors grow with the
/// logarithm of their number, and the order depends on nothing else.
class balanced_tree {
 public:
  /// Levels for 2^40 partial results.
  static constexpr std::int64_t levels = 40;

  balanced_tree(const erased_reducer& reducer, std::int64_t n, char* memory) noexcept
      : reducer_(reducer), n_(n), bytes_(reducer.accumulator_size * n), memory_(memory) {}

  /// Adds the next partial result and spoils it.
  void push(char* partial) {
    std::int64_t level = 0;
    for (std::uint64_t bits = count_; bits & 1; bits >>= 1, ++level) {
      reducer_.combine(reducer_.reducer, slot(level), partial, n_);
      std::memcpy(partial, slot(level), static_cast<std::size_t>(bytes_));
    }
    std::memcpy(slot(level), partial, static_cast<std::size_t>(bytes_));
    ++count_;
  }

  /// The combination of all that was pushed, or the identity; the tree is empty afterwards.
  void collect(char* out) {
    bool empty = true;
    std::int64_t level = 0;
    for (std::uint64_t bits = count_; bits != 0; bits >>= 1, ++level) {
      if (!(bits & 1)) continue;
      if (!empty) reducer_.combine(reducer_.reducer, slot(level), out, n_);
      std::memcpy(out, slot(level), static_cast<std::size_t>(bytes_));
      empty = false;
    }
    if (empty) reducer_.initialise(reducer_.reducer, out, n_);
    count_ = 0;
  }

 private:
  [[nodiscard]] char* slot(std::int64_t level) const noexcept { return memory_ + level * bytes_; }

  const erased_reducer& reducer_;
  std::int64_t n_;
  std::int64_t bytes_;
  char* memory_;
  std::uint64_t count_ = 0;
};

/// Some loops of a reduction as a nest of their own, with its operands placed at a position of the other loops.
struct sub_nest {
  engine::elementwise_plan nest;
  engine::operand in[engine::max_leaves];

  sub_nest(const reduction& job, const int* loops, int count) {
    nest.rank = count > 0 ? count : 1;
    nest.size = 1;
    nest.inputs = job.plan.inputs;
    nest.in = in;
    nest.out.itemsize = job.value_size;
    nest.extents[0] = 1;
    for (int i = 0; i < count; ++i) nest.size *= nest.extents[i] = job.plan.extents[loops[i]];
    for (int k = 0; k < nest.inputs; ++k) {
      in[k].itemsize = job.plan.in[k].itemsize;
      for (int i = 0; i < count; ++i) in[k].strides[i] = job.plan.in[k].strides[loops[i]];
    }
  }
  sub_nest(const sub_nest&) = delete;
  sub_nest& operator=(const sub_nest&) = delete;

  /// Back to the first element of every loop.
  void reset(const reduction& job) noexcept {
    for (int k = 0; k < nest.inputs; ++k) in[k].data = job.plan.in[k].data;
  }
  /// Moves to flat position `index` of loops [first, last).
  void advance(const reduction& job, int first, int last, std::int64_t index) noexcept {
    for (int i = last - 1; i >= first && index != 0; --i) {
      const std::int64_t position = index % job.plan.extents[i];
      index /= job.plan.extents[i];
      for (int k = 0; k < nest.inputs; ++k) {
        in[k].data = static_cast<const char*>(in[k].data) + position * job.plan.in[k].strides[i];
      }
    }
  }
};

/// The target at flat position `index` of kept loops [0, last).
inline char* target_at(const engine::reduce_plan& plan, int last, std::int64_t index) noexcept {
  char* out = static_cast<char*>(const_cast<void*>(plan.out.data));
  for (int i = last - 1; i >= 0 && index != 0; --i) {
    out += index % plan.extents[i] * plan.out.strides[i];
    index /= plan.extents[i];
  }
  return out;
}

/// The values of a nest's tiles, of at most `elements` elements, in unit-stride form: the expression's side of a
/// reduction.
class tile_source {
 public:
  tile_source(const reduction& job, const engine::elementwise_plan& nest, std::int64_t elements)
      : nest_(nest),
        kernel_(job.kernel),
        itemsize_(job.value_size),
        memory_(2 * (nest.inputs + 1), elements, widest(nest)) {
    for (int k = 0; k < nest.inputs; ++k) readers_[k] = tile_reader(memory_.tile(k));
    for (int k = 0; k <= nest.inputs; ++k) tails_[k] = memory_.tile(nest.inputs + 1 + k);
  }

  /// The values of the walk's tile; valid until the next call.
  const void* read(const tile_walk& walk) {
    const std::int64_t rows = walk.rows();
    const std::int64_t columns = walk.columns();
    for (int k = 0; k < nest_.inputs; ++k) {
      in_[k] = readers_[k].read(walk.view(nest_.in[k]), rows, columns, nest_.in[k].itemsize);
    }
    if (!kernel_) return in_[0];
    char* const values = memory_.tile(nest_.inputs);
    run_block(*kernel_, values, itemsize_, in_, nest_.in, nest_.inputs, rows * columns, tails_);
    return values;
  }

 private:
  const engine::elementwise_plan& nest_;
  const block_kernel* kernel_;
  std::int64_t itemsize_;
  scratch memory_;
  tile_reader readers_[engine::max_leaves];
  char* tails_[engine::max_leaves + 1] = {};
  const void* in_[engine::max_leaves + 1] = {};
};

}  // namespace host
}  // namespace GPUARRAY_ABI
}  // namespace gpu
