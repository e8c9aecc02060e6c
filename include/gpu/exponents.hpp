/// @file
/// Exponentials, logarithms and roots. Integers compute in floating point as in NumPy; errors are below 4 ulp. Each
/// builds an expression: nothing is computed until it is assigned or read. Operands broadcast and promote as in NumPy;
/// @throws shape_error if their shapes do not fit, device_error if they are on different devices.
#pragma once

#include <utility>

#include "array.hpp"
#include "engine/ops/exponents.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// e to the power `x`.
template <array_like A>
[[nodiscard]] auto exp(A&& x) {
  return engine::apply(ops::exp{}, std::forward<A>(x));
}

/// `exp(x) - 1`, accurate near 0.
template <array_like A>
[[nodiscard]] auto expm1(A&& x) {
  return engine::apply(ops::expm1{}, std::forward<A>(x));
}

/// 2 to the power `x`.
template <array_like A>
[[nodiscard]] auto exp2(A&& x) {
  return engine::apply(ops::exp2{}, std::forward<A>(x));
}

/// The natural logarithm.
template <array_like A>
[[nodiscard]] auto log(A&& x) {
  return engine::apply(ops::log{}, std::forward<A>(x));
}

/// The logarithm to base 2.
template <array_like A>
[[nodiscard]] auto log2(A&& x) {
  return engine::apply(ops::log2{}, std::forward<A>(x));
}

/// The logarithm to base 10.
template <array_like A>
[[nodiscard]] auto log10(A&& x) {
  return engine::apply(ops::log10{}, std::forward<A>(x));
}

/// `log(1 + x)`, accurate near 0.
template <array_like A>
[[nodiscard]] auto log1p(A&& x) {
  return engine::apply(ops::log1p{}, std::forward<A>(x));
}

/// `log(exp(x1) + exp(x2))` without overflow.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto logaddexp(A&& x1, B&& x2) {
  return engine::apply(ops::logaddexp{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `log2(exp2(x1) + exp2(x2))` without overflow.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto logaddexp2(A&& x1, B&& x2) {
  return engine::apply(ops::logaddexp2{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// The square root; NaN below 0.
template <array_like A>
[[nodiscard]] auto sqrt(A&& x) {
  return engine::apply(ops::sqrt{}, std::forward<A>(x));
}

/// The cube root.
template <array_like A>
[[nodiscard]] auto cbrt(A&& x) {
  return engine::apply(ops::cbrt{}, std::forward<A>(x));
}

/// `1 / sqrt(x)`.
template <array_like A>
[[nodiscard]] auto rsqrt(A&& x) {
  return engine::apply(ops::rsqrt{}, std::forward<A>(x));
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
