/// @file
/// Reductions: sum, prod, mean, var, std, min, max, any, all, argmin, argmax, count_nonzero and the nan variants.
///
/// Each reads an array, view or expression once and returns an array on the same device: rank 0 for a full reduction.
/// None waits for the device except `nanargmin` and `nanargmax`, which must look for slices without a number.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "array.hpp"
#include "engine/reduce.hpp"
#include "engine/where_argument.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// Keyword arguments of `sum`, `prod`, `max`, `min` and their nan variants.
template <class Initial>
struct reduce_options {
  keyword_only _{};
  gpu::axes axis = none;              ///< the axes to reduce; all of them by default
  bool keepdims = false;              ///< reduced axes stay, with extent 1
  optional_value<Initial> initial{};  ///< takes part in every result
  where_argument where{};             ///< elements where it is false do not take part
};

/// Keyword arguments of `mean`, `any`, `all`, `nanmean`.
struct mean_options {
  keyword_only _{};
  gpu::axes axis = none;
  bool keepdims = false;
  where_argument where{};
};

/// Keyword arguments of `var`, `std`, `nanvar`, `nanstd`. The divisor is the number of elements less `ddof`.
struct var_options {
  keyword_only _{};
  gpu::axes axis = none;
  double ddof = 0;
  bool keepdims = false;
  where_argument where{};
};

/// Keyword arguments of `count_nonzero`.
struct count_options {
  keyword_only _{};
  gpu::axes axis = none;
  bool keepdims = false;
};

/// Keyword arguments of `argmin`, `argmax`: one axis, or none for the flattened array.
struct arg_options {
  keyword_only _{};
  optional_value<std::int64_t> axis{};
  bool keepdims = false;
};

namespace engine {

template <class R, class Default>
using chosen = std::conditional_t<std::is_void_v<R>, Default, R>;

template <class T>
inline constexpr bool has_nan = floating<T> || complex_number<T>;

template <class T>
using float_result = std::conditional_t<boolean<T> || integer<T>, double, T>;

/// The mask of a reduction of values of shape `extents`. @throws shape_error unless it can be read as that shape.
[[nodiscard]] inline const detail::storage& mask_for(const shape& extents, const where_argument& where,
                                                     const char* operation) {
  const detail::storage& mask = where.mask();
  const shape& selected = mask.where.extents;
  if (selected.rank() > extents.rank()) {
    detail::raise<shape_error>(
        operation, ": input operand has more dimensions than allowed by the axis remapping: where=", " has shape ",
        selected, " and the values ", extents);
  }
  const shape together = detail::broadcast_pair(extents, selected, operation);
  if (together == extents) return mask;
  detail::raise<shape_error>(operation, ": non-broadcastable operand with shape ", extents,
                             " doesn't match the broadcast shape ", together);
}

/// Runs a reduction, through a masked copy if there is a mask.
template <class Reducer, class A>
[[nodiscard]] array<typename Reducer::result> run_reduction(A&& a, const axes& axis, bool keepdims,
                                                            const where_argument& where, const Reducer& reducer,
                                                            const typename Reducer::input& neutral) {
  decltype(auto) node = as_node_reference(a);
  if (!where) return array<typename Reducer::result>(reduce(node, axis, keepdims, reducer));
  return array<typename Reducer::result>(
      reduce(masked<Reducer>(node, mask_for(node.shape(), where, Reducer::name), neutral), axis, keepdims, reducer));
}

/// Raises NumPy's error for the extremum of nothing.
inline void check_not_empty(const shape& extents, const axes& axis, const char* name) {
  const detail::axis_marks marks = detail::reduced_axes(axis, extents.rank(), name);
  bool empty = false;
  std::int64_t results = 1;
  for (int i = 0; i < extents.rank(); ++i) {
    if (!marks.marked[i]) results *= extents[i];
    empty |= marks.marked[i] && extents[i] == 0;
  }
  if (empty && results > 0) {
    detail::raise<shape_error>("zero-size array to reduction operation ", name, " which has no identity");
  }
}

template <bool Least, bool SkipNan, class A, class Options>
[[nodiscard]] auto extremum(A&& a, const Options& options) {
  using T = value_t<A>;
  using reducer = extremum_reducer<T, Least, SkipNan>;
  if (!options.initial) {
    if (options.where) {
      detail::raise<type_error>("reduction operation '", reducer::name,
                                "' does not have an identity, so to use a where mask one has to specify 'initial'");
    }
    check_not_empty(a.shape(), options.axis, reducer::name);
  }
  const reducer r{options.initial.value_or(reducer::nothing())};
  return run_reduction(a, options.axis, options.keepdims, options.where, r, reducer::nothing());
}

template <bool Least, class A>
[[nodiscard]] array<std::int64_t> argument(A&& a, const arg_options& options) {
  using reducer = argument_reducer<value_t<A>, Least>;
  const axes axis = options.axis ? axes(*options.axis) : axes(none);
  const shape& extents = a.shape();
  const detail::axis_marks marks = detail::reduced_axes(axis, extents.rank(), reducer::name);
  std::int64_t reduced = 1;
  std::int64_t kept = 1;
  for (int i = 0; i < extents.rank(); ++i) (marks.marked[i] ? reduced : kept) *= extents[i];
  if (reduced == 0 && kept > 0) detail::raise<shape_error>("attempt to get ", reducer::name, " of an empty sequence");
  return run_reduction(a, axis, options.keepdims, {}, reducer{}, value_t<A>{});
}

template <bool Least, class A>
[[nodiscard]] array<std::int64_t> nan_argument(A&& a, const arg_options& options) {
  if constexpr (has_nan<value_t<A>>) {
    const axes axis = options.axis ? axes(*options.axis) : axes(none);
    const auto numbers =
        run_reduction(make_node(ops::isnan{}, as_node(a)), axis, false, {}, logical_reducer<bool, true>{}, true);
    if (a.size() > 0 && run_reduction(numbers, none, false, {}, logical_reducer<bool, false>{}, false).item()) {
      detail::raise<shape_error>("All-NaN slice encountered");
    }
    // As NumPy does it: a NaN may tie with an infinity that comes later.
    return argument<Least>(make_node(ops::nan_to_infinity<!Least>{}, as_node(a)), options);
  } else {
    return argument<Least>(a, options);
  }
}

/// How many elements of an array of shape `extents` a mask leaves in each result.
[[nodiscard]] inline array<std::int64_t> count_selected(const shape& extents, const where_argument& where,
                                                        const axes& axis, bool keepdims) {
  detail::storage mask = mask_for(extents, where, count_reducer<bool>::name);
  mask.where = broadcast_layout(mask.where, extents);
  return array<std::int64_t>(reduce(leaf<bool>{std::move(mask)}, axis, keepdims, count_reducer<bool>{}));
}

/// |x - mean|^2; -1 for an element that a mask, or `SkipNan`, leaves out.
template <bool SkipNan>
struct squared_deviation {
  static constexpr const char* name = "squared_deviation";
  template <class... A>
  struct types;
  template <class X, class M>
  struct types<X, M> {
    using list = type_list<M, M>;
  };
  template <class X, class M>
  struct types<bool, X, M> {
    using list = type_list<bool, M, M>;
  };
  template <class... A>
  using arguments = typename types<A...>::list;

