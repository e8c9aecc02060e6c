/// @file
/// Arrays on several devices: they can be held, moved, copied, indexed and printed everywhere; mixing devices in one
/// operation is an error that names both, and so is computing on a GPU in a file that was compiled without CUDA.
#include <gtest/gtest.h>

#if !defined(__CUDACC__)

#include <vector>

#include "gpu/joining.hpp"
#include "gpu/linalg.hpp"
#include "gpu/logic.hpp"
#include "gpu/print.hpp"
#include "gpu/random.hpp"
#include "gpu/rearranging.hpp"
#include "gpu/reduce.hpp"
#include "gpu/scan.hpp"
#include "gpu/tiling.hpp"
#include "support/expect.hpp"
#include "support/fake_device.hpp"

namespace {

using gpu::array;
using gpu::device;
using gpu::device_error;
using gpu::ellipsis;
using gpu::expect_error;
using gpu::expect_values;
using gpu::none;
using gpu::slice;

class DeviceMixing : public testing::Test {
 protected:
  const gpu::device_guard on_host{device::host()};
  const device first = fake_device::cuda(0);
  const device second = fake_device::cuda(1);
  const array<int> h{{1, 2, 3}, {4, 5, 6}};
};

TEST_F(DeviceMixing, WhatNeedsNoComputation) {
  array<int> a = h.to(first);
  EXPECT_EQ(a.device(), first);
  EXPECT_EQ(a.device().to_string(), "cuda:0");
  expect_values(a, {2, 3}, {1, 2, 3, 4, 5, 6});
  expect_values(gpu::concatenate(a, a(gpu::slice(1, 2))), {3, 3}, {1, 2, 3, 4, 5, 6, 4, 5, 6});
  expect_values(gpu::roll(a, 1, {.axis = 1}), {2, 3}, {3, 1, 2, 6, 4, 5});
  EXPECT_EQ(gpu::tile(a, 2).device(), first);
  array<int> b = a;
  EXPECT_EQ(b.device(), first);
  EXPECT_NE(a.data(), b.data());
  b(0) = a(1);
  b(1, slice(none, none, -1)) = b(1);
  expect_values(b, {2, 3}, {4, 5, 6, 6, 5, 4});
  expect_values(b.T(), {3, 2}, {4, 6, 5, 5, 6, 4});
  expect_values(b.T().to(second), {3, 2}, {4, 6, 5, 5, 6, 4});
  EXPECT_EQ(b.T().to(second).device(), second);
  EXPECT_EQ(b(0, 2).item(), 6);
  EXPECT_EQ(float(b(0, 2)), 6.0F);
  EXPECT_EQ(gpu::array_str(b), "[[4 5 6]\n [6 5 4]]");
  const array<int> c = std::move(b);
  EXPECT_EQ(c.device(), first);
  a = c;
  expect_values(a, {2, 3}, {4, 5, 6, 6, 5, 4});
  a = h;  // a copy of a host array: a value is where what it was copied from is
  EXPECT_TRUE(a.device().is_host());
  expect_values(gpu::reshape(c.T(), {6}), {4, 6, 5, 5, 6, 4});
  const gpu::device_guard on(second);
  EXPECT_EQ((array<int>{1, 2}).device(), second);
  EXPECT_EQ(gpu::zeros<int>({3}).device(), second);
  expect_values(gpu::zeros<int>({3}), {0, 0, 0});
  expect_values(array<int>{{1, 2}, {3, 4}}(slice(), 1), {2, 4});
}

TEST_F(DeviceMixing, OperandsOnDifferentDevices) {
  const array<int> a = h.to(first);
  const array<int> b = h.to(second);
  expect_error<device_error>([&] { static_cast<void>(a + h); },
                             "add: operands are on different devices, cuda:0 and host");
  expect_error<device_error>([&] { static_cast<void>(h * 2 < b); },
                             "less: operands are on different devices, host and cuda:1");
  expect_error<device_error>([&] { static_cast<void>(gpu::where(h > 0, a, b)); },
                             "where: operands are on different devices");
  expect_error<device_error>([&] { static_cast<void>(gpu::matmul(a, h.T())); }, "cuda:0 and host");
  expect_error<device_error>([&] { static_cast<void>(gpu::sum(a, {.where = h > 0})); }, "cuda:0");
  expect_error<device_error>([&] { static_cast<void>(a(h > 0)); },
                             "cannot index an array on cuda:0 with a mask on host");
  array<int> target = h;
  expect_error<device_error>([&] { target += a; }, "host and cuda:0");
  expect_error<device_error>([&] { target(ellipsis) = a; }, "cannot assign an array on cuda:0 to elements on host");
  expect_error<device_error>([&] { target(h > 0) = a(0); }, "cuda:0");
  expect_values(target, {2, 3}, {1, 2, 3, 4, 5, 6});
  // Numbers, and arrays without memory, go anywhere.
  EXPECT_EQ((a + 1).device(), first);
  EXPECT_EQ((array<int>() + a(0, slice(0, 1))).device(), first);
}

TEST_F(DeviceMixing, ComputingWithoutCuda) {
  array<int> a = h.to(first);
  const char* const text = "cannot compute on cuda:0 in this file: it was compiled without CUDA; compile it with nvcc";
  expect_error<device_error>([&] { static_cast<void>((a + 1).eval()); }, text);
  expect_error<device_error>([&] { a += 1; }, text);
  expect_error<device_error>([&] { a(0) = 1; }, text);
  expect_error<device_error>([&] { a = a * 2; }, text);
  expect_error<device_error>([&] { const array<double> b = a; }, text);
  expect_error<device_error>([&] { static_cast<void>(gpu::sum(a)); }, text);
  expect_error<device_error>([&] { static_cast<void>(gpu::argmax(a)); }, text);
  expect_error<device_error>([&] { static_cast<void>(gpu::cumsum(a)); }, text);
  expect_error<device_error>([&] { static_cast<void>(gpu::matmul(a, a.T())); }, text);
  const array<bool> mask = (h > 2).eval().to(first);
  expect_error<device_error>([&] { static_cast<void>(a(mask).eval()); }, text);
  expect_error<device_error>([&] { a(mask) = 0; }, text);
  expect_error<device_error>([&] { a(mask) = h(h > 2).eval().to(first); }, text);
  expect_values(a, {2, 3}, {1, 2, 3, 4, 5, 6});
  const gpu::device_guard on(first);
  expect_error<device_error>([&] { static_cast<void>(gpu::arange<int>(3)); }, text);
  expect_error<device_error>([&] { static_cast<void>(gpu::random::uniform<float>({3})); }, text);
  expect_error<device_error>([&] { static_cast<void>(gpu::full<int>({3}, 1)); }, text);
  expect_error<device_error>([&] { static_cast<void>(a.span<2>()); },
                             "span: the array is on cuda:0; copy it with .to(gpu::device::host())");
  expect_error<device_error>([&] { static_cast<void>(a.flat()); }, "flat: the array is on cuda:0");
}

TEST_F(DeviceMixing, StreamsBelongToDevices) {
  const gpu::stream s(device::host());
  const gpu::stream_guard guard(s);
  EXPECT_EQ(gpu::current_stream(device::host()), s);
  EXPECT_NE(gpu::current_stream(first), s);
  const array<int> a = (h * 10).eval().to(first);
  expect_values(a.T().to(device::host()) + 1, {3, 2}, {11, 41, 21, 51, 31, 61});
}

}  // namespace

#endif
