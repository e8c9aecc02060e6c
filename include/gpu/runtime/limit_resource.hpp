/// @file
/// `limit_resource`: an end to how much of another resource may be in use.
#pragma once

#include <atomic>
#include <cstddef>

#include "memory_resource.hpp"

namespace gpu {

/// Passes allocations on while the bytes in use stay within a limit. Over a pool it bounds what arrays use, and what
/// the pool has cached does not count; under a pool it bounds what the pool takes, which gives its cache back before it
/// fails.
class limit_resource final : public memory_resource {
 public:
  /// At most `bytes` bytes of `upstream`, which must outlive this.
  limit_resource(gpu::device d, memory_resource& upstream, std::size_t bytes) noexcept
      : device_(d), upstream_(upstream), limit_(bytes) {}
  /// A part of the device's memory: 0.5 is half of it, and what is not 0 is at least a byte. @throws device_error for a
  /// fraction that is not from 0 to 1.
  [[nodiscard]] static std::size_t fraction_of(gpu::device d, double fraction) {
    if (!(fraction >= 0 && fraction <= 1))
      detail::raise_device_error("a limit of %g times the memory of a device", fraction);
    const auto bytes = static_cast<std::size_t>(static_cast<double>(d.memory_info().total) * fraction);
    return bytes == 0 && fraction > 0 ? 1 : bytes;
  }

  [[nodiscard]] void* allocate(std::size_t bytes, const stream& s) override {
    const std::size_t limit = limit_.load(std::memory_order_relaxed);
    std::size_t used = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit || used > limit - bytes) {
        const memory_statistics below = upstream_.statistics();
        throw out_of_memory(
            memory_shortage{device_, bytes, used, below.cached, below.largest_cached, limit, device_.memory_info()});
      }
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    try {
      return upstream_.allocate(bytes, s);
    } catch (...) {
      used_.fetch_sub(bytes, std::memory_order_relaxed);
      throw;
    }
  }
  void deallocate(void* data, std::size_t bytes, const stream& s) noexcept override {
    upstream_.deallocate(data, bytes, s);
    used_.fetch_sub(bytes, std::memory_order_relaxed);
  }
  std::size_t trim(bool wait) noexcept override { return upstream_.trim(wait); }
  [[nodiscard]] memory_statistics statistics() const override { return upstream_.statistics(); }

  /// Changes the limit; what is in use beyond it stays.
  void set_limit(std::size_t bytes) noexcept { limit_.store(bytes, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
  /// The bytes asked for and not given back.
  [[nodiscard]] std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }

 private:
  gpu::device device_;
  memory_resource& upstream_;
  std::atomic<std::size_t> limit_;
  std::atomic<std::size_t> used_{0};
};

}  // namespace gpu
