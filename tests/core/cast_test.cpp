#include <gtest/gtest.h>

#include <limits>
#include <tuple>
#include <vector>

#include "core_tables.hpp"

namespace {

namespace tables = core_tables;
using gpu::detail::cast;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

using integers =
    std::tuple<gpu::int8, gpu::int16, gpu::int32, gpu::int64, gpu::uint8, gpu::uint16, gpu::uint32, gpu::uint64>;

template <class F>
void for_each_integer(F f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    (f(std::type_identity<std::tuple_element_t<I, integers>>{}, I), ...);
  }(std::make_index_sequence<std::tuple_size_v<integers>>{});
}

TEST(cast, of_doubles_equals_numpy_within_the_range_and_saturates_beyond) {
  for (const auto& row : tables::cast_rows) {
    const double value = tables::number(row.value);
    EXPECT_EQ(cast<float>(value), __builtin_bit_cast(float, row.float_bits));
    EXPECT_EQ(cast<bool>(value), row.truth);
    for_each_integer([&]<class I>(std::type_identity<I>, std::size_t k) {
      const auto& wanted = row.integers[k];
      const I expected = wanted.inside ? static_cast<I>(wanted.value)
                         : value < 0   ? std::numeric_limits<I>::min()
                                       : std::numeric_limits<I>::max();
      EXPECT_EQ(cast<I>(value), expected) << value << " to " << gpu::name(gpu::dtype_of<I>);
    });
  }
}

TEST(cast, of_floats_agrees_with_that_of_the_same_doubles) {
  for (const auto& row : tables::cast_rows) {
    const auto value = static_cast<float>(tables::number(row.value));
    for (const float v : {value, std::nextafter(value, 0.0f), std::nextafter(value, 1e30f)}) {
      for_each_integer(
          [&]<class I>(std::type_identity<I>, std::size_t) { EXPECT_EQ(cast<I>(v), cast<I>(double(v))) << v; });
    }
  }
}

TEST(cast, of_nan_is_zero_and_of_infinity_the_largest) {
  for_each_integer([&]<class I>(std::type_identity<I>, std::size_t) {
    EXPECT_EQ(cast<I>(nan), I{0});
    EXPECT_EQ(cast<I>(-nan), I{0});
    EXPECT_EQ(cast<I>(inf), std::numeric_limits<I>::max());
    EXPECT_EQ(cast<I>(-inf), std::numeric_limits<I>::min());
    EXPECT_EQ(cast<I>(static_cast<float>(nan)), I{0});
    EXPECT_EQ(cast<I>(static_cast<float>(inf)), std::numeric_limits<I>::max());
  });
  EXPECT_TRUE(cast<bool>(nan));
  EXPECT_TRUE(cast<bool>(5e-324));
}

TEST(cast, of_integers_to_floating_types_equals_numpy) {
  for (const auto& row : tables::integer_rows) {
    const auto value = static_cast<std::int64_t>(row.value);
    EXPECT_EQ(cast<double>(value), tables::number(row.double_bits));
    EXPECT_EQ(cast<float>(value), __builtin_bit_cast(float, row.float_bits));
    EXPECT_EQ(cast<gpu::half>(value).bits, row.half_bits) << value;
    if (value >= 0) {
      EXPECT_EQ(cast<gpu::half>(row.value).bits, row.half_bits) << value;
    }
    if (value == static_cast<std::int32_t>(value)) {
      EXPECT_EQ(cast<gpu::half>(static_cast<std::int32_t>(value)).bits, row.half_bits) << value;
    }
  }
}

TEST(cast, between_integers_wraps) {
  EXPECT_EQ(cast<gpu::int8>(300), 44);
  EXPECT_EQ(cast<gpu::uint8>(-1), 255);
  EXPECT_EQ(cast<gpu::int64>(~std::uint64_t{0}), -1);
  EXPECT_EQ(cast<bool>(256), true);
  EXPECT_EQ(cast<gpu::int32>(true), 1);
  EXPECT_EQ(float(cast<gpu::half>(true)), 1.0f);
  EXPECT_EQ(cast<gpu::complex<float>>(true), gpu::complex<float>(1));
}

TEST(cast, of_complex_takes_the_real_part_and_is_true_if_either_part_is) {
  const gpu::complex<double> z(2.75, -1);
  EXPECT_EQ(cast<double>(z), 2.75);
  EXPECT_EQ(cast<int>(z), 2);
  EXPECT_EQ(float(cast<gpu::half>(z)), 2.75f);
  EXPECT_EQ(cast<gpu::complex<float>>(z), gpu::complex<float>(2.75f, -1.0f));
  EXPECT_EQ(cast<gpu::complex<double>>(gpu::half(0.5f)), gpu::complex<double>(0.5));
  EXPECT_TRUE(cast<bool>(gpu::complex<float>(0, 1)));
  EXPECT_TRUE(cast<bool>(gpu::complex<float>(1, 0)));
  EXPECT_FALSE(cast<bool>(gpu::complex<float>(0, -0.0f)));
}

static_assert(cast<gpu::int32>(2147483647.75) == 2147483647 && cast<gpu::uint32>(-0.5f) == 0);
static_assert(cast<gpu::half>(65519.999).bits == 0x7bff && cast<int>(gpu::half(-7.5f)) == -7);

}  // namespace

#if defined(__CUDACC__)
#include "device_results.hpp"

namespace {

struct converted {
  gpu::int8 i8;
  gpu::int32 i32;
  gpu::int64 i64;
  gpu::uint16 u16;
  gpu::uint32 u32, u32_of_float;
  gpu::uint64 u64, u64_of_float;
  gpu::int64 i64_of_float;
  bool operator==(const converted&) const = default;
};

struct convert_table {
  __host__ __device__ converted operator()(int i) const {
    // Powers of two, their neighbours and NaN, of both signs.
    const double magnitude =
        i < 400 ? __builtin_bit_cast(double, (std::uint64_t(1013 + i / 4) << 52) + std::uint64_t(i % 4 - 1))
                : __builtin_bit_cast(double, std::uint64_t{0x7ff8000000000000});
    const double v = i % 2 == 0 ? magnitude : -magnitude;
    const float f = static_cast<float>(v);
    return {cast<gpu::int8>(v),   cast<gpu::int32>(v),  cast<gpu::int64>(v),
            cast<gpu::uint16>(v), cast<gpu::uint32>(v), cast<gpu::uint32>(f),
            cast<gpu::uint64>(v), cast<gpu::uint64>(f), cast<gpu::int64>(f)};
  }
};

TEST(cast, gives_the_same_integers_on_the_device) {
  std::vector<converted> got;
  if (!device_results(got, 402, convert_table{})) GTEST_SKIP() << "no CUDA device";
  for (int i = 0; i < 402; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], convert_table{}(i)) << i;
}

}  // namespace
#endif
