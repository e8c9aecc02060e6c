/// @file
/// `gpu::memory`: what is in use, what is cached, how to get it back, and what happens when there is none.
#pragma once

#include <cstddef>
#include <utility>

#include "runtime/forbid_sync.hpp"
#include "runtime/memory.hpp"
#include "runtime/ordering.hpp"

namespace gpu {

/// Makes a resource the one that arrays on a device get their memory from, in all threads, as long as the guard lives.
/// The guard's end waits for freed arrays that are still in use, so that the resource may end after it; arrays that are
/// still owned must be gone by then.
class scoped_memory_resource {
 public:
  scoped_memory_resource(device d, memory_resource& resource) noexcept
      : device_(d), previous_(set_memory_resource(d, &resource)) {}
  scoped_memory_resource(const scoped_memory_resource&) = delete;
  scoped_memory_resource& operator=(const scoped_memory_resource&) = delete;
  ~scoped_memory_resource() {
    set_memory_resource(device_, previous_);
    if (const std::size_t waiting = detail::deferred_frees().size.load(std::memory_order_relaxed); waiting != 0)
      detail::ordering().collect(waiting, true);
  }

 private:
  device device_;
  memory_resource* previous_;
};

namespace memory {

/// Bytes of a device's memory that its driver would still give out, and all there are.
[[nodiscard]] inline memory_information info(device d) { return d.memory_info(); }
template <class B = current_tag>
[[nodiscard]] memory_information info() {
  return info(current_device<B>());
}

/// What the device's current resource has given out and caches.
[[nodiscard]] inline memory_statistics statistics(device d) { return get_memory_resource(d).statistics(); }
template <class B = current_tag>
[[nodiscard]] memory_statistics statistics() {
  return statistics(current_device<B>());
}

/// Gives cached memory of a device back to its driver or operating system; returns how many bytes. With `wait`, also
/// what is free once the work on the device is done: this waits.
inline std::size_t trim(device d, bool wait = false) noexcept {
  if (const std::size_t waiting = detail::deferred_frees().size.load(std::memory_order_relaxed); waiting != 0)
    detail::ordering().collect(waiting, wait);
  return detail::trim_caches(d, wait);
}
template <class B = current_tag>
std::size_t trim() {
  return trim(current_device<B>());
}

/// At most this many bytes of the device for the library's own pool, what it caches included; 0 for no limit.
inline void set_limit(device d, std::size_t bytes) { detail::default_pool(d).set_limit(bytes); }
/// The same as a part of the device's memory, more than 0 and at most 1; never less than a byte. @throws device_error
inline void set_limit_fraction(device d, double fraction) {
  if (!(fraction > 0 && fraction <= 1))
    detail::raise_device_error("a limit of %g times the memory of %s: the fraction is more than 0 and at most 1",
                               fraction, detail::device_text(d).text);
  const auto bytes = static_cast<std::size_t>(static_cast<double>(d.memory_info().total) * fraction);
  set_limit(d, bytes != 0 ? bytes : 1);  // 0 would be no limit
}
/// Blocks that are freed while more than this is cached go back at once.
inline void set_cache_limit(device d, std::size_t bytes) { detail::default_pool(d).set_cache_limit(bytes); }

/// Sets what is called before `out_of_memory` is thrown (null: nothing); returns the previous handler. One for all
/// devices and threads: it is told of the device. It may free arrays, and returns whether to try again. It is not
/// called for memory that it asks for itself.
inline std::pair<out_of_memory_handler, void*> on_out_of_memory(out_of_memory_handler handler,
                                                                void* context = nullptr) noexcept {
  detail::shortage_slot& slot = detail::shortage_handler();
  const detail::locked hold(slot.lock);
  return {std::exchange(slot.handler, handler), std::exchange(slot.context, context)};
}

}  // namespace memory
}  // namespace gpu
