/// @file
/// Numbers beside arrays are weak, conversions follow NumPy's same_kind rule, and what does not fit is an error.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "gpu/complex_numbers.hpp"
#include "gpu/extrema.hpp"
#include "gpu/logic.hpp"
#include "gpu/map.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::complex;
using gpu::expect_error;
using gpu::expect_values;
using gpu::half;
using gpu::on_every_device;

template <class Expected, class E>
void expect_type(const E&) {
  static_assert(std::is_same_v<gpu::value_t<E>, Expected>);
}

TEST(Casting, ScalarsAreWeak) {
  on_every_device([] {
    const array<gpu::int8> i{1};
    const array<float> f{1};
    const array<bool> b{true};
    const array<half> h{1.0};
    const array<complex<float>> z{1};
    expect_type<gpu::int8>(i + true);
    expect_type<gpu::int8>(i + 1L);
    expect_type<gpu::int8>(std::size_t{1} - i);
    expect_type<double>(i * 2.0F);
    expect_type<complex<double>>(i + complex<float>(0, 1));
    expect_type<std::int64_t>(b + 1);
    expect_type<bool>(b + true);
    expect_type<double>(b * 1.5F);
    expect_type<float>(f + 1);
    expect_type<float>(2.0 * f);
    expect_type<float>(f * half(2.0F));
    expect_type<complex<float>>(f + complex<double>(0, 1));
    expect_type<half>(h + 1e5);
    expect_type<half>(h + 1);
    expect_type<complex<float>>(z + 1.5);
    expect_type<double>(i / array<int>{1});
    expect_values(i - 2U, {-1});
    expect_values(7ULL - i, {6});
    expect_values(i * static_cast<long long>(3), {3});
    expect_values(f + std::size_t{1} + static_cast<unsigned char>(2), {4});
    expect_values(b + true, {true});
    expect_values(h + 1e5, {half(std::numeric_limits<float>::infinity())});
    expect_values(f * true + false, {1});
  });
}

TEST(Casting, Promotion) {
  on_every_device([] {
    expect_type<int>(array<gpu::int16>{1} + array<gpu::uint16>{1});
    expect_type<double>(array<std::int64_t>{1} + array<std::uint64_t>{1});
    expect_type<double>(array<float>{1} + array<int>{1});
    expect_type<float>(array<half>{1.0} + array<gpu::int16>{1});
    expect_type<float>(array<half>{1.0} + array<gpu::bfloat16>{1.0});
    expect_type<double>(array<int>{1} / array<int>{2});
    const array<int> a{7, -7};
    expect_values(a / 2, {3.5, -3.5});
    expect_values(a % 3, {1, 2});
    expect_values(a % -3, {-2, -1});
    expect_values(gpu::where(a > 0, a, 0.5), {7, 0.5});
    expect_type<int>(gpu::where(a > 0, a, std::int64_t{1}));
    expect_type<double>(gpu::maximum(a, 0.5));
  });
}

TEST(Casting, IntegersThatDoNotFitThrow) {
  on_every_device([] {
    const array<gpu::int8> i{1};
    const array<gpu::uint8> u{1};
    const array<std::int64_t> l{1};
    expect_error<gpu::type_error>([&] { static_cast<void>(i + 300); }, "integer 300 out of bounds for int8");
    expect_error<gpu::type_error>([&] { static_cast<void>(-129 * i); }, "integer -129 out of bounds for int8");
    expect_error<gpu::type_error>([&] { static_cast<void>(u - -1); }, "integer -1 out of bounds for uint8");
    expect_error<gpu::type_error>([&] { static_cast<void>(u + 256U); }, "out of bounds for uint8");
    expect_error<gpu::type_error>([&] { static_cast<void>(l + std::uint64_t{1} + (~std::uint64_t{0})); },
                                  "integer 18446744073709551615 out of bounds for int64");
    expect_error<gpu::type_error>([&] { static_cast<void>(gpu::minimum(u, 300)); }, "300");
    expect_error<gpu::type_error>([&] { static_cast<void>(gpu::where(u > 0, u, 300)); }, "300");
    expect_values(i + 127, {-128});  // the sum wraps, as NumPy's
    expect_values(u - 255, {2});
    expect_values(array<std::uint64_t>{1} + (~std::uint64_t{0}), {0});
  });
}

