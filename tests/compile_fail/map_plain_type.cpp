// map's functor must accept the arrays' elements.
// Expect: this operation is not defined for these element types
#include <gpu/gpu.hpp>

struct scale {
  constexpr float operator()(float x, float y) const { return x * y; }
};

void f(const gpu::array<float>& a) {
#ifdef MISTAKE
  gpu::array<float> b = gpu::map(scale{}, a);
#else
  gpu::array<float> b = gpu::map(scale{}, a, a);
#endif
  (void)b;
}
