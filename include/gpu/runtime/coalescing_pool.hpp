/// @file
/// `coalescing_pool`: best-fit blocks cut from large segments, merged again when they are free, for any kind of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "concurrency.hpp"
#include "memory_resource.hpp"
#include "pool_backend.hpp"

namespace gpu {

/// How a coalescing pool takes memory.
struct coalescing_options {
  std::size_t segment = std::size_t{32} << 20;  ///< what it takes at least, unless there is less
  std::size_t alignment = 512;                  ///< of blocks and their sizes: a power of two
  std::size_t limit = 0;                        ///< on what it takes, 0 for none
};

/// A pool of blocks that tile their segments. A freed block merges with free neighbours of the same stream at once,
/// with others when the work on them is done. A stream gets, in turn: the best fit among what is free for it; what
/// turns out to be free by now; new memory; a block for which it has to wait; and before there is none, all of the
/// cache.
template <pool_backend Backend>
class coalescing_pool {
 public:
  using stream_type = typename Backend::stream_type;
  using place = typename Backend::place;

  explicit coalescing_pool(Backend backend, const coalescing_options& options = {})
      : backend_(std::move(backend)), options_(options) {}
  coalescing_pool(const coalescing_pool&) = delete;
  coalescing_pool& operator=(const coalescing_pool&) = delete;
  /// Blocks that are in use are lost to it.
  ~coalescing_pool() { trim(true); }

  /// Memory for work on `s`; null if there is none even after everything cached was given back.
  [[nodiscard]] void* allocate(std::size_t bytes, const stream_type& s);
  /// Gives back a block of this pool; it is for others once the work that `s` has now is done. Waits for nothing.
  void deallocate(void* data, const stream_type& s) noexcept;
  /// Gives segments of which nothing is in use back; with `wait`, after all work. Returns how many bytes.
  std::size_t trim(bool wait) noexcept;
  [[nodiscard]] memory_statistics statistics() const;
  [[nodiscard]] std::size_t limit() const noexcept { return options_.limit; }

  /// Calls `f(segment, block, size, is_used, key, ticket)` for every block in the order of addresses.
  template <class F>
  void visit(const F& f) const {
    const std::lock_guard hold(lock_);
    for (const auto& [data, b] : blocks_) {
      f(static_cast<const void*>(b.segment), static_cast<const void*>(data), b.size, b.used, backend_.key(b.pending),
        static_cast<std::uint64_t>(b.pending.ticket));
    }
  }

 private:
  /// Free blocks by the stream that they are free for, then by size, then by address. Stream 0: free for everybody.
  struct free_key {
    std::uintptr_t stream;
    std::size_t size;
    char* data;
    friend bool operator<(const free_key& a, const free_key& b) noexcept {
      if (a.stream != b.stream) return a.stream < b.stream;
      return a.size != b.size ? a.size < b.size : a.data < b.data;
    }
  };
  using free_set = std::set<free_key>;

  struct block {
    char* segment = nullptr;
    std::size_t size = 0;
    bool used = false;
    place pending{};                         ///< from when on it is free
    typename free_set::node_type node{};     ///< while it is used: so that freeing it cannot fail
    typename free_set::iterator position{};  ///< while it is free
  };
  using block_map = std::map<char*, block>;
  using block_at = typename block_map::iterator;
  using guard = std::unique_lock<detail::mutex>;

  [[nodiscard]] static typename free_set::node_type make_node() {
    free_set made;
    return made.extract(made.insert(free_key{}).first);
  }

  [[nodiscard]] block_at best_fit(std::size_t size, std::uintptr_t stream);
  [[nodiscard]] block_at best_fit_of_others(std::size_t size, std::uintptr_t stream);
  [[nodiscard]] block_at add_segment(char* data, std::size_t size, const place& available);
  void* take(block_at at, std::size_t size, const stream_type& s, guard& hold);
  void put(block_at at) noexcept;
  block_at merge(block_at at) noexcept;
  void forget_done(std::uintptr_t stream, std::uint64_t ticket) noexcept;
  bool poll(guard& hold, bool wait) noexcept;
  [[nodiscard]] block_at grow(std::size_t size, guard& hold);
  std::size_t release_segments(guard& hold) noexcept;

