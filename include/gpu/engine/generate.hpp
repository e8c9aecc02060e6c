/// @file
/// `generate`: new arrays whose elements are a function of their position: ranges, random numbers.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../backend/host/loop.hpp"
#include "../backend/host/threads.hpp"
#include "evaluate.hpp"

#if defined(__CUDACC__)
#include "../backend/cuda/generate.hpp"
#endif

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

/// `out[i] = f(first + i)`, or `f(first, out, n)` where `f` can fill a run at once.
template <class T, class F>
struct generate_loop {
  [[gnu::always_inline]] static inline void body(const F& f, std::int64_t first, T* out, std::int64_t n) {
    const F function = f;
    if constexpr (std::is_invocable_v<const F&, std::int64_t, T*, std::int64_t>) {
      function(first, out, n);
    } else {
      for (std::int64_t i = 0; i < n; ++i) out[i] = function(first + i);
    }
  }

#define GPUARRAY_GENERATE_LOOP(variant)                                                                       \
  GPUARRAY_LOOP_OPTIONS GPUARRAY_TARGET_##variant static void variant(const F& f, std::int64_t first, T* out, \
                                                                      std::int64_t n) {                       \
    body(f, first, out, n);                                                                                   \
  }
  GPUARRAY_GENERATE_LOOP(base)
#if defined(GPUARRAY_X86_VARIANTS)
  GPUARRAY_GENERATE_LOOP(avx2)
  GPUARRAY_GENERATE_LOOP(avx512)
#endif
#undef GPUARRAY_GENERATE_LOOP

  static void run(const F& f, T* out, std::int64_t size) {
#if defined(GPUARRAY_X86_VARIANTS)
    constexpr decltype(&base) variants[] = {base, avx2, avx512};
    const auto loop = variants[static_cast<int>(best_instruction_set())];
#else
    const auto loop = base;
#endif
    constexpr std::int64_t grain = 4096;
    const std::int64_t grains = (size + grain - 1) / grain;
    for_ranges(grains, size >= parallel_threshold, [&](std::int64_t first, std::int64_t last) {
      const std::int64_t begin = first * grain;
      const std::int64_t end = last == grains ? size : last * grain;
      loop(f, begin, out + begin, end - begin);
    });
  }
};

}  // namespace host

namespace engine {

/// A new dense array of shape `extents` with element i, in C order, equal to `f(i)`. Asynchronous on a device.
template <class T, class F>
[[nodiscard]] detail::storage generate(const shape& extents, const device& d, const F& f) {
  if constexpr (!current_tag::has_cuda) {
    if (!d.is_host()) raise_needs_nvcc(d);
  }
  detail::storage result = detail::make_storage(extents, sizeof(T), d);
  const std::int64_t n = extents.size();
  if (n == 0) return result;
  submit(current_stream(d), {}, {result.owner.get()},
         [d, f, n, out = reinterpret_cast<T*>(result.first)](void* handle) {
           if (d.is_host()) {
             host::generate_loop<T, F>::run(f, out, n);
           } else {
#if defined(__CUDACC__)
             cuda::generate<T>(out, n, f, static_cast<cudaStream_t>(handle));
#else
      static_cast<void>(handle);
#endif
           }
         });
  return result;
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
