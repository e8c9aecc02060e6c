// What memory, streams and transfers cost: pools, the books that keep streams apart, copies, and the pipeline.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <vector>

#include <gpu/arithmetic.hpp>
#include <gpu/creation.hpp>
#include <gpu/exponents.hpp>
#include <gpu/memory.hpp>
#include <gpu/pinned.hpp>
#include <gpu/pipeline.hpp>
#include <gpu/runtime/coalescing_resource.hpp>
#include <gpu/trigonometric.hpp>

namespace {

using gpu::device;
using gpu::stream;

const device host = device::host();

// ---- pools

/// A hot size: allocated and freed again and again, by each thread.
void allocate_free(benchmark::State& state) {
  gpu::memory_resource& pool = gpu::get_memory_resource(host);
  const stream s = stream::default_stream(host);
  const auto bytes = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    void* const data = pool.allocate(bytes, s);
    benchmark::DoNotOptimize(data);
    pool.deallocate(data, bytes, s);
  }
}
BENCHMARK(allocate_free)->Arg(4000)->Arg(4 << 20)->Threads(1)->Threads(2)->UseRealTime();

void allocate_free_buffer(benchmark::State& state) {
  const stream s = stream::default_stream(host);
  for (auto _ : state) {
    const gpu::buffer_ptr b = gpu::allocate_buffer(4000, host, s);
    benchmark::DoNotOptimize(b->data());
  }
}
BENCHMARK(allocate_free_buffer)->Threads(1)->Threads(2)->UseRealTime();

/// The second tier alone: what a miss of the first costs.
void coalescing_allocate_free(benchmark::State& state) {
  gpu::device_memory_resource memory(host);
  gpu::coalescing_resource pool(host, memory);
  const stream s = stream::default_stream(host);
  std::vector<void*> kept;
  for (int i = 0; i < 200; ++i) kept.push_back(pool.allocate(4000, s));
  for (std::size_t i = 0; i < kept.size(); i += 2) pool.deallocate(kept[i], 4000, s);
  for (auto _ : state) {
    void* const data = pool.allocate(5000, s);
    benchmark::DoNotOptimize(data);
    pool.deallocate(data, 5000, s);
  }
  for (std::size_t i = 1; i < kept.size(); i += 2) pool.deallocate(kept[i], 4000, s);
}
BENCHMARK(coalescing_allocate_free);

// ---- what an operation on 1000 elements pays for memory and order

void add_into_existing(benchmark::State& state) {
  const gpu::device_guard on(host);
  const gpu::array<float> a = gpu::ones<float>({1000});
  const gpu::array<float> b = gpu::ones<float>({1000});
  gpu::array<float> c = gpu::empty<float>({1000});
  for (auto _ : state) {
    c = a + b;
    benchmark::DoNotOptimize(c.data());
  }
}
BENCHMARK(add_into_existing);

void add_into_new(benchmark::State& state) {
  const gpu::device_guard on(host);
  const gpu::array<float> a = gpu::ones<float>({1000});
  const gpu::array<float> b = gpu::ones<float>({1000});
  for (auto _ : state) {
    const gpu::array<float> c = a + b;
    benchmark::DoNotOptimize(c.data());
  }
}
BENCHMARK(add_into_new);

/// The loop of such an addition alone, and as work submitted with its three buffers.
[[gnu::noinline]] void add(const float* a, const float* b, float* c) {
  for (int i = 0; i < 1000; ++i) c[i] = a[i] + b[i];
}
struct addition {
  const float* a;
  const float* b;
  float* c;
  void operator()() const { add(a, b, c); }
};

void loop_alone(benchmark::State& state) {
  const std::vector<float> a(1000, 1.0F);
  const std::vector<float> b(1000, 1.0F);
  std::vector<float> c(1000);
  for (auto _ : state) addition{a.data(), b.data(), c.data()}();
}
BENCHMARK(loop_alone);

