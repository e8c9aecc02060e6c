// Sums of 16M floats, over everything and over each axis; bench/numpy_peers.py runs the same names in NumPy.
#include <benchmark/benchmark.h>

#include <cmath>

#include <gpu/arithmetic.hpp>
#include <gpu/manipulation.hpp>
#include <gpu/reduce.hpp>

#include "inputs.hpp"

namespace {

template <class Step>
void run(benchmark::State& state, const gpu::array<float>& a, const Step& step) {
  for (auto _ : state) {
    const auto result = step();
    benchmark::DoNotOptimize(result.data());
    a.device().synchronize();
  }
  state.SetBytesProcessed(state.iterations() * a.nbytes());
}

/// The root mean square of the relative errors of sums, which NumPy's must not be below.
void report_error(benchmark::State& state, const gpu::array<float>& sums, const gpu::array<double>& exact) {
  const double square = gpu::mean(gpu::square((sums - exact) / exact)).item();
  state.counters["error"] = std::sqrt(square);
}

void sum_all(benchmark::State& state) {
  const auto a = square_input(1);
  run(state, a, [&] { return gpu::sum(a); });
  const auto parts = gpu::reshape(a, {256, -1});
  auto sums = gpu::empty<float>({256});
  for (int i = 0; i < 256; ++i) sums(i) = gpu::sum(parts(i));
  report_error(state, sums, gpu::sum<double>(parts, {.axis = 1}));
}

void sum_product(benchmark::State& state) {
  const auto a = square_input(1), b = square_input(2);
  run(state, a, [&] { return gpu::sum(a * b); });
}

/// Axis `state.range(0)` of a (256, 512, 128) array.
void sum_axis(benchmark::State& state) {
  const gpu::array<float> a = gpu::reshape(square_input(1), {256, 512, 128});
  const auto axis = state.range(0);
  run(state, a, [&] { return gpu::sum(a, {.axis = axis}); });
  report_error(state, gpu::sum(a, {.axis = axis}), gpu::sum<double>(a, {.axis = axis}));
}

BENCHMARK(sum_all)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(sum_product)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(sum_axis)->DenseRange(0, 2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
