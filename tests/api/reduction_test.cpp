/// @file
/// Axes and masks of reductions where NumPy's rules are easily missed; the values are NumPy's.
#include "gpu/reduce.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "gpu/creation.hpp"
#include "gpu/scan.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::expect_error;
using gpu::expect_values;
using gpu::on_every_device;

TEST(Reduction, NoAxesAreNotAllAxes) {
  on_every_device([] {
    const array<float> a{{1, 2}, {3, 4}};
    expect_values(gpu::sum(a, {.axis = {}}), {2, 2}, {1, 2, 3, 4});
    expect_values(gpu::max(a, {.axis = gpu::index_vector{}}), {2, 2}, {1, 2, 3, 4});
    expect_values(gpu::mean(a, {.axis = {}}), {2, 2}, {1, 2, 3, 4});
    expect_values(gpu::sum(a, {.axis = gpu::none}), {}, {10});
    expect_values(gpu::sum(a), {}, {10});
    expect_values(gpu::sum(a, {.axis = std::vector<int>{1}}), {3, 7});
  });
}

TEST(Reduction, ANumberHasOneAxis) {
  on_every_device([] {
    const array<double> number = gpu::full<double>({}, 3);
    for (const int axis : {0, -1}) {
      expect_values(gpu::sum(number, {.axis = axis}), {}, {3});
      expect_values(gpu::max(number, {.axis = axis}), {}, {3});
      expect_values(gpu::argmax(number, {.axis = axis}), {}, {0});
      expect_values(gpu::any(number, {.axis = axis}), {}, {true});
      expect_values(gpu::cumsum(number, {.axis = axis}), {3});
    }
    expect_error<gpu::axis_error>([&] { static_cast<void>(gpu::sum(number, {.axis = 1})); },
                                  "axis 1 is out of bounds for array of dimension 0");
  });
}

TEST(Reduction, AMaskDoesNotEnlargeTheValues) {
  on_every_device([] {
    const array<double> row{1, 2};
    const array<double> matrix{{1, 2}};
    const auto mask = gpu::ones<bool>({2, 2});
    const auto fails = [&](const auto& reduction) {
      expect_error<gpu::shape_error>([&] { static_cast<void>(reduction(row)); },
                                     "input operand has more dimensions than allowed by the axis remapping");
      expect_error<gpu::shape_error>(
          [&] { static_cast<void>(reduction(matrix)); },
          "non-broadcastable operand with shape (1,2) doesn't match the broadcast shape (2,2)");
    };
    fails([&](const auto& a) { return gpu::sum(a, {.axis = 0, .where = mask}); });
    fails([&](const auto& a) { return gpu::prod(a, {.axis = 0, .where = mask}); });
    fails([&](const auto& a) { return gpu::max(a, {.axis = 0, .initial = 0, .where = mask}); });
    fails([&](const auto& a) { return gpu::mean(a, {.axis = 0, .where = mask}); });
    fails([&](const auto& a) { return gpu::var(a, {.axis = 0, .where = mask}); });
    fails([&](const auto& a) { return gpu::std(a, {.axis = 0, .where = mask}); });
    fails([&](const auto& a) { return gpu::any(a, {.axis = 0, .where = mask}); });
    fails([&](const auto& a) { return gpu::all(a, {.axis = 0, .where = mask}); });
    fails([&](const auto& a) { return gpu::nansum(a, {.axis = 0, .where = mask}); });
    fails([&](const auto& a) { return gpu::nanmean(a, {.axis = 0, .where = mask}); });
    fails([&](const auto& a) { return gpu::nanvar(a, {.axis = 0, .where = mask}); });
    expect_values(gpu::sum(mask * matrix, {.axis = 1, .where = array<bool>{true, false}}), {1, 1});
  });
}

}  // namespace
