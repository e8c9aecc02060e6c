/// @file
/// Evaluating a node into memory: the plan is made, hazards are handled, and the backend of the device does the work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "../backend/host/elementwise.hpp"
#include "../runtime/submit.hpp"
#include "expression.hpp"
#include "overlap.hpp"
#include "parts.hpp"

#if defined(__CUDACC__)
#include "../backend/cuda/runtime.hpp"
#include "../backend/cuda/transform.hpp"
#endif

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

/// Stops a unit without CUDA from computing on a CUDA array.
[[noreturn]] inline void raise_needs_nvcc(const device& where) {
  detail::raise<device_error>("cannot compute on ", where,
                              " in this file: it was compiled without CUDA; compile it with nvcc, or move the arrays "
                              "with .to(gpu::device::host())");
}

/// Lists the buffers that leaves are read from in `out`; an array without memory has none.
[[nodiscard]] inline buffer_list owners_of(const leaf_ref* leaves, int count, buffer** out) noexcept {
  std::size_t owners = 0;
  for (int k = 0; k < count; ++k) {
    if (leaves[k].owner != nullptr) out[owners++] = leaves[k].owner;
  }
  return {out, owners};
}

/// The leaves of a node, collected.
template <class Node>
struct leaves_of {
  using types = typename Node::leaf_types;
  static constexpr int count = leaf_count<Node>;
  leaf_ref items[count + 1];

  explicit leaves_of(const Node& node) noexcept {
    leaf_ref* end = items;
    node.collect(end);
  }
};

/// Whether an operation of the node may throw while it runs on the host.
template <class Node>
inline constexpr bool may_throw = false;
template <class Op, class... Operands>
inline constexpr bool may_throw<expression<Op, Operands...>> =
    (requires { requires Op::may_throw; }) || (may_throw<Operands> || ...);

/// One elementwise evaluation that owns all it needs, so that it may run later on another thread.
template <class Out, class Function, class... In>
struct elementwise_work {
  device where;
  Function function;
  elementwise_plan plan;
  operand in[sizeof...(In) + 1];

  void operator()(void* stream_handle) {
    plan.in = in;
    if (where.is_host()) {
      using loop = host::block_loop<Function, Out, In...>;
      host::elementwise(plan, {loop::select(), &function, !Function::uniform_lanes});
    } else {
#if defined(__CUDACC__)
      cuda::transform<Out, In...>(plan, function, static_cast<cudaStream_t>(stream_handle));
#else
      static_cast<void>(stream_handle);
      raise_needs_nvcc(where);
#endif
    }
  }
};

/// An evaluation into a temporary and the copy of all of it to the target, which a failure leaves as it was.
template <class Work>
struct all_or_nothing {
  Work work;
  detail::strided_copy result;

  void operator()(void* stream_handle) {
    work(stream_handle);
    detail::copy_strided_on_host(result);
  }
};

template <class Out, class Node, class... In>
void run_into(const detail::storage& target, const Node& node, const leaf_ref* leaves, type_list<In...>,
              const detail::storage* temporary = nullptr) {
  using root = expression_function<decltype(node.function())>;
  using function =
      std::conditional_t<std::is_same_v<Out, typename Node::value_type>, root, converted_function<Out, root>>;
  constexpr int count = sizeof...(In);
  const device d = target.device();
  const detail::storage& written = temporary != nullptr ? *temporary : target;
  elementwise_work<Out, function, In...> work{d, function{{node.function()}}, {}, {}};
  work.plan = make_elementwise_plan(written.first, written.where, sizeof(Out), leaves, count, work.in);
  if (work.plan.size == 0) return;
  buffer* owners[count + 1];
  const buffer_list reads = owners_of(leaves, count, owners);
  if constexpr (may_throw<Node>) {
    if (temporary != nullptr) {
      return submit(current_stream(d), reads, {target.owner.get(), temporary->owner.get()},
                    all_or_nothing<decltype(work)>{std::move(work), detail::plan_copy(target, written, sizeof(Out))});
    }
  }
  submit(current_stream(d), reads, {target.owner.get()}, std::move(work));
}

