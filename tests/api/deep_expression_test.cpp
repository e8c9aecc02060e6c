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
    const auto e = left_sum<32>(a);
    static_assert(gpu::engine::leaf_count<decltype(e)> == gpu::engine::max_leaves);
    expect_values(e, {32, 64, 96});
    EXPECT_EQ(gpu::sum(e).item(), 192);
  });
}

TEST(DeepExpression, MoreLeavesThanOnePassTakes) {
  const gpu::without_pool freed_memory_is_gone;
  on_every_device([] {
    const array<int> a{1, 2, 3};
    expect_values(left_sum<33>(a), {33, 66, 99});
    expect_values(left_sum<80>(a), {80, 160, 240});
    expect_values(balanced_sum<70>(a), {70, 140, 210});
    EXPECT_EQ(gpu::sum(left_sum<40>(a)).item(), 240);
    expect_values(gpu::sum(balanced_sum<40>(a * array<int>{{1}, {2}}), {.axis = 0}), {120, 240, 360});
  });
}

TEST(DeepExpression, IsReadWhenItIsEvaluated) {
  on_every_device([] {
    array<int> a{1, 2, 3};
    const auto e = left_sum<40>(a);
    a += 1;
    expect_values(e, {80, 120, 160});
    a = a + 1;
    expect_values(e, {80, 120, 160});
  });
}

TEST(DeepExpression, InPlace) {
  on_every_device([] {
    array<int> a{1, 2, 3};
    const int* const data = a.data();
    a = left_sum<40>(a);
    EXPECT_EQ(a.data(), data);
    expect_values(a, {40, 80, 120});
    a += left_sum<40>(a(gpu::slice(gpu::none, gpu::none, -1)));
    expect_values(a, {4840, 3280, 1720});
    a(ellipsis) = left_sum<33>(a) - a;
    expect_values(a, {32 * 4840, 32 * 3280, 32 * 1720});
  });
}

TEST(DeepExpression, PartsBroadcastAndConvert) {
  on_every_device([] {
    const array<float> row{1, 2, 3};
    const array<int> column{{1}, {2}};
    const auto e = left_sum<20>(row) * left_sum<20>(column);
    EXPECT_EQ(e.shape(), (gpu::shape{2, 3}));
    array<double> result = gpu::zeros<double>({2, 3});
    result(ellipsis) = e;
    expect_values(result, {2, 3}, {400, 800, 1200, 800, 1600, 2400});
    expect_values(gpu::astype<int>(e), {2, 3}, {400, 800, 1200, 800, 1600, 2400});
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
  EXPECT_THROW(a += left_sum<40>(gpu::map(throws_if_negative{}, a)), int);
  EXPECT_THROW(a = gpu::map(throws_if_negative{}, left_sum<33>(a)), int);
  expect_values(a, {1, -2, 3});
}

}  // namespace
