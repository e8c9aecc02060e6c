/// @file
/// What is known of CUDA in this process: whether it can be used, on which devices, and if not why.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "../../runtime/concurrency.hpp"
#include "../../runtime/device.hpp"
#include "check.hpp"
#include "strided_copy.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

/// What was found when CUDA was first used, and whether it may be used still.
struct driver_state {
  int devices = 0;
  int driver = 0;
  int toolkit = 0;
  cudaError_t status = cudaSuccess;
  std::uint32_t generation = 0;
  std::atomic<bool> exiting{false};
  detail::mutex lock;
  bool asked[detail::max_cuda_devices] = {};
  std::string unusable[detail::max_cuda_devices];  ///< why, once asked
  std::atomic<cudaMemPool_t> pools[detail::max_cuda_devices] = {};
  bool without_pools[detail::max_cuda_devices] = {};
};

[[nodiscard, gnu::visibility("default")]] inline driver_state& driver() {
  static driver_state* const state = [] {
    detail::watch_forks();
    auto* const made = new driver_state;
    made->generation = detail::fork_generation();
    ignore(cudaDriverGetVersion(&made->driver));
    ignore(cudaRuntimeGetVersion(&made->toolkit));
    made->status = cudaGetDeviceCount(&made->devices);
    ignore(made->status);
    if (made->status != cudaSuccess) made->devices = 0;
    if (made->devices > detail::max_cuda_devices) made->devices = detail::max_cuda_devices;
    // Registered after CUDA's own handlers, so it runs before them: nothing is called once they have run.
    std::atexit([] { driver().exiting.store(true, std::memory_order_relaxed); });
    return made;
  }();
  return *state;
}

/// False during process exit and in a forked child, where no call may be made.
[[nodiscard]] inline bool alive() noexcept {
  const driver_state& state = driver();
  return !state.exiting.load(std::memory_order_relaxed) && state.generation == detail::fork_generation();
}

/// Makes a device current for a scope. @throws device_error in a forked process.
class current_device_scope {
 public:
  explicit current_device_scope(int ordinal) {
    if (driver().generation != detail::fork_generation()) {
      throw device_error(detail::explain_cuda_failure(detail::cuda_failure::after_fork));
    }
    check(cudaGetDevice(&previous_), "cudaGetDevice");
    if (previous_ == ordinal) {
      previous_ = -1;
    } else {
      check(cudaSetDevice(ordinal), "cudaSetDevice");
    }
  }
  current_device_scope(const current_device_scope&) = delete;
  current_device_scope& operator=(const current_device_scope&) = delete;
  ~current_device_scope() {
    if (previous_ >= 0) ignore(cudaSetDevice(previous_));
  }

 private:
  int previous_ = -1;
};

/// A version as "13.0"; empty for none.
[[nodiscard]] inline std::string version_text(int version) {
  return version == 0 ? std::string() : detail::format_text("%d.%d", version / 1000, version % 1000 / 10);
}

[[nodiscard]] constexpr bool built_for_capability_8() noexcept {
  constexpr int architectures[] = {__CUDA_ARCH_LIST__};
  for (const int architecture : architectures) {
    if (architecture < 800) return false;
  }
  return true;
}
static_assert(
    built_for_capability_8(),
    "gpuarray needs compute capability 8.0 or later: set CMAKE_CUDA_ARCHITECTURES before project(), for instance "
    "to native or 80, or pass -arch=native to nvcc");

/// The compute capabilities that this unit was compiled for, "8.0, 9.0".
[[nodiscard]] inline std::string built_for() {
  constexpr int architectures[] = {__CUDA_ARCH_LIST__};
  std::string text;
  for (const int architecture : architectures) {
    text += detail::format_text("%s%d.%d", text.empty() ? "" : ", ", architecture / 100, architecture % 100 / 10);
  }
  return text;
}

/// Why there is no device `ordinal`; only called if there is none.
[[nodiscard]] inline std::string explain_driver(int ordinal) {
  const driver_state& state = driver();
  const std::string driver_version = version_text(state.driver);
  const std::string toolkit_version = version_text(state.toolkit);
  detail::cuda_findings found;
  found.ordinal = ordinal;
  found.devices = state.devices;
  found.driver = driver_version.c_str();
  found.toolkit = toolkit_version.c_str();
  found.error = cudaGetErrorName(state.status);
  detail::cuda_failure failure = detail::cuda_failure::other;
  if (state.generation != detail::fork_generation()) {
    failure = detail::cuda_failure::after_fork;
  } else if (state.status == cudaErrorNoDevice) {
    failure = detail::cuda_failure::no_device;
  } else if (state.status == cudaSuccess) {
    failure = state.devices == 0 ? detail::cuda_failure::no_device : detail::cuda_failure::no_such_device;
  } else if (state.driver == 0) {
    failure = detail::cuda_failure::no_driver;
  } else if (state.status == cudaErrorInsufficientDriver || state.status == cudaErrorSystemDriverMismatch) {
    failure = detail::cuda_failure::driver_too_old;
  }
  return detail::explain_cuda_failure(failure, found);
}

/// Tries whether a device can hold a context and run this program's kernels.
[[nodiscard]] inline std::string try_device(int ordinal) {
  cudaDeviceProp properties{};
  cudaError_t status = cudaGetDeviceProperties(&properties, ordinal);
  if (status == cudaSuccess) {
    int previous = 0;
    ignore(cudaGetDevice(&previous));
    status = cudaSetDevice(ordinal);
    cudaFuncAttributes attributes{};
    if (status == cudaSuccess) status = cudaFuncGetAttributes(&attributes, kernels::copy_kernel());
    ignore(cudaSetDevice(previous));
  }
  ignore(status);
  if (status == cudaSuccess) return {};
  const std::string driver_version = version_text(driver().driver);
  const std::string toolkit_version = version_text(driver().toolkit);
  const std::string architectures = built_for();
  const std::string capability = detail::format_text("%d.%d", properties.major, properties.minor);
  detail::cuda_findings found{ordinal,         driver().devices,   driver_version.c_str(), toolkit_version.c_str(),
                              properties.name, capability.c_str(), architectures.c_str(),  cudaGetErrorName(status)};
  switch (status) {
    case cudaErrorMemoryAllocation: return detail::explain_cuda_failure(detail::cuda_failure::out_of_memory, found);
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidKernelImage:
      return detail::explain_cuda_failure(detail::cuda_failure::unsupported_device, found);
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorInsufficientDriver: return detail::explain_cuda_failure(detail::cuda_failure::driver_too_old, found);
    default: return detail::explain_cuda_failure(detail::cuda_failure::other, found);
  }
}

/// Empty if the device can be used. Each is tried once.
[[nodiscard]] inline std::string why_unusable(int ordinal) {
  driver_state& state = driver();
  if (state.generation != detail::fork_generation() || ordinal < 0 || ordinal >= state.devices)
    return explain_driver(ordinal);
  const detail::locked hold(state.lock);
  if (!state.asked[ordinal]) {
    state.unusable[ordinal] = try_device(ordinal);
    state.asked[ordinal] = true;
  }
  return state.unusable[ordinal];
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
