/// @file
/// The class `stream`, without what makes new ones: include stream.hpp.
#pragma once

#include <type_traits>
#include <utility>

#include "device.hpp"
#include "stream_state.hpp"
#include "work.hpp"

namespace gpu {

class event;

/// A handle of a stream; copies are the same stream. Work on one stream runs in the order in which it was submitted.
/// The host's default stream runs work in the calling thread; another host stream is a thread of its own. CUDA's
/// default stream is the legacy one, own streams do not synchronise with it: the library inserts the waits that arrays
/// need. A stream that goes out of scope with work pending neither waits nor loses it.
class stream {
 public:
  /// A new stream on the current device.
  template <class B = current_tag>
  stream() : stream(current_device<B>()) {}
  /// A new stream. @throws device_error or cuda_error if there cannot be another one. (Defined in stream.hpp.)
  explicit stream(gpu::device d, stream_priority priority = stream_priority::normal);

  /// The default stream of a device.
  [[nodiscard]] static stream default_stream(gpu::device d) noexcept;
  /// A stream of the device's driver that somebody else made, such as a `cudaStream_t`. The handle must be valid as
  /// long as a `stream` refers to it; arrays used on it may live longer. `cudaStreamPerThread` is the calling thread's
  /// own: wrap it in each thread. @throws device_error on the host.
  [[nodiscard]] static stream wrap(gpu::device d, void* native_handle);

  stream(const stream& other) noexcept : state_(other.state_) {
    if (state_ != nullptr) state_->add_handle();
  }
  /// The stream moved from becomes the host's default stream.
  stream(stream&& other) noexcept : state_(std::exchange(other.state_, &detail::host_default_stream())) {}
  stream& operator=(stream other) noexcept {
    std::swap(state_, other.state_);
    return *this;
  }
  ~stream() {
    if (state_ != nullptr) state_->drop_handle();
  }

  [[nodiscard]] gpu::device device() const noexcept { return state_->owner; }
  [[nodiscard]] bool is_default() const noexcept { return state_->permanent; }
  /// The driver's handle, a `cudaStream_t`; null on the host.
  [[nodiscard]] void* native_handle() const noexcept { return state_->native; }

  /// Waits for all work submitted so far. @throws the first exception of that work that nobody was told of.
  void synchronize() const { state_->synchronize(); }
  /// Whether all work submitted so far is done. Does not wait.
  [[nodiscard]] bool done() const { return state_->done(); }
  /// Marks this place in the stream. Does not wait. (Defined in event.hpp.)
  [[nodiscard]] event record() const;
  /// Work submitted from now on runs after the event. Does not wait, except on the host's default stream and where a
  /// GPU's stream depends on a host stream. (Defined in event.hpp.)
  void wait(const event& before) const;
  /// Runs `f()` on the host when the work before it is done: at once on the host's default stream. What it throws
  /// travels to the next synchronisation. On a CUDA stream it must not use CUDA. Does not wait otherwise.
  template <class F>
  void launch_host_function(F&& f) const {
    if constexpr (std::is_function_v<std::remove_reference_t<F>>) {
      launch_host_function(&f);
    } else {
      state_->launch_host_function(detail::make_work_ref<F>(f));
    }
  }

  friend bool operator==(const stream& a, const stream& b) noexcept { return a.state_ == b.state_; }

  /// For the library's own use.
  [[nodiscard]] detail::stream_state& state() const noexcept { return *state_; }
  /// Takes over a handle that the caller has counted.
  [[nodiscard]] static stream adopt(detail::stream_state& state) noexcept { return stream(&state); }

 private:
  explicit stream(detail::stream_state* state) noexcept : state_(state) {}

  detail::stream_state* state_;
};

/// The stream of the innermost `stream_guard` of this thread for that device, otherwise its default stream.
[[nodiscard]] stream current_stream(device d) noexcept;
/// The same for the current device.
template <class B = current_tag>
[[nodiscard]] stream current_stream() {
  return current_stream(current_device<B>());
}

/// Makes a stream the current one of this thread, for the stream's device, as long as the guard lives.
class stream_guard {
 public:
  explicit stream_guard(stream s) noexcept : stream_(std::move(s)) {
    previous_ = std::exchange(detail::this_thread().streams[stream_.device().slot()], &stream_.state());
  }
  stream_guard(const stream_guard&) = delete;
  stream_guard& operator=(const stream_guard&) = delete;
  ~stream_guard() { detail::this_thread().streams[stream_.device().slot()] = previous_; }

 private:
  stream stream_;
  detail::stream_state* previous_;
};

// ---------------------------------------------------------------------------------------------------------------------

inline stream stream::wrap(gpu::device d, void* native_handle) {
  if (d.is_host()) detail::raise_device_error("the host has no streams of a driver that could be wrapped");
  return stream(d.table().wrap_stream(d.index(), native_handle));
}

inline stream stream::default_stream(gpu::device d) noexcept {
  return stream(d.is_host() ? &detail::host_default_stream() : d.table().default_stream(d.index()));
}

inline stream current_stream(device d) noexcept {
  detail::stream_state* const state = detail::this_thread().streams[d.slot()];
  if (state == nullptr) return stream::default_stream(d);
  state->add_handle();
  return stream::adopt(*state);
}

}  // namespace gpu
