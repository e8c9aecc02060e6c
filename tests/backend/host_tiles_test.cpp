/// @file
/// How the host moves blocks of elements: transposes of every size and shape, and large targets that are written past
/// the caches. Expected values are positions, so every element is told apart.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "gpu/backend/host/elementwise.hpp"
#include "gpu/creation.hpp"
#include "gpu/manipulation.hpp"

namespace {

using gpu::array;
using gpu::shape;
using gpu::slice;

/// Copies every block of up to 20 x 20 elements out of a larger one, between every pair of orders.
void copies_blocks(std::int64_t itemsize) {
  SCOPED_TRACE(itemsize);
  constexpr std::int64_t side = 20;
  constexpr std::int64_t padded = 23;
  std::vector<unsigned char> from(static_cast<std::size_t>(padded * padded * itemsize));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i * 37 + i / 256 * 11);
  for (std::int64_t rows = 1; rows <= side; ++rows) {
    for (std::int64_t columns = 1; columns <= side; ++columns) {
      for (const bool from_transposed : {false, true}) {
        for (const bool to_transposed : {false, true}) {
          std::vector<unsigned char> to(from.size(), 0xee);
          const std::int64_t small = itemsize;
          const std::int64_t large = padded * itemsize;
          const std::int64_t from_row = from_transposed ? small : large;
          const std::int64_t from_column = from_transposed ? large : small;
          const std::int64_t to_row = to_transposed ? small : large;
          const std::int64_t to_column = to_transposed ? large : small;
          gpu::host::copy_elements(to.data(), to_row, to_column, from.data(), from_row, from_column, rows, columns,
                                   itemsize);
          std::vector<unsigned char> expected(from.size(), 0xee);
          for (std::int64_t r = 0; r < rows; ++r) {
            for (std::int64_t c = 0; c < columns; ++c) {
              for (std::int64_t b = 0; b < itemsize; ++b) {
                expected[static_cast<std::size_t>(r * to_row + c * to_column + b)] =
                    from[static_cast<std::size_t>(r * from_row + c * from_column + b)];
              }
            }
          }
          ASSERT_EQ(to, expected) << rows << " x " << columns << ", " << from_transposed << " to " << to_transposed;
        }
      }
    }
  }
}

TEST(HostTiles, CopyBlocksOfElementsOfEverySize) {
  for (const std::int64_t itemsize : {1, 2, 3, 4, 8, 12, 16, 24}) copies_blocks(itemsize);
}

TEST(HostTiles, StreamedBytesArriveAtEveryAlignment) {
  std::vector<unsigned char> from(400);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<unsigned char>(i + 1);
  for (std::size_t offset = 0; offset < 70; ++offset) {
    for (std::size_t n = 0; n < 200; ++n) {
      std::vector<unsigned char> to(400, 0);
      gpu::host::stream_bytes(to.data() + offset, from.data() + offset % 7, static_cast<std::int64_t>(n));
      gpu::host::finish_streaming();
      std::vector<unsigned char> expected(400, 0);
      std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(offset % 7), n,
                  expected.begin() + static_cast<std::ptrdiff_t>(offset));
      ASSERT_EQ(to, expected) << offset << ", " << n;
    }
  }
}

/// A target of more than `streaming_threshold` bytes, in neither dimension a multiple of a tile.
template <class T>
shape large_shape() {
  const std::int64_t columns = 4099;
  return shape{gpu::host::streaming_threshold / static_cast<std::int64_t>(sizeof(T)) / columns + 3, columns};
}

/// The first element that is not `value(row, column)`, as a row and a column.
template <class T, class Value>
testing::AssertionResult equals(const array<T>& a, const Value& value) {
  const auto x = a.template span<2>();
  for (std::int64_t i = 0; i < a.shape()[0]; ++i) {
    for (std::int64_t j = 0; j < a.shape()[1]; ++j) {
      if (x(i, j) != static_cast<T>(value(i, j))) {
        return testing::AssertionFailure() << "at " << i << ", " << j << ": " << double(x(i, j));
      }
    }
  }
  return testing::AssertionSuccess();
}

template <class T>
class HostLargeTarget : public testing::Test {};
using types = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(HostLargeTarget, types);

TYPED_TEST(HostLargeTarget, EveryLayoutOfOperands) {
  using T = TypeParam;
  const gpu::device_guard on(gpu::device::host());
  const shape extents = large_shape<T>();
  const std::int64_t rows = extents[0], columns = extents[1];
  array<T> a = gpu::empty<T>(extents);
  array<T> b = gpu::empty<T>({columns, rows});
  array<T> row = gpu::empty<T>({columns});
  array<T> column = gpu::empty<T>({rows, 1});
  const auto wa = a.template span<2>();
  const auto wb = b.template span<2>();
  for (std::int64_t i = 0; i < rows; ++i) {
    column.template span<2>()(i, 0) = static_cast<T>(i * 3);
    for (std::int64_t j = 0; j < columns; ++j) {
      wa(i, j) = static_cast<T>(i * 7 + j);
      wb(j, i) = static_cast<T>(i + j * 5);
    }
  }
  for (std::int64_t j = 0; j < columns; ++j) row.template span<1>()(j) = static_cast<T>(j * 11);

  array<T> out = a + a;
  EXPECT_TRUE(equals(out, [](auto i, auto j) { return 2 * (i * 7 + j); }));
  out = a + b.T();
  EXPECT_TRUE(equals(out, [](auto i, auto j) { return i * 7 + j + i + j * 5; }));
  out = b.T() + b.T();
  EXPECT_TRUE(equals(out, [](auto i, auto j) { return 2 * (i + j * 5); }));
  out = a + row;
  EXPECT_TRUE(equals(out, [](auto i, auto j) { return i * 7 + j + j * 11; }));
  out = a + column;
  EXPECT_TRUE(equals(out, [](auto i, auto j) { return i * 7 + j + i * 3; }));
  out = row + column;
  EXPECT_TRUE(equals(out, [](auto i, auto j) { return j * 11 + i * 3; }));
  out = a(gpu::slice({}, {}, -1)) + a;
  EXPECT_TRUE(equals(out, [=](auto i, auto j) { return (rows - 1 - i) * 7 + j + i * 7 + j; }));
  // In place: the target is an operand and is not streamed.
  out = a;
  out += b.T();
  EXPECT_TRUE(equals(out, [](auto i, auto j) { return i * 7 + j + i + j * 5; }));
  // Rows of the target with gaps between them, which stay as they were.
  array<T> wide = gpu::full<T>({rows, columns + 5}, T(9));
  wide(slice(), slice(2, columns + 2)) = a + b.T();
  EXPECT_TRUE(
      equals(wide, [=](auto i, auto j) { return j < 2 || j >= columns + 2 ? 9 : i * 7 + (j - 2) + i + (j - 2) * 5; }));
}

}  // namespace
