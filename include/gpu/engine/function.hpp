/// @file
/// The function that an expression computes for one element: a tree of scalar operations without its arrays.
///
/// `expression_function<Root>` is called with the values of all leaves, left to right, and is what both backends
/// inline into their loops. The scalars of the expression are its only state.
#pragma once

#include <cstddef>
#include <utility>

#include "../core/types.hpp"
#include "pack.hpp"
#include "type_list.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

/// Reads leaf number `First`.
template <class T>
struct leaf_function {
  static constexpr int leaf_count = 1;
  static constexpr bool uniform_lanes = true;

  template <int First, class Leaves>
  [[gnu::always_inline]] constexpr T at(const Leaves& leaves) const {
    return get<static_cast<std::size_t>(First)>(leaves);
  }
};

/// The same value for every element.
template <class T>
struct scalar_function {
  static constexpr int leaf_count = 0;
  static constexpr bool uniform_lanes = true;
  T value;

  template <int, class Leaves>
  [[gnu::always_inline]] constexpr T at(const Leaves&) const {
    return value;
  }
};

/// Whether a vector lane of the operation may differ from its scalar form in the last bits (glibc's vector functions
/// do).
template <class Op>
inline constexpr bool has_uniform_lanes = !requires { requires Op::uses_vector_math; };

template <class Op, class Arguments, class Indices, class... Children>
struct operation_function;

/// Applies `Op` to the values of its children, each converted to the type that the operation computes in.
template <class Op, class... Arguments, std::size_t... I, class... Children>
struct operation_function<Op, type_list<Arguments...>, std::index_sequence<I...>, Children...> {
  static constexpr int leaf_count = (0 + ... + Children::leaf_count);
  static constexpr bool uniform_lanes = has_uniform_lanes<Op> && (Children::uniform_lanes && ...);
  Op operation;
  pack<Children...> children;

  /// The number of leaves before child `Child`.
  template <std::size_t Child>
  static constexpr int leaves_before = [] {
    constexpr int counts[] = {Children::leaf_count...};
    int n = 0;
    for (int i = 0; i < static_cast<int>(Child); ++i) n += counts[i];
    return n;
  }();

  template <int First, class Leaves>
  [[gnu::always_inline]] constexpr auto at(const Leaves& leaves) const {
    return operation(detail::cast<Arguments>(get<I>(children).template at<First + leaves_before<I>>(leaves))...);
  }
};

template <class Root>
struct expression_function {
  static constexpr bool uniform_lanes = Root::uniform_lanes;
  Root root;

  template <class... In>
  [[gnu::always_inline]] constexpr auto operator()(In... values) const {
    const pack<In...> leaves{{values}...};
    return root.template at<0>(leaves);
  }
};

/// `f` followed by the conversion to the element type that is stored.
template <class Out, class Function>
struct converted_function {
  static constexpr bool uniform_lanes = Function::uniform_lanes;
  Function function;

  template <class... In>
  [[gnu::always_inline]] constexpr Out operator()(In... values) const {
    return detail::cast<Out>(function(values...));
  }
};

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
