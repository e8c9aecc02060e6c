/// @file
/// A small program of a user's; returns 1 if a result is wrong.
#include <cmath>
#include <cstdio>
#include <gpu/gpu.hpp>

namespace {

int failures = 0;

void expect_close(const char* what, double value, double wanted) {
  if (std::abs(value - wanted) > 1e-5 * std::abs(wanted)) {
    std::printf("%s is %.9g, but should be %.9g\n", what, value, wanted);
    ++failures;
  }
}

}  // namespace

int main() {
  const gpu::array<float> a{{1, 2, 3}, {4, 5, 6}};
  const gpu::array<float> row{10, 20, 30};
  const gpu::array<float> fused = gpu::exp(-a) * row + 1;
  expect_close("exp(-a) * row + 1", gpu::sum(fused).item(),
               6 + 10 * (std::exp(-1.0) + std::exp(-4.0)) + 20 * (std::exp(-2.0) + std::exp(-5.0)) +
                   30 * (std::exp(-3.0) + std::exp(-6.0)));
  expect_close("mean over axis 0", gpu::mean(a, {.axis = 0})(2).item(), 4.5);
  expect_close("a @ a.T", gpu::matmul(a, gpu::transpose(a))(0, 1).item(), 32);

  gpu::array<float> changed = a;
  changed(gpu::slice(), 0) = 0;
  changed(changed > 4.0f) *= 0.5f;
  expect_close("views and masks", gpu::sum(changed).item(), 0 + 2 + 3 + 0 + 2.5 + 3);
  return failures == 0 ? 0 : 1;
}
