/// @file
/// Running a matrix product: operands that a library cannot read are copied, the rest is passed as it lies.
#pragma once

#include <cstdint>

#include "../backend/host/gemm.hpp"
#include "assign.hpp"
#include "contraction.hpp"
#include "make_matmul_plan.hpp"

#if defined(__CUDACC__)
#include "../backend/cuda/gemm.hpp"
#endif

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

/// The erased form of elements of type `T`.
template <class T, class Pointer>
[[nodiscard]] basic_strided_ref<Pointer> strided_form(const detail::storage& s) {
  index_vector strides = s.where.strides;
  for (int i = 0; i < strides.rank(); ++i) strides[i] *= static_cast<std::int64_t>(sizeof(T));
  return {s.first, dtype_of<T>, s.where.extents, strides};
}

/// A dense C-order copy of part of `s`, as a plan asks for it.
template <class T>
[[nodiscard]] detail::storage copy_for_plan(const detail::storage& s, const const_strided_ref& source) {
  detail::storage part{s.owner, static_cast<char*>(const_cast<void*>(source.data)), {source.extents, source.strides}};
  for (int i = 0; i < part.where.rank(); ++i) part.where.strides[i] /= static_cast<std::int64_t>(sizeof(T));
  return detail::clone_in_c_order(part, sizeof(T));
}

template <class T>
[[nodiscard]] matmul_rules rules_for(const device& d) {
#if defined(__CUDACC__)
  if (!d.is_host()) return cuda::matmul_rules<T>();
#else
  if (!d.is_host()) raise_needs_nvcc(d);
#endif
  return host::matmul_rules<T>();
}

/// The product of matrices, or stacks of them, of one type. Asynchronous on a device. @throws shape_error
template <class T>
[[nodiscard]] detail::storage matmul(const detail::storage& a, const detail::storage& b, bool conjugate_a = false) {
  const device d = a.owner ? a.device() : b.device();
  if (a.owner && b.owner && a.device() != b.device()) {
    detail::raise<device_error>("matmul: operands are on different devices, ", a.device(), " and ", b.device(),
                                "; move one with .to(device)");
  }
  detail::storage result = detail::make_storage(matmul_shape(a.where.extents, b.where.extents), sizeof(T), d);
  const matmul_plan plan = plan_matmul(strided_form<T, const void*>(a), strided_form<T, const void*>(b),
                                       strided_form<T, void*>(result), rules_for<T>(d), conjugate_a);
  if (plan.kind == matmul_kind::nothing) return result;
  const detail::storage left = plan.copy_a ? copy_for_plan<T>(a, plan.a_source) : a;
  const detail::storage right = plan.copy_b ? copy_for_plan<T>(b, plan.b_source) : b;
  // Operands without elements may be without memory too.
  buffer* const operands[] = {left.owner.get(), right.owner.get()};
  const buffer_list reads = plan.kind == matmul_kind::zeros ? buffer_list() : buffer_list(operands, 2);
  submit(current_stream(d), reads, {result.owner.get()},
         [plan, d, x = left.first, y = right.first, out = result.first](void* handle) {
           if (d.is_host()) {
             host::matmul<T>(plan, x, y, out);
           } else {
#if defined(__CUDACC__)
             cuda::matmul<T>(plan, x, y, out, static_cast<cudaStream_t>(handle));
#else
             static_cast<void>(handle);
#endif
           }
         });
  return result;
}

/// The axes in another order and then another shape; a copy only if the layout does not allow a view.
template <class T>
[[nodiscard]] detail::storage as_matrix(const detail::storage& s, const index_vector& axes, const shape& matrix) {
  detail::storage permuted{s.owner, s.first, permute(s.where, axes)};
  index_vector strides;
  if (!reshape_strides(permuted.where, matrix, order::C, strides)) {
    permuted = detail::clone_in_c_order(permuted, sizeof(T));
    strides = contiguous_strides(matrix);
  }
  permuted.where = {matrix, strides};
  return permuted;
}

/// A contraction of two operands as one matrix product.
template <class T>
[[nodiscard]] detail::storage contract_operands(const detail::storage& a, const detail::storage& b,
                                                const contraction& c, bool conjugate_a = false) {
  detail::storage result =
      matmul<T>(as_matrix<T>(a, c.a_axes, c.a_matrix), as_matrix<T>(b, c.b_axes, c.b_matrix), conjugate_a);
  result.where = contiguous_layout(c.result);
  return result;
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
