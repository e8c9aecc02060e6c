// Braces alone have no type that could be promoted.
// Expect: the braces need a type
#include <gpu/gpu.hpp>

void f(gpu::array<float>& a) {
#ifdef MISTAKE
  a(0) = {1, 2};
#else
  a(0) = gpu::array<float>{1, 2};
#endif
}
