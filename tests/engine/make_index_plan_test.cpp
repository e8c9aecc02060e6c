/// @file
/// What an index selects, on shapes alone: the order of axes, and the loops that a backend runs.
#include "gpu/engine/make_index_plan.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using gpu::index_mode;
using gpu::shape;
using gpu::slice;
using gpu::detail::index_entry;
using gpu::detail::index_plan;
using gpu::detail::index_source;
using gpu::detail::resolved_index;

index_entry basic(const gpu::detail::index_item& item) { return {index_entry::kind::basic, item, {}}; }
index_entry array(const shape& extents) { return {index_entry::kind::array, gpu::ellipsis, extents}; }
index_entry flag(bool value) { return {index_entry::kind::flag, gpu::ellipsis, shape{value ? 1 : 0}}; }

resolved_index resolve(const shape& extents, const std::vector<index_entry>& entries) {
  return gpu::detail::resolve_index(gpu::contiguous_layout(extents), entries.data(), static_cast<int>(entries.size()));
}
shape selected(const shape& extents, const std::vector<index_entry>& entries) {
  return resolve(extents, entries).base.extents;
}

TEST(make_index_plan, the_axes_of_index_arrays_replace_the_indexed_ones_or_come_first) {
  const shape a{2, 3, 4, 5};
  const index_entry i = array({7});
  const index_entry all = basic(slice());
  EXPECT_EQ(selected(a, {i}), (shape{7, 3, 4, 5}));
  EXPECT_EQ(selected(a, {all, i, i}), (shape{2, 7, 5}));
  EXPECT_EQ(selected(a, {i, all, i}), (shape{7, 3, 5}));
  EXPECT_EQ(selected(a, {all, i, basic(1)}), (shape{2, 7, 5}));  // a number counts as an index array
  EXPECT_EQ(selected(a, {basic(1), all, i}), (shape{7, 3, 5}));  // and so this one is apart
  EXPECT_EQ(selected(a, {all, i, basic(gpu::newaxis), i}), (shape{7, 2, 1, 5}));
  EXPECT_EQ(selected(a, {basic(gpu::ellipsis), i}), (shape{2, 3, 4, 7}));
  EXPECT_EQ(selected(a, {all, array({2, 1}), array({3})}), (shape{2, 2, 3, 5}));
  EXPECT_EQ(selected(a, {basic(gpu::newaxis), flag(true)}), (shape{1, 1, 2, 3, 4, 5}));
  EXPECT_EQ(selected(a, {flag(false)}), (shape{0, 2, 3, 4, 5}));
}

TEST(make_index_plan, numbers_and_slices_move_the_first_element) {
  const resolved_index r = resolve({4, 5, 6}, {basic(-1), array({3}), basic(slice(gpu::none, gpu::none, -2))});
  EXPECT_EQ(r.offset, 3 * 30 + 5);
  EXPECT_EQ(r.base.extents, (shape{3, 3}));
  EXPECT_EQ(r.base.strides, (gpu::index_vector{0, -2}));
  EXPECT_EQ(r.axes[0].axis, 1);
  EXPECT_EQ(r.axes[0].stride, 6);
  EXPECT_EQ(r.axes[0].extent, 5);
}

index_plan plan(const resolved_index& r, const shape& index, std::int64_t itemsize, bool widens) {
  static char memory[1];
  const index_source source{memory, gpu::contiguous_layout(index), gpu::dtype::int32};
  return gpu::detail::make_index_plan(r, memory, itemsize, &source, memory, gpu::contiguous_strides(r.base.extents),
                                      index_mode::raise, widens);
}

TEST(make_index_plan, rows_are_one_loop_of_larger_elements) {
  const index_plan p = plan(resolve({10, 4, 6}, {array({7})}), {7}, 4, true);
  ASSERT_EQ(p.rank, 2);
  EXPECT_EQ(p.extents[0], 7);
  EXPECT_EQ(p.extents[1], 6);  // 24 floats in pieces of 16 bytes
  EXPECT_EQ(p.itemsize, 16);
  EXPECT_EQ(p.size, 42);
  EXPECT_EQ(p.index[0].strides[0], 4);
  EXPECT_EQ(p.index[0].strides[1], 0);
  EXPECT_EQ(p.index[0].step, 96);
  EXPECT_EQ(plan(resolve({10, 4, 6}, {array({7})}), {7}, 4, false).itemsize, 4);
}

TEST(make_index_plan, index_arrays_of_any_rank_are_one_loop_if_they_are_dense) {
  const index_plan p = plan(resolve({10}, {array({3, 4, 5})}), {3, 4, 5}, 8, true);
  EXPECT_EQ(p.rank, 1);
  EXPECT_EQ(p.extents[0], 60);
  EXPECT_EQ(p.itemsize, 8);
}

TEST(make_index_plan, without_elements_the_indices_are_looked_at) {
  const index_plan p = plan(resolve({10, 0}, {array({3})}), {3}, 8, true);
  EXPECT_FALSE(p.moves);
  EXPECT_EQ(p.size, 3);
  EXPECT_EQ(plan(resolve({10, 0}, {array({0})}), {0}, 8, true).size, 0);
}

TEST(make_index_plan, places) {
  using gpu::detail::place_of;
  EXPECT_EQ(place_of(-1, 3, index_mode::raise), 2);
  EXPECT_EQ(place_of(-4, 3, index_mode::raise), -1);
  EXPECT_EQ(place_of(3, 3, index_mode::raise), -1);
  EXPECT_EQ(place_of(-4, 3, index_mode::wrap), 2);
  EXPECT_EQ(place_of(7, 3, index_mode::wrap), 1);
  EXPECT_EQ(place_of(-4, 3, index_mode::clip), 0);
  EXPECT_EQ(place_of(7, 3, index_mode::clip), 2);
}

}  // namespace
