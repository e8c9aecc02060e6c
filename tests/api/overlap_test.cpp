/// @file
/// Source and target may share memory in any way: the result is that of reading everything before writing anything.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "gpu/complex_numbers.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::complex;
using gpu::ellipsis;
using gpu::expect_values;
using gpu::none;
using gpu::on_every_device;
using gpu::shape;
using gpu::slice;

array<int> matrix(std::int64_t rows, std::int64_t columns) {
  return gpu::reshape(gpu::arange<int>(rows * columns), {rows, columns});
}

/// `expected(i, j)` for a matrix that is too large to type; several tiles and, on two threads, several ranges.
template <class F>
void expect_matrix(const array<int>& actual, const F& expected) {
  const std::vector<int> values = gpu::to_host(actual);
  const std::int64_t columns = actual.shape()[1];
  for (std::size_t k = 0; k < values.size(); ++k) {
    const auto i = static_cast<std::int64_t>(k) / columns;
    const auto j = static_cast<std::int64_t>(k) % columns;
    ASSERT_EQ(values[k], expected(static_cast<int>(i), static_cast<int>(j))) << "at " << i << ", " << j;
  }
}

TEST(Overlap, AddTheTranspose) {
  on_every_device([] {
    array<int> x = matrix(300, 300);
    x += gpu::transpose(x);
    expect_matrix(x, [](int i, int j) { return 301 * (i + j); });
    array<int> y = matrix(300, 300);
    y(ellipsis) = y.T();
    expect_matrix(y, [](int i, int j) { return 300 * j + i; });
    array<int> z = matrix(300, 300);
    z = z.T() * 2;
    expect_matrix(z, [](int i, int j) { return 2 * (300 * j + i); });
  });
}

TEST(Overlap, ShiftBothWays) {
  on_every_device([] {
    const int n = 100000;
    array<int> up = gpu::arange<int>(n);
    up(slice(1, n)) = up(slice(0, n - 1));
    array<int> down = gpu::arange<int>(n);
    down(slice(0, n - 1)) = down(slice(1, n));
    array<int> sums = gpu::arange<int>(n);
    sums(slice(1, none)) += sums(slice(none, -1));
    array<int> doubled = gpu::arange<int>(n);
    doubled(slice(0, -1)) = doubled(slice(1, none)) * 2;
    const std::vector<int> u = gpu::to_host(up);
    const std::vector<int> d = gpu::to_host(down);
    const std::vector<int> s = gpu::to_host(sums);
    const std::vector<int> t = gpu::to_host(doubled);
    for (int i = 0; i < n; ++i) {
      const auto k = static_cast<std::size_t>(i);
      ASSERT_EQ(u[k], i > 0 ? i - 1 : 0);
      ASSERT_EQ(d[k], i < n - 1 ? i + 1 : i);
      ASSERT_EQ(s[k], i > 0 ? 2 * i - 1 : 0);
      ASSERT_EQ(t[k], i < n - 1 ? 2 * (i + 1) : i);
    }
  });
}

TEST(Overlap, ShiftRowsAndColumns) {
  on_every_device([] {
    array<int> a = matrix(400, 300);
    a(slice(1, none)) = a(slice(none, -1));
    expect_matrix(a, [](int i, int j) { return 300 * (i > 0 ? i - 1 : 0) + j; });
    array<int> b = matrix(400, 300);
    b(slice(), slice(1, none)) += b(slice(), slice(none, -1));
    expect_matrix(b, [](int i, int j) { return 300 * i + j + (j > 0 ? 300 * i + j - 1 : 0); });
  });
}

TEST(Overlap, Reversed) {
  on_every_device([] {
    array<int> a = matrix(3, 2);
    a = gpu::flip(a);
    expect_values(a, {3, 2}, {5, 4, 3, 2, 1, 0});
    a(ellipsis) = gpu::flip(a, 1);
    expect_values(a, {3, 2}, {4, 5, 2, 3, 0, 1});
    a += gpu::flip(a);
    expect_values(a, {3, 2}, {5, 5, 5, 5, 5, 5});
    array<int> b = gpu::arange<int>(100001);
    b(slice(none, none, -1)) = b;
    b -= gpu::arange<int>(100000, -1, -1);
    EXPECT_EQ(gpu::to_host(b), std::vector<int>(100001, 0));
  });
}

