// A subscript takes one index in C++20, and a(0)(1) would be two views.
// Expect: parentheses index
#include <gpu/gpu.hpp>

void f(gpu::array<float>& a) {
#ifdef MISTAKE
  a[0] = 1;
#else
  a(0) = 1;
#endif
}
