#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core_tables.hpp"

namespace {

namespace tables = core_tables;
using gpu::bfloat16;

/// What a format is, apart from the code under test.
template <class T>
struct format;
template <>
struct format<gpu::half> {
  static constexpr int significand = 10, bias = 15, infinity = 0x7c00;
};
template <>
struct format<bfloat16> {
  static constexpr int significand = 7, bias = 127, infinity = 0x7f80;
};

/// The value of a pattern by the definition of the format.
template <class T>
double value_of(int bits) {
  using f = format<T>;
  const int magnitude = bits & 0x7fff;
  const int exponent = magnitude >> f::significand;
  const int fraction = magnitude & ((1 << f::significand) - 1);
  double value = 0;
  if (magnitude > f::infinity) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (magnitude == f::infinity) {
    value = std::numeric_limits<double>::infinity();
  } else if (exponent == 0) {
    value = std::ldexp(fraction, 1 - f::bias - f::significand);
  } else {
    value = std::ldexp(fraction + (1 << f::significand), exponent - f::bias - f::significand);
  }
  return (bits & 0x8000) != 0 ? -value : value;
}

template <class T>
class narrow_float : public testing::Test {};
using formats = testing::Types<gpu::half, bfloat16>;
TYPED_TEST_SUITE(narrow_float, formats);

TYPED_TEST(narrow_float, every_pattern_converts_exactly_and_back) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    const auto h = TypeParam::from_bits(static_cast<std::uint16_t>(bits));
    const double expected = value_of<TypeParam>(bits);
    ASSERT_TRUE(tables::same(float(h), expected)) << bits;
    ASSERT_TRUE(tables::same(double(h), expected)) << bits;
    if (std::isnan(expected)) {
      ASSERT_GT(TypeParam(float(h)).bits & 0x7fff, format<TypeParam>::infinity) << bits;
      ASSERT_GT(TypeParam(double(h)).bits & 0x7fff, format<TypeParam>::infinity) << bits;
    } else {
      ASSERT_EQ(TypeParam(float(h)).bits, bits);
      ASSERT_EQ(TypeParam(double(h)).bits, bits);
    }
  }
}

TYPED_TEST(narrow_float, every_gap_rounds_to_nearest_and_ties_to_even_from_float_and_double) {
  constexpr int infinity = format<TypeParam>::infinity;
  for (int low = 0; low < infinity; ++low) {
    const int high = low + 1;
    const double below = value_of<TypeParam>(low);
    // Overflow rounds as if the next number existed.
    const double above = high < infinity ? value_of<TypeParam>(high) : 2 * below - value_of<TypeParam>(low - 1);
    const double middle = below + (above - below) / 2;
    const int even = low % 2 == 0 ? low : high;
    for (const int sign : {0, 0x8000}) {
      const double s = sign == 0 ? 1 : -1;
      ASSERT_EQ(TypeParam(s * middle).bits, sign | even) << low;
      ASSERT_EQ(TypeParam(s * std::nextafter(middle, 0)).bits, sign | low) << low;
      ASSERT_EQ(TypeParam(s * std::nextafter(middle, 1e300)).bits, sign | high) << low;
      const auto middle_float = static_cast<float>(s * middle);
      if (double(middle_float) != s * middle) continue;  // half of bfloat16's smallest number is no float
      ASSERT_EQ(TypeParam(middle_float).bits, sign | even) << low;
      ASSERT_EQ(TypeParam(std::nextafter(middle_float, 0.0f)).bits, sign | low) << low;
      ASSERT_EQ(
          TypeParam(std::nextafter(middle_float, static_cast<float>(s) * std::numeric_limits<float>::infinity())).bits,
          sign | high)
          << low;
    }
  }
}

