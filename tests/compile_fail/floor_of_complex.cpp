// The ufunc floor has no complex loop, in NumPy too.
// Expect: this operation is not defined for these element types
#include <gpu/gpu.hpp>

void f(const gpu::array<gpu::complex<float>>& z) {
#ifdef MISTAKE
  auto b = gpu::floor(z);
#else
  auto b = gpu::abs(z);
#endif
  (void)b;
}
