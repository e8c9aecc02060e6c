/// @file
/// Running sums and products along an axis, in place in an array of the result's type.
#pragma once

#include <cstdint>

#include "../backend/host/loop.hpp"
#include "../backend/host/threads.hpp"
#include "evaluate.hpp"
#include "reducers.hpp"

#if defined(__CUDACC__)
#include "../backend/cuda/scan.hpp"
#endif

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

/// `data[i, j, k] = op(data[i, j - 1, k], data[i, j, k])` for a dense (outer, length, inner) array, j ascending. Of
/// half and bfloat16 the running values are kept in float and rounded where they are stored, as `sum` and `prod` do.
template <class Op, class T>
struct scan_loop {
  using running_type = std::conditional_t<narrow_float<T>, float, T>;
  static constexpr std::int64_t width = 1024;

  GPUARRAY_LOOP_OPTIONS static void along_rows(T* row, std::int64_t length) {
    constexpr Op op;
    auto running = static_cast<running_type>(row[0]);
    for (std::int64_t j = 1; j < length; ++j) {
      running = op(running, static_cast<running_type>(row[j]));
      row[j] = static_cast<T>(running);
    }
  }
  GPUARRAY_LOOP_OPTIONS static void add_row(const T* previous, T* row, std::int64_t n) {
    constexpr Op op;
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (std::int64_t k = 0; k < n; ++k) row[k] = op(previous[k], row[k]);
  }
  GPUARRAY_LOOP_OPTIONS static void add_row(running_type* running, T* row, std::int64_t n)
    requires narrow_float<T>
  {
    constexpr Op op;
#if !defined(__clang__)
#pragma GCC ivdep
#endif
    for (std::int64_t k = 0; k < n; ++k) {
      running[k] = op(running[k], static_cast<running_type>(row[k]));
      row[k] = static_cast<T>(running[k]);
    }
  }
  /// `n` scans side by side, `stride` from one row to the next.
  static void down_rows(T* row, std::int64_t length, std::int64_t stride, std::int64_t n) {
    if constexpr (narrow_float<T>) {
      running_type running[width];
      for (std::int64_t k = 0; k < n; ++k) running[k] = static_cast<running_type>(row[k]);
      for (std::int64_t j = 1; j < length; ++j) add_row(running, row + j * stride, n);
    } else {
      for (std::int64_t j = 1; j < length; ++j, row += stride) add_row(row, row + stride, n);
    }
  }

  static void run(T* data, std::int64_t outer, std::int64_t length, std::int64_t inner) {
    const bool parallel = outer * length * inner >= parallel_threshold;
    if (inner == 1) {
      for_ranges(outer, parallel, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = first; i < last; ++i) along_rows(data + i * length, length);
      });
      return;
    }
    const std::int64_t strips = (inner + width - 1) / width;
    for_ranges(outer * strips, parallel, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t item = first; item < last; ++item) {
        const std::int64_t begin = item % strips * width;
        const std::int64_t n = inner - begin < width ? inner - begin : width;
        down_rows(data + item / strips * length * inner + begin, length, inner, n);
      }
    });
  }
};

}  // namespace host

namespace engine {

#if defined(__CUDACC__)
template <class Reducer>
void scan_on_cuda(const detail::storage& s, int axis) {
  using T = typename Reducer::result;
  using function = expression_function<leaf_function<T>>;
  const device d = s.device();
  const stream where = current_stream(d);
  bool reduced[max_rank] = {};
  reduced[axis] = true;
  index_vector strides;  // of all loops: the kept axes, then the scanned one
  for (int i = 0; i < s.where.rank(); ++i) {
    if (i != axis) strides.push_back(s.where.strides[i] * static_cast<std::int64_t>(sizeof(T)));
  }
  strides.push_back(s.where.strides[axis] * static_cast<std::int64_t>(sizeof(T)));
  operand in[1];
  const leaf_ref leaf{s.first, &s.where, sizeof(T), s.owner.get()};
  reduce_plan plan = make_reduce_plan(s.first, sizeof(T), strides, s.where.extents, reduced, &leaf, 1, in);
  for (int i = plan.kept_rank; i < plan.kept_rank + plan.reduced_rank; ++i) plan.out.strides[i] = in[0].strides[i];
  const buffer_ptr partials = allocate_buffer(cuda::scan_scratch_bytes<Reducer, T>(plan, function{}), d, where);
  submit(where, {}, {s.owner.get(), partials.get()}, [&](void* handle) {
    cuda::scan<Reducer, T>(plan, function{}, Reducer{}, static_cast<cudaStream_t>(handle), partials->data());
  });
}
#endif

/// Scans a dense array in place along `axis` with `Reducer`, whose input and result are `T`. Asynchronous on a device.
template <class Op, class Reducer>
void scan_in_place(const detail::storage& s, int axis) {
  using T = typename Reducer::result;
  std::int64_t outer = 1;
  std::int64_t inner = 1;
  for (int i = 0; i < s.where.rank(); ++i) {
    if (i < axis) outer *= s.where.extents[i];
    if (i > axis) inner *= s.where.extents[i];
  }
  const std::int64_t length = s.where.extents[axis];
  if (outer * inner == 0 || length < 2) return;
  const device d = s.device();
#if defined(__CUDACC__)
  if (!d.is_host()) return scan_on_cuda<Reducer>(s, axis);
#else
  if (!d.is_host()) raise_needs_nvcc(d);
#endif
  submit(current_stream(d), {}, {s.owner.get()}, [outer, length, inner, data = reinterpret_cast<T*>(s.first)] {
    host::scan_loop<Op, T>::run(data, outer, length, inner);
  });
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
