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
  if (options.axis) {
    axis = normalize_axis(*options.axis, s.where.rank());
  } else {
    s.where = contiguous_layout(shape{s.where.extents.size()});
  }
  scan_in_place<Op, Reducer>(s, axis);
  return array<R>(std::move(s));
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

}  // namespace GPUARRAY_ABI
}  // namespace gpu
