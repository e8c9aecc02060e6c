/// @file
/// Included by both units: the same calls with the same types, compiled differently.
#pragma once

#include "units.hpp"

namespace {

// In an unnamed namespace: a plain inline function that evaluates would itself be one symbol with two meanings.
results run_here(const char* compiler) {
  const gpu::array<float> a{{1, 2, 3}, {4, 5, 6}};
  const gpu::array<double> b{{0.5, 1.5, 2.5}, {3.5, 4.5, 5.5}};
  gpu::array<float> c = gpu::exp(-a) * 2 + 1;
  c += a;
  c(gpu::slice(), 0) = -1;
  c(c > 6.0f) = 0;
  gpu::array<double> mixed = gpu::where(a > 2.0f, a * b, b - a);
  results r;
  r.compiler = compiler;
  r.device = gpu::current_device().to_string();
  r.values = {gpu::sum(c).item(),
              gpu::max(mixed).item(),
              gpu::mean(mixed, {.axis = 1})(1).item(),
              static_cast<double>(gpu::argmax(b, {.axis = 0})(2).item()),
              gpu::matmul(a, gpu::transpose(a))(1, 0).item(),
              static_cast<double>(gpu::count_nonzero(a == 3.0f).item()),
              gpu::cumsum(b)(5).item(),
              gpu::sum(gpu::arange<float>(1000)).item()};
  return r;
}

gpu::array<float> make_here() { return gpu::ones<float>({100}) * 2; }

double sum_here(const gpu::array<float>& a) { return gpu::sum(a * a).item(); }

}  // namespace
