/// @file
/// Host streams: a thread that runs tasks in the order in which they were submitted.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <exception>
#include <utility>

#include "ordering.hpp"

namespace gpu::detail {

/// The owner of a task that is not queued yet.
class task_ptr {
 public:
  explicit task_ptr(task* t) noexcept : task_(t) {}
  task_ptr(const task_ptr&) = delete;
  task_ptr& operator=(const task_ptr&) = delete;
  ~task_ptr() {
    if (task_ != nullptr) task_->act(task_, task::action::destroy);
  }
  task* operator->() const noexcept { return task_; }
  task& operator*() const noexcept { return *task_; }
  [[nodiscard]] task* get() const noexcept { return task_; }
  [[nodiscard]] task* release() noexcept { return std::exchange(task_, nullptr); }

 private:
  task* task_;
};

/// A host stream. Its queue synchronises one way: the worker learns what producers did, not they what it did, so that a
/// race detector sees every wait that is missing elsewhere.
class host_worker_stream final : public stream_state {
 public:
  host_worker_stream() noexcept
      : stream_state(device::host(), stream_kind::host_worker, nullptr, false), generation_(fork_generation()) {}

  /// @throws device_error if there can be no thread.
  [[gnu::cold]] void start() {
    add_reference();  // the thread's
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    const int status = pthread_create(
        &thread, &attributes,
        [](void* self) -> void* {
          static_cast<host_worker_stream*>(self)->run();
          return nullptr;
        },
        this);
    pthread_attr_destroy(&attributes);
    if (status == 0) return;
    delete this;
    raise_device_error("a host stream could not start its thread (error %d)", status);
  }

  [[nodiscard]] bool is_done(std::uint64_t ticket) noexcept override {
    return completed.load(std::memory_order_acquire) >= ticket || worker_runs(*this, ticket);
  }

  [[gnu::cold]] void wait_until_done(std::uint64_t ticket) override {
    if (is_done(ticket)) return;
    if (this_thread().worker == this) {
      raise_device_error("a task of a host stream waits for work that comes after it on the same stream");
    }
    check_not_forked();
    for (;;) {
      const std::uint32_t seen = progress_.load(std::memory_order_acquire);
      if (completed.load(std::memory_order_acquire) >= ticket) return;
      wait_while_equal(progress_, seen);
    }
  }

  void synchronize() override {
    wait_until_done(submitted.load(std::memory_order_relaxed));
    collect_deferred();
    throw_error();
  }
  [[nodiscard]] bool done() override { return is_done(submitted.load(std::memory_order_relaxed)); }

  [[gnu::cold]] void submit(buffer_list reads, buffer_list writes, const work_ref& work) override {
    check_not_forked();
    task_ptr t(work.move_to_task(work.function));
    const ordering_guard order(owner, reads, writes);
    make_room_for_readers(reads);
    for (const stream_use& use : hazards(*this, reads, writes)) add_wait(*t, use);
    for (const buffer* const b : writes) {
      // What the work reads as well was written behind the library's back, through a pointer.
      if (buffer_access::is_unwritten(*b) && !contains(reads, b)) t->unwritten.add(b->data(), b->size());
    }
    record_use(*this, submitted.load(std::memory_order_relaxed) + 1, reads, writes);
    push(t);
  }

  [[gnu::cold]] void launch_host_function(const work_ref& work) override {
    check_not_forked();
    task_ptr t(work.move_to_task(work.function));
    const ordering_guard order(owner);
    push(t);
  }

  [[gnu::cold]] void wait_before_more(const stream_use& before) override {
    check_not_forked();
    task_ptr t(make_task([] {}));
    const ordering_guard order(owner);
    add_wait(*t, before);
    push(t);
  }

  [[gnu::cold]] void mark(event_record& event) override {
    check_not_forked();
    task_ptr t(make_task([record = intrusive_ptr<event_record>::share(&event)] { stamp(*record); }));
    const ordering_guard order(owner);
    event.place.ticket = submitted.load(std::memory_order_relaxed) + 1;
    push(t);
  }

  [[nodiscard]] double milliseconds(const event_record& start, const event_record& end) override {
    return milliseconds_between(start, end);
  }

  void retire() noexcept override {
    retired.store(true, std::memory_order_release);
    pushed_.fetch_add(1, std::memory_order_release);
    wake_all(pushed_);
    drop_reference();
  }

 private:
  void check_not_forked() const {
    if (generation_ == fork_generation()) return;
    raise_device_error("a host stream cannot be used in a forked process: its thread exists in the parent only");
  }

