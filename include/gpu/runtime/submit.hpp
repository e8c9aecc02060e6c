/// @file
/// `submit`: hands work to a stream, after everything that its buffers have to wait for.
#pragma once

#include <type_traits>
#include <utility>

#include "buffer.hpp"
#include "stream.hpp"

namespace gpu {

/// Hands `f` to the stream. It runs after all work on other streams that wrote what it reads or writes, or that read
/// what it writes; the buffers are remembered as used by the stream, and their memory stays until it has run even if
/// the last pointer to them is dropped before.
/// - Host's default stream: waits for such work, then calls `f()` before it returns; what `f` throws comes through.
/// - Another host stream: queues `f`, which owns what it captures. What it throws travels to the next synchronisation;
///   memory that it was the first to write and does not read, allocated on a host stream other than the default one, is
///   then zeros.
/// - CUDA: calls `f(native_stream_handle)` at once, with the device current; `f` only enqueues.
/// `f` is called as `f(void*)` or `f()`, whichever it accepts. If an exception leaves this function, `f` was not called
/// or has thrown it.
/// @throws device_error under `forbid_sync` if the calling thread would have to wait; what awaited work has thrown.
template <class F>
void submit(const stream& s, buffer_list reads, buffer_list writes, F&& f);

/// Waits until the host may read the buffer: until the work that wrote it last is done. `operation` names the caller
/// for `forbid_sync`; null if the user asked for the wait. @throws device_error, what that work has thrown.
inline void synchronize_for_read(const buffer& b, const char* operation) {
  if (b.pending()) detail::ordering().settle({const_cast<buffer*>(&b)}, {}, operation);
}

/// Waits until the host may write the buffer: until all work on it is done. As above.
inline void synchronize_for_write(const buffer& b, const char* operation) {
  if (b.pending()) detail::ordering().settle({}, {const_cast<buffer*>(&b)}, operation);
}

// ---------------------------------------------------------------------------------------------------------------------

namespace detail {

/// Before work of the host's default stream: waits for what other streams do with the buffers.
inline void settle_pending(buffer_list reads, buffer_list writes) {
  bool pending = false;
  for (const buffer* const b : reads) pending |= b->pending();
  for (const buffer* const b : writes) pending |= b->pending();
  if (pending) [[unlikely]]
    ordering().settle(reads, writes, "work on the host's default stream");
}

}  // namespace detail

template <class F>
void submit(const stream& s, buffer_list reads, buffer_list writes, F&& f) {
  if constexpr (std::is_function_v<std::remove_reference_t<F>>) {
    submit(s, reads, writes, &f);
    return;
  } else {
    detail::stream_state& state = s.state();
    if (state.kind == detail::stream_kind::host_inline) [[likely]] {
      detail::settle_pending(reads, writes);
      detail::call_with_handle(f, nullptr);
    } else {
      state.submit(reads, writes, detail::make_work_ref<F>(f));
    }
  }
}

/// The same for work that is copied as bytes; `work` may end when this returns.
inline void submit_plain(const stream& s, buffer_list reads, buffer_list writes, detail::plain_work& work) {
  detail::stream_state& state = s.state();
  if (state.kind == detail::stream_kind::host_inline) [[likely]] {
    detail::settle_pending(reads, writes);
    work.run(work, nullptr);
  } else {
    state.submit(reads, writes, detail::make_plain_work_ref(work));
  }
}

}  // namespace gpu
