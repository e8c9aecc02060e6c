/// @file
/// Comparisons, logic, and the questions about numbers; `where`, `isclose`, `array_equal`. Each builds an expression:
/// nothing is computed until it is assigned or read. Operands broadcast and promote as in NumPy; @throws shape_error if
/// their shapes do not fit, device_error if they are on different devices.
#pragma once

#include <type_traits>
#include <utility>

#include "array.hpp"
#include "core/keyword.hpp"
#include "engine/ops/predicates.hpp"
#include "manipulation.hpp"
#include "reduce.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// `x1 == x2`.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto equal(A&& x1, B&& x2) {
  return engine::compare(ops::equal{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `x1 != x2`.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto not_equal(A&& x1, B&& x2) {
  return engine::compare(ops::not_equal{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `x1 < x2`; complex numbers compare by real part, then imaginary part.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto less(A&& x1, B&& x2) {
  return engine::compare(ops::less{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `x1 <= x2`.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto less_equal(A&& x1, B&& x2) {
  return engine::compare(ops::less_equal{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `x1 > x2`.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto greater(A&& x1, B&& x2) {
  return engine::compare(ops::greater{}, std::forward<A>(x1), std::forward<B>(x2));
}

/// `x1 >= x2`.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto greater_equal(A&& x1, B&& x2) {
  return engine::compare(ops::greater_equal{}, std::forward<A>(x1), std::forward<B>(x2));
}

namespace engine {

/// An operand of a logical function. Of an integer scalar only the truth counts, so any array takes any of them.
template <operand_like A>
[[nodiscard]] constexpr decltype(auto) truth_operand(A&& x) {
  if constexpr (integer<std::remove_cvref_t<A>>) {
    return x != 0;
  } else {
    return std::forward<A>(x);
  }
}

}  // namespace engine

/// Whether both are not zero.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto logical_and(A&& x1, B&& x2) {
  return engine::apply(ops::logical_and{}, engine::truth_operand(std::forward<A>(x1)),
                       engine::truth_operand(std::forward<B>(x2)));
}

/// Whether either is not zero.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto logical_or(A&& x1, B&& x2) {
  return engine::apply(ops::logical_or{}, engine::truth_operand(std::forward<A>(x1)),
                       engine::truth_operand(std::forward<B>(x2)));
}

/// Whether exactly one is not zero.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto logical_xor(A&& x1, B&& x2) {
  return engine::apply(ops::logical_xor{}, engine::truth_operand(std::forward<A>(x1)),
                       engine::truth_operand(std::forward<B>(x2)));
}

/// Whether it is zero.
template <array_like A>
[[nodiscard]] auto logical_not(A&& x) {
  return engine::apply(ops::logical_not{}, std::forward<A>(x));
}

/// Neither infinite nor NaN.
template <array_like A>
[[nodiscard]] auto isfinite(A&& x) {
  return engine::apply(ops::isfinite{}, std::forward<A>(x));
}

/// Infinite.
template <array_like A>
[[nodiscard]] auto isinf(A&& x) {
  return engine::apply(ops::isinf{}, std::forward<A>(x));
}

/// Not a number.
template <array_like A>
[[nodiscard]] auto isnan(A&& x) {
  return engine::apply(ops::isnan{}, std::forward<A>(x));
}

/// Positive infinity.
template <array_like A>
[[nodiscard]] auto isposinf(A&& x) {
  return engine::apply(ops::isposinf{}, std::forward<A>(x));
}

/// Negative infinity.
template <array_like A>
[[nodiscard]] auto isneginf(A&& x) {
  return engine::apply(ops::isneginf{}, std::forward<A>(x));
}

/// Whether the imaginary part is not zero.
template <array_like A>
[[nodiscard]] auto iscomplex(A&& x) {
  return engine::apply(ops::iscomplex{}, std::forward<A>(x));
}

/// Whether the imaginary part is zero.
template <array_like A>
[[nodiscard]] auto isreal(A&& x) {
  return engine::apply(ops::isreal{}, std::forward<A>(x));
}

/// Whether the element type is complex.
template <array_like A>
[[nodiscard]] constexpr bool iscomplexobj(const A&) noexcept {
  return complex_number<value_t<A>>;
}
/// Whether the element type is not complex.
template <array_like A>
[[nodiscard]] constexpr bool isrealobj(const A&) noexcept {
  return !complex_number<value_t<A>>;
}

/// `x` where `condition` holds, `y` elsewhere; all three broadcast.
template <array_like Condition, operand_like X, operand_like Y>
[[nodiscard]] auto where(Condition&& condition, X&& x, Y&& y) {
  // The condition's type has no part in the promotion of the values.
  using strong = engine::strong_type_t<X, Y>;
  using values = std::conditional_t<std::is_void_v<strong>, bool, strong>;
  return engine::make_node(ops::where{}, engine::as_node(std::forward<Condition>(condition)),
                           engine::as_operand<values>(std::forward<X>(x)),
                           engine::as_operand<values>(std::forward<Y>(y)));
}

/// Keyword arguments of `isclose` and `allclose`.
struct isclose_options {
  keyword_only _{};
  double rtol = 1e-5;
  double atol = 1e-8;
  bool equal_nan = false;
};

/// `|x1 - x2| <= atol + rtol * |x2|`: the tolerance scales with the second operand. Equal infinities are close.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto isclose(A&& x1, B&& x2, const isclose_options& options = {}) {
  return engine::apply(ops::isclose{options.rtol, options.atol, options.equal_nan}, std::forward<A>(x1),
                       std::forward<B>(x2));
}
/// Whether all elements are close: an array of one bool, which does not wait for the device until it is read.
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] array<bool> allclose(A&& x1, B&& x2, const isclose_options& options = {}) {
  return all(isclose(std::forward<A>(x1), std::forward<B>(x2), options));
}

/// Keyword arguments of `array_equal`.
struct array_equal_options {
  keyword_only _{};
  bool equal_nan = false;
};

/// Whether shapes and all elements are the same. Does not wait for the device until the result is read.
template <array_like A, array_like B>
[[nodiscard]] array<bool> array_equal(const A& x1, const B& x2, const array_equal_options& options = {}) {
  if (!(x1.shape() == x2.shape())) return array<bool>(engine::evaluate<bool>(engine::scalar<bool>{false, {}}));
  if (!options.equal_nan) return all(x1 == x2);
  return all((x1 == x2) | (isnan(x1) & isnan(x2)));
}
/// Whether the arrays are equal after broadcasting.
template <array_like A, array_like B>
[[nodiscard]] array<bool> array_equiv(const A& x1, const B& x2) {
  if (!is_broadcastable(x1.shape(), x2.shape()) && !is_broadcastable(x2.shape(), x1.shape())) {
    return array<bool>(engine::evaluate<bool>(engine::scalar<bool>{false, {}}));
  }
  return all(x1 == x2);
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
