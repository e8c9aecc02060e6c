#include "gpu/runtime/device.hpp"

#include <cstdlib>
#include <thread>

#include "runtime_support.hpp"

namespace {

using gpu::device;
using gpu::device_kind;
using runtime_test::expect_error;

TEST(device, host) {
  constexpr device host = device::host();
  static_assert(host.is_host() && !host.is_cuda() && host.index() == 0 && host == device());
  EXPECT_EQ(host.kind(), device_kind::host);
  EXPECT_EQ(host.to_string(), "host");
  EXPECT_FALSE(host.name().empty());
  EXPECT_GT(host.memory_info().total, std::size_t{1} << 20);
  EXPECT_LE(host.memory_info().free, host.memory_info().total);
  EXPECT_EQ(host.compute_capability(), (gpu::compute_capability{0, 0}));
  EXPECT_EQ(device::count(device_kind::host), 1);
  host.synchronize();
}

TEST(device, parse) {
  EXPECT_EQ(device::parse("host"), device::host());
  for (const char* text : {"", "hosts", "cpu", "cuda:", "cuda:x", "cuda:-", "cuda:0x", "Cuda", "cuda0"}) {
    expect_error<gpu::device_error>([&] { static_cast<void>(device::parse(text)); }, "write host, cuda or cuda:N");
  }
  for (const device d : runtime_test::all_devices()) EXPECT_EQ(device::parse(d.to_string()), d);
}

TEST(device, missing_cuda_says_why) {
  const int count = device::count(device_kind::cuda);
  try {
    static_cast<void>(device::cuda(count));
    ADD_FAILURE() << "cuda:" << count << " should not exist";
  } catch (const gpu::device_error& error) {
    const std::string why = error.what();
#if defined(__CUDACC__)
    const char* const expected = count == 0 ? "driver" : "there is no device cuda:";
#else
    const char* const expected = "compiled by nvcc";
#endif
    EXPECT_NE(why.find(expected), std::string::npos) << why;
  }
  EXPECT_THROW(static_cast<void>(device::cuda(-1)), gpu::device_error);
  EXPECT_THROW(static_cast<void>(device::parse("cuda:31")), gpu::device_error);
}

TEST(device, cuda_properties) {
  for (const device d : runtime_test::cuda_devices()) {
    EXPECT_TRUE(d.is_cuda());
    EXPECT_EQ(d.to_string(), "cuda:" + std::to_string(d.index()));
    EXPECT_FALSE(d.name().empty());
    EXPECT_GE(d.compute_capability().major, 5);
    EXPECT_GT(d.memory_info().total, 0U);
    d.synchronize();
  }
}

TEST(device, guards_nest_and_belong_to_a_thread) {
  const device best = gpu::current_device();
  EXPECT_EQ(best, device::best());
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard outer(d);
    EXPECT_EQ(gpu::current_device(), d);
    {
      const gpu::device_guard inner(device::host());
      EXPECT_EQ(gpu::current_device(), device::host());
    }
    EXPECT_EQ(gpu::current_device(), d);
    std::thread([&] { EXPECT_EQ(gpu::current_device(), best); }).join();
  }
  EXPECT_EQ(gpu::current_device(), best);
}

TEST(device, best_is_usable_and_the_host_without_nvcc) {
  const device best = device::best();
#if defined(__CUDACC__)
  EXPECT_EQ(best.is_cuda(), device::count(device_kind::cuda) > 0);
#else
  EXPECT_TRUE(best.is_host());
#endif
}

// Each in a process of its own, where nobody has asked for the best device yet.
TEST(device_DeathTest, environment_overrides) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("GPUARRAY_DEVICE", "host", 1);
        std::_Exit(device::best().is_host() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        setenv("GPUARRAY_DEVICE", "toaster", 1);
        try {
          static_cast<void>(device::best());
        } catch (const gpu::device_error& error) {
          std::fputs(error.what(), stderr);
          std::_Exit(0);
        }
        std::_Exit(1);
      },
      testing::ExitedWithCode(0), "toaster");
  EXPECT_EXIT(
      {
        setenv("GPUARRAY_DEVICE", "cuda", 1);
        const bool there = device::count(device_kind::cuda) > 0;
        try {
          const device best = device::best();
          std::_Exit(there && best == device::cuda() ? 0 : 1);
        } catch (const gpu::device_error&) {
          std::_Exit(there ? 1 : 0);
        }
      },
      testing::ExitedWithCode(0), "");
}

TEST(device, failures_are_explained) {
  using gpu::detail::cuda_failure;
  const auto expect = [](cuda_failure failure, const std::vector<const char*>& words) {
    gpu::detail::cuda_findings found;
    found.ordinal = 1;
    found.driver = "12.2";
    found.toolkit = "13.0";
    found.device = "Tesla K80";
    found.capability = "3.7";
    found.built_for = "8.0, 9.0";
    found.error = "cudaErrorName";
    const std::string text = gpu::detail::explain_cuda_failure(failure, found);
    for (const char* word : words) EXPECT_NE(text.find(word), std::string::npos) << text << "\nlacks " << word;
  };
  expect(cuda_failure::no_driver, {"no NVIDIA driver", "Install the driver", "nvidia-smi", "cudaErrorName"});
  expect(cuda_failure::driver_too_old, {"too old", "12.2", "13.0", "Update the driver"});
  expect(cuda_failure::unsupported_device, {"Tesla K80", "3.7", "8.0, 9.0", "CMAKE_CUDA_ARCHITECTURES"});
  expect(cuda_failure::out_of_memory, {"cuda:1", "no memory left", "nvidia-smi"});
  expect(cuda_failure::no_device, {"CUDA_VISIBLE_DEVICES"});
  expect(cuda_failure::not_compiled, {"nvcc"});
  expect(cuda_failure::after_fork, {"fork"});
}

}  // namespace
