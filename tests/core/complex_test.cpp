#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "core_tables.hpp"

namespace {

namespace tables = core_tables;
using complex64 = gpu::complex<float>;
using complex128 = gpu::complex<double>;

constexpr double epsilon = std::numeric_limits<double>::epsilon();

/// The parts as NumPy has them; finite ones within `bound` (NumPy's vector code fuses multiply and add on some CPUs).
void expect_close(double got, double wanted, double bound, const tables::complex_row& row, const char* what) {
  const bool close = std::isfinite(wanted) ? std::abs(got - wanted) <= bound : tables::same(got, wanted);
  EXPECT_TRUE(close) << what << " of (" << tables::number(row.a_re) << ", " << tables::number(row.a_im) << ") and ("
                     << tables::number(row.b_re) << ", " << tables::number(row.b_im) << "): " << got << ", NumPy "
                     << wanted;
}

double bound_of(double size) { return std::isfinite(size) ? 4 * epsilon * size : std::numeric_limits<double>::max(); }

TEST(complex, arithmetic_equals_numpy_special_values_included) {
  for (const auto& row : tables::complex_rows) {
    const complex128 a(tables::number(row.a_re), tables::number(row.a_im));
    const complex128 b(tables::number(row.b_re), tables::number(row.b_im));
    const double bound = bound_of(abs(a) * abs(b));
    expect_close((a * b).re, tables::number(row.product_re), bound, row, "real part of the product");
    expect_close((a * b).im, tables::number(row.product_im), bound, row, "imaginary part of the product");
    const double quotient_re = tables::number(row.quotient_re), quotient_im = tables::number(row.quotient_im);
    const double quotient_bound = bound_of(std::hypot(quotient_re, quotient_im));
    expect_close((a / b).re, quotient_re, quotient_bound, row, "real part of the quotient");
    expect_close((a / b).im, quotient_im, quotient_bound, row, "imaginary part of the quotient");
    expect_close(abs(a), tables::number(row.magnitude), bound_of(abs(a)), row, "magnitude");
    expect_close(arg(a), tables::number(row.angle), 4 * epsilon, row, "angle");
  }
}

TEST(complex, zero_divisors_and_infinities_in_single_precision_are_as_in_double) {
  const float values[] = {
      0.0f, -0.0f, 1.5f, -2.0f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()};
  for (const float a : values) {
    for (const float b : values) {
      for (const float c : values) {
        for (const float d : values) {
          const complex64 narrow = complex64(a, b) / complex64(c, d);
          const complex128 wide = complex128(a, b) / complex128(c, d);
          EXPECT_TRUE(std::isfinite(wide.re) ? std::abs(narrow.re - wide.re) < 1e-6 : tables::same(narrow.re, wide.re));
          EXPECT_TRUE(std::isfinite(wide.im) ? std::abs(narrow.im - wide.im) < 1e-6 : tables::same(narrow.im, wide.im));
        }
      }
    }
  }
}

TEST(complex, magnitude_does_not_overflow_on_the_way) {
  EXPECT_EQ(abs(complex64(3e38f, 0)), 3e38f);
  EXPECT_NEAR(abs(complex128(3e300, 4e300)) / 5e300, 1, 1e-15);
  EXPECT_NEAR(abs(complex128(3e-320, 4e-320)) / 5e-320, 1, 1e-3);
  EXPECT_EQ(norm(complex64(3, -4)), 25.0f);
  EXPECT_EQ(conj(complex64(3, -4)), complex64(3, 4));
}

TEST(complex, a_real_operand_keeps_the_precision_of_the_complex_one) {
  const complex64 z(1, 2);
  static_assert(std::same_as<decltype(z * 2.0), complex64> && std::same_as<decltype(1 / z), complex64>);
  EXPECT_EQ(z + 1, complex64(2, 2));
  EXPECT_EQ(1 - z, complex64(0, -2));
  EXPECT_EQ(z * 2.5, complex64(2.5f, 5));
  EXPECT_EQ(z / 2, complex64(0.5f, 1));
  EXPECT_EQ(5 / z, complex64(1, -2));
  EXPECT_TRUE(complex64(2) == 2 && 2 == complex64(2) && z != 1);
  complex64 w = z;
  w *= z;
  w += 1;
  w -= complex64(0, 4);
  w /= 2;
  EXPECT_EQ(w, complex64(-1, 0));
  EXPECT_EQ(-(+z), complex64(-1, -2));
}

/// As CUDA's float2 and double2.
struct pair_of_floats {
  float x, y;
};
struct four_floats {
  float x, y, z, w;
};

TEST(complex, converts_from_and_to_other_libraries) {
  const complex128 from_std = std::complex<float>(1, 2);
  EXPECT_EQ(from_std, complex128(1, 2));
  EXPECT_EQ(complex64(std::complex<double>(1, 2)), complex64(1, 2));
  EXPECT_EQ(static_cast<std::complex<float>>(complex128(1, 2)), std::complex<float>(1, 2));
  EXPECT_EQ(complex64(pair_of_floats{1, 2}), complex64(1, 2));
  EXPECT_EQ(static_cast<pair_of_floats>(complex64(1, 2)).y, 2.0f);
  static_assert(std::is_convertible_v<complex64, complex128> && !std::is_convertible_v<complex128, complex64>);
  static_assert(std::is_constructible_v<complex64, complex128> && !std::is_constructible_v<complex64, four_floats>);
  static_assert(std::is_convertible_v<std::complex<float>, complex64>);
  static_assert(!std::is_convertible_v<complex64, std::complex<float>> && !std::is_constructible_v<float, complex64>);
  static_assert(sizeof(complex64) == 8 && std::is_trivially_copyable_v<complex64>);
}

static_assert(complex64(1, 2) * complex64(3, 4) == complex64(-5, 10));
static_assert(complex64(-5, 10) / complex64(3, 4) == complex64(1, 2));

}  // namespace

#if defined(__CUDACC__)
#include "device_results.hpp"

namespace {

struct divide {
  __host__ __device__ complex128 operator()(int i) const {
    const double values[] = {0.0, -0.0, 1.5, -2.0, 1e200, __builtin_inf(), __builtin_nan("")};
    const auto pick = [&](int k) { return values[k % 7]; };
    return complex128(pick(i), pick(i / 7)) / complex128(pick(i / 49), pick(i / 343));
  }
};

TEST(complex, division_on_the_device_has_the_same_special_values) {
  constexpr int n = 7 * 7 * 7 * 7;
  std::vector<complex128> got;
  if (!device_results(got, n, divide{})) GTEST_SKIP() << "no CUDA device";
  for (int i = 0; i < n; ++i) {
    const complex128 wanted = divide{}(i);
    const complex128 z = got[static_cast<std::size_t>(i)];
    // Contraction on the device may change the last bits of finite parts.
    const auto close = [](double a, double b) {
      return tables::same(a, b) || std::abs(a - b) <= 4 * epsilon * std::abs(b);
    };
    EXPECT_TRUE(close(z.re, wanted.re) && close(z.im, wanted.im)) << i;
  }
}

}  // namespace
#endif
