/// @file
/// Indexing with arrays as it is written: through operator() of arrays and views, to read, assign and update; when
/// errors come; what waits. The values are compared with NumPy's in tests/oracle/advanced_indexing_test.cpp.
#include <gtest/gtest.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu/gpu.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::ellipsis;
using gpu::expect_error;
using gpu::expect_values;
using gpu::newaxis;
using gpu::none;
using gpu::on_every_device;
using gpu::slice;
using gpu::view;

using gpu::int64;
using indices = array<int64>;

/// 0 to 23.
array<float> cube() { return gpu::reshape(gpu::arange<float>(24), {2, 3, 4}); }

template <class A, class V>
concept assignable = requires(A&& a, V&& v) { std::forward<A>(a) = std::forward<V>(v); };
static_assert(assignable<decltype(std::declval<array<float>&>()(std::declval<indices&>())), float>);
static_assert(!assignable<decltype(std::declval<const array<float>&>()(std::declval<indices&>())), float>);
static_assert(!assignable<decltype(std::declval<view<const float>&>()(std::declval<indices&>(), 0)), float>);

TEST(advanced_indexing, reads_what_arrays_name) {
  on_every_device([] {
    const array<float> a = cube();
    const indices rows{1, 0, -1};
    const array<float> chosen = a(rows, 0);
    expect_values(chosen, {3, 4}, {12, 13, 14, 15, 0, 1, 2, 3, 12, 13, 14, 15});
    expect_values(a(rows, array<int>{0, 1, 2}, array<std::uint8_t>{3, 2, 1}), {15, 6, 21});
    expect_values(a(0, slice(none, none, 2), array<std::int8_t>{-1, 0}), {2, 2}, {3, 11, 0, 8});  // apart: comes first
    expect_values(a(slice(), 0, array<int>{-1, 0}), {2, 2}, {3, 0, 15, 12});                      // side by side
    expect_values(a(ellipsis, array<int>{{1}, {2}}).eval()(1, 2), {2, 1}, {21, 22});
    EXPECT_EQ(a(rows, newaxis, indices{0, 1, 2}).shape(), (gpu::shape{3, 1, 4}));
    EXPECT_EQ(a(gpu::zeros<int64>({2, 0})).shape(), (gpu::shape{2, 0, 3, 4}));
    expect_values(a.T()(indices{3}, 1), {1, 2}, {7, 19});
    expect_values(a(0)(indices{2}).eval()(0, slice(1, 3)), {9, 10});
    expect_values(a(0, 0)(gpu::arange<int>(2) * 2 + 1), {1, 3});  // an expression as index
    const array<double> converted = a(1, 2, indices{0, 3});
    expect_values(converted, {20, 23});
    const array<int> numbers{10, 20, 30};
    expect_values(numbers(gpu::full<int64>({}, 2)), {}, {30});
  });
}

TEST(advanced_indexing, is_read_like_an_array) {
  on_every_device([] {
    array<int> a{1, -2, 3, -4};
    const indices i{0, 0, 3};
    EXPECT_EQ(gpu::sum(a(i)).item(), -2);
    EXPECT_EQ(a(i).size(), 3);
    EXPECT_EQ(a(i).ndim(), 1);
    EXPECT_EQ(a(i).device(), a.device());
    expect_values(a(i) * 10 + a(i), {11, 11, -44});
    expect_values(gpu::reshape(a(i), {3, 1}), {3, 1}, {1, 1, -4});
    EXPECT_EQ(gpu::to_host(a(i)), (std::vector<int>{1, 1, -4}));
    a = a(i);
    expect_values(a, {1, 1, -4});
  });
}

TEST(advanced_indexing, takes_masks_beside_other_indices) {
  on_every_device([] {
    const array<float> a = cube();
    const array<bool> rows{false, true};
    const array<bool> columns{true, false, false, true};
    expect_values(a(rows, 0), {1, 4}, {12, 13, 14, 15});
    expect_values(a(1, slice(), columns), {2, 3}, {12, 16, 20, 15, 19, 23});  // apart
    expect_values(a(indices{0, 1}, 2, columns), {8, 23});
    expect_values(a(ellipsis, a(0) > 9), {2, 2}, {10, 11, 22, 23});
    expect_values(a(gpu::full<bool>({}, true), 0, 0), {1, 4}, {0, 1, 2, 3});
    EXPECT_EQ(a(gpu::full<bool>({}, false), 0, 0).shape(), (gpu::shape{0, 4}));
    expect_values(a(gpu::nonzero(a > 21)), {22, 23});
    expect_values(a(0)(gpu::ix_(indices{2, 0}, columns)), {2, 2}, {8, 11, 0, 3});
  });
}

