/// @file
/// Basic indexing: every kind of item, what is out of range, and the words of the errors. (Random programs against
/// NumPy are in tests/oracle.)
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>

#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::ellipsis;
using gpu::expect_error;
using gpu::expect_values;
using gpu::newaxis;
using gpu::none;
using gpu::on_every_device;
using gpu::shape;
using gpu::slice;

array<int> cube() { return gpu::reshape(gpu::arange<int>(24), {2, 3, 4}); }

TEST(Indexing, Integers) {
  on_every_device([] {
    array<int> a = cube();
    expect_values(a(1), {3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
    expect_values(a(1, 2), {20, 21, 22, 23});
    expect_values(a(1, 2, 3), {}, {23});
    EXPECT_EQ(a(-1, -3, -4).item(), 12);
    EXPECT_EQ(a(std::size_t{1}, std::int8_t{1}, 2LL).item(), 18);
    EXPECT_EQ(a(1U)(0U)(1).item(), 13);
    expect_values(a(), {2, 3, 4}, gpu::to_host(a));
    EXPECT_EQ(float(a(0, 0, 1)), 1.0F);
  });
}

TEST(Indexing, Slices) {
  on_every_device([] {
    const array<int> a = gpu::arange<int>(6);
    expect_values(a(slice()), {0, 1, 2, 3, 4, 5});
    expect_values(a(slice(4)), {0, 1, 2, 3});
    expect_values(a(slice(1, 4)), {1, 2, 3});
    expect_values(a(slice(1, none)), {1, 2, 3, 4, 5});
    expect_values(a(slice(none, -2)), {0, 1, 2, 3});
    expect_values(a(slice(-3, none)), {3, 4, 5});
    expect_values(a(slice(0, 6, 2)), {0, 2, 4});
    expect_values(a(slice(none, none, 4)), {0, 4});
    expect_values(a(slice(none, none, -1)), {5, 4, 3, 2, 1, 0});
    expect_values(a(slice(none, none, -2)), {5, 3, 1});
    expect_values(a(slice(4, 1, -1)), {4, 3, 2});
    expect_values(a(slice(4, none, -3)), {4, 1});
    expect_values(a(slice(-1, -4, -1)), {5, 4, 3});
    expect_values(a(slice(4, 1)), {});
    expect_values(a(slice(1, 4, -1)), {});
    expect_values(a(slice(-100, 100)), {0, 1, 2, 3, 4, 5});
    expect_values(a(slice(100, -100, -1)), {5, 4, 3, 2, 1, 0});
    expect_values(a(slice(100, 200)), {});
    expect_values(a(slice(6, 6)), {});
    expect_values(a(slice(0, 0)), {});
    const auto far = std::numeric_limits<std::int64_t>::max();
    expect_values(a(slice(-far - 1, far, far)), {0});
    expect_values(a(slice(far, -far - 1, -far - 1)), {5});
    expect_values(a(slice(std::size_t{2}, 4U)), {2, 3});
    expect_values(a(slice(1, none, 2))(slice(none, none, -1)), {5, 3, 1});
  });
}

TEST(Indexing, SeveralAxes) {
  on_every_device([] {
    const array<int> a = cube();
    expect_values(a(slice(), 1), {2, 4}, {4, 5, 6, 7, 16, 17, 18, 19});
    expect_values(a(slice(), slice(0, 2), 3), {2, 2}, {3, 7, 15, 19});
    expect_values(a(ellipsis, 0), {2, 3}, {0, 4, 8, 12, 16, 20});
    expect_values(a(0, ellipsis, slice(none, none, -3)), {3, 2}, {3, 0, 7, 4, 11, 8});
    expect_values(a(ellipsis), {2, 3, 4}, gpu::to_host(a));
    expect_values(a(1, 1, ellipsis, 1), {}, {17});
    EXPECT_EQ(a(newaxis).shape(), (shape{1, 2, 3, 4}));
    EXPECT_EQ(a(slice(), newaxis, 0, ellipsis, newaxis).shape(), (shape{2, 1, 4, 1}));
    EXPECT_EQ(a(newaxis, ellipsis, newaxis).shape(), (shape{1, 2, 3, 4, 1}));
    EXPECT_EQ(a(0, newaxis, 0, newaxis, 0).shape(), (shape{1, 1}));
    EXPECT_EQ(a(slice(0, 0), ellipsis).shape(), (shape{0, 3, 4}));
    EXPECT_EQ(a(slice(1, 2), slice(2, 1), 0).shape(), (shape{1, 0}));
  });
}

TEST(Indexing, Errors) {
  on_every_device([] {
    array<int> a = gpu::reshape(gpu::arange<int>(6), {2, 3});
    expect_error<gpu::index_error>([&] { static_cast<void>(a(2)); }, "index 2 is out of bounds for axis 0 with size 2");
    expect_error<gpu::index_error>([&] { static_cast<void>(a(0, -4)); },
                                   "index -4 is out of bounds for axis 1 with size 3");
    expect_error<gpu::index_error>([&] { static_cast<void>(a(ellipsis, 3)); },
                                   "index 3 is out of bounds for axis 1 with size 3");
    expect_error<gpu::index_error>([&] { static_cast<void>(a(newaxis, 5)); },
                                   "index 5 is out of bounds for axis 0 with size 2");
    expect_error<gpu::index_error>([&] { a(1, 3) = 0; }, "index 3 is out of bounds for axis 1 with size 3");
    expect_error<gpu::index_error>([&] { static_cast<void>(a(0, 0, 0)); },
                                   "too many indices for array: array is 2-dimensional, but 3 were indexed");
    expect_error<gpu::index_error>([&] { static_cast<void>(a(ellipsis, ellipsis)); },
                                   "can only have a single ellipsis");
    expect_error<gpu::index_error>([&] { static_cast<void>(a(slice(none, none, 0))); }, "slice step cannot be zero");
    expect_error<gpu::index_error>([&] { static_cast<void>(gpu::zeros<int>({0})(0)); },
                                   "index 0 is out of bounds for axis 0 with size 0");
    expect_error<gpu::index_error>([&] { static_cast<void>(gpu::full<int>({}, 1)(0)); },
                                   "array is 0-dimensional, but 1 were indexed");
    expect_error<gpu::index_error>([&] { static_cast<void>(a(std::numeric_limits<std::int64_t>::min())); },
                                   "-9223372036854775808");
    expect_error<gpu::index_error>([&] { static_cast<void>(a(~std::uint64_t{0})); },
                                   "is out of bounds for axis 0 with size 2");
    EXPECT_EQ(a(slice(1, ~std::uint64_t{0})).shape(), (shape{1, 3}));
    expect_values(a, {2, 3}, {0, 1, 2, 3, 4, 5});
  });
}

TEST(Indexing, ManipulationErrors) {
  on_every_device([] {
    const array<int> a = gpu::reshape(gpu::arange<int>(6), {2, 3});
    expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::reshape(a, {4, 2})); },
                                   "cannot reshape array of size 6 into shape (4,2)");
    expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::reshape(a, {-1, -1})); },
                                   "can only specify one unknown dimension");
    expect_error<gpu::axis_error>([&] { static_cast<void>(a.transpose({0, 2})); },
                                  "axis 2 is out of bounds for array of dimension 2");
    expect_error<gpu::shape_error>([&] { static_cast<void>(a.transpose({0, 0})); }, "repeated axis in transpose");
    expect_error<gpu::shape_error>([&] { static_cast<void>(a.transpose({0})); },
                                   "axes don't match array: axes (0,), dimension 2");
    expect_error<gpu::axis_error>([&] { static_cast<void>(gpu::swapaxes(a, 0, -3)); }, "axis -3");
    expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::squeeze(a, 0)); }, "axis 0 of shape (2,3)");
    expect_error<gpu::axis_error>([&] { static_cast<void>(gpu::expand_dims(a, 4)); }, "axis 4");
    expect_error<gpu::shape_error>([&] { static_cast<void>(gpu::diagonal(a(0))); }, "at least two dimensions");
    expect_error<gpu::axis_error>([&] { static_cast<void>(gpu::flip(a, 2)); }, "axis 2");
  });
}

}  // namespace
