/// @file
/// CUDA streams and events as the runtime's streams.
#pragma once

#include <cstdint>
#include <exception>

#include "../../runtime/capture.hpp"
#include "../../runtime/stream.hpp"
#include "driver.hpp"
#include "index_fault.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

/// The native handle of a stream, as `submit` passes it.
[[nodiscard]] inline cudaStream_t native(void* stream) noexcept { return static_cast<cudaStream_t>(stream); }
[[nodiscard]] inline cudaStream_t native(const detail::stream_state& stream) noexcept { return native(stream.native); }

/// Whether the driver records what the stream is given, instead of running it.
[[nodiscard]] inline bool is_capturing(const detail::stream_state& stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  check(cudaStreamIsCapturing(native(stream), &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

[[nodiscard]] inline bool is_ready(cudaError_t status, const char* call) {
  if (status != cudaErrorNotReady) {
    check(status, call);
    return true;
  }
  ignore(status);
  return false;
}

/// An event that marks a place in a stream. Handles are recycled: no call is made when one is dropped, so that this may
/// happen anywhere.
struct marker {
  int ordinal = 0;
  cudaEvent_t event = nullptr;
  detail::reference_count references;

  void add_reference() noexcept { references.add(); }
  void drop_reference() noexcept;
};

using marker_ptr = detail::intrusive_ptr<marker>;

struct marker_cache {
  detail::spin_lock lock;
  detail::relocatable_list<marker*> free;
};

[[nodiscard, gnu::visibility("default")]] inline marker_cache& markers_of(int ordinal) noexcept {
  static marker_cache* const caches = new marker_cache[detail::max_cuda_devices];
  return caches[ordinal];
}

inline void marker::drop_reference() noexcept {
  if (!references.drop()) return;
  marker_cache& cache = markers_of(ordinal);
  const detail::locked hold(cache.lock);
  references.add();
  try {
    cache.free.push_back(this);
  } catch (...) {  // lost to the process, as nothing can be called here
  }
}

[[nodiscard]] inline marker_ptr make_marker(int ordinal) {
  marker_cache& cache = markers_of(ordinal);
  {
    const detail::locked hold(cache.lock);
    if (!cache.free.empty()) return marker_ptr::adopt(cache.free.pop_back());
  }
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  marker* made = nullptr;
  try {
    made = new marker;
  } catch (...) {
    ignore(cudaEventDestroy(event));
    throw;
  }
  made->ordinal = ordinal;
  made->event = event;
  return marker_ptr::adopt(made);
}

/// A stream of the driver. Others wait for it through an event that is recorded when somebody has to wait, not before.
class cuda_stream final : public detail::stream_state {
 public:
  enum class ownership : std::uint8_t { permanent, own, external };

  cuda_stream(int ordinal, cudaStream_t handle, ownership who) noexcept
      : stream_state(device::unchecked(device_kind::cuda, ordinal), detail::stream_kind::native, handle,
                     who == ownership::permanent),
        ownership_(who) {}

  [[nodiscard]] bool is_done(std::uint64_t ticket) noexcept override {
    if (completed.load(std::memory_order_acquire) >= ticket) return true;
    if (detail::this_thread().in_driver_callback || capture_ != nullptr) return false;
    try {
      const detail::locked hold(lock_);
      const marker_ptr place = marker_after(ticket);
      if (!place || !alive()) return false;
      const current_device_scope scope(owner.index());
      if (!is_ready(cudaEventQuery(place->event), "cudaEventQuery")) return false;
      keep_index_fault();
      complete(covered_);
      return true;
    } catch (...) {
      return false;
    }
  }

  void wait_until_done(std::uint64_t ticket) override {
    if (completed.load(std::memory_order_acquire) >= ticket) return;
    check_not_captured("waiting for work");
    const marker_ptr place = checked_marker_after(ticket);
    const current_device_scope scope(owner.index());
    check(cudaEventSynchronize(place->event), "cudaEventSynchronize");
    keep_index_fault();
    complete(ticket);
  }

  void synchronize() override {
    check_not_captured("waiting for the stream");
    const std::uint64_t given = enqueued_.load(std::memory_order_acquire);
    {
      const current_device_scope scope(owner.index());
      check(cudaStreamSynchronize(native_stream()), "cudaStreamSynchronize");
    }
    keep_index_fault();
    complete(given);
    detail::collect_deferred();
    throw_error();
  }

  [[nodiscard]] bool done() override {
    const current_device_scope scope(owner.index());
    return is_ready(cudaStreamQuery(native_stream()), "cudaStreamQuery");
  }

  void submit(buffer_list reads, buffer_list writes, const detail::work_ref& work) override;
  void launch_host_function(const detail::work_ref& work) override;

  void wait_before_more(const detail::stream_use& before) override {
    check_not_captured("waiting for another stream");
    if (before.stream->kind == detail::stream_kind::native) {
      // With a ticket: whoever comes after what this stream has now also comes after what it waits for.
      const current_device_scope scope(owner.index());
      const detail::ordering_guard order(owner);
      wait_for_stream(before);
      finish_ticket(next_ticket());
    } else {  // a GPU cannot wait for a thread of the host without blocking the driver's
      detail::check_wait_allowed("a stream of a GPU that waits for a host stream");
      detail::wait_for(before);
    }
  }

  void mark(detail::event_record& event) override {
    check_not_captured("recording an event");
    const current_device_scope scope(owner.index());
    cudaEvent_t timer = nullptr;
    check(cudaEventCreateWithFlags(&timer, cudaEventDefault), "cudaEventCreateWithFlags");
    event.timer = timer;
    event.destroy_timer = [](detail::event_record& record) noexcept {
      if (alive() && !detail::this_thread().in_driver_callback)
        ignore(cudaEventDestroy(static_cast<cudaEvent_t>(record.timer)));
    };
    const detail::ordering_guard order(owner);
    check(cudaEventRecord(timer, native_stream()), "cudaEventRecord");
    event.place.ticket = next_ticket();
    finish_ticket(event.place.ticket);
  }

  [[nodiscard]] double milliseconds(const detail::event_record& start, const detail::event_record& end) override {
    const current_device_scope scope(owner.index());
    float result = 0;
    check(cudaEventElapsedTime(&result, static_cast<cudaEvent_t>(start.timer), static_cast<cudaEvent_t>(end.timer)),
          "cudaEventElapsedTime");
    return result;
  }

  /// The driver's stream goes at once, unless buffers were used here and no event can be recorded that tells when they
  /// are free: then with the last of them.
  void retire() noexcept override {
    bool told = ownership_ == ownership::external;  // which its owner may destroy now
    if (alive() && !detail::this_thread().in_driver_callback) {
      try {
        if (references.value() > 1) static_cast<void>(marker_after(submitted.load(std::memory_order_relaxed)));
        told = true;
      } catch (...) {
      }
    }
    if (told) close();
    retired.store(true, std::memory_order_release);
    drop_reference();
  }
  ~cuda_stream() override { close(); }

  /// Notes the buffers of work from now on in `log`, as it is recorded and not run; null: ends that.
  void set_capture(detail::capture_log* log) noexcept { capture_ = log; }
  /// @throws device_error while work is captured into a graph.
  void check_not_captured(const char* what) const {
    if (capture_ != nullptr) [[unlikely]]
      detail::raise_device_error("%s is not possible while work is captured into a graph", what);
  }

  /// After a wait: an index out of range that a kernel has met becomes an error of this stream.
  void keep_index_fault() {
    if (std::exception_ptr fault = take_index_fault(owner.index())) store_error(std::move(fault), 1);
  }

  /// Gives a ticket to work that was enqueued without one.
  void count_work() noexcept {
    const detail::ordering_guard order(owner);
    finish_ticket(next_ticket());
  }

  /// A scope in which work is enqueued: the waits are inserted, the buffers recorded, the device is current and the
  /// ordering locks are held.
  class submission {
   public:
    submission(cuda_stream& stream, buffer_list reads, buffer_list writes)
        : stream_(stream), order_(stream.owner, reads, writes), scope_(stream.owner.index()) {
      if (stream.capture_ != nullptr) [[unlikely]] {  // whoever runs it waits, and is what the buffers remember
        stream.capture_->note(reads, writes);
        return;
      }
      for (detail::stream_use use = worker_use(stream, reads, writes); use.stream;
           use = worker_use(stream, reads, writes)) {
        order_.unlock();
        detail::check_wait_allowed("work on a GPU that depends on a host stream");
        detail::wait_for(use);
        order_.lock();
      }
      detail::make_room_for_readers(reads);
      for (const detail::stream_use& use : detail::hazards(stream, reads, writes)) stream.wait_for_stream(use);
      ticket_ = stream.next_ticket();
      detail::record_use(stream, ticket_, reads, writes);
    }
    submission(const submission&) = delete;
    submission& operator=(const submission&) = delete;
    ~submission() {
      if (ticket_ != 0) stream_.finish_ticket(ticket_);
    }

   private:
    [[nodiscard]] static detail::stream_use worker_use(const cuda_stream& stream, buffer_list reads,
                                                       buffer_list writes) {
      for (const detail::stream_use& use : detail::hazards(stream, reads, writes)) {
        if (use.stream->kind == detail::stream_kind::host_worker) return use;
      }
      return {};
    }

    cuda_stream& stream_;
    detail::ordering_guard order_;
    current_device_scope scope_;
    std::uint64_t ticket_ = 0;
  };

 private:
  void complete(std::uint64_t ticket) noexcept {
    std::uint64_t known = completed.load(std::memory_order_relaxed);
    while (known < ticket && !completed.compare_exchange_weak(known, ticket, std::memory_order_release)) {
    }
  }
  [[nodiscard]] cudaStream_t native_stream() const noexcept { return cuda::native(*this); }

  void close() noexcept {
    const bool callable = alive() && !detail::this_thread().in_driver_callback;
    if (closed_.exchange(true, std::memory_order_acq_rel) || ownership_ != ownership::own || !callable) return;
    ignore(cudaStreamDestroy(native_stream()));
  }

  /// Under the ordering lock; every ticket is finished once the driver has been given its work.
  [[nodiscard]] std::uint64_t next_ticket() noexcept {
    const std::uint64_t ticket = submitted.load(std::memory_order_relaxed) + 1;
    submitted.store(ticket, std::memory_order_relaxed);
    return ticket;
  }
  void finish_ticket(std::uint64_t ticket) noexcept {
    enqueued_.store(ticket, std::memory_order_release);
    if (ownership_ != ownership::external) return;
    try {  // its owner may destroy the stream before anybody asks
      static_cast<void>(marker_after(ticket));
    } catch (...) {
    }
  }

  /// An event that comes after `ticket`; recorded now unless there is one. Null if the driver was not given `ticket`
  /// yet or must not be called any more.
  [[nodiscard]] marker_ptr marker_after(std::uint64_t ticket) {
    const detail::locked hold(lock_);
    if (latest_ && covered_ >= ticket) return latest_;
    const std::uint64_t covered = enqueued_.load(std::memory_order_acquire);
    if (covered < ticket || closed_.load(std::memory_order_acquire) || !alive()) return nullptr;
    const current_device_scope scope(owner.index());
    const marker_ptr place = make_marker(owner.index());
    check(cudaEventRecord(place->event, native_stream()), "cudaEventRecord");
    latest_ = place;
    covered_ = covered;
    return place;
  }
  [[nodiscard]] marker_ptr checked_marker_after(std::uint64_t ticket) {
    marker_ptr place = marker_after(ticket);
    if (!place) detail::raise_device_error("work on %s can no longer be waited for", detail::device_text(owner).text);
    return place;
  }

  /// Work enqueued from now on comes after work of another stream of the driver.
  void wait_for_stream(const detail::stream_use& before) {
    const marker_ptr place = static_cast<cuda_stream&>(*before.stream).checked_marker_after(before.ticket);
    check(cudaStreamWaitEvent(native_stream(), place->event, 0), "cudaStreamWaitEvent");
  }

  const ownership ownership_;
  detail::capture_log* capture_ = nullptr;  ///< only the thread that captures uses the stream meanwhile
  std::atomic<std::uint64_t> enqueued_{0};  ///< what the driver has been given
  detail::mutex lock_;
  marker_ptr latest_;
  std::atomic<bool> closed_{false};  ///< the driver's stream must not be used any more
  std::uint64_t covered_ = 0;        ///< `latest_` was recorded after this ticket
};

inline void cuda_stream::submit(buffer_list reads, buffer_list writes, const detail::work_ref& work) {
  const submission scope(*this, reads, writes);
  work.call(work.function, native);
}

inline void cuda_stream::launch_host_function(const detail::work_ref& work) {
  check_not_captured("a host function");
  detail::task_ptr t(work.move_to_task(work.function));
  const current_device_scope scope(owner.index());
  const detail::ordering_guard order(owner);
  const std::uint64_t ticket = submitted.load(std::memory_order_relaxed) + 1;
  t->waits.push_back({detail::intrusive_ptr<detail::stream_state>::share(this), ticket});
  const auto callback = [](void* argument) {
    detail::thread_state& thread = detail::this_thread();
    thread.in_driver_callback = true;
    auto* const work_of_stream = static_cast<detail::task*>(argument);
    const detail::stream_use self = work_of_stream->waits[0];
    std::exception_ptr failure;
    try {
      work_of_stream->act(work_of_stream, detail::task::action::run);
    } catch (...) {
      failure = std::current_exception();
    }
    if (failure != nullptr) self.stream->store_error(std::move(failure), self.ticket);
    work_of_stream->act(work_of_stream, detail::task::action::destroy);
    thread.in_driver_callback = false;
  };
  check(cudaLaunchHostFunc(native_stream(), callback, t.get()), "cudaLaunchHostFunc");
  static_cast<void>(t.release());
  finish_ticket(next_ticket());
}

/// The legacy default stream, by its explicit handle: what handle 0 means depends on how a unit was compiled.
[[nodiscard, gnu::visibility("default")]] inline cuda_stream& default_stream(int ordinal) {
  static std::atomic<cuda_stream*> streams[detail::max_cuda_devices];
  cuda_stream* existing = streams[ordinal].load(std::memory_order_acquire);
  if (existing != nullptr) return *existing;
  auto* const made = new cuda_stream(ordinal, cudaStreamLegacy, cuda_stream::ownership::permanent);
  if (streams[ordinal].compare_exchange_strong(existing, made, std::memory_order_acq_rel)) return *made;
  delete made;
  return *existing;
}

[[nodiscard]] inline detail::stream_state* create_stream(int ordinal, stream_priority priority) {
  const current_device_scope scope(ordinal);
  int lowest = 0;
  int highest = 0;
  check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "cudaDeviceGetStreamPriorityRange");
  // Lower numbers go first, and 0 is what a stream has unless it is told.
  const int number = priority == stream_priority::high ? highest : priority == stream_priority::low ? lowest : 0;
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, number), "cudaStreamCreateWithPriority");
  try {
    return new cuda_stream(ordinal, stream, cuda_stream::ownership::own);
  } catch (...) {
    ignore(cudaStreamDestroy(stream));
    throw;
  }
}

[[nodiscard]] inline detail::stream_state* wrap_stream(int ordinal, void* stream) {
  if (stream == cudaStreamLegacy) return &default_stream(ordinal);
  return new cuda_stream(ordinal, native(stream), cuda_stream::ownership::external);
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
