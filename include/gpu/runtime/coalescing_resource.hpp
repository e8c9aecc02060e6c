/// @file
/// `coalescing_resource`: the coalescing pool over the memory and the streams of a device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "coalescing_pool.hpp"
#include "memory_resource.hpp"
#include "stream.hpp"

namespace gpu {

namespace detail {

/// Memory of another resource, and streams as the library knows them.
class stream_pool_backend {
 public:
  using stream_type = stream;
  using place = stream_use;

  stream_pool_backend(device d, memory_resource& upstream) noexcept : device_(d), upstream_(&upstream) {}

  [[nodiscard]] void* allocate(std::size_t bytes, stream_use& available) {
    const stream s = stream::default_stream(device_);
    try {
      void* const data = upstream_->allocate(bytes, s);
      available = record(s);
      return data;
    } catch (const std::bad_alloc&) {
      static_cast<void>(upstream_->trim(true));
      return nullptr;
    }
  }
  void deallocate(void* data, std::size_t bytes) noexcept {
    upstream_->deallocate(data, bytes, stream::default_stream(device_));
  }
  [[nodiscard]] stream_use record(const stream& s) noexcept {
    stream_state& state = s.state();
    return {intrusive_ptr<stream_state>::share(&state), state.submitted.load(std::memory_order_relaxed)};
  }
  [[nodiscard]] bool query(const stream_use& use) noexcept { return use.stream->is_done(use.ticket); }
  /// Only for the memory: what has failed there is no business of `s`.
  void wait(const stream& s, const stream_use& use) {
    switch (s.state().kind) {
      case stream_kind::host_inline: use.stream->wait_until_done(use.ticket); break;
      case stream_kind::host_worker: s.launch_host_function([use] { use.stream->wait_until_done(use.ticket); }); break;
      case stream_kind::native: s.state().wait_before_more(use); break;
    }
  }
  [[nodiscard]] bool wait(const stream_use& use) noexcept {
    try {
      if (use.stream) use.stream->wait_until_done(use.ticket);
      return true;
    } catch (...) {
      return false;
    }
  }
  [[nodiscard]] std::uintptr_t key(const stream& s) const noexcept { return key(s.state()); }
  [[nodiscard]] std::uintptr_t key(const stream_use& use) const noexcept { return use.stream ? key(*use.stream) : 0; }

 private:
  [[nodiscard]] static std::uintptr_t key(const stream_state& state) noexcept {
    return state.kind == stream_kind::host_inline ? 0 : reinterpret_cast<std::uintptr_t>(&state);
  }

  device device_;
  memory_resource* upstream_;
};

}  // namespace detail

/// A pool of our own for large blocks: as the second tier below a `pool_resource`, where the driver has no pools or its
/// pools keep too much. Segments come from `upstream`, which must outlive it.
class coalescing_resource final : public memory_resource {
 public:
  coalescing_resource(gpu::device d, memory_resource& upstream, const coalescing_options& options = {})
      : device_(d), pool_(detail::stream_pool_backend(d, upstream), options) {}

  [[nodiscard]] void* allocate(std::size_t bytes, const stream& s) override {
    if (s.device() != device_) detail::raise_wrong_stream(device_, s);
    if (void* const data = pool_.allocate(bytes, s)) return data;
    const memory_statistics now = pool_.statistics();
    throw out_of_memory(memory_shortage{device_, bytes, now.used, now.cached, now.largest_cached, pool_.limit(),
                                        device_.memory_info()});
  }
  void deallocate(void* data, std::size_t, const stream& s) noexcept override { pool_.deallocate(data, s); }
  std::size_t trim(bool wait) noexcept override { return pool_.trim(wait); }
  [[nodiscard]] memory_statistics statistics() const override { return pool_.statistics(); }

 private:
  gpu::device device_;
  coalescing_pool<detail::stream_pool_backend> pool_;
};

}  // namespace gpu
