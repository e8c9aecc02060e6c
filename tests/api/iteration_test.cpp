/// @file
/// Loops on the host: `span`, `flat` and `along`.
#include <gtest/gtest.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::expect_error;
using gpu::expect_values;
using gpu::none;
using gpu::on_every_device;
using gpu::slice;

template <class A>
std::vector<int> flattened(const A& a) {
  std::vector<int> values;
  for (const int x : a.flat()) values.push_back(x);
  return values;
}

TEST(Iteration, FlatIsInCOrder) {
  const gpu::device_guard on(gpu::device::host());
  const array<int> a{{1, 2, 3}, {4, 5, 6}};
  EXPECT_EQ(flattened(a), (std::vector<int>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(flattened(a.T()), (std::vector<int>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(flattened(a(slice(none, none, -1), slice(0, 3, 2))), (std::vector<int>{4, 6, 1, 3}));
  EXPECT_EQ(flattened(gpu::broadcast_to(a(0), {2, 3})), (std::vector<int>{1, 2, 3, 1, 2, 3}));
  EXPECT_EQ(flattened(a(1, 1)), (std::vector<int>{5}));
  EXPECT_EQ(flattened(a(slice(0, 0))), (std::vector<int>{}));
  EXPECT_EQ(flattened(array<int>()), (std::vector<int>{}));
  EXPECT_EQ(flattened(gpu::zeros<int>({2, 0, 3})), (std::vector<int>{}));
}

TEST(Iteration, FlatWritesAndKeepsAlive) {
  const gpu::without_pool freed_memory_is_gone;
  const gpu::device_guard on(gpu::device::host());
  array<int> a{{3, 1, 2}, {6, 5, 4}};
  for (int& x : a(1).flat()) x *= 10;
  expect_values(a, {2, 3}, {3, 1, 2, 60, 50, 40});
  const auto range = (a + 1).eval().flat();
  EXPECT_EQ(std::vector<int>(range.begin(), range.end()), (std::vector<int>{4, 2, 3, 61, 51, 41}));
  EXPECT_EQ(*std::max_element(range.begin(), range.end()), 61);
  EXPECT_EQ(range.size(), 6);
  static_assert(std::is_same_v<decltype(*std::declval<const array<int>&>().flat().begin()), const int&>);
}

TEST(Iteration, AlongGivesViews) {
  on_every_device([] {
    array<int> a{{1, 2, 3}, {4, 5, 6}};
    int i = 0;
    for (auto row : a.along(0)) row += 10 * ++i;
    expect_values(a, {2, 3}, {11, 12, 13, 24, 25, 26});
    i = 0;
    for (const auto& column : a.along(-1)) column(0) = i++;
    expect_values(a, {2, 3}, {0, 1, 2, 24, 25, 26});
    EXPECT_EQ(a.along(1).size(), 3);
    for (const auto& element : a(0).along(0)) EXPECT_EQ(element.ndim(), 0);
    for (const auto& element : std::as_const(a).along(0)) {
      static_assert(std::is_same_v<decltype(element), const gpu::view<const int>&>);
    }
    for (const auto& nothing : gpu::zeros<int>({0, 3}).along(0)) FAIL() << nothing.size();
    expect_error<gpu::axis_error>([&] { static_cast<void>(a.along(2)); },
                                  "axis 2 is out of bounds for array of dimension 2");
    expect_error<gpu::axis_error>([&] { static_cast<void>(a(0, 0).along(0)); },
                                  "axis 0 is out of bounds for array of dimension 0");
  });
}

TEST(Iteration, Span) {
  const gpu::device_guard on(gpu::device::host());
  array<int> a{{1, 2, 3}, {4, 5, 6}};
  const auto x = a.span<2>();
  x(1, -1) = 9;
  EXPECT_EQ(a(1, 2).item(), 9);
  EXPECT_EQ(x.extent(1), 3);
  const auto t = a.T().span<2>();
  EXPECT_EQ(t(2, 1), 9);
  EXPECT_EQ((a(0, 0).span<0>()()), 1);
  expect_error<gpu::index_error>([&] { static_cast<void>(x(2, 0)); },
                                 "index 2 is out of bounds for axis 0 with size 2");
  expect_error<gpu::index_error>([&] { static_cast<void>(x(0, -4)); },
                                 "index -4 is out of bounds for axis 1 with size 3");
  const std::size_t none_before = 0;  // what a loop that counts down unsigned ends with
  EXPECT_THROW(static_cast<void>(x(0, none_before - 1)), gpu::index_error);
  expect_error<gpu::shape_error>([&] { static_cast<void>(a.span<1>()); }, "dimension 2");
  static_assert(std::is_same_v<decltype(std::declval<const array<int>&>().span<1>()(0)), const int&>);
}

TEST(Iteration, NotOnAnotherDevice) {
  on_every_device([] {
    array<int> a{1, 2};
    if (a.device().is_host()) return;
    expect_error<gpu::device_error>([&] { static_cast<void>(a.span<1>()); }, ".to(gpu::device::host())");
    expect_error<gpu::device_error>([&] { static_cast<void>(a.flat()); }, ".to(gpu::device::host())");
  });
}

}  // namespace
