/// @file
/// The driver's pools that the library allocates from, and which devices reach each other's.
#pragma once

#include <cstdint>

#include "driver.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

/// The library's own pool of a device, which keeps all memory that it ever had; null where the driver has no pools.
[[nodiscard]] inline cudaMemPool_t memory_pool(int ordinal) {
  driver_state& state = driver();
  if (const cudaMemPool_t pool = state.pools[ordinal].load(std::memory_order_acquire)) return pool;
  const detail::locked hold(state.lock);
  if (state.pools[ordinal].load(std::memory_order_acquire) == nullptr && !state.without_pools[ordinal]) {
    int supported = 0;
    check(cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, ordinal), "cudaDeviceGetAttribute");
    state.without_pools[ordinal] = supported == 0;
    if (supported != 0) {
      cudaMemPoolProps properties{};
      properties.allocType = cudaMemAllocationTypePinned;
      properties.location.type = cudaMemLocationTypeDevice;
      properties.location.id = ordinal;
      cudaMemPool_t pool = nullptr;
      check(cudaMemPoolCreate(&pool, &properties), "cudaMemPoolCreate");
      std::uint64_t threshold = UINT64_MAX;
      check(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold), "cudaMemPoolSetAttribute");
      state.pools[ordinal].store(pool, std::memory_order_release);
    }
  }
  return state.pools[ordinal].load(std::memory_order_acquire);
}

/// Lets the device `to` reach memory of the device `from`, where the hardware can: copies between them then need no
/// memory of the host. Tried once for each pair.
inline void use_peer_access(int to, int from) {
  static std::atomic<std::uint32_t> tried[detail::max_cuda_devices] = {};
  const std::uint32_t bit = std::uint32_t{1} << from;
  if ((tried[to].fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return;
  int possible = 0;
  check(cudaDeviceCanAccessPeer(&possible, to, from), "cudaDeviceCanAccessPeer");
  if (possible == 0) return;
  const current_device_scope scope(to);
  const cudaError_t status = cudaDeviceEnablePeerAccess(from, 0);
  ignore(status);
  if (status != cudaSuccess && status != cudaErrorPeerAccessAlreadyEnabled) return;
  if (const cudaMemPool_t pool = memory_pool(from)) {
    cudaMemAccessDesc access{};
    access.location.type = cudaMemLocationTypeDevice;
    access.location.id = to;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    ignore(cudaMemPoolSetAccess(pool, &access, 1));
  }
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
