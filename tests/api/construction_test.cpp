/// @file
/// Braces are values, nested to any depth; shapes are said to be shapes; host containers are copied.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <type_traits>
#include <vector>

#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::complex;
using gpu::expect_error;
using gpu::expect_values;
using gpu::on_every_device;
using gpu::shape;

TEST(Construction, BracesAreValues) {
  on_every_device([] {
    expect_values(array<int>{}, {});
    expect_values(array<int>{5}, {5});
    expect_values(array<int>{2, 3}, {2, 3});
    expect_values(array<int>({2, 3}), {2, 3});
    expect_values(array<int>{{2, 3}}, {1, 2}, {2, 3});
    expect_values(array<int>{{1, 2}, {3, 4}, {5, 6}}, {3, 2}, {1, 2, 3, 4, 5, 6});
    expect_values(array<int>{{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
    expect_values(array<int>{{{{1}, {2}}}}, {1, 1, 2, 1}, {1, 2});
    expect_values(array<int>{{{1}}}, {1, 1, 1}, {1});
    const array<int> assigned = {{1, 2}, {3, 4}};
    expect_values(assigned, {2, 2}, {1, 2, 3, 4});
    array<int> again;
    again = {7, 8, 9};
    expect_values(again, {7, 8, 9});
  });
}

TEST(Construction, EmptyBraces) {
  on_every_device([] {
    expect_values(array<int>{{}}, {1, 0}, {});
    expect_values(array<int>{{}, {}}, {2, 0}, {});
    expect_values(array<int>{{{}, {}}}, {1, 2, 0}, {});
    expect_values(array<int>{{{}}, {{}}}, {2, 1, 0}, {});
  });
}

// An array has data() and size(), as a host container has, but its data may be on a device.
TEST(Construction, OfArraysAndViewsIsNoUpload) {
  on_every_device([] {
    const array<float> a{{1, 2}, {3, 4}};
    const gpu::view<const float> v = a(1);
    expect_values(array<float>(v), {3, 4});
    expect_values(array<double>(v), {3, 4});
    expect_values(array<float>(a), {2, 2}, {1, 2, 3, 4});
    expect_values(array<double>(a.T()), {2, 2}, {1, 3, 2, 4});
    array<float> b;
    b = v;
    expect_values(b, {3, 4});
  });
}

TEST(Construction, RaggedBraces) {
  on_every_device([] {
    const char* const text = "inhomogeneous shape";
    expect_error<gpu::shape_error>([] { array<int>{{1, 2}, {3}}; }, text);
    expect_error<gpu::shape_error>([] { array<int>{{1}, {2, 3}}; }, text);
    expect_error<gpu::shape_error>([] { array<int>{1, {2}}; }, text);
    expect_error<gpu::shape_error>([] { array<int>{{1}, 2}; }, text);
    expect_error<gpu::shape_error>([] { array<int>{{{1}, {2}}, {{3}}}; }, text);
    expect_error<gpu::shape_error>([] { array<int>{{}, {1}}; }, text);
    expect_error<gpu::shape_error>([] { array<int>{{1}, {}}; }, text);
    expect_error<gpu::shape_error>([] { array<int>{{{}}, {1}}; }, text);
  });
}

TEST(Construction, BracesConvertAndCheck) {
  on_every_device([] {
    const int i = 3;
    const std::size_t n = 4;
    expect_values(array<float>{1, 2.5, i, n, 0.5F, true}, {1, 2.5F, 3, 4, 0.5F, 1});
    expect_values(array<gpu::uint8>{1, 255, n}, {1, 255, 4});
    expect_values(array<std::int64_t>{n, 1U, -1LL}, {4, 1, -1});
    expect_values(array<complex<double>>{1, 2.5, complex<float>(0, 1)}, {1.0, 2.5, complex<double>(0, 1)});
    expect_values(array<gpu::half>{1, 0.5}, {gpu::half(1.0F), gpu::half(0.5F)});
    expect_values(array<bool>{true, false}, {true, false});
    expect_error<gpu::type_error>([] { array<gpu::int8>{1, 300}; }, "integer 300 out of bounds for int8");
    expect_error<gpu::type_error>([] { array<gpu::uint8>{{1}, {-1}}; }, "integer -1 out of bounds for uint8");
    static_assert(!std::is_constructible_v<gpu::detail::nested<int>, double>);
    static_assert(!std::is_constructible_v<gpu::detail::nested<float>, complex<float>>);
  });
}

TEST(Construction, Shapes) {
  on_every_device([] {
    const int rows = 2;
    const std::size_t columns = 3;
    const std::uint8_t small = 1;
    expect_values(gpu::zeros<int>({rows, columns, small}), {2, 3, 1}, {0, 0, 0, 0, 0, 0});
    expect_values(gpu::ones<double>({2}), {1, 1});
    expect_values(gpu::full<int>({2, 2}, 7), {2, 2}, {7, 7, 7, 7});
    expect_values(gpu::full({}, 2.5), {}, {2.5});
    expect_values(array<int>(shape{rows, columns}), {2, 3}, {0, 0, 0, 0, 0, 0});
    EXPECT_EQ(gpu::empty<int>({0, 5}).shape(), (shape{0, 5}));
    const std::vector<int> extents{2, 1};
    EXPECT_EQ(gpu::zeros<int>(shape(extents)).shape(), (shape{2, 1}));
    expect_error<gpu::shape_error>([] { static_cast<void>(gpu::zeros<int>({2, -1})); },
                                   "negative dimensions are not allowed");
    expect_error<gpu::shape_error>([] { static_cast<void>(gpu::zeros<int>({~std::size_t{0}})); },
                                   "18446744073709551615");
    static_assert(std::is_same_v<decltype(gpu::full({2}, 1)), array<std::int64_t>>);
    static_assert(std::is_same_v<decltype(gpu::full({2}, 1.5F)), array<double>>);
    static_assert(std::is_same_v<decltype(gpu::full({2}, true)), array<bool>>);
  });
}

TEST(Construction, HostContainers) {
  on_every_device([] {
    std::vector<float> values{1, 2, 3};
    const array<float> a(values);
    const array<float> b(std::span<const float>(values).subspan(1));
    values.assign(3, 0);  // the memory is the caller's again
    expect_values(a, {1, 2, 3});
    expect_values(b, {2, 3});
    expect_values(array<int>(std::array<int, 2>{4, 5}), {4, 5});
    const double plain[] = {6, 7};
    expect_values(array<double>(plain), {6, 7});
    expect_values(array<float>(std::vector<float>()), {});
    expect_values(gpu::asarray(std::list<int>{8, 9}), {8, 9});
    expect_values(gpu::asarray(std::vector<bool>{true, false}), {true, false});
    const std::vector<int> six{1, 2, 3, 4, 5, 6};
    expect_values(gpu::asarray(std::span<const int>(six), {2, 3}), {2, 3}, {1, 2, 3, 4, 5, 6});
    expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::asarray(std::span<const int>(six), {4})); }, "(4,)");
    std::vector<int> out(2);
    gpu::to_host(array<int>{1, 2}, std::span<int>(out));
    EXPECT_EQ(out, (std::vector<int>{1, 2}));
    expect_error<gpu::shape_error>([&] { gpu::to_host(array<int>{1}, std::span<int>(out)); }, "2");
  });
}

