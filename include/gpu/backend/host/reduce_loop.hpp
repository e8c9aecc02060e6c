/// @file
/// The loops that are compiled for each reducer and type, not for each expression: blocks of values are folded into
/// accumulators.
#pragma once

#include <cstddef>
#include <cstdint>

#include "loop.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

/// A reducer without its types. `values` are unit-stride; accumulators are dense.
struct erased_reducer {
  const void* reducer;
  std::int64_t accumulator_size;
  bool ordered;  ///< indices matter: blocks must come in C order
  void (*initialise)(const void* reducer, void* accumulators, std::int64_t n);
  /// Folds n values into one fresh accumulator.
  void (*fold)(const void* reducer, const void* values, std::int64_t n, std::int64_t first_index, void* accumulator);
  /// Folds `rows` x `n` values into n accumulators, column by column; row r has index `first_index + r * index_step`.
  void (*fold_columns)(const void* reducer, const void* values, std::int64_t rows, std::int64_t n,
                       std::int64_t first_index, std::int64_t index_step, void* accumulators);
  /// accumulators[i] = combine(accumulators[i], later[i]).
  void (*combine)(const void* reducer, void* accumulators, const void* later, std::int64_t n);
  void (*finish)(const void* reducer, const void* accumulators, std::int64_t n, std::int64_t count, void* out,
                 std::int64_t out_stride);
};

/// Reducers whose accumulator carries an index.
template <class Reducer>
inline constexpr bool carries_index = requires(typename Reducer::accumulator a) { a.index; };

template <class Reducer>
struct reduce_loop {
  using input = typename Reducer::input;
  using accumulator = typename Reducer::accumulator;
  using result = typename Reducer::result;
  /// Independent chains: as short as NumPy's pairwise sum makes them for blocks of 1024.
  static constexpr int lanes = 64;

  [[gnu::always_inline]] static inline accumulator fold_body(const Reducer& reducer, const stored<input>* values,
                                                             std::int64_t n, std::int64_t first_index) {
    const Reducer r = reducer;
    if constexpr (carries_index<Reducer>) {
      accumulator a = r.identity();
      for (std::int64_t i = 0; i < n; ++i) a = r.combine(a, r.lift(load<input>(values[i]), first_index + i));
      return a;
    } else {
      if (n >= lanes) return fold_lanes<lanes>(r, values, n);
      // NumPy's pairwise sum has eight chains below 128 elements.
      if (n >= 8) return fold_lanes<8>(r, values, n);
      accumulator a = r.identity();
      for (std::int64_t i = 0; i < n; ++i) a = r.combine(a, r.lift(load<input>(values[i]), 0));
      return a;
    }
  }

// nvcc's front end does not know the pragma but hands it on to the host compiler.
#if defined(__CUDACC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675
#endif
  /// Folds n >= Lanes values in as many independent chains, which are then combined pairwise.
  template <int Lanes>
  [[gnu::always_inline]] static inline accumulator fold_lanes(const Reducer& r, const stored<input>* values,
                                                              std::int64_t n) {
    accumulator chain[Lanes];
    for (int l = 0; l < Lanes; ++l) chain[l] = r.combine(r.identity(), r.lift(load<input>(values[l]), 0));
    std::int64_t i = Lanes;
    for (; i + Lanes <= n; i += Lanes) {
      for (int l = 0; l < Lanes; ++l) chain[l] = r.combine(chain[l], r.lift(load<input>(values[i + l]), 0));
    }
    for (int l = 0; i + l < n; ++l) chain[l] = r.combine(chain[l], r.lift(load<input>(values[i + l]), 0));
#pragma GCC unroll 6
    for (int width = Lanes / 2; width > 0; width /= 2) {
      for (int l = 0; l < width; ++l) chain[l] = r.combine(chain[l], chain[l + width]);
    }
    return chain[0];
  }
#if defined(__CUDACC__)
#pragma nv_diagnostic pop
#endif

