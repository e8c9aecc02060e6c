/// @file
/// `buffer`: a block of memory on a device, shared by arrays, that knows which streams still use it.
#pragma once

#include <atomic>
#include <cstddef>
#include <utility>

#include "memory.hpp"
#include "object_cache.hpp"

namespace gpu {

class buffer;
namespace detail {
struct buffer_access;
}

/// Shares ownership of a buffer. `use_count()` is exact if no other thread has a pointer to it.
using buffer_ptr = detail::intrusive_ptr<buffer>;

/// A new buffer of `bytes` bytes (0 is fine: `data()` is null) for work on `s`, a stream of `d`. Does not wait.
/// @throws out_of_memory, after everything cached or waiting to be freed was given back.
[[nodiscard]] buffer_ptr allocate_buffer(std::size_t bytes, device d, const stream& s);
/// The same for the current stream of the device.
[[nodiscard]] buffer_ptr allocate_buffer(std::size_t bytes, device d);

/// A buffer over memory that somebody else allocated. `deleter(data)` is called when the last reference is gone and all
/// work on it is done; it may run on any thread and must not throw. If this function throws, the memory still is the
/// caller's.
template <class Deleter>
[[nodiscard]] buffer_ptr adopt_buffer(void* data, std::size_t bytes, device d, Deleter&& deleter);

/// Memory and its place in the order of work: the stream that wrote it last and those that have read it since.
/// Freeing one waits for nobody: the memory returns to where it came from when all of these are done.
class buffer {
 public:
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;

  [[nodiscard]] void* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return bytes_; }
  [[nodiscard]] gpu::device device() const noexcept { return device_; }
  [[nodiscard]] int use_count() const noexcept { return references_.value(); }
  /// Whether GPUs reach this memory of the host directly: such copies need no memory in between.
  [[nodiscard]] bool is_page_locked() const noexcept { return page_locked_; }
  /// False: nothing but finished work of the host's default stream has ever touched it, or all of that is known to be
  /// done.
  [[nodiscard]] bool pending() const noexcept { return pending_.load(std::memory_order_acquire); }

  void add_reference() noexcept { references_.add(); }
  void drop_reference() noexcept;

 private:
  friend struct detail::buffer_access;

  struct foreign_owner {
    void (*destroy)(foreign_owner*, void* data) noexcept = nullptr;
  };

  static void* operator new(std::size_t);
  static void operator delete(void* object) noexcept;
  explicit buffer(gpu::device d) noexcept : device_(d) {}
  ~buffer() = default;

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  memory_resource* resource_ = nullptr;
  foreign_owner* owner_ = nullptr;
  detail::intrusive_ptr<detail::stream_state> home_;  ///< the stream that it was allocated for
  detail::reference_count references_;
  std::atomic<bool> pending_{false};
  bool page_locked_ = false;
  bool unwritten_ = false;  ///< new memory of a host stream that nothing was asked to write; guarded as what follows
  gpu::device device_;
  // Guarded by the ordering lock of the device while there are references.
  detail::stream_use writer_;
  detail::relocatable_list<detail::stream_use> readers_;
  buffer* next_ = nullptr;  ///< in the list of those that wait to be freed
};

// ---------------------------------------------------------------------------------------------------------------------

namespace detail {

/// Buffers without references whose memory is still in use, oldest first.
struct deferred_list {
  spin_lock lock;
  std::atomic<std::size_t> size{0};
  buffer* first = nullptr;
  buffer* last = nullptr;
};

[[nodiscard, gnu::visibility("default")]] inline deferred_list& deferred_frees() noexcept {
  static deferred_list* const list = new deferred_list;
  return *list;
}

/// What buffers need once there are streams other than the host's default one; whoever makes the first such stream sets
/// it, so that other units need not compile it.
struct ordering_functions {
  /// Waits for what work on the host's default stream must wait for.
  void (*settle)(buffer_list reads, buffer_list writes, const char* operation);
  void (*free)(buffer* b) noexcept;
  std::size_t (*collect)(std::size_t limit, bool wait) noexcept;
};

[[nodiscard, gnu::visibility("default")]] inline std::atomic<const ordering_functions*>& ordering_slot() noexcept {
  static std::atomic<const ordering_functions*> functions{nullptr};
  return functions;
}

/// Only where something shows that there are other streams: a buffer on a GPU, pending, or waiting to be freed.
[[nodiscard]] inline const ordering_functions& ordering() noexcept {
  return *ordering_slot().load(std::memory_order_acquire);
}

/// What the runtime itself may do with a buffer.
struct buffer_access {
  template <class Deleter>
  struct owner_of final : buffer::foreign_owner {
    explicit owner_of(Deleter&& d) : deleter(std::move(d)) {}
    explicit owner_of(const Deleter& d) : deleter(d) {}
    Deleter deleter;
  };

