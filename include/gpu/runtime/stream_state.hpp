/// @file
/// What stands behind a `stream`: its place in the order of work, and how others wait for it.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <exception>
#include <initializer_list>
#include <utility>

#include "concurrency.hpp"
#include "device.hpp"

namespace gpu {

class buffer;
class memory_resource;

/// The buffers that a piece of work reads or writes; a view of any contiguous range of `buffer*`.
class buffer_list {
 public:
  constexpr buffer_list() noexcept = default;
  constexpr buffer_list(buffer* const* data, std::size_t size) noexcept : data_(data), size_(size) {}
  constexpr buffer_list(std::initializer_list<buffer*> list) noexcept : buffer_list(list.begin(), list.size()) {}
  template <class Range>
    requires requires(const Range& r) { static_cast<buffer* const*>(r.data()); }
  constexpr buffer_list(const Range& range) noexcept : data_(range.data()), size_(range.size()) {}

  [[nodiscard]] constexpr buffer* const* begin() const noexcept { return data_; }
  [[nodiscard]] constexpr buffer* const* end() const noexcept { return data_ + size_; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }

 private:
  buffer* const* data_ = nullptr;
  std::size_t size_ = 0;
};

namespace detail {

struct task;
struct event_record;
struct stream_state;

/// A place in a stream that a buffer or an event remembers.
struct stream_use {
  intrusive_ptr<stream_state> stream;
  std::uint64_t ticket = 0;
};

/// A function object of unknown type that the caller of `submit` still owns.
struct work_ref {
  void* function;
  void (*call)(void* function, void* native_stream);
  task* (*move_to_task)(void* function);
};

enum class stream_kind : std::uint8_t {
  host_inline,  ///< the host's default stream: work is done when the call that asks for it returns
  host_worker,  ///< a thread that runs a queue of tasks in order (host_stream.hpp)
  native        ///< a stream of the device's driver (native_stream.hpp)
};

/// One stream. Work is numbered as it is submitted; ticket n is done when `completed` reaches n.
/// There are two counts: `handles` of those who may submit, `references` of those who may still ask what is done
/// (buffers). The functions are virtual so that a unit compiles only the kinds of stream that it makes.
struct stream_state {
  stream_state(device d, stream_kind k, void* handle, bool is_permanent) noexcept
      : owner(d), kind(k), permanent(is_permanent), native(handle) {}
  stream_state(const stream_state&) = delete;
  stream_state& operator=(const stream_state&) = delete;
  virtual ~stream_state() = default;

  const device owner;
  const stream_kind kind;
  const bool permanent;  ///< a default stream: never destroyed, never counted
  void* const native;
  reference_count handles;
  reference_count references;
  std::atomic<bool> retired{false};         ///< the last handle is gone
  std::atomic<std::uint64_t> submitted{0};  ///< changes under the ordering lock of `owner`
  std::atomic<std::uint64_t> completed{0};  ///< of these, what is known to be done

  // Errors of asynchronous work: the first one is kept until somebody waits.
  spin_lock error_lock;
  std::exception_ptr error;
  std::atomic<std::uint64_t> failed_ticket{0};

  /// Where work that is captured on this stream gets its memory from; null for the device's resource.
  std::atomic<memory_resource*> captured_memory{nullptr};
  std::atomic<void*> pool_shard{nullptr};  ///< the part of a memory pool that belongs to this stream

  /// Whether the work is done, without waiting; a task counts as done within itself. False if the driver cannot tell.
  [[nodiscard]] virtual bool is_done(std::uint64_t ticket) noexcept = 0;
  /// Blocks the calling thread until the work is done; errors of the stream stay where they are.
  virtual void wait_until_done(std::uint64_t ticket) = 0;
  virtual void synchronize() = 0;
  [[nodiscard]] virtual bool done() = 0;
  /// What `submit` and `stream::launch_host_function` do.
  virtual void submit(buffer_list reads, buffer_list writes, const work_ref& work) = 0;
  virtual void launch_host_function(const work_ref& work) = 0;
  /// Work submitted from now on comes after `before`.
  virtual void wait_before_more(const stream_use& before) = 0;
  virtual void mark(event_record& event) = 0;
  [[nodiscard]] virtual double milliseconds(const event_record& start, const event_record& end) = 0;
  /// The last handle is gone.
  virtual void retire() noexcept = 0;

