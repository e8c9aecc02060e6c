/// @file
/// `device`: the host or a CUDA GPU; the current device of a thread and the guard that sets it.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

#include "../backend/host/device.hpp"
#include "../core/config.hpp"
#include "backend.hpp"
#include "diagnostics.hpp"
#include "raise.hpp"
#include "thread_state.hpp"

namespace gpu {

/// The major and minor version of what a GPU can do; 0.0 on the host.
struct compute_capability {
  int major = 0;
  int minor = 0;
  friend constexpr bool operator==(const compute_capability&, const compute_capability&) = default;
};

/// A place where arrays live and work is done. A value of two bytes; every function that makes one checks that it can
/// be used.
class device {
 public:
  /// The host: all CPU cores.
  constexpr device() noexcept = default;
  [[nodiscard]] static constexpr device host() noexcept { return device(); }

  /// The CUDA device `ordinal`.
  /// @throws device_error if it cannot be used; the message says why and what to do about it.
  [[nodiscard]] static device cuda(int ordinal = 0);

  /// The device that work goes to where nothing else is said: `cuda()` if usable, otherwise the host; the environment
  /// variable GPUARRAY_DEVICE ("host", "cuda" or "cuda:N") overrides. In a unit that nvcc did not compile it is the
  /// host.
  /// @throws device_error if GPUARRAY_DEVICE asks for what there is not.
  template <class B = current_tag>
  [[nodiscard]] static device best();

  /// A device as `to_string()` writes it: "host", "cuda" or "cuda:1".
  /// @throws device_error for any other text, or if that device cannot be used.
  [[nodiscard]] static device parse(const char* text);
  [[nodiscard]] static device parse(const std::string& text) { return parse(text.c_str()); }

  /// How many devices of a kind there are; 0 without a driver or in a program without CUDA. Does not throw.
  [[nodiscard]] static int count(device_kind kind);

  [[nodiscard]] constexpr device_kind kind() const noexcept { return kind_; }
  /// The ordinal among the devices of its kind.
  [[nodiscard]] constexpr int index() const noexcept { return index_; }
  [[nodiscard]] constexpr bool is_host() const noexcept { return kind_ == device_kind::host; }
  [[nodiscard]] constexpr bool is_cuda() const noexcept { return kind_ == device_kind::cuda; }
  /// "host" or "cuda:0".
  [[nodiscard]] std::string to_string() const;

  /// The model, such as "NVIDIA H100 PCIe" or the name of the processor.
  [[nodiscard]] std::string name() const { return table().properties(index_).name; }
  [[nodiscard]] gpu::compute_capability compute_capability() const {
    const detail::device_properties p = table().properties(index_);
    return {p.capability_major, p.capability_minor};
  }
  /// Memory that the driver or operating system would still give out, and all there is.
  [[nodiscard]] memory_information memory_info() const { return table().memory(index_); }

  /// Waits for all work on all streams of the device. (Defined in stream.hpp.)
  /// @throws what the work threw, if it has not been thrown yet.
  void synchronize() const;

  friend constexpr bool operator==(const device&, const device&) noexcept = default;

  /// The backend's functions. For the library's own use, as is everything in `detail`.
  [[nodiscard]] const detail::backend_table& table() const noexcept {
    return is_host() ? detail::host_backend() : *detail::backend_of(kind_);
  }
  /// A number below `detail::max_devices`.
  [[nodiscard]] constexpr int slot() const noexcept { return is_host() ? 0 : 1 + index_; }
  /// From parts that are known to be a device.
  [[nodiscard]] static constexpr device unchecked(device_kind kind, int index) noexcept {
    device d;
    d.kind_ = kind;
    d.index_ = static_cast<std::uint8_t>(index);
    return d;
  }