TYPED_TEST(narrow_float, large_and_tiny_doubles_become_infinity_and_zero_with_their_sign) {
  using limits = std::numeric_limits<TypeParam>;
  EXPECT_EQ(TypeParam(1e300), limits::infinity());
  EXPECT_EQ(TypeParam(-1e300), -limits::infinity());
  EXPECT_EQ(TypeParam(std::numeric_limits<double>::infinity()), limits::infinity());
  EXPECT_EQ(TypeParam(5e-324).bits, 0);
  EXPECT_EQ(TypeParam(-5e-324).bits, 0x8000);
  EXPECT_EQ(TypeParam(-0.0).bits, 0x8000);
}

TYPED_TEST(narrow_float, integers_round_once) {
  constexpr int digits = std::numeric_limits<TypeParam>::digits;
  for (const int shift : {20, 30, 40, 50, 61 - digits}) {
    const std::int64_t odd = (std::int64_t{1} << (digits + shift)) + (std::int64_t{1} << (shift + 1));
    const std::int64_t tie = odd + (std::int64_t{1} << shift);
    for (const std::int64_t delta : {-1, 0, 1}) {
      // Both are exact in long double, so that one rounding remains.
      const long double wanted = static_cast<long double>(tie + delta);
      const auto got = TypeParam(tie + delta);
      const auto down = TypeParam(static_cast<double>(odd));
      const auto up = TypeParam(static_cast<double>(odd + (std::int64_t{1} << (shift + 1))));
      const bool expect_up = delta > 0 || (delta == 0 && up.bits % 2 == 0);
      EXPECT_EQ(got, expect_up ? up : down) << double(wanted);
      EXPECT_EQ(TypeParam(-(tie + delta)), -got);
      EXPECT_EQ(TypeParam(static_cast<std::uint64_t>(tie + delta)), got);
    }
  }
  EXPECT_EQ(double(TypeParam(std::int8_t{-128})), -128.0);
  EXPECT_EQ(double(TypeParam(true)), 1.0);
}

TYPED_TEST(narrow_float, arithmetic_rounds_the_float_result) {
  const auto a = TypeParam(1.5f), b = TypeParam(-0.25f);
  EXPECT_EQ(float(a + b), 1.25f);
  EXPECT_EQ(float(a - b), 1.75f);
  EXPECT_EQ(float(a * b), -0.375f);
  EXPECT_EQ(float(a / b), -6.0f);
  EXPECT_EQ((-TypeParam(0.0f)).bits, 0x8000);
  const auto eps = std::numeric_limits<TypeParam>::epsilon();
  const auto one = TypeParam(1.0f);
  EXPECT_EQ(one + eps / TypeParam(2.0f), one);
  EXPECT_GT(one + eps, one);
  auto c = a;
  c += b;
  c *= a;
  c -= b;
  c /= a;
  EXPECT_EQ(c, ((a + b) * a - b) / a);
}

TYPED_TEST(narrow_float, comparisons_know_nan_and_signed_zero) {
  const auto nan = std::numeric_limits<TypeParam>::quiet_NaN();
  const auto one = TypeParam(1.0f);
  EXPECT_TRUE(nan != nan);
  EXPECT_FALSE(nan == nan || nan < one || nan > one || nan <= one || nan >= one);
  EXPECT_TRUE(TypeParam(0.0f) == TypeParam(-0.0f));
  EXPECT_TRUE(-one < one && one <= one && one >= -one && one > -one);
}

