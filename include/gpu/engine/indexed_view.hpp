/// @file
/// `a(rows, slice(), columns)`: what arrays of integers, mixed with slices and masks, select: to read, assign, update.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "assign.hpp"
#include "nonzero.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

namespace engine {

/// A number or the elements of an array as `T`, where the selection is.
template <class T, operand_like E>
[[nodiscard]] detail::storage values_for(const indexed_elements& e, E&& value) {
  if constexpr (scalar_like<E>) {
    const device_guard there(e.place());
    return evaluate<T>(as_operand<T>(value));
  } else {
    return as_storage_of<T>(std::forward<E>(value));
  }
}

}  // namespace engine

/// The result of indexing with arrays. It is read like an array, by functions, operators and conversions, each of which
/// gathers the elements of that moment into new memory; assigning and updating write through. Neither waits for the
/// device. An index out of range is an `index_error`: at once on the host, before anything is written; of the next call
/// that waits for the device on a GPU (or for the stream, on another stream of the host), and what it names is left
/// out.
template <class T>
class indexed_view {
 public:
  using value_type = std::remove_const_t<T>;

  explicit indexed_view(engine::indexed_elements elements) : elements_(std::move(elements)) {}
  indexed_view(const indexed_view&) = default;
  ~indexed_view() = default;

  /// The selected elements as a new array. Does not wait.
  [[nodiscard]] array<value_type> eval() const { return array<value_type>(storage()); }
  /// NumPy's: the axes of index arrays that are next to each other in place of the indexed axes, otherwise first.
  [[nodiscard]] const gpu::shape& shape() const noexcept { return elements_.shape(); }
  [[nodiscard]] std::int64_t size() const noexcept { return shape().size(); }
  [[nodiscard]] int ndim() const noexcept { return shape().rank(); }
  [[nodiscard]] gpu::device device() const noexcept { return elements_.target.device(); }
  /// The memory of a new array of the selected elements. Does not wait.
  [[nodiscard]] detail::storage storage() const { return engine::gather(elements_, sizeof(T)); }
  /// What is selected, for functions that write through it.
  [[nodiscard]] const engine::indexed_elements& elements() const noexcept { return elements_; }

  /// Assigns a number or an array that broadcasts to the shape. Does not wait. Of several values for one element the
  /// last one stays on the host, and any of them on a GPU.
  /// @throws shape_error, device_error
  template <operand_like E>
    requires(!std::is_const_v<T>)
  const indexed_view& operator=(E&& e) const {
    if constexpr (scalar_like<E>) {
      engine::require_same_kind<weak_result_t<value_type, std::remove_cvref_t<E>>, value_type>();
    } else {
      engine::require_same_kind<value_t<E>, value_type>();
    }
    engine::scatter(elements_, engine::values_for<value_type>(elements_, std::forward<E>(e)), sizeof(T));
    return *this;
  }
  /// Assigns the elements that another index selects.
  const indexed_view& operator=(const indexed_view& other) const
    requires(!std::is_const_v<T>)
  {
    engine::scatter(elements_, other.storage(), sizeof(T));
    return *this;
  }
  const indexed_view& operator=(const indexed_view&) const
    requires std::is_const_v<T>
  = delete;  // the elements are const

  /// `op=` as in NumPy: reads all, computes, writes all; an element that is named twice is updated once
  /// (`scatter_add` accumulates).
  template <class Op, operand_like B>
    requires(!std::is_const_v<T>)
  void update(const Op& operation, B&& b) const {
    const auto result = engine::apply(operation, *this, std::forward<B>(b));
    engine::require_same_kind<value_t<decltype(result)>, value_type>();
    if (!(result.shape() == shape())) {
      detail::raise<shape_error>("non-broadcastable output operand with shape ", shape(),
                                 " doesn't match the broadcast shape ", result.shape());
    }
    engine::scatter(elements_, engine::evaluate<value_type>(result), sizeof(T));
  }

 private:
  engine::indexed_elements elements_;
};

