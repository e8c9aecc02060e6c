/// @file
/// The innermost loops of matrix products: a register tile, a dot product and an axpy on contiguous lanes, in a variant
/// for each instruction set.
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "../../core/types.hpp"
#include "loop.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

template <class T>
struct lane_of {
  using type = T;
};
template <>
struct lane_of<bool> {
  using type = std::uint8_t;
};
template <integer T>
struct lane_of<T> {
  // No instruction set multiplies bytes; wrapping arithmetic is the same in any wider unsigned type.
  using type = std::conditional_t<sizeof(T) <= 2, std::uint16_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>;
};
template <narrow_float T>
struct lane_of<T> {
  using type = float;
};
template <class T>
struct lane_of<complex<T>> {
  using type = T;
};

/// The type that products of `T` are computed in: one of uint8 (bool), uint16, uint32, uint64, float, double.
template <class T>
using lane = typename lane_of<T>::type;

/// `a * b + c`; "and" and "or" on the lanes of bool. `C` and `B` are a lane or a vector of lanes.
template <class Lane, class A, class B, class C>
[[gnu::always_inline]] inline void multiply_add(const A& a, const B& b, C& c) noexcept {
  if constexpr (std::same_as<Lane, std::uint8_t>) {
    c = static_cast<C>(c | (a & b));
  } else if constexpr (std::is_integral_v<B>) {
    // Two uint16 would be multiplied as int, which must not overflow.
    c = static_cast<C>(c + std::uint64_t{a} * b);
  } else {
    c = static_cast<C>(c + a * b);
  }
}

/// `a + c`, or "or", in c.
template <class Lane, class C>
[[gnu::always_inline]] inline void accumulate(const C& a, C& c) noexcept {
  if constexpr (std::same_as<Lane, std::uint8_t>) {
    c = static_cast<C>(c | a);
  } else {
    c = static_cast<C>(c + a);
  }
}

/// A register of `Bytes` bytes.
template <class Lane, int Bytes>
struct lane_vector {
  typedef Lane type __attribute__((vector_size(Bytes)));
  static constexpr int size = Bytes / static_cast<int>(sizeof(Lane));
};

// nvcc's front end does not know the pragma but hands it on to the host compiler.
#if defined(__CUDACC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675
#endif

/// The bodies of the kernels for vectors of `Bytes` bytes. Inlined into functions with the matching target attribute.
template <class Lane, int Bytes>
struct lane_bodies {
  using vector = typename lane_vector<Lane, Bytes>::type;
  static constexpr int lanes = lane_vector<Lane, Bytes>::size;

  // By reference: passing a vector by value changes the ABI with the instruction set.
  [[gnu::always_inline]] static inline void load(vector& v, const Lane* from) noexcept {
    __builtin_memcpy(&v, from, sizeof(vector));
  }
  [[gnu::always_inline]] static inline void store(Lane* to, const vector& v) noexcept {
    __builtin_memcpy(to, &v, sizeof(vector));
  }

  template <int Rows>
  [[gnu::always_inline]] static inline void multiply(std::int64_t k, const Lane* left, const Lane* right, Lane* tile,
                                                     std::int64_t row, bool adds) noexcept {
    vector sums[Rows][2] = {};
    for (std::int64_t p = 0; p < k; ++p) {
      vector first;
      vector second;
      load(first, right);
      load(second, right + lanes);
#pragma GCC unroll 16
      for (int i = 0; i < Rows; ++i) {
        multiply_add<Lane>(left[i], first, sums[i][0]);
        multiply_add<Lane>(left[i], second, sums[i][1]);
      }
      left += Rows;
      right += 2 * lanes;
    }
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      Lane* const to = tile + i * row;
      if (adds) {
        vector first;
        vector second;
        load(first, to);
        load(second, to + lanes);
        accumulate<Lane>(first, sums[i][0]);
        accumulate<Lane>(second, sums[i][1]);
      }
      store(to, sums[i][0]);
      store(to + lanes, sums[i][1]);
    }
  }

  [[gnu::always_inline]] static inline Lane dot(std::int64_t n, const Lane* x, const Lane* y) noexcept {
    vector sums[4] = {};
    std::int64_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        vector a;
        vector b;
        load(a, x + i + j * lanes);
        load(b, y + i + j * lanes);
        multiply_add<Lane>(a, b, sums[j]);
      }
    }
    Lane parts[4 * lanes];
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) store(parts + j * lanes, sums[j]);
    Lane sum{};
    for (int j = 0; j < 4 * lanes; ++j) accumulate<Lane>(parts[j], sum);
    for (; i < n; ++i) multiply_add<Lane>(x[i], y[i], sum);
    return sum;
  }

  [[gnu::always_inline]] static inline void axpy(std::int64_t n, Lane a, const Lane* x, Lane* y) noexcept {
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      vector factor;
      vector sum;
      load(factor, x + i);
      load(sum, y + i);
      multiply_add<Lane>(a, factor, sum);
      store(y + i, sum);
    }
    for (; i < n; ++i) multiply_add<Lane>(a, x[i], y[i]);
  }
};

