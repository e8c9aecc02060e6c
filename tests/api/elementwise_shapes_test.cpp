/// @file
/// Every elementwise function takes arrays of no dimensions and of no elements, and computes the same value for an
/// element wherever it lies. (Values against NumPy are in tests/oracle.)
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "gpu/arithmetic.hpp"
#include "gpu/bitwise.hpp"
#include "gpu/complex_numbers.hpp"
#include "gpu/exponents.hpp"
#include "gpu/extrema.hpp"
#include "gpu/floating_point.hpp"
#include "gpu/logic.hpp"
#include "gpu/map.hpp"
#include "gpu/rounding.hpp"
#include "gpu/trigonometric.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::on_every_device;
using gpu::shape;

/// Whether all elements of `values` are the bytes of `expected`.
template <class A>
void expect_all(const A& values, const gpu::value_t<A>& expected) {
  for (const gpu::value_t<A> v : gpu::to_host(values)) {
    ASSERT_EQ(std::memcmp(&v, &expected, sizeof(v)), 0) << "a value depends on its position";
  }
}

/// Calls `f` with one operand of each shape, of elements equal to `value`.
template <class T, class F>
void unary(const char* name, const F& f, T value) {
  SCOPED_TRACE(name);
  const array<T> scalar = gpu::full<T>({}, value);
  const auto expected = f(scalar);
  EXPECT_EQ(expected.shape(), shape{});
  const auto result = array<gpu::value_t<decltype(expected)>>(expected).item();
  expect_all(f(gpu::full<T>({3, 7}, value)), result);
  expect_all(f(gpu::full<T>({7, 3, 2}, value).T()), result);
  expect_all(f(gpu::full<T>({37}, value)(gpu::slice(gpu::none, gpu::none, -2))), result);
  expect_all(f(gpu::broadcast_to(scalar, {5, 5})), result);
  for (const shape& empty : {shape{0}, shape{2, 0, 3}}) {
    const auto none = f(gpu::full<T>(empty, value));
    EXPECT_EQ(none.shape(), empty);
    EXPECT_EQ(gpu::to_host(none).size(), 0U);
  }
  EXPECT_EQ(array<gpu::value_t<decltype(expected)>>(f(array<T>())).shape(), shape{0});
}

/// Calls `f` with two operands of all combinations of shapes.
template <class T, class F>
void binary(const char* name, const F& f, T first, T second) {
  SCOPED_TRACE(name);
  const array<T> x = gpu::full<T>({}, first);
  const array<T> y = gpu::full<T>({}, second);
  const auto expected = f(x, y);
  EXPECT_EQ(expected.shape(), shape{});
  const auto result = array<gpu::value_t<decltype(expected)>>(expected).item();
  expect_all(f(gpu::full<T>({3, 7}, first), y), result);
  expect_all(f(gpu::full<T>({7, 1}, first), gpu::full<T>({3}, second)), result);
  expect_all(f(gpu::full<T>({7, 3}, first).T(), gpu::full<T>({3, 7}, second)), result);
  for (const shape& empty : {shape{0}, shape{2, 0, 3}}) {
    EXPECT_EQ(gpu::to_host(f(gpu::full<T>(empty, first), y)).size(), 0U);
    EXPECT_EQ(f(x, gpu::full<T>(empty, second)).shape(), empty);
  }
  EXPECT_EQ(array<gpu::value_t<decltype(expected)>>(f(array<T>(), gpu::full<T>({1}, second))).shape(), shape{0});
}

