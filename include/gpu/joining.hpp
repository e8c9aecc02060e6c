/// @file
/// Joining arrays: concatenate, stack, block and their kin.
///
/// Each takes arrays, views and expressions as arguments, `concatenate(a, b * 2)`, with keyword arguments before them,
/// `concatenate({.axis = 1}, a, b)`, or a range of them, such as a `std::vector`, with keyword arguments behind it. The
/// result has the promoted element type of all, or the one that is given, `concatenate<double>(a, b)`, to which theirs
/// must cast as same_kind. It is a new array on their device; none of these functions waits. On a GPU all arrays of the
/// result's type are copied by one kernel; an expression, or an argument of another type, is computed in its place.
/// @throws device_error for arrays on different devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ranges>
#include <type_traits>
#include <utility>
#include <vector>

#include "array.hpp"
#include "engine/join.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// A range of arrays, views or expressions of one type: `std::vector<array<float>>`.
template <class Range>
concept array_range =
    std::ranges::input_range<const Range> && array_like<std::ranges::range_value_t<Range>> && !array_like<Range>;

namespace engine {
struct arrays_to_join_are_arguments_or_a_vector_not_a_list_in_braces {};
}  // namespace engine

/// Keyword arguments of `concatenate` and `concat`.
struct concatenate_options {
  keyword_only _{};
  optional_value<std::int64_t> axis = 0;  ///< `none`: the arrays are flattened first
};

/// The arrays one behind the other along an axis that they have. @throws shape_error if they differ in rank or another
/// axis. @throws axis_error
template <class R = void, array_like... Arrays>
  requires(sizeof...(Arrays) > 0)
[[nodiscard]] auto concatenate(const concatenate_options& options, const Arrays&... arrays) {
  return engine::join<R>("concatenate", options.axis, engine::lift::nothing, arrays...);
}
/// Along the first axis.
template <class R = void, array_like First, array_like... Rest>
[[nodiscard]] auto concatenate(const First& first, const Rest&... rest) {
  return engine::join<R>("concatenate", 0, engine::lift::nothing, first, rest...);
}
/// Those of a range. @throws shape_error if it is empty.
template <class R = void, array_range Range>
[[nodiscard]] auto concatenate(const Range& arrays, const concatenate_options& options = {}) {
  return engine::join_range<R>("concatenate", options.axis, engine::lift::nothing, arrays);
}
/// A list in braces would copy the arrays.
template <class R = void, class T>
engine::arrays_to_join_are_arguments_or_a_vector_not_a_list_in_braces concatenate(
    std::initializer_list<T> arrays, const concatenate_options& options = {}) = delete;

/// The same as `concatenate`, as the array API names it.
template <class R = void, array_like... Arrays>
  requires(sizeof...(Arrays) > 0)
[[nodiscard]] auto concat(const concatenate_options& options, const Arrays&... arrays) {
  return concatenate<R>(options, arrays...);
}
/// Along the first axis. @throws shape_error
template <class R = void, array_like First, array_like... Rest>
[[nodiscard]] auto concat(const First& first, const Rest&... rest) {
  return concatenate<R>(first, rest...);
}
/// Those of a range. @throws shape_error, also if it is empty
template <class R = void, array_range Range>
[[nodiscard]] auto concat(const Range& arrays, const concatenate_options& options = {}) {
  return concatenate<R>(arrays, options);
}

/// Keyword arguments of `stack`.
struct stack_options {
  keyword_only _{};
  std::int64_t axis = 0;  ///< the new axis, in the result
};

/// Arrays of one shape along a new axis. @throws shape_error for different shapes. @throws axis_error
template <class R = void, array_like... Arrays>
  requires(sizeof...(Arrays) > 0)
[[nodiscard]] auto stack(const stack_options& options, const Arrays&... arrays) {
  return engine::join<R>("stack", options.axis, engine::lift::new_axis, arrays...);
}
/// Along a new first axis.
template <class R = void, array_like First, array_like... Rest>
[[nodiscard]] auto stack(const First& first, const Rest&... rest) {
  return engine::join<R>("stack", 0, engine::lift::new_axis, first, rest...);
}
/// Those of a range. @throws shape_error if it is empty.
template <class R = void, array_range Range>
[[nodiscard]] auto stack(const Range& arrays, const stack_options& options = {}) {
  return engine::join_range<R>("stack", options.axis, engine::lift::new_axis, arrays);
}
/// A list in braces would copy the arrays.
template <class R = void, class T>
engine::arrays_to_join_are_arguments_or_a_vector_not_a_list_in_braces stack(std::initializer_list<T> arrays,
                                                                            const stack_options& options = {}) = delete;

