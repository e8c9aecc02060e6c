// Sums of 16M floats, over everything and over each axis; bench/numpy_peers.py runs the same names in NumPy.
#include <benchmark/benchmark.h>

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

void sum_all(benchmark::State& state) {
  const auto a = square_input(1);
  run(state, a, [&] { return gpu::sum(a); });
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
}

BENCHMARK(sum_all)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(sum_product)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(sum_axis)->DenseRange(0, 2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
