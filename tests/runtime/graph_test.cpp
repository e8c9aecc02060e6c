#include "gpu/graph.hpp"

#include <stdexcept>

#include "gpu/arithmetic.hpp"
#include "gpu/creation.hpp"
#include "gpu/exponents.hpp"
#include "gpu/linalg.hpp"
#include "gpu/memory.hpp"
#include "gpu/pinned.hpp"
#include "gpu/reduce.hpp"
#include "runtime_support.hpp"

namespace {

using gpu::array;
using gpu::device;
using gpu::stream;
using runtime_test::expect_error;

const device host = device::host();

std::vector<float> values_of(const array<float>& a) {
  std::vector<float> values(static_cast<std::size_t>(a.size()));
  gpu::copy(gpu::borrowed(values), a);
  return values;
}

TEST(graph, replays_with_new_inputs) {
  for (const device d : runtime_test::all_devices()) {
    for (const stream& s : {stream::default_stream(d), stream(d)}) {
      const gpu::device_guard on(d);
      const gpu::stream_guard guard(s);
      const array<float> x{1, 2, 3};
      const array<float> y{10, 20, 30};
      auto g = gpu::capture(
          [](const array<float>& a, const array<float>& b) {
            const array<float> t = a + b;
            const array<float> u = t * 2;
            return u - gpu::sum(t);
          },
          x, y);
      EXPECT_EQ(g.device(), d);
      g.launch();
      EXPECT_EQ(values_of(g.result()), (std::vector<float>{22 - 66, 44 - 66, 66 - 66}));
      const float* const memory = g.result().data();
      EXPECT_EQ(values_of(g(array<float>{0, 0, 1}, y)), (std::vector<float>{20 - 61, 40 - 61, 62 - 61}));
      EXPECT_EQ(g.result().data(), memory) << "in place";
      g.input<1>() = 1;
      g.launch();
      EXPECT_EQ(values_of(g.result()), (std::vector<float>{2 - 4, 2 - 4, 4 - 4}));
      EXPECT_EQ(values_of(x), (std::vector<float>{1, 2, 3})) << "the graph has inputs of its own";
      EXPECT_THROW(g.update(x, array<float>{1}), gpu::shape_error);
    }
  }
}

TEST(graph, several_results_and_none) {
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on(d);
    auto both = gpu::capture([](const array<float>& a) { return std::tuple(array<float>(a + 1), array<float>(a * a)); },
                             array<float>{1, 2});
    both.launch();
    EXPECT_EQ(values_of(std::get<0>(both.result())), (std::vector<float>{2, 3}));
    EXPECT_EQ(values_of(std::get<1>(both.result())), (std::vector<float>{1, 4}));
    array<float> state{1, 1};
    auto step = gpu::capture([&state] { state += state; });
    const std::vector<float> before = values_of(state);
    for (int i = 0; i < 4; ++i) step.launch();
    EXPECT_EQ(values_of(state), (std::vector<float>{16 * before[0], 16 * before[1]}));
  }
}

TEST(graph, runs_on_different_streams_keep_their_order) {
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on(d);
    const stream a(d);
    const stream b(d);
    auto g =
        gpu::capture([](const array<float>& x) { return array<float>(array<float>(x + 1) * 2); }, array<float>{0, 0});
    for (int i = 0; i < 20; ++i) {
      const stream& s = i % 2 == 0 ? a : b;
      const gpu::stream_guard guard(s);
      g.update(array<float>(g.result()));  // each run feeds the next
      if (i == 0) g.update(array<float>{0, 0});
      g.launch();
    }
    float expected = 0;
    for (int i = 0; i < 20; ++i) expected = (expected + 1) * 2;
    EXPECT_EQ(values_of(g.result()), (std::vector<float>{expected, expected}));
  }
}

TEST(graph, memory_belongs_to_it_and_returns) {
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on(d);
    d.synchronize();
    const auto before = gpu::memory::statistics(d).blocks;
    array<float> kept;
    {
      auto g = gpu::capture(
          [](const array<float>& x) {
            array<float> t = x + 1;
            for (int i = 0; i < 10; ++i)
              t = array<float>(gpu::reshape(t, {32, 32}).T()).T() + gpu::reshape(x, {32, 32});
            return t;
          },
          gpu::zeros<float>({1024}));
      auto moved = std::move(g);
      for (int i = 0; i < 3; ++i) moved(gpu::full<float>({1024}, static_cast<float>(i)));
      if (!d.is_host()) {
        // Ten steps of two arrays each, in the memory of a few.
        EXPECT_LE(gpu::memory::statistics(d).blocks, before + 8);
      }
      kept = moved.result();
    }
    EXPECT_EQ(values_of(kept)[5], 23.0F);
    kept = array<float>();
    d.synchronize();
    EXPECT_EQ(gpu::memory::statistics(d).blocks, before);
  }
}

TEST(graph, result_may_outlive_it) {
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on(d);
    gpu::view<const float> last = [] {
      auto g = gpu::capture([](const array<float>& x) { return x * 3; }, array<float>{1, 2});
      g.launch();
      return g.result().view();
    }();
    EXPECT_EQ(values_of(array<float>(last)), (std::vector<float>{3, 6}));
  }
}

TEST(graph, pinned_memory_can_be_part_of_it) {
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on(d);
    gpu::pinned<float> up(3);
    gpu::pinned<float> down(3);
    array<float> x = gpu::zeros<float>({3});
    auto g = gpu::capture([&] {
      gpu::copy_async(x, up);
      x += 1;
      gpu::copy_async(down, x);
    });
    for (int i = 0; i < 3; ++i) {
      for (float& value : up) value = static_cast<float>(i);
      g.launch();
      EXPECT_EQ(std::as_const(down)[2], static_cast<float>(i + 1));
    }
  }
}

