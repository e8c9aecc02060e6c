/// @file
/// Division by one number for a whole array: the same as division element by element.
#include "gpu/engine/ops/invariant_divisor.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "gpu/engine/ops/division.hpp"

namespace {

namespace ops = gpu::ops;

template <class T>
void expect_same(T a, T b) {
  const ops::detail::invariant_divisor<T> by(b);
  const auto text = [&] { return std::to_string(a) + " and " + std::to_string(b); };
  ASSERT_EQ(by.floor(a), ops::floor_divide{}(a, b)) << text();
  ASSERT_EQ(by.floor_remainder(a), ops::remainder{}(a, b)) << text();
  ASSERT_EQ(by.truncated_remainder(a), ops::fmod{}(a, b)) << text();
}

template <class T>
void expect_same_for_all() {
  for (int a = std::numeric_limits<T>::min(); a <= std::numeric_limits<T>::max(); ++a) {
    for (int b = std::numeric_limits<T>::min(); b <= std::numeric_limits<T>::max(); ++b) {
      expect_same(static_cast<T>(a), static_cast<T>(b));
    }
  }
}

/// Powers of two, their neighbours and multiples of small numbers, and what lies in between.
template <class T>
std::vector<T> samples() {
  std::vector<T> values{0, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
  for (int bit = 0; bit < std::numeric_limits<T>::digits; ++bit) {
    const auto power = static_cast<std::uint64_t>(1) << bit;
    for (const std::uint64_t value : {power - 1, power, power + 1, power * 7 / 3, power * 641 + 6}) {
      values.push_back(static_cast<T>(value));
      values.push_back(static_cast<T>(0 - value));
    }
  }
  return values;
}

template <class T>
void expect_same_for_samples() {
  const std::vector<T> values = samples<T>();
  for (const T a : values) {
    for (const T b : values) expect_same(a, b);
  }
}

TEST(invariant_divisor, agrees_for_every_pair_of_bytes) {
  expect_same_for_all<std::int8_t>();
  expect_same_for_all<std::uint8_t>();
}

TEST(invariant_divisor, agrees_at_the_edges_of_larger_types) {
  expect_same_for_samples<std::int16_t>();
  expect_same_for_samples<std::uint16_t>();
  expect_same_for_samples<std::int32_t>();
  expect_same_for_samples<std::uint32_t>();
  expect_same_for_samples<std::int64_t>();
  expect_same_for_samples<std::uint64_t>();
}

}  // namespace
