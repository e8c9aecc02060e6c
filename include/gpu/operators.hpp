/// @file
/// The operators of arrays, views and expressions. Each builds an expression; the assigning ones write in place.
#pragma once

#include <utility>

#include "engine/assign.hpp"
#include "engine/compare.hpp"
#include "engine/ops/arithmetic.hpp"
#include "engine/ops/bitwise.hpp"
#include "engine/ops/comparison.hpp"
#include "engine/ops/division.hpp"
#include "engine/ops/logic.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// At least one of the two is an array, view or expression and the other one too, or a number.
template <class A, class B>
concept array_operands = operand_like<A> && operand_like<B> && (array_like<A> || array_like<B>);

// Arithmetic: NumPy's promotion; int / int is float64; % takes the sign of the divisor.

template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto operator+(A&& a, B&& b) {
  return engine::apply(ops::add{}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto operator-(A&& a, B&& b) {
  return engine::apply(ops::subtract{}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto operator*(A&& a, B&& b) {
  return engine::apply(ops::multiply{}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto operator/(A&& a, B&& b) {
  return engine::apply(ops::divide{}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto operator%(A&& a, B&& b) {
  return engine::apply(ops::remainder{}, std::forward<A>(a), std::forward<B>(b));
}
template <array_like A>
[[nodiscard]] auto operator-(A&& a) {
  return engine::apply(ops::negative{}, std::forward<A>(a));
}
template <array_like A>
[[nodiscard]] auto operator+(A&& a) {
  return engine::apply(ops::positive{}, std::forward<A>(a));
}

// Bits of integers, logic of booleans.

template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto operator&(A&& a, B&& b) {
  return engine::apply(ops::bitwise_and{}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto operator|(A&& a, B&& b) {
  return engine::apply(ops::bitwise_or{}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto operator^(A&& a, B&& b) {
  return engine::apply(ops::bitwise_xor{}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto operator<<(A&& a, B&& b) {
  return engine::apply(ops::left_shift{}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto operator>>(A&& a, B&& b) {
  return engine::apply(ops::right_shift{}, std::forward<A>(a), std::forward<B>(b));
}
template <array_like A>
[[nodiscard]] auto operator~(A&& a) {
  return engine::apply(ops::invert{}, std::forward<A>(a));
}
template <array_like A>
[[nodiscard]] auto operator!(A&& a) {
  return engine::apply(ops::logical_not{}, std::forward<A>(a));
}

// Comparisons, element by element, to arrays of bool. Two whole arrays are compared with array_equal(a, b).

template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto operator==(A&& a, B&& b) {
  return engine::compare(ops::equal{}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto operator!=(A&& a, B&& b) {
  return engine::compare(ops::not_equal{}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto operator<(A&& a, B&& b) {
  return engine::compare(ops::less{}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto operator<=(A&& a, B&& b) {
  return engine::compare(ops::less_equal{}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto operator>(A&& a, B&& b) {
  return engine::compare(ops::greater{}, std::forward<A>(a), std::forward<B>(b));
}
template <class A, class B>
  requires array_operands<A, B>
[[nodiscard]] auto operator>=(A&& a, B&& b) {
  return engine::compare(ops::greater_equal{}, std::forward<A>(a), std::forward<B>(b));
}

// In place: every view of the elements sees the result. Overlap between target and value is handled.

/// An array, a view or a masked view that may be written.
template <class A>
concept assignable = engine::is_assignable<std::remove_reference_t<A>>;

template <assignable A, operand_like B>
decltype(auto) operator+=(A&& a, B&& b) {
  return engine::update(ops::add{}, std::forward<A>(a), std::forward<B>(b));
}
template <assignable A, operand_like B>
decltype(auto) operator-=(A&& a, B&& b) {
  return engine::update(ops::subtract{}, std::forward<A>(a), std::forward<B>(b));
}
template <assignable A, operand_like B>
decltype(auto) operator*=(A&& a, B&& b) {
  return engine::update(ops::multiply{}, std::forward<A>(a), std::forward<B>(b));
}
template <assignable A, operand_like B>
decltype(auto) operator/=(A&& a, B&& b) {
  return engine::update(ops::divide{}, std::forward<A>(a), std::forward<B>(b));
}
template <assignable A, operand_like B>
decltype(auto) operator%=(A&& a, B&& b) {
  return engine::update(ops::remainder{}, std::forward<A>(a), std::forward<B>(b));
}
template <assignable A, operand_like B>
decltype(auto) operator&=(A&& a, B&& b) {
  return engine::update(ops::bitwise_and{}, std::forward<A>(a), std::forward<B>(b));
}
template <assignable A, operand_like B>
decltype(auto) operator|=(A&& a, B&& b) {
  return engine::update(ops::bitwise_or{}, std::forward<A>(a), std::forward<B>(b));
}
template <assignable A, operand_like B>
decltype(auto) operator^=(A&& a, B&& b) {
  return engine::update(ops::bitwise_xor{}, std::forward<A>(a), std::forward<B>(b));
}
template <assignable A, operand_like B>
decltype(auto) operator<<=(A&& a, B&& b) {
  return engine::update(ops::left_shift{}, std::forward<A>(a), std::forward<B>(b));
}
template <assignable A, operand_like B>
decltype(auto) operator>>=(A&& a, B&& b) {
  return engine::update(ops::right_shift{}, std::forward<A>(a), std::forward<B>(b));
}

// What is neither an array nor a number, such as a std::vector: it is copied where the program says so.

namespace engine {

template <class A, class B>
concept foreign_operand = array_like<A> != array_like<B> && !array_operands<A, B>;
struct operands_are_arrays_and_numbers_make_a_host_container_an_array_with_asarray {};

}  // namespace engine

template <class A, class B>
  requires engine::foreign_operand<A, B>
engine::operands_are_arrays_and_numbers_make_a_host_container_an_array_with_asarray operator+(A&&, B&&) = delete;
template <class A, class B>
  requires engine::foreign_operand<A, B>
engine::operands_are_arrays_and_numbers_make_a_host_container_an_array_with_asarray operator-(A&&, B&&) = delete;
template <class A, class B>
  requires engine::foreign_operand<A, B>
engine::operands_are_arrays_and_numbers_make_a_host_container_an_array_with_asarray operator*(A&&, B&&) = delete;
template <class A, class B>
  requires engine::foreign_operand<A, B>
engine::operands_are_arrays_and_numbers_make_a_host_container_an_array_with_asarray operator/(A&&, B&&) = delete;

}  // namespace GPUARRAY_ABI
}  // namespace gpu
