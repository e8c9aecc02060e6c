/// @file
/// CUDA as a device of the runtime. Any unit that nvcc compiles registers it when the program starts; backend/cuda/
/// holds the only files that call the CUDA runtime.
#pragma once

#if !defined(__CUDACC__)
#error "gpu/backend/cuda is for nvcc: include <gpu/gpu.hpp>, which leaves it out elsewhere"
#endif

#include <string>

#include "../../runtime/backend.hpp"
#include "capture.hpp"
#include "copy_many.hpp"
#include "copy_parts.hpp"
#include "driver.hpp"
#include "memory_pool.hpp"
#include "pinned.hpp"
#include "stream.hpp"
#include "transfer.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

[[nodiscard]] inline void* allocate(int ordinal, std::size_t bytes, detail::stream_state& stream) {
  const current_device_scope scope(ordinal);
  void* data = nullptr;
  const cudaMemPool_t pool = memory_pool(ordinal);
  const cudaError_t status =
      pool != nullptr ? cudaMallocFromPoolAsync(&data, bytes, pool, native(stream)) : cudaMalloc(&data, bytes);
  if (status == cudaErrorMemoryAllocation) {
    ignore(status);
    return nullptr;
  }
  check(status, pool != nullptr ? "cudaMallocFromPoolAsync" : "cudaMalloc");
  if (pool != nullptr) static_cast<cuda_stream&>(stream).count_work();  // other streams must come after it
  return data;
}

inline void deallocate(int ordinal, void* data, std::size_t, detail::stream_state& stream) noexcept {
  if (!alive()) return;
  try {
    const current_device_scope scope(ordinal);
    ignore(memory_pool(ordinal) != nullptr ? cudaFreeAsync(data, native(stream)) : cudaFree(data));
  } catch (...) {  // the memory is lost; there is nobody to tell
  }
}

[[nodiscard]] inline void* allocate_plain(int ordinal, std::size_t bytes) {
  const current_device_scope scope(ordinal);
  void* data = nullptr;
  const cudaError_t status = cudaMalloc(&data, bytes);
  if (status == cudaErrorMemoryAllocation) {
    ignore(status);
    return nullptr;
  }
  check(status, "cudaMalloc");
  return data;
}

inline void deallocate_plain(int ordinal, void* data, std::size_t) noexcept {
  if (!alive()) return;
  try {
    const current_device_scope scope(ordinal);
    ignore(cudaFree(data));
  } catch (...) {  // the memory is lost; there is nobody to tell
  }
}

inline void trim(int ordinal, bool wait) noexcept {
  if (!alive()) return;
  try {
    const current_device_scope scope(ordinal);
    if (wait) ignore(cudaDeviceSynchronize());
    if (const cudaMemPool_t pool = driver().pools[ordinal].load(std::memory_order_acquire))
      ignore(cudaMemPoolTrimTo(pool, 0));
  } catch (...) {
  }
}

[[nodiscard]] inline detail::device_properties properties(int ordinal) {
  cudaDeviceProp p{};
  check(cudaGetDeviceProperties(&p, ordinal), "cudaGetDeviceProperties");
  return {p.name, p.major, p.minor, p.multiProcessorCount, p.totalGlobalMem};
}

[[nodiscard]] inline memory_information memory(int ordinal) {
  const current_device_scope scope(ordinal);
  memory_information result;
  check(cudaMemGetInfo(&result.free, &result.total), "cudaMemGetInfo");
  return result;
}

inline void synchronize(int ordinal) {
  {
    const current_device_scope scope(ordinal);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  }
  default_stream(ordinal).keep_index_fault();
  default_stream(ordinal).throw_error();
}

[[nodiscard, gnu::visibility("default")]] inline const detail::backend_table& backend() noexcept {
  static constexpr detail::backend_table table = {
      .count = +[] { return driver().devices; },
      .why_unusable = &why_unusable,
      .properties = &properties,
      .memory = &memory,
      .driver_version = +[] { return version_text(driver().driver); },
      .toolkit_version = +[] { return version_text(driver().toolkit); },
      .alive = &alive,
      .synchronize = &synchronize,
      .allocate = &allocate,
      .deallocate = &deallocate,
      .allocate_plain = &allocate_plain,
      .deallocate_plain = &deallocate_plain,
      .trim = &trim,
      .allocate_pinned = &allocate_pinned,
      .deallocate_pinned = &deallocate_pinned,
      .register_host = &register_host,
      .unregister_host = &unregister_host,
      .is_page_locked = &is_page_locked,
      .with_device =
          +[](int ordinal, void (*f)(void*), void* context) {
            const current_device_scope scope(ordinal);
            f(context);
          },
      .default_stream = +[](int ordinal) -> detail::stream_state* { return &default_stream(ordinal); },
      .create_stream = &create_stream,
      .wrap_stream = &wrap_stream,
      .copy_bytes = &copy_bytes,
      .copy_from_host = &copy_from_host,
      .copy_to_host = &copy_to_host,
      .fill_bytes = &fill_bytes,
      .copy_strided = &copy_strided,
      .copy_many = &copy_many,
      .copy_parts = &copy_parts,
      .begin_capture = &begin_capture,
      .end_capture = &end_capture,
      .launch_graph = &launch_graph,
      .destroy_graph = &destroy_graph,
  };
  return table;
}

[[nodiscard]] inline bool register_cuda() noexcept {
  detail::use_ordering();
  return detail::register_backend(device_kind::cuda, &backend());
}

/// True from the start of the program on.
inline const bool registered = register_cuda();

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
