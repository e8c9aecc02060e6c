/// @file
/// Products of vectors and matrices: matmul, dot, vdot, inner, outer, tensordot.
///
/// cuBLAS on CUDA, CBLAS on the host where there is one, kernels of our own for integers and bool. Transposed and
/// sliced operands are passed as they lie wherever a library can read them. Operands of different types are promoted
/// first; half and bfloat16 accumulate in float. None waits for the device.
#pragma once

#include <cstdint>

#include "array.hpp"
#include "core/keyword.hpp"
#include "engine/matmul.hpp"
#include "manipulation.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// The product of matrices; of stacks of them, which broadcast, with more than two axes; a vector is a row on the left
/// and a column on the right. @throws shape_error if the shapes do not fit or an operand has rank 0.
template <array_like A, array_like B>
[[nodiscard]] auto matmul(const A& x1, const B& x2) {
  using T = result_type_t<value_t<A>, value_t<B>>;
  return array<T>(engine::matmul<T>(engine::as_storage_of<T>(x1), engine::as_storage_of<T>(x2)));
}

/// The sum of products over the last axis of `a` and the second to last of `b`: the inner product of vectors, the
/// product of matrices. @throws shape_error
template <array_like A, array_like B>
[[nodiscard]] auto dot(const A& a, const B& b) {
  using T = result_type_t<value_t<A>, value_t<B>>;
  return array<T>(engine::contract_operands<T>(engine::as_storage_of<T>(a), engine::as_storage_of<T>(b),
                                               engine::dot_contraction(a.shape(), b.shape())));
}

/// The inner product of the flattened operands, the first one conjugated. @throws shape_error if their sizes differ.
template <array_like A, array_like B>
[[nodiscard]] auto vdot(const A& a, const B& b) {
  using T = result_type_t<value_t<A>, value_t<B>>;
  return array<T>(engine::contract_operands<T>(engine::as_storage_of<T>(a), engine::as_storage_of<T>(b),
                                               engine::vdot_contraction(a.shape(), b.shape()), complex_number<T>));
}

/// The sum of products over the last axes of both. @throws shape_error
template <array_like A, array_like B>
[[nodiscard]] auto inner(const A& a, const B& b) {
  using T = result_type_t<value_t<A>, value_t<B>>;
  return array<T>(engine::contract_operands<T>(engine::as_storage_of<T>(a), engine::as_storage_of<T>(b),
                                               engine::inner_contraction(a.shape(), b.shape())));
}

/// Every product of an element of `a` with one of `b`, both flattened: a matrix.
template <array_like A, array_like B>
[[nodiscard]] auto outer(const A& a, const B& b) {
  using T = result_type_t<value_t<A>, value_t<B>>;
  return array<T>(reshape(a, {-1, 1}) * ravel(b));
}

/// Which axes `tensordot` sums over: the last `axes` of `a` against the first of `b`, or those listed, in pairs.
struct tensordot_axes {
  constexpr tensordot_axes(std::int64_t n) : count(n) {}
  constexpr tensordot_axes(const index_vector& a_axes, const index_vector& b_axes)
      : a(a_axes), b(b_axes), listed(true) {}

  std::int64_t count = 0;
  index_vector a;
  index_vector b;
  bool listed = false;
};

/// Keyword arguments of `tensordot`.
struct tensordot_options {
  keyword_only _{};
  tensordot_axes axes = 2;
};

/// The sum of products over several axes of both: `tensordot(a, b, {.axes = 1})`, `{.axes = {{0, 1}, {1, 0}}}`.
/// @throws shape_error, axis_error
template <array_like A, array_like B>
[[nodiscard]] auto tensordot(const A& a, const B& b, const tensordot_options& options = {}) {
  using T = result_type_t<value_t<A>, value_t<B>>;
  const engine::contraction c =
      options.axes.listed ? engine::tensordot_contraction(a.shape(), b.shape(), options.axes.a, options.axes.b)
                          : engine::tensordot_contraction(a.shape(), b.shape(), options.axes.count);
  return array<T>(engine::contract_operands<T>(engine::as_storage_of<T>(a), engine::as_storage_of<T>(b), c));
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
