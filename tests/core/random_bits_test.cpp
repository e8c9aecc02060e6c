#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <gpu/core/random_fill.hpp>
#include <limits>
#include <numbers>
#include <vector>

namespace {

namespace random_bits = gpu::random_bits;
using gpu::philox_stream;

constexpr philox_stream stream{0x0123456789abcdefu, 42, 0};

TEST(uniform, takes_the_upper_bits_of_a_word) {
  EXPECT_EQ(random_bits::uniform<float>(0), 0.0f);
  EXPECT_EQ(random_bits::uniform<float>(0xffffffffu), 1 - 0x1p-24f);
  EXPECT_EQ(random_bits::uniform<double>(~std::uint64_t{0}), 1 - 0x1p-53);
  EXPECT_EQ(random_bits::uniform<double>(0x7ff), 0.0);
  EXPECT_EQ(random_bits::uniform<double>(0x800), 0x1p-53);
  EXPECT_EQ(float(random_bits::uniform<gpu::half>(0xffffffffu)), 1 - 0x1p-11f);
  EXPECT_EQ(float(random_bits::uniform<gpu::bfloat16>(0xffffffffu)), 1 - 0x1p-8f);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(random_bits::uniform<float>(stream, i), static_cast<float>(stream.bits32(i) >> 8) * 0x1p-24f);
    EXPECT_EQ(random_bits::uniform<double>(stream, i), static_cast<double>(stream.bits64(i) >> 11) * 0x1p-53);
  }
}

TEST(normal, is_box_muller_of_the_documented_words) {
  constexpr double turn = 2 * std::numbers::pi;
  for (std::uint64_t pair = 0; pair < 1000; ++pair) {
    const double u = (static_cast<double>(stream.bits32(2 * pair) >> 1) + 0.5) * 0x1p-31;
    const double angle = turn * static_cast<double>(stream.bits32(2 * pair + 1)) * 0x1p-32;
    const double radius = std::sqrt(-2 * std::log(u));
    EXPECT_NEAR(random_bits::normal<float>(stream, 2 * pair), radius * std::cos(angle), 4e-6);
    EXPECT_NEAR(random_bits::normal<float>(stream, 2 * pair + 1), radius * std::sin(angle), 4e-6);
    const double wide_u = (static_cast<double>(stream.bits64(2 * pair) >> 12) + 0.5) * 0x1p-52;
    const double wide_angle = turn * (static_cast<double>(stream.bits64(2 * pair + 1) >> 11) * 0x1p-53);
    const double wide_radius = std::sqrt(-2 * std::log(wide_u));
    EXPECT_NEAR(random_bits::normal<double>(stream, 2 * pair), wide_radius * std::cos(wide_angle), 1e-14);
    EXPECT_NEAR(random_bits::normal<double>(stream, 2 * pair + 1), wide_radius * std::sin(wide_angle), 1e-14);
  }
}

TEST(normal, is_finite_and_not_degenerate_for_extreme_words) {
  using gpu::detail::box_muller;
  for (const std::uint32_t radius : {0u, 1u, 2u, 0x7fffffffu, 0x80000000u, 0xb504f333u, 0xfffffffeu, 0xffffffffu}) {
    for (std::uint32_t octant = 0; octant < 8; ++octant) {
      for (const std::uint32_t delta : {0u, 1u, ~0u}) {
        const auto narrow = box_muller(radius, (octant << 29) + delta);
        const double size = std::hypot(narrow.even, narrow.odd);
        EXPECT_GT(size, 2e-5);
        EXPECT_LT(size, 6.7);
        const auto repeat = [](std::uint32_t w) { return std::uint64_t{w} << 32 | w; };
        const auto wide = box_muller(repeat(radius), repeat((octant << 29) + delta));
        EXPECT_GT(std::hypot(wide.even, wide.odd), 1e-8);
        EXPECT_LT(std::hypot(wide.even, wide.odd), 8.6);
      }
    }
  }
}

template <class T>
class fill : public testing::Test {};
using floating_types = testing::Types<float, double, gpu::half, gpu::bfloat16>;
TYPED_TEST_SUITE(fill, floating_types);

