/// @file
/// The unit that g++ compiles.
#include "same_functions.hpp"

results run_in_host_unit() { return run_here("g++"); }
gpu::array<float> make_in_host_unit() { return make_here(); }
double sum_in_host_unit(const gpu::array<float>& a) { return sum_here(a); }
gpu::array<float> copy_in_host_unit(const gpu::array<float>& a) { return a; }
