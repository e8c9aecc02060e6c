/// @file
/// Arithmetic as functions: add, subtract, multiply, divide, remainder, power and their kin. Each builds an expression:
/// nothing is computed until it is assigned or read. Operands broadcast and promote as in NumPy; @throws shape_error if
/// their shapes do not fit, device_error if they are on different devices.
#pragma once

#include <utility>

#include "array.hpp"
#include "engine/ops/power.hpp"
#include "engine/ops/rational.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// `x1 + x2`; integers wrap, bool is "or".
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto add(A&& x1, B&& x2) {
  return engine::apply(ops::add{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `x1 - x2`; integers wrap; not defined for bool.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto subtract(A&& x1, B&& x2) {
  return engine::apply(ops::subtract{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `x1 * x2`; integers wrap, bool is "and".
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto multiply(A&& x1, B&& x2) {
  return engine::apply(ops::multiply{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `x1 / x2`, of integers too: these give floating point.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto divide(A&& x1, B&& x2) {
  return engine::apply(ops::divide{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// The same as `divide`.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto true_divide(A&& x1, B&& x2) {
  return engine::apply(ops::divide{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// The floor of `x1 / x2`; an integer divided by 0 gives 0.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto floor_divide(A&& x1, B&& x2) {
  return engine::apply(ops::floor_divide{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// What `floor_divide` leaves: it has the sign of `x2`; an integer by 0 leaves 0.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto remainder(A&& x1, B&& x2) {
  return engine::apply(ops::remainder{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// The same as `remainder`.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto mod(A&& x1, B&& x2) {
  return engine::apply(ops::remainder{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// What truncating division leaves: it has the sign of `x1`, as C's fmod.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto fmod(A&& x1, B&& x2) {
  return engine::apply(ops::fmod{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `floor_divide` and `remainder` as a pair: `auto [quotient, rest] = divmod(x1, x2)`.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto divmod(const A& x1, const B& x2) {
  return std::pair(floor_divide(x1, x2), remainder(x1, x2));
}

/// `x1` to the power `x2`; integers wrap. With a number as exponent 2, 0.5, -1, 0 and 1 are exact.
/// In an array of integers a negative exponent gives the truncated quotient, since a device cannot raise NumPy's error.
/// @throws type_error for integers to the power of a negative number.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto power(A&& x1, B&& x2) {
  if constexpr (array_like<A> && scalar_like<B>) {
    using E = result_type_t<value_t<A>, weak_result_t<value_t<A>, std::remove_cvref_t<B>>>;
    using T = std::conditional_t<boolean<E>, int8, E>;
    check_weak<T>(x2);
    if constexpr (integer<T>) {
      if (x2 < 0) detail::raise<type_error>("Integers to negative integer powers are not allowed.");
    }
    return engine::apply(ops::power_by<T>{detail::cast<T>(x2)}, std::forward<A>(x1));
  } else {
    return engine::apply(ops::power{}, std::forward<A>(x1), std::forward<B>(x2));
  }
}
/// The same as `power`.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto pow(A&& x1, B&& x2) {
  return power(std::forward<A>(x1), std::forward<B>(x2));
}

/// `power` computed in float64 or complex128.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto float_power(A&& x1, B&& x2) {
  return engine::apply(ops::float_power{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `-x`; integers wrap; not defined for bool.
template <array_like A>
[[nodiscard]] auto negative(A&& x) {
  return engine::apply(ops::negative{}, std::forward<A>(x));
}

/// `+x`; not defined for bool.
template <array_like A>
[[nodiscard]] auto positive(A&& x) {
  return engine::apply(ops::positive{}, std::forward<A>(x));
}

/// `1 / x`, of integers by integer division.
template <array_like A>
[[nodiscard]] auto reciprocal(A&& x) {
  return engine::apply(ops::reciprocal{}, std::forward<A>(x));
}

/// `|x|`; real for complex numbers, computed without overflow.
template <array_like A>
[[nodiscard]] auto absolute(A&& x) {
  return engine::apply(ops::absolute{}, std::forward<A>(x));
}

/// The same as `absolute`.
template <array_like A>
[[nodiscard]] auto abs(A&& x) {
  return engine::apply(ops::absolute{}, std::forward<A>(x));
}

/// `|x|` in floating point; not defined for complex numbers.
template <array_like A>
[[nodiscard]] auto fabs(A&& x) {
  return engine::apply(ops::fabs{}, std::forward<A>(x));
}

/// -1, 0 or 1; `x / |x|` for complex numbers.
template <array_like A>
[[nodiscard]] auto sign(A&& x) {
  return engine::apply(ops::sign{}, std::forward<A>(x));
}

/// `x * x`.
template <array_like A>
[[nodiscard]] auto square(A&& x) {
  return engine::apply(ops::square{}, std::forward<A>(x));
}

/// The greatest common divisor of integers.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto gcd(A&& x1, B&& x2) {
  return engine::apply(ops::gcd{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// The least common multiple of integers.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto lcm(A&& x1, B&& x2) {
  return engine::apply(ops::lcm{}, std::forward<A>(x1), std::forward<B>(x2));
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
