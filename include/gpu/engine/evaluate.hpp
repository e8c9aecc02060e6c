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

/// The leaves of a node, collected.
template <class Node>
struct leaves_of {
  using types = typename Node::leaf_types;
  static constexpr int count = leaf_count<Node>;
  leaf_ref items[count + 1];

  explicit leaves_of(const Node& node) noexcept { node.collect(items); }
};

/// Whether an operation of the node may throw while it runs on the host.
template <class Node>
inline constexpr bool may_throw = false;
template <class Op, class... Operands>
inline constexpr bool may_throw<expression<Op, Operands...>> =
    (requires { requires Op::may_throw; }) || (may_throw<Operands> || ...);

/// What elementwise work is without its function and its types.
struct elementwise_job : detail::plain_work {
  device where;
  elementwise_plan plan;
};

/// One elementwise evaluation that owns all it needs, so that it may run later on another thread.
template <class Out, class Function, class... In>
struct elementwise_work : elementwise_job {
  Function function;
  operand in[sizeof...(In) + 1];

  explicit elementwise_work(const Function& f)
      : elementwise_job{{sizeof(elementwise_work), &elementwise_work::run}, {}, {}}, function(f) {}

  void operator()(void* stream_handle) { run(*this, stream_handle); }

  static void run(plain_work& base, void* stream_handle) {
    auto& self = static_cast<elementwise_work&>(base);
    self.plan.in = self.in;
    if (self.where.is_host()) {
      using loop = host::block_loop<Function, Out, In...>;
      host::elementwise(self.plan, {loop::select(), &self.function, !Function::uniform_lanes});
    } else {
#if defined(__CUDACC__)
      cuda::transform<Out, In...>(self.plan, self.function, static_cast<cudaStream_t>(stream_handle));
#else
      static_cast<void>(stream_handle);
      raise_needs_nvcc(self.where);
#endif
    }
  }
};

/// Plans the evaluation of `leaves` into the target. Returns whether there is anything to do.
[[gnu::noinline]] inline bool plan_job(elementwise_job& job, const detail::storage& target, std::int64_t itemsize,
                                       const leaf_ref* leaves, int count, operand* in) {
  job.where = target.device();
  job.plan = make_elementwise_plan(target.first, target.where, itemsize, leaves, count, in);
  return job.plan.size != 0;
}

/// Hands work that fills the target from `leaves` to the current stream of its device.
[[gnu::noinline]] inline void submit_job(const detail::storage& target, const leaf_ref* leaves, int count,
                                         detail::plain_work& work) {
  buffer* owners[max_leaves + 1];
  submit_plain(current_stream(target.device()), owners_of(leaves, count, owners), {target.owner.get()}, work);
}

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
[[gnu::noinline]] void run_into(const detail::storage& target, const Node& node, const leaf_ref* leaves,
                                type_list<In...>, const detail::storage* temporary = nullptr) {
  using root = expression_function<typename Node::function_type>;
  using function =
      std::conditional_t<std::is_same_v<Out, typename Node::value_type>, root, converted_function<Out, root>>;
  constexpr int count = sizeof...(In);
  const detail::storage& written = temporary != nullptr ? *temporary : target;
  elementwise_work<Out, function, In...> work(function{{node.function()}});
  if (!plan_job(work, written, sizeof(Out), leaves, count, work.in)) return;
  if constexpr (!may_throw<Node> && std::is_trivially_copyable_v<function>) {
    submit_job(target, leaves, count, work);
  } else {
    buffer* owners[count + 1];
    const buffer_list reads = owners_of(leaves, count, owners);
    const stream where = current_stream(target.device());
    if (temporary != nullptr) {
      owners[reads.size()] = target.owner.get();  // read in that a failure keeps its values
      submit(where, {owners, reads.size() + 1}, {target.owner.get(), temporary->owner.get()},
             all_or_nothing<decltype(work)>{std::move(work), detail::plan_copy(target, written, sizeof(Out))});
    } else {
      submit(where, reads, {target.owner.get()}, std::move(work));
    }
  }
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

/// Where an expression is computed: with its arrays, or on the current device if it has none.
[[nodiscard]] inline device device_at(const located& location) {
  return location.known ? location.where : current_device();
}
template <class Node>
[[nodiscard]] device device_of(const Node& node) {
  return device_at(node.location());
}

/// The values of `node` in new memory in C order, on the node's device or the current one.
template <class Out, class Node>
[[nodiscard]] detail::storage evaluate(const Node& node) {
  const leaves_of<Node> leaves(node);
  detail::storage result = detail::make_storage(node.shape(), sizeof(Out), device_of(node));
  evaluate_unchecked<Out>(result, node, leaves.items);
  return result;
}

/// @throws shape_error, device_error unless values of this shape and place may be assigned to the target's elements.
[[gnu::noinline]] inline void check_assignment(const detail::storage& target, const shape& extents,
                                               const located& location) {
  if (!is_assignable(extents, target.where.extents)) {
    detail::raise<shape_error>("could not broadcast input array from shape ", extents, " into shape ",
                               target.where.extents);
  }
  detail::check_writable(target.where);
  if (location.known && target.owner && location.where != target.device()) {
    detail::raise<device_error>("cannot assign an expression on ", location.where, " to an array on ", target.device(),
                                "; move it with .to(device)");
  }
}

/// Writes `node` through `target` as NumPy's `target[...] = node`.
/// @throws shape_error if the node does not broadcast to the target (leading extents of 1 may be too many), or the
/// target is a broadcast view.
template <class Out, class Node>
void assign(const detail::storage& target, const Node& node) {
  check_assignment(target, node.shape(), node.location());
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

/// Where `target = expression` is computed: in the target's memory if that is unobserved, otherwise in `fresh`, which
/// becomes new memory. Unobserved: right shape, dense, on the expression's device, shared with nobody but, if `owned`,
/// the expression itself, and read by it only element by element.
[[nodiscard]] [[gnu::noinline]] inline detail::storage& choose_target(detail::storage& target, detail::storage& fresh,
                                                                      std::int64_t itemsize, const shape& extents,
                                                                      const located& location, const leaf_ref* leaves,
                                                                      int count, bool owned, bool may_reuse) {
  if (may_reuse && target.owner && target.where.extents == extents && location.known &&
      location.where == target.device() && is_contiguous(target.where)) {
    int own = 1;
    for (int k = 0; k < count; ++k) own += owned && leaves[k].owner == target.owner.get();
    if (target.owner.use_count() == own && !conflicts(leaves, count, target.first, target.where, itemsize)) {
      return target;
    }
  }
  fresh = detail::make_storage(extents, itemsize, device_at(location));
  return fresh;
}

/// `target = node`: a new value, in the target's memory if nobody can tell.
template <class Out, class Node>
void replace(detail::storage& target, const Node& node, bool owned) {
  const leaves_of<Node> leaves(node);
  detail::storage fresh;
  const detail::storage& chosen = choose_target(target, fresh, sizeof(Out), node.shape(), node.location(), leaves.items,
                                                leaves.count, owned, !may_throw<Node>);
  evaluate_unchecked<Out>(chosen, node, leaves.items);
  if (&chosen == &fresh) target = std::move(fresh);
}

}  // namespace engine

template <class Op, class... Operands>
auto expression<Op, Operands...>::eval() const -> array<value_type> {
  return array<value_type>(engine::evaluate<value_type>(*this));
}

template <class Op, class... Operands>
auto expression<Op, Operands...>::item() const -> value_type {
  detail::check_single(shape());
  return eval().item();
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
