/// @file
/// Reducing a node over axes: plans, masks, and the choice of backend.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../backend/host/reduce.hpp"
#include "../core/axes.hpp"
#include "evaluate.hpp"
#include "ops/astype.hpp"
#include "ops/logic.hpp"
#include "reducers.hpp"

#if defined(__CUDACC__)
#include "../backend/cuda/reduce.hpp"
#endif

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

template <class Function>
inline constexpr bool is_plain_leaf = false;
template <class T>
inline constexpr bool is_plain_leaf<expression_function<leaf_function<T>>> = true;

/// One reduction that owns all it needs, so that it may run later on another thread.
template <class Reducer, class Function, class... In>
struct reduce_work : detail::plain_work {
  static_assert(sizeof(typename Reducer::accumulator) <= host::max_accumulator);
  device where;
  Function function;
  Reducer reducer;
  reduce_plan plan;
  operand in[sizeof...(In) + 1];
  void* scratch = nullptr;

  reduce_work(const device& d, const Function& f, const Reducer& r) noexcept
      : plain_work{sizeof(reduce_work), &reduce_work::run}, where(d), function(f), reducer(r) {}

  void operator()(void* stream_handle) { run(*this, stream_handle); }

  static void run(plain_work& base, void* stream_handle) {
    auto& self = static_cast<reduce_work&>(base);
    self.plan.in = self.in;
    if (self.where.is_host()) {
      using input = typename Reducer::input;
      const host::erased_reducer reducer = host::reduce_loop<Reducer>::erase(self.reducer);
      if constexpr (is_plain_leaf<Function>) {
        host::reduce(host::reduction{self.plan, nullptr, reducer, sizeof(input)});  // named: for nvcc
      } else {
        using loop = host::block_loop<Function, input, In...>;
        const host::block_kernel kernel{loop::select(), &self.function, !Function::uniform_lanes};
        host::reduce(host::reduction{self.plan, &kernel, reducer, sizeof(input)});
      }
    } else {
#if defined(__CUDACC__)
      cuda::reduce<Reducer, In...>(self.plan, self.function, self.reducer, static_cast<cudaStream_t>(stream_handle),
                                   self.scratch);
#else
      static_cast<void>(stream_handle);
      raise_needs_nvcc(self.where);
#endif
    }
  }
};

template <class Reducer, class Node, class... In>
void reduce_into(const detail::storage& target, const index_vector& kept_strides, const Node& node,
                 const detail::axis_marks& axes, const Reducer& reducer, const stream& where, type_list<In...>) {
  using root = expression_function<typename Node::function_type>;
  using input = typename Reducer::input;
  using function =
      std::conditional_t<std::is_same_v<input, typename Node::value_type>, root, converted_function<input, root>>;
  constexpr int count = sizeof...(In);
  const leaves_of<Node> leaves(node);
  reduce_work<Reducer, function, In...> work(where.device(), function{{node.function()}}, reducer);
  work.plan = make_reduce_plan(target.first, sizeof(typename Reducer::result), kept_strides, node.shape(), axes.marked,
                               leaves.items, count, work.in);
  if (work.plan.kept == 0) return;
#if defined(__CUDACC__)
  if (!work.where.is_host()) {
    buffer* owners[count + 1];
    const buffer_list reads = owners_of(leaves.items, count, owners);
    work.plan.in = work.in;
    const std::size_t bytes = cuda::reduce_scratch_bytes<Reducer, In...>(work.plan, work.function);
    const buffer_ptr partials = allocate_buffer(bytes, work.where, where);
    work.scratch = partials->data();
    return submit(where, reads, {target.owner.get(), partials.get()}, std::move(work));
  }
#endif
  if constexpr (std::is_trivially_copyable_v<decltype(work)>) {
    submit_job(target, leaves.items, count, work);
  } else {
    buffer* owners[count + 1];
    submit(where, owners_of(leaves.items, count, owners), {target.owner.get()}, std::move(work));
  }
}

/// Reduces `node` over `axes` into a new array. Asynchronous on a device; reads the expression directly.
template <class Reducer, class Node>
[[nodiscard]] detail::storage reduce(const Node& node, const gpu::axes& axes, bool keepdims, const Reducer& reducer) {
  const detail::axis_marks marks = detail::reduced_axes(axes, node.shape().rank(), Reducer::name);
  const device d = device_of(node);
  if constexpr (!current_tag::has_cuda) {
    if (!d.is_host()) raise_needs_nvcc(d);
  }
  using result = typename Reducer::result;
  detail::storage target =
      detail::make_storage(detail::reduced_shape(node.shape(), marks, keepdims), sizeof(result), d);
  index_vector kept;
  for (int i = 0, k = 0; i < node.shape().rank(); ++i) {
    if (marks.marked[i]) {
      k += keepdims;
    } else {
      kept.push_back(target.where.strides[k++] * static_cast<std::int64_t>(sizeof(result)));
    }
  }
  if constexpr (leaf_count<Node> > max_leaves) {
    const auto small = compute_parts(node);
    reduce_into(target, kept, small, marks, reducer, current_stream(d), typename decltype(small)::leaf_types{});
  } else {
    reduce_into(target, kept, node, marks, reducer, current_stream(d), typename Node::leaf_types{});
  }
  return target;
}

/// The node as `Reducer::input` in memory of its own, with the identity where `mask` is false.
template <class Reducer, class Node>
[[nodiscard]] leaf<typename Reducer::input> masked(const Node& node, const detail::storage& mask,
                                                   const typename Reducer::input& neutral) {
  using input = typename Reducer::input;
  leaf<input> values{detail::make_storage(node.shape(), sizeof(input), device_of(node))};
  evaluate_unchecked<input>(values.data, node, leaves_of<Node>(node).items);
  assign<input>(values.data, make_node(ops::where{}, leaf<bool>{mask}, values, scalar<input>{neutral, {}}));
  return values;
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
