/// @file
/// What arrays and views have in common: shape, layout, device, and reading their elements.
#pragma once

#include <cstdint>
#include <type_traits>

#include "core/types.hpp"
#include "runtime/storage.hpp"

namespace gpu {

template <class T>
class array;
template <class T>
class view;
template <class T, int Rank>
class element_span;
template <class T>
class element_range;
template <class T>
class view_range;

/// The read-only half of `array` and `view`. `T` is the element type, const for a view of const elements.
template <class T>
class array_base {
 public:
  using value_type = std::remove_const_t<T>;

  /// The extents.
  [[nodiscard]] const gpu::shape& shape() const noexcept { return data_.where.extents; }
  /// The number of axes.
  [[nodiscard]] int ndim() const noexcept { return data_.where.rank(); }
  /// The number of elements.
  [[nodiscard]] std::int64_t size() const noexcept { return data_.where.extents.size(); }
  /// Bytes of one element.
  [[nodiscard]] static constexpr std::int64_t itemsize() noexcept { return sizeof(T); }
  /// Bytes of all elements.
  [[nodiscard]] std::int64_t nbytes() const noexcept { return size() * itemsize(); }
  /// Bytes from one element to the next along each axis, as NumPy gives them; negative for a reversed axis.
  [[nodiscard]] index_vector strides() const noexcept {
    index_vector bytes = data_.where.strides;
    for (int i = 0; i < bytes.rank(); ++i) bytes[i] *= itemsize();
    return bytes;
  }
  /// The element type at run time.
  [[nodiscard]] static constexpr gpu::dtype dtype() noexcept { return dtype_of<value_type>; }
  /// The device that holds the elements.
  [[nodiscard]] gpu::device device() const noexcept { return data_.device(); }
  /// Whether the elements are dense in the given order.
  [[nodiscard]] bool is_contiguous(order o = order::C) const noexcept { return gpu::is_contiguous(data_.where, o); }
  /// Memory, first element and layout, for code that works below the element type.
  [[nodiscard]] const detail::storage& storage() const noexcept { return data_; }

  /// The only element of an array of size 1. Waits for the device. @throws shape_error for another size.
  [[nodiscard]] value_type item() const {
    struct bytes {  // the type may have no default constructor
      alignas(T) unsigned char of[sizeof(T)];
    } result;
    detail::read_element(data_, sizeof(T), &result);
    return __builtin_bit_cast(value_type, result);
  }
  /// As `item()`, converted: `float(a)`, `if (any(a))`. Waits for the device.
  /// @throws shape_error for another size: "The truth value of an array ... is ambiguous".
  template <arithmetic U>
    requires arithmetic<value_type> && (!complex_number<value_type> || complex_number<U> || boolean<U>)
  [[nodiscard]] explicit operator U() const {
    return detail::cast<U>(item());
  }

  /// A new array with the same elements in C order; asynchronous on a device.
  [[nodiscard]] array<value_type> copy() const;
  /// The elements on another device; a copy even if they are there already. Asynchronous.
  [[nodiscard]] array<value_type> to(const gpu::device& destination) const;

  /// A host accessor for loops over elements: `auto x = a.span<2>(); x(i, j)`. Waits until the elements are computed.
  /// @throws shape_error if the rank is another. @throws device_error if the array is not on the host.
  template <int Rank>
  [[nodiscard]] element_span<const value_type, Rank> span() const;
  /// The elements in C order, for a loop on the host: `for (float x : a.flat())`. Waits until they are computed.
  /// @throws device_error if the array is not on the host.
  [[nodiscard]] element_range<const value_type> flat() const;
  /// The views that the indices along an axis select: `for (auto row : a.along(0))`. Does not wait. @throws axis_error
  [[nodiscard]] view_range<const value_type> along(std::int64_t axis) const;

  template <class I>
  void operator[](const I&) const = delete;  // parentheses index: a(0, 1)
  void begin() const = delete;               // loop over flat(), the elements, or along(axis), the sub-views
  void end() const = delete;                 // as begin()

 protected:
  array_base() = default;
  explicit array_base(detail::storage data) noexcept : data_(static_cast<detail::storage&&>(data)) {}
  ~array_base() = default;
  array_base(const array_base&) = default;
  array_base(array_base&&) noexcept = default;
  array_base& operator=(const array_base&) = default;
  array_base& operator=(array_base&&) noexcept = default;

  detail::storage data_;
};

}  // namespace gpu
