/// @file
/// Joining arrays along an axis: where each part goes, computed once, and the evaluation of the parts in their places.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "../core/keyword.hpp"
#include "../runtime/assembly.hpp"
#include "assign.hpp"
#include "mask.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

/// As what a function sees its operands before it joins them.
enum class lift : std::uint8_t { nothing, flat, new_axis, at_least_1d, at_least_2d, at_least_3d, column };

/// A shape with axes of extent 1 added, and which ones they are.
struct lifted_shape {
  index_vector extents;
  bool added[max_rank + 3] = {};

  lifted_shape(const shape& s, lift how, int axis) : extents(s) {
    const int rank = s.rank();
    const auto add = [this](int position) {
      extents.insert(position, 1);
      added[position] = true;
    };
    switch (how) {
      case lift::new_axis: add(axis); return;
      case lift::at_least_1d:
        if (rank == 0) add(0);
        return;
      case lift::at_least_2d:
        for (int i = rank; i < 2; ++i) add(i - rank);
        return;
      case lift::at_least_3d:
        if (rank < 2) add(0);
        if (rank == 0) add(1);
        if (rank < 3) add(2);
        return;
      case lift::column:
        if (rank == 0) add(0);
        if (rank < 2) add(1);
        return;
      default: return;
    }
  }
};

/// A part's place in a dense array: a layout of the part's own shape, and where it begins.
struct place {
  layout where;
  std::int64_t offset;
};

/// The shape of the joined array, and where its parts go, one after the other.
struct join_plan {
  shape extents;
  int axis = 0;
  lift how = lift::nothing;
  std::int64_t next = 0;  ///< where the next part begins along the axis

  [[nodiscard]] place place_of(const shape& part) {
    if (how == lift::flat) {
      const std::int64_t offset = next;
      next += part.size();
      return {contiguous_layout(part), offset};
    }
    const lifted_shape seen(part, how, axis);
    const index_vector strides = contiguous_strides(extents);
    place result{{part, {}}, next * strides[axis]};
    for (int i = 0; i < seen.extents.rank(); ++i) {
      if (!seen.added[i]) result.where.strides.push_back(strides[i]);
    }
    next += seen.extents[axis];
    return result;
  }
};

/// Extents that differ where they may not.
[[noreturn]] inline void raise_join_mismatch(int dimension, std::int64_t first, std::int64_t k, std::int64_t other) {
  detail::raise<shape_error>(
      "all the input array dimensions except for the concatenation axis must match exactly, but along dimension ",
      dimension, ", the array at index 0 has size ", first, " and the array at index ", k, " has size ", other);
}

/// @throws shape_error, axis_error with NumPy's words unless the parts can be joined along `axis` (none: flattened).
[[gnu::noinline]] inline join_plan make_join_plan(const shape* shapes, std::int64_t count,
                                                  const optional_value<std::int64_t>& axis, lift how) {
  join_plan plan;
  plan.how = axis ? how : lift::flat;
  if (count == 0) {
    detail::raise<shape_error>("need at least one array to ", how == lift::new_axis ? "stack" : "concatenate");
  }
  if (plan.how == lift::flat) {
    std::int64_t total = 0;
    for (std::int64_t k = 0; k < count; ++k) total += shapes[k].size();
    plan.extents = shape{total};
    return plan;
  }
  if (how == lift::new_axis) {
    for (std::int64_t k = 1; k < count; ++k) {
      if (!(shapes[k] == shapes[0])) {
        detail::raise<shape_error>("all input arrays must have the same shape; the array at index 0 has ", shapes[0],
                                   ", the one at index ", k, " has ", shapes[k]);
      }
    }
    plan.axis = normalize_axis(*axis, shapes[0].rank() + 1);
  }
  index_vector result = lifted_shape(shapes[0], how, plan.axis).extents;
  if (result.rank() == 0) detail::raise<shape_error>("zero-dimensional arrays cannot be concatenated");
  if (how != lift::new_axis) plan.axis = normalize_axis(*axis, result.rank());
  for (std::int64_t k = 1; k < count; ++k) {
    const index_vector part = lifted_shape(shapes[k], how, plan.axis).extents;
    if (part.rank() != result.rank()) {
      detail::raise<shape_error>(
          "all the input arrays must have same number of dimensions, but the array at index 0 has ", result.rank(),
          " dimension(s) and the array at index ", k, " has ", part.rank(), " dimension(s)");
    }
    for (int i = 0; i < part.rank(); ++i) {
      if (i != plan.axis && part[i] != result[i]) raise_join_mismatch(i, result[i], k, part[i]);
    }
    if (__builtin_add_overflow(result[plan.axis], part[plan.axis], &result[plan.axis])) {
      detail::raise<shape_error>("array is too big: the parts of a join have more than 2^63 elements");
    }
  }
  plan.extents = shape(result);
  return plan;
}

