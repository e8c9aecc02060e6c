/// @file
/// `pinned_resource`: page-locked memory of the host, which GPUs read and write directly, in buckets of powers of two.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "buffer.hpp"

namespace gpu {

/// A pool of page-locked memory: locking pages costs more than most copies, so blocks are kept. Sizes are powers of
/// two, so that few blocks serve many sizes. A block that was freed while a stream still used it is reused when that
/// work is done. In a program or on a machine without CUDA it is ordinary memory.
class pinned_resource final : public memory_resource {
 public:
  pinned_resource() : provider_(find_provider()) {}

  [[nodiscard]] void* allocate(std::size_t bytes, const stream& s) override;
  void deallocate(void* data, std::size_t bytes, const stream& s) noexcept override;
  std::size_t trim(bool wait) noexcept override;
  [[nodiscard]] memory_statistics statistics() const override;

  /// The backend that locks the memory; null where it is ordinary memory.
  [[nodiscard]] const detail::backend_table* provider() const noexcept { return provider_; }
  /// Whether a driver has locked the memory.
  [[nodiscard]] bool is_page_locked() const noexcept { return provider_ != nullptr; }

  /// The bytes that a block for `bytes` bytes has.
  [[nodiscard]] static constexpr std::size_t bucket_size(std::size_t bytes) noexcept {
    return bytes <= smallest ? smallest : std::bit_ceil(bytes);
  }

 private:
  static constexpr std::size_t smallest = 4096;
  static constexpr int first_power = 12;
  static constexpr int buckets = 35;  ///< up to 64 TiB

  struct free_block {
    void* data;
    detail::stream_use use;
  };
  using block_list = detail::relocatable_list<free_block>;

  [[nodiscard]] static int bucket_of(std::size_t size) noexcept { return std::countr_zero(size) - first_power; }
  [[nodiscard]] static const detail::backend_table* find_provider() {
    const detail::backend_table* const cuda = detail::backend_of(device_kind::cuda);
    return cuda != nullptr && cuda->count() > 0 && cuda->why_unusable(0).empty() ? cuda : nullptr;
  }
  [[nodiscard]] void* take_cached(int bucket) noexcept;
  [[nodiscard]] void* allocate_block(std::size_t size);
  void free_block_of(void* data, std::size_t size) noexcept;
  [[nodiscard]] static bool wait_for_block(const detail::stream_use& use) noexcept;

