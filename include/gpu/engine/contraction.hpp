/// @file
/// `dot`, `inner`, `outer`, `vdot` and `tensordot` as one matrix product of transposed and reshaped operands.
#pragma once

#include <cstdint>

#include "../core/config.hpp"
#include "../core/error.hpp"
#include "../core/shape.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

/// `result = reshape(matmul(reshape(transpose(a, a_axes), a_matrix), reshape(transpose(b, b_axes), b_matrix)),
/// result)`. A rank 0 operand takes part as one element, so products with scalars need no case of their own.
struct contraction {
  index_vector a_axes;
  shape a_matrix;  ///< (m,k), or (k) for a product of two vectors
  index_vector b_axes;
  shape b_matrix;  ///< (k,n), or (k)
  shape result;
};

/// `dot(a, b)`: the last axis of a against the second-to-last of b. @throws shape_error "shapes (2,3) and (4,5) not
/// aligned: 3 (dim 1) != 4 (dim 0)".
[[nodiscard]] contraction dot_contraction(const shape& a, const shape& b);

/// `inner(a, b)`: the last axes against each other. @throws shape_error as dot.
[[nodiscard]] contraction inner_contraction(const shape& a, const shape& b);

/// `outer(a, b)` of the flattened operands.

/// `vdot(a, b)` of the flattened operands; conjugating a is the caller's business (see `plan_matmul`).
/// @throws shape_error if the sizes differ.
[[nodiscard]] contraction vdot_contraction(const shape& a, const shape& b);

/// `tensordot(a, b, axes)`: the last `axes` axes of a against the first of b; a negative number counts as 0.
/// @throws shape_error "shape-mismatch for sum"; axis_error for more axes than there are.
[[nodiscard]] contraction tensordot_contraction(const shape& a, const shape& b, std::int64_t axes);

/// `tensordot(a, b, axes=(a_axes, b_axes))`. @throws shape_error "shape-mismatch for sum" or for a repeated axis;
/// axis_error for an axis out of range.
[[nodiscard]] contraction tensordot_contraction(const shape& a, const shape& b, const index_vector& a_axes,
                                                const index_vector& b_axes);

namespace products {

/// The product of some extents; larger than any array only where another axis is empty.
[[nodiscard]] inline std::int64_t product(const shape& s, const index_vector& axes) {
  shape chosen;
  for (const std::int64_t axis : axes) chosen.push_back(s[static_cast<int>(axis)]);
  std::int64_t n = 1;
  for (const std::int64_t extent : chosen) {
    if (__builtin_mul_overflow(n, extent, &n)) detail::raise<shape_error>("array is too big: shape ", chosen);
  }
  return n;
}

[[nodiscard]] inline index_vector all_axes(const shape& s) {
  index_vector axes;
  for (int i = 0; i < s.rank(); ++i) axes.push_back(i);
  return axes;
}

/// Contracts the given axes (normalised, distinct, of matching extents) of a with those of b, in that order.
[[nodiscard]] inline contraction contract(const shape& a, const shape& b, const index_vector& a_summed,
                                          const index_vector& b_summed) {
  const auto kept_axes = [](const shape& s, const index_vector& summed) {
    index_vector kept;
    for (int axis = 0; axis < s.rank(); ++axis) {
      bool is_summed = false;
      for (const std::int64_t other : summed) is_summed = is_summed || other == axis;
      if (!is_summed) kept.push_back(axis);
    }
    return kept;
  };
  const index_vector a_kept = kept_axes(a, a_summed);
  const index_vector b_kept = kept_axes(b, b_summed);
  contraction c;
  c.a_axes = a_kept;
  for (const std::int64_t axis : a_summed) c.a_axes.push_back(axis);
  c.b_axes = b_summed;
  for (const std::int64_t axis : b_kept) c.b_axes.push_back(axis);
  index_vector result;
  for (const std::int64_t axis : a_kept) result.push_back(a[static_cast<int>(axis)]);
  for (const std::int64_t axis : b_kept) result.push_back(b[static_cast<int>(axis)]);
  c.result = shape(result);
  c.a_matrix = shape{product(a, a_kept), product(a, a_summed)};
  c.b_matrix = shape{product(b, b_summed), product(b, b_kept)};
  return c;
}

/// Contracts one axis of each operand, or none where one is a scalar.
[[nodiscard]] inline contraction contract_pair(const shape& a, const shape& b, int a_axis, int b_axis) {
  if (a.rank() == 0 || b.rank() == 0) return contract(a, b, {}, {});
  if (a[a_axis] != b[b_axis]) {
    detail::raise<shape_error>("shapes ", a, " and ", b, " not aligned: ", a[a_axis], " (dim ", a_axis,
                               ") != ", b[b_axis], " (dim ", b_axis, ")");
  }
  return contract(a, b, {a_axis}, {b_axis});
}

}  // namespace products

inline contraction dot_contraction(const shape& a, const shape& b) {
  return products::contract_pair(a, b, a.rank() - 1, b.rank() > 1 ? b.rank() - 2 : 0);
}

inline contraction inner_contraction(const shape& a, const shape& b) {
  return products::contract_pair(a, b, a.rank() - 1, b.rank() - 1);
}

inline contraction vdot_contraction(const shape& a, const shape& b) {
  if (a.size() != b.size()) {
    detail::raise<shape_error>("cannot reshape array of size ", b.size(), " into shape (", a.size(),
                               ",): vdot of shapes ", a, " and ", b);
  }
  return {products::all_axes(a), shape{a.size()}, products::all_axes(b), shape{b.size()}, shape{}};
}

inline contraction tensordot_contraction(const shape& a, const shape& b, std::int64_t axes) {
  index_vector a_axes;
  index_vector b_axes;
  for (std::int64_t i = 0; i < axes; ++i) {
    a_axes.push_back(normalize_axis(i - axes, a.rank()));
    b_axes.push_back(normalize_axis(i, b.rank()));
  }
  return tensordot_contraction(a, b, a_axes, b_axes);
}

inline contraction tensordot_contraction(const shape& a, const shape& b, const index_vector& a_axes,
                                         const index_vector& b_axes) {
  if (a_axes.rank() != b_axes.rank()) {
    detail::raise<shape_error>("shape-mismatch for sum: axes ", a_axes, " and ", b_axes, " differ in number");
  }
  index_vector a_summed;
  index_vector b_summed;
  const auto add = [](index_vector& summed, std::int64_t axis, const shape& s) {
    const int normalized = normalize_axis(axis, s.rank());
    for (const std::int64_t other : summed) {
      if (other == normalized) detail::raise<shape_error>("axes don't match array: axis ", axis, " is repeated");
    }
    summed.push_back(normalized);
    return s[normalized];
  };
  for (int i = 0; i < a_axes.rank(); ++i) {
    const std::int64_t from_a = add(a_summed, a_axes[i], a);
    const std::int64_t from_b = add(b_summed, b_axes[i], b);
    if (from_a != from_b) {
      detail::raise<shape_error>("shape-mismatch for sum: axis ", a_axes[i], " of shape ", a, " and axis ", b_axes[i],
                                 " of shape ", b);
    }
  }
  return products::contract(a, b, a_summed, b_summed);
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
