/// @file
/// A failed operation leaves its operands as they were, whether it fails early or in the middle of a loop, and what a
/// functor throws arrives in the calling thread.
#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/map.hpp"
#include "gpu/reduce.hpp"
#include "gpu/scan.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::ellipsis;
using gpu::expect_error;
using gpu::expect_values;
using gpu::on_every_device;
using gpu::slice;

/// Throws for one value. Only for the host: devices have no exceptions.
struct fails_at {
  int bad;
  int operator()(int x) const {
    if (x == bad) throw std::out_of_range("element " + std::to_string(x));
    return -x;
  }
};

TEST(Failure, ShapeErrorsLeaveTheTarget) {
  on_every_device([] {
    array<int> a{1, 2, 3};
    const int* const data = a.data();
    const array<int> b{1, 2};
    EXPECT_THROW(a = a + b, gpu::shape_error);
    EXPECT_THROW(a += b, gpu::shape_error);
    EXPECT_THROW(a(ellipsis) = b, gpu::shape_error);
    EXPECT_THROW(a(slice(0, 1)) = b, gpu::shape_error);
    EXPECT_THROW(a(a > 1) = array<int>{1}(slice(0, 0)), gpu::shape_error);
    EXPECT_THROW(a(a > 1) = array<int>({7, 8, 9}), gpu::shape_error);
    EXPECT_THROW((a(a > 1) += array<int>{7, 8, 9}), gpu::shape_error);
    EXPECT_THROW(a(b > 1) = 0, gpu::index_error);
    EXPECT_THROW(a(3) = 0, gpu::index_error);
    EXPECT_THROW(a = gpu::reshape(a, {2, 2}), gpu::shape_error);
    EXPECT_THROW(a = gpu::sum(a, {.axis = 1}), gpu::axis_error);
    EXPECT_EQ(a.data(), data);
    expect_values(a, {1, 2, 3});
  });
}

TEST(Failure, ValuesThatDoNotFitLeaveTheTarget) {
  on_every_device([] {
    array<gpu::int8> a{1, 2, 3};
    EXPECT_THROW(a = a + 300, gpu::type_error);
    EXPECT_THROW(a += 300, gpu::type_error);
    EXPECT_THROW(a(ellipsis) = 300, gpu::type_error);
    EXPECT_THROW(a(a > 1) = -129, gpu::type_error);
    EXPECT_THROW((a(a > 1) *= 128), gpu::type_error);
    expect_values(a, {1, 2, 3});
  });
}

void expect_unchanged_by_throwing(std::int64_t n) {
  const gpu::device_guard on(gpu::device::host());
  const fails_at f{static_cast<int>(n) - 2};
  const std::vector<int> before = gpu::to_host(gpu::arange<int>(n));
  const std::string text = "element " + std::to_string(n - 2);
  array<int> a = gpu::arange<int>(n);
  const int* const data = a.data();
  expect_error<std::out_of_range>([&] { a = gpu::map(f, a); }, text);
  expect_error<std::out_of_range>([&] { a = gpu::map(f, a) + 1; }, text);
  expect_error<std::out_of_range>([&] { a += gpu::map(f, a); }, text);
  expect_error<std::out_of_range>([&] { a(ellipsis) = gpu::map(f, a); }, text);
  expect_error<std::out_of_range>([&] { a(slice(gpu::none, gpu::none, -1)) = gpu::map(f, a) * 2; }, text);
  expect_error<std::out_of_range>([&] { a(a >= 0) = gpu::map(f, a); }, text);
  expect_error<std::out_of_range>([&] { a(gpu::map(f, a) > 0) = 7; }, text);
  expect_error<std::out_of_range>([&] { a(a >= 0) *= gpu::map(f, a); }, text);
  expect_error<std::out_of_range>([&] { a = array<int>(gpu::map(f, a)); }, text);
  expect_error<std::out_of_range>([&] { static_cast<void>(gpu::sum(gpu::map(f, a))); }, text);
  expect_error<std::out_of_range>(
      [&] { static_cast<void>(gpu::max(gpu::map(f, gpu::reshape(a, {2, -1})), {.axis = 0})); }, text);
  expect_error<std::out_of_range>(
      [&] { static_cast<void>(gpu::argmax(gpu::map(f, gpu::reshape(a, {-1, 2})), {.axis = 1})); }, text);
  expect_error<std::out_of_range>([&] { static_cast<void>(gpu::cumsum(gpu::map(f, a))); }, text);
  expect_error<std::out_of_range>([&] { static_cast<void>(gpu::to_host(gpu::map(f, a))); }, text);
  EXPECT_EQ(a.data(), data);
  EXPECT_EQ(gpu::to_host(a), before);
  EXPECT_EQ(gpu::sum(gpu::map(fails_at{-1}, a)).item(), -n * (n - 1) / 2) << "and everything still works";
}

TEST(Failure, ThrowingFunctor) { expect_unchanged_by_throwing(10); }
TEST(Failure, ThrowingFunctorInAParallelLoop) { expect_unchanged_by_throwing(200000); }

