/// @file
/// What assignment and construction do with their right-hand side: cast rules, reuse of memory, numbers and arrays.
#pragma once

#include <type_traits>
#include <utility>

#include "evaluate.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

template <class From, class To>
inline constexpr bool casts_implicitly = std::is_same_v<From, To>;
template <arithmetic From, arithmetic To>
inline constexpr bool casts_implicitly<From, To> = same_kind_castable<From, To>;

template <class From, class To>
constexpr void require_same_kind() {
  static_assert(casts_implicitly<From, To>,
                "gpuarray: this conversion changes the kind of number (float to integer, complex to real); "
                "write it out with astype<T>()");
}

template <class E>
inline constexpr bool is_expression = false;
template <class Op, class... Operands>
inline constexpr bool is_expression<expression<Op, Operands...>> = true;

/// Whether reading `E` makes new elements: expressions, and what a mask selects.
template <class E>
inline constexpr bool is_computed = is_expression<E>;

/// The elements of an array or view itself, or computed ones in new memory.
template <array_like E>
[[nodiscard]] detail::storage as_storage(E&& e) {
  if constexpr (is_expression<std::remove_cvref_t<E>>) {
    return evaluate<value_t<E>>(e);
  } else {
    return e.storage();
  }
}

/// An operand's elements as `T`, where they are if they have that type.
template <class T, array_like E>
[[nodiscard]] detail::storage as_storage_of(E&& e) {
  if constexpr (std::is_same_v<value_t<E>, T>) {
    return as_storage(std::forward<E>(e));
  } else {
    return evaluate<T>(as_node_reference(e));
  }
}

/// The values of `e` in new memory.
template <class T, array_like E>
[[nodiscard]] detail::storage evaluate_operand(E&& e) {
  require_same_kind<value_t<E>, T>();
  if constexpr (is_expression<std::remove_cvref_t<E>>) {
    return evaluate<T>(e);
  } else if constexpr (!std::is_same_v<value_t<E>, T>) {
    return evaluate<T>(as_node(e));
  } else if constexpr (is_computed<std::remove_cvref_t<E>>) {
    return e.storage();
  } else {
    return detail::clone(e.storage(), sizeof(T));
  }
}

/// `target[...] = e`.
template <class T, operand_like E>
void assign_operand(const detail::storage& target, E&& e) {
  if constexpr (scalar_like<E>) {
    require_same_kind<weak_result_t<T, std::remove_cvref_t<E>>, T>();
    assign<T>(target, as_operand<T>(e));
  } else {
    require_same_kind<value_t<E>, T>();
    if constexpr (is_expression<std::remove_cvref_t<E>>) {
      assign<T>(target, e);
    } else if constexpr (std::is_same_v<value_t<E>, T>) {
      detail::assign_elements(target, e.storage(), sizeof(T));
    } else {
      assign<T>(target, as_node(e));
    }
  }
}

template <class A>
inline constexpr bool is_assignable = false;
template <class T>
inline constexpr bool is_assignable<array<T>> = true;
template <class T>
inline constexpr bool is_assignable<view<T>> = !std::is_const_v<T>;
template <class T>
inline constexpr bool is_assignable<const view<T>> = !std::is_const_v<T>;

/// `target = operation(target, value)` in place. A named target is returned by reference, a temporary view by value.
template <class Op, class Target, operand_like B>
std::conditional_t<std::is_lvalue_reference_v<Target>, Target, std::remove_cvref_t<Target>> update(const Op& operation,
                                                                                                   Target&& target,
                                                                                                   B&& value) {
  using T = value_t<Target>;
  const auto node = apply(operation, target, std::forward<B>(value));
  require_same_kind<value_t<decltype(node)>, T>();
  if (!(node.shape() == target.shape())) {
    detail::raise<shape_error>("non-broadcastable output operand with shape ", target.shape(),
                               " doesn't match the broadcast shape ", node.shape());
  }
  assign<T>(target.storage(), node);
  return std::forward<Target>(target);
}

/// `target = e`: the target becomes a new value, in its old memory if nobody can tell.
template <class T, array_like E>
void become(detail::storage& target, E&& e) {
  require_same_kind<value_t<E>, T>();
  if constexpr (is_expression<std::remove_cvref_t<E>>) {
    // An expression with a name may be evaluated again, so its own references count.
    replace<T>(target, e, !std::is_lvalue_reference_v<E>);
  } else if constexpr (is_computed<std::remove_cvref_t<E>>) {
    target = as_storage_of<T>(e);
  } else if constexpr (std::is_same_v<value_t<E>, T>) {
    detail::assign_value(target, e.storage(), sizeof(T));
  } else {
    replace<T>(target, as_node(e), true);
  }
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
