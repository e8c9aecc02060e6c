/// @file
/// The random functions as users call them: seeds, generators, devices, options. The bits are tested in
/// core/random_bits_test.cpp.
#include "gpu/random.hpp"

#include "gpu/reduce.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;

TEST(random, a_seed_starts_the_same_numbers) {
  gpu::on_every_device([] {
    gpu::random::seed(7);
    const array<float> first = gpu::random::uniform<float>({100});
    const array<double> second = gpu::random::normal<double>({3, 5});
    gpu::random::seed(7);
    EXPECT_EQ(gpu::to_host(gpu::random::uniform<float>({100})), gpu::to_host(first));
    EXPECT_EQ(gpu::to_host(gpu::random::normal<double>({3, 5})), gpu::to_host(second));
    EXPECT_NE(gpu::to_host(gpu::random::uniform<float>({100})), gpu::to_host(first));
  });
}

TEST(random, generators_are_independent_values) {
  auto a = gpu::random::default_rng(11);
  auto b = gpu::random::default_rng(11);
  auto other = gpu::random::default_rng(12);
  const std::vector<double> drawn = gpu::to_host(a.random<double>({50}));
  auto copied = a;
  gpu::random::seed(3);  // none of their business
  EXPECT_EQ(gpu::to_host(b.uniform<double>({50})), drawn);
  EXPECT_NE(gpu::to_host(other.uniform<double>({50})), drawn);
  EXPECT_EQ(gpu::to_host(copied.standard_normal<float>({9})), gpu::to_host(a.normal<float>({9})));
}

TEST(random, uniform_numbers_are_the_same_on_every_device) {
  std::vector<float> expected;
  gpu::on_every_device([&] {
    auto source = gpu::random::default_rng(5);
    const std::vector<float> drawn = gpu::to_host(source.uniform<float>({1000}));
    if (expected.empty()) expected = drawn;
    EXPECT_EQ(drawn, expected);
  });
}

TEST(random, options_shift_and_scale) {
  gpu::on_every_device([] {
    auto source = gpu::random::default_rng(1);
    const array<double> u = source.uniform<double>({2000}, {.low = -2, .high = 3});
    EXPECT_GE(gpu::min(u).item(), -2);
    EXPECT_LT(gpu::max(u).item(), 3);
    // The mean of 2000 such numbers has a deviation of 5 / sqrt(12 * 2000) = 0.032, that of the second of 0.045.
    EXPECT_NEAR(gpu::mean(u).item(), 0.5, 0.16);
    const array<double> n = source.normal<double>({2000}, {.loc = 4, .scale = 2});
    EXPECT_NEAR(gpu::mean(n).item(), 4, 0.22);
    EXPECT_NEAR(gpu::std(n).item(), 2, 0.16);
    EXPECT_EQ(source.normal<float>({0, 3}).shape(), (gpu::shape{0, 3}));
  });
}

}  // namespace
