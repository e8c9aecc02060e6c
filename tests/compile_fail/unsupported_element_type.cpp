// Arrays hold plain bytes.
// Expect: T must be trivially copyable
#include <gpu/gpu.hpp>
#include <string>

#ifdef MISTAKE
gpu::array<std::string> names;
#else
gpu::array<int> names;
#endif