  template <class T>
  [[gnu::always_inline]] constexpr real_t<T> operator()(T x, T mean) const noexcept {
    return operator()(true, x, mean);
  }
  template <class T>
  [[gnu::always_inline]] constexpr real_t<T> operator()(bool takes_part, T x, T mean) const noexcept {
    real_t<T> square;
    if constexpr (complex_number<T>) {
      const T deviation(x.re - mean.re, x.im - mean.im);
      square = deviation.re * deviation.re + deviation.im * deviation.im;
    } else {
      square = (x - mean) * (x - mean);
    }
    const bool left_out = ops::detail::either(ops::detail::is_clear(takes_part), SkipNan && is_nan(x));
    return detail::select(left_out, real_t<T>(-1), square);
  }
};

/// The mean of what `options` let take part, with the reduced axes kept.
template <class T, bool SkipNan, class Node>
[[nodiscard]] array<T> mean_for_variance(const Node& node, const var_options& options) {
  const T hole(std::numeric_limits<real_t<T>>::quiet_NaN());
  if constexpr (SkipNan) {
    return run_reduction(node, options.axis, true, options.where, nanmean_reducer<T, T>{}, hole);
  } else {
    if (!options.where) return run_reduction(node, options.axis, true, {}, mean_reducer<T, T>{}, T());
    const array<T> total = run_reduction(node, options.axis, true, options.where, sum_reducer<T, T>{}, T());
    const auto count = count_selected(node.shape(), options.where, options.axis, true);
    return array<T>(apply(ops::astype<T>{}, apply(ops::divide{}, total, count)));
  }
}

/// Two passes, as NumPy: the mean at the accumulator's precision, then the deviations from it.
template <class R, bool Root, bool SkipNan, class A>
[[nodiscard]] auto variance(A&& a, const var_options& options) {
  using T = value_t<A>;
  using result = real_t<chosen<R, float_result<T>>>;
  using precise = std::conditional_t<complex_number<T>, T, accumulator_t<result>>;
  decltype(auto) node = as_node_reference(a);
  auto mean = as_node(mean_for_variance<precise, SkipNan>(node, options));
  if (options.where) {
    const variance_reducer<real_t<precise>, result, Root, true> partial{options.ddof, SkipNan};
    const auto deviations = make_node(squared_deviation<SkipNan>{},
                                      leaf<bool>{mask_for(node.shape(), options.where, "var")}, node, std::move(mean));
    return array<result>(reduce(deviations, options.axis, options.keepdims, partial));
  }
  const variance_reducer<real_t<precise>, result, Root, SkipNan> reducer{options.ddof, SkipNan};
  const auto deviations = make_node(squared_deviation<SkipNan>{}, node, std::move(mean));
  return array<result>(reduce(deviations, options.axis, options.keepdims, reducer));
}

}  // namespace engine