  const detail::backend_table* provider_;
  mutable detail::mutex lock_;  ///< never held across a call of a driver
  block_list free_[buckets];    ///< oldest first
  memory_statistics counts_;
};

namespace detail {

/// The pool of pinned memory of the process.
[[nodiscard, gnu::visibility("default")]] inline pinned_resource& pinned_pool() {
  static pinned_resource* const pool = [] {
    auto* const made = new pinned_resource;
    add_cache(device::host(), *made);
    return made;
  }();
  return *pool;
}

/// A buffer of the host that GPUs reach directly. @throws out_of_memory
[[nodiscard]] inline buffer_ptr allocate_pinned_buffer(std::size_t bytes) {
  const device host = device::host();
  pinned_resource& pool = pinned_pool();
  buffer_ptr made = allocate_from(pool, bytes, host, stream::default_stream(host));
  if (pool.is_page_locked()) buffer_access::set_page_locked(*made);
  return made;
}

}  // namespace detail

// ---------------------------------------------------------------------------------------------------------------------

inline void* pinned_resource::allocate(std::size_t bytes, const stream& s) {
  if (!s.device().is_host()) detail::raise_wrong_stream(device::host(), s);
  if (bytes <= detail::max_block) {
    const std::size_t size = bucket_size(bytes);
    const int bucket = bucket_of(size);
    void* data = take_cached(bucket);
    if (data == nullptr) data = allocate_block(size);
    if (data == nullptr && trim(true) != 0) data = allocate_block(size);
    if (data != nullptr) {
      const detail::locked hold(lock_);
      counts_.used += size;
      if (counts_.used > counts_.peak) counts_.peak = counts_.used;
      ++counts_.blocks;
      ++counts_.allocations;
      return data;
    }
  }
  const memory_statistics now = statistics();
  throw out_of_memory(memory_shortage{device::host(), bytes, now.used, now.cached, now.largest_cached, 0,
                                      device::host().memory_info()});
}

inline void pinned_resource::deallocate(void* data, std::size_t bytes, const stream& s) noexcept {
  const std::size_t size = bucket_size(bytes);
  detail::stream_state& state = s.state();
  const std::uint64_t ticket = state.submitted.load(std::memory_order_relaxed);
  {
    const detail::locked hold(lock_);
    counts_.used -= size;
    --counts_.blocks;
    try {
      free_[bucket_of(size)].push_back({data, {detail::intrusive_ptr<detail::stream_state>::share(&state), ticket}});
      counts_.cached += size;
      return;
    } catch (...) {  // no memory to remember it in
      counts_.reserved -= size;
    }
  }
  if (wait_for_block({detail::intrusive_ptr<detail::stream_state>::share(&state), ticket})) free_block_of(data, size);
}

/// The oldest block of the bucket, if it is free for use.
[[gnu::cold]] inline void* pinned_resource::take_cached(int bucket) noexcept {
  for (std::size_t i = 0;; ++i) {
    free_block candidate{};
    {
      const detail::locked hold(lock_);
      block_list& list = free_[bucket];
      if (i >= list.size()) return nullptr;
      candidate = list[i];
    }
    if (!candidate.use.stream->is_done(candidate.use.ticket)) continue;
    const detail::locked hold(lock_);
    block_list& list = free_[bucket];
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (list[k].data != candidate.data || list[k].use.ticket > candidate.use.ticket) continue;
      list.erase_unordered(k);
      counts_.cached -= std::size_t{1} << (bucket + first_power);
      return candidate.data;
    }
  }
}

inline void* pinned_resource::allocate_block(std::size_t size) {
  void* const data =
      provider_ != nullptr ? provider_->allocate_pinned(size) : device::host().table().allocate_plain(0, size);
  if (data == nullptr) return nullptr;
  const detail::locked hold(lock_);
  counts_.reserved += size;
  ++counts_.upstream_allocations;
  return data;
}

inline void pinned_resource::free_block_of(void* data, std::size_t size) noexcept {
  if (provider_ != nullptr) {
    provider_->deallocate_pinned(data);
  } else {
    device::host().table().deallocate_plain(0, data, size);
  }
}

[[gnu::cold]] inline bool pinned_resource::wait_for_block(const detail::stream_use& use) noexcept {
  try {
    use.stream->wait_until_done(use.ticket);
    return true;
  } catch (...) {  // then it is lost rather than reused too early
    return false;
  }
}

[[gnu::cold]] inline std::size_t pinned_resource::trim(bool wait) noexcept {
  std::size_t released = 0;
  for (int bucket = 0; bucket < buckets; ++bucket) {
    const std::size_t size = std::size_t{1} << (bucket + first_power);
    block_list busy;
    for (;;) {
      free_block candidate{};
      {
        const detail::locked hold(lock_);
        if (free_[bucket].empty()) break;
        candidate = free_[bucket].pop_back();
        counts_.cached -= size;
        counts_.reserved -= size;
      }
      if (candidate.use.stream->is_done(candidate.use.ticket) || (wait && wait_for_block(candidate.use))) {
        free_block_of(candidate.data, size);
        released += size;
        continue;
      }
      try {
        busy.push_back(candidate);
      } catch (...) {  // lost
      }
    }
    const detail::locked hold(lock_);
    for (const free_block& b : busy) {
      try {
        free_[bucket].push_back(b);
        counts_.cached += size;
        counts_.reserved += size;
      } catch (...) {  // lost
      }
    }
  }
  return released;
}

[[gnu::cold]] inline memory_statistics pinned_resource::statistics() const {
  const detail::locked hold(lock_);
  memory_statistics result = counts_;
  for (int bucket = 0; bucket < buckets; ++bucket) {
    if (!free_[bucket].empty()) result.largest_cached = std::size_t{1} << (bucket + first_power);
  }
  return result;
}

}  // namespace gpu
