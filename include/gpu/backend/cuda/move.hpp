/// @file
/// Elements of a size known only at run time, in kernels.
#pragma once

#include <cstdint>

#include "../../core/config.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {
namespace kernels {

/// One element of up to 16 bytes, in registers.
struct alignas(16) element_bytes {
  std::uint32_t words[4];
};

/// `size` is 1, 2, 4, 8 or 16 and the address a multiple of it.
__device__ __forceinline__ element_bytes load_element(const char* from, int size) {
  element_bytes e{};
  switch (size) {
    case 1: e.words[0] = *reinterpret_cast<const std::uint8_t*>(from); break;
    case 2: e.words[0] = *reinterpret_cast<const std::uint16_t*>(from); break;
    case 4: e.words[0] = *reinterpret_cast<const std::uint32_t*>(from); break;
    case 8: {
      const uint2 v = *reinterpret_cast<const uint2*>(from);
      e.words[0] = v.x;
      e.words[1] = v.y;
      break;
    }
    default: e = *reinterpret_cast<const element_bytes*>(from);
  }
  return e;
}

__device__ __forceinline__ void store_element(char* to, const element_bytes& e, int size) {
  switch (size) {
    case 1: *reinterpret_cast<std::uint8_t*>(to) = static_cast<std::uint8_t>(e.words[0]); break;
    case 2: *reinterpret_cast<std::uint16_t*>(to) = static_cast<std::uint16_t>(e.words[0]); break;
    case 4: *reinterpret_cast<std::uint32_t*>(to) = e.words[0]; break;
    case 8: *reinterpret_cast<uint2*>(to) = uint2{e.words[0], e.words[1]}; break;
    default: *reinterpret_cast<element_bytes*>(to) = e;
  }
}

}  // namespace kernels
}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
