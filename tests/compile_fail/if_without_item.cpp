// A comparison of arrays is an array; the conversion to bool is explicit.
// Expect: bool
#include <gpu/gpu.hpp>

bool f(const gpu::array<float>& a) {
#ifdef MISTAKE
  bool equal = a == a;
#else
  bool equal(gpu::all(a == a));
#endif
  return equal;
}
