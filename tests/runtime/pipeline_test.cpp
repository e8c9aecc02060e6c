#include "gpu/pipeline.hpp"

#include <cmath>
#include <numeric>
#include <stdexcept>

#include "gpu/arithmetic.hpp"
#include "gpu/creation.hpp"
#include "gpu/memory.hpp"
#include "gpu/pinned.hpp"
#include "gpu/reduce.hpp"
#include "gpu/runtime/statistics_resource.hpp"
#include "runtime_support.hpp"

namespace {

using gpu::array;
using gpu::device;
using gpu::view;
using runtime_test::expect_error;

const device host = device::host();

std::vector<float> counting(std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

TEST(pipeline, equals_the_whole_at_once) {
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on(d);
    for (const std::int64_t chunk : {1, 7, 100, 1000, 5000}) {
      for (const int depth : {2, 3, 5}) {
        const std::vector<float> source = counting(1000);
        std::vector<double> target(1000, -1.0);
        gpu::pipeline(gpu::borrowed(source), gpu::borrowed(target),
                      [](const view<const float>& x) { return gpu::array<double>(x * 2 + 1); },
                      {.chunk = chunk == 1 ? 99 : chunk, .depth = depth});
        for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(target[i], 2.0 * static_cast<double>(i + 1) + 1) << chunk;
      }
    }
  }
}

TEST(pipeline, rows_of_any_layout_and_memory) {
  for (const device d : runtime_test::all_devices()) {
    array<float> source;
    array<float> target;
    {
      const gpu::device_guard on_host(host);
      source = gpu::reshape(array<float>(counting(600)), {20, 30});
      target = gpu::zeros<float>({30});
    }
    const gpu::device_guard on(d);
    // The columns, last first.
    gpu::pipeline(source.T()(gpu::slice(gpu::none, gpu::none, -1), gpu::slice()), target,
                  [](const view<const float>& rows) { return gpu::sum(rows, {.axis = 1}); }, {.chunk = 4});
    const auto seen = target.span<1>();
    for (int j = 0; j < 30; ++j) {
      // Column 29 - j of the counting matrix: 20 times (30 - j), and 30 times 0 + 1 + ... + 19.
      ASSERT_EQ(seen(j), static_cast<float>(20 * (30 - j) + 30 * 190));
    }
    gpu::pinned<float> locked(gpu::shape{50, 2});
    std::iota(locked.begin(), locked.end(), 0.0F);
    gpu::pinned<float> result(gpu::shape{50, 2});
    gpu::pipeline(locked, result, [](const view<const float>& x) { return x + 1; }, {.chunk = 8});
    for (int i = 0; i < 100; ++i) ASSERT_EQ(std::as_const(result)[i], static_cast<float>(i + 1));
  }
}

TEST(pipeline, reads_and_writes_what_is_not_in_memory) {
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on(d);
    int next = 0;
    std::vector<float> seen;
    const auto read = [&](const view<float>& chunk) {
      const int count = std::min(64, 1000 - next);
      const auto to = chunk.span<1>();
      for (int i = 0; i < count; ++i) to(i) = static_cast<float>(next++);
      return count;
    };
    const auto write = [&](const view<const float>& result) {
      for (const float value : result.flat()) seen.push_back(value);
    };
    gpu::pipeline<float>({64}, read, [](const view<const float>& x) { return x * 3; }, write);
    ASSERT_EQ(seen.size(), 1000U);
    for (std::size_t i = 0; i < 1000; ++i) ASSERT_EQ(seen[i], static_cast<float>(3 * i));
  }
}

TEST(pipeline, memory_is_bounded) {
  for (const device d : runtime_test::all_devices()) {
    gpu::device_memory_resource memory(d);
    gpu::statistics_resource counted(memory);
    const gpu::scoped_memory_resource scope(d, counted);
    const gpu::device_guard on(d);
    constexpr std::int64_t chunk = 1 << 12;
    std::int64_t read_chunks = 0;
    double sum = 0;
    gpu::pipeline<float>(
        {chunk},
        [&](const view<float>& to) -> std::int64_t {
          if (read_chunks == 64) return 0;
          to = static_cast<float>(++read_chunks);
          return chunk;
        },
        [](const view<const float>& x) { return x + 1; },
        [&](const view<const float>& result) { sum += static_cast<double>(*result.flat().begin()); }, {.depth = 3});
    EXPECT_EQ(sum, 64.0 * 65 / 2 + 64);
    EXPECT_LE(counted.counts().peak, 8 * chunk * sizeof(float))
        << "three chunks in, three results, and what is being freed";
  }
}

TEST(pipeline, errors_leave_nothing_behind) {
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on(d);
    std::vector<float> source = counting(100);
    std::vector<float> target(100);
    const auto twice = [](const view<const float>& x) { return x * 2; };
    int calls = 0;
    const auto fails = [&](const view<const float>& x) -> array<float> {
      if (++calls == 3) throw std::out_of_range("of the function");
      return x * 2;
    };
    expect_error<std::out_of_range>(
        [&] { gpu::pipeline(gpu::borrowed(source), gpu::borrowed(target), fails, {.chunk = 10}); }, "of the function");
    const auto read = [&](const view<float>&) -> std::int64_t { throw std::out_of_range("of the reader"); };
    const auto write = [&](const view<const float>&) { throw std::out_of_range("of the writer"); };
    expect_error<std::out_of_range>([&] { gpu::pipeline<float>({10}, read, twice, write); }, "of the reader");
    int chunks = 0;
    const auto zeros = [&](const view<float>& to) -> std::int64_t {
      to = 0;
      return ++chunks < 5 ? 10 : 0;
    };
    expect_error<std::out_of_range>([&] { gpu::pipeline<float>({10}, zeros, twice, write); }, "of the writer");
    std::vector<float> short_target(99);
    const auto run = [&](auto& to, const auto& f, const gpu::pipeline_options& options) {
      gpu::pipeline(gpu::borrowed(source), gpu::borrowed(to), f, options);
    };
    EXPECT_THROW(run(short_target, twice, {}), gpu::shape_error);
    EXPECT_THROW(run(target, twice, {.depth = 1}), gpu::shape_error);
    EXPECT_THROW(run(target, twice, {.chunk = -1}), gpu::shape_error);
    EXPECT_THROW(run(target, [](const view<const float>& x) { return gpu::sum(x, {.axis = 0}); }, {}),
                 gpu::shape_error);
    run(target, twice, {.chunk = 10});
    EXPECT_EQ(target[99], 200.0F) << "the next one works";
    if (!d.is_host()) {
      EXPECT_THROW(gpu::pipeline(array<float>(source), gpu::borrowed(target), twice), gpu::device_error);
    }
  }
}

}  // namespace
