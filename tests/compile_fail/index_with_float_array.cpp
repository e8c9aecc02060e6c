// An array used as an index holds integers or booleans.
// Expect: arrays_of_integers_or_booleans
#include <gpu/gpu.hpp>

void f(gpu::array<float>& a, const gpu::array<double>& rows) {
#ifdef MISTAKE
  a(rows, 0) = 0;
#else
  a(gpu::astype<gpu::int64>(rows), 0) = 0;
#endif
}
