/// @file
/// Dividing host work among threads: OpenMP where the unit is compiled with it, one thread otherwise.
#pragma once

#include <cstdint>
#include <exception>

#include "../../core/config.hpp"

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

/// Below this many elements one thread is faster: entering a parallel region costs about 5 us.
inline constexpr std::int64_t parallel_threshold = 32768;

/// The threads that a parallel region would use here; 1 inside one.
inline int thread_count() noexcept {
#if defined(_OPENMP)
  return omp_in_parallel() ? 1 : omp_get_max_threads();
#else
  return 1;
#endif
}

/// Calls `f(first, last)` on disjoint ranges that cover [0, n), from several threads if `parallel`. An exception of `f`
/// stops its range and is thrown again in the calling thread once all threads are done.
template <class F>
void for_ranges(std::int64_t n, bool parallel, const F& f) {
#if defined(_OPENMP)
  const int threads = parallel ? thread_count() : 1;
  if (threads > 1 && n > 1) {
    std::exception_ptr failure;
#pragma omp parallel num_threads(threads)
    {
      const std::int64_t count = omp_get_num_threads();
      const std::int64_t rank = omp_get_thread_num();
      // Not n * rank / count, which overflows for virtual sizes.
      const std::int64_t share = n / count;
      const std::int64_t rest = n % count;
      const std::int64_t first = rank * share + (rank < rest ? rank : rest);
      const std::int64_t last = first + share + (rank < rest ? 1 : 0);
      try {
        if (first < last) f(first, last);
      } catch (...) {
#pragma omp critical(gpuarray_for_ranges)
        if (!failure) failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
    return;
  }
#else
  static_cast<void>(parallel);
#endif
  if (n > 0) f(std::int64_t{0}, n);
}

}  // namespace host
}  // namespace GPUARRAY_ABI
}  // namespace gpu
