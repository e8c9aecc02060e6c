/// @file
/// What expressions are made of besides expressions: arrays and numbers as nodes, and the types that follow from nodes.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "../core/promotion.hpp"
#include "../core/types.hpp"
#include "function.hpp"
#include "leaves.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

/// An array as a node: shares the memory and remembers the layout of that moment.
template <class T>
struct leaf {
  using node = leaf;
  using value_type = T;
  using leaf_types = type_list<T>;
  using function_type = leaf_function<T>;
  detail::storage data;

  [[nodiscard]] const gpu::shape& shape() const noexcept { return data.where.extents; }
  [[nodiscard]] located location() const noexcept { return location_of(data); }
  [[nodiscard]] function_type function() const noexcept { return {}; }
  void collect(leaf_ref* out) const noexcept {
    *out = {data.first, &data.where, static_cast<std::int64_t>(sizeof(T)), data.owner.get()};
  }
  void append_to(domain& of, detail::storage*& end, const char* operation, bool) const {
    append_array(of, end, operation, data);
  }
};

/// An array on its way into an expression, which copies the reference to its memory.
template <class T>
struct leaf_reference {
  using node = leaf<T>;
  const detail::storage& data;

  [[nodiscard]] leaf_function<T> function() const noexcept { return {}; }
  void append_to(domain& of, detail::storage*& end, const char* operation, bool) const {
    append_array(of, end, operation, data);
  }
};

/// A C++ scalar as a node, converted to the type that it enters the computation with.
template <class T>
struct scalar {
  using node = scalar;
  using value_type = T;
  using leaf_types = type_list<>;
  using function_type = scalar_function<T>;
  T value;
  gpu::shape extents;

  [[nodiscard]] const gpu::shape& shape() const noexcept { return extents; }
  [[nodiscard]] located location() const noexcept { return {}; }
  [[nodiscard]] function_type function() const noexcept { return {value}; }
  void collect(leaf_ref*) const noexcept {}
  void append_to(domain&, detail::storage*&, const char*, bool) const noexcept {}
};

template <class... Lists>
struct concatenate_lists;
template <>
struct concatenate_lists<> {
  using type = type_list<>;
};
template <class... A>
struct concatenate_lists<type_list<A...>> {
  using type = type_list<A...>;
};
template <class... A, class... B, class... Rest>
struct concatenate_lists<type_list<A...>, type_list<B...>, Rest...>
    : concatenate_lists<type_list<A..., B...>, Rest...> {};

/// The types an operation computes in; ill-formed where NumPy has no such loop.
template <class Op, class... Operands>
using arguments_of = typename Op::template arguments<typename Operands::value_type...>;

/// The sizes of elements of these types.
template <class List>
struct itemsizes;
template <class... T>
struct itemsizes<type_list<T...>> {
  static constexpr std::int64_t values[sizeof...(T) + 1] = {sizeof(T)..., 0};
};

/// Operand nodes from their function and arrays.
template <class T>
[[nodiscard]] leaf<T> make_operand(std::type_identity<leaf<T>>, const leaf_function<T>&,
                                   const detail::storage* leaves) {
  return {*leaves};
}
template <class T>
[[nodiscard]] scalar<T> make_operand(std::type_identity<scalar<T>>, const scalar_function<T>& function,
                                     const detail::storage*) {
  return {function.value, {}};
}
template <class Op, class Arguments>
struct result_of;
template <class Op, class... Arguments>
struct result_of<Op, type_list<Arguments...>> {
  using type = std::invoke_result_t<const Op&, Arguments...>;
};

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
