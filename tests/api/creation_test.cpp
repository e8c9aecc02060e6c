/// @file
/// Arrays made like others, copies, and names that functions have besides NumPy's first.
#include "gpu/creation.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "gpu/logic.hpp"
#include "gpu/manipulation.hpp"
#include "gpu/reduce.hpp"
#include "gpu/show_config.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;

TEST(creation, like_another_array) {
  gpu::on_every_device([] {
    const array<gpu::int16> a = gpu::reshape(gpu::arange<gpu::int16>(6), {2, 3});
    gpu::expect_values(gpu::ones_like(a), {2, 3}, {1, 1, 1, 1, 1, 1});
    gpu::expect_values(gpu::ones_like<double>(gpu::transpose(a)), {3, 2}, {1, 1, 1, 1, 1, 1});
    gpu::expect_values(gpu::zeros_like(a(0)), {0, 0, 0});
    gpu::expect_values(gpu::full_like(a, 7), {2, 3}, {7, 7, 7, 7, 7, 7});
    const auto e = gpu::empty_like<float>(a);
    EXPECT_EQ(e.shape(), a.shape());
    EXPECT_EQ(e.device(), gpu::current_device());
  });
}

TEST(creation, a_copy_has_its_own_elements) {
  gpu::on_every_device([] {
    array<float> a{1, 2, 3, 4};
    const array<float> whole = gpu::copy(a);
    const array<float> part = gpu::copy(a(gpu::slice(gpu::none, gpu::none, -2)));
    a = 0 * a;
    a(gpu::ellipsis) = 9;
    gpu::expect_values(whole, {1, 2, 3, 4});
    gpu::expect_values(part, {4, 2});
  });
}

TEST(creation, arange_of_infinite_and_vanishing_steps) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  gpu::on_every_device([=] {
    gpu::expect_values(gpu::arange(0.0, 5.0, infinity), {0});
    gpu::expect_values(gpu::arange(0.0, 1e-300, 1e300), {0});
    gpu::expect_values(gpu::arange(5.0, 0.0, infinity), {0}, {});
    gpu::expect_values(gpu::arange(0.0, 5.0, -infinity), {0}, {});
    gpu::expect_values(gpu::arange(2.0, 2.0), {0}, {});
    gpu::expect_values(gpu::arange(5.0, 0.0), {0}, {});
    for (const auto& [start, stop] : {std::pair(infinity, 0.0), std::pair(0.0, infinity), std::pair(0.0, -infinity)}) {
      const double first = start;  // clang captures no structured bindings
      const double last = stop;
      gpu::expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::arange(first, last)); },
                                          "Maximum allowed size exceeded");
    }
    gpu::expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::arange(0.0, 5.0, std::nan(""))); },
                                        "arange: cannot compute length");
  });
}

TEST(creation, transposes_of_the_array_api) {
  gpu::on_every_device([] {
    const array<int> a = gpu::reshape(gpu::arange<int>(6), {1, 2, 3});
    gpu::expect_values(gpu::permute_dims(a, {2, 0, 1}), {3, 1, 2}, {0, 3, 1, 4, 2, 5});
    gpu::expect_values(gpu::matrix_transpose(a), {1, 3, 2}, {0, 3, 1, 4, 2, 5});
    gpu::expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::matrix_transpose(a(0, 0))); },
                                        "at least 2-dimensional");
  });
}

TEST(logic, questions_about_whole_arrays) {
  gpu::on_every_device([] {
    const array<int> a{1, 2};
    const array<int> twice{{1, 2}, {1, 2}};
    EXPECT_TRUE(gpu::array_equiv(a, twice).item());
    EXPECT_TRUE(gpu::array_equiv(twice, a).item());
    EXPECT_FALSE(gpu::array_equiv(a, twice + 1).item());
    EXPECT_FALSE(gpu::array_equiv(a, array<int>{1, 2, 3}).item());
    EXPECT_FALSE(gpu::array_equal(a, twice).item());
    EXPECT_TRUE(gpu::isrealobj(a));
    EXPECT_FALSE(gpu::iscomplexobj(a * 2.0f));
    EXPECT_TRUE(gpu::iscomplexobj(array<gpu::complex64>{}));
  });
}

TEST(reduce, other_names_of_the_extrema) {
  gpu::on_every_device([] {
    const array<float> a{{3, 1}, {2, 5}};
    EXPECT_EQ(gpu::amax(a).item(), 5);
    gpu::expect_values(gpu::amin(a, {.axis = 0}), {2, 1});
  });
}

TEST(show_config, prints_the_report) {
  testing::internal::CaptureStdout();
  gpu::show_config();
  EXPECT_EQ(testing::internal::GetCapturedStdout(), gpu::config_report());
}

}  // namespace
