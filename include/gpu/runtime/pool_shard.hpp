/// @file
/// The parts of a pool: size classes, stacks of blocks, and the shard that one stream or one thread uses.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "stream_state.hpp"

namespace gpu {

class pool_resource;

namespace detail {

/// Sizes of blocks: multiples of 64 up to 256, four to a power of two up to 1 MiB, then sixteen (at most 6% unused).
inline constexpr std::size_t max_block = std::size_t{1} << 46;
inline constexpr int size_classes = 4 + 12 * 4 + 26 * 16;

[[nodiscard]] constexpr int size_class_of(std::size_t bytes) noexcept {
  const std::size_t last = bytes == 0 ? 0 : bytes - 1;
  if (last < 256) return static_cast<int>(last >> 6);
  const int power = 63 - std::countl_zero(last);
  if (power < 20) return 4 + (power - 8) * 4 + static_cast<int>(last >> (power - 2)) - 4;
  return 52 + (power - 20) * 16 + static_cast<int>(last >> (power - 4)) - 16;
}

[[nodiscard]] constexpr std::size_t size_of_class(int size_class) noexcept {
  if (size_class < 4) return static_cast<std::size_t>(size_class + 1) << 6;
  if (size_class < 52) {
    const int power = 8 + (size_class - 4) / 4;
    return static_cast<std::size_t>((size_class - 4) % 4 + 5) << (power - 2);
  }
  const int power = 20 + (size_class - 52) / 16;
  return static_cast<std::size_t>((size_class - 52) % 16 + 17) << (power - 4);
}

/// A free block, and the place in the shard's stream from which on it is free.
struct free_block {
  void* data;
  std::uint64_t ticket;
};

/// The free blocks of one size: newest on top, where they are taken; oldest at the bottom, where others take them.
class block_stack {
 public:
  constexpr block_stack() noexcept = default;
  block_stack(const block_stack&) = delete;
  block_stack& operator=(const block_stack&) = delete;
  ~block_stack() { std::free(blocks_); }

  [[nodiscard]] bool empty() const noexcept { return begin_ == end_; }
  [[nodiscard]] const free_block& oldest() const noexcept { return blocks_[begin_]; }
  [[nodiscard]] std::uint32_t size() const noexcept { return end_ - begin_; }
  [[nodiscard]] void* pop() noexcept { return blocks_[--end_].data; }
  [[nodiscard]] free_block pop_oldest() noexcept { return blocks_[begin_++]; }
  /// False if there is no memory to remember the block in.
  [[nodiscard]] bool push(void* data, std::uint64_t ticket) noexcept {
    if (end_ == capacity_ && !make_room()) return false;
    blocks_[end_++] = {data, ticket};
    return true;
  }
  /// Declares all blocks free from the start of their stream on.
  void forget_tickets() noexcept {
    for (std::uint32_t i = begin_; i < end_; ++i) blocks_[i].ticket = 0;
  }

 private:
  [[nodiscard, gnu::cold]] bool make_room() noexcept {
    if (begin_ > capacity_ / 2) {
      for (std::uint32_t i = begin_; i < end_; ++i) blocks_[i - begin_] = blocks_[i];
    } else {
      const std::uint32_t capacity = capacity_ == 0 ? 8 : capacity_ * 2;
      void* const grown = std::realloc(static_cast<void*>(blocks_), capacity * sizeof(free_block));
      if (grown == nullptr) return false;
      blocks_ = static_cast<free_block*>(grown);
      capacity_ = capacity;
      if (begin_ == 0) return true;
      for (std::uint32_t i = begin_; i < end_; ++i) blocks_[i - begin_] = blocks_[i];
    }
    end_ -= begin_;
    begin_ = 0;
    return true;
  }

  free_block* blocks_ = nullptr;
  std::uint32_t begin_ = 0;
  std::uint32_t end_ = 0;
  std::uint32_t capacity_ = 0;
};

/// The free blocks of one stream (of one thread, for a default stream) in one pool, and what has been counted there.
struct alignas(128) pool_shard {
  spin_lock lock;
  pool_resource* owner = nullptr;
  intrusive_ptr<stream_state> stream;
  std::size_t small_cached = 0;
  std::int64_t used = 0;       ///< change of the pool's used bytes that it has not been told of
  std::int64_t used_high = 0;  ///< the largest value of `used` since then
  std::int64_t blocks = 0;     ///< allocated here minus freed here
  std::uint64_t allocations = 0;
  block_stack stacks[size_classes];
};

/// The number by which this thread chooses its shard.
[[nodiscard]] inline unsigned thread_slot() noexcept {
  thread_state& thread = this_thread();
  if (thread.slot < 0) [[unlikely]]
    thread.slot = next_thread_slot();
  return static_cast<unsigned>(thread.slot);
}

}  // namespace detail
}  // namespace gpu