TEST(Overlap, PartsOfItself) {
  on_every_device([] {
    array<int> a = matrix(3, 3) + 1;
    a -= a(0);
    expect_values(a, {3, 3}, {0, 0, 0, 3, 3, 3, 6, 6, 6});
    array<int> b = matrix(3, 3) + 1;
    b *= b(slice(), slice(1, 2));
    expect_values(b, {3, 3}, {2, 4, 6, 20, 25, 30, 56, 64, 72});
    array<int> c = matrix(300, 300) + 1;
    c(ellipsis) = c - c(299, 299);
    expect_matrix(c, [](int i, int j) { return 300 * i + j - 89999; });
    array<int> d = gpu::arange<int>(10);
    d(slice(none, none, 2)) = d(slice(1, none, 2));  // interleaved: no element is shared
    expect_values(d, {1, 1, 3, 3, 5, 5, 7, 7, 9, 9});
    d(slice(0, 5)) = d(slice(none, none, 2)) + d(slice(9, 4, -1));
    expect_values(d, {10, 12, 12, 14, 14, 5, 7, 7, 9, 9});
  });
}

TEST(Overlap, ExactlyTheSameElementsInPlace) {
  on_every_device([] {
    array<int> a = matrix(3, 3);
    const gpu::view<int> t = a.T();
    t += t;
    expect_values(a, {3, 3}, {0, 2, 4, 6, 8, 10, 12, 14, 16});
    const gpu::view<int> reversed = a(ellipsis, slice(none, none, -1));
    reversed = reversed - 1;
    expect_values(a, {3, 3}, {-1, 1, 3, 5, 7, 9, 11, 13, 15});
    a(slice(none, none, 2)) *= a(slice(none, none, 2));
    expect_values(a, {3, 3}, {1, 1, 9, 5, 7, 9, 121, 169, 225});
    const auto& same = t;
    t = same;
    expect_values(a, {3, 3}, {1, 1, 9, 5, 7, 9, 121, 169, 225});
  });
}

TEST(Overlap, ComplexParts) {
  on_every_device([] {
    using c = complex<double>;
    array<c> z{c(1, 2), c(3, 4)};
    gpu::real(z) += gpu::imag(z);
    expect_values(z, {c(3, 2), c(7, 4)});
    z *= gpu::real(z);
    expect_values(z, {c(9, 6), c(49, 28)});
    gpu::imag(z) = gpu::real(z);
    expect_values(z, {c(9, 9), c(49, 49)});
    gpu::imag(z)(slice(none, none, -1)) = gpu::real(z) + 1;
    expect_values(z, {c(9, 50), c(49, 10)});
    z = z + gpu::imag(z);
    expect_values(z, {c(59, 50), c(59, 10)});
    array<c> w{c(1, 2), c(3, 4)};
    w(ellipsis) = gpu::real(w(slice(none, none, -1))) * c(0, 1);
    expect_values(w, {c(0, 3), c(0, 1)});
  });
}

TEST(Overlap, ReshapedAndNarrower) {
  const gpu::without_pool freed_memory_is_gone;
  on_every_device([] {
    array<int> a = matrix(2, 3);
    gpu::reshape(a, {3, 2})(ellipsis) = a.T();
    expect_values(a, {2, 3}, {0, 3, 1, 4, 2, 5});
    gpu::ravel(a)(slice(0, 3)) = a(1);
    expect_values(a, {2, 3}, {4, 2, 5, 4, 2, 5});
    gpu::diagonal(a) = a(0, slice(1, none));
    expect_values(a, {2, 3}, {2, 2, 5, 4, 5, 5});
    a(slice(), 0) = gpu::diagonal(a, {.offset = 1});
    expect_values(a, {2, 3}, {2, 2, 5, 5, 5, 5});
  });
}

}  // namespace