/// One below the other: arrays of no or one dimension are rows. @throws shape_error
template <class R = void, array_like First, array_like... Rest>
[[nodiscard]] auto vstack(const First& first, const Rest&... rest) {
  return engine::join<R>("vstack", 0, engine::lift::at_least_2d, first, rest...);
}
/// Those of a range. @throws shape_error, also if it is empty
template <class R = void, array_range Range>
[[nodiscard]] auto vstack(const Range& arrays) {
  return engine::join_range<R>("vstack", 0, engine::lift::at_least_2d, arrays);
}

/// Side by side: along the second axis, or the only one. @throws shape_error
template <class R = void, array_like First, array_like... Rest>
[[nodiscard]] auto hstack(const First& first, const Rest&... rest) {
  return engine::join<R>("hstack", first.ndim() > 1 ? 1 : 0, engine::lift::at_least_1d, first, rest...);
}
/// Those of a range. @throws shape_error, also if it is empty
template <class R = void, array_range Range>
[[nodiscard]] auto hstack(const Range& arrays) {
  const auto first = std::ranges::begin(arrays);
  const bool matrices = first != std::ranges::end(arrays) && (*first).ndim() > 1;
  return engine::join_range<R>("hstack", matrices ? 1 : 0, engine::lift::at_least_1d, arrays);
}

/// One behind the other: along the third axis, which arrays of fewer dimensions get. @throws shape_error
template <class R = void, array_like First, array_like... Rest>
[[nodiscard]] auto dstack(const First& first, const Rest&... rest) {
  return engine::join<R>("dstack", 2, engine::lift::at_least_3d, first, rest...);
}
/// Those of a range. @throws shape_error, also if it is empty
template <class R = void, array_range Range>
[[nodiscard]] auto dstack(const Range& arrays) {
  return engine::join_range<R>("dstack", 2, engine::lift::at_least_3d, arrays);
}

/// Side by side: arrays of one dimension are columns. @throws shape_error
template <class R = void, array_like First, array_like... Rest>
[[nodiscard]] auto column_stack(const First& first, const Rest&... rest) {
  return engine::join<R>("column_stack", 1, engine::lift::column, first, rest...);
}
/// Those of a range. @throws shape_error, also if it is empty
template <class R = void, array_range Range>
[[nodiscard]] auto column_stack(const Range& arrays) {
  return engine::join_range<R>("column_stack", 1, engine::lift::column, arrays);
}

/// Keyword arguments of `append`.
struct append_options {
  keyword_only _{};
  optional_value<std::int64_t> axis{};  ///< none: both are flattened first
};

/// The elements of `arr` followed by `values`, an array or a number, in a new array. A number takes the array's type as
/// it does in an expression; NumPy would make it an array of int64 or float64. @throws shape_error, axis_error;
/// type_error for an integer that does not fit.
template <array_like A, operand_like V>
[[nodiscard]] auto append(const A& arr, const V& values, const append_options& options = {}) {
  if constexpr (array_like<V>) {
    return engine::join<void>("append", options.axis, engine::lift::nothing, arr, values);
  } else {
    using result = weak_result_t<value_t<A>, V>;
    check_weak<result>(values);
    const engine::scalar<result> number{detail::cast<result>(values), {}};
    return engine::join_nodes<result>("append", options.axis, engine::lift::nothing, engine::as_part(arr), number);
  }
}

namespace engine {

/// What stands in the nested braces of `block`: an array, view, expression or number, or a list of these.
template <class T>
class block_item {
 public:
  template <operand_like E>
  block_item(const E& e) {
    if constexpr (array_like<E>) {
      require_same_kind<value_t<E>, T>();
      array_ = as_storage_of<T>(e);
    } else {
      require_same_kind<weak_result_t<T, E>, T>();
      check_weak<T>(e);
      array_.where = {};
      number_ = detail::cast<T>(e);
    }
  }
  block_item(std::initializer_list<block_item> list) : list_(list), is_list_(true) {}
  /// From nested ranges.
  template <class Range>
    requires(std::ranges::input_range<const Range> && !array_like<Range>)
  explicit block_item(const Range& range) : is_list_(true) {
    for (const auto& item : range) list_.push_back(block_item(item));
  }

  [[nodiscard]] bool is_list() const noexcept { return is_list_; }
  [[nodiscard]] const std::vector<block_item>& list() const noexcept { return list_; }
  [[nodiscard]] const detail::storage& array() const noexcept { return array_; }
  /// Its value, if it is a number: then the array has no memory.
  [[nodiscard]] const std::optional<T>& number() const noexcept { return number_; }

