/// @file
/// `axes`: the `axis=` of a reduction.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>

#include "keyword.hpp"
#include "shape.hpp"
#include "slice.hpp"

namespace gpu {

/// All axes, one, or several: `.axis = gpu::none`, `.axis = 1`, `.axis = {0, 2}`; `.axis = {}` is none of them.
class axes {
 public:
  constexpr axes(none_t) noexcept {}
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  constexpr axes(I axis) : list_{axis}, all_(false) {}
  constexpr axes(std::initializer_list<extent> list) : list_(list), all_(false) {}
  constexpr axes(const index_vector& list) : list_(list), all_(false) {}
  /// From any range of integers, such as a `std::vector<int>`.
  template <class Range>
    requires std::constructible_from<index_vector, const Range&> && (!std::derived_from<Range, index_vector>) &&
                 (!std::integral<Range>) && (!std::same_as<Range, axes>)
  constexpr axes(const Range& list) : list_(list), all_(false) {}

  /// Whether every axis is meant.
  [[nodiscard]] constexpr bool all() const noexcept { return all_; }
  [[nodiscard]] constexpr const index_vector& list() const noexcept { return list_; }

 private:
  index_vector list_;
  bool all_ = true;
};

namespace detail {

/// Which axes of an array of rank `rank` are meant.
struct axis_marks {
  bool marked[max_rank] = {};

  /// @throws axis_error for an axis out of range, shape_error for a repeated one.
  constexpr axis_marks(const axes& a, int rank, const char* operation = "") {
    if (a.all()) {
      for (int i = 0; i < rank; ++i) marked[i] = true;
    }
    for (const std::int64_t given : a.list()) {
      const int axis = normalize_axis(given, rank, operation);
      if (marked[axis]) {
        raise<shape_error>(operation, *operation != '\0' ? ": " : "", "duplicate value in 'axis': ", given);
      }
      marked[axis] = true;
    }
  }
};

/// The axes of a reduction: as in NumPy, a single number has an axis 0 too.
[[nodiscard]] constexpr axis_marks reduced_axes(const axes& a, int rank, const char* operation) {
  const bool of_number = rank == 0 && a.list().rank() == 1 && (a.list()[0] == 0 || a.list()[0] == -1);
  return {of_number ? axes(none) : a, rank, operation};
}

/// The shape that remains of `extents` without the marked axes, or with 1 in their places.
[[nodiscard]] constexpr shape reduced_shape(const shape& extents, const axis_marks& axes, bool keepdims) {
  index_vector result;
  for (int i = 0; i < extents.rank(); ++i) {
    if (!axes.marked[i]) {
      result.push_back(extents[i]);
    } else if (keepdims) {
      result.push_back(1);
    }
  }
  return shape(result);
}

}  // namespace detail
}  // namespace gpu
