/// @file
/// Expressions of more leaves than one pass can read: parts of them are computed into temporaries first.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "expression.hpp"
#include "plan.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

template <class Node>
inline constexpr int leaf_count = static_cast<int>(Node::leaf_types::size);

/// Which operands to compute beforehand so that `max_leaves` remain.
template <std::size_t Count>
struct chosen_parts {
  bool computed[Count] = {};
  bool enough = false;

  /// The largest first, so that there are few.
  constexpr explicit chosen_parts(const int (&leaves)[Count]) {
    int total = 0;
    for (const int n : leaves) total += n;
    while (total > max_leaves) {
      std::size_t largest = 0;
      for (std::size_t i = 1; i < Count; ++i) {
        if (left(leaves, i) > left(leaves, largest)) largest = i;
      }
      if (left(leaves, largest) == 1) return;
      total -= leaves[largest] - 1;
      computed[largest] = true;
    }
    enough = true;
  }

 private:
  [[nodiscard]] constexpr int left(const int (&leaves)[Count], std::size_t i) const {
    return computed[i] ? 1 : leaves[i];
  }
};

template <class Out, class Node>
[[nodiscard]] detail::storage evaluate(const Node& node);

template <class Node>
[[nodiscard]] auto compute_parts(const Node& node);

/// A node, or one of the same values that reads at most `max_leaves` arrays.
template <class Node>
[[nodiscard]] auto with_few_leaves(const Node& node) {
  if constexpr (leaf_count<Node> <= max_leaves) {
    return node;
  } else {
    return compute_parts(node);
  }
}

template <class... Operands>
inline constexpr chosen_parts<sizeof...(Operands)> parts_of{{leaf_count<Operands>...}};

template <class Op, class... Operands>
[[nodiscard]] auto compute_largest_parts(const expression<Op, Operands...>& node) {
  static_assert(parts_of<Operands...>.enough, "gpuarray: one operation takes at most 32 arrays, and 16 under nvcc");
  return node.with_operands(
      []<std::size_t I, class Operand>(std::integral_constant<std::size_t, I>, const Operand& operand) {
        if constexpr (parts_of<Operands...>.computed[I]) {
          using T = typename Operand::value_type;
          return leaf<T>{evaluate<T>(operand)};
        } else {
          return operand;
        }
      });
}

/// An expression of the same values that reads at most `max_leaves` arrays, some of them temporaries computed here.
template <class Node>
[[nodiscard]] auto compute_parts(const Node& node) {
  return compute_largest_parts(node.with_operands([](auto, const auto& operand) { return with_few_leaves(operand); }));
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
