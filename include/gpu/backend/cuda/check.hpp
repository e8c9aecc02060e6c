/// @file
/// How calls of the CUDA runtime are checked.
#pragma once

#include <cuda_runtime.h>

#include <source_location>

#include "../../core/config.hpp"
#include "../../core/error.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

[[noreturn, gnu::noinline, gnu::cold]] inline void raise_status(cudaError_t status, const char* call,
                                                                const std::source_location& where) {
  static_cast<void>(cudaGetLastError());  // or the next launch would report this error as its own
  detail::raise<cuda_error>(call, " failed: ", cudaGetErrorName(status), " (", cudaGetErrorString(status), ") at ",
                            where.file_name(), ":", where.line());
}

/// Every status of the CUDA runtime goes through here: `check(cudaFoo(...), "cudaFoo")`.
/// @throws cuda_error with the call, CUDA's name of the error and the place.
inline void check(cudaError_t status, const char* call,
                  const std::source_location& where = std::source_location::current()) {
  if (status != cudaSuccess) [[unlikely]]
    raise_status(status, call, where);
}

/// After a kernel launch. @throws cuda_error if it did not take place.
inline void check_launch(const char* kernel, const std::source_location& where = std::source_location::current()) {
  check(cudaGetLastError(), kernel, where);
}

/// For places that must not throw: the status is dropped, and CUDA forgets it too.
inline void ignore(cudaError_t status) noexcept {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
