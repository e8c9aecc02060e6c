/// @file
/// The memory resource of each device: which one it is, what it has given out, and how to take memory back from it.
#pragma once

#include <atomic>

#include "memory_resource.hpp"
#include "pool_resource.hpp"

namespace gpu {

namespace detail {

void add_cache(device d, memory_resource& cache);

/// The pool that a device has unless it was given another resource; lives until the process ends.
[[nodiscard, gnu::visibility("default")]] inline pool_resource& default_pool(device d) {
  static mutex* const lock = new mutex;
  static std::atomic<pool_resource*> pools[max_devices];
  std::atomic<pool_resource*>& pool = pools[d.slot()];
  if (pool_resource* const existing = pool.load(std::memory_order_acquire)) return *existing;
  const locked hold(*lock);
  if (pool.load(std::memory_order_acquire) == nullptr) {
    auto* const made = new pool_resource(d, *new device_memory_resource(d));
    add_cache(d, *made);
    pool.store(made, std::memory_order_release);
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

/// Called when there is no memory on a device although everything cached was given back, with no lock of the library
/// held, in the thread that asked for it. True: some was freed, try again. False: `out_of_memory` is thrown. It may
/// allocate: where there is no memory for that either, `out_of_memory` is thrown in the handler, which is not called
/// again from within itself; what the handler throws reaches whoever asked for memory.
using out_of_memory_handler = bool (*)(const memory_shortage& shortage, void* context);

namespace detail {

struct shortage_slot {
  spin_lock lock;
  out_of_memory_handler handler = nullptr;
  void* context = nullptr;
};

[[nodiscard, gnu::visibility("default")]] inline shortage_slot& shortage_handler() noexcept {
  static shortage_slot* const slot = new shortage_slot;
  return *slot;
}

[[nodiscard, gnu::cold]] inline bool ask_shortage_handler(const memory_shortage& shortage) {
  struct inside {
    explicit inside(bool& m) noexcept : mark(m) { mark = true; }
    inside(const inside&) = delete;
    inside& operator=(const inside&) = delete;
    ~inside() { mark = false; }
    bool& mark;
  };
  bool& is_inside = this_thread().in_shortage_handler;
  if (is_inside) return false;
  shortage_slot& slot = shortage_handler();
  slot.lock.lock();
  const out_of_memory_handler handler = slot.handler;
  void* const context = slot.context;
  slot.lock.unlock();
  if (handler == nullptr) return false;
  const inside mark(is_inside);
  return handler(shortage, context);
}

/// Caches other than a device's resource that hold memory of it, such as that of pinned memory.
struct cache_list {
  mutex lock;
  relocatable_list<memory_resource*> caches;
};

[[nodiscard, gnu::visibility("default")]] inline cache_list& caches_of(device d) noexcept {
  static cache_list* const lists = new cache_list[max_devices];
  return lists[d.slot()];
}

/// From now on memory shortages and `memory::trim` reach it; it lives until the process ends.
[[gnu::cold]] inline void add_cache(device d, memory_resource& cache) {
  cache_list& list = caches_of(d);
  const locked hold(list.lock);
  list.caches.push_back(&cache);
}

/// Gives everything cached on a device back; returns how many bytes were in caches of the library's.
[[gnu::cold]] inline std::size_t trim_caches(device d, bool wait) noexcept {
  memory_resource* const current = memory_resource_slot(d).load(std::memory_order_acquire);
  std::size_t released = current == nullptr ? 0 : current->trim(wait);
  cache_list& list = caches_of(d);
  for (std::size_t i = 0;; ++i) {
    memory_resource* cache = nullptr;
    {
      const locked hold(list.lock);
      if (i >= list.caches.size()) return released;
      cache = list.caches[i];
    }
    if (cache != current) released += cache->trim(wait);
  }
}

}  // namespace detail
}  // namespace gpu