void loop_submitted(benchmark::State& state) {
  const stream s = stream::default_stream(host);
  const gpu::buffer_ptr a = gpu::allocate_buffer(4000, host, s);
  const gpu::buffer_ptr b = gpu::allocate_buffer(4000, host, s);
  const gpu::buffer_ptr c = gpu::allocate_buffer(4000, host, s);
  gpu::fill_bytes(*a, 0, 0, 4000, s);
  gpu::fill_bytes(*b, 0, 0, 4000, s);
  const auto at = [](const gpu::buffer_ptr& p) { return static_cast<float*>(p->data()); };
  for (auto _ : state) {
    gpu::submit(s, {a.get(), b.get()}, {c.get()}, addition{at(a), at(b), at(c)});
  }
}
BENCHMARK(loop_submitted);

/// Begins an operation on the current device and does not wait for it: what it costs the host.
void enqueue_operation(benchmark::State& state) {
  const gpu::array<float> a = gpu::ones<float>({1000});
  gpu::array<float> c = gpu::empty<float>({1000});
  int begun = 0;
  for (auto _ : state) {
    c = a * 2 + 1;
    if (++begun % 512 == 0) {  // so that no queue fills up
      state.PauseTiming();
      a.device().synchronize();
      state.ResumeTiming();
    }
  }
}
BENCHMARK(enqueue_operation);

// ---- transfers

constexpr std::size_t transfer_bytes = std::size_t{64} << 20;

void upload_pageable(benchmark::State& state) {
  const std::vector<float> from(transfer_bytes / sizeof(float), 1.0F);
  gpu::array<float> to = gpu::empty<float>({static_cast<std::int64_t>(from.size())});
  for (auto _ : state) {
    gpu::copy_async(to, gpu::borrowed(from));
    to.device().synchronize();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(transfer_bytes));
}
BENCHMARK(upload_pageable)->UseRealTime();

void upload_pinned(benchmark::State& state) {
  gpu::pinned<float> from(static_cast<std::int64_t>(transfer_bytes / sizeof(float)));
  std::fill(from.begin(), from.end(), 1.0F);
  gpu::array<float> to = gpu::empty<float>({from.size()});
  for (auto _ : state) {
    gpu::copy_async(to, from);
    to.device().synchronize();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(transfer_bytes));
}
BENCHMARK(upload_pinned)->UseRealTime();

void download_pinned(benchmark::State& state) {
  gpu::pinned<float> to(static_cast<std::int64_t>(transfer_bytes / sizeof(float)));
  const gpu::array<float> from = gpu::ones<float>({to.size()});
  for (auto _ : state) {
    gpu::copy_async(to, from);
    from.device().synchronize();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(transfer_bytes));
}
BENCHMARK(download_pinned)->UseRealTime();

void many_small_copies(benchmark::State& state) {
  std::vector<gpu::array<float>> from;
  std::vector<gpu::array<float>> to;
  for (int i = 0; i < 256; ++i) {
    from.push_back(gpu::ones<float>({256}));
    to.push_back(gpu::empty<float>({256}));
  }
  const device d = from[0].device();
  const stream s(d);
  const gpu::stream_guard on(s);
  for (auto _ : state) {
    if (state.range(0) == 0) {
      for (std::size_t i = 0; i < 256; ++i) gpu::copy_async(to[i], from[i]);
    } else {
      gpu::copy_batch batch;
      for (std::size_t i = 0; i < 256; ++i) batch.add(to[i], from[i]);
      batch.submit();
    }
    s.synchronize();
  }
}
BENCHMARK(many_small_copies)->ArgName("batched")->Arg(0)->Arg(1)->UseRealTime();

