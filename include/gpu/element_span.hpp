/// @file
/// `element_span`: host access to single elements, for loops that no array function expresses.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "array.hpp"

namespace gpu {

/// Elements of a host array, addressed by `Rank` indices: `x(i, j)`. Indices are checked and may be negative.
/// It refers to the array's memory and does not keep it alive, like `std::span`.
template <class T, int Rank>
class element_span {
 public:
  explicit element_span(const detail::storage& data) noexcept : first_(reinterpret_cast<T*>(data.first)) {
    for (int i = 0; i < Rank; ++i) {
      extents_[i] = data.where.extents[i];
      strides_[i] = data.where.strides[i];
    }
  }

  /// @throws index_error for an index out of range.
  template <std::integral... I>
    requires(sizeof...(I) == Rank)
  [[nodiscard]] T& operator()(I... indices) const {
    const std::int64_t given[] = {detail::as_index(indices)..., 0};
    std::int64_t offset = 0;
    for (int i = 0; i < Rank; ++i) {
      offset += detail::checked_index(given[i], i, extents_[i]) * strides_[i];
    }
    return first_[offset];
  }

  [[nodiscard]] std::int64_t extent(int axis) const { return extents_[normalize_axis(axis, Rank)]; }

 private:
  T* first_;
  std::int64_t extents_[Rank + 1] = {};
  std::int64_t strides_[Rank + 1] = {};
};

namespace detail {

template <class T, int Rank>
[[nodiscard]] element_span<T, Rank> make_span(const storage& data) {
  if (data.where.rank() != Rank) {
    raise<shape_error>("span<", Rank, ">() of an array of dimension ", data.where.rank());
  }
  prepare_host_access(data, "span");
  return element_span<T, Rank>(data);
}

}  // namespace detail

template <class T>
template <int Rank>
auto array_base<T>::span() const -> element_span<const value_type, Rank> {
  return detail::make_span<const value_type, Rank>(data_);
}

template <class Element>
template <int Rank>
auto view<Element>::span() const -> element_span<Element, Rank> {
  return detail::make_span<Element, Rank>(this->data_);
}

template <class Element>
template <int Rank>
auto array<Element>::span() -> element_span<Element, Rank> {
  return detail::make_span<Element, Rank>(this->data_);
}

}  // namespace gpu
