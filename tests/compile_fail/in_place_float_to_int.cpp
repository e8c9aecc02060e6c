// `i += f` would round.
// Expect: astype
#include <gpu/gpu.hpp>

void f(gpu::array<int>& i, const gpu::array<float>& x) {
#ifdef MISTAKE
  i += x;
#else
  i += gpu::astype<int>(x);
#endif
}
