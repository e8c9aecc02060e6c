/// @file
/// Expressions: formulas over arrays that are computed when they are assigned, in one pass over memory.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../core/promotion.hpp"
#include "../core/types.hpp"
#include "nodes.hpp"

namespace gpu {

template <class T>
class array;
template <class T>
class view;

inline namespace GPUARRAY_ABI {

template <class Op, class... Operands>
class expression;

namespace engine {

template <class Op, class... Operands>
[[nodiscard]] expression<Op, Operands...> make_operand(std::type_identity<expression<Op, Operands...>>,
                                                       const typename expression<Op, Operands...>::function_type& f,
                                                       const detail::storage* leaves) {
  return expression<Op, Operands...>(f, leaves);
}

}  // namespace engine

/// `Op` applied to its operands, element by element, with broadcasting. Nothing is computed until the expression is
/// assigned, evaluated, read or printed; shapes and devices are checked here, when it is built. It shares ownership of
/// its arrays, so `auto e = a * b` is safe to keep, and it reads their values when it is evaluated.
/// `Operands` are nodes: `engine::leaf`, `engine::scalar` or expressions. Only their functions are kept as a
/// tree; the arrays of all of them lie side by side.
template <class Op, class... Operands>
class expression {
  using arguments = engine::arguments_of<Op, Operands...>;

 public:
  using node = expression;
  using value_type = typename engine::result_of<Op, arguments>::type;
  using leaf_types = typename engine::concatenate_lists<typename Operands::leaf_types...>::type;
  using function_type = engine::operation_function<Op, arguments, std::index_sequence_for<Operands...>,
                                                   typename Operands::function_type...>;
  static constexpr int leaf_count = static_cast<int>(leaf_types::size);

  /// @throws shape_error if the operands do not broadcast. @throws device_error if they are on different devices.
  template <class... Sources>
    requires(std::same_as<typename std::remove_cvref_t<Sources>::node, Operands> && ...)
  explicit expression(const Op& operation, Sources&&... sources) : function_{operation, {{sources.function()}...}} {
    detail::storage* end = leaves_.data();
    (sources.append_to(domain_, end, Op::name, !std::is_lvalue_reference_v<Sources> && !std::is_const_v<Sources>), ...);
  }
  /// A part of another expression, from its function and its arrays.
  expression(const function_type& function, const detail::storage* leaves) : function_(function) {
    detail::storage* end = leaves_.data();
    for (int i = 0; i < leaf_count; ++i) engine::append_array(domain_, end, Op::name, leaves[i]);
  }

  expression(const expression&) = default;
  /// The expression moved from has the shape (0,).
  expression(expression&& other) noexcept
      : function_(other.function_),
        domain_(std::exchange(other.domain_, engine::domain::nothing())),
        leaves_(std::move(other.leaves_)) {}
  ~expression() = default;
  template <class T>
  void operator=(T&&) = delete;  // an expression computes values; there is nothing to write to

  template <class... I>
  void operator()(const I&...) const = delete;  // an expression has no elements yet: e.eval()(0, 1), or array<T> a = e

  [[nodiscard]] const gpu::shape& shape() const noexcept { return domain_.extents; }
  [[nodiscard]] int ndim() const noexcept { return domain_.extents.rank(); }
  [[nodiscard]] std::int64_t size() const noexcept { return domain_.extents.size(); }
  /// The device of the operands.
  [[nodiscard]] gpu::device device() const noexcept { return domain_.location.where; }
  [[nodiscard]] engine::located location() const noexcept { return domain_.location; }

  /// The values as a new array; asynchronous on a device.
  [[nodiscard]] array<value_type> eval() const;
  /// The one value of an expression of size 1. Waits for the device. @throws shape_error for another size.
  [[nodiscard]] value_type item() const;
  /// As `item()`, converted: `if (any(x))`, `float(sum(x))`.
  template <arithmetic U>
    requires(!complex_number<value_type> || complex_number<U> || boolean<U>)
  [[nodiscard]] explicit operator U() const {
    return detail::cast<U>(item());
  }

  [[nodiscard]] const function_type& function() const noexcept { return function_; }
  void collect(engine::leaf_ref* out) const noexcept {
    engine::describe_leaves(leaves_.data(), engine::itemsizes<leaf_types>::values, leaf_count, out);
  }
  void append_to(engine::domain& of, detail::storage*& end, const char* operation, bool moves) const {
    engine::append_expression(of, end, operation, domain_, leaves_.data(), leaf_count, moves);
  }
  /// The same operation on `change(index, operand)` in place of each operand.
  template <class Change>
  [[nodiscard]] auto with_operands(const Change& change) const {
    return with_changed(std::index_sequence_for<Operands...>{}, change);
  }

 private:
  /// An operand as a node of its own.
  template <std::size_t I>
  [[nodiscard]] auto operand() const {
    const auto& function = engine::get<I>(function_.children);
    const detail::storage* const leaves = leaves_.data() + function_type::template leaves_before<I>;
    return engine::make_operand(std::type_identity<engine::nth_type<I, Operands...>>{}, function, leaves);
  }

  template <std::size_t... I, class Change>
  [[nodiscard]] auto with_changed(std::index_sequence<I...>, const Change& change) const {
    using result = expression<Op, decltype(change(std::integral_constant<std::size_t, I>{}, operand<I>()))...>;
    return result(function_.operation, change(std::integral_constant<std::size_t, I>{}, operand<I>())...);
  }

  function_type function_;
  engine::domain domain_;
  engine::leaf_list<leaf_count> leaves_;
};

namespace engine {

template <class T>
struct array_traits {
  static constexpr bool is_array = false;
};
template <class T>
struct array_traits<array<T>> {
  static constexpr bool is_array = true;
  using node = leaf<T>;
};
template <class T>
struct array_traits<view<T>> {
  static constexpr bool is_array = true;
  using node = leaf<std::remove_const_t<T>>;
};
template <class Op, class... Operands>
struct array_traits<expression<Op, Operands...>> {
  static constexpr bool is_array = true;
  using node = expression<Op, Operands...>;
};
template <class T>
struct array_traits<leaf<T>> {
  static constexpr bool is_array = true;
  using node = leaf<T>;
};

}  // namespace engine

/// Anything with array semantics: an array, a view or an expression.
template <class A>
concept array_like = engine::array_traits<std::remove_cvref_t<A>>::is_array;

/// A C++ number (weak, as NumPy treats Python's) or one of the library's element types.
template <class S>
concept scalar_like = arithmetic<std::remove_cvref_t<S>>;

template <class A>
concept operand_like = array_like<A> || scalar_like<A>;

/// The element type of an array, view or expression.
template <array_like A>
using value_t = typename engine::array_traits<std::remove_cvref_t<A>>::node::value_type;

namespace engine {

/// The form in which an array enters an expression.
template <array_like A>
[[nodiscard]] auto as_node(A&& a) {
  using traits = array_traits<std::remove_cvref_t<A>>;
  if constexpr (std::same_as<typename traits::node, std::remove_cvref_t<A>>) {
    return typename traits::node(std::forward<A>(a));
  } else {
    return typename traits::node{std::forward<A>(a).storage()};
  }
}

/// As `as_node`, without copying an expression: for work that is submitted before the operand can end.
template <array_like A>
[[nodiscard]] decltype(auto) as_node_reference(const A& a) {
  using node = typename array_traits<A>::node;
  if constexpr (std::same_as<node, A>) {
    return static_cast<const A&>(a);
  } else {
    return node{a.storage()};
  }
}

/// The promoted type of the arrays of numbers among `Operands`, which the scalars adapt to; void if there is none.
template <class Promoted, class... Operands>
struct strong_type {
  using type = Promoted;
};
template <class Promoted, class First, class... Rest>
struct strong_type<Promoted, First, Rest...> {
  static consteval auto select() {
    if constexpr (!array_like<First>) {
      return std::type_identity<Promoted>{};
    } else if constexpr (!arithmetic<value_t<First>>) {
      return std::type_identity<Promoted>{};
    } else if constexpr (std::is_void_v<Promoted>) {
      return std::type_identity<value_t<First>>{};
    } else {
      return std::type_identity<result_type_t<Promoted, value_t<First>>>{};
    }
  }
  using type = typename strong_type<typename decltype(select())::type, Rest...>::type;
};

/// What an expression takes an array, view or expression from.
template <array_like A>
[[nodiscard]] decltype(auto) as_source(A&& a) {
  using traits = array_traits<std::remove_cvref_t<A>>;
  if constexpr (std::same_as<typename traits::node, std::remove_cvref_t<A>>) {
    return std::forward<A>(a);
  } else if constexpr (std::is_lvalue_reference_v<decltype(a.storage())>) {
    return leaf_reference<typename traits::node::value_type>{a.storage()};
  } else {
    return typename traits::node{a.storage()};
  }
}

/// An operand as a source; a scalar becomes what NEP 50 makes of it beside arrays of type `Strong`, and stays what it
/// is beside arrays of the user's types alone.
/// @throws type_error for an integer that does not fit.
template <class Strong, operand_like Operand>
[[nodiscard]] decltype(auto) as_operand(Operand&& x) {
  if constexpr (array_like<Operand>) {
    return as_source(std::forward<Operand>(x));
  } else {
    using S = std::remove_cvref_t<Operand>;
    if constexpr (std::is_void_v<Strong>) {
      return scalar<S>{x, {}};
    } else {
      using T = weak_result_t<Strong, S>;
      check_weak<T>(x);
      return scalar<T>{detail::cast<T>(x), {}};
    }
  }
}

template <class... Operands>
using strong_type_t = typename strong_type<void, std::remove_cvref_t<Operands>...>::type;

/// Whether the operation has a loop for operands of these types, as NumPy's ufunc has or has not.
template <class Op, class... Nodes>
concept supported = requires { typename arguments_of<Op, Nodes...>; };

/// What stands for the result after the error below, so that no second one follows.
struct unsupported {
  template <class T>
  operator T() const;
};

template <class Source>
using node_of = typename std::remove_cvref_t<Source>::node;

template <class Op, class... Sources>
[[nodiscard]] auto make_node(const Op& operation, Sources&&... sources) {
  if constexpr (supported<Op, node_of<Sources>...>) {
    return expression<Op, node_of<Sources>...>(operation, std::forward<Sources>(sources)...);
  } else {
    // Not the concept itself: the compiler would explain it, at length.
    constexpr bool defined_for_these_types = supported<Op, node_of<Sources>...>;
    static_assert(defined_for_these_types,
                  "gpuarray: this operation is not defined for these element types (nor is it in NumPy); "
                  "convert an operand with astype<T>()");
    return unsupported{};
  }
}

/// The element type with which an operand takes part in choosing a loop: scalars have adapted to `Strong`.
template <class Strong, operand_like Operand>
struct operand_value {
  using type = weak_result_t<Strong, Operand>;
};
template <class Strong, array_like Operand>
struct operand_value<Strong, Operand> {
  using type = value_t<Operand>;
};

/// An operand of a loop that takes `Loop`. An integer scalar is converted to that, so it needs to fit integers only:
/// `array<uint8> / -2` is right.
template <class Strong, class Loop, operand_like Operand>
[[nodiscard]] auto as_operand_of_loop(Operand&& x) {
  if constexpr (integer<std::remove_cvref_t<Operand>> && (floating<Loop> || complex_number<Loop>)) {
    return scalar<Loop>{detail::cast<Loop>(x), {}};
  } else {
    return as_operand<Strong>(std::forward<Operand>(x));
  }
}
template <class Strong, class... Loop, class Op, operand_like... Operands>
[[nodiscard]] auto make_node_of_loop(type_list<Loop...>, const Op& operation, Operands&&... operands) {
  return make_node(operation, as_operand_of_loop<Strong, Loop>(std::forward<Operands>(operands))...);
}

/// The same where an operation has a form of its own for an integer scalar as second operand.
template <class Strong, class First, integer Loop, class Op, array_like A, operand_like B>
  requires(integer<std::remove_cvref_t<B>> && requires { typename Op::template by_number<Loop>; })
[[nodiscard]] auto make_node_of_loop(type_list<First, Loop>, const Op&, A&& a, B&& b) {
  check_weak<weak_result_t<Strong, std::remove_cvref_t<B>>>(b);
  return make_node(typename Op::template by_number<Loop>(detail::cast<Loop>(b)), as_node(std::forward<A>(a)));
}

template <class Op, class... Value>
concept has_loop = requires { typename Op::template arguments<Value...>; };

/// Builds the expression `operation(operands...)`; at least one operand is an array.
template <class Op, operand_like... Operands>
[[nodiscard]] auto apply(const Op& operation, Operands&&... operands) {
  using strong = strong_type_t<Operands...>;
  if constexpr (arithmetic<strong> && (integer<std::remove_cvref_t<Operands>> || ...)) {
    if constexpr (has_loop<Op, typename operand_value<strong, std::remove_cvref_t<Operands>>::type...>) {
      using loop =
          typename Op::template arguments<typename operand_value<strong, std::remove_cvref_t<Operands>>::type...>;
      return make_node_of_loop<strong>(loop{}, operation, std::forward<Operands>(operands)...);
    } else {
      return make_node(operation, as_operand<strong>(std::forward<Operands>(operands))...);
    }
  } else {
    return make_node(operation, as_operand<strong>(std::forward<Operands>(operands))...);
  }
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