/// Computes `node`, of the target's shape or broadcast to it, into memory that no leaf reads except as the same
/// elements.
template <class Out, class Node>
void evaluate_unchecked(const detail::storage& target, const Node& node, const leaf_ref* leaves) {
  if constexpr (!current_tag::has_cuda) {
    if (!target.device().is_host()) raise_needs_nvcc(target.device());
  }
  if constexpr (leaf_count<Node> > max_leaves) {
    const auto small = compute_parts(node);
    const leaves_of<std::remove_cv_t<decltype(small)>> left(small);
    run_into<Out>(target, small, left.items, typename decltype(left)::types{});
  } else {
    run_into<Out>(target, node, leaves, typename Node::leaf_types{});
  }
}

/// Where a node is computed: with its arrays, or on the current device if it has none.
template <class Node>
[[nodiscard]] device device_of(const Node& node) {
  const located location = node.location();
  return location.known ? location.where : current_device();
}

/// The values of `node` in new memory in C order, on the node's device or the current one.
template <class Out, class Node>
[[nodiscard]] detail::storage evaluate(const Node& node) {
  const leaves_of<Node> leaves(node);
  detail::storage result = detail::make_storage(node.shape(), sizeof(Out), device_of(node));
  evaluate_unchecked<Out>(result, node, leaves.items);
  return result;
}

/// Writes `node` through `target` as NumPy's `target[...] = node`.
/// @throws shape_error if the node does not broadcast to the target (leading extents of 1 may be too many), or the
/// target is a broadcast view.
template <class Out, class Node>
void assign(const detail::storage& target, const Node& node) {
  if (!is_assignable(node.shape(), target.where.extents)) {
    detail::raise<shape_error>("could not broadcast input array from shape ", node.shape(), " into shape ",
                               target.where.extents);
  }
  detail::check_writable(target.where);
  const located location = node.location();
  if (location.known && target.owner && location.where != target.device()) {
    detail::raise<device_error>("cannot assign an expression on ", location.where, " to an array on ", target.device(),
                                "; move it with .to(device)");
  }
  const leaves_of<Node> leaves(node);
  const bool guarded = may_throw<Node> && target.device().is_host();
  if constexpr (may_throw<Node> && leaf_count<Node> <= max_leaves) {
    if (guarded) {
      const detail::storage temporary = detail::make_storage(target.where.extents, sizeof(Out), target.device());
      return run_into<Out>(target, node, leaves.items, typename Node::leaf_types{}, &temporary);
    }
  }
  if (guarded || conflicts(leaves.items, leaves.count, target.first, target.where, sizeof(Out))) {
    detail::copy_elements(target, evaluate<Out>(node), sizeof(Out));
  } else {
    evaluate_unchecked<Out>(target, node, leaves.items);
  }
}

/// Whether `target = node` may reuse the target's memory unobserved: right shape, dense, on the node's device, shared
/// with nobody but, if `owned`, the expression itself, and read by it only element by element.
template <class Out, class Node>
[[nodiscard]] bool can_reuse(const detail::storage& target, const Node& node, bool owned) noexcept {
  if (!target.owner || may_throw<Node> || !(target.where.extents == node.shape())) return false;
  const located location = node.location();
  if (!location.known || location.where != target.device() || !is_contiguous(target.where)) return false;
  const leaves_of<Node> leaves(node);
  int own = 1;
  for (int k = 0; k < leaves.count; ++k) own += owned && leaves.items[k].owner == target.owner.get();
  return target.owner.use_count() == own &&
         !conflicts(leaves.items, leaves.count, target.first, target.where, sizeof(Out));
}

}  // namespace engine

template <class Op, class... Operands>
auto expression<Op, Operands...>::eval() const -> array<value_type> {
  return array<value_type>(engine::evaluate<value_type>(*this));
}

template <class Op, class... Operands>
auto expression<Op, Operands...>::item() const -> value_type {
  detail::check_single(extents_);
  return eval().item();
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
