/// @file
/// Loops over an array: `flat()` gives its elements, `along(axis)` the sub-views along an axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>

#include "array.hpp"

namespace gpu {

/// The elements of a host array in C order: `for (float& x : a.flat()) x = 1;`. It keeps the memory alive; its
/// iterators are valid as long as it lives.
template <class T>
class element_range {
 public:
  class iterator {
   public:
    using value_type = std::remove_const_t<T>;
    using reference = T&;
    using pointer = T*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::forward_iterator_tag;

    iterator() noexcept = default;
    iterator(const layout* where, T* at, std::int64_t position) noexcept
        : where_(where), at_(at), position_(position), index_(where->rank(), 0) {}

    [[nodiscard]] T& operator*() const noexcept { return *at_; }
    [[nodiscard]] T* operator->() const noexcept { return at_; }
    iterator& operator++() noexcept {
      ++position_;
      for (int i = where_->rank() - 1; i >= 0; --i) {
        at_ += where_->strides[i];
        if (++index_[i] < where_->extents[i]) break;
        at_ -= where_->strides[i] * where_->extents[i];
        index_[i] = 0;
      }
      return *this;
    }
    iterator operator++(int) noexcept {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.position_ == b.position_; }

   private:
    const layout* where_ = nullptr;
    T* at_ = nullptr;
    std::int64_t position_ = 0;
    index_vector index_;
  };

  explicit element_range(detail::storage data) noexcept : data_(std::move(data)) {}

  [[nodiscard]] iterator begin() const noexcept { return {&data_.where, reinterpret_cast<T*>(data_.first), 0}; }
  [[nodiscard]] iterator end() const noexcept { return {&data_.where, nullptr, size()}; }
  [[nodiscard]] std::int64_t size() const noexcept { return data_.where.extents.size(); }

 private:
  detail::storage data_;
};

/// The views that indices along an axis select, without that axis: `for (auto row : a.along(0))`.
template <class T>
class view_range {
 public:
  class iterator {
   public:
    using value_type = view<T>;
    using reference = view<T>;
    using pointer = void;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;

    iterator() noexcept = default;
    iterator(const view_range* range, std::int64_t index) noexcept : range_(range), index_(index) {}

    [[nodiscard]] view<T> operator*() const { return (*range_)(index_); }
    iterator& operator++() noexcept {
      ++index_;
      return *this;
    }
    iterator operator++(int) noexcept { return {range_, index_++}; }
    friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.index_ == b.index_; }

   private:
    const view_range* range_ = nullptr;
    std::int64_t index_ = 0;
  };

  /// @throws axis_error
  view_range(const detail::storage& data, std::int64_t axis) : first_(data) {
    const int dropped = normalize_axis(axis, data.where.rank());
    count_ = data.where.extents[dropped];
    step_ = data.where.strides[dropped] * static_cast<std::int64_t>(sizeof(T));
    index_vector extents = data.where.extents;
    extents.erase(dropped);
    first_.where.extents = shape(extents);
    first_.where.strides.erase(dropped);
  }

  [[nodiscard]] iterator begin() const noexcept { return {this, 0}; }
  [[nodiscard]] iterator end() const noexcept { return {this, count_}; }
  [[nodiscard]] std::int64_t size() const noexcept { return count_; }
  /// The view at an index, which is not checked.
  [[nodiscard]] view<T> operator()(std::int64_t index) const {
    return view<T>(detail::with_layout(first_, first_.where, index * step_));
  }

 private:
  detail::storage first_;
  std::int64_t count_;
  std::int64_t step_;
};

namespace detail {

template <class T>
[[nodiscard]] element_range<T> make_element_range(const storage& data) {
  prepare_host_access(data, "flat");
  return element_range<T>(data);
}

}  // namespace detail

template <class T>
auto array_base<T>::flat() const -> element_range<const value_type> {
  return detail::make_element_range<const value_type>(data_);
}
template <class T>
auto array_base<T>::along(std::int64_t axis) const -> view_range<const value_type> {
  return {data_, axis};
}

template <class Element>
auto view<Element>::flat() const -> element_range<Element> {
  return detail::make_element_range<Element>(this->data_);
}
template <class Element>
auto view<Element>::along(std::int64_t axis) const -> view_range<Element> {
  return {this->data_, axis};
}

template <class Element>
auto array<Element>::flat() -> element_range<Element> {
  return detail::make_element_range<Element>(this->data_);
}
template <class Element>
auto array<Element>::along(std::int64_t axis) -> view_range<Element> {
  return {this->data_, axis};
}

}  // namespace gpu
