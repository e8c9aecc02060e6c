// A shape is not a list of values.
// Expect: extents go into a shape
#include <gpu/gpu.hpp>

#ifdef MISTAKE
gpu::array<float> a(3, 4);
#else
gpu::array<float> a = gpu::zeros<float>({3, 4});
#endif
