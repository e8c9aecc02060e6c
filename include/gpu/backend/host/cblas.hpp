/// @file
/// The host's BLAS, with one overloaded name for the four types. Empty unless GPUARRAY_HAS_CBLAS is defined.
#pragma once

#include <cstdint>
#include <limits>

#include "../../core/types.hpp"

#if defined(GPUARRAY_HAS_CBLAS)
#include <cblas.h>
#endif

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

#if defined(GPUARRAY_HAS_CBLAS)
inline constexpr bool has_cblas = true;

namespace blas {

template <class Integer, class... Rest>
Integer first_argument(void (*)(Integer, Rest...));

/// The integers of this CBLAS, whose name differs from one to another.
using integer = decltype(first_argument(&cblas_sscal));

inline constexpr std::int64_t largest_integer = std::numeric_limits<integer>::max();

/// A row-major matrix as BLAS takes it.
template <class T>
struct matrix {
  const T* data;
  integer leading;
  bool transposed;
};

inline auto flag(bool transposed) noexcept { return transposed ? CblasTrans : CblasNoTrans; }

inline void gemm(integer m, integer n, integer k, matrix<float> a, matrix<float> b, float* c, integer ldc) {
  cblas_sgemm(CblasRowMajor, flag(a.transposed), flag(b.transposed), m, n, k, 1.0f, a.data, a.leading, b.data,
              b.leading, 0.0f, c, ldc);
}
inline void gemm(integer m, integer n, integer k, matrix<double> a, matrix<double> b, double* c, integer ldc) {
  cblas_dgemm(CblasRowMajor, flag(a.transposed), flag(b.transposed), m, n, k, 1.0, a.data, a.leading, b.data, b.leading,
              0.0, c, ldc);
}
inline void gemm(integer m, integer n, integer k, matrix<complex<float>> a, matrix<complex<float>> b, complex<float>* c,
                 integer ldc) {
  const complex<float> one(1.0f);
  const complex<float> zero(0.0f);
  cblas_cgemm(CblasRowMajor, flag(a.transposed), flag(b.transposed), m, n, k, &one, a.data, a.leading, b.data,
              b.leading, &zero, c, ldc);
}
inline void gemm(integer m, integer n, integer k, matrix<complex<double>> a, matrix<complex<double>> b,
                 complex<double>* c, integer ldc) {
  const complex<double> one(1.0);
  const complex<double> zero(0.0);
  cblas_zgemm(CblasRowMajor, flag(a.transposed), flag(b.transposed), m, n, k, &one, a.data, a.leading, b.data,
              b.leading, &zero, c, ldc);
}

/// `y = op(a) x` for a stored matrix of `rows` x `columns`, whatever its flag.
inline void gemv(integer rows, integer columns, matrix<float> a, const float* x, integer incx, float* y, integer incy) {
  cblas_sgemv(CblasRowMajor, flag(a.transposed), rows, columns, 1.0f, a.data, a.leading, x, incx, 0.0f, y, incy);
}
inline void gemv(integer rows, integer columns, matrix<double> a, const double* x, integer incx, double* y,
                 integer incy) {
  cblas_dgemv(CblasRowMajor, flag(a.transposed), rows, columns, 1.0, a.data, a.leading, x, incx, 0.0, y, incy);
}
inline void gemv(integer rows, integer columns, matrix<complex<float>> a, const complex<float>* x, integer incx,
                 complex<float>* y, integer incy) {
  const complex<float> one(1.0f);
  const complex<float> zero(0.0f);
  cblas_cgemv(CblasRowMajor, flag(a.transposed), rows, columns, &one, a.data, a.leading, x, incx, &zero, y, incy);
}
inline void gemv(integer rows, integer columns, matrix<complex<double>> a, const complex<double>* x, integer incx,
                 complex<double>* y, integer incy) {
  const complex<double> one(1.0);
  const complex<double> zero(0.0);
  cblas_zgemv(CblasRowMajor, flag(a.transposed), rows, columns, &one, a.data, a.leading, x, incx, &zero, y, incy);
}

/// The sum of x[i] * y[i], or of conj(x[i]) * y[i].
inline float dot(integer n, const float* x, integer incx, const float* y, integer incy, bool) {
  return cblas_sdot(n, x, incx, y, incy);
}
inline double dot(integer n, const double* x, integer incx, const double* y, integer incy, bool) {
  return cblas_ddot(n, x, incx, y, incy);
}
inline complex<float> dot(integer n, const complex<float>* x, integer incx, const complex<float>* y, integer incy,
                          bool conjugated) {
  complex<float> sum;
  conjugated ? cblas_cdotc_sub(n, x, incx, y, incy, &sum) : cblas_cdotu_sub(n, x, incx, y, incy, &sum);
  return sum;
}
inline complex<double> dot(integer n, const complex<double>* x, integer incx, const complex<double>* y, integer incy,
                           bool conjugated) {
  complex<double> sum;
  conjugated ? cblas_zdotc_sub(n, x, incx, y, incy, &sum) : cblas_zdotu_sub(n, x, incx, y, incy, &sum);
  return sum;
}

}  // namespace blas

#else
inline constexpr bool has_cblas = false;
#endif

/// Whether CBLAS computes products of `T` here.
template <class T>
inline constexpr bool uses_cblas =
    has_cblas && (std::same_as<T, float> || std::same_as<T, double> || complex_number<T>);

}  // namespace host
}  // namespace GPUARRAY_ABI
}  // namespace gpu
