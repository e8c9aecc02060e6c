// Arrays have no begin(): element loops need a choice between flat(), along() and span().
// Expect: flat()
#include <gpu/gpu.hpp>

float f(gpu::array<float>& a) {
  float s = 0;
#ifdef MISTAKE
  for (float x : a) s += x;
#else
  for (float x : a.flat()) s += x;
#endif
  return s;
}