TEST(advanced_indexing, a_mask_of_fewer_axes_selects_rows) {
  on_every_device([] {
    array<float> x = gpu::reshape(gpu::arange<float>(12), {4, 3});
    const array<int> labels{1, 0, 1, 2};
    expect_values(x(labels == 1), {2, 3}, {0, 1, 2, 6, 7, 8});
    EXPECT_EQ(x(labels == 1).shape(), (gpu::shape{2, 3}));
    EXPECT_EQ(x(labels == 7).shape(), (gpu::shape{0, 3}));
    EXPECT_EQ(x(labels == 1).size(), 6);
    EXPECT_EQ(x(labels == 1).ndim(), 2);
    expect_values(gpu::mean(x(labels == 1), {.axis = 0}), {3, 4, 5});
    x(labels == 0) = 50;
    x(labels == 1) = array<float>{1, 2, 3};
    x(labels == 2) += array<float>{{10, 20, 30}};
    expect_values(x, {4, 3}, {1, 2, 3, 50, 50, 50, 1, 2, 3, 19, 30, 41});
    x(labels == 1) *= 2;
    x(labels < 2) -= x(labels < 2);
    expect_values(x, {4, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 19, 30, 41});
    expect_error<gpu::shape_error>(
        [&] { x(labels == 1) = array<float>{1, 2}; },
        "value array of shape (2,) could not be broadcast to indexing result of shape (2,3)");
    expect_error<gpu::index_error>([&] { x(array<bool>{true, false}) = 0; }, "size of axis is 4");
    array<float> y = x(gpu::full<bool>({}, true));
    expect_values(y, {1, 4, 3}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 19, 30, 41});
    y(gpu::full<bool>({}, true)) = 1;
    y(gpu::full<bool>({}, false)) = 2;
    expect_values(gpu::sum(y), {}, {12});
  });
}

TEST(advanced_indexing, assigns_and_updates) {
  on_every_device([] {
    array<int> a = gpu::reshape(gpu::arange<int>(12), {3, 4});
    a(indices{0, 2}, 1) = array<int>{100, 200};
    a(indices{{1}}, slice(2, none)) = 7;
    expect_values(a, {3, 4}, {0, 100, 2, 3, 4, 5, 7, 7, 8, 200, 10, 11});
    a(1)(indices{0, 1}) = array<std::int16_t>{-1, -2};
    a(slice(), indices{3}) = gpu::full<int>({}, 9);
    expect_values(a, {3, 4}, {0, 100, 2, 9, -1, -2, 7, 9, 8, 200, 10, 9});
    a(indices{0, 0, 0}, 0) += 5;  // as NumPy: read once, written once
    a(indices{2}) %= 5;
    a(indices{0, 1}, indices{1, 1}) *= array<int>{2, 3};
    expect_values(a, {3, 4}, {5, 200, 2, 9, -1, -6, 7, 9, 3, 0, 0, 4});
    a(indices{0, 1}) = a(indices{1, 0});
    expect_values(a, {3, 4}, {-1, -6, 7, 9, 5, 200, 2, 9, 3, 0, 0, 4});
    const auto named = a(indices{2}, 0);
    named = 0;
    expect_values(a(2), {0, 0, 0, 4});
    a(indices{0, 1, 1}, 0) = array<int>{1, 2, 2};
    expect_values(a(slice(), 0), {1, 2, 0});
    const array<int> constant{5, 6};
    a(0, slice(none, 2)) = constant;
    expect_values(a(0), {5, 6, 7, 9});
  });
}

TEST(advanced_indexing, values_and_indices_may_share_memory_with_the_target) {
  on_every_device([] {
    array<int64> a{3, 2, 1, 0};
    a(a) = a;
    expect_values(a, {0, 1, 2, 3});
    a(a(slice(none, none, -1))) = a;
    expect_values(a, {3, 2, 1, 0});
    a(indices{0, 1, 2}) = a(slice(1, none));
    expect_values(a, {2, 1, 0, 0});
  });
}

