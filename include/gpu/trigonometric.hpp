/// @file
/// Trigonometric and hyperbolic functions. Integers compute in floating point as in NumPy; errors are below 4 ulp. Each
/// builds an expression: nothing is computed until it is assigned or read. Operands broadcast and promote as in NumPy;
/// @throws shape_error if their shapes do not fit, device_error if they are on different devices.
#pragma once

#include <utility>

#include "array.hpp"
#include "engine/ops/hyperbolic.hpp"
#include "engine/ops/trigonometric.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// The sine of radians.
template <array_like A>
[[nodiscard]] auto sin(A&& x) {
  return engine::apply(ops::sin{}, std::forward<A>(x));
}

/// The cosine of radians.
template <array_like A>
[[nodiscard]] auto cos(A&& x) {
  return engine::apply(ops::cos{}, std::forward<A>(x));
}

/// The tangent of radians.
template <array_like A>
[[nodiscard]] auto tan(A&& x) {
  return engine::apply(ops::tan{}, std::forward<A>(x));
}

/// The inverse sine, in radians.
template <array_like A>
[[nodiscard]] auto arcsin(A&& x) {
  return engine::apply(ops::arcsin{}, std::forward<A>(x));
}

/// The inverse cosine, in radians.
template <array_like A>
[[nodiscard]] auto arccos(A&& x) {
  return engine::apply(ops::arccos{}, std::forward<A>(x));
}

/// The inverse tangent, in radians.
template <array_like A>
[[nodiscard]] auto arctan(A&& x) {
  return engine::apply(ops::arctan{}, std::forward<A>(x));
}

/// The same as `arcsin`.
template <array_like A>
[[nodiscard]] auto asin(A&& x) {
  return engine::apply(ops::arcsin{}, std::forward<A>(x));
}

/// The same as `arccos`.
template <array_like A>
[[nodiscard]] auto acos(A&& x) {
  return engine::apply(ops::arccos{}, std::forward<A>(x));
}

/// The same as `arctan`.
template <array_like A>
[[nodiscard]] auto atan(A&& x) {
  return engine::apply(ops::arctan{}, std::forward<A>(x));
}

/// The angle of the point (x2, x1), in radians in [-pi, pi].
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto arctan2(A&& x1, B&& x2) {
  return engine::apply(ops::arctan2{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// The same as `arctan2`.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto atan2(A&& x1, B&& x2) {
  return engine::apply(ops::arctan2{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `sqrt(x1 * x1 + x2 * x2)` without overflow.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto hypot(A&& x1, B&& x2) {
  return engine::apply(ops::hypot{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// Degrees in radians.
template <array_like A>
[[nodiscard]] auto deg2rad(A&& x) {
  return engine::apply(ops::deg2rad{}, std::forward<A>(x));
}

/// Radians in degrees.
template <array_like A>
[[nodiscard]] auto rad2deg(A&& x) {
  return engine::apply(ops::rad2deg{}, std::forward<A>(x));
}

/// The same as `deg2rad`.
template <array_like A>
[[nodiscard]] auto radians(A&& x) {
  return engine::apply(ops::deg2rad{}, std::forward<A>(x));
}

/// The same as `rad2deg`.
template <array_like A>
[[nodiscard]] auto degrees(A&& x) {
  return engine::apply(ops::rad2deg{}, std::forward<A>(x));
}

/// The hyperbolic sine.
template <array_like A>
[[nodiscard]] auto sinh(A&& x) {
  return engine::apply(ops::sinh{}, std::forward<A>(x));
}

/// The hyperbolic cosine.
template <array_like A>
[[nodiscard]] auto cosh(A&& x) {
  return engine::apply(ops::cosh{}, std::forward<A>(x));
}

/// The hyperbolic tangent.
template <array_like A>
[[nodiscard]] auto tanh(A&& x) {
  return engine::apply(ops::tanh{}, std::forward<A>(x));
}

/// The inverse hyperbolic sine.
template <array_like A>
[[nodiscard]] auto arcsinh(A&& x) {
  return engine::apply(ops::arcsinh{}, std::forward<A>(x));
}

/// The inverse hyperbolic cosine.
template <array_like A>
[[nodiscard]] auto arccosh(A&& x) {
  return engine::apply(ops::arccosh{}, std::forward<A>(x));
}

/// The inverse hyperbolic tangent.
template <array_like A>
[[nodiscard]] auto arctanh(A&& x) {
  return engine::apply(ops::arctanh{}, std::forward<A>(x));
}

/// The same as `arcsinh`.
template <array_like A>
[[nodiscard]] auto asinh(A&& x) {
  return engine::apply(ops::arcsinh{}, std::forward<A>(x));
}

/// The same as `arccosh`.
template <array_like A>
[[nodiscard]] auto acosh(A&& x) {
  return engine::apply(ops::arccosh{}, std::forward<A>(x));
}

/// The same as `arctanh`.
template <array_like A>
[[nodiscard]] auto atanh(A&& x) {
  return engine::apply(ops::arctanh{}, std::forward<A>(x));
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
