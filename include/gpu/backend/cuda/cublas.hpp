/// @file
/// cuBLAS: one handle for each thread and device, and how its statuses are checked.
#pragma once

#include <cublas_v2.h>

#include <mutex>
#include <source_location>
#include <vector>

#include "../../runtime/backend.hpp"
#include "check.hpp"

namespace gpu {
namespace detail {

/// The handles that no thread uses at the moment. Never destroyed: a handle costs device memory and a synchronisation
/// to make, and must not be destroyed once the driver shuts down.
class [[gnu::visibility("default")]] idle_cublas_handles {
 public:
  [[nodiscard]] static idle_cublas_handles& instance() {
    static auto* const handles = new idle_cublas_handles;
    return *handles;
  }
  /// Null if there is none.
  [[nodiscard]] cublasHandle_t take(int device) {
    const std::lock_guard lock(mutex_);
    std::vector<cublasHandle_t>& idle = idle_[device];
    if (idle.empty()) return nullptr;
    const cublasHandle_t handle = idle.back();
    idle.pop_back();
    return handle;
  }
  void give_back(int device, cublasHandle_t handle) noexcept {
    try {
      const std::lock_guard lock(mutex_);
      idle_[device].push_back(handle);
    } catch (...) {
      // Without memory for the list the handle is leaked, which is all that can be done at the end of a thread.
    }
  }

 private:
  idle_cublas_handles() = default;

  std::mutex mutex_;
  std::vector<cublasHandle_t> idle_[max_cuda_devices];
};

/// The handles of one thread; they go back to the idle ones, without a call to CUDA, when it ends.
class cublas_handles_of_thread {
 public:
  cublas_handles_of_thread() = default;
  cublas_handles_of_thread(const cublas_handles_of_thread&) = delete;  // it is one thread's
  cublas_handles_of_thread& operator=(const cublas_handles_of_thread&) = delete;
  ~cublas_handles_of_thread() {
    for (int device = 0; device < max_cuda_devices; ++device) {
      if (handles_[device] != nullptr) idle_cublas_handles::instance().give_back(device, handles_[device]);
    }
  }
  [[nodiscard]] cublasHandle_t& operator[](int device) noexcept { return handles_[device]; }

 private:
  cublasHandle_t handles_[max_cuda_devices] = {};
};

[[gnu::visibility("default")]] inline cublas_handles_of_thread& this_thread_cublas_handles() {
  thread_local cublas_handles_of_thread handles;
  return handles;
}

}  // namespace detail

inline namespace GPUARRAY_ABI {
namespace cuda {

/// Every status of cuBLAS goes through here: `check(cublasFoo(...), "cublasFoo")`.
/// @throws library_error with the call, cuBLAS's name of the status and the place.
inline void check(cublasStatus_t status, const char* call,
                  const std::source_location& where = std::source_location::current()) {
  if (status == CUBLAS_STATUS_SUCCESS) [[likely]]
    return;
  static_cast<void>(cudaGetLastError());  // or the next launch would report this error as its own
  detail::raise<library_error>(call, " failed: ", cublasGetStatusName(status), " (", cublasGetStatusString(status),
                               ") at ", where.file_name(), ":", where.line());
}

/// The calling thread's handle for the current device, set to `stream` and to where scalars are read and results
/// written. The first call of a thread on a device may make a handle, which waits for the device.
/// @throws library_error or cuda_error.
[[nodiscard]] inline cublasHandle_t cublas_handle(cudaStream_t stream,
                                                  cublasPointerMode_t scalars = CUBLAS_POINTER_MODE_HOST) {
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  if (device >= detail::max_cuda_devices)
    detail::raise<device_error>("cuBLAS: there is no room for device cuda:", device);
  cublasHandle_t& handle = detail::this_thread_cublas_handles()[device];
  if (handle == nullptr) handle = detail::idle_cublas_handles::instance().take(device);
  if (handle == nullptr) check(cublasCreate(&handle), "cublasCreate");
  check(cublasSetStream(handle, stream), "cublasSetStream");
  check(cublasSetPointerMode(handle, scalars), "cublasSetPointerMode");
  return handle;
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