#if defined(__CUDACC__)
/// What the driver itself does, to compare with.
void bare_upload_pinned(benchmark::State& state) {
  if (device::count(gpu::device_kind::cuda) == 0) {
    state.SkipWithError("no CUDA device");
    return;
  }
  void* from = nullptr;
  void* to = nullptr;
  cudaStream_t s = nullptr;
  gpu::cuda::check(cudaHostAlloc(&from, transfer_bytes, cudaHostAllocDefault), "cudaHostAlloc");
  gpu::cuda::check(cudaMalloc(&to, transfer_bytes), "cudaMalloc");
  gpu::cuda::check(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  std::memset(from, 1, transfer_bytes);
  for (auto _ : state) {
    gpu::cuda::check(cudaMemcpyAsync(to, from, transfer_bytes, cudaMemcpyHostToDevice, s), "cudaMemcpyAsync");
    gpu::cuda::check(cudaStreamSynchronize(s), "cudaStreamSynchronize");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(transfer_bytes));
  gpu::cuda::ignore(cudaStreamDestroy(s));
  gpu::cuda::ignore(cudaFree(to));
  gpu::cuda::ignore(cudaFreeHost(from));
}
BENCHMARK(bare_upload_pinned)->UseRealTime();
#endif

// ---- the pipeline

/// Chunks below the size at which the host computes with several threads, so that two threads are the most there are.
constexpr std::int64_t chunk = 30000;
constexpr int chunks = 40;

float slow(float x, int steps) {
  for (int i = 0; i < steps; ++i) x = std::sqrt(x * x + 1.0F);
  return x;
}

/// One half of the work reads and writes, the other computes.
struct balanced_load {
  static inline int steps = 1;
  int left = chunks;
  float sum = 0;
  std::int64_t read(const gpu::view<float>& to) {
    if (left == 0) return 0;
    float* const data = to.data();
    for (std::int64_t i = 0; i < chunk; ++i) data[i] = slow(static_cast<float>(i), steps);
    --left;
    return chunk;
  }
  static gpu::array<float> compute(const gpu::view<const float>& x) {
    gpu::array<float> y = gpu::exp(-x);
    for (int i = 0; i < 12; ++i) y = gpu::exp(gpu::sin(y) - gpu::cos(x));
    return y;
  }
  void write(const gpu::view<const float>& result) {
    const float* const data = result.data();
    for (std::int64_t i = 0; i < chunk; ++i) sum += slow(data[i], steps);
  }
};

/// Seconds of a call, at best.
template <class F>
double best_seconds(const F& f) {
  double best = 1e9;
  for (int i = 0; i < 10; ++i) {
    const auto start = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    best = std::min(best, passed.count());
  }
  return best;
}

/// How many steps of `slow` make the halves equal differs between processors.
void balance(const benchmark::State&) {
  const gpu::device_guard on_host(host);
  gpu::array<float> filled = gpu::empty<float>({chunk});
  balanced_load::steps = 8;
  const double eight = best_seconds([&] { balanced_load().read(filled); });
  const double compute = best_seconds([&] { static_cast<void>(balanced_load::compute(filled)); });
  balanced_load::steps = std::max(1, static_cast<int>(compute / 2 / eight * 8 + 0.5));
}

void pipeline_serial(benchmark::State& state) {
  for (auto _ : state) {
    balanced_load load;
    gpu::array<float> x = gpu::empty<float>({chunk});
    const gpu::device_guard on_host(host);
    gpu::array<float> filled = gpu::empty<float>({chunk});
    while (load.read(filled) != 0) {
      gpu::copy(x, filled);
      const gpu::array<float> y = balanced_load::compute(x).to(host);
      load.write(y.view());
    }
    benchmark::DoNotOptimize(load.sum);
  }
}
BENCHMARK(pipeline_serial)->Setup(balance)->UseRealTime()->Unit(benchmark::kMillisecond);

void pipeline_overlapped(benchmark::State& state) {
  for (auto _ : state) {
    balanced_load load;
    gpu::pipeline<float>(
        {chunk}, [&](const gpu::view<float>& to) { return load.read(to); }, &balanced_load::compute,
        [&](const gpu::view<const float>& result) { load.write(result); }, {.depth = 8});
    benchmark::DoNotOptimize(load.sum);
  }
}
BENCHMARK(pipeline_overlapped)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