TEST(ElementwiseShapes, UnaryFloatingPoint) {
  on_every_device([] {
    const auto test = [](const char* name, const auto& f) { unary<float>(name, f, 0.37F); };
    test("negative", [](const auto& x) { return -x; });
    test("positive", [](const auto& x) { return +x; });
    test("logical_not", [](const auto& x) { return !x; });
    test("absolute", [](const auto& x) { return gpu::absolute(x); });
    test("fabs", [](const auto& x) { return gpu::fabs(x); });
    test("sign", [](const auto& x) { return gpu::sign(x); });
    test("square", [](const auto& x) { return gpu::square(x); });
    test("reciprocal", [](const auto& x) { return gpu::reciprocal(x); });
    test("exp", [](const auto& x) { return gpu::exp(x); });
    test("expm1", [](const auto& x) { return gpu::expm1(x); });
    test("exp2", [](const auto& x) { return gpu::exp2(x); });
    test("log", [](const auto& x) { return gpu::log(x); });
    test("log2", [](const auto& x) { return gpu::log2(x); });
    test("log10", [](const auto& x) { return gpu::log10(x); });
    test("log1p", [](const auto& x) { return gpu::log1p(x); });
    test("sqrt", [](const auto& x) { return gpu::sqrt(x); });
    test("cbrt", [](const auto& x) { return gpu::cbrt(x); });
    test("rsqrt", [](const auto& x) { return gpu::rsqrt(x); });
    test("round", [](const auto& x) { return gpu::round(x, {.decimals = 1}); });
    test("rint", [](const auto& x) { return gpu::rint(x); });
    test("floor", [](const auto& x) { return gpu::floor(x); });
    test("ceil", [](const auto& x) { return gpu::ceil(x); });
    test("trunc", [](const auto& x) { return gpu::trunc(x); });
    test("fix", [](const auto& x) { return gpu::fix(x); });
    test("signbit", [](const auto& x) { return gpu::signbit(x); });
    test("frexp", [](const auto& x) { return gpu::frexp(x).first * gpu::frexp(x).second; });
    test("modf", [](const auto& x) { return gpu::modf(x).first + gpu::modf(x).second; });
    test("sinc", [](const auto& x) { return gpu::sinc(x); });
    test("isfinite", [](const auto& x) { return gpu::isfinite(x); });
    test("isinf", [](const auto& x) { return gpu::isinf(x); });
    test("isnan", [](const auto& x) { return gpu::isnan(x); });
    test("isposinf", [](const auto& x) { return gpu::isposinf(x); });
    test("isneginf", [](const auto& x) { return gpu::isneginf(x); });
    test("nan_to_num", [](const auto& x) { return gpu::nan_to_num(x); });
    test("clip", [](const auto& x) { return gpu::clip(x, 0, 0.1); });
    test("astype", [](const auto& x) { return gpu::astype<int>(x); });
    test("where", [](const auto& x) { return gpu::where(x > 0, x, 0); });
    test("power", [](const auto& x) { return gpu::power(x, 3); });
  });
}

TEST(ElementwiseShapes, Trigonometric) {
  on_every_device([] {
    const auto test = [](const char* name, const auto& f) { unary<float>(name, f, 0.37F); };
    test("sin", [](const auto& x) { return gpu::sin(x); });
    test("cos", [](const auto& x) { return gpu::cos(x); });
    test("tan", [](const auto& x) { return gpu::tan(x); });
    test("arcsin", [](const auto& x) { return gpu::arcsin(x); });
    test("arccos", [](const auto& x) { return gpu::arccos(x); });
    test("arctan", [](const auto& x) { return gpu::arctan(x); });
    test("sinh", [](const auto& x) { return gpu::sinh(x); });
    test("cosh", [](const auto& x) { return gpu::cosh(x); });
    test("tanh", [](const auto& x) { return gpu::tanh(x); });
    test("arcsinh", [](const auto& x) { return gpu::arcsinh(x); });
    test("arccosh", [](const auto& x) { return gpu::arccosh(x + 1); });
    test("arctanh", [](const auto& x) { return gpu::arctanh(x); });
    test("deg2rad", [](const auto& x) { return gpu::deg2rad(x); });
    test("rad2deg", [](const auto& x) { return gpu::rad2deg(x); });
    binary<float>("arctan2", [](const auto& x, const auto& y) { return gpu::arctan2(x, y); }, 0.3F, 0.7F);
    binary<float>("hypot", [](const auto& x, const auto& y) { return gpu::hypot(x, y); }, 0.3F, 0.7F);
  });
}

