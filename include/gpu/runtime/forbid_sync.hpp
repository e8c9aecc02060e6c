/// @file
/// `forbid_sync`: a scope in which nothing may wait for a device behind the user's back.
#pragma once

#include "raise.hpp"
#include "thread_state.hpp"

namespace gpu {

/// While one lives, a call of this thread that would wait for a device without saying so in its name throws
/// `device_error` instead, naming itself. `synchronize()` of streams, events and devices still wait.
class forbid_sync {
 public:
  forbid_sync() noexcept { ++detail::this_thread().forbid_sync_depth; }
  forbid_sync(const forbid_sync&) = delete;
  forbid_sync& operator=(const forbid_sync&) = delete;
  ~forbid_sync() { --detail::this_thread().forbid_sync_depth; }
};

namespace detail {

/// Called before a hidden wait. @throws device_error under `forbid_sync`; `operation` null: a wait that the user asked
/// for.
inline void check_wait_allowed(const char* operation) {
  if (operation != nullptr && this_thread().forbid_sync_depth != 0) {
    raise_device_error("%s would wait for the device, which gpu::forbid_sync rules out here", operation);
  }
}

}  // namespace detail
}  // namespace gpu
