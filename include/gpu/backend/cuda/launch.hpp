/// @file
/// How every kernel of the library is launched: checked, counted, never waited for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../../runtime/activity.hpp"
#include "check.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

/// Threads of every block: kernels are written for this number.
inline constexpr unsigned block_threads = 256;

/// How many kernels this program has launched through this library, from any thread.
[[nodiscard]] inline std::uint64_t launch_count() noexcept { return activity().launches; }

namespace kernels {

inline void count_launch() noexcept { detail::count_work(detail::device_work::launch); }

/// The status is the launch's own: an error that someone else left pending is neither reported nor cleared here.
inline void launch_erased(const char* what, const void* kernel, std::int64_t blocks, void** arguments,
                          cudaStream_t stream) {
  if (blocks == 0) return;
  const dim3 grid(static_cast<unsigned>(blocks));
  check(cudaLaunchKernel(kernel, grid, dim3(block_threads), arguments, 0, stream), what);
  count_launch();
}

/// Launches `kernel` with blocks of `block_threads` threads; `what` names the operation in an error.
template <class... Parameters>
void launch(const char* what, std::int64_t blocks, cudaStream_t stream, void (*kernel)(Parameters...),
            const std::type_identity_t<Parameters>&... arguments) {
  void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
  launch_erased(what, reinterpret_cast<const void*>(kernel), blocks, pointers, stream);
}

[[nodiscard]] constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) noexcept { return (a + b - 1) / b; }

[[nodiscard]] inline bool is_multiple(const void* pointer, std::int64_t bytes) noexcept {
  return reinterpret_cast<std::uintptr_t>(pointer) % static_cast<std::uintptr_t>(bytes) == 0;
}

}  // namespace kernels

/// Where an operation takes its temporaries from: memory that is valid, and freed, in the order of the stream.
struct scratch_source {
  void* context = nullptr;
  void* (*allocate)(void* context, std::size_t bytes, cudaStream_t stream) = nullptr;
  void (*deallocate)(void* context, void* memory, std::size_t bytes, cudaStream_t stream) noexcept = nullptr;
};

/// Temporary device memory, freed in stream order at the end of the scope: no wait.
class scratch {
 public:
  /// @throws whatever the source throws when memory is short
  scratch(const scratch_source& source, std::size_t bytes, cudaStream_t stream)
      : source_(source), bytes_(bytes), stream_(stream) {
    if (bytes != 0) memory_ = source.allocate(source.context, bytes, stream);
  }
  ~scratch() {
    if (memory_ != nullptr) source_.deallocate(source_.context, memory_, bytes_, stream_);
  }
  scratch(const scratch&) = delete;  // one owner: the block is freed once
  scratch& operator=(const scratch&) = delete;

  [[nodiscard]] void* get() const noexcept { return memory_; }

 private:
  scratch_source source_;
  void* memory_ = nullptr;
  std::size_t bytes_;
  cudaStream_t stream_;
};

namespace kernels {

inline void* allocate_from_driver(void*, std::size_t bytes, cudaStream_t stream) {
  void* memory = nullptr;
  check(cudaMallocAsync(&memory, bytes, stream), "cudaMallocAsync");
  return memory;
}

inline void free_to_driver(void*, void* memory, std::size_t, cudaStream_t stream) noexcept {
  ignore(cudaFreeAsync(memory, stream));
}

}  // namespace kernels

/// The driver's own stream-ordered allocator: for tests, and for use without the library's pool.
[[nodiscard]] inline scratch_source driver_scratch() noexcept {
  return {nullptr, &kernels::allocate_from_driver, &kernels::free_to_driver};
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