  [[nodiscard]] static buffer_ptr make(device d) { return buffer_ptr::adopt(new buffer(d)); }

  [[nodiscard]] static buffer_ptr allocate(std::size_t bytes, device d, const stream& s, memory_resource& resource) {
    buffer_ptr made = make(d);
    stream_state& state = s.state();
    made->home_ = intrusive_ptr<stream_state>::share(&state);
    if (bytes != 0) {
      made->data_ = resource.allocate(bytes, s);
      made->resource_ = &resource;
      made->bytes_ = bytes;
    }
    if (state.kind != stream_kind::host_inline) {
      // The block may be one that earlier work on this stream still uses.
      made->writer_ = {made->home_, state.submitted.load(std::memory_order_relaxed)};
      made->pending_.store(true, std::memory_order_relaxed);
      made->unwritten_ = state.kind == stream_kind::host_worker;
    }
    return made;
  }

  template <class Deleter>
  [[nodiscard]] static buffer_ptr adopt(void* data, std::size_t bytes, device d, Deleter&& deleter) {
    using owner = owner_of<std::decay_t<Deleter>>;
    buffer_ptr made = make(d);
    auto* const made_owner = new owner(std::forward<Deleter>(deleter));
    made_owner->destroy = [](buffer::foreign_owner* base, void* p) noexcept {
      auto* const self = static_cast<owner*>(base);
      self->deleter(p);
      delete self;
    };
    made->owner_ = made_owner;
    made->data_ = data;
    made->bytes_ = bytes;
    return made;
  }

  [[nodiscard]] static stream_use& writer(buffer& b) noexcept { return b.writer_; }
  [[nodiscard]] static relocatable_list<stream_use>& readers(buffer& b) noexcept { return b.readers_; }
  [[nodiscard]] static memory_resource* resource(const buffer& b) noexcept { return b.resource_; }
  static void set_page_locked(buffer& b) noexcept { b.page_locked_ = true; }
  [[nodiscard]] static bool is_unwritten(const buffer& b) noexcept { return b.unwritten_; }
  static void set_written(buffer& b) noexcept { b.unwritten_ = false; }
  static void set_pending(buffer& b) noexcept { b.pending_.store(true, std::memory_order_release); }
  /// Forgets work that is done: under the ordering lock, or without references.
  [[gnu::cold]] static void forget_done(buffer& b) noexcept {
    const auto finished = [](const stream_use& use) {
      // Not is_done(): a running task counts as done for itself only.
      return use.stream->completed.load(std::memory_order_acquire) >= use.ticket ||
             (use.stream->kind == stream_kind::native && use.stream->is_done(use.ticket));
    };
    b.unwritten_ = false;  // once nothing is pending, nobody tells what the host writes
    if (b.writer_.stream && finished(b.writer_)) b.writer_.stream.reset();
    for (std::size_t i = 0; i < b.readers_.size();) {
      if (finished(b.readers_[i])) {
        b.readers_.erase_unordered(i);
      } else {
        ++i;
      }
    }
    if (!b.writer_.stream && b.readers_.empty()) b.pending_.store(false, std::memory_order_release);
  }

  /// Gives the memory back if nothing uses it any more; false: not yet.
  [[nodiscard, gnu::cold]] static bool try_free(buffer* b) noexcept {
    if (this_thread().in_driver_callback) return false;
    if (!b->device_.is_host() && !b->device_.table().alive()) {  // the process ends: the driver takes its memory along
      delete b;
      return true;
    }
    stream_state* const home = b->home_.get();
    const bool home_alive = home != nullptr && (home->permanent || home->handles.add_if_alive());
    const stream target = home_alive ? stream::adopt(*home) : stream::default_stream(b->device_);
    if (b->pending()) {
      const auto blocks = [&](const stream_use& use) {
        return use.stream && !(home_alive && use.stream.get() == home) && !use.stream->is_done(use.ticket);
      };
      if (blocks(b->writer_)) return false;
      for (const stream_use& use : b->readers_) {
        if (blocks(use)) return false;
      }
    }
    give_back(b, target.state());
    return true;
  }

  static void give_back(buffer* b, stream_state& target) noexcept {
    if (b->owner_ != nullptr) b->owner_->destroy(b->owner_, b->data_);
    if (b->resource_ != nullptr) {
      target.add_handle();
      b->resource_->deallocate(b->data_, b->bytes_, stream::adopt(target));
    }
    delete b;
  }

