// Host containers become arrays where the program says so.
// Expect: gpu::asarray
#include <gpu/gpu.hpp>
#include <vector>

void f(gpu::array<float>& a, const std::vector<float>& row) {
#ifdef MISTAKE
  a(0) = row;
#else
  a(0) = gpu::asarray(row);
#endif
}
