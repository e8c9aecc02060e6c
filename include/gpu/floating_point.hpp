/// @file
/// The parts of floating-point numbers, heaviside, i0 and sinc. Each builds an expression: nothing is computed until it
/// is assigned or read. Operands broadcast and promote as in NumPy; @throws shape_error if their shapes do not fit,
/// device_error if they are on different devices.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "array.hpp"
#include "engine/ops/bessel.hpp"
#include "engine/ops/floating_point.hpp"
#include "engine/ops/special.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// Whether the sign is negative, of -0.0 too.
template <array_like A>
[[nodiscard]] auto signbit(A&& x) {
  return engine::apply(ops::signbit{}, std::forward<A>(x));
}

/// `x1` with the sign of `x2`.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto copysign(A&& x1, B&& x2) {
  return engine::apply(ops::copysign{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// The next floating-point number after `x1` towards `x2`.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto nextafter(A&& x1, B&& x2) {
  return engine::apply(ops::nextafter{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `x1 * 2^x2`; `x2` are integers. @throws type_error for a number `x2` that is no int64.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto ldexp(A&& x1, B&& x2) {
  if constexpr (array_like<A> && std::integral<std::remove_cvref_t<B>>) {
    check_weak<std::int64_t>(x2);
    // Not made a number of the array's type, as other scalars are.
    return engine::make_node(ops::ldexp{}, engine::as_node(std::forward<A>(x1)),
                             engine::scalar<std::int64_t>{static_cast<std::int64_t>(x2), {}});
  } else {
    return engine::apply(ops::ldexp{}, std::forward<A>(x1), std::forward<B>(x2));
  }
}

/// Mantissas in [0.5, 1) and int32 exponents with `x = mantissa * 2^exponent`: `auto [mantissa, exponent] = frexp(x)`.
template <array_like A>
[[nodiscard]] auto frexp(const A& x) {
  return std::pair(engine::apply(ops::frexp_mantissa{}, x), engine::apply(ops::frexp_exponent{}, x));
}
/// Fractional and integral parts, both with the sign of `x`: `auto [fraction, whole] = modf(x)`.
template <array_like A>
[[nodiscard]] auto modf(const A& x) {
  return std::pair(engine::apply(ops::modf_fraction{}, x), engine::apply(ops::modf_integer{}, x));
}

/// 0 below 0, 1 above, `x2` at 0.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto heaviside(A&& x1, B&& x2) {
  return engine::apply(ops::heaviside{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// The modified Bessel function of the first kind of order 0; float64 for integers.
template <array_like A>
[[nodiscard]] auto i0(A&& x) {
  return engine::apply(ops::i0{}, std::forward<A>(x));
}

/// `sin(pi x) / (pi x)`, 1 at 0.
template <array_like A>
[[nodiscard]] auto sinc(A&& x) {
  return engine::apply(ops::sinc{}, std::forward<A>(x));
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
