/// @file
/// Any trivially copyable type can be stored, moved, indexed, looped over and passed to `map`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpu/map.hpp"
#include "gpu/reduce.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::none;
using gpu::on_every_device;
using gpu::slice;

/// 12 bytes: no power of two.
struct point {
  float x;
  float y;
  int id;
  friend bool operator==(const point&, const point&) = default;
};

/// Without a default constructor, and large.
struct record {
  explicit constexpr record(int n) : key(n), payload{} { payload[99] = n; }
  int key;
  int payload[100];
};

static_assert(gpu::element<point> && gpu::element<record>);

struct shift {
  float by;
  constexpr point operator()(point p) const noexcept { return {p.x + by, p.y, p.id}; }
};
struct norm {
  constexpr float operator()(point p, float scale) const noexcept { return scale * (p.x * p.x + p.y * p.y); }
};
struct make_point {
  constexpr point operator()(float x, int id) const noexcept { return {x, -x, id}; }
};
struct key_of {
  constexpr int operator()(const record& r) const noexcept { return r.key + r.payload[99]; }
};
struct make_record {
  constexpr record operator()(int n) const noexcept { return record(n); }
};

std::vector<point> points(const array<point>& a) { return gpu::to_host(a); }

TEST(UserTypes, StoredAndMoved) {
  on_every_device([] {
    const std::vector<point> values{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    const array<point> a(values);
    EXPECT_EQ(a.dtype(), gpu::dtype::other);
    EXPECT_EQ(a.itemsize(), 12);
    EXPECT_EQ(points(a), values);
    array<point> b = a;
    EXPECT_EQ(points(b), values);
    array<point> c = std::move(b);
    b = c;
    EXPECT_EQ(points(b), values);
    const array<point> braces{point{1, 2, 3}, point{4, 5, 6}, point{7, 8, 9}};
    EXPECT_EQ(points(braces), values);
    const array<point> nested{{point{1, 2, 3}}, {point{4, 5, 6}}};
    EXPECT_EQ(nested.shape(), (gpu::shape{2, 1}));
    EXPECT_EQ(points(array<point>(gpu::shape{1})), (std::vector<point>{{0, 0, 0}}));
    EXPECT_EQ(points(a.to(gpu::device::host())), values);
  });
}

TEST(UserTypes, Indexed) {
  on_every_device([] {
    array<point> a{point{1, 2, 3}, point{4, 5, 6}, point{7, 8, 9}};
    EXPECT_EQ(a(1).item(), (point{4, 5, 6}));
    EXPECT_EQ(points(a(slice(none, none, -2))), (std::vector<point>{{7, 8, 9}, {1, 2, 3}}));
    a(0) = point{0, 0, 1};
    a(slice(1, none)) = a(slice(none, -1));
    EXPECT_EQ(points(a), (std::vector<point>{{0, 0, 1}, {0, 0, 1}, {4, 5, 6}}));
    a(slice(0, 2)) = point{1, 1, 1};
    EXPECT_EQ(points(a), (std::vector<point>{{1, 1, 1}, {1, 1, 1}, {4, 5, 6}}));
    const array<bool> m{true, false, true};
    EXPECT_EQ(points(a(m)), (std::vector<point>{{1, 1, 1}, {4, 5, 6}}));
    a(m) = array<point>{point{2, 2, 2}, point{3, 3, 3}};
    EXPECT_EQ(points(a), (std::vector<point>{{2, 2, 2}, {1, 1, 1}, {3, 3, 3}}));
    const array<point> matrix = gpu::reshape(a, {3, 1}).T();
    EXPECT_EQ(matrix.shape(), (gpu::shape{1, 3}));
    EXPECT_EQ(points(gpu::broadcast_to(a(0), {2})), (std::vector<point>{{2, 2, 2}, {2, 2, 2}}));
  });
}

TEST(UserTypes, Mapped) {
  on_every_device([] {
    array<point> a = gpu::map(make_point{}, gpu::arange<float>(4), gpu::arange<int>(4));
    EXPECT_EQ(points(a), (std::vector<point>{{0, 0, 0}, {1, -1, 1}, {2, -2, 2}, {3, -3, 3}}));
    a = gpu::map(shift{10}, a);
    a(slice(0, 1)) = gpu::map(shift{1}, a(slice(0, 1)));
    EXPECT_EQ(a(0).item(), (point{11, 0, 0}));
    gpu::expect_values(gpu::map(norm{}, a, array<float>{1, 2, 3, 4}), {121, 244, 444, 712});
    gpu::expect_values(gpu::map(norm{}, a(slice(none, none, -1)), 0.5F) + 1, {90, 75, 62, 61.5F});
    EXPECT_EQ(gpu::sum(gpu::map(norm{}, a(slice(0, 2)), 1.0F)).item(), 243);
    EXPECT_EQ(points(gpu::map(shift{1}, gpu::map(shift{2}, a(slice(0, 1))))), (std::vector<point>{{14, 0, 0}}));
  });
}

TEST(UserTypes, WithoutADefaultConstructor) {
  on_every_device([] {
    const array<record> a = gpu::map(make_record{}, gpu::arange<int>(5));
    EXPECT_EQ(a(3).item().payload[99], 3);
    gpu::expect_values(gpu::map(key_of{}, a(slice(none, none, 2))), {0, 4, 8});
    const array<record> b = a.copy();
    gpu::expect_values(gpu::map(key_of{}, b), {0, 2, 4, 6, 8});
    int keys = 0;
    for (const record& r : b.to(gpu::device::host()).flat()) keys += r.key;
    EXPECT_EQ(keys, 10);
  });
}

TEST(UserTypes, ManyElements) {
  on_every_device([] {
    const std::int64_t n = 100003;
    array<point> a = gpu::map(make_point{}, gpu::arange<float>(n), gpu::arange<int>(n));
    a(slice(1, none)) = a(slice(none, -1));
    a = gpu::map(shift{0.5F}, a(slice(none, none, -1)));
    const std::vector<point> values = gpu::to_host(a);
    for (std::size_t i = 0; i < values.size(); ++i) {
      const int id = std::max(0, static_cast<int>(n - 2) - static_cast<int>(i));
      const auto x = static_cast<float>(id);
      ASSERT_EQ(values[i], (point{x + 0.5F, -x, id})) << i;
    }
  });
}

}  // namespace
