/// @file
/// Arrays of no dimensions, of many, and of no elements go through every function that is not elementwise.
/// (Elementwise functions: elementwise_shapes_test.cpp.)
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/complex_numbers.hpp"
#include "gpu/floating_point.hpp"
#include "gpu/linalg.hpp"
#include "gpu/logic.hpp"
#include "gpu/print.hpp"
#include "gpu/random.hpp"
#include "gpu/reduce.hpp"
#include "gpu/scan.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::ellipsis;
using gpu::expect_error;
using gpu::expect_values;
using gpu::newaxis;
using gpu::none;
using gpu::on_every_device;
using gpu::shape;
using gpu::slice;

TEST(Rank, NoDimensions) {
  on_every_device([] {
    array<double> a = gpu::full<double>({}, 2.5);
    EXPECT_EQ(a.ndim(), 0);
    EXPECT_EQ(a.size(), 1);
    EXPECT_TRUE(a.is_contiguous());
    EXPECT_EQ(double(a), 2.5);
    expect_values(a(), {}, {2.5});
    expect_values(a(ellipsis), {}, {2.5});
    expect_values(a(newaxis), {1}, {2.5});
    a() = 3;
    a(ellipsis) += 1;
    a = a * a;
    expect_values(a, {}, {16});
    expect_values(a.T(), {}, {16});
    expect_values(gpu::reshape(a, {1, 1}), {1, 1}, {16});
    expect_values(gpu::reshape(a, {}), {}, {16});
    expect_values(gpu::ravel(a), {16});
    expect_values(gpu::squeeze(a), {}, {16});
    expect_values(gpu::flip(a), {}, {16});
    expect_values(gpu::expand_dims(a, 0), {16});
    expect_values(gpu::broadcast_to(a, {2}), {16, 16});
    expect_values(a.copy(), {}, {16});
    const array<double> b = a;
    expect_values(b, {}, {16});
    EXPECT_EQ(gpu::array_str(a), "16.0");
  });
}

TEST(Rank, ReductionsOfNoDimensions) {
  on_every_device([] {
    const array<double> a = gpu::full<double>({}, 2.5);
    expect_values(gpu::sum(a), {}, {2.5});
    expect_values(gpu::sum(a, {.keepdims = true}), {}, {2.5});
    expect_values(gpu::prod(a), {}, {2.5});
    expect_values(gpu::mean(a), {}, {2.5});
    expect_values(gpu::var(a), {}, {0});
    expect_values(gpu::max(a), {}, {2.5});
    expect_values(gpu::argmax(a), {}, {0});
    expect_values(gpu::any(a), {}, {true});
    expect_values(gpu::count_nonzero(a), {}, {1});
    expect_values(gpu::cumsum(a), {2.5});
    expect_values(gpu::cumprod(a), {2.5});
    expect_values(gpu::dot(a, a), {}, {6.25});
    expect_values(gpu::dot(a, array<double>{1, 2}), {2.5, 5});
    expect_values(gpu::outer(a, array<double>{1, 2}), {1, 2}, {2.5, 5});
    expect_values(gpu::inner(a, a), {}, {6.25});
    expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::matmul(a, a)); }, "matmul");
    expect_error<gpu::axis_error>([&] { static_cast<void>(gpu::sum(a, {.axis = 1})); },
                                  "axis 1 is out of bounds for array of dimension 0");
  });
}