namespace engine {

template <class T>
struct array_traits<indexed_view<T>> {
  static constexpr bool is_array = true;
  using node = leaf<std::remove_const_t<T>>;
};

template <class T>
inline constexpr bool is_computed<indexed_view<T>> = true;

template <class T>
inline constexpr bool is_assignable<indexed_view<T>> = !std::is_const_v<T>;

template <class Op, class T, operand_like B>
indexed_view<T> update(const Op& operation, indexed_view<T> target, B&& value) {
  target.update(operation, std::forward<B>(value));
  return target;
}

/// An array, view or expression of integers or booleans, or several arrays such as `nonzero` gives.
template <class A>
concept index_arrays = requires(const A& a) {
  requires array_like<typename A::value_type>;
  a.begin();
  a.end();
};
template <class A>
concept array_index = array_like<A> && (integer<value_t<A>> || boolean<value_t<A>>);
template <class A>
concept any_index =
    std::convertible_to<A, detail::index_item> || array_index<A> || index_arrays<std::remove_cvref_t<A>>;

/// Collects the entries of an index.
class index_collector {
 public:
  explicit index_collector(const detail::storage& target) { elements_.target = target; }

  template <class A>
  void add(A&& index) {
    if constexpr (std::convertible_to<A, detail::index_item>) {
      add_item(index);
    } else if constexpr (!array_like<A>) {
      for (const auto& one : index) add(one);
    } else if constexpr (boolean<value_t<A>>) {
      add_mask(as_storage(std::forward<A>(index)));
    } else {
      add_array(as_storage(std::forward<A>(index)), dtype_of<value_t<A>>);
    }
  }
  /// @throws index_error unless the entries fit the array.
  [[nodiscard]] indexed_elements finish() {
    const gpu::shape& extents = elements_.target.where.extents;
    for (const mask_entry& m : masks_) {
      if (axis_ > extents.rank()) break;
      check_mask_shape(m.extents, extents, m.after_ellipsis ? m.axis + extents.rank() - axis_ : m.axis);
    }
    elements_.where = detail::resolve_index(elements_.target.where, entries_.data(), static_cast<int>(entries_.size()));
    return std::move(elements_);
  }

 private:
  using kind = detail::index_entry::kind;

  void add_item(const detail::index_item& item) {
    entries_.push_back({kind::basic, item, {}});
    using what = detail::index_item::kind;
    if (item.what == what::ellipsis) ellipsis_ = true;
    axis_ += item.what == what::integer || item.what == what::slice;
  }
  void add_array(detail::storage data, dtype type) {
    check_room(1);
    check_index_device(elements_.target, data);
    entries_.push_back({kind::array, gpu::ellipsis, data.where.extents});
    elements_.arrays.push_back({std::move(data), type});
    ++axis_;
  }
  /// Becomes arrays of indices. Waits.
  void add_mask(const detail::storage& mask) {
    constexpr const char* operation = "indexing with a boolean mask";
    check_index_device(elements_.target, mask);
    if (mask.where.rank() == 0) {
      entries_.push_back({kind::flag, gpu::ellipsis, positions_of(mask, operation).where.extents});
      return;
    }
    check_room(mask.where.rank());
    masks_.push_back({mask.where.extents, axis_, ellipsis_});
    const std::size_t before = elements_.arrays.size();
    append_true_indices(elements_.arrays, mask, operation);
    for (std::size_t k = before; k < elements_.arrays.size(); ++k) {
      entries_.push_back({kind::array, gpu::ellipsis, elements_.arrays[k].data.where.extents});
    }
    axis_ += mask.where.rank();
  }
  void check_room(int more) const {
    if (axis_ + more > elements_.target.where.rank()) {
      detail::raise<index_error>("too many indices for array: array is ", elements_.target.where.rank(),
                                 "-dimensional, but ", axis_ + more, " were indexed");
    }
  }

  struct mask_entry {
    gpu::shape extents;
    int axis;  ///< axes that entries before it use
    bool after_ellipsis;
  };

  indexed_elements elements_;
  std::vector<detail::index_entry> entries_;
  std::vector<mask_entry> masks_;
  int axis_ = 0;  ///< axes that entries have used
  bool ellipsis_ = false;
};

template <class Element, any_index... Items>
[[nodiscard]] indexed_view<Element> make_indexed_view(const detail::storage& target, Items&&... items) {
  index_collector collector(target);
  (collector.add(std::forward<Items>(items)), ...);
  return indexed_view<Element>(collector.finish());
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
