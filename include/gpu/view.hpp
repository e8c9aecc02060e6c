/// @file
/// `view<T>`: a reference to part of an array that shares ownership of its memory; assignment writes through.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

#include "array_base.hpp"
#include "core/slice.hpp"
#include "engine/indexed_view.hpp"
#include "engine/mask.hpp"

namespace gpu {

namespace detail {

template <class... Items>
concept basic_index = (std::convertible_to<Items, index_item> && ...);
/// One boolean array: of the shape of the array or of its first axes.
template <class... Items>
concept mask_index = sizeof...(Items) == 1 && ((array_like<Items> && boolean<value_t<Items>>) && ...);
/// Integers, slices, ellipsis and newaxis with arrays of integers or booleans among them.
template <class... Items>
concept advanced_index = !basic_index<Items...> && !mask_index<Items...> && (engine::any_index<Items> && ...);
/// What nothing can be indexed with.
template <class... Items>
concept not_an_index = !basic_index<Items...> && !(engine::any_index<Items> && ...);
struct indices_are_integers_slices_ellipsis_newaxis_or_arrays_of_integers_or_booleans {};
struct elements_of_a_const_view_cannot_be_assigned {};

}  // namespace detail

/// A view of elements of type `Element`, or of `const Element` when they may not be written. Copying a view copies the
/// reference; assigning to one writes its elements. It keeps the memory alive, so it may outlive the array.
template <class Element>
class view : public array_base<Element> {
  using base = array_base<Element>;
  static constexpr bool is_const = std::is_const_v<Element>;

 public:
  using value_type = std::remove_const_t<Element>;

  view(const view&) = default;
  view(view&&) noexcept = default;
  ~view() = default;

  /// A view of a whole array. A temporary array is kept alive by the view.
  view(array<value_type>& a) noexcept : base(a.storage()) {}
  view(array<value_type>&& a) noexcept : base(a.storage()) {}
  view(const array<value_type>& a) noexcept
    requires is_const
      : base(a.storage()) {}
  view(const view<value_type>& v) noexcept
    requires is_const
      : base(v.storage()) {}
  /// The values of an expression, or of an array of another type, evaluated now: for functions that take `view<const
  /// T>`.
  template <class E, class B = current_tag>
    requires is_const && array_like<E> && (!std::derived_from<std::remove_cvref_t<E>, array_base<Element>>) &&
             (!std::derived_from<std::remove_cvref_t<E>, array_base<value_type>>)
  view(E&& e) : view(array<value_type>(std::forward<E>(e))) {}
  /// From parts, for code that computes layouts.
  explicit view(detail::storage data) noexcept : base(std::move(data)) {}

  /// Copies the elements of another view into this one, broadcasting; overlap is handled. Asynchronous.
  /// @throws shape_error if they do not broadcast or this is a broadcast view.
  const view& operator=(const view& other) const
    requires(!is_const)
  {
    detail::assign_elements(this->data_, other.storage(), sizeof(Element));
    return *this;
  }
  const view& operator=(const view&) const
    requires is_const
  = delete;  // the elements are const; rebind() makes the view refer to others
  /// Evaluates an expression, an array or a number into the elements. A failed evaluation leaves them as they were.
  template <class E, class B = current_tag>
    requires operand_like<E> && (!is_const)
  const view& operator=(E&& e) const {
    engine::assign_operand<value_type>(this->data_, std::forward<E>(e));
    return *this;
  }

  /// Writes one value of a type of the user's into all elements.
  template <class B = current_tag>
    requires(!arithmetic<value_type> && !is_const)
  const view& operator=(const value_type& value) const {
    engine::assign<value_type>(this->data_, engine::scalar<value_type>{value, {}});
    return *this;
  }

  template <class E>
    requires is_const
  detail::elements_of_a_const_view_cannot_be_assigned operator=(E&&) = delete;

  template <class Container>
    requires(!operand_like<Container>) && requires(const Container& c) { std::data(c); }
  void operator=(const Container&) const = delete;                   // make a host container an array with gpu::asarray
  void operator=(std::initializer_list<value_type>) const = delete;  // the braces need a type: gpu::array<T>{1, 2}

  /// Makes this view refer to other elements.
  void rebind(const view& other) noexcept { this->data_ = other.data_; }

  /// The first element, in the memory of the device.
  [[nodiscard]] Element* data() const noexcept { return reinterpret_cast<Element*>(this->data_.first); }

  /// Basic indexing with integers, `slice`, `ellipsis` and `newaxis`. @throws index_error when out of range.
  template <class... Items>
    requires detail::basic_index<Items...>
  [[nodiscard]] view operator()(const Items&... items) const {
    return view(detail::select_elements<Items...>(this->data_, sizeof(Element), items...));
  }
  /// The elements where `mask`, a boolean array of the same shape or of that of the first axes, is true.
  template <class Mask>
    requires detail::mask_index<Mask>
  [[nodiscard]] auto operator()(Mask&& mask) const {
    return engine::make_mask_view<Element>(this->data_, std::forward<Mask>(mask));
  }
  /// NumPy's advanced indexing: arrays of integers, which broadcast together, among integers, slices, `ellipsis` and
  /// `newaxis`; boolean arrays count as their `nonzero`, for which this waits. To read, assign or update (see
  /// `indexed_view`). @throws index_error, device_error
  template <class... Items>
    requires detail::advanced_index<Items...>
  [[nodiscard]] auto operator()(Items&&... items) const {
    return engine::make_indexed_view<Element>(this->data_, std::forward<Items>(items)...);
  }
  /// Indices are integers, `slice`, `ellipsis`, `newaxis` and arrays of integers or booleans.
  template <class... Items>
    requires detail::not_an_index<Items...>
  detail::indices_are_integers_slices_ellipsis_newaxis_or_arrays_of_integers_or_booleans operator()(
      const Items&... items) const = delete;

  /// The axes reversed, or permuted by `axes`. @throws axis_error, shape_error
  [[nodiscard]] view transpose(const index_vector& axes = {}) const {
    return view(detail::transpose_elements(this->data_, axes));
  }
  /// The axes reversed.
  [[nodiscard]] view T() const { return transpose(); }

  // As for arrays; elements can be written unless they are const.
  template <int Rank>
  [[nodiscard]] element_span<Element, Rank> span() const;
  [[nodiscard]] element_range<Element> flat() const;
  [[nodiscard]] view_range<Element> along(std::int64_t axis) const;
};

template <class Element>
view(array<Element>&) -> view<Element>;
template <class Element>
view(const array<Element>&) -> view<const Element>;
template <class Element>
view(array<Element>&&) -> view<Element>;

}  // namespace gpu