TEST(Rank, NoElements) {
  on_every_device([] {
    array<double> a = gpu::zeros<double>({2, 0, 3});
    EXPECT_EQ(a.size(), 0);
    EXPECT_TRUE(a.is_contiguous());
    a += 1;
    a(ellipsis) = 5;
    a(slice(), slice(), 0) = gpu::zeros<double>({2, 0});
    a(a > 0) = 1;
    a(a > 0) = array<double>();
    a = a * a + a;
    expect_values(a, {2, 0, 3}, {});
    expect_values(a(a > 0), {});
    expect_values(a(0), {0, 3}, {});
    expect_values(a(slice(), slice(), 1), {2, 0}, {});
    expect_values(a.T(), {3, 0, 2}, {});
    expect_values(gpu::reshape(a, {0, 7}), {0, 7}, {});
    expect_values(gpu::reshape(a, {-1}), {});
    expect_values(gpu::flip(a), {2, 0, 3}, {});
    expect_values(gpu::swapaxes(a, 0, 1), {0, 2, 3}, {});
    expect_values(gpu::moveaxis(a, 0, -1), {0, 3, 2}, {});
    expect_values(gpu::expand_dims(a, {0, 4}), {1, 2, 0, 3, 1}, {});
    expect_values(gpu::diagonal(a), {3, 0}, {});
    expect_values(gpu::broadcast_to(a(slice(0, 1)), {4, 0, 3}), {4, 0, 3}, {});
    expect_values(gpu::ascontiguousarray(a.T()), {3, 0, 2}, {});
    expect_values(gpu::zeros_like(a), {2, 0, 3}, {});
    expect_values(gpu::full_like(a, 1), {2, 0, 3}, {});
    expect_values(a.to(gpu::current_device()), {2, 0, 3}, {});
    EXPECT_TRUE(bool(gpu::array_equal(a, a)));
    EXPECT_FALSE(bool(gpu::array_equal(a, a.T())));
    EXPECT_TRUE(bool(gpu::allclose(a, a)));
    EXPECT_EQ(gpu::array_str(a), "[]");
    EXPECT_EQ(gpu::array_repr(array<double>()), "array([], dtype=float64)");
    expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::reshape(a, {-1, 0})); },
                                   "cannot reshape array of size 0");
    expect_error<gpu::shape_error>([&] { static_cast<void>(bool(a)); }, "ambiguous");
    expect_values(gpu::arange<int>(0), {});
    expect_values(gpu::arange<int>(5, 2), {});
    expect_values(gpu::linspace(0, 1, {.num = 0}), {});
    expect_values(gpu::eye<int>(0), {0, 0}, {});
    expect_values(gpu::random::uniform<double>({0, 2}), {0, 2}, {});
    expect_values(gpu::random::normal<double>({0}), {});
  });
}

TEST(Rank, ReductionsOfNoElements) {
  on_every_device([] {
    const array<double> a = gpu::zeros<double>({2, 0, 3});
    expect_values(gpu::sum(a), {}, {0});
    expect_values(gpu::sum(a, {.axis = 1}), {2, 3}, {0, 0, 0, 0, 0, 0});
    expect_values(gpu::sum(a, {.axis = 0}), {0, 3}, {});
    expect_values(gpu::prod(a, {.axis = 1, .keepdims = true}), {2, 1, 3}, {1, 1, 1, 1, 1, 1});
    expect_values(gpu::sum(a, {.axis = 1, .initial = 4}), {2, 3}, {4, 4, 4, 4, 4, 4});
    expect_values(gpu::any(a), {}, {false});
    expect_values(gpu::all(a), {}, {true});
    expect_values(gpu::count_nonzero(a, {.axis = 1})(0, 0), {}, {0});
    EXPECT_TRUE(std::isnan(gpu::mean(a).item()));
    EXPECT_TRUE(std::isnan(gpu::var(a, {.axis = 1})(1, 2).item()));
    expect_values(gpu::mean(a, {.axis = 0}), {0, 3}, {});
    expect_values(gpu::max(a, {.axis = 0}), {0, 3}, {});
    expect_values(gpu::max(a, {.initial = -1}), {}, {-1});
    expect_values(gpu::argmin(a, {.axis = 2}), {2, 0}, {});
    expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::max(a)); },
                                   "zero-size array to reduction operation maximum which has no identity");
    expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::min(a, {.axis = 1})); },
                                   "minimum which has no identity");
    expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::argmax(a)); },
                                   "attempt to get argmax of an empty sequence");
    expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::nanargmin(a, {.axis = 1})); }, "attempt to get argmin");
    expect_values(gpu::cumsum(a), {});
    expect_values(gpu::cumprod(a, {.axis = 1}), {2, 0, 3}, {});
    expect_values(gpu::matmul(gpu::zeros<double>({2, 0}), gpu::zeros<double>({0, 3})), {2, 3}, {0, 0, 0, 0, 0, 0});
    expect_values(gpu::matmul(gpu::zeros<double>({0, 2}), gpu::zeros<double>({2, 3})), {0, 3}, {});
    expect_values(gpu::dot(array<double>(), array<double>()), {}, {0});
    expect_values(gpu::vdot(array<double>(), array<double>()), {}, {0});
    expect_values(gpu::outer(array<double>(), array<double>{1, 2}), {0, 2}, {});
    EXPECT_TRUE(gpu::signbit(gpu::outer(array<double>{0}, array<double>{-2})).item())
        << "products of -0 keep their sign";
    expect_values(gpu::inner(gpu::zeros<double>({2, 0}), gpu::zeros<double>({3, 0})), {2, 3}, {0, 0, 0, 0, 0, 0});
    expect_values(gpu::tensordot(gpu::zeros<double>({2, 0}), gpu::zeros<double>({0, 2}), {.axes = 1}), {2, 2},
                  {0, 0, 0, 0});
  });
}

