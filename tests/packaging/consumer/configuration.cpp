/// @file
/// Prints what the library uses. With GPUARRAY_PLAIN defined, nothing but the C++ compiler was there, and it must say
/// so.
#include <cstdio>
#include <gpu/gpu.hpp>
#include <string>
#include <vector>

int main() {
  std::vector<const char*> expected{"gpuarray "};
#if defined(GPUARRAY_PLAIN)
  expected.insert(expected.end(), {"compiled without OpenMP", "matrix products use gpuarray's own",
                                   "none of its source files was compiled by nvcc"});
#endif
  gpu::show_config();
  const std::string text = gpu::config_report();
  int failures = 0;
  for (const char* words : expected) {
    if (text.find(words) == std::string::npos) {
      std::printf("show_config() does not say: %s\n", words);
      ++failures;
    }
  }
  return failures;
}
