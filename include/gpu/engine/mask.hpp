/// @file
/// `a(mask)`: the elements of an array that a boolean array of its shape, or of the shape of its first axes, selects:
/// to read, assign or update.
#pragma once

#include <type_traits>
#include <utility>

#include "assign.hpp"
#include "compress.hpp"
#include "nonzero.hpp"
#include "ops/logic.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// The result of indexing with a boolean mask. It is read like an array, by functions, operators and conversions: of
/// one dimension, or, if the mask has fewer axes than the array, of the sub-arrays that the mask selects. Reading
/// selects the elements of that moment and waits for the device, because their number depends on data. Assigning or
/// updating with a number, or an array of one element, does not wait.
template <class T>
class mask_view {
 public:
  using value_type = std::remove_const_t<T>;

  mask_view(detail::storage target, detail::storage mask) : target_(std::move(target)), mask_(std::move(mask)) {}
  mask_view(const mask_view&) = default;
  ~mask_view() = default;

  /// The selected elements in C order. Waits for the device.
  [[nodiscard]] array<value_type> eval() const { return array<value_type>(storage()); }
  /// How many are selected, and the axes that the mask leaves. Waits for the device.
  [[nodiscard]] gpu::shape shape() const {
    index_vector extents;
    extents.push_back(engine::count_selected_by(mask_));
    for (int i = mask_.where.rank(); i < target_.where.rank(); ++i) extents.push_back(target_.where.extents[i]);
    return gpu::shape(extents);
  }
  /// How many elements are selected. Waits for the device.
  [[nodiscard]] std::int64_t size() const { return shape().size(); }
  [[nodiscard]] int ndim() const noexcept { return 1 + target_.where.rank() - mask_.where.rank(); }
  [[nodiscard]] gpu::device device() const noexcept { return target_.device(); }
  /// The memory of a new array of the selected elements. Waits for the device.
  [[nodiscard]] detail::storage storage() const {
    if (!selects_rows()) return engine::compress(target_, mask_, sizeof(T));
    return engine::gather(engine::elements_of_rows(target_, mask_, "indexing with a boolean mask"), sizeof(T));
  }

  /// Assigns a number, one element, or as many as are selected, in C order (which waits for the device); to rows,
  /// whatever broadcasts to them.
  /// @throws shape_error for another number of elements, or more than one dimension.
  template <operand_like E>
    requires(!std::is_const_v<T>)
  const mask_view& operator=(E&& e) const {
    if constexpr (scalar_like<E>) {
      engine::require_same_kind<weak_result_t<value_type, std::remove_cvref_t<E>>, value_type>();
      write(engine::as_operand<value_type>(e));
    } else {
      engine::require_same_kind<value_t<E>, value_type>();
      assign_storage(computed<E>(engine::as_storage_of<value_type>(e)));
    }
    return *this;
  }
  /// Assigns the elements that another mask selects.
  const mask_view& operator=(const mask_view& other) const
    requires(!std::is_const_v<T>)
  {
    assign_storage(other.storage());
    return *this;
  }
  const mask_view& operator=(const mask_view&) const
    requires std::is_const_v<T>
  = delete;  // the elements are const

  /// `op=`: only selected elements change. With a number it does not wait.
  template <class Op, operand_like B>
    requires(!std::is_const_v<T>)
  void update(const Op& operation, B&& b) const {
    if constexpr (scalar_like<B>) {
      auto result = engine::apply(operation, view<T>(target_), b);
      engine::require_same_kind<value_t<decltype(result)>, value_type>();
      write(std::move(result));
    } else {
      const array<value_type> old = eval();
      const auto result = engine::apply(operation, old, std::forward<B>(b));
      engine::require_same_kind<value_t<decltype(result)>, value_type>();
      if (selects_rows() && !(result.shape() == old.shape())) {
        detail::raise<shape_error>("non-broadcastable output operand with shape ", old.shape(),
                                   " doesn't match the broadcast shape ", result.shape());
      }
      assign_storage(computed<decltype(result)>(engine::evaluate<value_type>(result)));
    }
  }

 private:
  /// Values that may fail to be computed are waited for before anything is written, where the assignment waits anyway.
  template <class E>
  static detail::storage computed(detail::storage values) {
    if constexpr (engine::may_throw<std::remove_cvref_t<E>>) {
      if (values.device().is_host() && values.where.extents.size() != 1)
        detail::synchronize_storage(values, "assigning to a boolean mask");
    }
    return values;
  }
  [[nodiscard]] bool selects_rows() const noexcept { return mask_.where.rank() < target_.where.rank(); }

  template <class Node>
  void write(Node&& values) const {
    engine::leaf<bool> mask{mask_};
    while (mask.data.where.rank() < target_.where.rank()) {  // the axes that the mask lacks are the last ones
      index_vector extents = mask.data.where.extents;
      extents.push_back(1);
      mask.data.where.extents = gpu::shape(extents);
      mask.data.where.strides.push_back(0);
    }
    const engine::leaf<value_type> old{target_};
    engine::assign<value_type>(target_, engine::make_node(ops::where{}, mask, std::forward<Node>(values), old));
  }
  void assign_storage(detail::storage values) const {
    detail::check_assigned_device(target_, values);
    if (!selects_rows() && values.where.rank() > 1) {
      detail::raise<shape_error>(
          "NumPy boolean array indexing assignment requires a 0 or 1-dimensional input, input has ",
          values.where.rank(), " dimensions");
    }
    if (values.where.extents.size() == 1) {
      values.where = {};  // one element broadcasts, also to a target of no dimensions
      write(engine::leaf<value_type>{std::move(values)});
    } else if (selects_rows()) {
      engine::scatter(engine::elements_of_rows(target_, mask_, "assignment through a boolean mask"), values, sizeof(T));
    } else {
      engine::expand(target_, mask_, values, sizeof(T));
    }
  }

  detail::storage target_;
  detail::storage mask_;
};

namespace engine {

template <class T>
struct array_traits<mask_view<T>> {
  static constexpr bool is_array = true;
  using node = leaf<std::remove_const_t<T>>;
};

template <class T>
inline constexpr bool is_computed<mask_view<T>> = true;

template <class T>
inline constexpr bool is_assignable<mask_view<T>> = !std::is_const_v<T>;

template <class Op, class T, operand_like B>
mask_view<T> update(const Op& operation, mask_view<T> target, B&& value) {
  target.update(operation, std::forward<B>(value));
  return target;
}

template <class T, array_like Mask>
[[nodiscard]] mask_view<T> make_mask_view(const detail::storage& target, Mask&& mask) {
  if (mask.ndim() > target.where.rank()) {
    detail::raise<index_error>("too many indices for array: array is ", target.where.rank(), "-dimensional, but ",
                               mask.ndim(), " were indexed, by a mask of shape ", mask.shape());
  }
  check_mask_shape(mask.shape(), target.where.extents, 0);
  detail::storage chosen = as_storage(std::forward<Mask>(mask));
  if (chosen.owner && target.owner && chosen.device() != target.device()) {
    detail::raise<device_error>("cannot index an array on ", target.device(), " with a mask on ", chosen.device(),
                                "; move it with .to(device)");
  }
  return {target, std::move(chosen)};
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
