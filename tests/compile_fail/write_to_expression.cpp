// An expression computes values; there is nothing to write to.
// Expect: an expression computes values
#include <gpu/gpu.hpp>

void f(gpu::array<float>& a, gpu::array<float>& b) {
#ifdef MISTAKE
  (a + b) = a;
#else
  b = a + b;
#endif
}
