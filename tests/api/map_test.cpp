/// @file
/// Functions of the user's: GPU_LAMBDAs with and without captures, in expressions and reductions, on any stream.
/// nvcc takes its lambdas from functions with a declared type that are not members, as those of tests are.
#include "gpu/map.hpp"

#include "gpu/arithmetic.hpp"
#include "gpu/reduce.hpp"
#include "gpu/scan.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;

struct point {
  float x = 0;
  float y = 0;
};

array<float> scaled(const array<float>& a, float factor, float shift) {
  return gpu::map(GPU_LAMBDA(float x) { return factor * x + shift; }, a);
}
array<double> fused(const array<float>& a, const array<gpu::int32>& b) {
  return gpu::map(GPU_LAMBDA(float x, gpu::int32 n) { return n > 1 ? double{x} : -1.0; }, a, b) * 2 + 1;
}
array<float> sum_of_squares(const array<float>& a, float origin) {
  return gpu::sum(gpu::map(GPU_LAMBDA(float x) { return (x - origin) * (x - origin); }, a));
}
array<float> running_doubles(const array<float>& a) {
  return gpu::cumsum(gpu::map(GPU_LAMBDA(float x) { return 2 * x; }, a));
}
array<point> points(const array<float>& a, float y) {
  return gpu::map(GPU_LAMBDA(float x) { return point{x, y}; }, a);
}
array<float> lengths(const array<point>& a) {
  return gpu::map(GPU_LAMBDA(point p) { return p.x * p.x + p.y * p.y; }, a);
}

TEST(map, lambdas_are_functions_like_any_other) {
  gpu::on_every_device([] {
    const array<float> a{1, 2, 3};
    gpu::expect_values(scaled(a, 2, 0.5f), {2.5, 4.5, 6.5});
    gpu::expect_values(fused(a, array<gpu::int32>{1, 2, 3}), {-1, 5, 7});
    gpu::expect_values(sum_of_squares(a, 1), {}, {5});
    gpu::expect_values(running_doubles(a), {2, 6, 12});
    gpu::expect_values(lengths(points(a, 2)), {5, 8, 13});
  });
}

TEST(map, what_a_lambda_captures_lives_until_its_stream_has_run) {
  gpu::on_every_device([] {
    const gpu::stream s(gpu::current_device());
    const gpu::stream_guard on(s);
    std::vector<array<float>> results;
    const array<float> a{1, 2};
    for (int i = 0; i < 20; ++i) results.push_back(scaled(a, static_cast<float>(i), 1));
    for (int i = 0; i < 20; ++i) {
      const auto n = static_cast<float>(i);
      gpu::expect_values(results[static_cast<std::size_t>(i)], {n + 1, 2 * n + 1});
    }
  });
}

}  // namespace
