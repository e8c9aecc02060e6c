// NumPy's tuple of arrays is arguments here: braces would copy the arrays.
// Expect: arrays_to_join_are_arguments_or_a_vector_not_a_list_in_braces
#include <gpu/gpu.hpp>

gpu::array<float> f(const gpu::array<float>& a, const gpu::array<float>& b) {
#ifdef MISTAKE
  return gpu::concatenate({a, b}, {.axis = 1});
#else
  return gpu::concatenate({.axis = 1}, a, b);
#endif
}
