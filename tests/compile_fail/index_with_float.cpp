// Indices are integers.
// Expect: indices_are_integers
#include <gpu/gpu.hpp>

void f(gpu::array<float>& a) {
#ifdef MISTAKE
  a(1.5) = 0;
#else
  a(1) = 0;
#endif
}
