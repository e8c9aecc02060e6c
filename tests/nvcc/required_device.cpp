/// @file
/// In every program of nvcc: under GPUARRAY_CUDA_LAUNCHER and on a GPU machine, tests must not fall back to the host.
#include <gtest/gtest.h>

#include <cstdlib>
#include <gpu/array.hpp>

TEST(required_device, a_cuda_device_is_used) {
  if (std::getenv("GPUARRAY_TEST_REQUIRE_CUDA") == nullptr) return;
  ASSERT_GT(gpu::device::count(gpu::device_kind::cuda), 0);
  EXPECT_EQ(gpu::current_device().to_string(), "cuda:0");
}
