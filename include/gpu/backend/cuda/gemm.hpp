/// @file
/// Matrix products on CUDA: cuBLAS for floating and complex types, the library's own kernels for everything else.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../../core/types.hpp"
#include "../../engine/matmul_plan.hpp"
#include "cublas.hpp"
#include "own_gemm.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

/// Whether cuBLAS computes products of `T`.
template <class T>
inline constexpr bool uses_cublas = floating<T> || complex_number<T>;

/// What the plans for `matmul<T>` must observe.
template <class T>
constexpr engine::matmul_rules matmul_rules() noexcept {
  // The own kernels read any strides; only large products gain enough from cuBLAS to pay for a copy.
  return {.copy_for_gemm = uses_cublas<T> ? 64 * 64 * 64 : engine::matmul_rules::never, .ascending_stacks = true};
}

/// `out = a @ b` as planned, on the current device; all operands hold `T`. half and bfloat16 are summed in float, float
/// is never rounded to TF32. Does not wait, except that a thread's first product on a device may make a cuBLAS handle.
/// @throws library_error if cuBLAS fails, cuda_error if a launch does.
template <class T>
void matmul(const engine::matmul_plan& plan, const void* a, const void* b, void* out, cudaStream_t stream);

namespace products {

// Wrapping arithmetic does not see the sign, so signed integers share the kernels of unsigned ones.
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

template <class T>
inline constexpr cudaDataType data_type = [] {
  if constexpr (std::is_same_v<T, half>) {
    return CUDA_R_16F;
  } else if constexpr (std::is_same_v<T, bfloat16>) {
    return CUDA_R_16BF;
  } else if constexpr (std::is_same_v<T, float>) {
    return CUDA_R_32F;
  } else if constexpr (std::is_same_v<T, double>) {
    return CUDA_R_64F;
  } else if constexpr (std::is_same_v<T, complex<float>>) {
    return CUDA_C_32F;
  } else {
    return CUDA_C_64F;
  }
}();

/// What cuBLAS sums in, and the type of alpha and beta.
template <class T>
using scalar = std::conditional_t<narrow_float<T>, float, T>;

template <class T>
inline constexpr cublasComputeType_t compute_type =
    std::is_same_v<T, double> || std::is_same_v<T, complex<double>> ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;

inline cublasOperation_t operation(bool transposed) noexcept { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

/// A batch of the innermost stack loop; a plan without stack is a batch of one.
struct batch {
  std::int64_t count;
  long long left;
  long long right;
  long long out;
};

inline batch innermost(const engine::matmul_plan& p) noexcept {
  if (p.stack_rank == 0) return {1, 0, 0, 0};
  const int last = p.stack_rank - 1;
  return {p.stack_extents[last], p.left.stack[last], p.right.stack[last], p.out.stack[last]};
}

/// cuBLAS is column-major: it computes out^T = right^T left^T, with the flags of the row-major product.
template <class T>
void gemm(const engine::matmul_plan& p, const batch& b, const T* left, const T* right, T* out, cudaStream_t stream) {
  const scalar<T> one(1.0f);
  const scalar<T> zero(0.0f);
  // With n = 1 a plan gives increments instead of leading dimensions.
  const bool vectors = p.kind != engine::matmul_kind::gemm;
  const std::int64_t right_leading = vectors ? p.right.row : p.right.leading;
  const std::int64_t out_leading = vectors ? p.out.row : p.out.leading;
  const cublasOperation_t right_operation = operation(!vectors && p.right.transposed);
  const cublasHandle_t handle = cublas_handle(stream);
  if (b.count == 1) {
    check(cublasGemmEx_64(handle, right_operation, operation(p.left.transposed), p.n, p.m, p.k, &one, right,
                          data_type<T>, right_leading, left, data_type<T>, p.left.leading, &zero, out, data_type<T>,
                          out_leading, compute_type<T>, CUBLAS_GEMM_DEFAULT),
          "cublasGemmEx_64");
  } else {
    check(cublasGemmStridedBatchedEx_64(handle, right_operation, operation(p.left.transposed), p.n, p.m, p.k, &one,
                                        right, data_type<T>, right_leading, b.right, left, data_type<T>, p.left.leading,
                                        b.left, &zero, out, data_type<T>, out_leading, b.out, b.count, compute_type<T>,
                                        CUBLAS_GEMM_DEFAULT),
          "cublasGemmStridedBatchedEx_64");
  }
}

template <class T>
inline constexpr auto strided_gemv = [] {
  if constexpr (std::is_same_v<T, float>) {
    return &cublasSgemvStridedBatched_64;
  } else if constexpr (std::is_same_v<T, double>) {
    return &cublasDgemvStridedBatched_64;
  } else if constexpr (std::is_same_v<T, complex<float>>) {
    return &cublasCgemvStridedBatched_64;
  } else {
    return &cublasZgemvStridedBatched_64;
  }
}();

template <class T>
inline constexpr auto plain_gemv = [] {
  if constexpr (std::is_same_v<T, float>) {
    return &cublasSgemv_64;
  } else if constexpr (std::is_same_v<T, double>) {
    return &cublasDgemv_64;
  } else if constexpr (std::is_same_v<T, complex<float>>) {
    return &cublasCgemv_64;
  } else {
    return &cublasZgemv_64;
  }
}();

/// CUDA's name for a type of two parts.
template <class T>
using native = std::conditional_t<std::is_same_v<T, complex<float>>, cuComplex,
                                  std::conditional_t<std::is_same_v<T, complex<double>>, cuDoubleComplex, T>>;

template <class T>
void gemv(const engine::matmul_plan& p, const batch& b, const T* left, const T* right, T* out, cudaStream_t stream) {
  const T one(1);
  const T zero(0);
  const auto as_native = [](const T* x) { return reinterpret_cast<const native<T>*>(x); };
  auto* const y = reinterpret_cast<native<T>*>(out);
  // Column-major, so a matrix that the plan calls transposed is not.
  const cublasOperation_t flag = operation(!p.left.transposed);
  const std::int64_t rows = p.left.transposed ? p.m : p.k;
  const std::int64_t columns = p.left.transposed ? p.k : p.m;
  const cublasHandle_t handle = cublas_handle(stream);
  if (b.count == 1) {
    check(plain_gemv<T>(handle, flag, rows, columns, as_native(&one), as_native(left), p.left.leading, as_native(right),
                        p.right.row, as_native(&zero), y, p.out.row),
          "cublas<t>gemv_64");
  } else {
    check(strided_gemv<T>(handle, flag, rows, columns, as_native(&one), as_native(left), p.left.leading, b.left,
                          as_native(right), p.right.row, b.right, as_native(&zero), y, p.out.row, b.out, b.count),
          "cublas<t>gemvStridedBatched_64");
  }
}

template <class T>
void dot(const engine::matmul_plan& p, const T* left, const T* right, T* out, cudaStream_t stream) {
  const cublasHandle_t handle = cublas_handle(stream, CUBLAS_POINTER_MODE_DEVICE);
  const cudaDataType sums = data_type<scalar<T>>;
  const auto call = p.conjugated ? &cublasDotcEx_64 : &cublasDotEx_64;
  check(call(handle, p.k, left, data_type<T>, p.left.column, right, data_type<T>, p.right.row, out, data_type<T>, sums),
        p.conjugated ? "cublasDotcEx_64" : "cublasDotEx_64");
}

/// Whether cuBLAS makes the calls of this plan. Backward vectors and stacks of dot products are left to own kernels,
/// and so are small products whose stack would take many calls.
template <class T>
bool suits_cublas(const engine::matmul_plan& p) noexcept {
  if (!uses_cublas<T> || !p.library) return false;
  std::int64_t calls = 1;
  for (int i = 0; i + 1 < p.stack_rank; ++i) calls *= p.stack_extents[i];
  if (calls > 16 && p.volume() <= 64 * 64 * 64) return false;
  switch (p.kind) {
    case engine::matmul_kind::gemm: return true;
    case engine::matmul_kind::gemv: return p.right.row > 0 && p.out.row > 0;
    case engine::matmul_kind::dot: return p.stack_rank == 0 && p.left.column > 0 && p.right.row > 0;
    default: return false;
  }
}

template <class T>
void matmul(const engine::matmul_plan& p, const T* a, const T* b, T* out, cudaStream_t stream) {
  const T* const left = p.swapped ? b : a;
  const T* const right = p.swapped ? a : b;
  if (p.kind == engine::matmul_kind::nothing) return;
  if constexpr (uses_cublas<T>) {
    if (suits_cublas<T>(p)) {
      const batch inner = innermost(p);
      const std::int64_t calls = p.stack_size() / inner.count;
      for (std::int64_t i = 0; i < calls; ++i) {
        const engine::matmul_offsets at = engine::offsets_at(p, i, p.stack_rank > 0 ? p.stack_rank - 1 : 0);
        if (p.kind == engine::matmul_kind::dot) {
          dot(p, left + at.left, right + at.right, out + at.out, stream);
        } else if constexpr (narrow_float<T>) {
          gemm(p, inner, left + at.left, right + at.right, out + at.out, stream);
        } else if (p.kind == engine::matmul_kind::gemv) {
          gemv(p, inner, left + at.left, right + at.right, out + at.out, stream);
        } else {
          gemm(p, inner, left + at.left, right + at.right, out + at.out, stream);
        }
        kernels::count_launch();
      }
      return;
    }
  }
  kernels::own_matmul(p, left, right, out, stream);
}

}  // namespace products

template <class T>
void matmul(const engine::matmul_plan& plan, const void* a, const void* b, void* out, cudaStream_t stream) {
  using type = typename products::product_type<T>::type;
  products::matmul<type>(plan, static_cast<const type*>(a), static_cast<const type*>(b), static_cast<type*>(out),
                         stream);
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
