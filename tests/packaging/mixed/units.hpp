/// @file
/// What the two units share: untagged types only.
#pragma once

#include <gpu/gpu.hpp>
#include <string>
#include <vector>

/// Results of the same calls in each unit, which must agree, and the names of what made them.
struct results {
  std::vector<double> values;
  std::string compiler;
  std::string device;
};

results run_in_host_unit();
results run_in_cuda_unit();

gpu::array<float> make_in_host_unit();
gpu::array<float> make_in_cuda_unit();
double sum_in_host_unit(const gpu::array<float>& a);
double sum_in_cuda_unit(const gpu::array<float>& a);
gpu::array<float> copy_in_host_unit(const gpu::array<float>& a);
