/// @file
/// Arrays of indices: nonzero, argwhere, unravel_index, ix_, tril_indices and their kin. What NumPy returns as a tuple
/// of arrays is a `std::vector` of them, with which an array is indexed as it is: `a(gpu::nonzero(m))`.
#pragma once

#include <cstdint>
#include <vector>

#include "creation.hpp"
#include "engine/ops/astype.hpp"
#include "manipulation.hpp"
#include "operators.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

namespace engine {

/// Whether each element counts as true, as memory of bools.
template <array_like A>
[[nodiscard]] detail::storage truth_of(const A& a) {
  if constexpr (boolean<value_t<A>>) {
    return as_storage(a);
  } else {
    return evaluate<bool>(apply(ops::not_equal{}, a, value_t<A>(0)));
  }
}

using index_list = std::vector<array<std::int64_t>>;

[[nodiscard]] inline index_list unravel_positions(const detail::storage& positions, const shape& extents) {
  index_list result;
  for (int axis = 0; axis < extents.rank(); ++axis) {
    result.emplace_back(detail::storage(unravel_axis(positions, extents, axis)));
  }
  return result;
}

}  // namespace engine

/// The positions, in the array read in C order, of the elements that are not 0. Waits for the device: their number
/// depends on data.
template <array_like A>
[[nodiscard]] array<std::int64_t> flatnonzero(const A& a) {
  return array<std::int64_t>(engine::positions_of(engine::truth_of(a), "flatnonzero"));
}

/// The indices of the elements that are not 0, in C order: an array for each axis. Waits for the device.
/// @throws shape_error for an array of no dimensions.
template <array_like A>
[[nodiscard]] std::vector<array<std::int64_t>> nonzero(const A& a) {
  if (a.ndim() == 0) {
    detail::raise<shape_error>(
        "Calling nonzero on 0d arrays is not allowed. Use np.atleast_1d(scalar).nonzero() instead: reshape to {1}");
  }
  return engine::unravel_positions(engine::positions_of(engine::truth_of(a), "nonzero"), a.shape());
}

/// `where` with a condition alone: its `nonzero`. Waits for the device. @throws shape_error
template <array_like A>
[[nodiscard]] std::vector<array<std::int64_t>> where(const A& condition) {
  return nonzero(condition);
}

/// The indices of the elements that are not 0, a row for each. Waits for the device.
template <array_like A>
[[nodiscard]] array<std::int64_t> argwhere(const A& a) {
  const array<std::int64_t> positions = flatnonzero(a);
  array<std::int64_t> result = empty<std::int64_t>({positions.size(), a.ndim()});
  for (int axis = 0; axis < a.ndim(); ++axis) {
    result(slice(), axis) =
        view<std::int64_t>(detail::storage(engine::unravel_axis(positions.storage(), a.shape(), axis)));
  }
  return result;
}

/// The indices along each axis of an array of shape `shape` of the elements at `positions`, which count in C or F
/// order. Does not wait. Positions out of range are an error on the host; on a GPU they wrap around.
/// @throws shape_error "index 7 is out of bounds for array with size 6".
template <array_like A>
  requires integer<value_t<A>>
[[nodiscard]] std::vector<array<std::int64_t>> unravel_index(const A& positions, const shape& shape,
                                                             const order_options& options = {}) {
  if (shape.size() == 0 && positions.size() != 0) {
    detail::raise<shape_error>("unravel_index: index out of bounds for array with size 0, of shape ", shape);
  }
  const index_vector strides = contiguous_strides(shape, options.order);
  std::vector<array<std::int64_t>> result;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const std::int64_t extent = shape[axis] > 0 ? shape[axis] : 1;
    const ops::checked_index_digit digit{strides[axis], extent, shape.size()};
    result.emplace_back(engine::apply(digit, positions));
  }
  return result;
}

/// Keyword arguments of `ravel_multi_index`.
struct ravel_multi_index_options {
  keyword_only _{};
  index_mode mode = index_mode::raise;  ///< for indices out of range, of which negative ones are some
  gpu::order order = gpu::order::C;
};

/// The positions, in C or F order, in an array of shape `dims` of the elements with these indices: integer arrays that
/// broadcast, one for each axis. Does not wait. With the mode `raise`, indices out of range are an error on the host;
/// on a GPU the nearest index takes their place.
/// @throws shape_error for another number of arrays than axes, or "invalid entry in coordinates array".
template <class T>
  requires integer<T>
[[nodiscard]] array<std::int64_t> ravel_multi_index(const std::vector<array<T>>& multi_index, const shape& dims,
                                                    const ravel_multi_index_options& options = {}) {
  if (static_cast<int>(multi_index.size()) != dims.rank()) {
    detail::raise<shape_error>("ravel_multi_index: parameter multi_index must be a sequence of length ", dims.rank(),
                               ", not ", multi_index.size());
  }
  shape all;
  for (const array<T>& a : multi_index) all = detail::broadcast_pair(all, a.shape(), "ravel_multi_index");
  const index_vector strides = contiguous_strides(dims, options.order);
  const device_guard there(multi_index.empty() ? current_device() : multi_index[0].device());
  array<std::int64_t> result = zeros<std::int64_t>(all);
  for (int axis = 0; axis < dims.rank() && all.size() != 0; ++axis) {
    if (dims[axis] == 0) {
      detail::raise<shape_error>("ravel_multi_index: invalid entry in coordinates array: axis ", axis,
                                 " of dims is empty: ", dims);
    }
    const ops::ravel_step step{strides[axis], dims[axis], options.mode};
    result = array<std::int64_t>(engine::apply(step, result, multi_index[static_cast<std::size_t>(axis)]));
  }
  return result;
}

