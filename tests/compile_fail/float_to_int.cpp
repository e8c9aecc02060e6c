// NumPy's same_kind rule: float to int is a decision, so it has a name.
// Expect: astype
#include <gpu/gpu.hpp>

void f(const gpu::array<float>& a) {
#ifdef MISTAKE
  gpu::array<int> b = a * 2;
#else
  gpu::array<int> b = gpu::astype<int>(a * 2);
#endif
  (void)b;
}
