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

TEST(pipeline, source_and_target_that_overlap) {
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on(d);
    const auto next = [](const view<const float>& x) { return x + 1; };
    const auto refuses = [&](const auto& from, auto&& to, const char* text) {
      expect_error<gpu::shape_error>([&] { gpu::pipeline(from, to, next, {.chunk = 1, .depth = 2}); }, text);
    };
    std::vector<float> values = counting(12);
    const auto part = [&](std::int64_t begin, std::int64_t n) { return gpu::borrowed<float>(&values[0] + begin, n); };
    refuses(part(0, 11), part(1, 11), "whose first element is 4 bytes after that of the source, of shape (11,)");
    refuses(part(1, 11), part(0, 11), "4 bytes before");
    refuses(part(0, 8), part(7, 5), "not the same rows");
    array<float> a;
    {
      const gpu::device_guard on_host(host);
      a = gpu::reshape(array<float>(values), {3, 4});
    }
    const auto backwards = gpu::slice(gpu::none, gpu::none, -1);
    refuses(a(backwards), a, "32 bytes before");
    refuses(a, a(backwards), "overlaps it; they must be the same elements in the same order, or apart");
    refuses(a.T()(gpu::slice(0, 3)), a, "0 bytes after");
    refuses(a(gpu::slice(), backwards)(gpu::slice(0, 2)), a(gpu::slice(1, 3)), "bytes after");
    EXPECT_EQ(values, counting(12)) << "nothing has changed";
    const auto unchanged = a.flat();
    EXPECT_TRUE(std::equal(unchanged.begin(), unchanged.end(), values.begin()));

    // The same elements, of any order, and rows that have nothing in common with other rows.
    gpu::pipeline(gpu::borrowed(values), gpu::borrowed(values), next, {.chunk = 1});
    gpu::pipeline(a, a, next, {.chunk = 1, .depth = 5});
    gpu::pipeline(a.T(), a.T(), next, {.chunk = 1});
    gpu::pipeline(a(backwards), a(backwards), next, {.chunk = 2});
    gpu::pipeline(part(0, 6), part(6, 6), next, {.chunk = 2});
    for (int i = 0; i < 12; ++i) {
      EXPECT_EQ(values[static_cast<std::size_t>(i)], static_cast<float>(i < 6 ? i + 2 : i - 6 + 3));
      EXPECT_EQ(a.span<2>()(i / 4, i % 4), static_cast<float>(i + 4));
    }
    gpu::pipeline(a(gpu::slice(), 0), a(gpu::slice(), 1), next, {.chunk = 1});
    gpu::pipeline(a, a(gpu::slice(), 3), [](const view<const float>& x) { return gpu::sum(x, {.axis = 1}); },
                  {.chunk = 1});
    for (int i = 0; i < 3; ++i) {
      const float first = 4.0F * static_cast<float>(i) + 4;
      EXPECT_EQ(a.span<2>()(i, 1), first + 1);
      EXPECT_EQ(a.span<2>()(i, 3), first + (first + 1) + (first + 2) + (first + 3));
    }
  }
}

TEST(pipeline, shapes_are_checked_also_where_there_is_nothing_to_do) {
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on(d);
    const auto same = [](const view<const float>& x) { return x + 0; };
    const auto sums = [](const view<const float>& x) { return gpu::sum(x, {.axis = 1}); };
    const auto made = [](const gpu::shape& extents) {
      const gpu::device_guard on_host(host);
      return array<float>(gpu::ones<float>(extents));
    };
    const array<float> no_columns = made({3, 0});
    array<float> target = made({3, 5});
    EXPECT_THROW(gpu::pipeline(no_columns, target, same), gpu::shape_error);
    EXPECT_THROW(gpu::pipeline(made({0, 2}), target, same), gpu::shape_error);
    array<float> empty = made({3, 0});
    gpu::pipeline(no_columns, empty, same, {.chunk = 2});
    array<float> zeros = made({3});
    gpu::pipeline(no_columns, zeros, sums, {.chunk = 2});
    EXPECT_EQ(zeros.span<1>()(2), 0.0F) << "the sum of nothing";
    array<float> no_rows = made({0, 5});
    gpu::pipeline(made({0, 5}), no_rows, same);
    gpu::pipeline(array<float>(), array<float>(), same);

    int reads = 0;
    const auto read = [&](const view<float>&) { return ++reads < 3 ? 1 : 0; };
    const auto write = [](const view<const float>&) {};
    expect_error<gpu::shape_error>([&] { gpu::pipeline<float>({}, read, same, write); }, "has no axis of rows");
    expect_error<gpu::shape_error>([&] { gpu::pipeline<float>({4, 0}, read, same, write); }, "has no elements");
    EXPECT_EQ(reads, 0);
  }
}

TEST(pipeline, depth_is_no_more_than_the_chunks) {
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on(d);
    constexpr int endless = 2'000'000'000;
    const std::vector<float> source = counting(100);
    std::vector<float> target(100);
    const auto twice = [](const view<const float>& x) { return x * 2; };
    for (const std::int64_t chunk : {0, 1, 7}) {
      gpu::pipeline(gpu::borrowed(source), gpu::borrowed(target), twice, {.chunk = chunk, .depth = endless});
      EXPECT_EQ(target[99], 200.0F);
    }
    int left = 5;
    float total = 0;
    gpu::pipeline<float>(
        {2},
        [&](const view<float>& to) {
          to = 1;
          return left-- > 0 ? 2 : 0;
        },
        twice, [&](const view<const float>& result) { total += *result.flat().begin(); }, {.depth = endless});
    EXPECT_EQ(total, 10.0F);
  }
}

}  // namespace
