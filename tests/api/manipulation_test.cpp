/// @file
/// Joining, splitting, repeating, editing and padding beyond what NumPy's answers tell: what shares memory, how much
/// work a GPU is given, devices, streams and graphs, numbers and expressions as parts, types of the user's, the largest
/// rank.
#include <gtest/gtest.h>

#include <list>
#include <tuple>
#include <type_traits>
#include <vector>

#include "gpu/gpu.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::expect_error;
using gpu::expect_values;
using gpu::none;
using gpu::on_every_device;
using gpu::slice;
using gpu::view;

namespace mode = gpu::pad_mode;

// Types promote as in NumPy, a number is weak, and `dtype=` is the template argument.
template <class A>
using type_of = typename std::remove_cvref_t<A>::value_type;
static_assert(std::is_same_v<
              type_of<decltype(gpu::concatenate(std::declval<array<gpu::int8>>(), std::declval<array<gpu::uint8>>()))>,
              gpu::int16>);
static_assert(std::is_same_v<type_of<decltype(gpu::stack<double>(std::declval<array<float>>()))>, double>);
static_assert(std::is_same_v<type_of<decltype(gpu::append(std::declval<array<float>>(), 2))>, float>);
static_assert(std::is_same_v<type_of<decltype(gpu::vander(std::declval<array<gpu::int8>>()))>, gpu::int64>);
// Views are const where their array is, and where their elements appear twice.
static_assert(std::is_same_v<decltype(gpu::split(std::declval<array<float>&>(), 2)), std::vector<view<float>>>);
static_assert(
    std::is_same_v<decltype(gpu::split(std::declval<const array<float>&>(), 2)), std::vector<view<const float>>>);
static_assert(std::is_same_v<decltype(gpu::sliding_window_view(std::declval<array<float>&>(), 2)), view<const float>>);
static_assert(std::is_same_v<decltype(gpu::as_strided(std::declval<array<float>&>(), {2}, {4})), view<const float>>);
// Widths are whole numbers, and a mode knows its own keywords only.
template <class W>
concept is_width = requires(const array<float>& a, W w) { gpu::pad(a, w); };
static_assert(is_width<int> && !is_width<double> && !is_width<bool>);
template <class Mode, class Options>
concept takes = requires(const array<float>& a, Mode m, Options o) { gpu::pad(a, 1, m, o); };
static_assert(takes<mode::reflect_t, gpu::pad_reflect_options> && !takes<mode::wrap_t, gpu::pad_reflect_options> &&
              !takes<mode::mean_t, gpu::pad_constant_options<float>>);

/// Calls `f` without waiting, and expects this many kernels and copies of the driver's on a GPU.
template <class F>
void expect_work(const char* what, std::uint64_t launches, std::uint64_t copies, const F& f,
                 std::uint64_t uploads = 0) {
  const bool on_host = gpu::current_device().is_host();
  const gpu::device_activity before = gpu::activity();
  {
    const gpu::forbid_sync no_waiting;
    f();
  }
  const gpu::device_activity done = gpu::activity() - before;
  EXPECT_EQ(done.launches, on_host ? 0 : launches) << what;
  EXPECT_EQ(done.copies, on_host ? 0 : copies) << what;
  EXPECT_EQ(done.uploads, on_host ? 0 : uploads) << what;
  EXPECT_EQ(done.downloads, 0u) << what;
}

array<float> table() { return array<float>{{1, 2, 3}, {4, 5, 6}}; }

