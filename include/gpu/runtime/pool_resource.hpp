/// @file
/// `pool_resource`: freed blocks are kept, by size, for the stream that freed them, and reused last-in first-out.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>

#include "memory_resource.hpp"
#include "pool_shard.hpp"

namespace gpu {

/// The first tier of memory. Reuse on one stream needs no event; a block freed on one stream goes to another once its
/// work is done. When upstream has nothing left, or the limit is reached, everything cached is given back before it is
/// an error. Threads that use a default stream have caches of their own, so that they do not wait for each other.
class pool_resource final : public memory_resource {
 public:
  /// A pool of a device's memory over `upstream`, which must outlive it. Blocks that were not freed when the pool ends
  /// are lost to it.
  pool_resource(gpu::device d, memory_resource& upstream);
  // Declared inline here: else the first would be a key function, and every unit would emit all of them.
  inline ~pool_resource() override;

  [[nodiscard]] inline void* allocate(std::size_t bytes, const stream& s) override;
  inline void deallocate(void* data, std::size_t bytes, const stream& s) noexcept override;
  inline std::size_t trim(bool wait) noexcept override;
  [[nodiscard]] inline memory_statistics statistics() const override;

  /// At most this many bytes are taken from upstream, cached ones included; 0 for no limit.
  void set_limit(std::size_t bytes) noexcept { limit_.store(bytes, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
  /// Blocks freed beyond this many cached bytes go back upstream at once. Half of the device's memory unless set.
  void set_cache_limit(std::size_t bytes) noexcept { cache_limit_.store(bytes, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t cache_limit() const noexcept { return cache_limit_.load(std::memory_order_relaxed); }

 private:
  // Blocks from here on are counted in one place when they are cached; smaller ones only in their shard.
  static constexpr std::size_t large_block = std::size_t{1} << 20;
  static constexpr std::size_t small_cache_limit = std::size_t{64} << 20;
  static constexpr std::int64_t publish_step = std::int64_t{64} << 10;
  static constexpr unsigned default_shards = 32;

  enum class pending : std::uint8_t { keep, wait_for };

  [[nodiscard]] detail::pool_shard& shard_of(const stream& s) {
    detail::stream_state& state = s.state();
    auto* const shard = state.permanent
                            ? shards_[detail::thread_slot() % default_shards].load(std::memory_order_acquire)
                            : static_cast<detail::pool_shard*>(state.pool_shard.load(std::memory_order_acquire));
    const bool fits = shard != nullptr && (state.permanent ? shard->stream.get() == &state : shard->owner == this);
    return fits ? *shard : make_shard(state);
  }
  // Counts a block given out; under the shard's lock.
  void count_allocation(detail::pool_shard& shard, std::size_t bytes) noexcept {
    shard.used += static_cast<std::int64_t>(bytes);
    if (shard.used > shard.used_high) shard.used_high = shard.used;
    ++shard.blocks;
    ++shard.allocations;
    if (shard.used >= publish_step) publish(shard);
  }
  void uncache(detail::pool_shard& shard, std::size_t bytes) noexcept {
    if (bytes < large_block) {
      shard.small_cached -= bytes;
    } else {
      large_cached_.fetch_sub(bytes, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] bool cache(detail::pool_shard& shard, void* data, int size_class, std::uint64_t ticket) noexcept;

  detail::pool_shard& make_shard(detail::stream_state& state);
  [[nodiscard]] detail::intrusive_ptr<detail::stream_state> find_ended_stream() const;
  void publish(detail::pool_shard& shard) const noexcept;
  [[nodiscard]] void* allocate_slowly(std::size_t bytes, int size_class, const stream& s);
  [[nodiscard]] void* allocate_upstream(std::size_t bytes, std::size_t size, const stream& s);
  [[nodiscard]] void* steal(int size_class, const stream& s);
  [[nodiscard]] bool reserve(std::size_t bytes) noexcept;
  std::size_t release_cached(pending what) noexcept;
  std::size_t release_cached(detail::pool_shard& shard, int size_class, pending what) noexcept;
  /// The shards by number; null after the last. They live as long as the pool.
  [[nodiscard]] detail::pool_shard* shard_at(unsigned& position) const noexcept;
  [[noreturn]] void fail(std::size_t bytes);

  gpu::device device_;
  memory_resource& upstream_;
  std::atomic<std::size_t> limit_{0};
  std::atomic<std::size_t> cache_limit_{0};
  std::atomic<std::size_t> reserved_{0};
  std::atomic<std::size_t> large_cached_{0};
  std::atomic<std::uint64_t> upstream_allocations_{0};
  std::atomic<std::int64_t> unsharded_frees_{0};
  mutable std::atomic<std::int64_t> published_used_{0};
  mutable std::atomic<std::int64_t> peak_{0};
  std::atomic<detail::pool_shard*> shards_[default_shards] = {};
  mutable detail::mutex lock_;  ///< guards the list; never held across a call of upstream
  detail::relocatable_list<detail::pool_shard*> stream_shards_;  ///< of streams other than the default one
};

// ---------------------------------------------------------------------------------------------------------------------

[[gnu::cold]] inline pool_resource::pool_resource(gpu::device d, memory_resource& upstream)
    : device_(d), upstream_(upstream), cache_limit_(d.memory_info().total / 2) {}

[[gnu::cold]] inline pool_resource::~pool_resource() {
  release_cached(pending::wait_for);
  for (unsigned i = 0; detail::pool_shard* const shard = shard_at(i);) {
    void* mine = shard;
    shard->stream->pool_shard.compare_exchange_strong(mine, nullptr);
    delete shard;
  }
}

inline void* pool_resource::allocate(std::size_t bytes, const stream& s) {
  const int size_class = detail::size_class_of(bytes);
  if (bytes <= detail::max_block) [[likely]] {
    detail::pool_shard& shard = shard_of(s);
    const detail::locked hold(shard.lock);
    detail::block_stack& stack = shard.stacks[size_class];
    if (!stack.empty()) [[likely]] {
      const std::size_t size = detail::size_of_class(size_class);
      uncache(shard, size);
      count_allocation(shard, size);
      return stack.pop();
    }
  }
  return allocate_slowly(bytes, size_class, s);
}

inline void pool_resource::deallocate(void* data, std::size_t bytes, const stream& s) noexcept {
  const int size_class = detail::size_class_of(bytes);
  const std::size_t size = detail::size_of_class(size_class);
  const std::uint64_t ticket = s.state().submitted.load(std::memory_order_relaxed);
  try {
    detail::pool_shard& shard = shard_of(s);
    const detail::locked hold(shard.lock);
    shard.used -= static_cast<std::int64_t>(size);
    --shard.blocks;
    if (shard.used <= -publish_step) publish(shard);
    if (cache(shard, data, size_class, ticket)) [[likely]]
      return;
  } catch (...) {  // no memory for a new shard
    published_used_.fetch_sub(static_cast<std::int64_t>(size), std::memory_order_relaxed);
    unsharded_frees_.fetch_add(1, std::memory_order_relaxed);
  }
  upstream_.deallocate(data, size, s);
  reserved_.fetch_sub(size, std::memory_order_relaxed);
}

inline bool pool_resource::cache(detail::pool_shard& shard, void* data, int size_class, std::uint64_t ticket) noexcept {
  const std::size_t size = detail::size_of_class(size_class);
  if (size < large_block) {
    if (shard.small_cached + size > small_cache_limit) return false;
    if (!shard.stacks[size_class].push(data, ticket)) return false;
    shard.small_cached += size;
    return true;
  }
  const std::size_t limit = cache_limit_.load(std::memory_order_relaxed);
  if (large_cached_.fetch_add(size, std::memory_order_relaxed) + size <= limit &&
      shard.stacks[size_class].push(data, ticket)) {
    return true;
  }
  large_cached_.fetch_sub(size, std::memory_order_relaxed);
  return false;
}

inline void pool_resource::publish(detail::pool_shard& shard) const noexcept {
  const std::int64_t before = published_used_.fetch_add(shard.used, std::memory_order_relaxed);
  const std::int64_t high = before + shard.used_high;
  std::int64_t peak = peak_.load(std::memory_order_relaxed);
  while (high > peak && !peak_.compare_exchange_weak(peak, high, std::memory_order_relaxed)) {
  }
  shard.used = 0;
  shard.used_high = 0;
}

[[gnu::cold]] inline detail::pool_shard& pool_resource::make_shard(detail::stream_state& state) {
  if (state.owner != device_) {
    state.add_handle();
    detail::raise_wrong_stream(device_, stream::adopt(state));
  }
  // The shard of a stream that has ended, with all its work, is as good as new.
  const auto ended = state.permanent ? detail::intrusive_ptr<detail::stream_state>() : find_ended_stream();
  const detail::locked hold(lock_);
  if (state.permanent) {
    std::atomic<detail::pool_shard*>& slot = shards_[detail::thread_slot() % default_shards];
    if (detail::pool_shard* const shard = slot.load(std::memory_order_acquire)) return *shard;
    auto* const shard = new detail::pool_shard;
    shard->owner = this;
    shard->stream = detail::intrusive_ptr<detail::stream_state>::share(&state);
    slot.store(shard, std::memory_order_release);
    return *shard;
  }
  detail::pool_shard* shard = nullptr;
  detail::pool_shard* recycled = nullptr;
  for (detail::pool_shard* const other : stream_shards_) {
    if (other->stream.get() == &state) shard = other;
    if (ended && other->stream == ended) recycled = other;
  }
  if (shard == nullptr) {
    shard = recycled;
    if (shard == nullptr) {
      stream_shards_.make_room();
      shard = new detail::pool_shard;
      shard->owner = this;
      stream_shards_.push_back(shard);
    }
    const detail::locked hold_shard(shard->lock);
    shard->stream = detail::intrusive_ptr<detail::stream_state>::share(&state);
    for (detail::block_stack& stack : shard->stacks) stack.forget_tickets();
  }
  state.pool_shard.store(shard, std::memory_order_release);
  return *shard;
}

[[gnu::cold]] inline detail::intrusive_ptr<detail::stream_state> pool_resource::find_ended_stream() const {
  for (unsigned i = 0; detail::pool_shard* const shard = shard_at(i);) {
    shard->lock.lock();
    detail::intrusive_ptr<detail::stream_state> state = shard->stream;
    shard->lock.unlock();
    if (state && state->retired.load(std::memory_order_acquire) &&
        state->is_done(state->submitted.load(std::memory_order_relaxed))) {
      return state;
    }
  }
  return nullptr;
}

[[gnu::noinline]] inline detail::pool_shard* pool_resource::shard_at(unsigned& position) const noexcept {
  while (position < default_shards) {
    if (detail::pool_shard* const shard = shards_[position++].load(std::memory_order_acquire)) return shard;
  }
  const detail::locked hold(lock_);
  const std::size_t index = position - default_shards;
  if (index == stream_shards_.size()) return nullptr;
  ++position;
  return stream_shards_.begin()[index];
}

[[gnu::cold]] inline void* pool_resource::allocate_slowly(std::size_t bytes, int size_class, const stream& s) {
  if (bytes > detail::max_block) fail(bytes);
  const std::size_t size = detail::size_of_class(size_class);
  void* data = steal(size_class, s);
  if (data == nullptr) {
    // Cached bytes must never cause a failure: first goes what is free now, then what is free once its work is done.
    bool reserved = reserve(size);
    for (const pending what : {pending::keep, pending::wait_for}) {
      if (reserved) break;
      release_cached(what);
      reserved = reserve(size);
    }
    if (!reserved) fail(bytes);
    data = allocate_upstream(bytes, size, s);
  }
  detail::pool_shard& shard = shard_of(s);
  const detail::locked hold(shard.lock);
  count_allocation(shard, size);
  return data;
}

[[gnu::cold]] inline void* pool_resource::allocate_upstream(std::size_t bytes, std::size_t size, const stream& s) {
  for (int attempt = 0;; ++attempt) {
    try {
      void* const data = upstream_.allocate(size, s);
      upstream_allocations_.fetch_add(1, std::memory_order_relaxed);
      return data;
    } catch (const std::bad_alloc&) {
      if (attempt == 2) {
        reserved_.fetch_sub(size, std::memory_order_relaxed);
        fail(bytes);
      }
    } catch (...) {
      reserved_.fetch_sub(size, std::memory_order_relaxed);
      throw;
    }
    trim(attempt == 1);
  }
}

inline bool pool_resource::reserve(std::size_t bytes) noexcept {
  const std::size_t limit = limit_.load(std::memory_order_relaxed);
  if (reserved_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit || limit == 0) return true;
  reserved_.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

/// A block that another thread or stream has freed and that is free for `s` too.
[[gnu::cold]] inline void* pool_resource::steal(int size_class, const stream& s) {
  for (unsigned i = 0; detail::pool_shard* const shard = shard_at(i);) {
    detail::block_stack& stack = shard->stacks[size_class];
    detail::stream_use use;
    {
      const detail::locked hold(shard->lock);
      if (stack.empty()) continue;
      use = {shard->stream, stack.oldest().ticket};
    }
    if (use.stream.get() != &s.state() && !use.stream->is_done(use.ticket)) continue;
    const detail::locked hold(shard->lock);
    if (stack.empty() || shard->stream != use.stream || stack.oldest().ticket > use.ticket) continue;
    uncache(*shard, detail::size_of_class(size_class));
    return stack.pop_oldest().data;
  }
  return nullptr;
}

[[gnu::cold]] inline std::size_t pool_resource::release_cached(pending what) noexcept {
  std::size_t released = 0;
  for (unsigned i = 0; detail::pool_shard* const shard = shard_at(i);) {
    for (int c = 0; c < detail::size_classes; ++c) released += release_cached(*shard, c, what);
  }
  return released;
}

[[gnu::cold]] inline std::size_t pool_resource::release_cached(detail::pool_shard& shard, int size_class,
                                                               pending what) noexcept {
  const std::size_t size = detail::size_of_class(size_class);
  const stream default_stream = stream::default_stream(device_);
  std::size_t released = 0;
  for (;;) {
    detail::stream_use use;
    detail::free_block block;
    {
      const detail::locked hold(shard.lock);
      if (shard.stacks[size_class].empty()) return released;
      block = shard.stacks[size_class].pop_oldest();
      use = {shard.stream, block.ticket};
      uncache(shard, size);
    }
    detail::stream_state& state = *use.stream;
    bool done = state.is_done(block.ticket);
    if (!done && state.kind == detail::stream_kind::native && state.handles.add_if_alive()) {
      upstream_.deallocate(block.data, size, stream::adopt(state));
    } else {
      if (!done && what == pending::wait_for) {
        try {
          state.wait_until_done(block.ticket);
          done = true;
        } catch (...) {  // stays cached
        }
      }
      if (!done) {
        const detail::locked hold(shard.lock);
        if (cache(shard, block.data, size_class, block.ticket)) return released;
        // Lost to the pool rather than reused too early.
      } else {
        upstream_.deallocate(block.data, size, default_stream);
      }
    }
    reserved_.fetch_sub(size, std::memory_order_relaxed);
    released += size;
  }
}

inline std::size_t pool_resource::trim(bool wait) noexcept {
  const std::size_t released = release_cached(wait ? pending::wait_for : pending::keep);
  return released + upstream_.trim(wait);
}

[[gnu::cold]] inline memory_statistics pool_resource::statistics() const {
  memory_statistics result;
  std::int64_t blocks = -unsharded_frees_.load(std::memory_order_relaxed);
  for (unsigned i = 0; detail::pool_shard* const shard = shard_at(i);) {
    const detail::locked hold(shard->lock);
    publish(*shard);
    result.cached += shard->small_cached;
    result.allocations += shard->allocations;
    blocks += shard->blocks;
    for (int c = 0; c < detail::size_classes; ++c) {
      const std::size_t size = detail::size_of_class(c);
      if (!shard->stacks[c].empty() && size > result.largest_cached) result.largest_cached = size;
    }
  }
  result.blocks = static_cast<std::uint64_t>(blocks);
  result.used = static_cast<std::size_t>(published_used_.load(std::memory_order_relaxed));
  result.peak = static_cast<std::size_t>(peak_.load(std::memory_order_relaxed));
  result.cached += large_cached_.load(std::memory_order_relaxed);
  result.reserved = reserved_.load(std::memory_order_relaxed);
  result.upstream_allocations = upstream_allocations_.load(std::memory_order_relaxed);
  return result;
}

[[gnu::cold]] inline void pool_resource::fail(std::size_t bytes) {
  const memory_statistics now = statistics();
  throw out_of_memory(
      memory_shortage{device_, bytes, now.used, now.cached, now.largest_cached, limit(), device_.memory_info()});
}

}  // namespace gpu