  static void free(buffer* b) noexcept {
    // The common case: memory of the host that no other stream has touched.
    const bool simple = b->home_ ? b->home_->kind == stream_kind::host_inline : b->device_.is_host();
    if (simple && !b->pending() && !this_thread().in_driver_callback) [[likely]] {
      give_back(b, host_default_stream());
    } else {
      ordering().free(b);
    }
  }

  [[gnu::cold]] static void free_slowly(buffer* b) noexcept {
    if (try_free(b)) return;
    deferred_list& list = deferred_frees();
    const locked hold(list.lock);
    append(list, b);
    list.size.fetch_add(1, std::memory_order_relaxed);
  }

  /// Frees up to `limit` of the deferred buffers whose work is done; with `wait`, waits for it. Returns how many were
  /// freed.
  [[gnu::cold]] static std::size_t collect(std::size_t limit, bool wait) noexcept {
    deferred_list& list = deferred_frees();
    std::size_t freed = 0;
    for (std::size_t left = list.size.load(std::memory_order_relaxed); left > 0 && limit > 0; --left, --limit) {
      buffer* b = nullptr;
      {
        const locked hold(list.lock);
        b = list.first;
        if (b == nullptr) break;
        list.first = b->next_;
        if (list.first == nullptr) list.last = nullptr;
        b->next_ = nullptr;
      }
      if (wait) wait_for_all(*b);
      if (try_free(b)) {
        list.size.fetch_sub(1, std::memory_order_relaxed);
        ++freed;
      } else {
        const locked hold(list.lock);
        append(list, b);
      }
    }
    return freed;
  }

 private:
  static void append(deferred_list& list, buffer* b) noexcept {
    (list.last == nullptr ? list.first : list.last->next_) = b;
    list.last = b;
  }
  static void wait_for_all(const buffer& b) noexcept {
    try {
      if (b.writer_.stream) b.writer_.stream->wait_until_done(b.writer_.ticket);
      for (const stream_use& use : b.readers_) use.stream->wait_until_done(use.ticket);
    } catch (...) {  // then it is not freed
    }
  }
};

/// The last resorts before out_of_memory, in turn: what is done by now; what has to be waited for, and all caches; what
/// the user can do.
[[nodiscard, gnu::cold]] inline buffer_ptr allocate_after_shortage(std::size_t bytes, device d, const stream& s,
                                                                   memory_resource& resource) {
  for (;;) {
    const auto collect = [](bool wait) {
      const std::size_t waiting = deferred_frees().size.load(std::memory_order_relaxed);
      return waiting == 0 ? 0 : ordering().collect(waiting, wait);
    };
    if (collect(false) != 0) {
      try {
        return buffer_access::allocate(bytes, d, s, resource);
      } catch (const out_of_memory&) {
      }
    }
    collect(true);
    static_cast<void>(resource.trim(true));
    trim_caches(d, true);
    try {
      return buffer_access::allocate(bytes, d, s, resource);
    } catch (const out_of_memory& thrown) {
      if (!ask_shortage_handler(thrown.shortage())) throw;
    }
  }
}

[[nodiscard]] inline buffer_ptr allocate_from(memory_resource& resource, std::size_t bytes, device d, const stream& s) {
  if (deferred_frees().size.load(std::memory_order_relaxed) != 0) [[unlikely]]
    ordering().collect(4, false);
  try {
    return buffer_access::allocate(bytes, d, s, resource);
  } catch (const out_of_memory&) {
    return allocate_after_shortage(bytes, d, s, resource);
  }
}

}  // namespace detail

inline void* buffer::operator new(std::size_t) { return detail::object_cache<sizeof(buffer)>::allocate(); }
inline void buffer::operator delete(void* object) noexcept { detail::object_cache<sizeof(buffer)>::deallocate(object); }

inline void buffer::drop_reference() noexcept {
  if (references_.drop()) detail::buffer_access::free(this);
}

inline buffer_ptr allocate_buffer(std::size_t bytes, device d, const stream& s) {
  if (s.device() != d) {
    detail::raise_device_error("a buffer on %s was asked for on a stream of %s", detail::device_text(d).text,
                               detail::device_text(s.device()).text);
  }
  memory_resource* const captured = s.state().captured_memory.load(std::memory_order_relaxed);
  return detail::allocate_from(captured == nullptr ? get_memory_resource(d) : *captured, bytes, d, s);
}

inline buffer_ptr allocate_buffer(std::size_t bytes, device d) { return allocate_buffer(bytes, d, current_stream(d)); }

template <class Deleter>
buffer_ptr adopt_buffer(void* data, std::size_t bytes, device d, Deleter&& deleter) {
  return detail::buffer_access::adopt(data, bytes, d, std::forward<Deleter>(deleter));
}

}  // namespace gpu
