/// @file
/// Everything works alike on an explicit stream of the host, a thread of its own: results, order, and errors, which
/// travel to the next synchronisation.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gpu/exponents.hpp"
#include "gpu/linalg.hpp"
#include "gpu/map.hpp"
#include "gpu/print.hpp"
#include "gpu/reduce.hpp"
#include "gpu/scan.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::device;
using gpu::ellipsis;
using gpu::expect_error;
using gpu::expect_values;
using gpu::none;
using gpu::slice;
using gpu::stream;
using gpu::stream_guard;

struct fails {
  int operator()(int x) const {
    if (x == 3) throw std::domain_error("three");
    return 10 * x;
  }
};

/// Holds a stream up until it is released, so that what follows is certainly pending.
class gate {
 public:
  explicit gate(const stream& s) {
    s.launch_host_function([open = open_] {
      while (!open->load()) std::this_thread::yield();
    });
  }
  ~gate() { open_->store(true); }

 private:
  std::shared_ptr<std::atomic<bool>> open_ = std::make_shared<std::atomic<bool>>(false);
};

std::vector<double> everything() {
  std::vector<double> results;
  const auto keep = [&](const auto& a) {
    for (const auto& x : gpu::to_host(a)) results.push_back(static_cast<double>(x));
  };
  array<double> a = gpu::reshape(gpu::arange<double>(20), {4, 5});
  keep(a);
  keep(a * 2 + a.T()(0, 0));
  a += gpu::reshape(gpu::transpose(a), {4, 5});
  keep(a);
  a(slice(1, none)) = a(slice(none, -1));
  a(slice(), slice(none, none, 2)) *= 0.5;
  keep(a);
  a(a > 10) = a(a > 10) - 1;
  a(a < 3) = -1;
  keep(a(a > 5));
  keep(gpu::sum(a));
  keep(gpu::max(a, {.axis = 0}));
  keep(gpu::std(a, {.axis = 1}));
  keep(gpu::cumsum(a, {.axis = 1}));
  keep(gpu::matmul(a, a.T()));
  keep(gpu::exp(a / 100));
  array<double> b = a;
  b = b.T() + 1;
  b = b + b;
  a = gpu::zeros<double>({3});
  a = array<double>{1, 2, 3} * gpu::ones<double>({2, 1});
  keep(a);
  keep(b.copy());
  array<float> f = a;
  f(ellipsis) = gpu::full<float>({3}, 0.5F);
  keep(f);
  results.push_back(gpu::sum(f * f).item());
  results.push_back(bool(gpu::any(f > 1)) ? 1 : 0);
  for (const double x : b.flat()) results.push_back(x);
  return results;
}

TEST(Stream, GivesTheSameResults) {
  const gpu::device_guard on(device::host());
  const gpu::without_pool freed_memory_is_gone;
  const std::vector<double> expected = everything();
  const stream s(device::host());
  const stream_guard guard(s);
  EXPECT_EQ(gpu::current_stream(device::host()), s);
  EXPECT_EQ(everything(), expected);
}

TEST(Stream, PrintsAndReadsWhatIsPending) {
  const gpu::device_guard on(device::host());
  const stream s(device::host());
  const stream_guard guard(s);
  array<int> a = gpu::zeros<int>({3});
  for (int i = 0; i < 50; ++i) a = a + 1;
  EXPECT_EQ(gpu::array_str(a), "[50 50 50]");
  for (int i = 0; i < 50; ++i) a += 1;
  EXPECT_EQ(a(1).item(), 100);
  for (int i = 0; i < 50; ++i) a(slice(1, none)) = a(slice(none, -1)) + 1;
  EXPECT_EQ(gpu::to_host(a), (std::vector<int>{100, 101, 102}));
}

