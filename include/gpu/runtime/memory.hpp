/// @file
/// The memory resource of each device: which one it is, what it has given out, and how to take memory back from it.
#pragma once

#include <atomic>

#include "memory_resource.hpp"
#include "pool_resource.hpp"

namespace gpu {

namespace detail {

/// The pool that a device has unless it was given another resource; lives until the process ends.
[[nodiscard, gnu::visibility("default")]] inline pool_resource& default_pool(device d) {
  static mutex* const lock = new mutex;
  static std::atomic<pool_resource*> pools[max_devices];
  std::atomic<pool_resource*>& pool = pools[d.slot()];
  if (pool_resource* const existing = pool.load(std::memory_order_acquire)) return *existing;
  const locked hold(*lock);
  if (pool.load(std::memory_order_acquire) == nullptr) {
    pool.store(new pool_resource(d, *new device_memory_resource(d)), std::memory_order_release);
  }
  return *pool.load(std::memory_order_acquire);
}

[[nodiscard, gnu::visibility("default")]] inline std::atomic<memory_resource*>& memory_resource_slot(
    device d) noexcept {
  static std::atomic<memory_resource*> resources[max_devices];
  return resources[d.slot()];
}

}  // namespace detail

/// Where arrays on `d` get their memory from.
[[nodiscard]] inline memory_resource& get_memory_resource(device d) {
  memory_resource* const resource = detail::memory_resource_slot(d).load(std::memory_order_acquire);
  return resource != nullptr ? *resource : detail::default_pool(d);
}

/// Makes `resource` the one that arrays on `d` get their memory from, null for the library's pool; returns the previous
/// one (null for the library's pool). It must outlive all memory that it gives out.
inline memory_resource* set_memory_resource(device d, memory_resource* resource) noexcept {
  return detail::memory_resource_slot(d).exchange(resource, std::memory_order_acq_rel);
}

}  // namespace gpu
