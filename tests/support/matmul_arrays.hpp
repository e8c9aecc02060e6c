/// @file
/// Strided arrays of any type with small integer values, and matrix products of them by plain loops: exact, whatever
/// the order of summation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "gpu/core/strided.hpp"
#include "gpu/core/types.hpp"
#include "gpu/engine/make_matmul_plan.hpp"

namespace test_matmul {

using gpu::dtype;
using gpu::index_vector;
using gpu::shape;

/// An element of any type: all values here are integers, wrapped to 64 bits.
struct number {
  std::uint64_t re = 0;
  std::uint64_t im = 0;

  friend bool operator==(const number&, const number&) = default;
};

inline number load(dtype type, const void* from) {
  return gpu::visit_dtype(type, [&]<class T>(std::type_identity<T>) -> number {
    const T value = *static_cast<const T*>(from);
    const auto integer = [](auto part) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(part)); };
    if constexpr (gpu::complex_number<T>) {
      return {integer(value.re), integer(value.im)};
    } else {
      return {integer(value), 0};
    }
  });
}

/// Wraps to integer types and rounds to floating ones, once.
inline void store(dtype type, void* to, number value) {
  gpu::visit_dtype(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (gpu::complex_number<T>) {
      using real = typename T::value_type;
      *static_cast<T*>(to) = T(static_cast<real>(static_cast<std::int64_t>(value.re)),
                               static_cast<real>(static_cast<std::int64_t>(value.im)));
    } else {
      *static_cast<T*>(to) = static_cast<T>(static_cast<std::int64_t>(value.re));
    }
  });
}

/// A strided array inside a larger buffer.
struct array {
  dtype type = dtype::float32;
  std::vector<std::byte> memory;
  std::int64_t first = 0;
  shape extents;
  index_vector strides;  // elements

  [[nodiscard]] std::int64_t itemsize() const { return static_cast<std::int64_t>(gpu::itemsize(type)); }
  [[nodiscard]] std::byte* at(std::int64_t offset) { return memory.data() + (first + offset) * itemsize(); }
  [[nodiscard]] const std::byte* at(std::int64_t offset) const { return memory.data() + (first + offset) * itemsize(); }
  [[nodiscard]] index_vector byte_strides() const {
    index_vector bytes = strides;
    for (int i = 0; i < bytes.rank(); ++i) bytes[i] *= itemsize();
    return bytes;
  }
  [[nodiscard]] gpu::strided_ref ref() { return {at(0), type, extents, byte_strides()}; }
  [[nodiscard]] gpu::const_strided_ref ref() const { return {at(0), type, extents, byte_strides()}; }
};

/// Elements lie dense in the order of `axes` (outermost first), `steps[axis]` apart: negative is reversed, 0 is
/// broadcast.
inline array make_array(dtype type, const shape& extents, const index_vector& axes, const index_vector& steps) {
  array a;
  a.type = type;
  a.extents = extents;
  a.strides = index_vector(extents.rank(), 0);
  std::int64_t step = 1;
  for (int i = extents.rank() - 1; i >= 0; --i) {
    const int axis = static_cast<int>(axes[i]);
    a.strides[axis] = step * steps[axis];
    const std::int64_t span = steps[axis] < 0 ? -steps[axis] : steps[axis];
    if (a.strides[axis] < 0 && extents[axis] > 0) a.first -= a.strides[axis] * (extents[axis] - 1);
    if (span != 0 && extents[axis] > 0) step *= span * extents[axis];
  }
  a.memory.resize(static_cast<std::size_t>((step + 1) * a.itemsize()));
  for (std::int64_t i = 0; i <= step; ++i) {
    const std::int64_t value = (i * 7 + i / 5) % 7 - 3;
    const std::int64_t imaginary = type >= dtype::complex64 ? i % 5 - 2 : 0;
    store(
        type, a.at(i - a.first),
        {static_cast<std::uint64_t>(type == dtype::bool_ ? value == 1 : value), static_cast<std::uint64_t>(imaginary)});
  }
  return a;
}

inline array dense_array(dtype type, const shape& extents) {
  index_vector axes;
  for (int i = 0; i < extents.rank(); ++i) axes.push_back(i);
  return make_array(type, extents, axes, index_vector(extents.rank(), 1));
}

template <class F>
void for_each_index(const shape& extents, const F& f) {
  index_vector at(extents.rank(), 0);
  for (std::int64_t i = 0; i < extents.size(); ++i) {
    std::int64_t rest = i;
    for (int axis = extents.rank() - 1; axis >= 0; --axis) {
      at[axis] = rest % extents[axis];
      rest /= extents[axis];
    }
    f(at);
  }
}

inline array dense_copy(const gpu::const_strided_ref& r) {
  array copy = dense_array(r.type, r.extents);
  std::int64_t i = 0;
  for_each_index(r.extents, [&](const index_vector& at) {
    const char* from = static_cast<const char*>(r.data);
    for (int axis = 0; axis < at.rank(); ++axis) from += r.strides[axis] * at[axis];
    store(r.type, copy.at(i++), load(r.type, from));
  });
  return copy;
}

inline std::vector<number> numbers(const array& a) {
  std::vector<number> all;
  const std::int64_t count = static_cast<std::int64_t>(a.memory.size()) / a.itemsize();
  for (std::int64_t i = 0; i < count; ++i) all.push_back(load(a.type, a.at(i - a.first)));
  return all;
}

/// What NumPy computes, dense in C order.
inline array expected_product(const array& a, const array& b, bool conjugated) {
  array result = dense_array(a.type, gpu::engine::matmul_shape(a.extents, b.extents));
  const std::vector<number> from_a = numbers(a);
  const std::vector<number> from_b = numbers(b);
  const int a_rank = a.extents.rank();
  const int b_rank = b.extents.rank();
  const int core = (a_rank > 1) + (b_rank > 1);
  const std::int64_t a_step = a.strides[a_rank - 1];
  const std::int64_t b_step = b.strides[b_rank > 1 ? b_rank - 2 : 0];
  std::int64_t position = 0;
  for_each_index(result.extents, [&](const index_vector& at) {
    std::int64_t a_at = a.first;
    std::int64_t b_at = b.first;
    for (int i = 1; i <= result.extents.rank() - core; ++i) {
      const std::int64_t step = at[result.extents.rank() - core - i];
      if (a_rank - 2 - i >= 0 && a.extents[a_rank - 2 - i] > 1) a_at += step * a.strides[a_rank - 2 - i];
      if (b_rank - 2 - i >= 0 && b.extents[b_rank - 2 - i] > 1) b_at += step * b.strides[b_rank - 2 - i];
    }
    if (a_rank > 1) a_at += at[result.extents.rank() - core] * a.strides[a_rank - 2];
    if (b_rank > 1) b_at += at[result.extents.rank() - 1] * b.strides[b_rank - 1];
    number sum;
    for (std::int64_t k = 0; k < a.extents.back(); ++k) {
      const number& x = from_a[static_cast<std::size_t>(a_at + k * a_step)];
      const number& y = from_b[static_cast<std::size_t>(b_at + k * b_step)];
      const std::uint64_t im = conjugated ? 0 - x.im : x.im;
      sum.re += x.re * y.re - im * y.im;
      sum.im += x.re * y.im + im * y.re;
    }
    if (a.type == dtype::bool_) sum.re = sum.re != 0;
    store(result.type, result.at(position++), sum);
  });
  return result;
}

}  // namespace test_matmul