namespace engine {

/// One argument of `ix_`, along axis `axis` of `count`.
template <array_like A>
void append_grid_axis(index_list& grid, const A& values, int axis, int count) {
  if (values.ndim() != 1) {
    detail::raise<shape_error>("Cross index must be 1 dimensional: argument ", axis, " of ix_ has shape ",
                               values.shape());
  }
  array<std::int64_t> indices;
  if constexpr (boolean<value_t<A>>) {
    indices = array<std::int64_t>(positions_of(as_storage(values), "ix_ of a boolean array"));
  } else {
    indices = array<std::int64_t>(apply(ops::astype<std::int64_t>{}, values));
  }
  index_vector extents(count, 1);
  extents[axis] = indices.size();
  detail::storage data = indices.storage();
  data.where = contiguous_layout(shape(extents));
  grid.emplace_back(std::move(data));
}

}  // namespace engine

/// An open grid: each argument, integers of one dimension or booleans that count as their `nonzero` (which waits),
/// along an axis of its own, so that `a(ix_(rows, columns))` is every pair. @throws shape_error for other ranks.
template <array_like... Arrays>
  requires((integer<value_t<Arrays>> || boolean<value_t<Arrays>>) && ...)
[[nodiscard]] std::vector<array<std::int64_t>> ix_(const Arrays&... arrays) {
  engine::index_list grid;
  int axis = 0;
  (engine::append_grid_axis(grid, arrays, axis++, static_cast<int>(sizeof...(Arrays))), ...);
  return grid;
}

/// The indices of the main diagonal of an array of `ndim` axes of extent `n`: an array for each axis. Does not wait.
/// @throws shape_error for a negative extent
[[nodiscard]] inline std::vector<array<std::int64_t>> diag_indices(std::int64_t n, int ndim = 2) {
  const shape extents{n};
  std::vector<array<std::int64_t>> result(ndim > 0 ? static_cast<std::size_t>(ndim) : 0);
  for (array<std::int64_t>& indices : result) indices = arange(extents[0]);
  return result;
}

/// Keyword arguments of `tril_indices` and `triu_indices`.
struct tri_indices_options {
  keyword_only _{};
  std::int64_t k = 0;   ///< the diagonal that bounds them: above the main one if positive
  std::int64_t m = -1;  ///< columns; as many as rows by default
};

namespace engine {

/// The entries of a triangle, counted in C order, as a row and a column. Row `i` has its first `clip(i + k + 1)`
/// columns below the bound.
struct triangle_rows {
  std::int64_t rows;
  std::int64_t columns;
  std::int64_t k;  ///< below the diagonal `k`, itself included

  [[nodiscard]] constexpr std::int64_t in_row(std::int64_t row) const noexcept {
    const std::int64_t n = row + k + 1;
    return n < 0 ? 0 : n < columns ? n : columns;
  }
  /// Entries in rows before `row`: the sum of a ramp that is cut at 0 and at `columns`.
  [[nodiscard]] constexpr std::int64_t before(std::int64_t row) const noexcept {
    return static_cast<std::int64_t>(ramp(row + k) - ramp(k) - (ramp(row + k - columns) - ramp(k - columns)));
  }

 private:
  /// 1 + 2 + ... + n, modulo 2^64: differences are right even where the sums are larger.
  [[nodiscard]] static constexpr std::uint64_t ramp(std::int64_t n) noexcept {
    if (n <= 0) return 0;
    const auto u = static_cast<std::uint64_t>(n);
    return u % 2 == 0 ? u / 2 * (u + 1) : (u + 1) / 2 * u;
  }
};

/// Entry `i` of the lower triangle, or of what is above it.
struct triangle_entry {
  triangle_rows lower;
  bool upper;
  bool column;

  [[nodiscard]] constexpr std::int64_t before(std::int64_t row) const noexcept {
    return upper ? row * lower.columns - lower.before(row) : lower.before(row);
  }
  [[nodiscard]] constexpr std::int64_t operator()(std::int64_t i) const noexcept {
    std::int64_t low = 0;
    std::int64_t high = lower.rows;  // before(low) <= i < before(high)
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (before(middle) <= i ? low : high) = middle;
    }
    if (!column) return low;
    return i - before(low) + (upper ? lower.in_row(low) : 0);
  }
};

[[nodiscard]] inline index_list triangle_indices(std::int64_t n, const tri_indices_options& options, bool upper) {
  const shape extents{n, options.m == -1 ? n : options.m};
  const std::int64_t k = detail::nearest_diagonal(options.k, extents[0], extents[1]);
  const triangle_rows lower{extents[0], extents[1], upper ? k - 1 : k};
  const std::int64_t count = upper ? extents.size() - lower.before(extents[0]) : lower.before(extents[0]);
  index_list result;
  for (const bool column : {false, true}) {
    result.emplace_back(generate<std::int64_t>(shape{count}, current_device(), triangle_entry{lower, upper, column}));
  }
  return result;
}

}  // namespace engine

/// The rows and columns of the lower triangle of a matrix of `n` rows, in C order. Does not wait. @throws shape_error
[[nodiscard]] inline std::vector<array<std::int64_t>> tril_indices(std::int64_t n,
                                                                   const tri_indices_options& options = {}) {
  return engine::triangle_indices(n, options, false);
}
/// The rows and columns of the upper triangle of a matrix of `n` rows, in C order. Does not wait. @throws shape_error
[[nodiscard]] inline std::vector<array<std::int64_t>> triu_indices(std::int64_t n,
                                                                   const tri_indices_options& options = {}) {
  return engine::triangle_indices(n, options, true);
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
