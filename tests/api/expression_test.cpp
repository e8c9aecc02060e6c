/// @file
/// Expressions are formulas: they keep their arrays alive, read them when they are evaluated, and see what NumPy's
/// rules about new values and updates in place make of them.
#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

#include "gpu/map.hpp"
#include "gpu/reduce.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::expect_error;
using gpu::expect_values;
using gpu::on_every_device;
using gpu::shape;
using gpu::slice;

struct plus {
  constexpr float operator()(float x, float y) const noexcept { return x + y; }
};

auto formula_of_locals() {
  array<float> a{1, 2, 3};
  const array<float> b = a + 1;
  return a * b + (a + 0.5F) * 2;
}

TEST(Expression, KeepsItsArraysAlive) {
  const gpu::without_pool freed_memory_is_gone;
  on_every_device([] {
    const auto e = formula_of_locals();
    expect_values(e, {5, 11, 19});
    const auto longer = e * e - e;
    expect_values(longer, {20, 110, 342});
  });
}

TEST(Expression, IsAFormula) {
  on_every_device([] {
    array<int> a{1, 2, 3};
    const auto e = a * 2;
    static_assert(!std::is_same_v<std::remove_cv_t<decltype(e)>, array<int>>);
    EXPECT_EQ(e.shape(), shape{3});
    EXPECT_EQ(e.ndim(), 1);
    EXPECT_EQ(e.size(), 3);
    EXPECT_EQ(e.device(), gpu::current_device());
    a += 10;  // in place: seen
    expect_values(e, {22, 24, 26});
    a(0) = 0;
    expect_values(e, {0, 24, 26});
    a(gpu::ellipsis) = 5;
    expect_values(e, {10, 10, 10});
    a = a + 1;  // a new value: not seen
    expect_values(e, {10, 10, 10});
    a = array<int>{7};
    expect_values(e, {10, 10, 10});
    expect_values(a, {7});
  });
}

TEST(Expression, ASingleStatementMayReuseItsOwnArray) {
  on_every_device([] {
    array<int> a{1, 2, 3};
    const int* const data = a.data();
    a = a * 2;
    a = a * a + a;
    EXPECT_EQ(a.data(), data);
    expect_values(a, {6, 20, 42});
  });
}

TEST(Expression, ANamedExpressionKeepsTheOldValue) {
  on_every_device([] {
    array<int> a{1, 2, 3};
    auto e = a * 2;
    a = e;
    expect_values(a, {2, 4, 6});
    expect_values(e, {2, 4, 6});  // of the old a, not of the new one
    a = e + 1;
    expect_values(a, {3, 5, 7});
    expect_values(e, {2, 4, 6});
    const auto& reference = e;
    a = reference;
    expect_values(e, {2, 4, 6});
    array<int> b{1, 2};
    const auto f = b + b;
    b += f;
    expect_values(b, {3, 6});
    expect_values(f, {6, 12});  // the update was in place
    auto g = b * 10;
    b = std::move(g);
    expect_values(b, {30, 60});
  });
}

TEST(Expression, ViewsAndExpressionsOfTheOldValueTogether) {
  on_every_device([] {
    array<int> a{1, 2, 3};
    const gpu::view<int> v = a(slice(1, 3));
    const auto e = v * 10;
    a = a + 1;
    expect_values(e, {20, 30});
    v = 0;
    expect_values(e, {0, 0});
    expect_values(a, {2, 3, 4});
  });
}

TEST(Expression, CopiesAreIndependentFormulas) {
  on_every_device([] {
    array<int> a{1, 2};
    auto e = a + 1;
    const auto f = e;
    const auto g = std::move(e);
    a += 1;
    expect_values(f, {3, 4});
    expect_values(g * f, {9, 16});
  });
}

TEST(Expression, EvalItemAndConversions) {
  on_every_device([] {
    const array<int> a{3, 4};
    const array<int> b = (a * 2).eval();
    expect_values(b, {6, 8});
    EXPECT_EQ(gpu::sum(a * a).item(), 25);
    EXPECT_EQ((a(0) + 1).item(), 4);
    EXPECT_EQ(float(a(1) * 0.5), 2.0F);
    EXPECT_EQ(static_cast<int>(a(1) * 0.7), 2) << "converts as astype";
    if (gpu::any(a > 3)) {
      SUCCEED();
    } else {
      FAIL();
    }
    EXPECT_TRUE(bool(gpu::all(a == a)));
    EXPECT_FALSE(bool(a(0) > 3));
    expect_error<gpu::shape_error>([&] { static_cast<void>(bool(a > 3)); }, "ambiguous");
    expect_error<gpu::shape_error>([&] { static_cast<void>((a + a).item()); }, "(2,)");
    expect_error<gpu::shape_error>([&] { static_cast<void>(double(a)); }, "ambiguous");
    const array<gpu::complex<float>> z{gpu::complex<float>(0, 2)};
    EXPECT_TRUE(bool(z));
    static_assert(!std::is_constructible_v<float, array<gpu::complex<float>>>, "complex to real does not compile");
  });
}

TEST(Expression, IsCheckedWhenItIsBuilt) {
  on_every_device([] {
    const array<float> a{{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
    const array<float> b{1, 2, 3, 4, 5};
    expect_error<gpu::shape_error>([&] { static_cast<void>(a + b); },
                                   "operands could not be broadcast together with shapes (3,4) (5,)");
    expect_error<gpu::shape_error>([&] { static_cast<void>(a * 2 - gpu::map(plus{}, a, b)); }, "(3,4) (5,)");
  });
}

TEST(Expression, Broadcasts) {
  on_every_device([] {
    const array<int> column{{1}, {2}, {3}};
    const array<int> row{10, 20};
    expect_values(column + row, {3, 2}, {11, 21, 12, 22, 13, 23});
    expect_values(row + column * column, {3, 2}, {11, 21, 14, 24, 19, 29});
    expect_values(column + array<int>(), {3, 0}, {});
    const array<int> scalar = gpu::full<int>({}, 5);
    expect_values(scalar + row, {15, 25});
    expect_values(scalar + scalar, {}, {10});
    array<int> target{{1, 2}, {3, 4}};
    target += row;
    expect_values(target, {2, 2}, {11, 22, 13, 24});
    expect_error<gpu::shape_error>([&] { target += column; }, "(2,2) (3,1)");
    array<int> small{1, 2};
    expect_error<gpu::shape_error>(
        [&] { small += target; },
        "non-broadcastable output operand with shape (2,) doesn't match the broadcast shape (2,2)");
    expect_error<gpu::shape_error>([&] { small(gpu::ellipsis) = target; },
                                   "could not broadcast input array from shape (2,2) into shape (2,)");
    expect_values(small, {1, 2});
  });
}

}  // namespace
