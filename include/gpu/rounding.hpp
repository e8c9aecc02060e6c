/// @file
/// Rounding. Each builds an expression: nothing is computed until it is
/// assigned or read. Operands broadcast and promote as in NumPy; @throws shape_error if their shapes do not fit,
/// device_error if they are on different devices.
#pragma once

#include <utility>

#include "array.hpp"
#include "core/keyword.hpp"
#include "engine/ops/rounding.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// Keyword arguments of `round`.
struct round_options {
  keyword_only _{};
  int decimals = 0;  ///< negative: tens, hundreds, ...
};

/// To a number of decimals, ties to even.
template <array_like A>
[[nodiscard]] auto round(A&& x, const round_options& options = {}) {
  return engine::apply(ops::round(options.decimals), std::forward<A>(x));
}
/// The same as `round`.
template <array_like A>
[[nodiscard]] auto around(A&& x, const round_options& options = {}) {
  return round(std::forward<A>(x), options);
}

/// To the nearest integer, ties to even.
template <array_like A>
[[nodiscard]] auto rint(A&& x) {
  return engine::apply(ops::rint{}, std::forward<A>(x));
}

/// The greatest integer that is not above `x`; integers stay.
template <array_like A>
[[nodiscard]] auto floor(A&& x) {
  return engine::apply(ops::floor{}, std::forward<A>(x));
}

/// The least integer that is not below `x`; integers stay.
template <array_like A>
[[nodiscard]] auto ceil(A&& x) {
  return engine::apply(ops::ceil{}, std::forward<A>(x));
}

/// Towards zero; integers stay.
template <array_like A>
[[nodiscard]] auto trunc(A&& x) {
  return engine::apply(ops::trunc{}, std::forward<A>(x));
}

/// Towards zero, as `trunc`.
template <array_like A>
[[nodiscard]] auto fix(A&& x) {
  return engine::apply(ops::fix{}, std::forward<A>(x));
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