  void add_reference() noexcept {
    if (!permanent) [[unlikely]]
      add(references);
  }
  void drop_reference() noexcept {
    if (!permanent) [[unlikely]]
      drop_one(references);
  }
  void add_handle() noexcept {
    if (!permanent) [[unlikely]]
      add(handles);
  }
  void drop_handle() noexcept {
    if (!permanent) [[unlikely]]
      drop_one(handles);
  }

  [[gnu::cold]] void store_error(std::exception_ptr what, std::uint64_t ticket) noexcept {
    const locked hold(error_lock);
    if (error != nullptr) return;
    error = std::move(what);
    failed_ticket.store(ticket, std::memory_order_release);
  }
  /// Throws the kept error, if there is one, and forgets it.
  void throw_error() {
    if (failed_ticket.load(std::memory_order_acquire) != 0) rethrow_error();
  }

 private:
  [[gnu::cold]] static void add(reference_count& count) noexcept { count.add(); }
  [[gnu::cold]] void drop_one(reference_count& count) noexcept {
    if (!count.drop()) return;
    if (&count == &handles) {
      retire();
    } else {
      delete this;
    }
  }
  [[gnu::cold]] void rethrow_error() {
    std::exception_ptr taken;
    {
      const locked hold(error_lock);
      taken.swap(error);
      failed_ticket.store(0, std::memory_order_relaxed);
    }
    if (taken != nullptr) std::rethrow_exception(std::move(taken));
  }
};

[[nodiscard]] inline bool worker_runs(const stream_state& stream, std::uint64_t ticket) noexcept {
  const thread_state& thread = this_thread();
  return thread.worker == &stream && ticket <= thread.worker_ticket;
}

/// Whether the work is known to have ended without an error that nobody was told of; asks no driver.
[[nodiscard]] inline bool is_known_done(const stream_use& use) noexcept {
  const stream_state& stream = *use.stream;
  if (stream.completed.load(std::memory_order_acquire) < use.ticket && !worker_runs(stream, use.ticket)) return false;
  const std::uint64_t failed = stream.failed_ticket.load(std::memory_order_acquire);
  return failed == 0 || failed > use.ticket;
}

/// Blocks until the work is done. @throws what work of that stream has thrown.
inline void wait_for(const stream_use& use) {
  if (!use.stream) return;
  use.stream->wait_until_done(use.ticket);
  use.stream->throw_error();
}

/// One recording of an event; immutable but for the time, so that recording again disturbs nobody who waits.
struct event_record {
  stream_use place;
  std::atomic<std::int64_t> nanoseconds{0};  ///< host streams: when the place was reached
  void* timer = nullptr;                     ///< native streams: an event of the driver with timing
  void (*destroy_timer)(event_record&) noexcept = nullptr;
  reference_count references;

  void add_reference() noexcept { references.add(); }
  void drop_reference() noexcept {
    if (!references.drop()) return;
    if (destroy_timer != nullptr) destroy_timer(*this);
    delete this;
  }
};

/// Stamps an event with the time at which a host stream has reached it.
[[gnu::cold]] inline void stamp(event_record& event) noexcept {
  std::timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  event.nanoseconds.store(std::int64_t{now.tv_sec} * 1000000000 + now.tv_nsec, std::memory_order_release);
}

[[nodiscard]] inline double milliseconds_between(const event_record& start, const event_record& end) noexcept {
  const std::int64_t from = start.nanoseconds.load(std::memory_order_acquire);
  return static_cast<double>(end.nanoseconds.load(std::memory_order_acquire) - from) * 1e-6;
}

/// The host's default stream. Nothing is ever pending on it.
struct host_inline_stream final : stream_state {
  host_inline_stream() noexcept : stream_state(device::host(), stream_kind::host_inline, nullptr, true) {}

  [[nodiscard]] bool is_done(std::uint64_t) noexcept override { return true; }
  void wait_until_done(std::uint64_t) override {}
  void synchronize() override {}
  [[nodiscard]] bool done() override { return true; }
  void submit(buffer_list, buffer_list, const work_ref& work) override { work.call(work.function, nullptr); }
  void launch_host_function(const work_ref& work) override { work.call(work.function, nullptr); }
  void wait_before_more(const stream_use& before) override { wait_for(before); }
  void mark(event_record& event) override { stamp(event); }
  [[nodiscard]] double milliseconds(const event_record& start, const event_record& end) override {
    return milliseconds_between(start, end);
  }
  void retire() noexcept override {}
};

[[nodiscard, gnu::visibility("default")]] inline stream_state& host_default_stream() noexcept {
  static stream_state* const state = new host_inline_stream;
  return *state;
}

}  // namespace detail
}  // namespace gpu
