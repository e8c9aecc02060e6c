/// @file
/// Matrix products on the host: CBLAS where there is one and it knows the type, otherwise the library's own kernels.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <type_traits>

#include "../../core/types.hpp"
#include "../../engine/matmul_plan.hpp"
#include "blocked_gemm.hpp"
#include "cblas.hpp"
#include "own_gemv.hpp"
#include "threads.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

/// What the plans for `matmul<T>` must observe.
template <class T>
constexpr engine::matmul_rules matmul_rules() noexcept {
  // The own kernels pack as they go; only large products gain enough from the BLAS to pay for a copy.
  return {.copy_for_gemm = uses_cblas<T> ? 64 * 64 * 64 : engine::matmul_rules::never};
}

/// `out = a @ b` as planned; all operands hold `T`. Runs on the calling thread and OpenMP's; a BLAS may use threads of
/// its own. @throws std::bad_alloc if there is no working memory.
template <class T>
void matmul(const engine::matmul_plan& plan, const void* a, const void* b, void* out);

namespace products {

// Wrapping arithmetic does not see the sign, so signed integers share the code of unsigned ones.
template <class T>
struct product_type {
  using type = T;
};
template <integer T>
struct product_type<T> {
  using type = std::conditional_t<sizeof(T) == 1, std::uint8_t,
                                  std::conditional_t<sizeof(T) == 2, std::uint16_t,
                                                     std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
};

/// Up to this many multiplications (of a gemm, and of other products) a product is one thread's work, and stacks of
/// them are shared out entry by entry. OpenBLAS starts no threads of its own for them either.
inline constexpr std::int64_t small_gemm = 64 * 64 * 64;
inline constexpr std::int64_t small_vectors = 9000;
/// Up to this many are not worth packing.
inline constexpr std::int64_t plain_volume = 8 * 8 * 8;

inline gemm_task task_of(const engine::matmul_plan& p) noexcept {
  return {p.m, p.n, p.k, p.left.row, p.left.column, p.right.row, p.right.column, p.out.row, p.out.column};
}

template <class T>
void own_product(const engine::matmul_plan& p, const T* left, const T* right, T* out, bool parallel) {
  const gemm_task t = task_of(p);
  if (p.volume() <= plain_volume && !p.conjugated) {
    plain_gemm(t, left, right, out);
  } else if (p.kind == engine::matmul_kind::dot) {
    *out = own_dot(t.k, left, t.left_column, right, t.right_row, p.conjugated, parallel);
  } else if (p.kind == engine::matmul_kind::gemv) {
    own_gemv(t, left, right, out, parallel);
  } else if constexpr (narrow_float<T>) {
    blocked_gemm(t, left, right, out, parallel);
  } else {
    blocked_gemm<T, T>(t, left, right, out, parallel);
  }
}

#if defined(GPUARRAY_HAS_CBLAS)
/// Whether all numbers of the plan fit the BLAS's integers.
inline bool fits_cblas(const engine::matmul_plan& p, std::int64_t limit = blas::largest_integer) noexcept {
  const auto fits = [&](std::int64_t value) { return value <= limit && value >= -limit; };
  return fits(p.m) && fits(p.n) && fits(p.k) && fits(p.left.leading) && fits(p.right.leading) && fits(p.out.leading) &&
         (p.kind != engine::matmul_kind::dot || fits(p.left.column)) &&
         (p.kind == engine::matmul_kind::gemm || (fits(p.right.row) && fits(p.out.row)));
}

template <class T>
void cblas_product(const engine::matmul_plan& p, const T* left, const T* right, T* out) {
  const auto as_integer = [](std::int64_t value) { return static_cast<blas::integer>(value); };
  const auto start = [](auto* x, std::int64_t increment, std::int64_t n) {
    return x + engine::lowest_address(increment, n);
  };
  const blas::integer m = as_integer(p.m);
  const blas::integer k = as_integer(p.k);
  const blas::matrix<T> matrix{left, as_integer(p.left.leading), p.left.transposed};
  if (p.kind == engine::matmul_kind::dot) {
    *out = blas::dot(k, start(left, p.left.column, p.k), as_integer(p.left.column), start(right, p.right.row, p.k),
                     as_integer(p.right.row), p.conjugated);
  } else if (p.kind == engine::matmul_kind::gemv) {
    const bool transposed = p.left.transposed;
    blas::gemv(transposed ? k : m, transposed ? m : k, matrix, start(right, p.right.row, p.k), as_integer(p.right.row),
               start(out, p.out.row, p.m), as_integer(p.out.row));
  } else {
    blas::gemm(m, as_integer(p.n), k, matrix, {right, as_integer(p.right.leading), p.right.transposed}, out,
               as_integer(p.out.leading));
  }
}
#endif

/// Calls `f(matmul_offsets)` for every entry of the stack, from several threads if `parallel`.
template <class F>
void for_each_entry(const engine::matmul_plan& p, bool parallel, const F& f) {
  for_ranges(p.stack_size(), parallel, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) f(engine::offsets_at(p, i, p.stack_rank));
  });
}

template <class T>
void matmul(const engine::matmul_plan& p, const T* a, const T* b, T* out) {
  const T* const left = p.swapped ? b : a;
  const T* const right = p.swapped ? a : b;
  if (p.kind == engine::matmul_kind::nothing) return;
  if (p.kind == engine::matmul_kind::zeros) {
    for_each_entry(p, false, [&](const engine::matmul_offsets& at) {
      for (std::int64_t i = 0; i < p.m; ++i) {
        for (std::int64_t j = 0; j < p.n; ++j) out[at.out + i * p.out.row + j * p.out.column] = T{};
      }
    });
    return;
  }
  const std::int64_t volume = p.volume();
  const std::int64_t entries = p.stack_size();
  const bool small = volume <= (p.kind == engine::matmul_kind::gemm ? small_gemm : small_vectors);
  const bool shared = small && entries > 1 && entries >= small_gemm / (volume + 1);
#if defined(GPUARRAY_HAS_CBLAS)
  if constexpr (uses_cblas<T>) {
    if (p.library && fits_cblas(p)) {
      for_each_entry(p, shared, [&](const engine::matmul_offsets& at) {
        cblas_product(p, left + at.left, right + at.right, out + at.out);
      });
      return;
    }
  }
#endif
  for_each_entry(p, shared, [&](const engine::matmul_offsets& at) {
    own_product(p, left + at.left, right + at.right, out + at.out, !small);
  });
}

}  // namespace products

template <class T>
void matmul(const engine::matmul_plan& plan, const void* a, const void* b, void* out) {
  using type = typename products::product_type<T>::type;
  products::matmul<type>(plan, static_cast<const type*>(a), static_cast<const type*>(b), static_cast<type*>(out));
}

}  // namespace host
}  // namespace GPUARRAY_ABI
}  // namespace gpu
