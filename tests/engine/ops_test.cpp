#include <gtest/gtest.h>

#include <cmath>
#include <gpu/core/types.hpp>
#include <gpu/engine/ops/arithmetic.hpp>
#include <gpu/engine/ops/bitwise.hpp>
#include <gpu/engine/ops/comparison.hpp>
#include <gpu/engine/ops/complex_parts.hpp>
#include <gpu/engine/ops/division.hpp>
#include <gpu/engine/ops/exponents.hpp>
#include <gpu/engine/ops/extrema.hpp>
#include <gpu/engine/ops/floating_point.hpp>
#include <gpu/engine/ops/hyperbolic.hpp>
#include <gpu/engine/ops/logic.hpp>
#include <gpu/engine/ops/power.hpp>
#include <gpu/engine/ops/predicates.hpp>
#include <gpu/engine/ops/rational.hpp>
#include <gpu/engine/ops/rounding.hpp>
#include <gpu/engine/ops/special.hpp>
#include <gpu/engine/ops/trigonometric.hpp>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// The expected values are NumPy 2.2.6's.
namespace {

namespace ops = gpu::ops;
using gpu::bfloat16;
using gpu::half;
using gpu::int16;
using gpu::int32;
using gpu::int64;
using gpu::int8;
using gpu::uint16;
using gpu::uint32;
using gpu::uint64;
using gpu::uint8;
using complexf = gpu::complex<float>;
using complexd = gpu::complex<double>;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Equal, with NaN equal to NaN and 0.0 different from -0.0.
bool same(double a, double b) { return (a == b && std::signbit(a) == std::signbit(b)) || (a != a && b != b); }

void expect_same(double got, double wanted, const std::string& what) {
  EXPECT_TRUE(same(got, wanted)) << what << " is " << got << ", not " << wanted;
}
void expect_near(double got, double wanted, const std::string& what) {
  EXPECT_NEAR(got, wanted, 1e-14 * (1 + std::abs(wanted))) << what;
}
void expect_near(complexd got, complexd wanted, const std::string& what) {
  expect_near(got.re, wanted.re, what + ", real part");
  expect_near(got.im, wanted.im, what + ", imaginary part");
}

/// float32 as well as float64, for values that both hold.
template <class Op>
void check_unary(Op op, const std::vector<std::pair<double, double>>& rows) {
  for (const auto& [x, wanted] : rows) {
    const std::string what = std::string(Op::name) + "(" + std::to_string(x) + ")";
    expect_same(op(x), wanted, what);
    expect_same(op(static_cast<float>(x)), static_cast<float>(wanted), what + " in float32");
  }
}

struct binary_row {
  double a, b, wanted;
};
template <class Op>
void check_binary(Op op, const std::vector<binary_row>& rows) {
  for (const auto& [a, b, wanted] : rows) {
    const std::string what = std::string(Op::name) + "(" + std::to_string(a) + ", " + std::to_string(b) + ")";
    expect_same(op(a, b), wanted, what);
    expect_same(op(static_cast<float>(a), static_cast<float>(b)), static_cast<float>(wanted), what + " in float32");
  }
}

TEST(ops, integers_wrap) {
  EXPECT_EQ(ops::add{}(int8{127}, int8{1}), -128);
  EXPECT_EQ(ops::subtract{}(uint8{0}, uint8{1}), 255);
  EXPECT_EQ(ops::multiply{}(uint16{65535}, uint16{65535}), 1);
  EXPECT_EQ(ops::multiply{}(std::numeric_limits<int64>::max(), int64{2}), -2);
  EXPECT_EQ(ops::negative{}(std::numeric_limits<int32>::min()), std::numeric_limits<int32>::min());
  EXPECT_EQ(ops::negative{}(uint8{1}), 255);
  EXPECT_EQ(ops::absolute{}(int8{-128}), -128);
  EXPECT_EQ(ops::square{}(uint8{200}), 64);
  EXPECT_EQ(ops::add{}(true, true), true);
  EXPECT_EQ(ops::multiply{}(true, false), false);
}

template <class T>
void check_integer_division() {
  struct row {
    int a, b, quotient, remainder, fmod;
  };
  for (const row& r : {row{7, 3, 2, 1, 1}, row{-7, 3, -3, 2, -1}, row{7, -3, -3, -2, 1}, row{-7, -3, 2, -1, -1},
                       row{6, 3, 2, 0, 0}, row{-6, 3, -2, 0, 0}, row{5, 0, 0, 0, 0}, row{-5, 0, 0, 0, 0},
                       row{5, -1, -5, 0, 0}, row{100, 7, 14, 2, 2}, row{126, 127, 0, 126, 126}}) {
    const auto a = static_cast<T>(r.a);
    const auto b = static_cast<T>(r.b);
    if (std::is_unsigned_v<T> && (r.a < 0 || r.b < 0)) continue;
    EXPECT_EQ(ops::floor_divide{}(a, b), static_cast<T>(r.quotient)) << r.a << " // " << r.b;
    EXPECT_EQ(ops::remainder{}(a, b), static_cast<T>(r.remainder)) << r.a << " % " << r.b;
    EXPECT_EQ(ops::fmod{}(a, b), static_cast<T>(r.fmod)) << "fmod(" << r.a << ", " << r.b << ")";
  }
  using limits = std::numeric_limits<T>;
  EXPECT_EQ(ops::floor_divide{}(limits::max(), limits::max()), 1);
  EXPECT_EQ(ops::floor_divide{}(static_cast<T>(limits::max() - 1), limits::max()), 0);
  EXPECT_EQ(ops::floor_divide{}(limits::max(), T{2}), static_cast<T>(limits::max() / 2));
  if constexpr (std::is_signed_v<T>) {
    EXPECT_EQ(ops::floor_divide{}(limits::min(), T{-1}), limits::min());
    EXPECT_EQ(ops::remainder{}(limits::min(), T{-1}), 0);
    EXPECT_EQ(ops::floor_divide{}(limits::min(), limits::max()), -2);
    EXPECT_EQ(ops::remainder{}(limits::min(), limits::max()), static_cast<T>(limits::max() - 1));
  }
}

TEST(ops, integer_division_floors_and_never_traps) {
  check_integer_division<int8>();
  check_integer_division<int16>();
  check_integer_division<int32>();
  check_integer_division<int64>();
  check_integer_division<uint8>();
  check_integer_division<uint16>();
  check_integer_division<uint32>();
  check_integer_division<uint64>();
}

TEST(ops, floor_divide_and_remainder_of_floats) {
  check_binary(ops::floor_divide{}, {{7, 3, 2},
                                     {-7, 3, -3},
                                     {7, -3, -3},
                                     {-7, -3, 2},
                                     {0.0, -3, -0.0},
                                     {-0.0, 3, -0.0},
                                     {1, 0, inf},
                                     {-1, 0, -inf},
                                     {0, 0, nan},
                                     {inf, 1, nan},
                                     {1, inf, 0},
                                     {-1, inf, -1},
                                     {nan, 1, nan}});
  check_binary(ops::remainder{}, {{7, 3, 1},
                                  {-7, 3, 2},
                                  {7, -3, -2},
                                  {-7, -3, -1},
                                  {0.0, -3, -0.0},
                                  {-0.0, 3, 0.0},
                                  {1, 0, nan},
                                  {inf, 1, nan},
                                  {1, inf, 1},
                                  {-1, inf, inf},
                                  {1, nan, nan}});
  check_binary(ops::fmod{},
               {{7, 3, 1}, {-7, 3, -1}, {7, -3, 1}, {-0.0, 3, -0.0}, {1, 0, nan}, {inf, 1, nan}, {5, inf, 5}});
  // The floor of the rounded quotient 10 would be wrong.
  expect_same(ops::floor_divide{}(1.0, 0.1), 9, "1.0 // 0.1");
  expect_same(ops::remainder{}(1.0, 0.1), 0.09999999999999995, "1.0 % 0.1");
}

TEST(ops, fmod_is_exact_for_any_quotient) {
  for (const double x : {1e300, 12345.678, 0.1 + 0.2, 5e-324, 1e17 + 3, 4503599627370497.5}) {
    for (const double y : {3.0, 0.1, 1e-300, 5e-324, 7e299, 1.0 / 3, x}) {
      expect_same(ops::fmod{}(x, y), std::fmod(x, y), std::to_string(x) + " by " + std::to_string(y));
      const auto a = static_cast<float>(x);
      const auto b = static_cast<float>(y);
      expect_same(ops::fmod{}(a, b), std::fmod(a, b), std::to_string(a) + " by " + std::to_string(b));
    }
  }
}

TEST(ops, gcd_and_lcm) {
  EXPECT_EQ(ops::gcd{}(12, -18), 6);
  EXPECT_EQ(ops::gcd{}(0, 0), 0);
  EXPECT_EQ(ops::gcd{}(int8{-128}, int8{-128}), -128);
  EXPECT_EQ(ops::lcm{}(4, 6), 12);
  EXPECT_EQ(ops::lcm{}(0, 5), 0);
  EXPECT_EQ(ops::lcm{}(int8{100}, int8{99}), -84);
}

TEST(ops, shifts_beyond_the_width_and_bit_counts) {
  EXPECT_EQ(ops::left_shift{}(int8{1}, int8{7}), -128);
  EXPECT_EQ(ops::left_shift{}(int8{1}, int8{8}), 0);
  EXPECT_EQ(ops::left_shift{}(int32{1}, int32{-1}), 0);
  EXPECT_EQ(ops::left_shift{}(uint64{1}, uint64{64}), 0u);
  EXPECT_EQ(ops::right_shift{}(int8{-1}, int8{7}), -1);
  EXPECT_EQ(ops::right_shift{}(int8{-128}, int8{9}), -1);
  EXPECT_EQ(ops::right_shift{}(int8{64}, int8{-1}), 0);
  EXPECT_EQ(ops::right_shift{}(int64{-5}, int64{64}), -1);
  EXPECT_EQ(ops::right_shift{}(uint32{5}, uint32{32}), 0u);
  EXPECT_EQ(ops::bitwise_count{}(int8{-128}), 1);
  EXPECT_EQ(ops::bitwise_count{}(int8{-1}), 1);
  EXPECT_EQ(ops::bitwise_count{}(uint64{0xffffffffffffffff}), 64);
  EXPECT_EQ(ops::invert{}(true), false);
  EXPECT_EQ(ops::invert{}(uint8{1}), 254);
}

TEST(ops, powers) {
  EXPECT_EQ(ops::power{}(int32{3}, int32{21}), 1870418611);
  EXPECT_EQ(ops::power{}(int8{2}, int8{8}), 0);
  EXPECT_EQ(ops::power{}(uint8{3}, uint8{5}), 243);
  EXPECT_EQ(ops::power{}(int32{0}, int32{0}), 1);
  EXPECT_EQ(ops::power{}(int32{-1}, int32{-3}), -1);
  EXPECT_EQ(ops::power{}(int32{2}, int32{-1}), 0);
  check_binary(ops::power{}, {{-8, 2, 64}, {-8, 1.0 / 3, nan}, {0, 0, 1}, {nan, 0, 1}, {1, nan, 1}, {-0.0, -1, -inf}});
  for (const double x : {1.1, -3.7, 1e200, -0.0, nan}) {
    expect_same(ops::power_by<double>{2}(x), x * x, "square");
    expect_same(ops::power_by<double>{-1}(x), 1 / x, "reciprocal");
    expect_same(ops::power_by<double>{1}(x), x, "itself");
    expect_same(ops::power_by<double>{0}(x), 1, "one");
  }
  expect_same(ops::power_by<double>{0.5}(2.0), std::sqrt(2.0), "square root");
  expect_same(ops::power_by<double>{0.5}(-0.0), 0.0, "square root of -0.0");
  expect_same(ops::power_by<double>{0.5}(-inf), inf, "square root of -infinity");
  EXPECT_EQ(ops::power_by<int32>{2}(-7), 49);
  EXPECT_EQ(ops::power{}(complexd(0, 0), complexd(0, 0)), complexd(1, 0));
  EXPECT_EQ(ops::power{}(complexd(0, 0), complexd(1, 1)), complexd(0, 0));
  EXPECT_EQ(ops::power{}(complexd(2, 0), complexd(-2, 0)), complexd(0.25, 0));
  EXPECT_EQ(ops::power{}(complexd(0, 1), complexd(2, 0)), complexd(-1, 0));
  EXPECT_TRUE(ops::isnan{}(ops::power{}(complexd(0, 0), complexd(-1, 0))));
}

TEST(ops, half_computes_in_float_and_rounds_once) {
  EXPECT_EQ(ops::add{}(half(2049.0f), half(1.0f)), half(2048.0f));
  EXPECT_EQ(ops::multiply{}(half(0.1f), half(3.0f)).bits, half(0.2998f).bits);
  EXPECT_EQ(ops::exp{}(half(12.0f)), std::numeric_limits<half>::infinity());
  EXPECT_EQ(ops::exp{}(half(1.0f)), half(2.71875f));
  EXPECT_EQ(ops::floor{}(half(-0.5f)), half(-1.0f));
  EXPECT_EQ(ops::sqrt{}(bfloat16(2.0f)).bits, bfloat16(1.4140625f).bits);
  EXPECT_EQ(ops::nextafter{}(half(1.0f), half(2.0f)).bits, 15361);
  EXPECT_EQ(ops::nextafter{}(half(0.0f), half(-1.0f)).bits, 32769);
  EXPECT_EQ(ops::nextafter{}(half(1.0f), std::numeric_limits<half>::infinity()).bits, 15361);
  EXPECT_EQ(ops::frexp_exponent{}(half(3.0f)), 2);
}

TEST(ops, rounding) {
  check_unary(ops::rint{},
              {{0.5, 0}, {1.5, 2}, {2.5, 2}, {-0.5, -0.0}, {-1.5, -2}, {1e30f, 1e30f}, {inf, inf}, {nan, nan}});
  check_unary(ops::floor{}, {{-0.5, -1}, {-0.0, -0.0}, {0.75, 0}, {-1e30f, -1e30f}, {8388607.5f, 8388607}, {nan, nan}});
  check_unary(ops::ceil{}, {{-0.5, -0.0}, {0.25, 1}, {0.0, 0.0}, {inf, inf}});
  check_unary(ops::trunc{}, {{-1.75, -1}, {-0.25, -0.0}, {1.75, 1}, {-inf, -inf}});
  check_unary(ops::fix{}, {{-1.75, -1}, {1.75, 1}});
  check_unary(ops::round(), {{2.5, 2}, {-0.5, -0.0}, {nan, nan}});
  check_unary(ops::round(1), {{0.25, 0.2}, {-0.75, -0.8}, {inf, inf}});
  expect_same(ops::round(2)(2.675), 2.68, "round(2.675, 2)");
  check_unary(ops::round(-1), {{15, 20}, {25, 20}, {-4, -0.0}});
  EXPECT_EQ(ops::round(-1)(int32{25}), 20);
  EXPECT_EQ(ops::round(-1)(int8{127}), -126);
  EXPECT_EQ(ops::round(-3)(uint8{255}), 0);
  EXPECT_EQ(ops::round(3)(int64{7}), 7);
  EXPECT_EQ(ops::round(1)(complexd(0.25, -0.75)), complexd(0.2, -0.8));
}

TEST(ops, parts_of_floats) {
  check_unary(ops::frexp_mantissa{}, {{0.75, 0.75}, {8, 0.5}, {-3, -0.75}, {0, 0}, {-inf, -inf}, {nan, nan}});
  EXPECT_EQ(ops::frexp_exponent{}(8.0), 4);
  EXPECT_EQ(ops::frexp_exponent{}(5e-324), -1073);
  EXPECT_EQ(ops::frexp_exponent{}(inf), 0);
  check_unary(ops::modf_fraction{}, {{1.75, 0.75}, {-1.75, -0.75}, {inf, 0}, {-0.0, -0.0}, {-inf, -0.0}, {nan, nan}});
  check_unary(ops::modf_integer{}, {{1.75, 1}, {-1.75, -1}, {inf, inf}, {-0.0, -0.0}});
  expect_same(ops::ldexp{}(0.75, int32{2}), 3, "ldexp");
  expect_same(ops::ldexp{}(0.75, int64{-1100}), 0, "ldexp");
  expect_same(ops::ldexp{}(1.0f, int64{1} << 40), inf, "ldexp");
  check_binary(ops::copysign{}, {{1, -0.0, -1}, {-inf, 2, inf}});
  check_binary(ops::nextafter{}, {{1, 1, 1}, {nan, 1, nan}, {1, nan, nan}, {0.0, -0.0, -0.0}});
  expect_same(ops::nextafter{}(0.0, 1.0), 5e-324, "nextafter");
  expect_same(ops::nextafter{}(5e-324, -1.0), 0.0, "nextafter");
  expect_same(ops::nextafter{}(-5e-324, 1.0), -0.0, "nextafter");
  expect_same(ops::nextafter{}(inf, 0.0), std::numeric_limits<double>::max(), "nextafter");
  EXPECT_TRUE(ops::signbit{}(-0.0));
}

TEST(ops, exponents_and_logarithms) {
  check_unary(ops::exp{}, {{0, 1}, {-inf, 0}, {inf, inf}, {nan, nan}});
  check_unary(ops::log{}, {{1, 0}, {0, -inf}, {-1, nan}, {inf, inf}});
  check_unary(ops::log2{}, {{8, 3}, {0.25, -2}});
  check_unary(ops::exp2{}, {{10, 1024}, {-2, 0.25}});
  check_unary(ops::log1p{}, {{-0.0, -0.0}, {-1, -inf}});
  check_unary(ops::expm1{}, {{-0.0, -0.0}, {-inf, -1}});
  check_unary(ops::sqrt{}, {{-0.0, -0.0}, {9, 3}, {-1, nan}, {inf, inf}});
  check_unary(ops::rsqrt{}, {{4, 0.5}, {0, inf}});
  check_unary(ops::cbrt{}, {{27, 3}, {-8, -2}, {1000000, 100}, {-0.0, -0.0}, {inf, inf}, {nan, nan}});
  check_binary(ops::logaddexp{}, {{-inf, -inf, -inf}, {inf, -inf, inf}, {inf, inf, inf}, {nan, 0, nan}});
  check_binary(ops::logaddexp2{}, {{3, 3, 4}, {-inf, 1, 1}});
  expect_near(ops::logaddexp{}(1000.0, 1000.0), 1000.6931471805599, "logaddexp");
}

TEST(ops, trigonometry) {
  check_unary(ops::sin{}, {{-0.0, -0.0}, {inf, nan}});
  check_unary(ops::tanh{}, {{-0.0, -0.0}, {inf, 1}, {-100, -1}});
  check_unary(ops::arccosh{}, {{1, 0}, {0.5, nan}});
  check_unary(ops::arctanh{}, {{1, inf}, {-1, -inf}, {2, nan}});
  check_binary(ops::hypot{}, {{3, 4, 5}, {inf, nan, inf}, {-0.0, -0.0, 0.0}});
  check_binary(ops::arctan2{}, {{-0.0, 1, -0.0}, {1, inf, 0}});
  expect_near(ops::arctan2{}(-0.0, -0.0), -gpu::pi, "arctan2(-0.0, -0.0)");
  EXPECT_EQ(ops::rad2deg{}(static_cast<float>(gpu::pi)), 180.0f);
  EXPECT_EQ(ops::deg2rad{}(180.0), gpu::pi);
}

TEST(ops, complex_functions) {
  const complexd i(0, 1);
  expect_near(ops::sqrt{}(complexd(-4, -0.0)), complexd(0, -2), "sqrt");
  expect_near(ops::log{}(complexd(-1, 0.0)), complexd(0, gpu::pi), "log");
  expect_near(ops::log{}(complexd(0.6, 0.8)).re, 2.2204460492503132e-17, "log near the unit circle");
  expect_near(ops::arcsin{}(complexd(2, 0)), complexd(1.5707963267948966, 1.3169578969248166), "arcsin");
  expect_near(ops::arccosh{}(complexd(-1, 0.0)), complexd(0, gpu::pi), "arccosh");
  expect_near(ops::arctanh{}(complexd(2, 0.0)), complexd(0.5493061443340549, 1.5707963267948966), "arctanh");
  expect_near(ops::tan{}(complexd(0, 20)), i, "tan");
  const complexd large = ops::exp{}(complexd(710, 0.7853981633974483));
  EXPECT_NEAR(large.re / 1.5796728482882015e+308, 1, 1e-14);
  const complexd root = ops::sqrt{}(complexd(1e308, 1e308));
  EXPECT_NEAR(root.re / 1.09868411346781e+154, 1, 1e-14);
  EXPECT_EQ(ops::absolute{}(complexf(3, 4)), 5.0f);
  EXPECT_NEAR(ops::absolute{}(complexd(3e200, 4e200)) / 5e200, 1, 1e-15);
  EXPECT_EQ(ops::absolute{}(complexd(inf, nan)), inf);
  expect_near(ops::sign{}(complexd(3, 4)), complexd(0.6, 0.8), "sign");
  EXPECT_EQ(ops::sign{}(complexd(inf, 1)), complexd(1, 0));
  EXPECT_TRUE(ops::isnan{}(ops::sign{}(complexd(inf, inf))));
  EXPECT_EQ(ops::reciprocal{}(complexd(3, 4)), complexd(0.12, -0.16));
  EXPECT_EQ(ops::angle{true}(complexd(-1, 0)), 180.0);
  EXPECT_EQ(ops::angle{}(-2.0), gpu::pi);
  EXPECT_EQ(ops::conjugate{}(i), complexd(0, -1));
  EXPECT_EQ(ops::imag{}(3.0f), 0.0f);
}

TEST(ops, signs_and_reciprocals) {
  check_unary(ops::sign{}, {{-0.0, 0.0}, {-3, -1}, {nan, nan}, {inf, 1}});
  check_binary(ops::heaviside{}, {{-1, 0.25, 0}, {0, 0.25, 0.25}, {-0.0, 0.25, 0.25}, {2, 0.25, 1}, {nan, 0.25, nan}});
  EXPECT_EQ(ops::sign{}(int8{-5}), -1);
  EXPECT_EQ(ops::reciprocal{}(int32{2}), 0);
  EXPECT_EQ(ops::reciprocal{}(int32{-1}), -1);
  EXPECT_EQ(ops::reciprocal{}(int64{0}), std::numeric_limits<int64>::min());
  EXPECT_EQ(ops::reciprocal{}(uint8{0}), 0);
  expect_same(ops::divide{}(1.0, 0.0), inf, "1 / 0");
  expect_same(ops::sinc{}(0.0), 1, "sinc(0)");
  expect_near(ops::sinc{}(0.5), 0.6366197723675814, "sinc(0.5)");
}

TEST(ops, extrema) {
  check_binary(ops::maximum{}, {{nan, 1, nan}, {1, nan, nan}, {0.0, -0.0, -0.0}, {2, 3, 3}, {-inf, inf, inf}});
  check_binary(ops::minimum{}, {{nan, 1, nan}, {1, nan, nan}, {2, 3, 2}});
  check_binary(ops::fmax{}, {{nan, 1, 1}, {1, nan, 1}, {nan, nan, nan}, {2, 3, 3}});
  check_binary(ops::fmin{}, {{nan, 1, 1}, {1, nan, 1}, {2, 3, 2}});
  expect_same(ops::clip{}(nan, 0.0, 1.0), nan, "clip");
  expect_same(ops::clip{}(0.5, nan, 1.0), nan, "clip");
  EXPECT_EQ(ops::clip{}(-5, 0, 1), 0);
  EXPECT_EQ(ops::clip{}(5, 3, 1), 1);
  EXPECT_TRUE(ops::isnan{}(ops::maximum{}(complexd(1, 5), complexd(nan, 0))));
  EXPECT_EQ(ops::maximum{}(complexd(1, 5), complexd(1, 6)), complexd(1, 6));
}

TEST(ops, comparisons) {
  EXPECT_TRUE(ops::less{}(int64{-1}, uint64{0}));
  EXPECT_TRUE(ops::greater{}(uint64{1} << 63, int64{-1}));
  EXPECT_FALSE(ops::equal{}(int64{-1}, std::numeric_limits<uint64>::max()));
  EXPECT_TRUE(ops::equal{}(uint64{5}, int64{5}));
  EXPECT_TRUE(ops::less{}(std::numeric_limits<int64>::max(), (uint64{1} << 63)));
  EXPECT_TRUE(ops::less_equal{}(uint64{5}, int64{5}));
  EXPECT_FALSE(ops::less_equal{}(uint64{5}, int64{-5}));
  EXPECT_FALSE(ops::less{}(complexd(1, nan), complexd(2, 0)));
  EXPECT_TRUE(ops::less{}(complexd(1, 5), complexd(1, 6)));
  EXPECT_TRUE(ops::greater_equal{}(complexd(1, 5), complexd(1, 5)));
  EXPECT_TRUE(ops::not_equal{}(nan, nan));
  EXPECT_FALSE(ops::less_equal{}(half(1.0f), std::numeric_limits<half>::quiet_NaN()));
}

TEST(ops, isclose_scales_with_the_second_argument) {
  const ops::isclose close;
  EXPECT_TRUE(close(1e10, 1.00001e10));
  EXPECT_FALSE(close(1e-7, 1e-8));
  EXPECT_TRUE(close(inf, inf));
  EXPECT_FALSE(close(inf, -inf));
  EXPECT_FALSE(close(nan, nan));
  EXPECT_TRUE((ops::isclose{1e-5, 1e-8, true}(nan, nan)));
  EXPECT_TRUE((ops::isclose{0.5, 0}(1.0, 2.0)));
  EXPECT_FALSE((ops::isclose{0.5, 0}(2.0, 1.0)));
  EXPECT_TRUE(close(complexd(1, 1), complexd(1, 1 + 1e-9)));
}

TEST(ops, truth_and_predicates) {
  EXPECT_TRUE(ops::logical_and{}(nan, 1.0f));
  EXPECT_FALSE(ops::logical_and{}(-0.0, true));
  EXPECT_TRUE(ops::logical_xor{}(complexf(0, 1), 0));
  EXPECT_FALSE(ops::logical_not{}(half(0.5f)));
  EXPECT_TRUE(ops::isinf{}(complexd(nan, inf)));
  EXPECT_FALSE(ops::isfinite{}(complexd(nan, 1)));
  EXPECT_TRUE(ops::isfinite{}(complexd(1e308, 1e308)));
  EXPECT_TRUE(ops::isnan{}(std::numeric_limits<half>::quiet_NaN()));
  EXPECT_FALSE(ops::isnan{}(5));
  EXPECT_TRUE(ops::isneginf{}(-inf));
  EXPECT_FALSE(ops::isposinf{}(-inf));
  EXPECT_TRUE(ops::iscomplex{}(complexd(1, 2)));
  EXPECT_TRUE(ops::isreal{}(3.0));
  EXPECT_EQ(ops::where{}(true, 1.5, nan), 1.5);
  EXPECT_EQ(ops::where{}(false, complexf(1, 2), complexf(3, 4)), complexf(3, 4));
}

TEST(ops, nan_to_num) {
  const auto replace = ops::nan_to_num::defaults<float>();
  EXPECT_EQ(replace(std::numeric_limits<float>::quiet_NaN()), 0.0f);
  EXPECT_EQ(replace(-std::numeric_limits<float>::infinity()), std::numeric_limits<float>::lowest());
  EXPECT_EQ((ops::nan_to_num{7, 8, 9}(complexd(nan, -inf))), complexd(7, 9));
  EXPECT_EQ(ops::nan_to_num::defaults<half>()(std::numeric_limits<half>::infinity()), std::numeric_limits<half>::max());
  EXPECT_EQ(replace(int32{5}), 5);
}

}  // namespace
