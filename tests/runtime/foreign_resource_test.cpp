// Other libraries' resources as ours.
#include <map>
#include <memory_resource>
#include <vector>

#if defined(__CUDACC__)
#include <cuda/stream_ref>
#endif

#include "gpu/memory.hpp"
#include "gpu/runtime/foreign_resource.hpp"
#include "runtime_support.hpp"

namespace {

using gpu::device;
using gpu::out_of_memory;
using gpu::stream;

const device host = device::host();

/// Look-alikes of other libraries' resources.
struct rmm_like {
  std::map<void*, std::size_t> live;
  bool empty = false;
  void* allocate(std::size_t bytes, CUstream_st*) {
    if (empty) throw std::bad_alloc();
    void* const data = std::malloc(bytes);
    live[data] = bytes;
    return data;
  }
  void deallocate(void* data, std::size_t bytes, CUstream_st*) {
    EXPECT_EQ(live.at(data), bytes);
    live.erase(data);
    std::free(data);
  }
};
struct mr_like : rmm_like {
  void* allocate_async(std::size_t bytes, std::size_t alignment, CUstream_st* s) {
    EXPECT_EQ(alignment, 256U);
    return rmm_like::allocate(bytes, s);
  }
  void deallocate_async(void* data, std::size_t bytes, std::size_t, CUstream_st* s) {
    rmm_like::deallocate(data, bytes, s);
  }
};
struct new_mr_like : rmm_like {
  void* allocate(CUstream_st* s, std::size_t bytes, std::size_t alignment) {
    EXPECT_EQ(alignment, 256U);
    return rmm_like::allocate(bytes, s);
  }
  void deallocate(CUstream_st* s, void* data, std::size_t bytes, std::size_t) { rmm_like::deallocate(data, bytes, s); }
};

template <class Resource>
void test_foreign() {
  Resource theirs;
  gpu::foreign_resource<Resource> bridge(host, theirs);
  {
    gpu::pool_resource pool(host, bridge);
    const gpu::scoped_memory_resource on(host, pool);
    const gpu::buffer_ptr b = gpu::allocate_buffer(1000, host);
    EXPECT_EQ(theirs.live.count(b->data()), 1U);
    theirs.empty = true;
    try {
      static_cast<void>(gpu::allocate_buffer(5000, host));
      ADD_FAILURE();
    } catch (const out_of_memory& error) {
      EXPECT_EQ(error.shortage().requested, 5000U);
    }
  }
  EXPECT_TRUE(theirs.live.empty());
}

TEST(foreign_resource, all_three_shapes) {
  test_foreign<rmm_like>();
  test_foreign<mr_like>();
  test_foreign<new_mr_like>();
  static_assert(!gpu::foreign_memory_resource<std::pmr::memory_resource>);
}

#if defined(__CUDACC__)
}  // namespace

// With a name: nvcc warns of members in an unnamed namespace that only concepts ask for.
namespace resource_test {

/// A resource as the CUDA core libraries define it.
struct async_resource {
  std::size_t live = 0;
  void* allocate(std::size_t bytes, std::size_t alignment) {
    return allocate_async(bytes, alignment, cudaStreamLegacy);
  }
  void deallocate(void* data, std::size_t bytes, std::size_t alignment) {
    deallocate_async(data, bytes, alignment, cudaStreamLegacy);
  }
  void* allocate_async(std::size_t bytes, std::size_t, cuda::stream_ref s) {
    void* data = nullptr;
    if (cudaMallocAsync(&data, bytes, s.get()) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      throw std::bad_alloc();
    }
    live += bytes;
    return data;
  }
  void deallocate_async(void* data, std::size_t bytes, std::size_t, cuda::stream_ref s) {
    live -= bytes;
    gpu::cuda::check(cudaFreeAsync(data, s.get()), "cudaFreeAsync");
  }
  bool operator==(const async_resource& other) const { return this == &other; }
  bool operator!=(const async_resource& other) const { return this != &other; }
};

}  // namespace resource_test

namespace {

using resource_test::async_resource;

TEST(foreign_resource, of_the_cuda_libraries) {
  for (const device d : runtime_test::cuda_devices()) {
    async_resource theirs;
    gpu::foreign_resource<async_resource> bridge(d, theirs);
    {
      const gpu::scoped_memory_resource on(d, bridge);
      for (const stream& s : {stream::default_stream(d), stream(d)}) {
        const gpu::buffer_ptr b = runtime_test::make_ints({1, 2, 3}, d, s);
        EXPECT_EQ(theirs.live, 12U);
        EXPECT_EQ(runtime_test::read_ints(b, s), (std::vector<int>{1, 2, 3}));
      }
      EXPECT_THROW(static_cast<void>(gpu::allocate_buffer(std::size_t{1} << 45, d)), out_of_memory);
    }
    d.synchronize();
    EXPECT_EQ(theirs.live, 0U);
  }
}
#endif

}  // namespace