TEST(Construction, FromOtherArrays) {
  on_every_device([] {
    const array<int> a{{1, 2}, {3, 4}};
    const array<int> copied{a};
    expect_values(copied, {2, 2}, {1, 2, 3, 4});
    const array<double> converted{a(0)};
    expect_values(converted, {1, 2});
    const array<double> computed{a * 0.5};
    expect_values(computed, {2, 2}, {0.5, 1, 1.5, 2});
    const gpu::array deduced = a + 0.5;
    static_assert(std::is_same_v<decltype(deduced), const array<double>>);
    const gpu::array same = a(gpu::slice());
    expect_values(same, {2, 2}, {1, 2, 3, 4});
  });
}

TEST(Construction, Metadata) {
  on_every_device([] {
    const array<gpu::int16> a{{1, 2, 3}, {4, 5, 6}};
    EXPECT_EQ(a.ndim(), 2);
    EXPECT_EQ(a.size(), 6);
    EXPECT_EQ(a.itemsize(), 2);
    EXPECT_EQ(a.nbytes(), 12);
    EXPECT_EQ(a.strides(), (gpu::index_vector{6, 2}));
    EXPECT_EQ(a.T().strides(), (gpu::index_vector{2, 6}));
    EXPECT_EQ(a.dtype(), gpu::dtype::int16);
    EXPECT_EQ(a.device(), gpu::current_device());
    EXPECT_TRUE(a.is_contiguous());
    EXPECT_FALSE(a.T().is_contiguous());
    EXPECT_TRUE(a.T().is_contiguous(gpu::order::F));
    EXPECT_EQ(a.view()(1).shape(), shape{3});
  });
}

}  // namespace
