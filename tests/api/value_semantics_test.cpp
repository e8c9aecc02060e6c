/// @file
/// Arrays are values: copies are independent, moves are O(1), a moved-from array is empty and usable.
#include <gtest/gtest.h>

#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/reduce.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::expect_values;
using gpu::on_every_device;
using gpu::shape;
using gpu::slice;

static_assert(std::is_nothrow_default_constructible_v<array<float>>);
static_assert(std::is_nothrow_move_constructible_v<array<float>>);
static_assert(std::is_nothrow_move_assignable_v<array<float>>);
static_assert(std::is_nothrow_swappable_v<array<float>>);
static_assert(!std::is_convertible_v<shape, array<float>>, "a shape is not a value");

TEST(ValueSemantics, DefaultIsEmpty) {
  const array<float> a;
  EXPECT_EQ(a.shape(), shape{0});
  EXPECT_EQ(a.size(), 0);
  EXPECT_EQ(a.ndim(), 1);
  EXPECT_EQ(a.nbytes(), 0);
  expect_values(a, {});
}

TEST(ValueSemantics, CopyIsIndependent) {
  on_every_device([] {
    array<int> a{{1, 2}, {3, 4}};
    array<int> b = a;
    EXPECT_NE(a.data(), b.data());
    b(0, 0) = 9;
    a(1, 1) = 7;
    expect_values(a, {2, 2}, {1, 2, 3, 7});
    expect_values(b, {2, 2}, {9, 2, 3, 4});
  });
}

TEST(ValueSemantics, CopyKeepsTheOrderOfAxes) {
  on_every_device([] {
    const array<int> a{{1, 2, 3}, {4, 5, 6}};
    const array<int> b = a.T();
    EXPECT_EQ(b.strides(), (gpu::index_vector{4, 12}));
    expect_values(b, {3, 2}, {1, 4, 2, 5, 3, 6});
    const array<int> c = array<int>(b);
    EXPECT_EQ(c.strides(), b.strides());
    EXPECT_EQ(b.copy().strides(), (gpu::index_vector{8, 4})) << "copy() is in C order, as numpy.ndarray.copy";
    const array<int> dense = a(slice(), slice(gpu::none, gpu::none, -2));
    EXPECT_EQ(dense.strides(), (gpu::index_vector{8, 4}));
    expect_values(dense, {2, 2}, {3, 1, 6, 4});
  });
}

TEST(ValueSemantics, AssignmentMakesANewValue) {
  on_every_device([] {
    array<int> a{1, 2, 3};
    const gpu::view<int> old = a(slice());
    const array<int> b{4, 5, 6};
    a = b;
    a(0) = 9;
    expect_values(a, {9, 5, 6});
    expect_values(b, {4, 5, 6});
    expect_values(old, {1, 2, 3});
    a = array<int>{{7}};  // another shape
    expect_values(a, {1, 1}, {7});
  });
}

TEST(ValueSemantics, MoveKeepsTheMemory) {
  on_every_device([] {
    array<int> a{1, 2, 3};
    const gpu::view<int> v = a(slice(0, 2));
    const int* const data = a.data();
    array<int> b = std::move(a);
    EXPECT_EQ(b.data(), data);
    b(0) = 5;
    expect_values(v, {5, 2});
    array<int> c;
    c = std::move(b);
    EXPECT_EQ(c.data(), data);
    expect_values(c, {5, 2, 3});
  });
}

TEST(ValueSemantics, MovedFromIsEmptyAndUsable) {
  on_every_device([] {
    array<int> a{{1, 2}, {3, 4}};
    const array<int> b = std::move(a);
    EXPECT_EQ(a.shape(), shape{0});  // NOLINT(bugprone-use-after-move): what this test is about
    expect_values(a, {});
    expect_values(a + a, {});
    expect_values(a * 2 + array<int>{1}, {});
    expect_values(a + array<int>{{1}, {2}}, {2, 0}, {});
    EXPECT_EQ(gpu::sum(a).item(), 0);
    EXPECT_EQ(gpu::sum(a + a).item(), 0);
    a += 1;
    a += array<int>{1};
    a(slice()) = 3;
    a(gpu::ellipsis) = array<int>();
    const array<int> copy = a;
    expect_values(copy, {});
    EXPECT_THROW(static_cast<void>(a.item()), gpu::shape_error);
    EXPECT_THROW(static_cast<void>(a(0)), gpu::index_error);
    EXPECT_THROW(static_cast<void>(a + array<int>{1, 2}), gpu::shape_error);
    a = b * 2;
    expect_values(a, {2, 2}, {2, 4, 6, 8});
    array<int> moved = std::move(a);
    a = b;
    expect_values(a, {2, 2}, {1, 2, 3, 4});
    moved = array<int>();
    expect_values(moved, {});
  });
}

TEST(ValueSemantics, SelfAssignment) {
  on_every_device([] {
    array<int> a{1, 2, 3};
    array<int>& same = a;
    const int* const data = a.data();
    a = same;
    EXPECT_EQ(a.data(), data);
    expect_values(a, {1, 2, 3});
    a = std::move(same);
    expect_values(a, {1, 2, 3});
    a = a(slice());
    expect_values(a, {1, 2, 3});
    a = a(slice(1, 3));
    expect_values(a, {2, 3});
    a = a + 0;
    expect_values(a, {2, 3});
    array<int> matrix{{1, 2, 3}, {4, 5, 6}};
    matrix = matrix.T();
    expect_values(matrix, {3, 2}, {1, 4, 2, 5, 3, 6});
    matrix(gpu::ellipsis) = matrix;
    expect_values(matrix, {3, 2}, {1, 4, 2, 5, 3, 6});
  });
}

TEST(ValueSemantics, SwapAndContainers) {
  on_every_device([] {
    array<int> a{1};
    array<int> b{2, 3};
    std::swap(a, b);
    expect_values(a, {2, 3});
    expect_values(b, {1});
    std::vector<array<int>> many;
    for (int i = 0; i < 5; ++i) many.push_back(a * i);
    many.erase(many.begin());
    many.resize(6);
    expect_values(many[3], {8, 12});
    expect_values(many[5], {});
  });
}

TEST(ValueSemantics, AssignmentConverts) {
  on_every_device([] {
    const array<int> i{1, 2, 3};
    array<double> d = i;
    expect_values(d, {1, 2, 3});
    d = i(slice(0, 2));
    expect_values(d, {1, 2});
    d = i + i;
    expect_values(d, {2, 4, 6});
    const array<float> f(d);
    expect_values(f, {2, 4, 6});
  });
}

TEST(ValueSemantics, ToCopiesToADevice) {
  on_every_device([] {
    array<int> a{{1, 2}, {3, 4}};
    const array<int> b = a.T().to(gpu::current_device());
    a(0, 1) = 9;
    expect_values(b, {2, 2}, {1, 3, 2, 4});
    const array<int> host = a.T().to(gpu::device::host());
    EXPECT_TRUE(host.device().is_host());
    expect_values(host, {2, 2}, {1, 3, 9, 4});
    expect_values(array<int>().to(gpu::current_device()), {});
  });
}

}  // namespace
