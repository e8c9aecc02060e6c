/// @file
/// Operations on the bits of integers; on bool they are logic. Each builds an expression: nothing is computed until it
/// is assigned or read. Operands broadcast and promote as in NumPy; @throws shape_error if their shapes do not fit,
/// device_error if they are on different devices.
#pragma once

#include <utility>

#include "array.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// `x1 & x2`.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto bitwise_and(A&& x1, B&& x2) {
  return engine::apply(ops::bitwise_and{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `x1 | x2`.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto bitwise_or(A&& x1, B&& x2) {
  return engine::apply(ops::bitwise_or{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `x1 ^ x2`.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto bitwise_xor(A&& x1, B&& x2) {
  return engine::apply(ops::bitwise_xor{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `~x`; logical not for bool.
template <array_like A>
[[nodiscard]] auto invert(A&& x) {
  return engine::apply(ops::invert{}, std::forward<A>(x));
}

/// The same as `invert`.
template <array_like A>
[[nodiscard]] auto bitwise_not(A&& x) {
  return engine::apply(ops::invert{}, std::forward<A>(x));
}

/// `x1 << x2`; a shift by the width or more gives 0.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto left_shift(A&& x1, B&& x2) {
  return engine::apply(ops::left_shift{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `x1 >> x2`; a shift by the width or more gives 0, or -1 below 0.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto right_shift(A&& x1, B&& x2) {
  return engine::apply(ops::right_shift{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// The number of bits set in `|x|`.
template <array_like A>
[[nodiscard]] auto bitwise_count(A&& x) {
  return engine::apply(ops::bitwise_count{}, std::forward<A>(x));
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
