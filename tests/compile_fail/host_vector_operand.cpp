// A host container is not an operand: it is copied where the program says so.
// Expect: make_a_host_container_an_array_with_asarray
#include <gpu/gpu.hpp>
#include <vector>

void f(const gpu::array<float>& a, const std::vector<float>& v) {
#ifdef MISTAKE
  gpu::array<float> b = a + v;
#else
  gpu::array<float> b = a + gpu::asarray(v);
#endif
  (void)b;
}