TEST(advanced_indexing, accumulates) {
  on_every_device([] {
    array<float> histogram = gpu::zeros<float>({4});
    gpu::scatter_add(histogram(array<int>{0, 1, 1, 3, 1}), 1);
    gpu::scatter_add(histogram(indices{0, -1}), array<float>{0.5F, 10});
    expect_values(histogram, {1.5F, 3, 0, 11});
    gpu::scatter_max(histogram(indices{0, 0, 2}), array<float>{7, 5, -1});
    gpu::scatter_min(histogram(indices{3, 3}), array<float>{4, 2});
    expect_values(histogram, {7, 3, 0, 2});
    gpu::scatter_add(histogram(indices()), 1);
    expect_error<gpu::shape_error>([&] { gpu::scatter_add(histogram(indices{1}), array<float>{1, 2}); }, "(2,)");
    array<std::uint8_t> bytes = gpu::zeros<std::uint8_t>({3, 5});  // neighbours in one word
    for (int i = 0; i < 3; ++i) gpu::scatter_add(bytes(slice(), gpu::arange(1000) % 5), 1);
    expect_values(bytes, {3, 5}, std::vector<std::uint8_t>(15, 600 % 256));
    array<float> sums = gpu::zeros<float>({2, 3});
    gpu::scatter_add(sums(array<int>{1, 0, 1}), array<float>{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}});
    expect_values(sums, {2, 3}, {4, 5, 6, 8, 10, 12});
  });
}

TEST(advanced_indexing, errors_come_before_anything_is_written) {
  on_every_device([] {
    array<int> a = gpu::reshape(gpu::arange<int>(6), {2, 3});
    expect_error<gpu::index_error>([&] { static_cast<void>(a(indices{0}, indices{0}, 0)); },
                                   "too many indices for array: array is 2-dimensional, but 3 were indexed");
    expect_error<gpu::index_error>([&] { a(indices{0, 1}, indices{0, 1, 2}) = 0; },
                                   "indexing arrays could not be broadcast together with shapes (2,) (3,)");
    expect_error<gpu::index_error>([&] { a(indices{0}, 3) = 0; }, "index 3 is out of bounds for axis 1 with size 3");
    expect_error<gpu::shape_error>([&] { a(indices{0, 1}) = array<int>{1, 2}; }, "(2,3)");
    expect_error<gpu::shape_error>([&] { a(indices{0}) += array<int>{{1, 2, 3}, {1, 2, 3}}; }, "(1,3)");
    expect_values(a, {2, 3}, {0, 1, 2, 3, 4, 5});
  });
}

/// Out of range: at once on the host; a GPU says so when it is waited for, has left those elements out, and then
/// forgets.
TEST(advanced_indexing, indices_out_of_range) {
  on_every_device([] {
    array<int> a{1, 2, 3};
    const auto waited = [](const auto& run) {
      return [&run] {
        run();
        gpu::current_stream().synchronize();
      };
    };
    const auto read = [&] { static_cast<void>(a(indices{0, 3, 1}).eval()); };
    expect_error<gpu::index_error>(waited(read), "index 3 is out of bounds for axis 0 with size 3");
    const auto write = [&] { a(indices{0, -4}) = 9; };
    expect_error<gpu::index_error>(waited(write), "index -4 is out of bounds for axis 0 with size 3");
    expect_values(a, {a.device().is_host() ? 1 : 9, 2, 3});
    const auto add = [&] { gpu::scatter_add(a(indices{7}), 1); };
    expect_error<gpu::index_error>(waited(add), "index 7");
    const auto huge = [&] { static_cast<void>(a(array<std::uint64_t>{~std::uint64_t{0}}).eval()); };
    expect_error<gpu::index_error>(waited(huge), "out of bounds");
    if (a.device().is_cuda()) {
      read();
      expect_error<gpu::index_error>([&] { a.device().synchronize(); }, "index 3");
      read();
      expect_error<gpu::index_error>([&] { gpu::current_stream().record().synchronize(); }, "index 3");
      read();
      expect_error<gpu::index_error>([&] { static_cast<void>(gpu::to_host(a)); }, "index 3");
    }
    gpu::current_stream().synchronize();
    expect_values(a(indices{-3, 2}), {a.device().is_host() ? 1 : 9, 3});
  });
}

TEST(advanced_indexing, on_a_stream_of_the_host_errors_come_with_the_next_wait) {
  const gpu::device_guard host(gpu::device::host());
  const gpu::stream s;
  array<int> a{1, 2, 3};
  {
    const gpu::stream_guard on(s);
    a(indices{0, 5}) = 9;
  }
  expect_error<gpu::index_error>([&] { s.synchronize(); }, "index 5 is out of bounds for axis 0 with size 3");
  expect_values(a, {1, 2, 3});
}

