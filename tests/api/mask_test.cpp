/// @file
/// Indexing with a boolean array of the same shape: reading, assigning and updating what it selects.
#include <gtest/gtest.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpu/complex_numbers.hpp"
#include "gpu/logic.hpp"
#include "gpu/reduce.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::ellipsis;
using gpu::expect_error;
using gpu::expect_values;
using gpu::none;
using gpu::on_every_device;
using gpu::slice;

TEST(Mask, Reads) {
  on_every_device([] {
    const array<int> a{{1, 2, 3}, {4, 5, 6}};
    const array<bool> m{{true, false, true}, {false, false, true}};
    const array<int> chosen = a(m);
    expect_values(chosen, {1, 3, 6});
    expect_values(a(m).eval(), {1, 3, 6});
    expect_values(a.T()(m.T()).eval(), {1, 3, 6});
    expect_values(array<int>(a.T()(array<bool>{{true, true}, {false, true}, {false, false}})), {1, 4, 5});
    expect_values(array<int>(a(a > 3)), {4, 5, 6});
    expect_values(array<int>(a(a > 100)), {});
    expect_values(array<int>(a(a > 0)), {1, 2, 3, 4, 5, 6});
    expect_values(array<int>(a(1)(a(1) != 5)), {4, 6});
    array<int> b;
    b = a(m);
    expect_values(b, {1, 3, 6});
    const array<double> converted = a(m);
    expect_values(converted, {1, 3, 6});
  });
}

TEST(Mask, IsReadLikeAnArray) {
  on_every_device([] {
    array<int> a{1, -2, 3, -4};
    EXPECT_EQ(gpu::sum(a(a < 0)).item(), -6);
    EXPECT_EQ(gpu::max(a(a < 0)).item(), -2);
    EXPECT_EQ(a(a < 0).size(), 2);
    EXPECT_EQ(a(a < 0).shape(), gpu::shape{2});
    EXPECT_EQ(a(a < 0).ndim(), 1);
    expect_values(a(a > 0) * 10 + a(a < 0), {8, 26});
    expect_values(gpu::reshape(a(a > 0), {2, 1}), {2, 1}, {1, 3});
    expect_values(a(a > 0) == array<int>{1, 2}, {true, false});
    EXPECT_EQ(gpu::to_host(a(a > 0)), (std::vector<int>{1, 3}));
    EXPECT_TRUE(bool(gpu::all(a(a > 0) > 0)));
    const auto later = a(a > 0) + 0;  // the elements of the moment when the formula is built, as NumPy's copy
    a = array<int>{5, 6, 7, 8};
    expect_values(later, {1, 3});
  });
}

TEST(Mask, AssignsANumber) {
  on_every_device([] {
    array<float> a{{1, 2, 3}, {4, 5, 6}};
    a(a > 2.5F) = 0;
    expect_values(a, {2, 3}, {1, 2, 0, 0, 0, 0});
    a(a == 0) = -0.5;
    expect_values(a, {2, 3}, {1, 2, -0.5F, -0.5F, -0.5F, -0.5F});
    a(a > 100) = 9;
    a(slice(), slice(none, none, 2))(a(slice(), slice(none, none, 2)) < 0) = 7;
    expect_values(a, {2, 3}, {1, 2, 7, 7, -0.5F, 7});
    array<int> empty = gpu::zeros<int>({0, 3});
    empty(empty == 0) = 1;
    array<int> scalar = gpu::full<int>({}, 5);
    scalar(scalar > 3) = 8;
    EXPECT_EQ(scalar.item(), 8);
    scalar(scalar > 3) = array<int>{9};
    EXPECT_EQ(scalar.item(), 9);
  });
}

TEST(Mask, AssignsElements) {
  on_every_device([] {
    array<int> a{{1, 2, 3}, {4, 5, 6}};
    const array<bool> m{{true, false, true}, {false, false, true}};
    a(m) = array<int>{7, 8, 9};
    expect_values(a, {2, 3}, {7, 2, 8, 4, 5, 9});
    a(m) = array<int>{0};  // one element broadcasts
    expect_values(a, {2, 3}, {0, 2, 0, 4, 5, 0});
    a(m) = gpu::full<int>({}, 1);
    expect_values(a, {2, 3}, {1, 2, 1, 4, 5, 1});
    a(m) = array<std::int64_t>{10, 20, 30};
    expect_values(a, {2, 3}, {10, 2, 20, 4, 5, 30});
    a.T()(m.T()) = array<int>{1, 2, 3};
    expect_values(a, {2, 3}, {1, 2, 2, 4, 5, 3});
    a(slice(), slice(none, none, -1))(m) = array<int>{-1, -2, -3};
    expect_values(a, {2, 3}, {-2, 2, -1, -3, 5, 3});
    a(m) = a(m) * 2;
    expect_values(a, {2, 3}, {-4, 2, -2, -3, 5, 6});
    const array<int> b = a * 10;
    a(m) = b(m);
    expect_values(a, {2, 3}, {-40, 2, -20, -3, 5, 60});
    a(m) = b(!m);
    expect_values(a, {2, 3}, {20, 2, -30, -3, 5, 50});
    a(a > 1000) = array<int>();
    const auto selected = a(m);
    selected = 0;
    expect_values(a, {2, 3}, {0, 2, 0, -3, 5, 0});
  });
}

