/// @file
/// Runs both units; with --with-cuda the unit of nvcc must have used a CUDA device.
#include <cmath>
#include <cstdio>
#include <cstring>

#include "units.hpp"

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (!holds) {
    std::printf("not so: %s\n", what);
    ++failures;
  }
}

void expect_same(const results& a, const results& b) {
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    if (std::abs(a.values[i] - b.values[i]) > 1e-5 * std::abs(a.values[i])) {
      std::printf("value %zu: %s on %s has %.9g, %s on %s has %.9g\n", i, a.compiler.c_str(), a.device.c_str(),
                  a.values[i], b.compiler.c_str(), b.device.c_str(), b.values[i]);
      ++failures;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool with_cuda = argc > 1 && std::strcmp(argv[1], "--with-cuda") == 0;
  // Each unit first in turn: whoever comes first may set up what both use.
  const results host = run_in_host_unit();
  const results cuda = run_in_cuda_unit();
  expect_same(host, cuda);
  expect_same(run_in_host_unit(), host);
  expect(host.device == "host", "the unit of g++ computes on the host");
  expect((cuda.device == "cuda:0") == with_cuda, "the unit of nvcc computes on cuda:0 if there is one");

  // Arrays cross between the units.
  expect(sum_in_cuda_unit(make_in_host_unit().to(gpu::device::best())) == 400, "nvcc's unit reads g++'s array");
  const gpu::array<float> made = make_in_cuda_unit();
  expect(sum_in_cuda_unit(copy_in_host_unit(made)) == 400, "g++'s unit copies nvcc's array");
  expect(sum_in_host_unit(made.to(gpu::device::host())) == 400, "g++'s unit reads a host copy of nvcc's array");
  if (with_cuda) {
    try {
      (void)sum_in_host_unit(made);
      expect(false, "g++'s unit refuses to compute on a CUDA array");
    } catch (const gpu::device_error& e) {
      expect(std::strstr(e.what(), "nvcc") != nullptr, "the error says to compile the file with nvcc");
    }
  }
  return failures == 0 ? 0 : 1;
}
