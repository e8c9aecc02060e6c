// The keyword arguments of a reduction without their names: {0, 1} would be axis 0 and keepdims.
// Expect: reduce_options
#include <gpu/gpu.hpp>

void f(const gpu::array<float>& a) {
#ifdef MISTAKE
  auto s = gpu::sum(a, {0, 1});
#else
  auto s = gpu::sum(a, {.axis = {0, 1}});
#endif
  (void)s;
}
