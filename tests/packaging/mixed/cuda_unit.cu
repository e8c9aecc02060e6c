/// @file
/// The unit that nvcc compiles.
#include "same_functions.hpp"

results run_in_cuda_unit() { return run_here("nvcc"); }
gpu::array<float> make_in_cuda_unit() { return make_here(); }
double sum_in_cuda_unit(const gpu::array<float>& a) { return sum_here(a); }
