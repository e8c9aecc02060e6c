/// @file
/// Views refer to elements: they write through, outlive their arrays, and rebind only by `rebind`.
#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

#include "gpu/complex_numbers.hpp"
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
using gpu::view;

// A view of a const array, a broadcast view and a view of const elements cannot be written.
template <class A, class Value>
concept assignable_elements = requires(A a, Value value) { a(0) = value; };
static_assert(assignable_elements<array<float>&, float>);
static_assert(!assignable_elements<const array<float>&, float>);
static_assert(assignable_elements<const view<float>&, float>,
              "a const view still refers to elements that are not const");
static_assert(!assignable_elements<view<const float>, float>);
static_assert(!std::is_assignable_v<decltype(gpu::broadcast_to(std::declval<array<float>&>(), {2, 3})), float>);
static_assert(!std::is_copy_assignable_v<view<const float>>);
static_assert(std::is_convertible_v<array<float>&, view<float>>);
static_assert(std::is_convertible_v<const array<float>&, view<const float>>);
static_assert(!std::is_convertible_v<const array<float>&, view<float>>);
static_assert(std::is_convertible_v<view<float>, view<const float>>);
static_assert(!std::is_convertible_v<view<const float>, view<float>>);
static_assert(!std::is_convertible_v<array<double>&, view<float>>);
static_assert(std::is_same_v<decltype(gpu::transpose(std::declval<const array<float>&>())), view<const float>>);
static_assert(std::is_same_v<decltype(gpu::transpose(std::declval<array<float>&>())), view<float>>);

TEST(View, WritesThrough) {
  on_every_device([] {
    array<int> a{{1, 2, 3}, {4, 5, 6}};
    view<int> row = a(1);
    row = 7;
    expect_values(a, {2, 3}, {1, 2, 3, 7, 7, 7});
    a(slice(), 0) = 0;
    a.T()(2) = array<int>{8, 9};
    expect_values(a, {2, 3}, {0, 2, 8, 0, 7, 9});
    gpu::reshape(a, {3, 2})(0, 1) += 10;
    gpu::flip(a)(0, 0) *= 2;
    gpu::diagonal(a) -= 1;
    expect_values(a, {2, 3}, {-1, 12, 8, 0, 6, 18});
    a(ellipsis) = a + 1;
    expect_values(a, {2, 3}, {0, 13, 9, 1, 7, 19});
    expect_values(row, {1, 7, 19});
  });
}

TEST(View, AssignsEveryKindOfValue) {
  on_every_device([] {
    array<float> a{{1, 2}, {3, 4}};
    const array<int> integers{5, 6};
    a(0) = integers;  // another type
    expect_values(a, {2, 2}, {5, 6, 3, 4});
    a(ellipsis) = integers(slice(0, 1));  // broadcast
    expect_values(a, {2, 2}, {5, 5, 5, 5});
    a(1) = a(0) * 2 + 1;  // expression
    expect_values(a, {2, 2}, {5, 5, 11, 11});
    const view<float> first = a(0);
    first = a(1);  // view: copies elements
    expect_values(a, {2, 2}, {11, 11, 11, 11});
    a(ellipsis) = gpu::half(1.5F);  // a number of the library's
    expect_values(a, {2, 2}, {1.5F, 1.5F, 1.5F, 1.5F});
    a(ellipsis) = array<float>{{{1}, {2}}};  // a leading extent of 1 may be dropped, as in NumPy
    expect_values(a, {2, 2}, {1, 1, 2, 2});
    a(0, 0) = array<float>{{3}};
    expect_values(a, {2, 2}, {3, 1, 2, 2});
  });
}

TEST(View, AssignmentNeverRebinds) {
  on_every_device([] {
    array<int> a{1, 2, 3};
    array<int> b{4, 5, 6};
    view<int> v = a(slice(0, 2));
    v = b(slice(1, 3));
    expect_values(a, {5, 6, 3});
    view<int> copy = v;  // construction refers
    copy(0) = 9;
    expect_values(a, {9, 6, 3});
    v.rebind(b(slice(1, 3)));
    v = 0;
    expect_values(a, {9, 6, 3});
    expect_values(b, {4, 0, 0});
    v = std::move(copy);
    expect_values(b, {4, 9, 6});
    view<const int> reader = a;
    expect_values(reader, {9, 6, 3});
    reader.rebind(b);
    expect_values(reader, {4, 9, 6});
  });
}

