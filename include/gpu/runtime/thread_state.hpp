/// @file
/// What the runtime keeps for each thread, and what it must know of forked children.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>

#include "backend.hpp"

namespace gpu::detail {

struct stream_state;

/// Trivial, so that reading it costs no guard and nothing runs when a thread ends.
struct thread_state {
  bool has_device = false;
  device_kind kind = device_kind::host;
  std::uint8_t index = 0;
  bool in_driver_callback = false;  ///< where the driver must not be called
  bool in_shortage_handler = false;
  int forbid_sync_depth = 0;
  int slot = -1;                            ///< which shard of the pools this thread uses
  stream_state* streams[max_devices] = {};  ///< current streams; null: the default stream
  stream_state* worker = nullptr;           ///< the host stream whose task this thread runs
  std::uint64_t worker_ticket = 0;          ///< that task
};

[[nodiscard, gnu::visibility("default")]] inline thread_state& this_thread() noexcept {
  static thread_local thread_state state;
  return state;
}

/// A small number that spreads threads over shards.
[[nodiscard, gnu::visibility("default")]] inline int next_thread_slot() noexcept {
  static std::atomic<int> next{0};
  return next.fetch_add(1, std::memory_order_relaxed) & 0x3fffffff;
}

[[nodiscard, gnu::visibility("default")]] inline std::atomic<std::uint32_t>& fork_counter() noexcept {
  static std::atomic<std::uint32_t> counter{0};
  return counter;
}

/// How many forks lie between the first process and this one: worker threads and CUDA do not survive one.
[[nodiscard]] inline std::uint32_t fork_generation() noexcept { return fork_counter().load(std::memory_order_relaxed); }

/// Has forks counted from now on; called before the first worker thread and the first use of CUDA.
[[gnu::visibility("default")]] inline void watch_forks() noexcept {
  static const int registered =
      pthread_atfork(nullptr, nullptr, +[] { fork_counter().fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);
}

}  // namespace gpu::detail