TEST(joining, takes_expressions_numbers_and_masks) {
  on_every_device([] {
    const array<float> a = table();
    expect_values(gpu::concatenate({.axis = 1}, a, a(gpu::ellipsis, slice(0, 1)) * 2), {2, 4},
                  {1, 2, 3, 2, 4, 5, 6, 8});
    expect_values(gpu::concatenate(a(a > 4), a(0)), {5, 6, 1, 2, 3});
    expect_values(gpu::concat<gpu::half>(array<float>{1}, array<float>{2}), {gpu::half(1.0F), gpu::half(2.0F)});
    expect_values(gpu::stack(gpu::sum(a), gpu::max(a)), {21, 6});
    expect_values(gpu::append(a, 7), {1, 2, 3, 4, 5, 6, 7});
    expect_values(gpu::append(array<int>{1}, 2.5), {1, 2.5});
    const std::vector<decltype(a * 2)> expressions{a * 2, a * 3};
    expect_values(gpu::vstack(expressions), {4, 3}, {2, 4, 6, 8, 10, 12, 3, 6, 9, 12, 15, 18});
    std::list<array<float>> list;
    list.push_back(a);
    list.push_back(a);
    expect_values(gpu::dstack(list)(0), {3, 2}, {1, 1, 2, 2, 3, 3});
    expect_values(gpu::hstack(list)(1), {4, 5, 6, 4, 5, 6});
    expect_values(gpu::column_stack(list)(0), {1, 2, 3, 1, 2, 3});
    expect_values(gpu::concat(list, {.axis = none}), {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6});
    expect_values(gpu::block<float>({{a, a + 1}, {0, 1, 2, 3, 4, array<int>{5}}}), {3, 6},
                  {1, 2, 3, 2, 3, 4, 4, 5, 6, 5, 6, 7, 0, 1, 2, 3, 4, 5});
    expect_values(gpu::block<int>({{{1, 2}}, {{3, 4}}}), {2, 1, 2}, {1, 2, 3, 4});
    expect_values(gpu::concatenate(array<float>(), a(0), array<float>()), {1, 2, 3});
    {
      const gpu::device_guard elsewhere(gpu::device::host());  // a number goes where the arrays are
      EXPECT_EQ((gpu::block<float>({{a(0), 1}}).device()), a.device());
    }
    array<float> grown{1, 2};
    grown = gpu::concatenate(grown, grown);
    expect_values(grown, {1, 2, 1, 2});
  });
}

TEST(joining, says_what_is_wrong) {
  on_every_device([] {
    const std::vector<array<float>> nothing;
    expect_error<gpu::shape_error>([&] { (void)gpu::concatenate(nothing); }, "need at least one array to concatenate");
    expect_error<gpu::shape_error>([&] { (void)gpu::stack(nothing); }, "need at least one array to stack");
    expect_error<gpu::shape_error>([&] { (void)gpu::hstack(nothing); }, "need at least one array to concatenate");
    expect_error<gpu::shape_error>([] { (void)gpu::block<int>({{1, 2}, {3}, {{4}}}); }, "List depths are mismatched");
    expect_error<gpu::shape_error>([] { (void)gpu::block(std::vector<std::vector<array<int>>>{{}}); },
                                   "List cannot be empty");
    expect_error<gpu::type_error>([] { (void)gpu::append(array<gpu::int8>{1}, 300); },
                                  "integer 300 out of bounds for int8");
    expect_error<gpu::shape_error>([] { (void)gpu::append(array<int>{1}, 3, {.axis = 0}); },
                                   "the array at index 1 has 0 dimension(s)");
    expect_error<gpu::shape_error>([] { (void)gpu::stack(gpu::zeros<int>(gpu::shape(16, 1))); }, "rank 17 exceeds");
    if (gpu::current_device().is_host()) return;
    const array<float> there = table();
    const array<float> here = there.to(gpu::device::host());
    expect_error<gpu::device_error>([&] { (void)gpu::concatenate(there, here); },
                                    "concatenate: the arrays are on different devices, cuda:0 and host");
    expect_error<gpu::device_error>([&] { (void)gpu::insert(there, 0, here); }, "insert: the arrays are on different");
  });
}

