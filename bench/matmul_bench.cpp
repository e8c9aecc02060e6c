// Matrix products of float32, through the library and by calling CBLAS directly.
#include <benchmark/benchmark.h>

#include <gpu/linalg.hpp>
#include <gpu/manipulation.hpp>

#include "inputs.hpp"

namespace {

[[nodiscard]] gpu::array<float> matrix(std::uint64_t seed, std::int64_t n) {
  return gpu::random::generator(seed).normal<float>({n, n});
}

void report(benchmark::State& state, std::int64_t n) {
  const double n3 = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  state.counters["GFLOP/s"] = benchmark::Counter(2e-9 * n3, benchmark::Counter::kIsIterationInvariantRate);
}

void matmul(benchmark::State& state) {
  const auto n = state.range(0);
  const auto a = matrix(1, n), b = matrix(2, n);
  for (auto _ : state) {
    const auto c = gpu::matmul(a, b);
    benchmark::DoNotOptimize(c.data());
    a.device().synchronize();
  }
  report(state, n);
}

void matmul_transposed(benchmark::State& state) {
  const auto n = state.range(0);
  const auto a = matrix(1, n), b = matrix(2, n);
  for (auto _ : state) {
    const auto c = gpu::matmul(a, gpu::transpose(b));
    benchmark::DoNotOptimize(c.data());
    a.device().synchronize();
  }
  report(state, n);
}

BENCHMARK(matmul)->Arg(100)->Arg(1000)->Arg(2000)->UseRealTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(matmul_transposed)->Arg(1000)->UseRealTime()->Unit(benchmark::kMicrosecond);

#if defined(GPUARRAY_HAS_CBLAS)
void cblas(benchmark::State& state) {
  const auto n = state.range(0);
  const auto a = matrix(1, n), b = matrix(2, n);
  if (!a.device().is_host()) return state.SkipWithError("the arrays are on a GPU");
  auto c = gpu::empty<float>({n, n});
  const int i = static_cast<int>(n);
  for (auto _ : state) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, i, i, i, 1.0f, a.data(), i, b.data(), i, 0.0f, c.data(), i);
  }
  report(state, n);
}
BENCHMARK(cblas)->Arg(100)->Arg(1000)->Arg(2000)->UseRealTime()->Unit(benchmark::kMicrosecond);
#endif

}  // namespace
