/// @file
/// The devices that every test runs on.
#pragma once

#include <vector>

#include "gpu/array.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// The host and, in a program compiled by nvcc, every CUDA device that can be used.
[[nodiscard]] inline std::vector<device> testing_devices() {
  std::vector<device> devices{device::host()};
  if constexpr (current_tag::has_cuda) {
    for (int i = 0; i < device::count(device_kind::cuda); ++i) devices.push_back(device::cuda(i));
  }
  return devices;
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
