// A view of a const array is read-only.
// Expect: elements_of_a_const_view_cannot_be_assigned
#include <gpu/gpu.hpp>

void f(const gpu::array<float>& a, gpu::array<float>& b) {
#ifdef MISTAKE
  a(0) = 1;
#else
  b(0) = 1;
  (void)a;
#endif
}