TEST(joining, is_one_kernel_for_all_parts) {
  on_every_device([] {
    const array<float> a = table();
    const auto turned = gpu::transpose(a);
    expect_work("two", 1, 0, [&] { (void)gpu::concatenate(a, a); });
    expect_work("three layouts", 1, 0,
                [&] { (void)gpu::concatenate({.axis = 1}, a, gpu::flip(a), a(slice(), slice(0, 1))); });
    expect_work("stack", 1, 0, [&] { (void)gpu::stack({.axis = 2}, turned, turned, turned); });
    expect_work("block", 1, 0, [&] { (void)gpu::block<float>({{a, a}, {a, a}}); });
    expect_work("an expression in its place", 2, 0, [&] { (void)gpu::concatenate(a, a, a * 2); });
    const array<double> b(a);
    expect_work("other types in their places", 2, 1, [&] { (void)gpu::concatenate(a, b, a); });
  });
}

TEST(joining, takes_any_number_of_parts) {
  on_every_device([] {
    const array<int> all = gpu::arange<int>(3000);
    std::vector<view<const int>> parts;
    for (int i = 0; i < 1000; ++i) parts.push_back(all(slice(3 * i, 3 * i + 1 + i % 3)));
    array<int> joined;
    expect_work("a thousand parts and their table", 1, 0, [&] { joined = gpu::concatenate(parts); }, 1);
    std::vector<int> expected;
    for (int i = 0; i < 1000; ++i) {
      for (int k = 0; k <= i % 3; ++k) expected.push_back(3 * i + k);
    }
    expect_values(joined, expected);
    const std::vector<view<const int>> many(40, all(slice(0, 2)));
    auto g = gpu::capture([&] { return gpu::stack(many); });
    g.launch();
    EXPECT_EQ(gpu::to_host(gpu::sum(g.result())).at(0), 40);
  });
}

TEST(joining, moves_large_arrays_in_tiles) {
  on_every_device([] {
    const auto a = gpu::reshape(gpu::arange<double>(150 * 70), {150, 70});
    const array<double> joined = gpu::concatenate({.axis = 1}, gpu::transpose(a), gpu::transpose(a));
    EXPECT_TRUE(gpu::array_equal(joined(slice(), slice(0, 150)), gpu::transpose(a)));
    EXPECT_TRUE(gpu::array_equal(joined(slice(), slice(150, 300)), gpu::transpose(a)));
  });
}

TEST(joining, keeps_what_it_reads_on_a_stream_of_its_own) {
  const gpu::without_pool freed_memory_is_gone;
  on_every_device([] {
    const gpu::stream s(gpu::current_device());
    const gpu::stream_guard on(s);
    array<float> joined;
    {
      const array<float> a = table();
      joined = gpu::concatenate(a + 1, a, gpu::repeat(a, 2, {.axis = 0}));
    }
    s.synchronize();
    expect_values(joined(slice(none, none, 2)), {4, 3}, {2, 3, 4, 1, 2, 3, 1, 2, 3, 4, 5, 6});
  });
}

TEST(splitting, gives_views_that_write_through) {
  on_every_device([] {
    array<float> a = table();
    expect_work("no work", 0, 0, [&] {
      (void)gpu::split(a, 3, {.axis = 1});
      (void)gpu::array_split(a, {1}, {.axis = 1});
      (void)gpu::hsplit(a, {1});
      (void)gpu::vsplit(a, 2);
      (void)gpu::unstack(a);
      (void)gpu::rot90(a);
      (void)gpu::fliplr(a);
      (void)gpu::flipud(a);
      (void)gpu::rollaxis(a, 1);
      (void)gpu::atleast_1d(a);
      (void)gpu::atleast_2d(a);
      (void)gpu::atleast_3d(a);
      (void)gpu::broadcast_arrays(a, a(0));
      (void)gpu::diag(a);
      (void)gpu::asfortranarray(gpu::transpose(a));
      (void)gpu::as_strided(a, {2, 2}, {4, 8});
      (void)gpu::sliding_window_view(a, {2, 2});
      (void)gpu::meshgrid({.copy = false}, a(0), a(1));
    });
    gpu::split(a, 3, {.axis = 1})[1] = 0;
    gpu::unstack(a)[1](0) = 9;
    gpu::fliplr(a)(0, 0) += 1;
    gpu::rot90(a)(2, 1) = 7;
    gpu::diag(a) *= 2;
    expect_values(a, {2, 3}, {2, 0, 4, 7, 0, 6});
    expect_values(gpu::dsplit(gpu::expand_dims(a, 0), {2})[1], {1, 2, 1}, {4, 6});
  });
}

