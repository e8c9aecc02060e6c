/// @file
/// What this translation unit is compiled with, and the inline namespace that keeps differing units apart.
#pragma once

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "gpuarray needs C++20: compile with -std=c++20"
#endif

#if defined(__CUDACC__) && !(defined(__CUDACC_RELAXED_CONSTEXPR__) && defined(__CUDACC_EXTENDED_LAMBDA__))
#error \
    "gpuarray needs nvcc's --expt-relaxed-constexpr and --extended-lambda (the CMake target gpuarray::gpuarray sets both)"
#endif

// Everything that evaluates lives in `inline namespace GPUARRAY_ABI`: its name spells compiler, OpenMP, instruction set
// and BLAS, so that two units compiled differently never share an instantiation that differs (docs/design.md).
#if defined(__CUDACC__)
#define GPUARRAY_ABI_COMPILER nvcc
#elif defined(__clang__)
#define GPUARRAY_ABI_COMPILER clang
#else
#define GPUARRAY_ABI_COMPILER gnu
#endif

#if defined(_OPENMP)
#define GPUARRAY_ABI_THREADS _omp
#else
#define GPUARRAY_ABI_THREADS _serial
#endif

#if defined(__AVX512F__)
#define GPUARRAY_ABI_ISA _avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define GPUARRAY_ABI_ISA _avx2fma
#elif defined(__AVX2__)
#define GPUARRAY_ABI_ISA _avx2
#elif defined(__AVX__)
#define GPUARRAY_ABI_ISA _avx
#elif defined(__SSE4_2__)
#define GPUARRAY_ABI_ISA _sse42
#else
#define GPUARRAY_ABI_ISA _base
#endif

#if defined(GPUARRAY_HAS_CBLAS)
#define GPUARRAY_ABI_BLAS _cblas
#else
#define GPUARRAY_ABI_BLAS _noblas
#endif

#if defined(__FAST_MATH__)
#define GPUARRAY_ABI_MATH _fast
#else
#define GPUARRAY_ABI_MATH
#endif

// Kernels built for other GPUs, or with CUB (-DGPUARRAY_USE_CUB), are other kernels.
#if !defined(__CUDACC__)
#define GPUARRAY_ABI_DEVICE
#else
#if defined(GPUARRAY_USE_CUB)
#define GPUARRAY_ABI_CUB _cub
#else
#define GPUARRAY_ABI_CUB
#endif
#define GPUARRAY_ABI_GPUS_(cub, a, b, c, d, e, f, ...) cub##_##a##_##b##_##c##_##d##_##e##_##f
#define GPUARRAY_ABI_GPUS(...) GPUARRAY_ABI_GPUS_(__VA_ARGS__)
#define GPUARRAY_ABI_DEVICE GPUARRAY_ABI_GPUS(GPUARRAY_ABI_CUB, __CUDA_ARCH_LIST__, 0, 0, 0, 0, 0, 0)
#endif

#define GPUARRAY_JOIN_(a, b, c, d, e, f, g) abi_##a##b##c##d##e##f##g
#define GPUARRAY_JOIN(...) GPUARRAY_JOIN_(__VA_ARGS__)
// Without optimisation, loops are compiled once and not for each instruction set.
#if defined(__OPTIMIZE__)
#define GPUARRAY_ABI_LOOPS
#else
#define GPUARRAY_ABI_LOOPS _plain
#endif

#define GPUARRAY_ABI                                                                                                   \
  GPUARRAY_JOIN(GPUARRAY_ABI_COMPILER, GPUARRAY_ABI_DEVICE, GPUARRAY_ABI_THREADS, GPUARRAY_ABI_ISA, GPUARRAY_ABI_BLAS, \
                GPUARRAY_ABI_MATH, GPUARRAY_ABI_LOOPS)

/// Marks a lambda that runs on the device; `gpu::map(GPU_LAMBDA(float x) { return x * x; }, a)`.
#if defined(__CUDACC__)
#define GPU_LAMBDA [=] __host__ __device__
#else
#define GPU_LAMBDA [=]
#endif

namespace gpu {
inline namespace GPUARRAY_ABI {

/// The tag of this unit: the default argument of every evaluating member of an untagged class.
struct current_tag {
#if defined(__CUDACC__)
  static constexpr bool has_cuda = true;
#else
  static constexpr bool has_cuda = false;
#endif
};

}  // namespace GPUARRAY_ABI
}  // namespace gpu