TEST(Mask, Updates) {
  on_every_device([] {
    array<float> a{1, -2, 3, -4};
    a(a < 0) *= 0.5F;
    expect_values(a, {1, -1, 3, -2});
    a(a < 0) += array<float>{10, 20};
    expect_values(a, {1, 9, 3, 18});
    a(a > 5) -= a(a > 5);
    expect_values(a, {1, 0, 3, 0});
    a(a == 0) += array<int>{4};
    expect_values(a, {1, 4, 3, 4});
    a(slice(none, none, 2))(array<bool>{false, true}) /= 2;
    expect_values(a, {1, 4, 1.5F, 4});
    array<int> b{5, 6, 7};
    b(b > 5) %= 4;
    expect_values(b, {5, 2, 3});
    b(b < 4) <<= 2;
    expect_values(b, {5, 8, 12});
  });
}

TEST(Mask, WrongShapes) {
  on_every_device([] {
    array<int> a{{1, 2, 3}, {4, 5, 6}};
    const char* const index_text = "boolean index did not match indexed array";
    expect_error<gpu::index_error>([&] { static_cast<void>(a(array<bool>{true, false, true})); }, index_text);
    expect_error<gpu::index_error>([&] { a((a > 2).eval().T()) = 0; }, index_text);
    expect_error<gpu::index_error>([&] { a(0)(a > 2) = 0; }, "(2,3)");
    expect_error<gpu::shape_error>(
        [&] { a(a > 4) = array<int>{1, 2, 3}; },
        "cannot assign 3 input values of shape (3,) to the 2 output values where the mask is true");
    expect_error<gpu::shape_error>([&] { a(a > 4) = array<int>{{1, 2}}; },
                                   "requires a 0 or 1-dimensional input, input has 2");
    expect_error<gpu::shape_error>([&] { a(a > 4) = array<int>(); }, "0 input values");
    expect_error<gpu::shape_error>([&] { (a(a > 4) += array<int>{1, 2, 3}); }, "(2,) (3,)");
    expect_error<gpu::shape_error>([&] { static_cast<void>(a(a > 4) + a(a > 3)); }, "(2,) (3,)");
    expect_values(a, {2, 3}, {1, 2, 3, 4, 5, 6});
  });
}

TEST(Mask, SharesMemoryWithItsTarget) {
  on_every_device([] {
    array<bool> b{true, false, true, true, false};
    b(b) = false;
    expect_values(b, {false, false, false, false, false});
    b = array<bool>{true, false, true, true, false};
    b(b) = array<bool>{false, true, false};
    expect_values(b, {false, false, true, false, false});
    b = array<bool>{true, true, true, false, false};
    b(slice(1, none))(b(slice(none, -1))) = array<bool>{false, true, false};
    expect_values(b, {true, false, true, false, false});
    b = array<bool>{true, false, true, true, false};
    b(gpu::flip(b)) = array<bool>{false, false, true};
    expect_values(b, {true, false, false, true, true});
    array<int> a{1, 2, 3, 4};
    a(array<bool>{true, true, false, false}) = a(slice(1, 3));
    expect_values(a, {2, 3, 3, 4});
    a(array<bool>{false, true, true, true}) = a(slice(none, -1));
    expect_values(a, {2, 2, 3, 3});
  });
}

TEST(Mask, ManyElements) {
  on_every_device([] {
    const std::int64_t n = 200003;
    const array<int> source = gpu::arange<int>(n);
    const array<int> thirds = source(source % 3 == 0);
    const std::vector<int> values = gpu::to_host(thirds);
    ASSERT_EQ(values.size(), 66668U);
    for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(values[i], static_cast<int>(3 * i));
    array<int> target = gpu::zeros<int>({n});
    target(source % 3 == 0) = thirds + 1;
    target(source % 3 == 1) = 7;
    target(source % 3 == 2) -= 1;
    const std::vector<int> result = gpu::to_host(target);
    for (std::size_t i = 0; i < result.size(); ++i) {
      ASSERT_EQ(result[i], i % 3 == 0 ? static_cast<int>(i) + 1 : i % 3 == 1 ? 7 : -1) << i;
    }
    array<int> matrix = gpu::reshape(gpu::arange<int>(300 * 400), {300, 400});
    const array<bool> even = matrix % 2 == 0;
    matrix.T()(even.T()) = gpu::arange<int>(60000);
    EXPECT_EQ(matrix(0, 0).item(), 0);
    EXPECT_EQ(matrix(1, 0).item(), 1) << "in C order of the transposed view";
    EXPECT_EQ(matrix(299, 398).item(), 59999);
    EXPECT_EQ(matrix(299, 399).item(), 119999);
  });
}

TEST(Mask, EveryElementSize) {
  on_every_device([] {
    array<bool> b{true, false, true};
    const array<bool> m{false, true, true};
    expect_values(b(m), {false, true});
    array<gpu::half> h{1.0, 2.0, 3.0};
    h(m) = 0.5;
    expect_values(h, {gpu::half(1.0F), gpu::half(0.5F), gpu::half(0.5F)});
    array<gpu::complex<double>> z{1, 2, 3};
    expect_values(z(m), {2.0, 3.0});
    gpu::real(z)(m) = array<double>{8, 9};
    expect_values(z, {1.0, 8.0, 9.0});
  });
}

static_assert(!std::is_assignable_v<decltype(std::declval<const array<int>&>()(std::declval<array<bool>>())), int>);

}  // namespace