TEST(tiling, repeats_in_one_kernel) {
  on_every_device([] {
    const array<float> a = table();
    expect_work("tile", 1, 0, [&] { (void)gpu::tile(a, {2, 1, 2}); });
    expect_work("repeat", 1, 0, [&] { (void)gpu::repeat(a, 3, {.axis = 1}); });
    expect_work("repeat by numbers", 1, 0, [&] { (void)gpu::repeat(a, {2, 0, 1}, {.axis = 1}); });
    expect_work("resize", 1, 0, [&] { (void)gpu::resize(a, {5, 3}); });
    expect_work("roll", 1, 0, [&] { (void)gpu::roll(a, {1, 1}, {.axis = {0, 1}}); });
    expect_work("delete", 1, 0, [&] { (void)gpu::delete_(a, {1}, {.axis = 1}); });
    expect_work("delete every other", 1, 0, [&] { (void)gpu::delete_(a, slice(0, 3, 2), {.axis = 1}); });
    expect_work("insert", 1, 0, [&] { (void)gpu::insert(a, {0, 2}, a(slice(), slice(0, 2)), {.axis = 1}); });
    expect_work("mgrid", 3, 0, [&] { (void)gpu::mgrid({5, 6}); });
    expect_work("tril", 2, 0, [&] { (void)gpu::tril(a); });
    expect_values(gpu::resize(a, 8), {1, 2, 3, 4, 5, 6, 1, 2});
    expect_values(gpu::tile(a(0) * 2, 2), {2, 4, 6, 2, 4, 6});
    expect_values(gpu::insert(array<int>{1, 2}, 1, 5), {1, 5, 2});
    expect_error<gpu::type_error>([] { (void)gpu::insert(array<gpu::uint8>{1}, 0, -1); },
                                  "integer -1 out of bounds for uint8");
    expect_error<gpu::shape_error>([] { (void)gpu::repeat(array<int>{1, 2}, std::int64_t{1} << 62); }, "too big");
  });
}

TEST(padding, costs_a_copy_for_each_axis) {
  on_every_device([] {
    const array<float> a = table();
    expect_work("constant", 5, 0, [&] { (void)gpu::pad(a, 1); });
    expect_work("one side", 2, 0, [&] { (void)gpu::pad(a, {{0, 0}, {0, 1}}, mode::constant, {.constant_values = 5}); });
    expect_work("edge", 3, 0, [&] { (void)gpu::pad(a, 1, mode::edge); });
    expect_work("wrap, several times", 3, 0, [&] { (void)gpu::pad(a, {{5, 5}, {7, 7}}, mode::wrap); });
    expect_work("reflect one axis", 2, 0, [&] { (void)gpu::pad(a, {{0, 0}, {2, 2}}, mode::reflect); });
    expect_values(gpu::pad(a(0) + 1, {1, 2}, mode::symmetric), {2, 2, 3, 4, 4, 3});
    expect_values(gpu::pad(array<int>{1, 2}, 1, mode::constant, {.constant_values = {7.9, 8}}), {7, 1, 2, 8});
    EXPECT_EQ(gpu::pad(a, 2, mode::empty).shape(), (gpu::shape{6, 7}));
  });
}

TEST(editing, trims_to_what_it_reads) {
  on_every_device([] {
    array<float> a{0, 0, 1, 0, 2, 0};
    const gpu::device_activity before = gpu::activity();
    const view<float> middle = gpu::trim_zeros(a);
    EXPECT_EQ((gpu::activity() - before).downloads, gpu::current_device().is_host() ? 0u : 1u);
    middle(0) = 5;
    expect_values(a, {0, 0, 5, 0, 2, 0});
  });
}

