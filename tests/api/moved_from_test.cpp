/// @file
/// What was moved from has no elements: it can be read, printed, assigned to where that is a new value, and destroyed.
#include <gtest/gtest.h>

#include <type_traits>
#include <utility>

#include "gpu/exponents.hpp"
#include "gpu/print.hpp"
#include "gpu/reduce.hpp"
#include "gpu/runtime/event.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::expect_error;
using gpu::expect_values;
using gpu::on_every_device;
using gpu::shape;
using gpu::slice;

TEST(MovedFrom, Arrays) {
  on_every_device([] {
    array<float> a{1, 2, 3};
    const array<float> b = std::move(a);
    EXPECT_EQ(a.shape(), shape{0});
    expect_values(a + 1, {0}, {});
    a = b;
    expect_values(a, {1, 2, 3});
  });
}

TEST(MovedFrom, Views) {
  on_every_device([] {
    array<float> a{1, 2, 3};
    gpu::view<float> v = a(slice(0, 2));
    gpu::view<float> w = std::move(v);
    expect_values(w, {1, 2});
    EXPECT_EQ(v.shape(), shape{0});
    EXPECT_EQ(gpu::sum(v).item(), 0);
    EXPECT_EQ(gpu::array_str(v), "[]");
    v += 1;
    expect_error<gpu::shape_error>([&] { v = a; }, "(3,)");
    gpu::view<float> other = a(slice(1, 3));
    expect_error<gpu::shape_error>([&] { std::swap(other, w); },
                                   "(2,)");  // would write through a view without elements
    expect_values(a, {1, 2, 3});
    v.rebind(a);
    expect_values(v, {1, 2, 3});
  });
}

TEST(MovedFrom, Expressions) {
  on_every_device([] {
    array<float> a{1, 2, 3};
    auto e = a + 1;
    const auto f = std::move(e);
    EXPECT_EQ(e.shape(), shape{0});
    expect_values(e, {0}, {});
    auto g = f * 2;
    expect_values(std::move(g) + f, {6, 9, 12});
    EXPECT_EQ(g.shape(), shape{0});
    expect_values(gpu::exp(g), {0}, {});
    const auto h = std::move(f) + 1;  // of a const expression nothing can be taken
    expect_values(f, {2, 3, 4});
    expect_values(h, {3, 4, 5});
    a = array<float>();  // frees the memory, which only the expressions kept
    expect_values(e, {0}, {});
    expect_values(f, {2, 3, 4});
  });
}

TEST(MovedFrom, Streams) {
  gpu::stream s(gpu::device::host());
  const gpu::stream t = std::move(s);
  EXPECT_EQ(s, gpu::stream::default_stream(gpu::device::host()));
  EXPECT_NE(s, t);
  int calls = 0;
  s.launch_host_function([&] { ++calls; });
  s.synchronize();
  EXPECT_TRUE(s.record().done());
  EXPECT_EQ(calls, 1);
}

TEST(Value, SwapsAndDeducesItsType) {
  on_every_device([] {
    array a{1.5, 2.5};
    static_assert(std::is_same_v<decltype(a), array<double>>);
    array<double> b{3};
    const double* const data = a.data();
    swap(a, b);
    EXPECT_EQ(b.data(), data);
    expect_values(a, {3});
    expect_values(b, {1.5, 2.5});
  });
}

}  // namespace