#if defined(__CUDACC__)
#pragma nv_diagnostic pop
#endif

/// The kernels of one instruction set.
template <class Lane>
struct lane_kernels {
  int rows;
  int columns;
  /// A tile of rows x columns: the left panel lies column by column, the right one and the tile row by row, whose rows
  /// are `row` lanes apart. `adds` adds to what the tile holds.
  void (*multiply)(std::int64_t k, const Lane* left, const Lane* right, Lane* tile, std::int64_t row, bool adds);
  Lane (*dot)(std::int64_t n, const Lane* x, const Lane* y);
  void (*axpy)(std::int64_t n, Lane a, const Lane* x, Lane* y);
};

/// No tile has more elements: 12 rows of two 64-byte registers of bytes.
inline constexpr int largest_tile = 12 * 128;

#define GPUARRAY_LANE_KERNELS(variant, target_attribute, bytes, tile_rows)                                         \
  target_attribute static void multiply_##variant(std::int64_t k, const Lane* left, const Lane* right, Lane* tile, \
                                                  std::int64_t row, bool adds) {                                   \
    lane_bodies<Lane, bytes>::template multiply<tile_rows>(k, left, right, tile, row, adds);                       \
  }                                                                                                                \
  target_attribute static Lane dot_##variant(std::int64_t n, const Lane* x, const Lane* y) {                       \
    return lane_bodies<Lane, bytes>::dot(n, x, y);                                                                 \
  }                                                                                                                \
  target_attribute static void axpy_##variant(std::int64_t n, Lane a, const Lane* x, Lane* y) {                    \
    lane_bodies<Lane, bytes>::axpy(n, a, x, y);                                                                    \
  }                                                                                                                \
  static constexpr lane_kernels<Lane> variant{tile_rows, 2 * lane_vector<Lane, bytes>::size, multiply_##variant,   \
                                              dot_##variant, axpy_##variant};

template <class Lane>
struct lane_variants {
  GPUARRAY_LANE_KERNELS(base, , 16, 4)
#if defined(__x86_64__) && defined(__GNUC__)
  GPUARRAY_LANE_KERNELS(avx2, __attribute__((target("avx2,fma"))), 32, 6)
  GPUARRAY_LANE_KERNELS(avx512, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma"))), 64, 12)
#endif
};
#undef GPUARRAY_LANE_KERNELS

/// The kernels for this CPU.
template <class Lane>
const lane_kernels<Lane>& best_lane_kernels() noexcept {
#if defined(__x86_64__) && defined(__GNUC__)
  static const lane_kernels<Lane>* const best = [] {
    const instruction_set set = best_instruction_set();
    if (set == instruction_set::avx512) return &lane_variants<Lane>::avx512;
    if (set != instruction_set::base && __builtin_cpu_supports("fma")) return &lane_variants<Lane>::avx2;
    return &lane_variants<Lane>::base;
  }();
  return *best;
#else
  return lane_variants<Lane>::base;
#endif
}

}  // namespace host
}  // namespace GPUARRAY_ABI
}  // namespace gpu
