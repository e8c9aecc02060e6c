/// @file
/// `array<T>`: a NumPy array in C++. This header brings arrays, views, indexing and fused expressions with operators;
/// functions come with the headers of their topics (gpu/exponents.hpp, gpu/reduce.hpp, ...), everything with
/// gpu/gpu.hpp.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>

#include "array_base.hpp"
#include "runtime/from_nested.hpp"
#include "view.hpp"

namespace gpu {

namespace detail {

/// A container on the host whose elements lie next to each other: a vector, span, std::array or C array.
template <class Container, class Element>
concept contiguous_container =
    !array_like<Container> && !std::derived_from<Container, index_vector> && requires(const Container& values) {
      { std::data(values) } -> std::convertible_to<const Element*>;
      std::size(values);
    };

}  // namespace detail

/// An array of elements of type `Element` on a device. A value, like `std::vector`: copying copies the elements
/// (asynchronously), moving is O(1). The rank is a run-time value of at most `max_rank`.
template <class Element>
class array : public array_base<Element> {
  static constexpr bool can_be_stored = element<Element>;  // by name: the compiler would explain the concept, at length
  static_assert(can_be_stored,
                "gpu::array<T>: T must be trivially copyable, not const, not a reference and not a pointer");
  static_assert(alignof(Element) <= 64, "gpu::array<T>: T asks for more alignment than memory has");
  using base = array_base<Element>;

 public:
  using value_type = Element;

  /// An empty array of shape (0,), without memory.
  array() noexcept : base(detail::storage()) {}

  /// The values between braces, nested to any depth: `array<float>{{1, 2}, {3, 4}}` has shape (2,2).
  /// @throws shape_error for a ragged nest. @throws type_error for an integer that does not fit the type.
  template <class B = current_tag>
  array(std::initializer_list<detail::nested<Element>> values)
      : base(detail::make_from_nested(values, current_device<B>())) {}

  /// Zeros of this shape: `array<float>(gpu::shape{2, 3})`. @throws out_of_memory
  template <class B = current_tag>
  explicit array(const gpu::shape& extents) : base(detail::make_zeros(extents, sizeof(Element), current_device<B>())) {}
  /// A one-dimensional array of the elements of a vector, span, std::array or C array, copied at once.
  template <class Container, class B = current_tag>
    requires detail::contiguous_container<Container, Element>
  explicit array(const Container& values)
      : base(detail::upload(std::data(values), gpu::shape{std::size(values)}, sizeof(Element), current_device<B>())) {}

  template <std::integral... Extents>
    requires(sizeof...(Extents) > 0)
  explicit array(Extents...) = delete;  // extents go into a shape: gpu::zeros<T>({3, 4}); values go between braces

  /// Copies the elements, keeping the order of the axes in memory. Asynchronous.
  array(const array& other) : base(detail::clone(other.data_, sizeof(Element))) {}
  array(array&& other) noexcept : base(std::exchange(other.data_, detail::storage())) {}
  ~array() = default;

  /// The values of an expression, view or array of a type that casts to this one as NumPy's same_kind rule allows.
  template <class E, class B = current_tag>
    requires array_like<E>
  array(E&& e) : base(engine::evaluate_operand<Element>(std::forward<E>(e))) {}

  /// Becomes a copy of `other`; views of the old value keep it.
  array& operator=(const array& other) {
    detail::assign_value(this->data_, other.data_, sizeof(Element));
    return *this;
  }
  array& operator=(array&& other) noexcept {
    this->data_ = std::exchange(other.data_, detail::storage());
    return *this;
  }
  /// Becomes the value of an expression; views and pending expressions of the old value keep it. Memory is reused when
  /// nobody can tell. A failed evaluation leaves the array as it was.
  template <class E, class B = current_tag>
    requires array_like<E>
  array& operator=(E&& e) {
    engine::become<Element>(this->data_, std::forward<E>(e));
    return *this;
  }

  template <class Container>
    requires detail::contiguous_container<Container, Element>
  void operator=(const Container&) = delete;  // make a host container an array with gpu::asarray

  friend void swap(array& a, array& b) noexcept { std::swap(a.data_, b.data_); }

  /// From parts, for code that computes layouts.
  explicit array(detail::storage data) noexcept : base(std::move(data)) {}

  /// The first element, in the memory of the device.
  [[nodiscard]] Element* data() noexcept { return reinterpret_cast<Element*>(this->data_.first); }
  [[nodiscard]] const Element* data() const noexcept { return reinterpret_cast<const Element*>(this->data_.first); }

  /// All elements as a view.
  [[nodiscard]] gpu::view<Element> view() noexcept { return *this; }
  [[nodiscard]] gpu::view<const Element> view() const noexcept { return *this; }

  /// Basic indexing with integers, `slice`, `ellipsis` and `newaxis`: a view. @throws index_error when out of range.
  template <class... Items>
    requires detail::basic_index<Items...>
  [[nodiscard]] gpu::view<Element> operator()(const Items&... items) {
    return view()(items...);
  }
  template <class... Items>
    requires detail::basic_index<Items...>
  [[nodiscard]] gpu::view<const Element> operator()(const Items&... items) const {
    return view()(items...);
  }
  /// Boolean arrays of the array's shape or of that of its first axes, and arrays of integers among other indices, as
  /// in NumPy: to read, assign or update (see `mask_view` and `indexed_view`). @throws index_error, device_error
  template <class... Items>
    requires(detail::mask_index<Items...> || detail::advanced_index<Items...>)
  [[nodiscard]] auto operator()(Items&&... items) {
    return view()(std::forward<Items>(items)...);
  }
  template <class... Items>
    requires(detail::mask_index<Items...> || detail::advanced_index<Items...>)
  [[nodiscard]] auto operator()(Items&&... items) const {
    return view()(std::forward<Items>(items)...);
  }
  /// Indices are integers, `slice`, `ellipsis`, `newaxis` and arrays of integers or booleans.
  template <class... Items>
    requires detail::not_an_index<Items...>
  detail::indices_are_integers_slices_ellipsis_newaxis_or_arrays_of_integers_or_booleans operator()(
      const Items&... items) const = delete;

  /// The axes reversed, or permuted by `axes`: a view. @throws axis_error, shape_error
  [[nodiscard]] gpu::view<Element> transpose(const index_vector& axes = {}) { return view().transpose(axes); }
  [[nodiscard]] gpu::view<const Element> transpose(const index_vector& axes = {}) const {
    return view().transpose(axes);
  }
  /// The axes reversed.
  [[nodiscard]] gpu::view<Element> T() { return view().transpose(); }
  [[nodiscard]] gpu::view<const Element> T() const { return view().transpose(); }

  // As the const ones; elements can be written.
  using base::along;
  using base::flat;
  using base::span;
  template <int Rank>
  [[nodiscard]] element_span<Element, Rank> span();
  [[nodiscard]] element_range<Element> flat();
  [[nodiscard]] view_range<Element> along(std::int64_t axis);
};

template <array_like E>
array(E&&) -> array<value_t<E>>;
template <arithmetic T>
array(std::initializer_list<T>) -> array<T>;

template <class T>
auto array_base<T>::copy() const -> array<value_type> {
  return array<value_type>(detail::clone_in_c_order(data_, sizeof(T)));
}

template <class T>
auto array_base<T>::to(const gpu::device& destination) const -> array<value_type> {
  return array<value_type>(detail::copy_to(data_, sizeof(T), destination));
}

}  // namespace gpu

#include "element_span.hpp"
#include "iteration.hpp"
#include "operators.hpp"
