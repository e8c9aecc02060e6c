// One screen of gpuarray: the same source runs on a GPU where there is one and on all CPU cores where there is none.
#include <gpu/gpu.hpp>
#include <iostream>

int main() {
  const gpu::device_guard on{gpu::device::best()};  // cuda:0 if usable, otherwise the host; GPUARRAY_DEVICE overrides

  auto a = gpu::random::normal<float>({1000, 1000});
  gpu::array<float> b = gpu::matmul(a, gpu::transpose(a));  // cuBLAS or CBLAS, no copy for the transpose
  gpu::array<float> c = gpu::exp(-b * b) / 2 + 1;           // one kernel
  auto m = gpu::mean(c, {.axis = 0, .keepdims = true});     // keyword arguments with NumPy's names
  c(gpu::slice(), 0) = 0;                                   // a view: writes through
  c(c > 1.2f) *= 0.5f;                                      // boolean mask
  gpu::array<float> rows = c(gpu::slice(0, 10, 2), gpu::ellipsis);
  std::cout << rows << '\n';     // prints as NumPy does
  float s = gpu::sum(c).item();  // the only line that waits for the device, beside printing
  std::cout << "sum " << s << ", mean of the means " << gpu::mean(m).item() << '\n';
}