  [[gnu::always_inline]] static inline void columns_body(const Reducer& reducer, const stored<input>* values,
                                                         std::int64_t rows, std::int64_t n, std::int64_t first_index,
                                                         std::int64_t index_step, accumulator* accumulators) {
    const Reducer r = reducer;
    for (std::int64_t row = 0; row < rows; ++row, values += n) {
      const std::int64_t index = first_index + row * index_step;
#if !defined(__clang__)
#pragma GCC ivdep
#endif
      for (std::int64_t i = 0; i < n; ++i) {
        accumulators[i] = r.combine(accumulators[i], r.lift(load<input>(values[i]), index));
      }
    }
  }

#define GPUARRAY_REDUCE_LOOPS(variant)                                                                                 \
  struct variant {                                                                                                     \
    GPUARRAY_LOOP_OPTIONS GPUARRAY_TARGET_##variant static void fold(const void* reducer, const void* values,          \
                                                                     std::int64_t n, std::int64_t first_index,         \
                                                                     void* out) {                                      \
      *static_cast<accumulator*>(out) =                                                                                \
          fold_body(*static_cast<const Reducer*>(reducer), static_cast<const stored<input>*>(values), n, first_index); \
    }                                                                                                                  \
    GPUARRAY_LOOP_OPTIONS GPUARRAY_TARGET_##variant static void fold_columns(const void* reducer, const void* values,  \
                                                                             std::int64_t rows, std::int64_t n,        \
                                                                             std::int64_t first_index,                 \
                                                                             std::int64_t index_step, void* out) {     \
      columns_body(*static_cast<const Reducer*>(reducer), static_cast<const stored<input>*>(values), rows, n,          \
                   first_index, index_step, static_cast<accumulator*>(out));                                           \
    }                                                                                                                  \
  };
  GPUARRAY_REDUCE_LOOPS(base)
#if defined(GPUARRAY_X86_VARIANTS)
  GPUARRAY_REDUCE_LOOPS(avx2)
  GPUARRAY_REDUCE_LOOPS(avx512)
#endif
#undef GPUARRAY_REDUCE_LOOPS

  static void initialise(const void* reducer, void* accumulators, std::int64_t n) {
    const Reducer r = *static_cast<const Reducer*>(reducer);
    for (std::int64_t i = 0; i < n; ++i) static_cast<accumulator*>(accumulators)[i] = r.identity();
  }
  static void combine(const void* reducer, void* accumulators, const void* later, std::int64_t n) {
    const Reducer r = *static_cast<const Reducer*>(reducer);
    auto* const a = static_cast<accumulator*>(accumulators);
    const auto* const b = static_cast<const accumulator*>(later);
    for (std::int64_t i = 0; i < n; ++i) a[i] = r.combine(a[i], b[i]);
  }
  static void finish(const void* reducer, const void* accumulators, std::int64_t n, std::int64_t count, void* out,
                     std::int64_t out_stride) {
    const Reducer r = *static_cast<const Reducer*>(reducer);
    const auto* const a = static_cast<const accumulator*>(accumulators);
    for (std::int64_t i = 0; i < n; ++i) {
      *reinterpret_cast<result*>(static_cast<char*>(out) + i * out_stride) = r.finish(a[i], count);
    }
  }

  static erased_reducer erase(const Reducer& reducer) noexcept {
    erased_reducer e{
        &reducer, sizeof(accumulator), carries_index<Reducer>, initialise, base::fold, base::fold_columns, combine,
        finish};
#if defined(GPUARRAY_X86_VARIANTS)
    const instruction_set best = best_instruction_set();
    if (best == instruction_set::avx2) {
      e.fold = avx2::fold;
      e.fold_columns = avx2::fold_columns;
    } else if (best == instruction_set::avx512) {
      e.fold = avx512::fold;
      e.fold_columns = avx512::fold_columns;
    }
#endif
    return e;
  }
};

}  // namespace host
}  // namespace GPUARRAY_ABI
}  // namespace gpu
