/// @file
/// `a = expr` reuses memory whenever nobody can tell: preallocated loops allocate nothing.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>

#include "gpu/map.hpp"
#include "gpu/memory.hpp"
#include "gpu/reduce.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::ellipsis;
using gpu::expect_values;
using gpu::on_every_device;
using gpu::slice;

std::uint64_t allocations() { return gpu::get_memory_resource(gpu::current_device()).statistics().allocations; }

/// How many blocks of memory `f()` asks for.
template <class F>
std::uint64_t allocations_of(const F& f) {
  const std::uint64_t before = allocations();
  f();
  return allocations() - before;
}

struct halve {
  constexpr float operator()(float x) const noexcept { return x / 2; }
};
struct halve_and_maybe_throw {
  constexpr float operator()(float x) const { return x / 2; }
};

TEST(MemoryReuse, PreallocatedLoopsAllocateNothing) {
  on_every_device([] {
    array<float> a = gpu::full<float>({40, 50}, 1);
    const array<float> b = gpu::full<float>({40, 50}, 2);
    const array<float> row = gpu::full<float>({50}, 3);
    array<float> c = gpu::empty<float>({40, 50});
    const float* const a_data = a.data();
    const float* const c_data = c.data();
    EXPECT_EQ(allocations_of([&] {
                for (int i = 0; i < 10; ++i) {
                  c = a * b + row;
                  a = a + 1;
                  a = c - a * 2;
                  c = b.T().T();
                  c = b;
                  a = gpu::map(halve{}, a);
                  a += b;
                  a(ellipsis) = c * 2;
                  a(slice(0, 10)) *= 2;
                  c(slice(), 0) = row(slice(0, 40));
                }
              }),
              0U);
    EXPECT_EQ(a.data(), a_data);
    EXPECT_EQ(c.data(), c_data);
    EXPECT_EQ(a(39, 49).item(), 4);
    EXPECT_EQ(a(0, 0).item(), 8);
  });
}

TEST(MemoryReuse, ConversionsReuseToo) {
  on_every_device([] {
    array<double> d = gpu::zeros<double>({8});
    const array<int> i = gpu::arange<int>(8);
    const double* const data = d.data();
    EXPECT_EQ(allocations_of([&] {
                d = i;
                d = i * 2;
                d = d + i;
                d(ellipsis) = i;
                d += i;
              }),
              0U);
    EXPECT_EQ(d.data(), data);
    EXPECT_EQ(d(7).item(), 14);
  });
}

TEST(MemoryReuse, NotWhenSomebodyElseCouldTell) {
  on_every_device([] {
    array<int> a{1, 2, 3};
    const int* const data = a.data();
    {
      const gpu::view<int> v = a(slice());
      a = a + 1;
      EXPECT_NE(a.data(), data) << "a view";
      expect_values(v, {1, 2, 3});
    }
    const int* const second = a.data();
    {
      const auto e = a * 10;
      a = a + 1;
      EXPECT_NE(a.data(), second) << "a pending expression";
      expect_values(e, {20, 30, 40});
    }
    const int* const third = a.data();
    a = a + 1;
    EXPECT_EQ(a.data(), third) << "the view and the expression are gone";
    auto e = a + 1;
    a = e;
    EXPECT_NE(a.data(), third) << "a named expression may be evaluated again";
    expect_values(e, {5, 6, 7});
    expect_values(a, {5, 6, 7});
  });
}

TEST(MemoryReuse, NotWhenShapesDiffer) {
  on_every_device([] {
    array<int> a{{1, 2, 3}, {4, 5, 6}};
    const array<int> b{1, 2};
    a = b + 1;
    expect_values(a, {2, 3});
    a = a + array<int>{{1}, {2}};
    expect_values(a, {2, 2}, {3, 4, 4, 5});
    a = a(0) + a(1);
    expect_values(a, {7, 9});
  });
}

TEST(MemoryReuse, NotWhenElementsAreReadElsewhere) {
  on_every_device([] {
    array<int> a{{1, 2}, {3, 4}};
    a = a + a.T();
    expect_values(a, {2, 2}, {2, 5, 5, 8});
    a = a - a(0);
    expect_values(a, {2, 2}, {0, 0, 3, 3});
    array<int> fortran = array<int>{{1, 2}, {3, 4}}.T();
    const array<int> copy = fortran;  // keeps the order of axes
    fortran = copy + 0;
    expect_values(fortran, {2, 2}, {1, 3, 2, 4});
  });
}

TEST(MemoryReuse, OneAllocationForANewValue) {
  on_every_device([] {
    const array<int> a = gpu::arange<int>(1000);
    EXPECT_EQ(allocations_of([&] { const array<int> b = a * a + a; }), 1U) << "no temporaries";
    EXPECT_EQ(allocations_of([&] { const array<int> b = a; }), 1U);
    EXPECT_EQ(allocations_of([&] {
                array<int> b;
                b = a + 1;
                array<int> c = std::move(b);
                b = std::move(c);
              }),
              1U);
    EXPECT_EQ(allocations_of([&] { static_cast<void>(a * a + a(slice(0, 1))); }), 0U) << "nothing is evaluated";
    EXPECT_EQ(allocations_of([&] {
                static_cast<void>(a(slice(10, 20)));
                static_cast<void>(gpu::reshape(a, {10, 100}).T());
                static_cast<void>(gpu::broadcast_to(a, {100, 1000}));
              }),
              0U)
        << "views";
  });
}

TEST(MemoryReuse, ReductionsReadExpressionsDirectly) {
  for (const gpu::device d : {gpu::device::host()}) {
    const gpu::device_guard on(d);
    const array<float> a = gpu::full<float>({300, 200}, 2);
    EXPECT_EQ(allocations_of([&] { static_cast<void>(gpu::sum(a * a + 1)); }), 1U) << "the result alone";
    EXPECT_EQ(allocations_of([&] { static_cast<void>(gpu::max(a - 3, {.axis = 0})); }), 1U);
  }
}

TEST(MemoryReuse, FunctorsThatMayThrowGoThroughATemporary) {
  const gpu::device_guard on(gpu::device::host());
  array<float> a{1, 2};
  EXPECT_EQ(allocations_of([&] { a(ellipsis) = gpu::map(halve_and_maybe_throw{}, a); }), 1U);
  EXPECT_EQ(allocations_of([&] { a(ellipsis) = gpu::map(halve{}, a); }), 0U);
  expect_values(a, {0.25F, 0.5F});
}

TEST(MemoryReuse, ACacheLimitGivesFreedBlocksBack) {
  on_every_device([] {
    const gpu::device d = gpu::current_device();
    const auto cached_after_use = [&](std::size_t limit) {
      static_cast<void>(gpu::memory::trim(d, true));
      gpu::memory::set_cache_limit(d, limit);
      {
        const auto a = gpu::zeros<float>({1 << 20});
      }
      return gpu::memory::statistics(d).cached;
    };
    EXPECT_EQ(cached_after_use(0), 0u);
    EXPECT_GE(cached_after_use(d.memory_info().total / 2), std::size_t{4} << 20);  // the limit that pools start with
  });
}

}  // namespace
