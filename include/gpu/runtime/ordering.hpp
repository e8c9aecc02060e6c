/// @file
/// What work must wait for, and how buffers remember it: needed only where there are streams other than the host's
/// default.
#pragma once

#include <cstdint>

#include "buffer.hpp"
#include "forbid_sync.hpp"

namespace gpu::detail {

/// One for each device: the locks under which work is recorded in buffers and enqueued.
[[nodiscard, gnu::visibility("default")]] inline mutex& ordering_lock(int slot) noexcept {
  static mutex* const locks = new mutex[max_devices];
  return locks[slot];
}

/// Holds the ordering locks of a set of devices, taken in one order by everybody.
class ordering_guard {
 public:
  ordering_guard(buffer_list reads, buffer_list writes) noexcept {
    for (const buffer* const b : reads) add(b->device());
    for (const buffer* const b : writes) add(b->device());
    lock();
  }
  explicit ordering_guard(device d, buffer_list reads = {}, buffer_list writes = {}) noexcept {
    add(d);
    for (const buffer* const b : reads) add(b->device());
    for (const buffer* const b : writes) add(b->device());
    lock();
  }
  ordering_guard(const ordering_guard&) = delete;
  ordering_guard& operator=(const ordering_guard&) = delete;
  ~ordering_guard() { unlock(); }

  [[gnu::cold]] void lock() noexcept {
    for (std::uint64_t rest = devices_; rest != 0; rest &= rest - 1) ordering_lock(__builtin_ctzll(rest)).lock();
    held_ = true;
  }
  [[gnu::cold]] void unlock() noexcept {
    if (!held_) return;
    for (std::uint64_t rest = devices_; rest != 0; rest &= rest - 1) ordering_lock(__builtin_ctzll(rest)).unlock();
    held_ = false;
  }

 private:
  void add(device d) noexcept { devices_ |= std::uint64_t{1} << d.slot(); }

  std::uint64_t devices_ = 0;
  bool held_ = false;
};

/// Work that other work must wait for, one place for each stream.
using stream_uses = relocatable_list<stream_use>;

[[gnu::cold]] inline void add_use(stream_uses& uses, const stream_state& s, const stream_use& use) {
  if (!use.stream || use.stream.get() == &s || is_known_done(use)) return;
  for (stream_use& other : uses) {
    if (other.stream != use.stream) continue;
    if (other.ticket < use.ticket) other.ticket = use.ticket;
    return;
  }
  uses.push_back(use);
}

/// What work on `s` must wait for before it uses the buffers; under their ordering locks.
[[nodiscard, gnu::cold]] inline stream_uses hazards(const stream_state& s, buffer_list reads, buffer_list writes) {
  stream_uses uses;
  for (buffer* const b : reads) {
    bool waited = false;  // a stream that has read it since the last write has waited for that write
    for (const stream_use& use : buffer_access::readers(*b)) waited = waited || use.stream.get() == &s;
    if (!waited) add_use(uses, s, buffer_access::writer(*b));
  }
  for (buffer* const b : writes) {
    add_use(uses, s, buffer_access::writer(*b));
    for (const stream_use& use : buffer_access::readers(*b)) add_use(uses, s, use);
  }
  return uses;
}

/// So that `record_use` cannot fail.
inline void make_room_for_readers(buffer_list reads) {
  for (buffer* const b : reads) buffer_access::readers(*b).make_room();
}

/// Remembers that work `ticket` of `s` uses the buffers; under their ordering locks.
[[gnu::cold]] inline void record_use(stream_state& s, std::uint64_t ticket, buffer_list reads,
                                     buffer_list writes) noexcept {
  for (buffer* const b : reads) {
    auto& readers = buffer_access::readers(*b);
    stream_use* mine = nullptr;
    for (stream_use& use : readers) {
      if (use.stream.get() == &s) mine = &use;
    }
    if (mine != nullptr) {
      mine->ticket = ticket;
    } else {
      readers.push_back({intrusive_ptr<stream_state>::share(&s), ticket});
    }
    buffer_access::set_pending(*b);
  }
  for (buffer* const b : writes) {
    buffer_access::readers(*b).clear();
    buffer_access::set_written(*b);
    buffer_access::writer(*b) = {intrusive_ptr<stream_state>::share(&s), ticket};
    buffer_access::set_pending(*b);
  }
}

/// Makes the calling thread wait for everything that work on the host's default stream must wait for.
[[gnu::cold]] inline void settle(buffer_list reads, buffer_list writes, const char* operation) {
  ordering_guard order(reads, writes);
  const stream_uses uses = hazards(host_default_stream(), reads, writes);
  order.unlock();
  if (!uses.empty()) check_wait_allowed(operation);
  for (const stream_use& use : uses) wait_for(use);
  order.lock();
  for (buffer* const b : reads) buffer_access::forget_done(*b);
  for (buffer* const b : writes) buffer_access::forget_done(*b);
}

/// Frees the buffers that were only waiting for work that is done by now.
[[gnu::cold]] inline void collect_deferred() noexcept {
  if (const std::size_t waiting = deferred_frees().size.load(std::memory_order_relaxed); waiting != 0) {
    buffer_access::collect(waiting, false);
  }
}

/// Called by whoever makes a stream that is not the host's default.
[[gnu::cold]] inline void use_ordering() noexcept {
  static constexpr ordering_functions functions = {&settle, &buffer_access::free_slowly, &buffer_access::collect};
  ordering_slot().store(&functions, std::memory_order_release);
}

}  // namespace gpu::detail
