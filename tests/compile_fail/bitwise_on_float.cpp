// NumPy: ufunc 'bitwise_and' not supported for the input types.
// Expect: this operation is not defined for these element types
#include <gpu/gpu.hpp>

void f(const gpu::array<float>& a, const gpu::array<int>& i) {
#ifdef MISTAKE
  auto b = a & a;
#else
  auto b = i & i;
#endif
  (void)b;
}