TEST(copyto, writes_where_it_may) {
  on_every_device([] {
    array<float> a = table();
    const array<bool> mask = a > 2;
    expect_work("a number", 1, 0, [&] { gpu::copyto(a, 0, {.where = mask}); });
    expect_values(a, {2, 3}, {1, 2, 0, 0, 0, 0});
    gpu::copyto(a(0), a(1), {.where = array<bool>{true, false, true}});
    expect_values(a(0), {0, 2, 0});
    gpu::copyto(a(slice(), slice(1, 3)), a(slice(), slice(0, 2)));  // overlapping
    expect_values(a(0), {0, 0, 2});
    gpu::copyto(a, array<int>{7, 8, 9});
    expect_values(a(1), {7, 8, 9});
    expect_error<gpu::shape_error>([&] { gpu::copyto(a, 1, {.where = array<bool>{true}(slice(0, 0))}); },
                                   "could not broadcast where mask from shape (0,) into shape (2,3)");
    expect_error<gpu::type_error>(
        [&] {
          array<gpu::int8> b{1};
          gpu::copyto(b, 300, {.where = array<bool>{true}});
        },
        "integer 300 out of bounds for int8");
    expect_values(a(1), {7, 8, 9});
  });
}

TEST(strides, stay_inside_the_memory) {
  on_every_device([] {
    array<std::int32_t> a = gpu::arange<std::int32_t>(8);
    expect_values(gpu::as_strided(a, {3, 3}, {8, 4}), {3, 3}, {0, 1, 2, 2, 3, 4, 4, 5, 6});
    expect_values(gpu::as_strided(a(slice(4, none)), {3}, {-8}), {4, 2, 0});
    expect_values(gpu::as_strided(a, {2, 2}, {0, 4}), {2, 2}, {0, 1, 0, 1});
    EXPECT_EQ(gpu::as_strided(a, {0, 5}, {1000, 1000}).size(), 0);
    expect_error<gpu::shape_error>([&] { (void)gpu::as_strided(a, {9}, {4}); }, "reaches outside of the 32 bytes");
    expect_error<gpu::shape_error>([&] { (void)gpu::as_strided(a, {2}, {-4}); }, "reaches outside");
    expect_error<gpu::shape_error>([&] { (void)gpu::as_strided(a, {3}, {std::int64_t{1} << 62}); }, "reaches outside");
    expect_error<gpu::shape_error>([&] { (void)gpu::as_strided(a, {2}, {2}); }, "not multiples of the element size");
    expect_error<gpu::shape_error>([&] { (void)gpu::as_strided(a, {2, 2}, {4}); }, "mismatch in length of strides");
    expect_values(gpu::sum(gpu::sliding_window_view(a, 3), {.axis = 1}), {3, 6, 9, 12, 15, 18});
  });
}

