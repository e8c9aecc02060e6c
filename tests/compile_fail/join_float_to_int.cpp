// As NumPy's dtype= with the same_kind rule.
// Expect: astype
#include <gpu/gpu.hpp>

gpu::array<int> f(const gpu::array<float>& a, const gpu::array<int>& b) {
#ifdef MISTAKE
  return gpu::concatenate<int>(a, b);
#else
  return gpu::concatenate<int>(gpu::astype<int>(a), b);
#endif
}