TEST(Stream, DoesNotWait) {
  const gpu::device_guard on(device::host());
  const stream s(device::host());
  array<int> result;
  gpu::view<const int> view = result;
  {
    const gpu::forbid_sync no_waiting;
    const gate closed(s);
    const stream_guard guard(s);
    array<int> a{1, 2, 3};
    const array<int> b = gpu::arange<int>(3) * 2;
    a += b;
    a(slice(0, 2)) = a(slice(1, 3)) * 2;
    a(a > 5) *= -1;
    result = a + gpu::sum(b) + gpu::matmul(a, b);
    view.rebind(result(slice(1, none)));
    expect_error<gpu::device_error>([&] { static_cast<void>(result(0).item()); }, "item() would wait");
    expect_error<gpu::device_error>([&] { static_cast<void>(gpu::to_host(result)); }, "would wait");
    expect_error<gpu::device_error>([&] { static_cast<void>(a(a > 5).eval()); }, "boolean mask would wait");
  }
  // a = [1, 4, 7] -> [8, 14, 7] -> [-8, -14, -7]; b = [0, 2, 4]; their product is -56, the sum of b 6.
  expect_values(result, {-58, -64, -57});
  expect_values(view, {-64, -57});
}

TEST(Stream, ArraysMoveBetweenStreams) {
  const gpu::device_guard on(device::host());
  const gpu::without_pool freed_memory_is_gone;
  const stream first(device::host());
  const stream second(device::host());
  array<int> a = gpu::zeros<int>({1000});
  for (int i = 0; i < 20; ++i) {
    {
      const stream_guard guard(first);
      a += 1;
    }
    {
      const stream_guard guard(second);
      a = a * 2;
    }
    a %= 1000003;
  }
  std::int64_t expected = 0;
  for (int i = 0; i < 20; ++i) expected = (expected + 1) * 2 % 1000003;
  EXPECT_EQ(gpu::min(a).item(), expected);
  EXPECT_EQ(gpu::max(a).item(), expected);
}

TEST(Stream, ExceptionsTravelToTheNextSynchronisation) {
  const gpu::device_guard on(device::host());
  const stream s(device::host());
  array<int> a{1, 2, 3, 4};
  const array<int> unchanged = a;
  {
    const stream_guard guard(s);
    a(ellipsis) = gpu::map(fails{}, a);
  }
  expect_error<std::domain_error>([&] { s.synchronize(); }, "three");
  s.synchronize();
  expect_values(a, {1, 2, 3, 4});  // a failed evaluation leaves the target, here too
  {
    const stream_guard guard(s);
    a += gpu::map(fails{}, a);
  }
  expect_error<std::domain_error>([&] { static_cast<void>(gpu::to_host(a)); }, "three");
  expect_values(a, {1, 2, 3, 4});
  {
    const stream_guard guard(s);
    const array<int> sums = gpu::sum(gpu::map(fails{}, a));
    expect_error<std::domain_error>([&] { static_cast<void>(sums.item()); }, "three");
    a(a != 3) = gpu::map(fails{}, a(a != 3));
  }
  expect_values(a, {10, 20, 3, 40});
  expect_values(unchanged, {1, 2, 3, 4});
}

TEST(Stream, LargeFailuresInParallelLoops) {
  const gpu::device_guard on(device::host());
  const stream s(device::host());
  const stream_guard guard(s);
  array<int> a = gpu::arange<int>(100000);
  a(ellipsis) = gpu::map(fails{}, a);
  expect_error<std::domain_error>([&] { s.synchronize(); }, "three");
  EXPECT_EQ(gpu::sum(a == gpu::arange<int>(100000)).item(), 100000);
  a(a != 3) += 1;
  EXPECT_EQ(a(99999).item(), 100000);
}

TEST(Stream, SeveralThreads) {
  const gpu::device_guard on(device::host());
  const array<double> shared = gpu::arange<double>(5000);
  std::vector<double> sums(4);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < sums.size(); ++t) {
    threads.emplace_back([&, t] {
      const gpu::device_guard here(device::host());
      const stream s(device::host());
      const stream_guard guard(s);
      array<double> a = shared * static_cast<double>(t);
      for (int i = 0; i < 10; ++i) a = a + shared;
      sums[t] = gpu::sum(a).item();
    });
  }
  for (std::thread& t : threads) t.join();
  for (std::size_t t = 0; t < sums.size(); ++t) EXPECT_EQ(sums[t], (10.0 + static_cast<double>(t)) * 12497500.0);
}

}  // namespace
