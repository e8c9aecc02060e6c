/// @file
/// `axis_pairs`: a value for the beginning and one for the end of each axis, such as the widths of `pad`.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "shape.hpp"
#include "types.hpp"

namespace gpu {

/// A value for the beginning of an axis and one for its end.
template <class T>
struct axis_pair {
  T before;
  T after;
};

/// Such pairs for all axes: one value for all ends, `3`; a pair for every axis, `{1, 2}`; or a pair for each axis,
/// `{{1, 2}, {3, 4}}`.
template <class T, bool WholeNumbers = false>
class axis_pairs {
 public:
  axis_pairs() = default;
  template <arithmetic S>
    requires(!WholeNumbers || integer<S>)
  axis_pairs(const S& value) : axis_pairs(value, value) {}
  template <arithmetic S, arithmetic U>
    requires(!WholeNumbers || (integer<S> && integer<U>))
  axis_pairs(const S& before, const U& after) : list_{{detail::cast<T>(before), detail::cast<T>(after)}} {}
  axis_pairs(std::initializer_list<axis_pair<T>> list) : list_(list) {}
  axis_pairs(std::vector<axis_pair<T>> list) : list_(std::move(list)) {}

  [[nodiscard]] bool empty() const noexcept { return list_.empty(); }
  /// A pair for each axis. @throws shape_error if there are several, and not as many as axes.
  [[nodiscard]] std::vector<axis_pair<T>> resolve(int rank) const {
    const auto n = static_cast<std::size_t>(rank);
    if (list_.size() == 1) return std::vector<axis_pair<T>>(n, list_[0]);
    if (list_.size() != n) {
      detail::raise<shape_error>("operands could not be broadcast together with remapped shapes [original->remapped]: ",
                                 shape{list_.size(), 2}, " and requested shape ", shape{rank, 2});
    }
    return list_;
  }

 private:
  std::vector<axis_pair<T>> list_;
};

/// The widths of borders.
using pad_widths = axis_pairs<std::int64_t, true>;

}  // namespace gpu
