/// @file
/// What the tests of CUDA kernels share: memory of a device and loops of the host to compare with.
#pragma once

#if defined(__CUDACC__)

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gpu/backend/cuda/launch.hpp>
#include <gpu/core/layout.hpp>
#include <gpu/core/types.hpp>
#include <gpu/engine/make_plan.hpp>
#include <memory>
#include <vector>

/// A stream of device 0; the test is skipped where there is none.
class cuda_test : public testing::Test {
 protected:
  void SetUp() override {
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
      static_cast<void>(cudaGetLastError());
      GTEST_SKIP() << "no CUDA device";
    }
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
  }
  void TearDown() override {
    if (stream_ == nullptr) return;
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess) << cudaGetErrorString(cudaGetLastError());
    EXPECT_EQ(cudaStreamDestroy(stream_), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  }

  cudaStream_t stream_ = nullptr;
};

/// Elements on the device, allocated and freed in the order of a stream.
template <class T>
class device_elements {
 public:
  device_elements(std::size_t size, cudaStream_t stream) : size_(size), stream_(stream) {
    EXPECT_EQ(cudaMallocAsync(&data_, (size == 0 ? 1 : size) * sizeof(T), stream), cudaSuccess);
  }
  device_elements(const std::vector<T>& values, cudaStream_t stream) : device_elements(values.size(), stream) {
    if (size_ == 0) return;
    const std::unique_ptr<T[]> plain(new T[size_]);  // std::vector<bool> has no data()
    for (std::size_t i = 0; i < size_; ++i) plain[i] = values[i];
    EXPECT_EQ(cudaMemcpyAsync(data_, plain.get(), size_ * sizeof(T), cudaMemcpyHostToDevice, stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  }
  ~device_elements() { EXPECT_EQ(cudaFreeAsync(data_, stream_), cudaSuccess); }
  device_elements(const device_elements&) = delete;
  device_elements& operator=(const device_elements&) = delete;

  [[nodiscard]] T* get() const { return static_cast<T*>(data_); }
  [[nodiscard]] std::vector<T> read() const {
    const std::unique_ptr<T[]> plain(new T[size_ + 1]);
    EXPECT_EQ(cudaMemcpyAsync(plain.get(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost, stream_), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess) << cudaGetErrorString(cudaGetLastError());
    return std::vector<T>(plain.get(), plain.get() + size_);
  }

 private:
  void* data_ = nullptr;
  std::size_t size_;
  cudaStream_t stream_;
};

/// Part of an array: where its first element is, in elements, and the layout.
struct part {
  std::int64_t offset;
  gpu::layout where;

  part(const gpu::shape& extents) : offset(0), where(gpu::contiguous_layout(extents)) {}
  part(std::int64_t first, const gpu::shape& extents, const gpu::index_vector& strides)
      : offset(first), where{extents, strides} {}

  /// The offset of an element, given by its position in C order of `extents`, to which the part broadcasts.
  [[nodiscard]] std::int64_t at(std::int64_t position, const gpu::shape& extents) const {
    const gpu::layout full = gpu::broadcast_layout(where, extents);
    std::int64_t result = offset;
    for (int i = full.rank() - 1; i >= 0; --i) {
      result += position % extents[i] * full.strides[i];
      position /= extents[i];
    }
    return result;
  }
};

/// Elements that a part may reach: enough of them, whatever its strides.
[[nodiscard]] inline std::size_t reach(const part& p) {
  const auto [low, high] = gpu::offset_range(p.where);
  EXPECT_GE(p.offset + low, 0);
  return static_cast<std::size_t>(p.offset + high + 1);
}

/// Small numbers that sums of any order get exactly right.
template <class T>
[[nodiscard]] std::vector<T> numbers(std::size_t n, unsigned seed = 1) {
  std::vector<T> values(n);
  unsigned state = seed * 2654435761u + 12345u;
  for (std::size_t i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    values[i] = gpu::detail::cast<T>(static_cast<int>(state >> 24) % 13 - 5);
  }
  return values;
}

#endif