TYPED_TEST(narrow_float, converts_to_integers_and_bool) {
  EXPECT_EQ(int(TypeParam(-3.75f)), -3);
  EXPECT_EQ(std::uint8_t(TypeParam(-3.75f)), 0);
  EXPECT_EQ(std::int8_t(TypeParam(1000.0f)), 127);
  EXPECT_EQ(std::int64_t(std::numeric_limits<TypeParam>::infinity()), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(int(std::numeric_limits<TypeParam>::quiet_NaN()), 0);
  EXPECT_TRUE(bool(std::numeric_limits<TypeParam>::denorm_min()));
  EXPECT_FALSE(bool(TypeParam(-0.0f)));
}

TEST(half, rounds_doubles_once_as_numpy) {
  for (const auto& row : tables::half_rows) {
    EXPECT_EQ(gpu::half(tables::number(row.value)).bits, row.bits) << tables::number(row.value);
  }
}

TEST(half, and_bfloat16_convert_to_each_other) {
  EXPECT_EQ(float(bfloat16(gpu::half(1.5f))), 1.5f);
  EXPECT_EQ(gpu::half(bfloat16(1e30f)), std::numeric_limits<gpu::half>::infinity());
  EXPECT_EQ(bfloat16(gpu::half(1.00390625f)).bits, bfloat16(1.0f).bits);
}

/// As another library's type: converts to and from float.
struct foreign_half {
  std::uint16_t bits;
  foreign_half() = default;
  explicit foreign_half(float value) : bits(gpu::half(value).bits) {}
  operator float() const { return float(gpu::half::from_bits(bits)); }
};

TEST(half, converts_from_and_to_another_librarys_type) {
  EXPECT_EQ(gpu::half(foreign_half(2.5f)), gpu::half(2.5f));
  EXPECT_EQ(static_cast<foreign_half>(gpu::half(2.5f)).bits, gpu::half(2.5f).bits);
  EXPECT_EQ(float(bfloat16(foreign_half(2.5f))), 2.5f);
}

static_assert(gpu::half(65519.99) == std::numeric_limits<gpu::half>::max());
static_assert(gpu::half(65520) == std::numeric_limits<gpu::half>::infinity());
static_assert(gpu::half(1.0f).bits == 0x3c00 && bfloat16(1.0).bits == 0x3f80);
static_assert(!std::is_convertible_v<float, gpu::half> && !std::is_convertible_v<gpu::half, float>);

}  // namespace

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "device_results.hpp"

namespace {

static_assert(std::is_constructible_v<gpu::half, __half> && std::is_constructible_v<__nv_bfloat16, bfloat16>);

TEST(half, has_the_same_bits_as_cudas_type) {
  EXPECT_EQ(gpu::half(__half(0.1f)), gpu::half(0.1f));
  EXPECT_EQ(static_cast<float>(static_cast<__half>(gpu::half(0.1f))), float(gpu::half(0.1f)));
  EXPECT_EQ(bfloat16(__nv_bfloat16(0.1f)), bfloat16(0.1f));
}

struct conversions {
  float widened[2];
  std::uint16_t from_float[2], from_double[2], sum;
};

struct convert {
  __host__ __device__ conversions operator()(int i) const {
    const auto bits = static_cast<std::uint16_t>(i);
    const auto h = gpu::half::from_bits(bits);
    const auto b = bfloat16::from_bits(bits);
    // Half a step of half's format and an eighth of bfloat16's beside each number: ties, near ties and plain roundings.
    const float f = float(h) + float(h) * 0x1p-12f;
    const double d = double(b) * (1 + 0x1p-9 + 0x1p-40);
    return {{float(h), float(b)},
            {gpu::half(f).bits, bfloat16(f).bits},
            {gpu::half(d).bits, bfloat16(d).bits},
            (h + h * h).bits};
  }
};

TEST(half, gives_the_same_bits_on_the_device) {
  std::vector<conversions> got;
  if (!device_results(got, 0x10000, convert{})) GTEST_SKIP() << "no CUDA device";
  for (int i = 0; i < 0x10000; ++i) {
    const conversions wanted = convert{}(i);
    const auto& on_device = got[static_cast<std::size_t>(i)];
    for (const int k : {0, 1}) {
      ASSERT_TRUE(tables::same(on_device.widened[k], wanted.widened[k])) << i;
      if (std::isnan(wanted.widened[0]) || std::isnan(wanted.widened[1])) continue;
      ASSERT_EQ(on_device.from_float[k], wanted.from_float[k]) << i;
      ASSERT_EQ(on_device.from_double[k], wanted.from_double[k]) << i;
    }
    if (!std::isnan(wanted.widened[0]) && !std::isnan(float(gpu::half::from_bits(wanted.sum)))) {
      ASSERT_EQ(on_device.sum, wanted.sum) << i;
    }
  }
}

}  // namespace
#endif