TYPED_TEST(fill, gives_what_single_values_give_from_any_start) {
  using T = TypeParam;
  const philox_stream moved{stream.seed, stream.stream, 3};
  for (const std::uint64_t first :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{255}, (std::uint64_t{1} << 34) - 100}) {
    for (const int n : {0, 1, 5, 256, 700}) {
      std::vector<T> normals(static_cast<std::size_t>(n) + 1, T(7)), uniforms = normals;
      random_bits::fill_normal(moved, first, normals.data(), n);
      random_bits::fill_uniform(moved, first, uniforms.data(), n);
      for (int k = 0; k < n; ++k) {
        const auto at = static_cast<std::size_t>(k);
        ASSERT_EQ(normals[at], random_bits::normal<T>(moved, first + at)) << first << " + " << k;
        ASSERT_EQ(uniforms[at], random_bits::uniform<T>(moved, first + at)) << first << " + " << k;
      }
      ASSERT_EQ(normals.back(), T(7));
      ASSERT_EQ(uniforms.back(), T(7));
    }
  }
}

/// The Kolmogorov-Smirnov statistic times sqrt(n): above 1.95 once in a thousand seeds. The seed is fixed.
template <class T, class F>
double deviation(std::vector<T> values, F cumulative) {
  std::sort(values.begin(), values.end(), [](T a, T b) { return double(a) < double(b); });
  const auto n = static_cast<double>(values.size());
  double largest = 0;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double p = cumulative(double(values[k]));
    largest = std::max({largest, p - static_cast<double>(k) / n, static_cast<double>(k + 1) / n - p});
  }
  return largest * std::sqrt(n);
}

TYPED_TEST(fill, has_the_right_distribution) {
  using T = TypeParam;
  constexpr int n = 100000;
  std::vector<T> normals(n), uniforms(n);
  random_bits::fill_normal(stream, 0, normals.data(), n);
  random_bits::fill_uniform(stream, 0, uniforms.data(), n);
  double sum = 0, squares = 0, cubes = 0, fourths = 0, neighbours = 0;
  for (int k = 0; k < n; ++k) {
    const double z = double(normals[static_cast<std::size_t>(k)]);
    sum += z;
    squares += z * z;
    cubes += z * z * z;
    fourths += z * z * z * z;
    neighbours += z * double(normals[static_cast<std::size_t>(k ^ 1)]);
  }
  // Five standard deviations of each mean.
  const double unit = 5 / std::sqrt(double(n));
  EXPECT_NEAR(sum / n, 0, unit);
  EXPECT_NEAR(squares / n, 1, unit * std::sqrt(2.0));
  EXPECT_NEAR(cubes / n, 0, unit * std::sqrt(15.0));
  EXPECT_NEAR(fourths / n, 3, unit * std::sqrt(96.0));
  EXPECT_NEAR(neighbours / n, 0, unit * std::sqrt(2.0));
  if constexpr (sizeof(T) >= 4) {
    EXPECT_LT(deviation(normals, [](double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }), 1.95);
    EXPECT_LT(deviation(uniforms, [](double u) { return u; }), 1.95);
  }
}

}  // namespace

#if defined(__CUDACC__)
#include "device_results.hpp"

namespace {

struct drawn {
  float uniform, normal;
  double wide_uniform, wide_normal;
};

struct draw {
  philox_stream stream;

  __host__ __device__ drawn operator()(int i) const {
    const auto n = static_cast<std::uint64_t>(i) * 65537;
    return {random_bits::uniform<float>(stream, n), random_bits::normal<float>(stream, n),
            random_bits::uniform<double>(stream, n), random_bits::normal<double>(stream, n)};
  }
};

TEST(random_bits, are_the_same_on_the_device_within_4_ulp) {
  std::vector<drawn> got;
  constexpr int n = 20000;
  if (!device_results(got, n, draw{stream})) GTEST_SKIP() << "no CUDA device";
  for (int i = 0; i < n; ++i) {
    const drawn wanted = draw{stream}(i);
    const drawn& z = got[static_cast<std::size_t>(i)];
    ASSERT_EQ(z.uniform, wanted.uniform);
    ASSERT_EQ(z.wide_uniform, wanted.wide_uniform);
    ASSERT_NEAR(z.normal, wanted.normal, 4 * std::numeric_limits<float>::epsilon() * std::abs(wanted.normal));
    ASSERT_NEAR(z.wide_normal, wanted.wide_normal,
                4 * std::numeric_limits<double>::epsilon() * std::max(std::abs(wanted.wide_normal), 0.1));
  }
}

}  // namespace
#endif
