/// @file
/// Many copies in one call of the driver, where it has one.
#pragma once

#include <cstddef>
#include <vector>

#include "transfer.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

/// Copies that do not depend on each other, in the order of one stream. The driver's batches know neither the legacy
/// stream nor capture: there the copies go one by one.
inline void copy_many(const detail::contiguous_copy* copies, std::size_t count, buffer_list reads, buffer_list writes,
                      detail::stream_state& s) {
  if (count == 0) return;
#if CUDART_VERSION >= 13000
  std::vector<void*> to(count);
  std::vector<const void*> from(count);
  std::vector<std::size_t> sizes(count);
  for (std::size_t i = 0; i < count; ++i) {
    to[i] = copies[i].dst;
    from[i] = copies[i].src;
    sizes[i] = copies[i].bytes;
  }
#endif
  const cuda_stream::submission scope(cuda_stream_of(s), reads, writes);
  for (std::size_t i = 0; i < count; ++i) {
    detail::count_work(copies[i].from_host ? detail::device_work::upload
                       : copies[i].to_host ? detail::device_work::download
                                           : detail::device_work::copy);
  }
#if CUDART_VERSION >= 13000
  if (count > 1 && !s.permanent && !is_capturing(s)) {
    cudaMemcpyAttributes attributes{};
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    std::size_t first = 0;
    check(cudaMemcpyBatchAsync(to.data(), from.data(), sizes.data(), count, &attributes, &first, 1, native(s)),
          "cudaMemcpyBatchAsync");
    return;
  }
#endif
  for (std::size_t i = 0; i < count; ++i) {
    check(cudaMemcpyAsync(copies[i].dst, copies[i].src, copies[i].bytes, cudaMemcpyDefault, native(s)),
          "cudaMemcpyAsync");
  }
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
