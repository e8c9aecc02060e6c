/// @file
/// The one loop that is compiled for each expression: unit-stride blocks, in a variant for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../../core/types.hpp"
#include "../../engine/pack.hpp"

// GCC needs these to vectorise at -O2 and to keep `a * b + c` uncontracted; other compilers do so without.
#if defined(__GNUC__) && !defined(__clang__) && defined(__OPTIMIZE__)
#define GPUARRAY_LOOP_OPTIONS \
  __attribute__((noinline, optimize("O3", "no-math-errno", "no-trapping-math", "fp-contract=off")))
#else
#define GPUARRAY_LOOP_OPTIONS __attribute__((noinline))
#endif

// The instruction sets that loops are compiled for, chosen when the program runs; one where nothing is optimised.
#define GPUARRAY_TARGET_base
#if defined(__x86_64__) && defined(__GNUC__) && defined(__OPTIMIZE__)
#define GPUARRAY_X86_VARIANTS 1
#define GPUARRAY_TARGET_avx2 __attribute__((target("avx2")))
// What every server with AVX-512 has: with the foundation alone, clang 14 fails on comparisons of 64-bit integers.
#define GPUARRAY_TARGET_avx512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#endif

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

/// Erased form of a loop: `out[i] = f(in[0][i], in[1][i], ...)` for i < n, everything unit-stride.
using block_function = void (*)(const void* f, void* out, const void* const* in, std::ptrdiff_t n);

/// Loops that use vector maths are given whole multiples of this many elements, so that no element is computed by a
/// scalar tail: a value never depends on its position.
inline constexpr std::ptrdiff_t lane_multiple = 16;

/// The instruction sets that loops are compiled for.
enum class instruction_set : std::uint8_t { base, avx2, avx512 };

/// The best instruction set of this CPU. @complexity one load after the first call.
inline instruction_set best_instruction_set() noexcept {
#if defined(GPUARRAY_X86_VARIANTS)
  static const instruction_set best = [] {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      return instruction_set::avx512;
    }
    if (__builtin_cpu_supports("avx2")) return instruction_set::avx2;
    return instruction_set::base;
  }();
  return best;
#else
  return instruction_set::base;
#endif
}

/// How an element lies in memory as far as loops are concerned: GCC does not vectorise loads of bool.
template <class T>
using stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;

template <class T>
[[gnu::always_inline]] inline T load(const stored<T>& element) noexcept {
  if constexpr (std::is_same_v<T, bool>) {
    return element != 0;
  } else {
    return element;
  }
}

#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"  // loops that call functions cannot be vectorised
#endif
template <class Function, class Out, class... In>
struct block_loop {
  template <std::size_t... I>
  [[gnu::always_inline]] static inline void body(const Function& function, Out* out, const void* const* in,
                                                 std::ptrdiff_t n, std::index_sequence<I...>) {
#if defined(__clang__)
#pragma clang fp contract(off)
#endif
    const Function f = function;  // a copy, so that stores through `out` cannot change it
    [[maybe_unused]] const engine::pack<const stored<In>*...> p{{static_cast<const stored<In>*>(in[I])}...};
    auto* const o = reinterpret_cast<stored<Out>*>(out);
#if defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (std::ptrdiff_t i = 0; i < n; ++i) {
      o[i] = static_cast<stored<Out>>(f(load<In>(engine::get<I>(p)[i])...));
    }
  }

#define GPUARRAY_BLOCK_LOOP(variant)                                                                                   \
  GPUARRAY_LOOP_OPTIONS GPUARRAY_TARGET_##variant static void variant(const void* f, void* out, const void* const* in, \
                                                                      std::ptrdiff_t n) {                              \
    body(*static_cast<const Function*>(f), static_cast<Out*>(out), in, n, std::index_sequence_for<In...>{});           \
  }
  GPUARRAY_BLOCK_LOOP(base)
#if defined(GPUARRAY_X86_VARIANTS)
  GPUARRAY_BLOCK_LOOP(avx2)
  GPUARRAY_BLOCK_LOOP(avx512)
#endif
#undef GPUARRAY_BLOCK_LOOP

  static block_function select() noexcept {
#if defined(GPUARRAY_X86_VARIANTS)
    constexpr block_function variants[] = {base, avx2, avx512};
    return variants[static_cast<int>(best_instruction_set())];
#else
    return base;
#endif
  }
};
#if defined(__clang__)
#pragma clang diagnostic pop
#endif

}  // namespace host
}  // namespace GPUARRAY_ABI
}  // namespace gpu
