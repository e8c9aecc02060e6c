// The product of two 1000x1000 matrices of normal random numbers, with timings.
#include <chrono>
#include <gpu/gpu.hpp>
#include <iostream>

int main() {
  const gpu::device_guard on{gpu::device::best()};
  const gpu::device d = gpu::current_device();
  std::cout << "on " << d.to_string() << " (" << d.name() << ")\n";

  constexpr int n = 1000;
  const auto a = gpu::random::normal<float>({n, n});
  const auto b = gpu::random::normal<float>({n, n});
  gpu::array<float> c = gpu::matmul(a, b);  // the first product also sets up the library
  d.synchronize();

  constexpr int repeats = 10;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < repeats; ++i) c = gpu::matmul(a, b);
  d.synchronize();
  const std::chrono::duration<double> elapsed = (std::chrono::steady_clock::now() - start) / repeats;

  std::cout << c << '\n'
            << elapsed.count() * 1e3 << " ms for one product, " << 2.0 * n * n * n / elapsed.count() / 1e9
            << " GFLOP/s\n";
  // The entries of the product are sums of n products of normal numbers: their deviation is the root of n.
  std::cout << "deviation " << gpu::std(c).item() << ", expected about " << std::sqrt(double{n}) << '\n';
}