TEST(grids, hold_coordinates) {
  on_every_device([] {
    const array<float> x{1, 2, 3};
    const array<int> y{4, 5};
    const auto [gx, gy] = gpu::meshgrid(x, y);
    expect_values(gx, {2, 3}, {1, 2, 3, 1, 2, 3});
    expect_values(gy, {2, 3}, {4, 4, 4, 5, 5, 5});
    EXPECT_NE(gx.data(), x.data());
    const auto views =
        gpu::meshgrid(std::vector<view<const float>>{x, x}, {.copy = false, .indexing = gpu::indexing::ij});
    EXPECT_EQ(views[0].data(), x.data());
    expect_values(views[0], {3, 3}, {1, 1, 1, 2, 2, 2, 3, 3, 3});
    expect_values(gpu::geomspace<float>(1, 16, {.num = 5}), {1, 2, 4, 8, 16});
    expect_values(gpu::logspace<float>(0, 2, {.num = 3, .base = 2}), {1, 2, 4});
    expect_values(gpu::indices({1, 2}), {2, 1, 2}, {0, 0, 0, 1});
    expect_values(gpu::ogrid<int>({2, {1, 3}})[1], {1, 2}, {1, 2});
    const array<double> f = gpu::fromfunction<2>([](auto i, auto j) { return 10 * i + j; }, {2, 3});
    expect_values(f, {2, 3}, {0, 1, 2, 10, 11, 12});
    expect_values(gpu::fromfunction<2, int>([](auto i, auto) { return i * 2; }, {2, 2}), {2, 2}, {0, 0, 2, 2});
    expect_error<gpu::shape_error>([] { (void)gpu::fromfunction<1>([](auto i) { return i; }, {2, 2}); },
                                   "a function of 1 indices has no values of shape (2,2)");
    expect_values(gpu::tri<int>(2), {2, 2}, {1, 0, 1, 1});
    expect_values(gpu::triu(array<int>{{1, 2}, {3, 4}} * 2), {2, 2}, {2, 4, 0, 8});
    expect_values(gpu::diagflat(array<int>{1, 2}), {2, 2}, {1, 0, 0, 2});
  });
}

TEST(manipulation, works_at_the_largest_rank) {
  on_every_device([] {
    gpu::index_vector extents(16, 1);
    extents[0] = extents[7] = extents[15] = 2;
    const auto a = gpu::reshape(gpu::arange<int>(8), extents);
    gpu::index_vector reps(16, 1);
    reps[0] = reps[15] = 2;
    const array<int> tiled = gpu::tile(a, reps);
    EXPECT_EQ(tiled.shape()[0], 4);
    EXPECT_EQ(gpu::to_host(gpu::sum(tiled)).at(0), 4 * 28);
    expect_values(gpu::ravel(gpu::repeat(a, 2, {.axis = 15})), {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7});
    expect_values(gpu::ravel(gpu::roll(a, {1, 1}, {.axis = {0, -1}})), {5, 4, 7, 6, 1, 0, 3, 2});
    expect_values(gpu::ravel(gpu::delete_(a, slice(0, 1), {.axis = 15})), {1, 3, 5, 7});
    expect_values(gpu::ravel(gpu::concatenate({.axis = 15}, a, a)), {0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7});
    std::vector<gpu::axis_pair<std::int64_t>> widths(16, {0, 0});
    widths[15] = {1, 0};
    expect_values(gpu::ravel(gpu::pad(a, widths, mode::edge)), {0, 0, 1, 2, 2, 3, 4, 4, 5, 6, 6, 7});
    extents[15] = 9;
    const auto wide = gpu::reshape(gpu::arange<int>(36), extents);
    EXPECT_EQ(gpu::delete_(wide, slice(0, 9, 3), {.axis = 15}).shape()[15], 6);
  });
}

/// 12 bytes, which no register holds.
struct point {
  float x;
  float y;
  int id;
  friend bool operator==(const point&, const point&) = default;
};

TEST(manipulation, moves_types_of_the_user) {
  on_every_device([] {
    const std::vector<point> values{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    const array<point> a(values);
    const auto at = [&](int i) { return values[static_cast<std::size_t>(i)]; };
    expect_values(gpu::concatenate(a, a(slice(0, 1))), {at(0), at(1), at(2), at(0)});
    expect_values(gpu::stack({.axis = 1}, a, gpu::flip(a)), {3, 2}, {at(0), at(2), at(1), at(1), at(2), at(0)});
    expect_values(gpu::tile(a(slice(0, 1)), 2), {at(0), at(0)});
    expect_values(gpu::roll(a, 1), {at(2), at(0), at(1)});
    expect_values(gpu::delete_(a, 1), {at(0), at(2)});
    expect_values(gpu::pad(a, {0, 1}, mode::wrap), {at(0), at(1), at(2), at(0)});
    expect_values(gpu::split(a, {1})[1], {at(1), at(2)});
  });
}

}  // namespace