/// The sum over axes. Booleans and integers sum in 64 bits, half and bfloat16 accumulate in float; errors grow with the
/// logarithm of the length. `sum<double>(a)` chooses the result type. The sum of nothing is 0.
/// @throws axis_error
template <class R = void, array_like A>
[[nodiscard]] auto sum(A&& a, const reduce_options<engine::chosen<R, sum_result_t<value_t<A>>>>& options = {}) {
  using result = engine::chosen<R, sum_result_t<value_t<A>>>;
  using reducer = engine::sum_reducer<value_t<A>, result>;
  const reducer r{detail::cast<typename reducer::accumulator>(options.initial.value_or(result()))};
  return engine::run_reduction(a, options.axis, options.keepdims, options.where, r, value_t<A>());
}

/// The product over axes; types as for `sum`. The product of nothing is 1. @throws axis_error
template <class R = void, array_like A>
[[nodiscard]] auto prod(A&& a, const reduce_options<engine::chosen<R, sum_result_t<value_t<A>>>>& options = {}) {
  using result = engine::chosen<R, sum_result_t<value_t<A>>>;
  using reducer = engine::product_reducer<value_t<A>, result>;
  const reducer r{detail::cast<typename reducer::accumulator>(options.initial.value_or(result(1)))};
  return engine::run_reduction(a, options.axis, options.keepdims, options.where, r, value_t<A>(1));
}

/// The mean over axes; float64 for integers, half and bfloat16 accumulate in float. The mean of nothing is NaN.
/// @throws axis_error
template <class R = void, array_like A>
[[nodiscard]] auto mean(A&& a, const mean_options& options = {}) {
  using T = value_t<A>;
  using result = engine::chosen<R, engine::float_result<T>>;
  if (!options.where) {
    return engine::run_reduction(a, options.axis, options.keepdims, {}, engine::mean_reducer<T, result>{}, T());
  }
  using total_type = std::conditional_t<std::integral<result>, result, accumulator_t<result>>;
  const auto total = sum<total_type>(a, {.axis = options.axis, .keepdims = options.keepdims, .where = options.where});
  const auto count = engine::count_selected(a.shape(), options.where, options.axis, options.keepdims);
  return array<result>(engine::apply(ops::astype<result>{}, total / count));
}

/// The greatest element over axes; NaN if there is one. Complex numbers compare by real part, then imaginary part.
/// @throws shape_error for the maximum of nothing, unless there is an `initial`. @throws axis_error
template <array_like A>
[[nodiscard]] auto max(A&& a, const reduce_options<value_t<A>>& options = {}) {
  return engine::extremum<false, false>(a, options);
}
/// The least element over axes; otherwise as `max`.
template <array_like A>
[[nodiscard]] auto min(A&& a, const reduce_options<value_t<A>>& options = {}) {
  return engine::extremum<true, false>(a, options);
}
/// The same as `max`.
template <array_like A>
[[nodiscard]] auto amax(A&& a, const reduce_options<value_t<A>>& options = {}) {
  return engine::extremum<false, false>(a, options);
}
/// The same as `min`.
template <array_like A>
[[nodiscard]] auto amin(A&& a, const reduce_options<value_t<A>>& options = {}) {
  return engine::extremum<true, false>(a, options);
}

/// The variance over axes: the mean squared distance from the mean. float64 for integers, real for complex numbers.
/// @throws axis_error
template <class R = void, array_like A>
[[nodiscard]] auto var(A&& a, const var_options& options = {}) {
  return engine::variance<R, false, false>(a, options);
}
/// The standard deviation over axes: the root of the variance. @throws axis_error
template <class R = void, array_like A>
[[nodiscard]] auto std(A&& a, const var_options& options = {}) {
  return engine::variance<R, true, false>(a, options);
}

