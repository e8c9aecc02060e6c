/// @file
/// An index out of range that a kernel has met: kept in pinned memory until somebody waits for the device.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <new>

#include "../../core/error.hpp"
#include "driver.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

/// The first index out of range; the fields are valid once `state` is 2. Whoever makes a 1 of the 0 writes them.
struct index_fault {
  unsigned state;
  int axis;
  std::int64_t index;
  std::int64_t extent;
};

[[nodiscard, gnu::visibility("default")]] inline std::atomic<index_fault*>& index_fault_slot(int ordinal) noexcept {
  static std::atomic<index_fault*> slots[detail::max_cuda_devices];
  return slots[ordinal];
}

/// Where kernels of the device leave it. Made when a kernel that checks indices first runs. @throws cuda_error
[[nodiscard]] inline index_fault* index_fault_of(int ordinal) {
  std::atomic<index_fault*>& slot = index_fault_slot(ordinal);
  index_fault* existing = slot.load(std::memory_order_acquire);
  if (existing != nullptr) return existing;
  const current_device_scope scope(ordinal);
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, sizeof(index_fault), cudaHostAllocPortable | cudaHostAllocMapped), "cudaHostAlloc");
  auto* const made = ::new (memory) index_fault{};
  if (slot.compare_exchange_strong(existing, made, std::memory_order_acq_rel)) return made;
  ignore(cudaFreeHost(memory));
  return existing;
}

/// After a wait: the error that a kernel has left, which is then forgotten; usually none.
[[nodiscard]] inline std::exception_ptr take_index_fault(int ordinal) {
  index_fault* const fault = index_fault_slot(ordinal).load(std::memory_order_acquire);
  if (fault == nullptr || __atomic_load_n(&fault->state, __ATOMIC_ACQUIRE) != 2) return nullptr;
  const index_fault met = *fault;
  __atomic_store_n(&fault->state, 0U, __ATOMIC_RELEASE);
  return std::make_exception_ptr(index_error(
      detail::message("index ", met.index, " is out of bounds for axis ", met.axis, " with size ", met.extent)));
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