TEST(Failure, OutOfMemoryLeavesTheTarget) {
  on_every_device([] {
    array<double> a{1, 2, 3};
    const auto huge = gpu::broadcast_to(a, {std::int64_t{1} << 40, 1000, 3});
    EXPECT_THROW(a = huge + 1, std::bad_alloc);
    EXPECT_THROW(a = array<double>(huge), std::bad_alloc);
    EXPECT_THROW(static_cast<void>(gpu::empty<double>({std::int64_t{1} << 50})), gpu::out_of_memory);
    expect_error<gpu::shape_error>([] { static_cast<void>(gpu::empty<double>({std::int64_t{1} << 61})); }, "too big");
    expect_error<gpu::shape_error>(
        [] { static_cast<void>(gpu::empty<char>({std::int64_t{1} << 40, std::int64_t{1} << 40})); }, "too big");
    expect_values(a, {1, 2, 3});
  });
}

TEST(Failure, ErrorsAreOneFamily) {
  on_every_device([] {
    const array<int> a{1, 2};
    EXPECT_THROW(static_cast<void>(a(2)), gpu::error);
    EXPECT_THROW(static_cast<void>(a(2)), std::runtime_error);
    EXPECT_THROW(static_cast<void>(gpu::sum(a, {.axis = 5})), gpu::index_error) << "an axis error is an index error";
    EXPECT_THROW(static_cast<void>(gpu::empty<double>({std::int64_t{1} << 50})), gpu::error);
    EXPECT_THROW(static_cast<void>(gpu::empty<double>({std::int64_t{1} << 50})), std::exception);
  });
}

/// Calls `f` on a stream whose pool holds what other arrays left behind, and expects its error and zeros.
template <class F>
void expect_zeros_after(F&& f) {
  const gpu::device_guard on(gpu::device::host());
  const gpu::stream s;
  const gpu::stream_guard guard(s);
  for (const std::int64_t n : {1, 4, 1000}) {
    std::vector<array<int>> others;
    for (int i = 0; i < 8; ++i) others.push_back(gpu::full<int>({n}, 777));
  }
  const auto result = f();
  expect_error<std::out_of_range>([&] { s.synchronize(); }, "element 3");
  EXPECT_TRUE(gpu::all(result == 0).item()) << result.shape().to_string();
}

TEST(Failure, NewArraysOfAStreamAreZerosNotOtherMemory) {
  const gpu::device_guard on(gpu::device::host());
  const array<int> a{1, 2, 3, 4};
  std::vector<int> many(1000, 1);
  many[999] = 3;
  const array<int> large(many);
  const fails_at three{3};
  expect_zeros_after([&] {
    array<int> b = a;
    b = gpu::map(three, b);
    return b;
  });
  expect_zeros_after([&] { return array<int>(gpu::map(three, a)); });
  expect_zeros_after([&] { return array<double>(gpu::map(three, large) * 2.0); });
  expect_zeros_after([&] { return array<std::int64_t>(gpu::sum(gpu::map(three, a))); });
  expect_zeros_after([&] { return gpu::sum(gpu::map(three, gpu::reshape(large, {10, 100})), {.axis = 1}); });
  expect_zeros_after([&] { return gpu::max(gpu::map(three, gpu::reshape(large, {10, 100})), {.axis = 0}); });
  expect_zeros_after([&] { return gpu::cumsum(gpu::map(three, a)); });
  expect_zeros_after([&] { return gpu::map(three, a).eval(); });
}

TEST(Failure, OnAStreamWorkInPlaceKeepsOldValues) {
  const gpu::device_guard on(gpu::device::host());
  const gpu::stream s;
  const gpu::stream_guard guard(s);
  array<int> a{1, 2, 3, 4};
  const fails_at three{3};
  const auto keeps = [&](auto&& f) {
    f();
    expect_error<std::out_of_range>([&] { s.synchronize(); }, "element 3");
    expect_values(a, {1, 2, 3, 4});
  };
  keeps([&] { a(ellipsis) = gpu::map(three, a); });
  keeps([&] { a += gpu::map(three, a); });
  keeps([&] { a(slice(1, 3)) = gpu::map(three, a(slice(1, 3))); });
  keeps([&] { a(slice(gpu::none, gpu::none, -1)) = gpu::map(three, a); });
}

TEST(Failure, OnAStreamWhatReadsANewArrayFindsZeros) {
  const gpu::device_guard on(gpu::device::host());
  const gpu::stream s;
  const gpu::stream_guard guard(s);
  const fails_at three{3};
  {
    const array<int> other = gpu::full<int>({4}, 777);
  }
  array<int> a{1, 2, 3, 4};
  const array<int> tail{3, 4};
  for (int i = 0; i < 100; ++i) {  // these wait for the values
    expect_error<std::out_of_range>([&] { a(a > 2) = gpu::map(three, tail); }, "element 3");
    expect_error<std::out_of_range>([&] { a(a > 2) += gpu::map(three, tail); }, "element 3");
  }
  s.synchronize();
  expect_values(a, {1, 2, 3, 4});
  a(0) = gpu::sum(gpu::map(three, tail));
  expect_error<std::out_of_range>([&] { s.synchronize(); }, "element 3");
  expect_values(a, {0, 2, 3, 4});
}

TEST(Failure, OnAStreamWhatWasWrittenThroughAPointerIsKept) {
  const gpu::device_guard on(gpu::device::host());
  const gpu::stream s;
  const gpu::stream_guard guard(s);
  array<int> a = gpu::empty<int>({2});
  a.data()[0] = 5;
  a.data()[1] = 6;
  a(ellipsis) = gpu::map(fails_at{3}, array<int>{1, 3});
  expect_error<std::out_of_range>([&] { s.synchronize(); }, "element 3");
  expect_values(a, {5, 6});
}

}  // namespace
