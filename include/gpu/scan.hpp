/// @file
/// Running sums and products: cumsum, cumprod, their nan variants and the array API's names.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "array.hpp"
#include "core/keyword.hpp"
#include "engine/ops/astype.hpp"
#include "engine/scan.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// Keyword arguments of `cumsum`, `cumprod` and the nan variants: one axis, or none for the flattened array.
struct scan_options {
  keyword_only _{};
  optional_value<std::int64_t> axis{};
};

namespace engine {

/// The values of `a` as `R` in new C-order memory, scanned.
template <class Op, class Reducer, class A>
[[nodiscard]] auto scan(const A& a, const scan_options& options) {
  using R = typename Reducer::result;
  detail::storage s = evaluate<R>(as_node_reference(a));
  int axis = 0;
  if (!options.axis || s.where.rank() == 0) s.where = contiguous_layout(shape{s.where.extents.size()});
  if (options.axis) axis = normalize_axis(*options.axis, s.where.rank());
  scan_in_place<Op, Reducer>(s, axis);
  return array<R>(std::move(s));
}

/// The scanned values behind `first`: the axis becomes one longer.
template <class R>
[[nodiscard]] array<R> with_initial(const array<R>& scanned, int axis, const R& first) {
  const auto of_length = [&](std::int64_t length) {
    index_vector extents;
    for (int i = 0; i < scanned.ndim(); ++i) extents.push_back(i == axis ? length : scanned.shape()[i]);
    return shape(extents);
  };
  const detail::storage s = detail::make_storage(of_length(scanned.shape()[axis] + 1), sizeof(R), scanned.device());
  const std::int64_t one = s.where.strides[axis] * static_cast<std::int64_t>(sizeof(R));
  assign<R>(detail::with_layout(s, {scanned.shape(), s.where.strides}, one), as_node(scanned));
  assign<R>(detail::with_layout(s, {of_length(1), s.where.strides}), scalar<R>{first, {}});
  return array<R>(s);
}

/// As the array API has it: of several axes one must be chosen, and a single number is a vector of one.
template <class Op, class Reducer, class A>
[[nodiscard]] array<typename Reducer::result> cumulative(const A& a, const optional_value<std::int64_t>& axis,
                                                         bool include_initial) {
  const int rank = a.shape().rank();
  if (!axis && rank > 1) {
    detail::raise<shape_error>(
        "For arrays which have more than one dimension ``axis`` argument is required. This one has shape ", a.shape());
  }
  using R = typename Reducer::result;
  const int along = normalize_axis(axis.value_or(0), rank > 0 ? rank : 1);
  array<R> scanned = rank > 0 ? scan<Op, Reducer>(a, {.axis = along}) : scan<Op, Reducer>(a, {});
  return include_initial ? with_initial(scanned, along, detail::cast<R>(Reducer{}.identity())) : std::move(scanned);
}

template <class R, class A>
using scan_result = std::conditional_t<std::is_void_v<R>, sum_result_t<value_t<A>>, R>;

}  // namespace engine

/// The sum of all elements up to each one, along an axis or of the flattened array. Types as for `sum`. @throws
/// axis_error
template <class R = void, array_like A>
[[nodiscard]] auto cumsum(const A& a, const scan_options& options = {}) {
  using result = engine::scan_result<R, A>;
  return engine::scan<ops::add, engine::sum_reducer<result, result>>(a, options);
}
/// The product of all elements up to each one; otherwise as `cumsum`. @throws axis_error
template <class R = void, array_like A>
[[nodiscard]] auto cumprod(const A& a, const scan_options& options = {}) {
  using result = engine::scan_result<R, A>;
  return engine::scan<ops::multiply, engine::product_reducer<result, result>>(a, options);
}
/// `cumsum` with NaN as 0. @throws axis_error
template <class R = void, array_like A>
[[nodiscard]] auto nancumsum(const A& a, const scan_options& options = {}) {
  return cumsum<R>(engine::apply(ops::nan_to<0>{}, a), options);
}
/// `cumprod` with NaN as 1. @throws axis_error
template <class R = void, array_like A>
[[nodiscard]] auto nancumprod(const A& a, const scan_options& options = {}) {
  return cumprod<R>(engine::apply(ops::nan_to<1>{}, a), options);
}

/// Keyword arguments of `cumulative_sum` and `cumulative_prod`.
struct cumulative_options {
  keyword_only _{};
  optional_value<std::int64_t> axis{};  ///< may be left out for one axis only
  bool include_initial = false;         ///< begin with the sum or product of nothing: the axis becomes one longer
};

/// `cumsum` under the array API's name and with its rules. @throws axis_error; shape_error for several axes and no
/// `axis`.
template <class R = void, array_like A>
[[nodiscard]] auto cumulative_sum(const A& a, const cumulative_options& options = {}) {
  using result = engine::scan_result<R, A>;
  return engine::cumulative<ops::add, engine::sum_reducer<result, result>>(a, options.axis, options.include_initial);
}
/// `cumprod`, likewise.
template <class R = void, array_like A>
[[nodiscard]] auto cumulative_prod(const A& a, const cumulative_options& options = {}) {
  using result = engine::scan_result<R, A>;
  return engine::cumulative<ops::multiply, engine::product_reducer<result, result>>(a, options.axis,
                                                                                    options.include_initial);
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