TEST(graph, what_cannot_be_captured_says_so) {
  for (const device d : runtime_test::cuda_devices()) {
    const gpu::device_guard on(d);
    const array<float> x{1, 2, 3};
    const auto refuses = [&](const auto& f, const char* text) {
      expect_error<gpu::device_error>([&] { static_cast<void>(gpu::capture(f, x)); }, text);
    };
    refuses([](const array<float>& a) { return array<float>(a * a(0).item()); }, "reading elements on the host");
    refuses([](const array<float>& a) { return array<float>(a + array<float>{1, 2, 3}); }, "upload of memory");
    refuses([](const array<float>& a) { return array<float>(a.to(host)); }, "download to memory");
    refuses(
        [](const array<float>& a) {
          gpu::current_stream(a.device()).launch_host_function([] {});
          return array<float>(a + 1);
        },
        "a host function");
    refuses(
        [](const array<float>& a) {
          gpu::current_stream(a.device()).synchronize();
          return array<float>(a + 1);
        },
        "waiting for the stream");
    expect_error<std::out_of_range>(
        [&] {
          static_cast<void>(gpu::capture(
              [](const array<float>& a) {
                const array<float> t = a + 1;
                if (t.size() == 3) throw std::out_of_range("of the function");
                return t;
              },
              x));
        },
        "of the function");
    auto g = gpu::capture([](const array<float>& a) { return a + 1; }, x);
    g.launch();
    EXPECT_EQ(values_of(g.result()), (std::vector<float>{2, 3, 4})) << "the next one works";
  }
}

TEST(graph, a_failed_update_changes_no_input) {
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on(d);
    const array<float> x{1, 2, 3};
    const array<float> y{4, 5, 6};
    auto g = gpu::capture([](const array<float>& p, const array<float>& q) { return p + q; }, x, y);
    const array<float> other{7, 8, 9};
    std::vector<float> one{5};
    std::vector<float> two{1, 2};
    std::vector<float> none;
    const auto expect_refused = [&](const auto& value, const char* text) {
      expect_error<gpu::shape_error>([&] { g.update(other, value); }, text);
      expect_error<gpu::shape_error>([&] { static_cast<void>(g(other, value)); }, "graph: input 1 of shape (3,)");
      g.launch();
      EXPECT_EQ(values_of(g.result()), (std::vector<float>{5, 7, 9})) << text;
    };
    expect_refused(gpu::borrowed(one), "cannot take the 1 elements of borrowed memory, it has 3");
    expect_refused(gpu::borrowed(two), "cannot take the 2 elements");
    expect_refused(gpu::borrowed(none), "cannot take the 0 elements");
    expect_refused(array<float>{5}, "cannot take one of shape (1,)");
    expect_refused(gpu::reshape(array<float>{1, 2, 3}, {1, 3}), "cannot take one of shape (1,3)");
    expect_refused(gpu::pinned<float>(2), "cannot take one of shape (2,)");
    const std::vector<float> three{10, 20, 30};
    g.update(gpu::borrowed(three), other);
    g.launch();
    EXPECT_EQ(values_of(g.result()), (std::vector<float>{17, 28, 39}));
    auto square = gpu::capture([](const array<float>& p) { return p * 2; }, gpu::zeros<float>({2, 2}));
    const std::vector<float> four{1, 2, 3, 4};
    EXPECT_EQ(values_of(square(gpu::borrowed(four))), (std::vector<float>{2, 4, 6, 8})) << "in the input's shape";
  }
}

TEST(graph, results_of_other_shapes_are_refused_and_change_nothing) {
  const gpu::device_guard on(host);
  std::int64_t n = 3;
  auto g = gpu::capture([&n](const array<float>& x) { return std::tuple(array<float>(x + 1), gpu::ones<float>({n})); },
                        array<float>{1, 2});
  g.launch();
  g.update(array<float>{5, 6});
  for (const std::int64_t other : {1, 4}) {
    n = other;
    expect_error<gpu::shape_error>([&] { g.launch(); }, "graph: result 1 of a launch has shape");
    EXPECT_EQ(values_of(std::get<0>(g.result())), (std::vector<float>{2, 3})) << "as it was";
  }
  auto h = gpu::capture([&n] { return gpu::ones<float>({n}); });
  n = 1;
  expect_error<gpu::shape_error>([&] { h.launch(); }, "(1,), when it was captured it had (4,)");
}

TEST(graph, what_its_function_holds_by_value_is_the_same_everywhere) {
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on(d);
    const array<float> x{1, 2, 3};
    array<float> total{0, 0, 0};
    array<float> added{10, 20, 30};
    auto g = [&] {
      const array<float> gone{1, 1, 1};
      return gpu::capture(
          [gone, added, sum = total.view()](const array<float>& p) {
            sum += p;
            return p + gone + added;
          },
          x);
    }();
    const float before = values_of(total)[2];
    const gpu::view<float> same = total.view();
    added = added * 100;
    total = array<float>{-1, -1, -1, -1};
    g.launch();
    EXPECT_EQ(values_of(g.result()), (std::vector<float>{12, 23, 34}));
    EXPECT_EQ(values_of(array<float>(same))[2], before + 3);
    EXPECT_EQ(values_of(total), (std::vector<float>(4, -1.0F)));
  }
}

}  // namespace
