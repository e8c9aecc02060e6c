/// @file
/// The library's own matrix-vector and dot products on the host, for every type and any strides.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "../../core/types.hpp"
#include "blocked_gemm.hpp"
#include "lane_kernels.hpp"
#include "threads.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

/// Elements that are converted to lanes at a time.
inline constexpr std::int64_t vector_block = 1024;

/// Part of a strided vector as contiguous lanes: in place where it can be, otherwise in `buffer`.
template <class Lane, class T>
[[gnu::always_inline]] inline const Lane* contiguous_lanes(const T* x, std::int64_t increment, std::int64_t n,
                                                           Lane* buffer) noexcept {
  if constexpr (std::is_same_v<T, Lane>) {
    if (increment == 1) return x;
  }
  for (std::int64_t i = 0; i < n; ++i) buffer[i] = static_cast<Lane>(x[i * increment]);
  return buffer;
}

/// Products of strided vectors of `T`, summed in `sum`. The second vector of `dot` may hold lanes already.
template <class T>
struct vector_products {
  using sum = lane<T>;

  template <class U>
  static sum dot(std::int64_t n, const T* x, std::int64_t x_increment, const U* y, std::int64_t y_increment, bool) {
    const lane_kernels<sum>& kernels = best_lane_kernels<sum>();
    if constexpr (std::is_same_v<T, sum> && std::is_same_v<U, sum>) {
      if (x_increment == 1 && y_increment == 1) return kernels.dot(n, x, y);
    }
    sum x_buffer[vector_block];
    sum y_buffer[vector_block];
    sum total{};
    for (std::int64_t i = 0; i < n; i += vector_block) {
      const std::int64_t count = std::min(vector_block, n - i);
      accumulate<sum>(kernels.dot(count, contiguous_lanes(x + i * x_increment, x_increment, count, x_buffer),
                                  contiguous_lanes(y + i * y_increment, y_increment, count, y_buffer)),
                      total);
    }
    return total;
  }

  /// Adds `a * x` to at most `vector_block` lanes.
  static void axpy(std::int64_t n, T a, const T* x, std::int64_t increment, sum* y) noexcept {
    sum buffer[vector_block];
    best_lane_kernels<sum>().axpy(n, static_cast<sum>(a), contiguous_lanes(x, increment, n, buffer), y);
  }
};

/// Complex numbers need no lanes: memory bounds them.
template <complex_number T>
struct vector_products<T> {
  using sum = T;

  static sum dot(std::int64_t n, const T* x, std::int64_t x_increment, const T* y, std::int64_t y_increment,
                 bool conjugated) noexcept {
    T sums[4];
    for (std::int64_t i = 0; i < n; ++i) {
      const T value = x[i * x_increment];
      sums[i & 3] += (conjugated ? conj(value) : value) * y[i * y_increment];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }

  static void axpy(std::int64_t n, T a, const T* x, std::int64_t increment, sum* y) noexcept {
    for (std::int64_t i = 0; i < n; ++i) y[i] += a * x[i * increment];
  }
};

/// The sum of products of two strided vectors; `conjugated` conjugates x. Shares of fixed size are summed apart, so the
/// result does not depend on the number of threads.
template <class T>
T own_dot(std::int64_t n, const T* x, std::int64_t x_increment, const T* y, std::int64_t y_increment, bool conjugated,
          bool parallel) {
  using products = vector_products<T>;
  using sum = typename products::sum;
  constexpr std::int64_t share = 64 * vector_block;
  const auto sum_share = [&](std::int64_t first) {
    return products::dot(std::min(share, n - first), x + first * x_increment, x_increment, y + first * y_increment,
                         y_increment, conjugated);
  };
  if (n <= share) return static_cast<T>(sum_share(0));
  const std::int64_t shares = (n + share - 1) / share;
  const working_memory<sum> sums(shares);
  for_ranges(shares, parallel, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) sums.data()[i] = sum_share(i * share);
  });
  sum total = sums.data()[0];
  for (std::int64_t i = 1; i < shares; ++i) accumulate<sum>(sums.data()[i], total);
  return static_cast<T>(total);
}

/// `out[i] = sum over p of left[i, p] * right[p]`: the task with n = 1. Reads the matrix once, along its shorter
/// stride.
template <class T>
void own_gemv(const gemm_task& t, const T* left, const T* right, T* out, bool parallel) {
  using products = vector_products<T>;
  using sum = typename products::sum;
  const auto magnitude = [](std::int64_t stride) { return stride < 0 ? -stride : stride; };
  const bool many = parallel && t.k >= parallel_threshold / t.m;
  if (t.m == 1 || magnitude(t.left_column) <= magnitude(t.left_row)) {
    const working_memory<sum> converted(t.k);
    const sum* const x = contiguous_lanes(right, t.right_row, t.k, converted.data());
    for_ranges(t.m, many, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t i = first; i < last; ++i) {
        out[i * t.out_row] = static_cast<T>(products::dot(t.k, left + i * t.left_row, t.left_column, x, 1, false));
      }
    });
    return;
  }
  const std::int64_t threads = many ? thread_count() : 1;
  const std::int64_t step = std::min(vector_block, (t.m + threads - 1) / threads);
  for_ranges((t.m + step - 1) / step, many, [&](std::int64_t first, std::int64_t last) {
    const working_memory<sum> sums(step);
    for (std::int64_t i = first * step; i < std::min(t.m, last * step); i += step) {
      const std::int64_t count = std::min(step, t.m - i);
      std::fill_n(sums.data(), count, sum{});
      for (std::int64_t p = 0; p < t.k; ++p) {
        products::axpy(count, right[p * t.right_row], left + i * t.left_row + p * t.left_column, t.left_row,
                       sums.data());
      }
      for (std::int64_t j = 0; j < count; ++j) out[(i + j) * t.out_row] = static_cast<T>(sums.data()[j]);
    }
  });
}

}  // namespace host
}  // namespace GPUARRAY_ABI
}  // namespace gpu