TEST(Rank, SixteenDimensions) {
  on_every_device([] {
    const shape extents{2, 1, 1, 3, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 2};
    array<int> a = gpu::reshape(gpu::arange<int>(24), gpu::index_vector(extents));
    EXPECT_EQ(a.ndim(), 16);
    expect_values(gpu::squeeze(a), {2, 3, 2, 2}, gpu::to_host(gpu::arange<int>(24)));
    a += a.transpose({0, 1, 2, 3, 4, 5, 6, 7, 15, 9, 10, 11, 12, 13, 14, 8});
    expect_values(gpu::squeeze(a(0, 0, 0, 0)), {2, 2}, {0, 3, 3, 6});
    expect_values(gpu::sum(a, {.axis = {0, 3, 8}}), shape{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2}, {258, 294});
    expect_values(gpu::squeeze(gpu::max(a, {.axis = 15, .keepdims = true})), {2, 3, 2},
                  {3, 6, 11, 14, 19, 22, 27, 30, 35, 38, 43, 46});
    // All extents 2, all axes reversed: nothing can be merged.
    array<int> cube = gpu::reshape(gpu::arange<int>(65536), gpu::index_vector(16, 2));
    const array<int> reversed = cube.T();
    EXPECT_EQ(gpu::sum(cube + reversed).item(), 65536LL * 65535);
    cube(ellipsis) = cube.T() + 0;
    EXPECT_EQ(gpu::ravel(cube)(1).item(), 32768);
    EXPECT_TRUE(bool(gpu::array_equal(cube, reversed)));
    EXPECT_TRUE(bool(gpu::array_equal(cube(cube % 2 == 1), reversed(reversed % 2 == 1))));
    EXPECT_EQ(gpu::cumsum(cube, {.axis = 15})(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1).item(), 32768);
    EXPECT_EQ(gpu::matmul(cube, cube).shape(), cube.shape());
  });
}

TEST(Rank, MoreThanSixteenDimensions) {
  on_every_device([] {
    const array<int> a = gpu::zeros<int>(shape(16, 1));
    const char* const text = "exceeds the largest rank, 16";
    expect_error<gpu::shape_error>(
        [&] { static_cast<void>(gpu::zeros<int>({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1})); }, text);
    expect_error<gpu::shape_error>([&] { static_cast<void>(a(newaxis)); }, text);
    expect_error<gpu::shape_error>([&] { static_cast<void>(a(ellipsis, newaxis, newaxis)); }, text);
    expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::expand_dims(a, 0)); }, text);
    expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::tensordot(a, a, {.axes = 0})); }, "16");
    EXPECT_EQ(a(0, newaxis).ndim(), 16);
    expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::dot(a, a)); }, "16");
  });
}

}  // namespace
