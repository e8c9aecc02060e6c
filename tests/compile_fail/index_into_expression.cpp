// An expression is a formula: an element of it would compute all of them.
// Expect: an expression has no elements yet
#include <gpu/gpu.hpp>

float f(const gpu::array<float>& a) {
  auto e = a + 1;
#ifdef MISTAKE
  return e(0).item();
#else
  return e.eval()(0).item();
#endif
}
