/// @file
/// `stream`: a queue of work on a device; the current stream of a thread and the guard that sets it.
#pragma once

#include "host_stream.hpp"
#include "stream_handle.hpp"

namespace gpu {

inline stream::stream(gpu::device d, stream_priority priority)
    : state_(d.is_host() ? detail::start_host_stream() : d.table().create_stream(d.index(), priority)) {}

inline void device::synchronize() const {
  if (!is_host()) {
    table().synchronize(index_);
    detail::collect_deferred();
    return;
  }
  for (const detail::stream_use& use : detail::live_host_streams()) {
    if (detail::this_thread().worker != use.stream.get()) detail::wait_for(use);
  }
  detail::collect_deferred();
}

}  // namespace gpu
