// A view refers to elements of one type.
// Expect: view
#include <gpu/gpu.hpp>

void f(gpu::array<double>& a) {
#ifdef MISTAKE
  gpu::view<float> v = a(gpu::slice(0, 2));
#else
  gpu::view<double> v = a(gpu::slice(0, 2));
#endif
  (void)v;
}
