/// @file
/// Expressions of more arrays than one pass reads: parts become temporaries, results and rules stay the same.
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "gpu/map.hpp"
#include "gpu/reduce.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::ellipsis;
using gpu::expect_values;
using gpu::on_every_device;

/// `a + a + ...` with `N` leaves, nested to the left.
template <int N, class A>
auto left_sum(const A& a) {
  if constexpr (N == 1) {
    return a + 0;
  } else {
    return left_sum<N - 1>(a) + a;
  }
}

/// The same as a balanced tree.
template <int N, class A>
auto balanced_sum(const A& a) {
  if constexpr (N == 1) {
    return a * 1;
  } else {
    return balanced_sum<N / 2>(a) + balanced_sum<N - N / 2>(a);
  }
}

constexpr int most = gpu::engine::max_leaves;
constexpr int more = most + 8;
constexpr int many = 2 * most + 16;

/// Sums all its arguments.
struct sum_of_all {
  template <class... T>
  constexpr int operator()(T... values) const noexcept {
    return (values + ... + 0);
  }
};

TEST(DeepExpression, TheMostLeavesOfOnePass) {
  on_every_device([] {
    const array<int> a{1, 2, 3};
    const auto e = left_sum<most>(a);
    static_assert(gpu::engine::leaf_count<decltype(e)> == most);
    expect_values(e, {most, 2 * most, 3 * most});
    EXPECT_EQ(gpu::sum(e).item(), 6 * most);
  });
}

TEST(DeepExpression, MoreLeavesThanOnePassTakes) {
  const gpu::without_pool freed_memory_is_gone;
  on_every_device([] {
    const array<int> a{1, 2, 3};
    expect_values(left_sum<most + 1>(a), {most + 1, 2 * (most + 1), 3 * (most + 1)});
    expect_values(left_sum<many>(a), {many, 2 * many, 3 * many});
    expect_values(balanced_sum<many>(a), {many, 2 * many, 3 * many});
    EXPECT_EQ(gpu::sum(left_sum<more>(a)).item(), 6 * more);
    expect_values(gpu::sum(balanced_sum<more>(a * array<int>{{1}, {2}}), {.axis = 0}), {3 * more, 6 * more, 9 * more});
  });
}

TEST(DeepExpression, IsReadWhenItIsEvaluated) {
  on_every_device([] {
    array<int> a{1, 2, 3};
    const auto e = left_sum<more>(a);
    a += 1;
    expect_values(e, {2 * more, 3 * more, 4 * more});
    a = a + 1;
    expect_values(e, {2 * more, 3 * more, 4 * more});
  });
}

TEST(DeepExpression, InPlace) {
  on_every_device([] {
    array<int> a{1, 2, 3};
    const int* const data = a.data();
    a = left_sum<more>(a);
    EXPECT_EQ(a.data(), data);
    expect_values(a, {more, 2 * more, 3 * more});
    a += left_sum<more>(a(gpu::slice(gpu::none, gpu::none, -1)));
    constexpr int sums[] = {more + 3 * more * more, 2 * more + 2 * more * more, 3 * more + more * more};
    expect_values(a, {sums[0], sums[1], sums[2]});
    a(ellipsis) = left_sum<most + 1>(a) - a;
    expect_values(a, {most * sums[0], most * sums[1], most * sums[2]});
  });
}

TEST(DeepExpression, PartsBroadcastAndConvert) {
  on_every_device([] {
    const array<float> row{1, 2, 3};
    const array<int> column{{1}, {2}};
    constexpr int half = most / 2 + 4;
    const auto e = left_sum<half>(row) * left_sum<half>(column);
    EXPECT_EQ(e.shape(), (gpu::shape{2, 3}));
    array<double> result = gpu::zeros<double>({2, 3});
    result(ellipsis) = e;
    constexpr int product = half * half;
    expect_values(result, {2, 3}, {product, 2 * product, 3 * product, 2 * product, 4 * product, 6 * product});
    expect_values(gpu::astype<int>(e), {2, 3},
                  {product, 2 * product, 3 * product, 2 * product, 4 * product, 6 * product});
  });
}

TEST(DeepExpression, OneOperationOfManyArrays) {
  on_every_device([] {
    const array<int> a{1, 2};
    const auto of_sums = gpu::map(sum_of_all{}, left_sum<10>(a), left_sum<11>(a), a, left_sum<12>(a), a);
    static_assert(gpu::engine::leaf_count<decltype(of_sums)> == 35);
    expect_values(of_sums, {35, 70});
  });
}

struct throws_if_negative {
  int operator()(int x) const {
    if (x < 0) throw x;
    return x;
  }
};

TEST(DeepExpression, AFailureLeavesTheTarget) {
  const gpu::device_guard on(gpu::device::host());
  array<int> a{1, -2, 3};
  EXPECT_THROW(a += left_sum<more>(gpu::map(throws_if_negative{}, a)), int);
  EXPECT_THROW(a = gpu::map(throws_if_negative{}, left_sum<most + 1>(a)), int);
  expect_values(a, {1, -2, 3});
}

}  // namespace
