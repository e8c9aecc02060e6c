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
namespace detail {

/// The first index out of range; the fields are valid once `state` is 2. Whoever makes a 1 of the 0 writes them.
struct index_fault {
  unsigned state;
  int axis;
  std::int64_t index;
  std::int64_t extent;
};

/// One for each device, whatever the units were compiled with: a kernel of one is waited for through a stream of
/// another.
[[nodiscard, gnu::visibility("default")]] inline std::atomic<index_fault*>& index_fault_slot(int ordinal) noexcept {
  static std::atomic<index_fault*> slots[max_cuda_devices];
  return slots[ordinal];
}

}  // namespace detail

inline namespace GPUARRAY_ABI {
namespace cuda {

/// Where kernels of the device leave it. Made when a kernel that checks indices first runs. @throws cuda_error
[[nodiscard]] inline detail::index_fault* index_fault_of(int ordinal) {
  std::atomic<detail::index_fault*>& slot = detail::index_fault_slot(ordinal);
  detail::index_fault* existing = slot.load(std::memory_order_acquire);
  if (existing != nullptr) return existing;
  const current_device_scope scope(ordinal);
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, sizeof(detail::index_fault), cudaHostAllocPortable | cudaHostAllocMapped),
        "cudaHostAlloc");
  auto* const made = ::new (memory) detail::index_fault{};
  if (slot.compare_exchange_strong(existing, made, std::memory_order_acq_rel)) return made;
  ignore(cudaFreeHost(memory));
  return existing;
}

/// After a wait: the error that a kernel has left, which is then forgotten; usually none.
[[nodiscard]] inline std::exception_ptr take_index_fault(int ordinal) {
  detail::index_fault* const fault = detail::index_fault_slot(ordinal).load(std::memory_order_acquire);
  if (fault == nullptr || __atomic_load_n(&fault->state, __ATOMIC_ACQUIRE) != 2) return nullptr;
  const detail::index_fault met = *fault;
  unsigned complete = 2;  // of several threads that wait, one reports it
  if (!__atomic_compare_exchange_n(&fault->state, &complete, 0U, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
    return nullptr;
  }
  return std::make_exception_ptr(index_error(
      detail::message("index ", met.index, " is out of bounds for axis ", met.axis, " with size ", met.extent)));
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
