/// @file
/// Splitting an array into views of its parts: split, array_split, hsplit, vsplit, dsplit and unstack.
///
/// Nothing is copied but the values of an expression; the views may be written if the array may. Cuts are a number of
/// parts or, as a list, the indices before which to cut, which may be negative or beyond the end.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "engine/along_axis.hpp"
#include "manipulation.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// Keyword arguments of `split`, `array_split` and `unstack`.
struct split_options {
  keyword_only _{};
  std::int64_t axis = 0;
};

namespace engine {

/// The parts between cuts along an axis.
template <class View>
[[nodiscard]] std::vector<View> cut(const View& v, int axis, const std::vector<std::int64_t>& indices) {
  std::vector<View> parts;
  parts.reserve(indices.size() + 1);
  std::int64_t from = 0;
  const auto add = [&](std::int64_t to) {
    const detail::slice_range r = detail::resolve_slice(slice(from, to), v.shape()[axis]);
    parts.push_back(View(range_of(v.storage(), axis, r.first, r.count, View::itemsize())));
    from = to;
  };
  for (const std::int64_t to : indices) add(to);
  add(v.shape()[axis]);
  return parts;
}

/// Where to cut `n` elements into parts, of which the first ones may have one element more. @throws shape_error
[[nodiscard]] inline std::vector<std::int64_t> even_cuts(std::int64_t n, std::int64_t sections) {
  if (sections <= 0) detail::raise<shape_error>("number sections must be larger than 0.");
  std::vector<std::int64_t> cuts;
  cuts.reserve(static_cast<std::size_t>(sections));
  std::int64_t at = 0;
  for (std::int64_t i = 0; i + 1 < sections; ++i) cuts.push_back(at += n / sections + (i < n % sections ? 1 : 0));
  return cuts;
}

inline void check_split_rank(int rank, int least, const char* function) {
  if (rank < least) {
    detail::raise<shape_error>(function, " only works on arrays of ", least, " or more dimensions, not on one of ",
                               rank);
  }
}

}  // namespace engine

/// Parts that are equally long, or where they cannot be, of which the first ones have one element more.
/// @throws shape_error unless there is a part. @throws axis_error
template <array_like A, std::integral Sections>
[[nodiscard]] auto array_split(A&& ary, Sections sections, const split_options& options = {}) {
  auto v = engine::as_view(std::forward<A>(ary));
  const int axis = normalize_axis(options.axis, v.ndim());
  return engine::cut(v, axis, engine::even_cuts(v.shape()[axis], static_cast<std::int64_t>(sections)));
}
/// Parts between indices. @throws axis_error
template <array_like A>
[[nodiscard]] auto array_split(A&& ary, const std::vector<std::int64_t>& indices, const split_options& options = {}) {
  auto v = engine::as_view(std::forward<A>(ary));
  const int axis = normalize_axis(options.axis, v.ndim());
  return engine::cut(v, axis, indices);
}

/// Parts of one length. @throws shape_error if the axis does not divide equally. @throws axis_error
template <array_like A, std::integral Sections>
[[nodiscard]] auto split(A&& ary, Sections sections, const split_options& options = {}) {
  const int axis = normalize_axis(options.axis, ary.ndim());
  const auto count = static_cast<std::int64_t>(sections);
  if (count > 0 && ary.shape()[axis] % count != 0) {
    detail::raise<shape_error>("array split does not result in an equal division: ", ary.shape()[axis],
                               " elements of axis ", axis, " into ", count, " parts");
  }
  return array_split(std::forward<A>(ary), count, options);
}
/// Parts between indices. @throws axis_error
template <array_like A>
[[nodiscard]] auto split(A&& ary, const std::vector<std::int64_t>& indices, const split_options& options = {}) {
  return array_split(std::forward<A>(ary), indices, options);
}

/// `split` along the second axis, or the only one. @throws shape_error
template <array_like A, std::integral Sections>
[[nodiscard]] auto hsplit(A&& ary, Sections sections) {
  engine::check_split_rank(ary.ndim(), 1, "hsplit");
  return split(std::forward<A>(ary), sections, {.axis = ary.ndim() > 1 ? 1 : 0});
}
/// Between indices. @throws shape_error
template <array_like A>
[[nodiscard]] auto hsplit(A&& ary, const std::vector<std::int64_t>& indices) {
  engine::check_split_rank(ary.ndim(), 1, "hsplit");
  return split(std::forward<A>(ary), indices, {.axis = ary.ndim() > 1 ? 1 : 0});
}

/// `split` along the first axis of a matrix or more. @throws shape_error
template <array_like A, std::integral Sections>
[[nodiscard]] auto vsplit(A&& ary, Sections sections) {
  engine::check_split_rank(ary.ndim(), 2, "vsplit");
  return split(std::forward<A>(ary), sections);
}
/// Between indices. @throws shape_error
template <array_like A>
[[nodiscard]] auto vsplit(A&& ary, const std::vector<std::int64_t>& indices) {
  engine::check_split_rank(ary.ndim(), 2, "vsplit");
  return split(std::forward<A>(ary), indices);
}

/// `split` along the third axis. @throws shape_error
template <array_like A, std::integral Sections>
[[nodiscard]] auto dsplit(A&& ary, Sections sections) {
  engine::check_split_rank(ary.ndim(), 3, "dsplit");
  return split(std::forward<A>(ary), sections, {.axis = 2});
}
/// Between indices. @throws shape_error
template <array_like A>
[[nodiscard]] auto dsplit(A&& ary, const std::vector<std::int64_t>& indices) {
  engine::check_split_rank(ary.ndim(), 3, "dsplit");
  return split(std::forward<A>(ary), indices, {.axis = 2});
}

/// The views that the indices along an axis select, without that axis. @throws shape_error for rank 0. @throws
/// axis_error
template <array_like A>
[[nodiscard]] auto unstack(A&& x, const split_options& options = {}) {
  auto v = engine::as_view(std::forward<A>(x));
  if (v.ndim() == 0) detail::raise<shape_error>("Input array must be at least 1-d.");
  const int axis = normalize_axis(options.axis, v.ndim());
  const layout& old = v.storage().where;
  index_vector extents = old.extents;
  layout where{{}, old.strides};
  extents.erase(axis);
  where.strides.erase(axis);
  where.extents = shape(extents);
  std::vector<decltype(v)> parts;
  parts.reserve(static_cast<std::size_t>(old.extents[axis]));
  for (std::int64_t i = 0; i < old.extents[axis]; ++i) {
    parts.push_back(engine::with_layout(v, where, i * old.strides[axis]));
  }
  return parts;
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