TEST(advanced_indexing, does_not_wait_unless_there_is_a_mask) {
  on_every_device([] {
    array<float> a = cube();
    const indices i{1, 0};
    const array<bool> mask{true, false};
    const gpu::device_activity before = gpu::activity();
    {
      const gpu::forbid_sync no_waiting;
      const array<float> b = a(i, slice(), i);
      const array<float> t = gpu::take(a, i, {.axis = 1});
      a(i, slice(), i) = b;
      a(i) += 1;
      a(mask) = 0;
    }
    const gpu::device_activity done = gpu::activity() - before;
    EXPECT_EQ(done.launches, a.device().is_host() ? 0u : 7u);  // += reads, adds and writes
    EXPECT_EQ(done.uploads + done.downloads + done.copies, 0u);
  });
}

struct pixel {
  std::uint8_t red, green, blue;
  friend bool operator==(const pixel&, const pixel&) = default;
};

TEST(advanced_indexing, types_of_the_users) {
  on_every_device([] {
    const std::vector<pixel> palette{{0, 0, 0}, {255, 0, 0}, {0, 0, 255}};
    array<pixel> colours(palette);
    const array<std::uint8_t> image{{0, 2}, {1, 2}};
    EXPECT_EQ(gpu::to_host(colours(image)), (std::vector{palette[0], palette[2], palette[1], palette[2]}));
    colours(indices{0}) = colours(indices{1});
    EXPECT_EQ(gpu::to_host(gpu::take(colours, indices{0})), (std::vector{palette[1]}));
  });
}

TEST(advanced_indexing, more_elements_than_a_thread_or_a_block_takes) {
  on_every_device([] {
    constexpr int n = 40000;
    const array<int> a = gpu::reshape(gpu::arange<int>(300 * 7), {300, 7});
    const array<int> rows = gpu::arange<int>(n) * 7919 % 600 - 300;
    const array<std::uint8_t> columns = gpu::astype<std::uint8_t>(gpu::arange<int>(n) % 7);
    const std::vector<int> pairs = gpu::to_host(a(rows, columns));
    const std::vector<int> whole = gpu::to_host(a(rows));
    const std::vector<int> apart = gpu::to_host(a.T()(slice(none, none, -1), rows));
    ASSERT_EQ(pairs.size(), n);
    ASSERT_EQ(whole.size(), 7 * n);
    ASSERT_EQ(apart.size(), 7 * n);
    int wrong = 0;
    for (int i = 0; i < n; ++i) {
      const int row = (i * 7919 % 600 + 300) % 300;
      wrong += pairs[static_cast<std::size_t>(i)] != row * 7 + i % 7;
      for (int j = 0; j < 7; ++j) {
        wrong += whole[static_cast<std::size_t>(7 * i + j)] != row * 7 + j;
        wrong += apart[static_cast<std::size_t>(j * n + i)] != row * 7 + 6 - j;
      }
    }
    EXPECT_EQ(wrong, 0);
    array<int> counts = gpu::zeros<int>({300, 2});
    gpu::scatter_add(counts(rows, 1), 1);
    gpu::scatter_add(counts(rows), array<int>{1, 0});
    EXPECT_EQ(gpu::sum(counts).item(), 2 * n);
    EXPECT_TRUE(bool(gpu::all(counts(slice(), 0) == counts(slice(), 1))));
    array<int> back = gpu::zeros<int>({300, 7});
    back(rows) = a(rows);
    EXPECT_TRUE(bool(gpu::all(back == a)));
    back = gpu::zeros<int>({300, 7});
    back(rows, slice(none, none, -1)) = a(rows, slice(none, none, -1));
    EXPECT_TRUE(bool(gpu::all(back == a)));
    EXPECT_TRUE(bool(gpu::all(gpu::flatnonzero(gpu::arange<int>(n) % 3 == 0) == gpu::arange(0, n, 3))));
  });
}

TEST(advanced_indexing, in_a_graph) {
  on_every_device([] {
    auto step = gpu::capture(
        [](const array<float>& x, const indices& i) {
          array<float> histogram = gpu::zeros_like(x);
          gpu::scatter_add(histogram(i), x(i));
          return histogram;
        },
        array<float>{1, 2, 3}, indices{0, 2, 2});
    step.launch();
    expect_values(step.result(), {1, 0, 6});
    expect_values(step(array<float>{5, 6, 7}, indices{1, 1, 1}), {0, 18, 0});
    gpu::current_stream().synchronize();
  });
}

