/// @file
/// `failing_resource`: runs out of memory when it is told to, for tests.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memory_resource.hpp"

namespace gpu {

/// Passes allocations on to `upstream`, which must outlive it, but for those that are to fail with `out_of_memory`.
class failing_resource final : public memory_resource {
 public:
  failing_resource(gpu::device d, memory_resource& upstream) noexcept : device_(d), upstream_(upstream) {}

  /// The `n`-th allocation from now fails, 1 being the next; with `and_later`, all after it too. 0: none.
  void fail_nth(std::uint64_t n, bool and_later = false) noexcept {
    calls_.store(0, std::memory_order_relaxed);
    and_later_.store(and_later, std::memory_order_relaxed);
    nth_.store(n, std::memory_order_relaxed);
  }
  /// Each allocation fails with this probability, decided by the seed and its number alone. 0: none.
  void fail_randomly(double probability, std::uint64_t seed) noexcept {
    calls_.store(0, std::memory_order_relaxed);
    seed_.store(seed, std::memory_order_relaxed);
    probability_.store(probability, std::memory_order_relaxed);
  }
  /// The allocations since one of these functions was called, with those that failed.
  [[nodiscard]] std::uint64_t calls() const noexcept { return calls_.load(std::memory_order_relaxed); }
  /// How many allocations have failed because they were to.
  [[nodiscard]] std::uint64_t failures() const noexcept { return failures_.load(std::memory_order_relaxed); }

  [[nodiscard]] void* allocate(std::size_t bytes, const stream& s) override {
    const std::uint64_t call = calls_.fetch_add(1, std::memory_order_relaxed) + 1;
    const std::uint64_t nth = nth_.load(std::memory_order_relaxed);
    const bool chosen = nth != 0 && (and_later_.load(std::memory_order_relaxed) ? call >= nth : call == nth);
    if (chosen || drawn(call)) {
      failures_.fetch_add(1, std::memory_order_relaxed);
      throw out_of_memory(memory_shortage{device_, bytes, 0, 0, 0, 0, device_.memory_info()});
    }
    return upstream_.allocate(bytes, s);
  }
  void deallocate(void* data, std::size_t bytes, const stream& s) noexcept override {
    upstream_.deallocate(data, bytes, s);
  }
  std::size_t trim(bool wait) noexcept override { return upstream_.trim(wait); }
  [[nodiscard]] memory_statistics statistics() const override { return upstream_.statistics(); }

 private:
  [[nodiscard]] bool drawn(std::uint64_t call) const noexcept {
    const double probability = probability_.load(std::memory_order_relaxed);
    if (probability <= 0) return false;
    std::uint64_t bits = seed_.load(std::memory_order_relaxed) + call * 0x9e3779b97f4a7c15U;  // splitmix64
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    return static_cast<double>((bits ^ (bits >> 31)) >> 11) * 0x1p-53 < probability;
  }

  gpu::device device_;
  memory_resource& upstream_;
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<std::uint64_t> nth_{0};
  std::atomic<bool> and_later_{false};
  std::atomic<double> probability_{0};
  std::atomic<std::uint64_t> seed_{0};
  std::atomic<std::uint64_t> failures_{0};
};

}  // namespace gpu