TEST(View, OutlivesItsArray) {
  const gpu::without_pool freed_memory_is_gone;
  on_every_device([] {
    view<int> v = array<int>{1, 2, 3}(slice(1, 3));
    expect_values(v, {2, 3});
    {
      array<int> a{{4, 5}, {6, 7}};
      v.rebind(a(1));
      a(1, 0) = 8;
    }
    v += 1;
    expect_values(v, {9, 8});
    const auto t = gpu::transpose(array<int>{{1, 2}, {3, 4}});
    expect_values(t, {2, 2}, {1, 3, 2, 4});
    const auto kept = gpu::broadcast_to(array<int>{1, 2} + array<int>{10, 10}, {2, 2});
    expect_values(kept, {2, 2}, {11, 12, 11, 12});
  });
}

TEST(View, KeepsTheOldValueWhenTheArrayIsAssigned) {
  on_every_device([] {
    array<int> a{1, 2, 3};
    const view<int> v = a(slice());
    a = a + 10;
    expect_values(v, {1, 2, 3});
    a = array<int>{7, 8, 9};
    expect_values(v, {1, 2, 3});
    const view<int> w = a(slice(1, 3));
    a += 1;
    expect_values(w, {9, 10});
    auto& same = a;
    a = std::move(same);
    expect_values(w, {9, 10});
  });
}

float total(view<const float> x) { return gpu::sum(x).item(); }

TEST(View, ConstViewParametersAcceptEverything) {
  on_every_device([] {
    array<float> a{{1, 2}, {3, 4}};
    const array<float> c = a;
    EXPECT_EQ(total(a), 10);
    EXPECT_EQ(total(c), 10);
    EXPECT_EQ(total(a(0)), 3);
    EXPECT_EQ(total(c(0)), 3);
    EXPECT_EQ(total(a + c), 20);
    EXPECT_EQ(total(a(a > 2)), 7);
    EXPECT_EQ(total(array<int>{1, 2}), 3) << "converted";
    EXPECT_EQ(total(array<float>{5}), 5);
  });
}

TEST(View, BroadcastViewsCannotBeWritten) {
  on_every_device([] {
    array<float> a{1, 2, 3};
    const auto wide = gpu::broadcast_to(a, {2, 3});
    EXPECT_EQ(wide.strides(), (gpu::index_vector{0, 4}));
    expect_values(wide + a, {2, 3}, {2, 4, 6, 2, 4, 6});
    expect_values(wide(slice(), 1), {2, 2});
    // However such a view comes about, writing through it is refused at run time too.
    gpu::detail::storage s = wide.storage();
    view<float> forged(s);
    expect_error<gpu::shape_error>([&] { forged = 1; }, "assignment destination is read-only");
    expect_error<gpu::shape_error>([&] { forged += 1; }, "read-only");
    expect_error<gpu::shape_error>([&] { forged = array<float>{4, 5, 6}; }, "read-only");
    expect_error<gpu::shape_error>([&] { forged(forged > 0) = array<float>{4, 5}; }, "read-only");
    expect_values(a, {1, 2, 3});
    expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::broadcast_to(a, {3, 2})); },
                                   "(3,) and requested shape (3,2)");
    const auto unchanged = gpu::broadcast_to(a, {1, 3});
    EXPECT_FALSE(gpu::is_broadcast(unchanged.storage().where));
  });
}

TEST(View, PartsOfComplexNumbers) {
  on_every_device([] {
    array<gpu::complex<float>> z{gpu::complex<float>(1, 2), gpu::complex<float>(3, 4)};
    gpu::real(z) = 7;
    gpu::imag(z)(1) *= -1;
    expect_values(z, {gpu::complex<float>(7, 2), gpu::complex<float>(7, -4)});
    expect_values(gpu::real(z(slice(none, none, -1))) + gpu::imag(z), {9, 3});
    array<float> r{1, 2};
    gpu::real(r)(0) = 5;  // of a real array: the array itself
    expect_values(r, {5, 2});
    expect_values(gpu::imag(r), {0, 0});
  });
}

}  // namespace