 private:
  detail::storage array_;
  std::optional<T> number_;
  std::vector<block_item> list_;
  bool is_list_ = false;
};

/// The depth of the lists, which is the same everywhere, and the largest rank. @throws shape_error
template <class T>
[[nodiscard]] int block_depth(const block_item<T>& item, int& rank) {
  if (!item.is_list()) {
    if (item.array().where.rank() > rank) rank = item.array().where.rank();
    return 0;
  }
  if (item.list().empty()) detail::raise<shape_error>("block: List cannot be empty");
  const int first = block_depth(item.list()[0], rank);
  for (const block_item<T>& other : item.list()) {
    const int depth = block_depth(other, rank);
    if (depth != first) {
      detail::raise<shape_error>("List depths are mismatched. First element was at depth ", first + 1,
                                 ", but there is an element at depth ", depth + 1);
    }
  }
  return first + 1;
}

/// An array of `block` and where its first element goes.
template <class T>
struct placed_block {
  detail::storage array;
  std::optional<T> number;
  index_vector origin;
};

/// The extents of what an item of this depth fills from `origin` on; its arrays are appended to `blocks`.
/// @throws shape_error
template <class T>
[[nodiscard]] index_vector place_blocks(const block_item<T>& item, int depth, const index_vector& origin,
                                        std::vector<placed_block<T>>& blocks) {
  if (!item.is_list()) {
    index_vector extents = item.array().where.extents;
    while (extents.rank() < origin.rank()) extents.insert(0, 1);
    blocks.push_back({item.array(), item.number(), origin});
    return extents;
  }
  const int axis = origin.rank() - depth;
  index_vector extents;
  index_vector next = origin;
  for (std::size_t k = 0; k < item.list().size(); ++k) {
    const index_vector part = place_blocks(item.list()[k], depth - 1, next, blocks);
    for (int i = 0; i < part.rank() && k > 0; ++i) {
      if (i != axis && part[i] != extents[i]) raise_join_mismatch(i, extents[i], static_cast<std::int64_t>(k), part[i]);
    }
    next[axis] += part[axis];
    if (k == 0) extents = part;
  }
  extents[axis] = next[axis] - origin[axis];
  return extents;
}

template <class T>
[[nodiscard]] array<T> make_block(const block_item<T>& all) {
  int rank = 0;
  const int depth = block_depth(all, rank);
  if (rank < depth) rank = depth;
  std::vector<placed_block<T>> blocks;
  const shape extents(place_blocks(all, depth, index_vector(rank, 0), blocks));
  located where;
  for (const placed_block<T>& b : blocks) join_location(where, location_of(b.array), "block");
  detail::storage result = detail::make_storage(extents, sizeof(T), device_at(where));
  const index_vector strides = contiguous_strides(extents);
  detail::assembly copies(result, sizeof(T));
  for (const placed_block<T>& b : blocks) {
    const int added = rank - b.array.where.rank();
    layout target{b.array.where.extents, {}};
    for (int i = added; i < rank; ++i) target.strides.push_back(strides[i]);
    std::int64_t offset = 0;
    for (int i = 0; i < rank; ++i) offset += b.origin[i] * strides[i];
    if (b.number) {
      assign<T>(detail::with_layout(result, target, offset * std::int64_t{sizeof(T)}), scalar<T>{*b.number, {}});
    } else {
      copies.add(target, offset, b.array);
    }
  }
  copies.run();
  return array<T>(std::move(result));
}

template <class A>
struct block_element : block_element<std::ranges::range_value_t<A>> {};
template <array_like A>
struct block_element<A> : std::type_identity<value_t<A>> {};

}  // namespace engine

/// An array of blocks, given as nested lists: the innermost are joined along the last axis, those around them along the
/// one before: `block<float>({{a, b}, {c, 0}})`. Numbers and expressions may stand among the arrays; the element type
/// is named, since braces have none. @throws shape_error for blocks that do not fit or lists of different depths.
template <element T>
[[nodiscard]] array<T> block(std::initializer_list<engine::block_item<T>> blocks) {
  return engine::make_block(engine::block_item<T>(blocks));
}
/// From nested ranges, `std::vector<std::vector<array<float>>>`.
template <std::ranges::input_range Range>
  requires(!array_like<Range>)
[[nodiscard]] auto block(const Range& blocks) {
  return engine::make_block(engine::block_item<typename engine::block_element<Range>::type>(blocks));
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
