/// @file
/// Page-locked memory of the host: for transfers of pageable memory, for the user's own, and memory of others.
#pragma once

#include <atomic>

#include "../../runtime/buffer.hpp"
#include "../../runtime/stream.hpp"
#include "driver.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

/// Locked pages for all devices; null if there are no more.
[[nodiscard]] inline void* allocate_pinned_on(int ordinal, std::size_t bytes) {
  const current_device_scope scope(ordinal);
  void* data = nullptr;
  const cudaError_t status = cudaHostAlloc(&data, bytes, cudaHostAllocPortable);
  if (status == cudaErrorMemoryAllocation) {
    ignore(status);
    return nullptr;
  }
  check(status, "cudaHostAlloc");
  return data;
}

[[nodiscard]] inline void* allocate_pinned(std::size_t bytes) { return allocate_pinned_on(0, bytes); }

inline void deallocate_pinned(void* data) noexcept {
  if (alive()) ignore(cudaFreeHost(data));
}

inline void register_host(void* data, std::size_t bytes) {
  const current_device_scope scope(0);
  check(cudaHostRegister(data, bytes, cudaHostRegisterPortable), "cudaHostRegister");
}

inline void unregister_host(void* data) noexcept {
  if (alive()) ignore(cudaHostUnregister(data));
}

[[nodiscard]] inline bool is_page_locked(const void* data) noexcept {
  if (!alive() || driver().devices == 0) return false;
  cudaPointerAttributes attributes{};
  const cudaError_t status = cudaPointerGetAttributes(&attributes, data);
  ignore(status);
  return status == cudaSuccess && attributes.type == cudaMemoryTypeHost;
}

/// Transfers are cut into pieces of this size: large enough for bandwidth, small enough for the host's copy of one to
/// overlap the transfer of another.
inline constexpr std::size_t staging_piece = std::size_t{1} << 20;
/// At most this much pinned memory for each device; a transfer that needs more waits for earlier pieces.
inline constexpr std::size_t staging_limit = std::size_t{64} << 20;

/// Pinned memory straight from the driver.
class pinned_memory final : public memory_resource {
 public:
  explicit pinned_memory(int ordinal) noexcept : ordinal_(ordinal) {}

  [[nodiscard]] void* allocate(std::size_t bytes, const stream&) override {
    void* const data = allocate_pinned_on(ordinal_, bytes);
    if (data == nullptr)
      throw out_of_memory(memory_shortage{device::host(), bytes, 0, 0, 0, 0, device::host().memory_info()});
    return data;
  }
  void deallocate(void* data, std::size_t, const stream&) noexcept override { deallocate_pinned(data); }

 private:
  int ordinal_;
};

/// The ring through which pageable memory goes: pieces return in the order in which the device is done with them.
[[nodiscard, gnu::visibility("default")]] inline pool_resource& staging_pool(int ordinal) {
  static detail::mutex* const lock = new detail::mutex;
  static std::atomic<pool_resource*> pools[detail::max_cuda_devices];
  std::atomic<pool_resource*>& pool = pools[ordinal];
  if (pool_resource* const existing = pool.load(std::memory_order_acquire)) return *existing;
  const detail::locked hold(*lock);
  if (pool.load(std::memory_order_acquire) == nullptr) {
    auto* const made = new pool_resource(device::host(), *new pinned_memory(ordinal));
    made->set_limit(staging_limit);
    detail::add_cache(device::host(), *made);
    pool.store(made, std::memory_order_release);
  }
  return *pool.load(std::memory_order_acquire);
}

/// Pinned memory for one piece of a transfer; it returns to its pool when the stream is done with it.
[[nodiscard]] inline buffer_ptr allocate_staging(std::size_t bytes, int ordinal) {
  const device host = device::host();
  return detail::allocate_from(staging_pool(ordinal), bytes, host, stream::default_stream(host));
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
