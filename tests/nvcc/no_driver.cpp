/// @file
/// A program of nvcc where no driver can be loaded (CMakeLists.txt sees to that, on GPU machines too): everything works
/// on the host, and asking for CUDA says why there is none.
#include <cstdlib>
#include <gpu/gpu.hpp>
#include <sstream>

#include "support/expect.hpp"

namespace {

const char* const reason = "no NVIDIA driver was found";

template <class F>
void expect_reason(const F& ask) {
  gpu::expect_error<gpu::device_error>(ask, reason);
}

TEST(no_driver, there_is_only_the_host) {
  EXPECT_EQ(gpu::device::count(gpu::device_kind::cuda), 0);
  EXPECT_EQ(gpu::device::best(), gpu::device::host());
  EXPECT_EQ(gpu::current_device(), gpu::device::host());
}

TEST(no_driver, asking_for_cuda_says_why_not) {
  const gpu::array<float> a{1, 2, 3};
  expect_reason([] { static_cast<void>(gpu::device::cuda()); });
  expect_reason([] { static_cast<void>(gpu::device::cuda(3)); });
  expect_reason([] { static_cast<void>(gpu::device::parse("cuda:0")); });
  expect_reason([&] { static_cast<void>(a.to(gpu::device::cuda())); });
  expect_reason([] { const gpu::device_guard on(gpu::device::parse("cuda")); });
  EXPECT_EQ(gpu::to_host(a), (std::vector<float>{1, 2, 3}));
}

// In a process of its own, where nobody has asked for the best device yet.
TEST(no_driver_DeathTest, the_environment_cannot_ask_for_more) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        setenv("GPUARRAY_DEVICE", "cuda", 1);
        expect_reason([] { static_cast<void>(gpu::device::best()); });
        std::_Exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(no_driver, show_config_says_so) {
  const std::string text = gpu::config_report();
  EXPECT_NE(text.find(reason), std::string::npos) << text;
}

// nvcc takes its lambdas from functions that are not members, as those of tests are.
gpu::array<float> doubled(const gpu::array<float>& a) {
  return gpu::map(GPU_LAMBDA(float x) { return 2 * x; }, a);
}

TEST(no_driver, everything_works_on_the_host) {
  const auto a = gpu::reshape(gpu::arange<float>(12), {3, 4});
  gpu::array<float> b = gpu::exp(-a * a) / 2 + 1;
  EXPECT_EQ(b(0, 0).item(), 1.5f);
  EXPECT_EQ(b.device(), gpu::device::host());
  gpu::expect_values(gpu::sum(a, {.axis = 0}), {12, 15, 18, 21});
  gpu::expect_values(gpu::cumsum(gpu::array<int>{1, 2, 3}), {1, 3, 6});
  gpu::expect_values(gpu::matmul(a, gpu::transpose(a)), {3, 3}, {14, 38, 62, 38, 126, 214, 62, 214, 366});
  gpu::expect_values(doubled(gpu::array<float>{1, 2}), {2, 4});
  gpu::array<float> c{1, 5, 2};
  c(c > 1.5f) *= 2;
  gpu::expect_values(c, {1, 10, 4});
  c(gpu::slice(1, 3)) = gpu::array<float>(c(gpu::slice(0, 2)));
  gpu::expect_values(c, {1, 1, 10});
  EXPECT_EQ(gpu::random::normal<float>({100}).size(), 100);
  std::ostringstream out;
  out << c;
  EXPECT_EQ(out.str(), "[ 1.  1. 10.]");
}

}  // namespace