TEST(Casting, ComparisonsAcceptAnyInteger) {
  on_every_device([] {
    const array<gpu::uint8> u{0, 255};
    expect_values(u < 300, {true, true});
    expect_values(u > -1, {true, true});
    expect_values(u == 256, {false, false});
    expect_values(u != -1, {true, true});
    expect_values(u <= 255, {true, true});
    expect_values(u >= 256, {false, false});
    expect_values(300 < u, {false, false});
    expect_values(-1 <= u, {true, true});
    expect_values(gpu::less(u, 300), {true, true});
    const array<gpu::int8> i{-128, 127};
    expect_values(i < 200, {true, true});
    expect_values(i > -129, {true, true});
    expect_values(i < std::size_t{127}, {true, false});
    expect_values(array<std::uint64_t>{~std::uint64_t{0}} == -1, {false});
    expect_values(array<std::int64_t>{std::numeric_limits<std::int64_t>::max()} < (std::uint64_t{1} << 63U), {true});
    expect_values(array<bool>{true, false} == 2, {false, false});
    expect_values(array<bool>{true, false} < 2, {true, true});
    expect_values(array<bool>{true, false} == true, {true, false});
    expect_values(array<float>{1.5F} < (std::int64_t{1} << 40), {true});
    expect_values(u == 254.5, {false, false});
    expect_values(u > 254.5, {false, true});
  });
}

TEST(Casting, ComparisonsOf64BitIntegersAreExact) {
  on_every_device([] {
    const array<std::int64_t> largest{std::numeric_limits<std::int64_t>::max(), -1};
    const array<std::uint64_t> other{static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()), 0};
    expect_values(largest == other, {true, false});
    expect_values(largest < other, {false, true});
    expect_values(largest >= other + 1, {false, false});
  });
}

template <class To, class From>
concept assigns = requires(array<To> to, array<From> from) { requires gpu::same_kind_castable<From, To>; };
static_assert(assigns<float, double>);
static_assert(assigns<gpu::int8, std::int64_t>);
static_assert(assigns<gpu::int8, gpu::uint64>);
static_assert(!assigns<gpu::uint8, gpu::int8>);
static_assert(!assigns<int, float>);
static_assert(!assigns<float, complex<float>>);
static_assert(!assigns<bool, int>);

TEST(Casting, SameKindAssignments) {
  on_every_device([] {
    array<gpu::int8> i{1, 2};
    i = array<int>{300, -1};  // wraps, as NumPy's cast
    expect_values(i, {44, -1});
    i += array<std::int64_t>{256, 1};
    expect_values(i, {44, 0});
    array<float> f{0, 0};
    f = array<double>{1e300, 0.1};
    expect_values(f, {std::numeric_limits<float>::infinity(), 0.1F});
    f(0) = 2.5;
    f(1) = 7;
    expect_values(f, {2.5F, 7});
    f(gpu::ellipsis) = true;
    expect_values(f, {1, 1});
    array<half> h{0.0};
    h += 1.0 / 3;
    expect_values(h, {half(1.0F / 3)});
    array<complex<double>> z{1.5, complex<float>(0, 2), 3};
    z += 1;
    expect_values(z, {2.5, complex<double>(1, 2), 4.0});
    expect_error<gpu::type_error>([&] { i(0) = 300; }, "integer 300 out of bounds for int8");
    expect_error<gpu::type_error>([&] { i += 200; }, "200");
  });
}

TEST(Casting, AstypeConvertsAnything) {
  on_every_device([] {
    const array<float> f{2.9F, -2.9F, std::numeric_limits<float>::quiet_NaN(), 1e20F};
    expect_values(gpu::astype<int>(f), {2, -2, 0, std::numeric_limits<int>::max()});
    expect_values(gpu::astype<bool>(f), {true, true, true, true});
    expect_values(gpu::astype<float>(array<complex<float>>{complex<float>(1, 2)}), {1});
    expect_values(gpu::astype<gpu::uint8>(array<int>{-1, 257}), {255, 1});
    array<int> i{1, 2, 3, 4};
    i = gpu::astype<int>(f(gpu::slice(0, 2)) * 2);
    expect_values(i, {5, -5});
  });
}

}  // namespace