 private:
  device_kind kind_ = device_kind::host;
  std::uint8_t index_ = 0;
};

/// The device of the innermost `device_guard` of this thread, otherwise `device::best()`.
template <class B = current_tag>
[[nodiscard]] device current_device() {
  const detail::thread_state& thread = detail::this_thread();
  return thread.has_device ? device::unchecked(thread.kind, thread.index) : device::best<B>();
}

/// Makes a device the current one of this thread for as long as the guard lives.
class device_guard {
 public:
  explicit device_guard(device d) noexcept {
    detail::thread_state& thread = detail::this_thread();
    had_device_ = thread.has_device;
    previous_ = device::unchecked(thread.kind, thread.index);
    thread.has_device = true;
    thread.kind = d.kind();
    thread.index = static_cast<std::uint8_t>(d.index());
  }
  device_guard(const device_guard&) = delete;
  device_guard& operator=(const device_guard&) = delete;
  ~device_guard() {
    detail::thread_state& thread = detail::this_thread();
    thread.has_device = had_device_;
    thread.kind = previous_.kind();
    thread.index = static_cast<std::uint8_t>(previous_.index());
  }

 private:
  bool had_device_;
  device previous_;
};

// ---------------------------------------------------------------------------------------------------------------------

namespace detail {

/// The text of a device, for messages.
struct device_text {
  explicit device_text(device d) noexcept {
    std::snprintf(text, sizeof text, d.is_host() ? "host" : "cuda:%d", d.index());
  }
  char text[16];
};

}  // namespace detail

inline std::string device::to_string() const { return detail::device_text(*this).text; }

[[gnu::cold]] inline device device::cuda(int ordinal) {
  const detail::backend_table* const cuda = detail::backend_of(device_kind::cuda);
  if (cuda == nullptr) {
    throw device_error(detail::explain_cuda_failure(detail::cuda_failure::not_compiled));
  }
  if (const std::string why = cuda->why_unusable(ordinal); !why.empty()) throw device_error(why);
  return unchecked(device_kind::cuda, ordinal);
}

inline int device::count(device_kind kind) {
  if (kind == device_kind::host) return 1;
  const detail::backend_table* const table = detail::backend_of(kind);
  return table == nullptr ? 0 : table->count();
}

[[gnu::cold]] inline device device::parse(const char* text) {
  if (std::strcmp(text, "host") == 0) return host();
  if (std::strcmp(text, "cuda") == 0) return cuda();
  int ordinal = 0;
  int length = 0;
  if (std::sscanf(text, "cuda:%4d%n", &ordinal, &length) == 1 && text[length] == '\0') {
    return cuda(ordinal);
  }
  detail::raise_device_error("\"%s\" is not a device: write host, cuda or cuda:N", text);
}

namespace detail {

/// GPUARRAY_DEVICE; empty if not set.
[[nodiscard]] inline const char* requested_device() noexcept {
  const char* const value = std::getenv("GPUARRAY_DEVICE");
  return value == nullptr ? "" : value;
}

/// The best device of a program that has CUDA units; kept once found.
[[nodiscard, gnu::visibility("default")]] inline device best_device_with_cuda() {
  static const device best = [] {
    if (*requested_device() != '\0') return device::parse(requested_device());
    const backend_table* const cuda = backend_of(device_kind::cuda);
    return cuda != nullptr && cuda->why_unusable(0).empty() ? device::cuda() : device::host();
  }();
  return best;
}

/// The same for a unit that cannot compute on CUDA: the host, unless the user asked for CUDA in a program without any.
[[nodiscard, gnu::visibility("default")]] inline device best_device_without_cuda() {
  static const device best = [] {
    const char* const requested = requested_device();
    const bool elsewhere = backend_of(device_kind::cuda) != nullptr && std::strncmp(requested, "cuda", 4) == 0;
    return *requested == '\0' || elsewhere ? device::host() : device::parse(requested);
  }();
  return best;
}

}  // namespace detail

template <class B>
device device::best() {
  if constexpr (B::has_cuda) {
    return detail::best_device_with_cuda();
  } else {
    return detail::best_device_without_cuda();
  }
}

}  // namespace gpu