  [[nodiscard]] static bool contains(buffer_list list, const buffer* what) noexcept {
    for (const buffer* const b : list) {
      if (b == what) return true;
    }
    return false;
  }

  static void add_wait(task& work, const stream_use& before) {
    // A driver's stream is marked here, so that the task does not wait for what that stream is given later.
    static_cast<void>(before.stream->is_done(before.ticket));
    work.waits.push_back(before);
  }

  /// Gives a task the next ticket and queues it; under the ordering lock.
  [[gnu::cold]] void push(task_ptr& work) noexcept {
    task* const t = work.release();
    t->ticket = submitted.load(std::memory_order_relaxed) + 1;
    submitted.store(t->ticket, std::memory_order_relaxed);
    t->next = queue_.load(std::memory_order_relaxed);
    while (!queue_.compare_exchange_weak(t->next, t, std::memory_order_release, std::memory_order_relaxed)) {
    }
    pushed_.fetch_add(1, std::memory_order_release);
    wake_all(pushed_);
  }

  /// The body of the thread; ends when the last handle is gone and the queue is empty.
  [[gnu::cold]] void run() noexcept {
    thread_state& thread = this_thread();
    thread.worker = this;
    for (;;) {
      const std::uint32_t seen = pushed_.load(std::memory_order_acquire);
      const bool last = retired.load(std::memory_order_acquire);
      task* newest = queue_.exchange(nullptr, std::memory_order_acquire);
      if (newest == nullptr) {
        if (last) break;
        wait_while_equal(pushed_, seen);
        continue;
      }
      task* oldest = nullptr;
      while (newest != nullptr) newest = std::exchange(newest->next, std::exchange(oldest, newest));
      while (oldest != nullptr) {
        task* const next = oldest->next;
        thread.worker_ticket = oldest->ticket;
        run(oldest);
        oldest = next;
      }
    }
    drop_reference();
  }

  void run(task* t) noexcept {
    const std::uint64_t ticket = t->ticket;
    std::exception_ptr failure;
    try {
      for (const stream_use& before : t->waits) {
        before.stream->wait_until_done(before.ticket);
        // Work that builds on failed work has failed: whoever waits for it must hear of it.
        const std::uint64_t failed = before.stream->failed_ticket.load(std::memory_order_acquire);
        if (failed == 0 || failed > before.ticket) continue;
        const locked hold(before.stream->error_lock);
        if (failure == nullptr) failure = before.stream->error;
      }
      t->act(t, task::action::run);
    } catch (...) {
      failure = std::current_exception();
      t->unwritten.clear();
    }
    if (failure != nullptr) store_error(std::move(failure), ticket);
    t->act(t, task::action::destroy);
    completed.store(ticket, std::memory_order_release);
    progress_.fetch_add(1, std::memory_order_release);
    wake_all(progress_);
  }

  const std::uint32_t generation_;
  std::atomic<task*> queue_{nullptr};  ///< newest first
  std::atomic<std::uint32_t> pushed_{0};
  std::atomic<std::uint32_t> progress_{0};
};

/// Host streams that were made, for `device::synchronize()`.
struct stream_list {
  mutex lock;
  relocatable_list<stream_state*> streams;  ///< each with a reference
};

[[nodiscard, gnu::visibility("default")]] inline stream_list& host_streams() noexcept {
  static stream_list* const list = new stream_list;
  return *list;
}

/// Forgets the host streams that have ended; gives the work that the others have.
[[nodiscard, gnu::cold]] inline stream_uses live_host_streams() {
  stream_list& list = host_streams();
  stream_uses live;
  const locked hold(list.lock);
  for (std::size_t i = 0; i < list.streams.size();) {
    stream_state* const state = list.streams[i];
    if (state->retired.load(std::memory_order_acquire) && state->done()) {
      list.streams.erase_unordered(i);
      state->drop_reference();
    } else {
      live.push_back({intrusive_ptr<stream_state>::share(state), state->submitted.load(std::memory_order_relaxed)});
      ++i;
    }
  }
  return live;
}

/// A new host stream with its thread; the caller has the only handle.
[[nodiscard, gnu::cold]] inline stream_state* start_host_stream() {
  watch_forks();
  use_ordering();
  static_cast<void>(live_host_streams());
  stream_list& list = host_streams();
  const locked hold(list.lock);
  list.streams.make_room();
  auto* const made = new host_worker_stream;
  made->start();
  made->add_reference();
  list.streams.push_back(made);
  return made;
}

}  // namespace gpu::detail