TEST(advanced_indexing, diagonals_outside_of_a_matrix) {
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  on_every_device([] {
    const array<int> a{{1, 2, 3}, {4, 5, 6}};
    for (const std::int64_t k : {least, std::int64_t{-2}, std::int64_t{3}, most}) {
      EXPECT_EQ(gpu::diagonal(a, {.offset = k}).size(), 0) << k;
      EXPECT_EQ(gpu::sum(gpu::tril(a, {.k = k})).item(), k > 0 ? 21 : 0) << k;
      EXPECT_EQ(gpu::sum(gpu::triu(a, {.k = k})).item(), k > 0 ? 0 : 21) << k;
      EXPECT_EQ(gpu::tril_indices(2, {.k = k, .m = 3})[0].size(), k > 0 ? 6 : 0) << k;
      EXPECT_EQ(gpu::triu_indices(2, {.k = k, .m = 3})[1].size(), k > 0 ? 0 : 6) << k;
    }
    for (const std::int64_t k : {least, most}) {
      EXPECT_THROW(static_cast<void>(gpu::diag(array<int>{1, 2}, {.k = k})), gpu::shape_error);
    }
    array<int> wide = gpu::zeros<int>({2, 3});
    gpu::fill_diagonal(wide, 7);
    expect_values(wide, {2, 3}, {7, 0, 0, 0, 7, 0});
    array<int> tall = gpu::zeros<int>({4, 2});
    gpu::fill_diagonal(tall, 7);
    expect_values(tall, {4, 2}, {7, 0, 0, 7, 0, 0, 0, 0});
    gpu::fill_diagonal(tall, 8, {.wrap = true});
    expect_values(tall, {4, 2}, {8, 0, 0, 8, 0, 0, 8, 0});
  });
}

TEST(advanced_indexing, reads_strided_arrays_where_they_are) {
  on_every_device([] {
    const array<int> a{0, 1, 2, 3, 4, 5, 6};
    const auto odd = a(gpu::slice(5, 0, -2));  // 5, 3, 1
    expect_values(gpu::take(odd, array<int>{0, -1, 1}), {5, 1, 3});
    expect_values(gpu::take_along_axis(odd, array<int>{2, 0}, gpu::none), {1, 5});
    const array<int> table{{1, 2}, {3, 4}};
    expect_values(gpu::take(table.T(), array<int>{0, 1, 2, 3}), {1, 3, 2, 4});
    array<int> target{0, 0, 0, 0, 0};
    gpu::put(target, array<int>{4, 3, 2, 1, 0}, array<int>{1, 2}(gpu::slice(gpu::none, gpu::none, -1)));
    expect_values(target, {2, 1, 2, 1, 2});
  });
}

TEST(advanced_indexing, functions_accept_expressions_and_numbers) {
  on_every_device([] {
    array<float> a = gpu::reshape(gpu::arange<float>(6), {2, 3});
    expect_values(gpu::take(a * 2, indices{-1, 0}), {10, 0});
    expect_values(gpu::take_along_axis(-a, gpu::argmax(a, {.axis = 1, .keepdims = true}), 1), {2, 1}, {-2, -5});
    expect_values(gpu::take(a, 1, {.axis = 1}), {1, 4});
    expect_values(gpu::take(a, -1), {}, {5});
    gpu::put(a, gpu::arange<int>(2), 9);
    gpu::put_along_axis(a, array<int>{{2}, {0}}, 7, 1);
    expect_values(a, {2, 3}, {9, 9, 7, 7, 4, 5});
    expect_values(gpu::choose(array<int>{1, 0}, std::vector{array<int>{1, 2}, array<int>{10, 20}}), {10, 2});
    const array<float> x{1, 2, 3};
    expect_values(gpu::select<float>({x < 2, x > 2}, {x * 10, x * x}, -1), {10, -1, 9});
    gpu::fill_diagonal(a(slice(), slice(1, none)), 0);
    expect_values(a, {2, 3}, {9, 0, 7, 7, 4, 0});
    expect_error<gpu::shape_error>([&] { gpu::place(a, a > 0, array<float>()); }, "Cannot insert from an empty array!");
    expect_error<gpu::index_error>(
        [&] { static_cast<void>(gpu::take(array<float>(), indices{0}, {.mode = gpu::index_mode::wrap})); },
        "cannot do a non-empty take from an empty axes");
    expect_error<gpu::axis_error>([&] { static_cast<void>(gpu::take(a, indices{0}, {.axis = 2})); }, "axis 2");
    expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::ravel_multi_index(std::vector{indices{1}}, {2, 3})); },
                                   "sequence of length 2");
  });
}

}  // namespace
