/// @file
/// `gpu::activity()`: what the library has asked GPUs to do, for tests and for finding copies that nobody wanted.
#pragma once

#include <atomic>
#include <cstdint>

namespace gpu {

/// How often, in the whole program and from any thread, the library has asked GPUs for each kind of work.
struct device_activity {
  std::uint64_t launches = 0;   ///< kernels, and calls of cuBLAS
  std::uint64_t uploads = 0;    ///< copies from the host's memory
  std::uint64_t downloads = 0;  ///< copies to the host's memory
  std::uint64_t copies = 0;     ///< copies and fills by the driver within the memory of GPUs

  friend constexpr bool operator==(const device_activity&, const device_activity&) = default;
  friend constexpr device_activity operator+(const device_activity& a, const device_activity& b) noexcept {
    return {a.launches + b.launches, a.uploads + b.uploads, a.downloads + b.downloads, a.copies + b.copies};
  }
  friend constexpr device_activity operator-(const device_activity& a, const device_activity& b) noexcept {
    return {a.launches - b.launches, a.uploads - b.uploads, a.downloads - b.downloads, a.copies - b.copies};
  }
};

/// The counts since the program started. Does not wait.
[[nodiscard]] device_activity activity() noexcept;

// ---------------------------------------------------------------------------------------------------------------------

namespace detail {

enum class device_work : std::uint8_t { launch, upload, download, copy };

/// One for the whole program, also across shared objects built with hidden visibility.
[[nodiscard, gnu::visibility("default")]] inline std::atomic<std::uint64_t>& activity_counter(
    device_work kind) noexcept {
  static std::atomic<std::uint64_t> counters[4];
  return counters[static_cast<int>(kind)];
}

inline void count_work(device_work kind) noexcept { activity_counter(kind).fetch_add(1, std::memory_order_relaxed); }

}  // namespace detail

inline device_activity activity() noexcept {
  const auto count = [](detail::device_work kind) {
    return detail::activity_counter(kind).load(std::memory_order_relaxed);
  };
  return {count(detail::device_work::launch), count(detail::device_work::upload), count(detail::device_work::download),
          count(detail::device_work::copy)};
}

}  // namespace gpu
