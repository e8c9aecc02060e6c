/// @file
/// Work of a stream recorded as a CUDA graph, and run from there.
#pragma once

#include "../../runtime/activity.hpp"
#include "stream.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

/// From now on the stream's work goes into `log` and a graph. Other threads are not disturbed, and this one may still
/// allocate memory on other streams.
inline void begin_capture(detail::stream_state& s, detail::capture_log& log) {
  auto& stream = static_cast<cuda_stream&>(s);
  const current_device_scope scope(s.owner.index());
  check(cudaStreamBeginCapture(native(s), cudaStreamCaptureModeRelaxed), "cudaStreamBeginCapture");
  stream.set_capture(&log);
}

[[nodiscard]] inline void* end_capture(detail::stream_state& s, bool wanted) {
  static_cast<cuda_stream&>(s).set_capture(nullptr);
  const current_device_scope scope(s.owner.index());
  cudaGraph_t graph = nullptr;
  const cudaError_t status = cudaStreamEndCapture(native(s), &graph);
  if (!wanted) {
    ignore(status);
    if (graph != nullptr) ignore(cudaGraphDestroy(graph));
    return nullptr;
  }
  check(status, "cudaStreamEndCapture");
  cudaGraphExec_t executable = nullptr;
  const cudaError_t made = cudaGraphInstantiate(&executable, graph, 0);
  ignore(cudaGraphDestroy(graph));
  check(made, "cudaGraphInstantiate");
  return executable;
}

inline void launch_graph(void* graph, buffer_list reads, buffer_list writes, detail::stream_state& s) {
  const cuda_stream::submission scope(static_cast<cuda_stream&>(s), reads, writes);
  check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph), native(s)), "cudaGraphLaunch");
  detail::count_work(detail::device_work::launch);
}

/// What runs still ends first.
inline void destroy_graph(void* graph) noexcept {
  if (alive()) ignore(cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(graph)));
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
