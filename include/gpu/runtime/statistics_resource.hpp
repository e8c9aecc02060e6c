/// @file
/// `statistics_resource`: counts what goes through it, to the byte.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memory_resource.hpp"

namespace gpu {

/// What a `statistics_resource` has seen, in bytes as they were asked for.
struct memory_counts {
  std::size_t current = 0;        ///< in use now
  std::size_t peak = 0;           ///< the largest `current`
  std::uint64_t blocks = 0;       ///< in use now
  std::uint64_t allocations = 0;  ///< that succeeded
  std::uint64_t failures = 0;     ///< allocations that threw
  std::uint64_t total = 0;        ///< bytes of all allocations
  std::size_t cached = 0;         ///< upstream, as are the next
  double fragmentation = 0;       ///< of the cached bytes: those that are not in the largest block
};

/// Counts the allocations that it passes on to `upstream`, which must outlive it.
class statistics_resource final : public memory_resource {
 public:
  explicit statistics_resource(memory_resource& upstream) noexcept : upstream_(upstream) {}

  [[nodiscard]] void* allocate(std::size_t bytes, const stream& s) override {
    void* data = nullptr;
    try {
      data = upstream_.allocate(bytes, s);
    } catch (...) {
      failures_.fetch_add(1, std::memory_order_relaxed);
      throw;
    }
    const std::size_t now = current_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    std::size_t peak = peak_.load(std::memory_order_relaxed);
    while (now > peak && !peak_.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
    blocks_.fetch_add(1, std::memory_order_relaxed);
    allocations_.fetch_add(1, std::memory_order_relaxed);
    total_.fetch_add(bytes, std::memory_order_relaxed);
    return data;
  }
  void deallocate(void* data, std::size_t bytes, const stream& s) noexcept override {
    current_.fetch_sub(bytes, std::memory_order_relaxed);  // first: another thread may get the block at once
    blocks_.fetch_sub(1, std::memory_order_relaxed);
    upstream_.deallocate(data, bytes, s);
  }
  std::size_t trim(bool wait) noexcept override { return upstream_.trim(wait); }
  [[nodiscard]] memory_statistics statistics() const override { return upstream_.statistics(); }

  [[nodiscard]] memory_counts counts() const {
    const memory_statistics below = upstream_.statistics();
    return {current_.load(std::memory_order_relaxed),
            peak_.load(std::memory_order_relaxed),
            blocks_.load(std::memory_order_relaxed),
            allocations_.load(std::memory_order_relaxed),
            failures_.load(std::memory_order_relaxed),
            total_.load(std::memory_order_relaxed),
            below.cached,
            below.fragmentation()};
  }
  /// Lets the peak begin anew at what is in use now.
  void reset_peak() noexcept { peak_.store(current_.load(std::memory_order_relaxed), std::memory_order_relaxed); }

 private:
  memory_resource& upstream_;
  std::atomic<std::size_t> current_{0};
  std::atomic<std::size_t> peak_{0};
  std::atomic<std::uint64_t> blocks_{0};
  std::atomic<std::uint64_t> allocations_{0};
  std::atomic<std::uint64_t> failures_{0};
  std::atomic<std::uint64_t> total_{0};
};

}  // namespace gpu
