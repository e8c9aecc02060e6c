/// @file
/// Elementwise extrema, clip and nan_to_num. Each builds an expression: nothing is computed until it is
/// assigned or read. Operands broadcast and promote as in NumPy; @throws shape_error if their shapes do not fit,
/// device_error if they are on different devices.
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include "array.hpp"
#include "core/keyword.hpp"
#include "engine/ops/astype.hpp"
#include "engine/ops/extrema.hpp"
#include "engine/ops/special.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// The greater of both; NaN if either is.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto maximum(A&& x1, B&& x2) {
  return engine::apply(ops::maximum{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// The lesser of both; NaN if either is.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto minimum(A&& x1, B&& x2) {
  return engine::apply(ops::minimum{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// The greater of both, or the one that is not NaN.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto fmax(A&& x1, B&& x2) {
  return engine::apply(ops::fmax{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// The lesser of both, or the one that is not NaN.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto fmin(A&& x1, B&& x2) {
  return engine::apply(ops::fmin{}, std::forward<A>(x1), std::forward<B>(x2));
}

namespace engine {

/// A bound of `clip` for elements of type `T`: an integer scalar that no element lies beyond is no bound, as in NumPy.
template <class T, bool Lower, class Bound>
[[nodiscard]] constexpr decltype(auto) clip_bound(Bound&& bound) {
  using scalar = std::remove_cvref_t<Bound>;
  if constexpr (integer<T> && integer<scalar>) {
    const bool negative = std::is_signed_v<scalar> && bound < scalar{};
    using limits = std::numeric_limits<T>;
    if (negative == Lower && !fits<T>(bound)) return static_cast<scalar>(Lower ? limits::min() : limits::max());
    return static_cast<scalar>(bound);
  } else {
    return std::forward<Bound>(bound);
  }
}

}  // namespace engine

/// `x` kept between `low` and `high`, either of which may be `gpu::none`. NaN passes; `high` wins where the bounds
/// cross.
template <array_like A, class Low, class High>
  requires(operand_like<Low> || std::same_as<std::remove_cvref_t<Low>, none_t>) &&
          (operand_like<High> || std::same_as<std::remove_cvref_t<High>, none_t>)
[[nodiscard]] auto clip(A&& x, Low&& low, High&& high) {
  using T = value_t<A>;
  constexpr bool no_low = std::same_as<std::remove_cvref_t<Low>, none_t>;
  constexpr bool no_high = std::same_as<std::remove_cvref_t<High>, none_t>;
  if constexpr (no_low && no_high) {
    return engine::apply(ops::astype<T>{}, std::forward<A>(x));
  } else if constexpr (no_low) {
    return minimum(std::forward<A>(x), engine::clip_bound<T, false>(std::forward<High>(high)));
  } else if constexpr (no_high) {
    return maximum(std::forward<A>(x), engine::clip_bound<T, true>(std::forward<Low>(low)));
  } else {
    return engine::apply(ops::clip{}, std::forward<A>(x), engine::clip_bound<T, true>(std::forward<Low>(low)),
                         engine::clip_bound<T, false>(std::forward<High>(high)));
  }
}

/// Keyword arguments of `nan_to_num`; by default the greatest and least finite numbers stand for the infinities.
struct nan_to_num_options {
  keyword_only _{};
  double nan = 0;
  optional_value<double> posinf{};
  optional_value<double> neginf{};
};

/// NaN and infinities replaced by numbers.
template <array_like A>
[[nodiscard]] auto nan_to_num(A&& x, const nan_to_num_options& options = {}) {
  auto replace = ops::nan_to_num::defaults<value_t<A>>();
  replace.nan = options.nan;
  replace.posinf = options.posinf.value_or(replace.posinf);
  replace.neginf = options.neginf.value_or(replace.neginf);
  return engine::apply(replace, std::forward<A>(x));
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