TEST(ElementwiseShapes, BinaryFloatingPoint) {
  on_every_device([] {
    const auto test = [](const char* name, const auto& f) { binary<float>(name, f, 0.37F, -1.7F); };
    test("add", [](const auto& x, const auto& y) { return x + y; });
    test("subtract", [](const auto& x, const auto& y) { return x - y; });
    test("multiply", [](const auto& x, const auto& y) { return x * y; });
    test("divide", [](const auto& x, const auto& y) { return x / y; });
    test("remainder", [](const auto& x, const auto& y) { return x % y; });
    test("floor_divide", [](const auto& x, const auto& y) { return gpu::floor_divide(x, y); });
    test("fmod", [](const auto& x, const auto& y) { return gpu::fmod(x, y); });
    test("divmod", [](const auto& x, const auto& y) { return gpu::divmod(x, y).second; });
    test("power", [](const auto& x, const auto& y) { return gpu::power(x, y); });
    test("float_power", [](const auto& x, const auto& y) { return gpu::float_power(x, y); });
    test("maximum", [](const auto& x, const auto& y) { return gpu::maximum(x, y); });
    test("minimum", [](const auto& x, const auto& y) { return gpu::minimum(x, y); });
    test("fmax", [](const auto& x, const auto& y) { return gpu::fmax(x, y); });
    test("fmin", [](const auto& x, const auto& y) { return gpu::fmin(x, y); });
    test("logaddexp", [](const auto& x, const auto& y) { return gpu::logaddexp(x, y); });
    test("logaddexp2", [](const auto& x, const auto& y) { return gpu::logaddexp2(x, y); });
    test("copysign", [](const auto& x, const auto& y) { return gpu::copysign(x, y); });
    test("nextafter", [](const auto& x, const auto& y) { return gpu::nextafter(x, y); });
    test("ldexp", [](const auto& x, const auto& y) { return gpu::ldexp(x, gpu::astype<int>(y)); });
    test("heaviside", [](const auto& x, const auto& y) { return gpu::heaviside(x, y); });
    test("less", [](const auto& x, const auto& y) { return x < y; });
    test("equal", [](const auto& x, const auto& y) { return x == y; });
    test("logical_and", [](const auto& x, const auto& y) { return gpu::logical_and(x, y); });
    test("logical_or", [](const auto& x, const auto& y) { return gpu::logical_or(x, y); });
    test("logical_xor", [](const auto& x, const auto& y) { return gpu::logical_xor(x, y); });
    test("isclose", [](const auto& x, const auto& y) { return gpu::isclose(x, y); });
    test("where", [](const auto& x, const auto& y) { return gpu::where(x > y, x, y); });
  });
}

TEST(ElementwiseShapes, IntegersAndComplex) {
  on_every_device([] {
    const auto test = [](const char* name, const auto& f) { binary<int>(name, f, 12, 5); };
    test("bitwise_and", [](const auto& x, const auto& y) { return x & y; });
    test("bitwise_or", [](const auto& x, const auto& y) { return x | y; });
    test("bitwise_xor", [](const auto& x, const auto& y) { return x ^ y; });
    test("left_shift", [](const auto& x, const auto& y) { return x << y; });
    test("right_shift", [](const auto& x, const auto& y) { return x >> y; });
    test("remainder", [](const auto& x, const auto& y) { return x % y; });
    test("divide", [](const auto& x, const auto& y) { return x / y; });
    test("gcd", [](const auto& x, const auto& y) { return gpu::gcd(x, y); });
    test("lcm", [](const auto& x, const auto& y) { return gpu::lcm(x, y); });
    unary<int>("invert", [](const auto& x) { return ~x; }, 12);
    unary<int>("bitwise_count", [](const auto& x) { return gpu::bitwise_count(x); }, 12);
    using c = gpu::complex<float>;
    unary<c>("conjugate", [](const auto& x) { return gpu::conjugate(x); }, c(1, 2));
    unary<c>("angle", [](const auto& x) { return gpu::angle(x); }, c(1, 2));
    unary<c>("real", [](const auto& x) { return gpu::real(x) + gpu::imag(x); }, c(1, 2));
    unary<c>("absolute", [](const auto& x) { return gpu::abs(x); }, c(1, 2));
    unary<c>("exp", [](const auto& x) { return gpu::exp(x); }, c(1, 2));
    unary<c>("iscomplex", [](const auto& x) { return gpu::iscomplex(x); }, c(1, 2));
    unary<c>("isreal", [](const auto& x) { return gpu::isreal(x); }, c(1, 2));
    binary<c>("multiply", [](const auto& x, const auto& y) { return x * y; }, c(1, 2), c(3, -1));
    binary<c>("divide", [](const auto& x, const auto& y) { return x / y; }, c(1, 2), c(3, -1));
  });
}

}  // namespace
