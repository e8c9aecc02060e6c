// Fused expressions of 16M floats into existing memory; bench/numpy_peers.py runs the same names in NumPy.
#include <benchmark/benchmark.h>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include <gpu/array.hpp>
#include <gpu/exponents.hpp>
#include <gpu/logic.hpp>
#include <gpu/manipulation.hpp>

#include "inputs.hpp"

namespace {

/// Times `step(out)`; `arrays` is the number of 64 MiB arrays that it must read or write.
template <class Step>
void run(benchmark::State& state, int arrays, const Step& step) {
  auto out = gpu::empty<float>({side, side});
  for (auto _ : state) {
    step(out);
    out.device().synchronize();
  }
  state.SetBytesProcessed(state.iterations() * arrays * out.nbytes());
}

void multiply_add(benchmark::State& state) {
  const auto a = square_input(1), b = square_input(2), c = square_input(3);
  run(state, 4, [&](auto& out) { out = a * b + c * c; });
}

void broadcast_row(benchmark::State& state) {
  const auto a = square_input(1);
  const gpu::array<float> row = square_input(2)(0);
  run(state, 2, [&](auto& out) { out = a * row; });
}

void broadcast_column(benchmark::State& state) {
  const auto a = square_input(1);
  const gpu::array<float> column = square_input(2)(gpu::slice(), gpu::slice(0, 1));
  run(state, 2, [&](auto& out) { out = a * column; });
}

void transposed(benchmark::State& state) {
  const auto a = square_input(1), b = square_input(2);
  run(state, 3, [&](auto& out) { out = a * b.T(); });
}

void where(benchmark::State& state) {
  const auto a = square_input(1), b = square_input(2);
  const gpu::array<bool> mask = square_input(3) > 0.5f;
  run(state, 3, [&](auto& out) { out = gpu::where(mask, a, b); });
}

void exponential(benchmark::State& state) {
  const auto a = square_input(1);
  run(state, 2, [&](auto& out) { out = gpu::exp(a) * 2 + 1; });
}

/// What `multiply_add` is measured against besides NumPy: the loop that one would write by hand.
void openmp_loop(benchmark::State& state) {
  const auto a = square_input(1), b = square_input(2), c = square_input(3);
  if (!a.device().is_host()) return state.SkipWithError("the arrays are on a GPU");
  run(state, 4, [x = a.data(), y = b.data(), z = c.data()](auto& out) {
    float* const r = out.data();
    const std::int64_t n = out.size();
#if defined(_OPENMP)
#pragma omp parallel for simd schedule(static)
#endif
    for (std::int64_t i = 0; i < n; ++i) r[i] = x[i] * y[i] + z[i] * z[i];
  });
}

#if defined(__SSE2__)
/// What memory allows: the same loops by hand, with stores that go past the caches.
template <class Loop>
void memory_limit(benchmark::State& state, int arrays, const Loop& loop) {
  const auto a = square_input(1), b = square_input(2), c = square_input(3);
  if (!a.device().is_host()) return state.SkipWithError("the arrays are on a GPU");
  run(state, arrays, [&, x = a.data(), y = b.data(), z = c.data()](auto& out) {
    float* const r = out.data();
    const std::int64_t rows = out.shape()[0];
#if defined(_OPENMP)
#pragma omp parallel for schedule(static)
#endif
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = i * side; j < (i + 1) * side; j += 4) {
        _mm_stream_ps(r + j, loop(x + j, y + j, z + j, y + j - i * side));
      }
      _mm_sfence();
    }
  });
}

void limit_multiply_add(benchmark::State& state) {
  memory_limit(state, 4, [](const float* x, const float* y, const float* z, const float*) {
    const __m128 c = _mm_loadu_ps(z);
    return _mm_add_ps(_mm_mul_ps(_mm_loadu_ps(x), _mm_loadu_ps(y)), _mm_mul_ps(c, c));
  });
}

void limit_broadcast_row(benchmark::State& state) {
  memory_limit(state, 2, [](const float* x, const float*, const float*, const float* row) {
    return _mm_mul_ps(_mm_loadu_ps(x), _mm_loadu_ps(row));
  });
}

BENCHMARK(limit_multiply_add)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(limit_broadcast_row)->UseRealTime()->Unit(benchmark::kMillisecond);
#endif

void small_add(benchmark::State& state) {
  const auto a = gpu::ones<float>({1000}), b = gpu::ones<float>({1000});
  auto out = gpu::empty<float>({1000});
  for (auto _ : state) out = a + b;
}

void small_add_new(benchmark::State& state) {
  const auto a = gpu::ones<float>({1000}), b = gpu::ones<float>({1000});
  for (auto _ : state) {
    const gpu::array<float> out = a + b;
    benchmark::DoNotOptimize(out.data());
  }
}

BENCHMARK(multiply_add)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(broadcast_row)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(broadcast_column)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(transposed)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(where)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(exponential)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(openmp_loop)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(small_add);
BENCHMARK(small_add_new);

}  // namespace
