/// @file
/// Why CUDA cannot be used, in words that say what was found and what to install.
#pragma once

#include <cstdint>
#include <string>

#include "raise.hpp"

namespace gpu::detail {

enum class cuda_failure : std::uint8_t {
  not_compiled,        ///< no unit of the program was compiled by nvcc
  no_driver,           ///< libcuda is missing or the kernel module is not loaded
  driver_too_old,      ///< the driver is older than the CUDA toolkit of the program
  no_device,           ///< a driver, but no GPU that it shows
  no_such_device,      ///< the ordinal is too large
  unsupported_device,  ///< the program holds no code that this GPU runs
  out_of_memory,       ///< not even a context fits
  after_fork,          ///< the process was forked after CUDA was used
  other
};

/// What the caller found out; the defaults stand for what is not known.
struct cuda_findings {
  int ordinal = 0;
  int devices = 0;
  const char* driver = "?";        ///< the CUDA version that the driver supports, "12.2"
  const char* toolkit = "?";       ///< the CUDA version that the program was built with, "13.0"
  const char* device = "a GPU";    ///< the GPU's name
  const char* capability = "?";    ///< "7.0"
  const char* built_for = "?";     ///< "8.0, 9.0"
  const char* error = "no error";  ///< CUDA's own name of the error
};

/// The cause and the remedy, for `device_error` and `show_config()`.
[[nodiscard, gnu::cold]] inline std::string explain_cuda_failure(cuda_failure failure,
                                                                 const cuda_findings& found = {}) {
  switch (failure) {
    case cuda_failure::not_compiled:
      return "CUDA is not available in this program: none of its source files was compiled by nvcc. Compile the files "
             "that "
             "use the GPU with nvcc (CMake: enable_language(CUDA), and name them .cu or set LANGUAGE CUDA)";
    case cuda_failure::no_driver:
      return format_text(
          "no NVIDIA driver was found (%s): libcuda.so.1 is missing or its kernel module is not loaded. Install the "
          "driver "
          "(Debian: nvidia-driver, Ubuntu: ubuntu-drivers install), reboot, and check that nvidia-smi lists the GPU; "
          "in a "
          "container pass the GPU in (docker run --gpus all)",
          found.error);
    case cuda_failure::driver_too_old:
      return format_text(
          "the NVIDIA driver is too old (%s): it supports CUDA %s, and this program was built with CUDA %s. Update the "
          "driver, "
          "or build with a toolkit that the driver supports",
          found.error, found.driver, found.toolkit);
    case cuda_failure::no_device:
      return format_text(
          "no CUDA device was found (%s): the driver is there but shows no GPU. Check nvidia-smi, and that "
          "CUDA_VISIBLE_DEVICES does not hide it",
          found.error);
    case cuda_failure::no_such_device:
      return format_text("there is no device cuda:%d: the driver shows %d CUDA device%s", found.ordinal, found.devices,
                         found.devices == 1 ? "" : "s");
    case cuda_failure::unsupported_device:
      return format_text(
          "cuda:%d (%s, compute capability %s) cannot run this program (%s): it was built for compute capability %s. "
          "Add the "
          "GPU's own to CMAKE_CUDA_ARCHITECTURES (nvcc -arch) and build again, or use a newer GPU",
          found.ordinal, found.device, found.capability, found.error, found.built_for);
    case cuda_failure::out_of_memory:
      return format_text(
          "cuda:%d (%s) has no memory left to start CUDA in (%s): other processes fill it (nvidia-smi lists them). End "
          "one of "
          "them, or choose another GPU with CUDA_VISIBLE_DEVICES or GPUARRAY_DEVICE",
          found.ordinal, found.device, found.error);
    case cuda_failure::after_fork:
      return "CUDA cannot be used in a forked process: it was in use before fork(). Start the process with exec, or "
             "fork before "
             "the first use of the GPU";
    case cuda_failure::other: break;
  }
  return format_text("cuda:%d cannot be used (%s)", found.ordinal, found.error);
}

}  // namespace gpu::detail