  Backend backend_;
  const coalescing_options options_;
  mutable detail::mutex lock_;
  block_map blocks_;
  free_set free_;
  std::map<char*, std::size_t> segments_;
  memory_statistics counts_;
};

// ---------------------------------------------------------------------------------------------------------------------

template <pool_backend Backend>
void* coalescing_pool<Backend>::allocate(std::size_t bytes, const stream_type& s) {
  const std::size_t unit = options_.alignment;
  if (bytes > detail::max_allocation) return nullptr;
  const std::size_t size = bytes == 0 ? unit : (bytes + unit - 1) / unit * unit;
  const std::uintptr_t stream = backend_.key(s);
  guard hold(lock_);
  block_at at = best_fit(size, stream);
  if (at == blocks_.end() && poll(hold, false)) at = best_fit(size, stream);
  if (at == blocks_.end()) at = grow(size, hold);
  if (at == blocks_.end()) at = best_fit_of_others(size, stream);
  for (const bool wait : {false, true}) {
    if (at != blocks_.end()) break;
    if (wait && poll(hold, true)) at = best_fit(size, stream);
    if (at == blocks_.end()) {
      release_segments(hold);
      at = grow(size, hold);
    }
    if (at == blocks_.end()) at = best_fit(size, stream);
  }
  return at == blocks_.end() ? nullptr : take(at, size, s, hold);
}

/// Cuts `size` bytes off a free block. Not under the lock, the stream is made to wait for earlier work on them.
template <pool_backend Backend>
void* coalescing_pool<Backend>::take(block_at at, std::size_t size, const stream_type& s, guard& hold) {
  block& b = at->second;
  char* const data = at->first;
  if (b.size > size) {
    // Everything that may fail comes first.
    const block_at rest = blocks_.emplace_hint(std::next(at), data + size, block{});
    try {
      rest->second.node = make_node();
    } catch (...) {
      blocks_.erase(rest);
      throw;
    }
    rest->second.segment = b.segment;
    rest->second.size = b.size - size;
    rest->second.pending = b.pending;
    b.node = free_.extract(b.position);
    b.size = size;
    put(rest);
  } else {
    b.node = free_.extract(b.position);
  }
  b.used = true;
  counts_.used += size;
  counts_.peak = std::max(counts_.peak, counts_.used);
  ++counts_.blocks;
  ++counts_.allocations;
  const std::uintptr_t owner = backend_.key(b.pending);
  if (owner == 0 || owner == backend_.key(s)) return data;
  const place before = b.pending;
  hold.unlock();
  try {
    backend_.wait(s, before);
  } catch (...) {
    hold.lock();
    at->second.used = false;
    counts_.used -= size;
    --counts_.blocks;
    --counts_.allocations;
    put(merge(at));
    throw;
  }
  return data;
}

template <pool_backend Backend>
void coalescing_pool<Backend>::deallocate(void* data, const stream_type& s) noexcept {
  const guard hold(lock_);
  const block_at at = blocks_.find(static_cast<char*>(data));
  block& b = at->second;
  b.used = false;
  b.pending = backend_.record(s);
  counts_.used -= b.size;
  --counts_.blocks;
  put(merge(at));
}

/// Enters a block among the free ones.
template <pool_backend Backend>
void coalescing_pool<Backend>::put(block_at at) noexcept {
  block& b = at->second;
  b.node.value() = {backend_.key(b.pending), b.size, at->first};
  b.position = free_.insert(std::move(b.node)).position;
}

/// Joins a block that is not among the free ones with free neighbours that wait for the same stream.
template <pool_backend Backend>
auto coalescing_pool<Backend>::merge(block_at at) noexcept -> block_at {
  const auto join = [&](block_at low, block_at high, block_at taken) {
    block& a = low->second;
    block& b = high->second;
    if (a.segment != b.segment || taken->second.used) return false;
    if (backend_.key(a.pending) != backend_.key(b.pending)) return false;
    typename free_set::node_type node = free_.extract(taken->second.position);
    if (b.pending.ticket > a.pending.ticket) a.pending = b.pending;
    a.size += b.size;
    if (taken == low) a.node = std::move(node);
    blocks_.erase(high);
    return true;
  };
  if (const block_at after = std::next(at); after != blocks_.end()) join(at, after, after);
  if (at != blocks_.begin()) {
    const block_at before = std::prev(at);
    if (join(before, at, before)) return before;
  }
  return at;
}

template <pool_backend Backend>
auto coalescing_pool<Backend>::best_fit(std::size_t size, std::uintptr_t stream) -> block_at {
  const auto smallest = [&](std::uintptr_t of) {
    const auto found = free_.lower_bound(free_key{of, size, nullptr});
    return found != free_.end() && found->stream == of ? found : free_.end();
  };
  auto best = smallest(stream);
  if (stream != 0) {
    const auto common = smallest(0);
    if (best == free_.end() || (common != free_.end() && common->size < best->size)) best = common;
  }
  return best == free_.end() ? blocks_.end() : blocks_.find(best->data);
}

/// The smallest block that fits and is in use by a stream other than `stream`.
template <pool_backend Backend>
auto coalescing_pool<Backend>::best_fit_of_others(std::size_t size, std::uintptr_t stream) -> block_at {
  auto best = free_.end();
  for (auto at = free_.begin(); at != free_.end();) {
    const std::uintptr_t of = at->stream;
    const auto found = free_.lower_bound(free_key{of, size, nullptr});
    if (of != stream && found != free_.end() && found->stream == of) {
      if (best == free_.end() || found->size < best->size) best = found;
    }
    at = free_.lower_bound(free_key{of + 1, 0, nullptr});
  }
  return best == free_.end() ? blocks_.end() : blocks_.find(best->data);
}

/// Blocks of a stream whose work is done up to `ticket` become free for everybody.
template <pool_backend Backend>
void coalescing_pool<Backend>::forget_done(std::uintptr_t stream, std::uint64_t ticket) noexcept {
  for (auto at = free_.lower_bound(free_key{stream, 0, nullptr}); at != free_.end() && at->stream == stream;) {
    const block_at done = blocks_.find((at++)->data);
    if (done->second.pending.ticket > ticket) continue;
    done->second.node = free_.extract(done->second.position);
    done->second.pending = place{};
    put(merge(done));  // joins only what is free for everybody: `at` stays
  }
}

/// Asks, or with `wait` waits, for the work on free blocks. Returns whether any has become free for everybody.
template <pool_backend Backend>
bool coalescing_pool<Backend>::poll(guard& hold, bool wait) noexcept {
  std::vector<std::vector<place>> streams;
  try {
    std::uintptr_t last = 0;
    for (const free_key& k : free_) {
      if (k.stream == 0) continue;
      if (k.stream != last) streams.emplace_back();
      last = k.stream;
      streams.back().push_back(blocks_.find(k.data)->second.pending);
    }
  } catch (...) {  // no memory for the list: then nothing is known
    return false;
  }
  if (streams.empty()) return false;
  hold.unlock();
  std::vector<const place*> done;
  try {
    for (std::vector<place>& places : streams) {
      const auto earlier = [](const place& a, const place& b) { return a.ticket < b.ticket; };
      std::sort(places.begin(), places.end(), earlier);
      std::size_t known = wait && backend_.wait(places.back()) ? places.size() : 0;  // so many are done
      for (std::size_t end = wait ? known : places.size(); known < end;) {
        const std::size_t middle = (known + end) / 2;
        if (backend_.query(places[middle])) {
          known = middle + 1;
        } else {
          end = middle;
        }
      }
      if (known != 0) done.push_back(&places[known - 1]);
    }
  } catch (...) {
  }
  hold.lock();
  for (const place* const p : done) forget_done(backend_.key(*p), p->ticket);
  return !done.empty();
}

/// A free block of a new segment, `end()` if there is no memory for one.
template <pool_backend Backend>
auto coalescing_pool<Backend>::grow(std::size_t size, guard& hold) -> block_at {
  const std::size_t usual = options_.segment < size ? size : options_.segment;
  for (const std::size_t wanted : {usual, size}) {
    if (options_.limit != 0 && (wanted > options_.limit || counts_.reserved > options_.limit - wanted)) continue;
    counts_.reserved += wanted;  // so that others respect the limit meanwhile
    hold.unlock();
    place available{};
    void* data = nullptr;
    try {
      data = backend_.allocate(wanted, available);
    } catch (...) {
      hold.lock();
      counts_.reserved -= wanted;
      throw;
    }
    hold.lock();
    if (data != nullptr) return add_segment(static_cast<char*>(data), wanted, available);
    counts_.reserved -= wanted;
    if (usual == size) break;
  }
  return blocks_.end();
}

template <pool_backend Backend>
auto coalescing_pool<Backend>::add_segment(char* data, std::size_t size, const place& available) -> block_at {
  block_at at = blocks_.end();
  try {
    at = blocks_.emplace(data, block{}).first;
    at->second.node = make_node();
    segments_.emplace(data, size);
  } catch (...) {
    if (at != blocks_.end()) blocks_.erase(at);
    counts_.reserved -= size;
    if (backend_.wait(available)) backend_.deallocate(data, size);
    throw;
  }
  at->second.segment = data;
  at->second.size = size;
  at->second.pending = available;
  ++counts_.upstream_allocations;
  put(at);
  return at;
}

/// Gives back the segments that are one block which is free for everybody.
template <pool_backend Backend>
std::size_t coalescing_pool<Backend>::release_segments(guard& hold) noexcept {
  std::size_t released = 0;
  for (;;) {
    auto whole = free_.begin();
    while (whole != free_.end() && whole->stream == 0) {
      const auto segment = segments_.find(whole->data);
      if (segment != segments_.end() && segment->second == whole->size) break;
      ++whole;
    }
    if (whole == free_.end() || whole->stream != 0) return released;
    const free_key taken = *whole;
    free_.erase(whole);
    blocks_.erase(taken.data);
    segments_.erase(taken.data);
    hold.unlock();
    backend_.deallocate(taken.data, taken.size);
    hold.lock();
    counts_.reserved -= taken.size;
    released += taken.size;
  }
}

template <pool_backend Backend>
std::size_t coalescing_pool<Backend>::trim(bool wait) noexcept {
  guard hold(lock_);
  poll(hold, wait);
  return release_segments(hold);
}

template <pool_backend Backend>
memory_statistics coalescing_pool<Backend>::statistics() const {
  const std::lock_guard hold(lock_);
  memory_statistics result = counts_;
  for (const free_key& k : free_) {
    result.cached += k.size;
    result.largest_cached = std::max(result.largest_cached, k.size);
  }
  result.reserved = result.used + result.cached;  // without what another thread is taking or giving back just now
  return result;
}

}  // namespace gpu
