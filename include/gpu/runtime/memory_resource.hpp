/// @file
/// `memory_resource`: where the memory of arrays comes from, and the error when there is none left.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <string>

#include "stream_handle.hpp"

namespace gpu {

/// What a memory resource has given out and holds back, in bytes of blocks as they are sized internally.
/// `used + cached == reserved` at all times.
struct memory_statistics {
  std::size_t used = 0;           ///< in blocks that are allocated now
  std::size_t cached = 0;         ///< in blocks that were freed and wait to be allocated again
  std::size_t reserved = 0;       ///< taken from upstream
  std::size_t peak = 0;           ///< the largest `used` so far; with several threads, exact to 64 KiB for each
  std::uint64_t blocks = 0;       ///< allocated now
  std::uint64_t allocations = 0;  ///< since the start
  std::uint64_t upstream_allocations = 0;  ///< of these, those that no cached block could serve
  std::size_t largest_cached = 0;          ///< the largest cached block

  /// The part of the cached bytes that is not in the largest block: 0 if they are one block, near 1 if they are dust.
  [[nodiscard]] double fragmentation() const noexcept {
    return cached == 0 ? 0.0 : 1.0 - static_cast<double>(largest_cached) / static_cast<double>(cached);
  }
};

namespace detail {

/// A number of bytes as people read it: "0 B", "1023 B", "1.5 KiB", "36.4 TiB".
struct bytes_text {
  explicit bytes_text(std::size_t bytes) noexcept {
    if (bytes < 1024) {
      std::snprintf(text, sizeof text, "%d B", static_cast<int>(bytes));
      return;
    }
    double value = static_cast<double>(bytes) / 1024;
    const char* unit = "KMGTPE";
    for (; value >= 1023.95; ++unit) value /= 1024;  // what would be rounded to 1024.0
    std::snprintf(text, sizeof text, "%.1f %ciB", value, *unit);
  }
  char text[16];
};

}  // namespace detail

/// What is known when memory runs out.
struct memory_shortage {
  gpu::device device;
  std::size_t requested = 0;
  std::size_t used = 0;
  std::size_t cached = 0;
  std::size_t largest_cached = 0;  ///< the largest cached block
  std::size_t limit = 0;           ///< 0: none
  memory_information memory;       ///< of the device, as its driver tells
};

/// No memory left, after everything cached was given back.
class out_of_memory : public error, public std::bad_alloc {
 public:
  explicit out_of_memory(const memory_shortage& shortage) : text_(describe(shortage)), shortage_(shortage) {}

  [[nodiscard]] const char* what() const noexcept override { return text_.what(); }
  [[nodiscard]] const memory_shortage& shortage() const noexcept { return shortage_; }

 private:
  [[nodiscard, gnu::noinline, gnu::cold]] static std::string describe(const memory_shortage& s) {
    using text = detail::bytes_text;
    return detail::format_text(
        "out of memory on %s: %zu bytes (%s) requested; %s in use by arrays, %s cached (largest block %s), limit %s; "
        "the device has %s of %s free",
        detail::device_text(s.device).text, s.requested, text(s.requested).text, text(s.used).text, text(s.cached).text,
        text(s.largest_cached).text, s.limit == 0 ? "none" : text(s.limit).text, text(s.memory.free).text,
        text(s.memory.total).text);
  }

  std::runtime_error text_;  // a string that can be copied without failing
  memory_shortage shortage_;
};

/// Memory of one device, in the order of streams: a block may be used by work on the stream that it was allocated on,
/// and is given back when the work that the stream has then is done. Implementations are safe to call from any thread.
class memory_resource {
 public:
  memory_resource() = default;
  memory_resource(const memory_resource&) = delete;
  memory_resource& operator=(const memory_resource&) = delete;
  virtual ~memory_resource() = default;

  /// At least `bytes` bytes, aligned to 64 on the host and 256 on CUDA; never null, also for 0 bytes.
  /// @throws out_of_memory
  [[nodiscard]] virtual void* allocate(std::size_t bytes, const stream& s) = 0;
  /// Gives back what `allocate` returned for the same number of bytes, once the work that `s` has now is done.
  virtual void deallocate(void* data, std::size_t bytes, const stream& s) noexcept = 0;
  /// Gives cached memory that is free for use back to where it came from; returns how many bytes. With `wait`, also
  /// what is free once the work on the device is done.
  virtual std::size_t trim(bool wait) noexcept {
    static_cast<void>(wait);
    return 0;
  }
  [[nodiscard]] virtual memory_statistics statistics() const { return {}; }
};

namespace detail {

/// More than any device has: not even asked for.
inline constexpr std::size_t max_allocation = std::size_t{1} << 46;

[[noreturn, gnu::cold]] inline void raise_wrong_stream(device d, const stream& s) {
  raise_device_error("memory of %s was asked for on a stream of %s", device_text(d).text, device_text(s.device()).text);
}

}  // namespace detail

/// The device's own allocator with nothing in between: aligned memory with huge pages on the host; on CUDA a driver
/// pool of the library's own that keeps what it has, or cudaMalloc where there are no pools.
class device_memory_resource final : public memory_resource {
 public:
  explicit device_memory_resource(gpu::device d) noexcept : device_(d) {}

  [[nodiscard]] void* allocate(std::size_t bytes, const stream& s) override {
    if (s.device() != device_) detail::raise_wrong_stream(device_, s);
    void* data = nullptr;
    if (bytes <= detail::max_allocation)
      data = device_.table().allocate(device_.index(), bytes == 0 ? 1 : bytes, s.state());
    if (data == nullptr) throw out_of_memory(memory_shortage{device_, bytes, 0, 0, 0, 0, device_.memory_info()});
    return data;
  }
  void deallocate(void* data, std::size_t bytes, const stream& s) noexcept override {
    if (device_.is_host() && !s.done()) {
      try {
        s.launch_host_function([data] { std::free(data); });
        return;
      } catch (...) {
        s.state().wait_until_done(s.state().submitted.load(std::memory_order_relaxed));
      }
    }
    device_.table().deallocate(device_.index(), data, bytes, s.state());
  }
  std::size_t trim(bool wait) noexcept override {
    device_.table().trim(device_.index(), wait);
    return 0;
  }

 private:
  gpu::device device_;
};

/// Memory without any pool, as cudaMalloc and cudaFree give it: both may wait for the device. For segments of a pool,
/// and to see what pools are worth.
class plain_memory_resource final : public memory_resource {
 public:
  explicit plain_memory_resource(gpu::device d) noexcept : device_(d) {}

  [[nodiscard]] void* allocate(std::size_t bytes, const stream& s) override {
    if (s.device() != device_) detail::raise_wrong_stream(device_, s);
    void* data = nullptr;
    if (bytes <= detail::max_allocation) data = device_.table().allocate_plain(device_.index(), bytes == 0 ? 1 : bytes);
    if (data == nullptr) throw out_of_memory(memory_shortage{device_, bytes, 0, 0, 0, 0, device_.memory_info()});
    return data;
  }
  void deallocate(void* data, std::size_t bytes, const stream& s) noexcept override {
    if (device_.is_host()) {
      device_memory_resource(device_).deallocate(data, bytes, s);
    } else {
      device_.table().deallocate_plain(device_.index(), data, bytes);
    }
  }

 private:
  gpu::device device_;
};

}  // namespace gpu