/// Whether any element is not zero; NaN is not zero. False for nothing. @throws axis_error
template <array_like A>
[[nodiscard]] array<bool> any(A&& a, const mean_options& options = {}) {
  using T = value_t<A>;
  return engine::run_reduction(a, options.axis, options.keepdims, options.where, engine::logical_reducer<T, false>{},
                               T());
}
/// Whether all elements are not zero. True for nothing. @throws axis_error
template <array_like A>
[[nodiscard]] array<bool> all(A&& a, const mean_options& options = {}) {
  using T = value_t<A>;
  return engine::run_reduction(a, options.axis, options.keepdims, options.where, engine::logical_reducer<T, true>{},
                               T(1));
}

/// How many elements are not zero. @throws axis_error
template <array_like A>
[[nodiscard]] array<std::int64_t> count_nonzero(A&& a, const count_options& options = {}) {
  using T = value_t<A>;
  return engine::run_reduction(a, options.axis, options.keepdims, {}, engine::count_reducer<T>{}, T());
}

/// The index of the first greatest element, along an axis or in the flattened array; the first NaN wins.
/// @throws shape_error for an empty sequence. @throws axis_error
template <array_like A>
[[nodiscard]] array<std::int64_t> argmax(A&& a, const arg_options& options = {}) {
  return engine::argument<false>(a, options);
}
/// The index of the first least element; otherwise as `argmax`.
template <array_like A>
[[nodiscard]] array<std::int64_t> argmin(A&& a, const arg_options& options = {}) {
  return engine::argument<true>(a, options);
}

// Variants that leave NaN out. On types without NaN they are the plain functions.

/// The sum of the elements that are not NaN; otherwise as `sum`.
template <class R = void, array_like A>
[[nodiscard]] auto nansum(A&& a, const reduce_options<engine::chosen<R, sum_result_t<value_t<A>>>>& options = {}) {
  return sum<R>(engine::apply(ops::nan_to<0>{}, std::forward<A>(a)), options);
}
/// The product of the elements that are not NaN; otherwise as `prod`.
template <class R = void, array_like A>
[[nodiscard]] auto nanprod(A&& a, const reduce_options<engine::chosen<R, sum_result_t<value_t<A>>>>& options = {}) {
  return prod<R>(engine::apply(ops::nan_to<1>{}, std::forward<A>(a)), options);
}
/// The mean of the elements that are not NaN; NaN if there are none. Otherwise as `mean`.
template <class R = void, array_like A>
[[nodiscard]] auto nanmean(A&& a, const mean_options& options = {}) {
  using T = value_t<A>;
  if constexpr (engine::has_nan<T>) {
    using reducer = engine::nanmean_reducer<T, engine::chosen<R, T>>;
    const T hole(std::numeric_limits<real_t<T>>::quiet_NaN());
    return engine::run_reduction(a, options.axis, options.keepdims, options.where, reducer{}, hole);
  } else {
    return mean<R>(a, options);
  }
}
/// The greatest element that is not NaN; NaN if there are none. Otherwise as `max`.
template <array_like A>
[[nodiscard]] auto nanmax(A&& a, const reduce_options<value_t<A>>& options = {}) {
  return engine::extremum<false, true>(a, options);
}
/// The least element that is not NaN; NaN if there are none. Otherwise as `min`.
template <array_like A>
[[nodiscard]] auto nanmin(A&& a, const reduce_options<value_t<A>>& options = {}) {
  return engine::extremum<true, true>(a, options);
}
/// The variance of the elements that are not NaN; NaN if there are no more than `ddof`. Otherwise as `var`.
template <class R = void, array_like A>
[[nodiscard]] auto nanvar(A&& a, const var_options& options = {}) {
  return engine::variance<R, false, engine::has_nan<value_t<A>>>(a, options);
}
/// The root of `nanvar`.
template <class R = void, array_like A>
[[nodiscard]] auto nanstd(A&& a, const var_options& options = {}) {
  return engine::variance<R, true, engine::has_nan<value_t<A>>>(a, options);
}
/// As `argmax`, ignoring NaN. Waits for the device. @throws shape_error for a slice of NaN alone.
template <array_like A>
[[nodiscard]] array<std::int64_t> nanargmax(A&& a, const arg_options& options = {}) {
  return engine::nan_argument<false>(a, options);
}
/// As `argmin`, ignoring NaN. Waits for the device. @throws shape_error for a slice of NaN alone.
template <array_like A>
[[nodiscard]] array<std::int64_t> nanargmin(A&& a, const arg_options& options = {}) {
  return engine::nan_argument<true>(a, options);
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