/// Where parts are, together. @throws device_error if they are on different devices.
inline void join_location(located& all, const located& part, const char* operation) {
  if (part.known && all.known && part.where != all.where) {
    detail::raise<device_error>(operation, ": the arrays are on different devices, ", all.where, " and ", part.where,
                                "; move one with .to(device)");
  }
  if (part.known) all = part;
}

/// A part as a node: expressions are computed in their places, what a mask selects beforehand.
template <array_like A>
[[nodiscard]] decltype(auto) as_part(const A& a) {
  if constexpr (is_expression<A>) {
    return static_cast<const A&>(a);
  } else {
    return leaf<value_t<A>>{as_storage(a)};
  }
}

/// Elements of type `R` go to the assembly, which copies them all at once; other types and expressions are computed
/// where they go, which takes a kernel each: their functions differ, and how many there are is fixed when the call is
/// compiled.
template <class R, class Node>
void put_part(join_plan& plan, const detail::storage& result, detail::assembly& copies, const Node& node) {
  const place at = plan.place_of(node.shape());
  if constexpr (std::is_same_v<Node, leaf<R>>) {
    copies.add(at.where, at.offset, node.data);
  } else {
    const leaves_of<Node> leaves(node);
    const detail::storage target = detail::with_layout(result, at.where, at.offset * std::int64_t{sizeof(R)});
    if (at.where.extents.size() != 0) evaluate_unchecked<R>(target, node, leaves.items);
  }
}

template <class R, class... Nodes>
[[nodiscard]] array<R> join_nodes(const char* operation, const optional_value<std::int64_t>& axis, lift how,
                                  const Nodes&... nodes) {
  (require_same_kind<typename Nodes::value_type, R>(), ...);
  const shape shapes[] = {nodes.shape()...};
  join_plan plan = make_join_plan(shapes, sizeof...(Nodes), axis, how);
  located where;
  (join_location(where, nodes.location(), operation), ...);
  detail::storage result = detail::make_storage(plan.extents, sizeof(R), device_at(where));
  detail::assembly copies(result, sizeof(R));
  (put_part<R>(plan, result, copies, nodes), ...);
  copies.run();
  return array<R>(std::move(result));
}

template <class R, class... Parts>
using joined_t =
    typename std::conditional_t<std::is_void_v<R>, detail::result_of<value_t<Parts>...>, std::type_identity<R>>::type;

/// Joins operands of a call.
template <class R, array_like... Parts>
[[nodiscard]] auto join(const char* operation, const optional_value<std::int64_t>& axis, lift how,
                        const Parts&... parts) {
  return join_nodes<joined_t<R, Parts...>>(operation, axis, how, as_part(parts)...);
}

/// Joins the arrays, views or expressions of a range: arrays in one kernel, and one more if `R` is another type.
template <class R, class Range>
[[nodiscard]] auto join_range(const char* operation, const optional_value<std::int64_t>& axis, lift how,
                              const Range& parts) {
  using A = std::remove_cvref_t<decltype(*parts.begin())>;
  using node = typename array_traits<A>::node;
  using result_type = joined_t<R, A>;
  using stored_type = std::conditional_t<is_expression<A>, result_type, value_t<A>>;
  require_same_kind<value_t<A>, result_type>();
  std::vector<node> nodes;
  std::vector<shape> shapes;
  located where;
  for (const A& part : parts) {
    nodes.push_back(as_part(part));
    shapes.push_back(nodes.back().shape());
    join_location(where, nodes.back().location(), operation);
  }
  join_plan plan = make_join_plan(shapes.data(), static_cast<std::int64_t>(shapes.size()), axis, how);
  detail::storage result = detail::make_storage(plan.extents, sizeof(stored_type), device_at(where));
  detail::assembly copies(result, sizeof(stored_type));
  for (const node& one : nodes) put_part<stored_type>(plan, result, copies, one);
  copies.run();
  if constexpr (std::is_same_v<stored_type, result_type>) {
    return array<result_type>(std::move(result));
  } else {
    return array<result_type>(evaluate<result_type>(leaf<stored_type>{std::move(result)}));
  }
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
