// Assigning complex to real would drop the imaginary part.
// Expect: astype
#include <gpu/gpu.hpp>

void f(const gpu::array<gpu::complex<float>>& z) {
  gpu::array<float> x;
#ifdef MISTAKE
  x = z;
#else
  x = gpu::real(z);
#endif
}
