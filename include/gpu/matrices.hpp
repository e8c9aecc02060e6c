/// @file
/// Building matrices: diag, diagflat, tri, tril, triu, vander. Results are new arrays, on the device of the argument or
/// the current one, but for `diag` of a matrix, which is a view. None waits for the device.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "creation.hpp"
#include "engine/ops/astype.hpp"
#include "engine/ops/logic.hpp"
#include "scan.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// Keyword arguments of `diag`, `diagflat`, `tril` and `triu`.
struct diag_options {
  keyword_only _{};
  std::int64_t k = 0;  ///< above the main diagonal if positive, below if negative
};

/// The diagonal of a matrix, as a view, or a matrix with the elements of a vector on its diagonal and zeros elsewhere.
/// @throws shape_error for another rank.
template <array_like A>
[[nodiscard]] auto diag(A&& v, const diag_options& options = {}) {
  using T = value_t<A>;
  auto given = engine::as_view(std::forward<A>(v));
  if (given.ndim() == 2) return diagonal(given, {.offset = options.k});
  if (given.ndim() != 1) detail::raise<shape_error>("Input must be 1- or 2-d. This one has shape ", given.shape());
  std::int64_t n = 0;
  if (options.k < 0 ? __builtin_sub_overflow(given.size(), options.k, &n)
                    : __builtin_add_overflow(given.size(), options.k, &n)) {
    detail::raise<shape_error>("array is too big: ", given.size(), " elements on diagonal ", options.k);
  }
  const array<T> matrix(detail::make_zeros(shape{n, n}, sizeof(T), given.device()));
  detail::assign_elements(diagonal(matrix, {.offset = options.k}).storage(), given.storage(), sizeof(T));
  return decltype(given)(matrix.storage());
}
/// A matrix with the elements of an array, flattened, on its diagonal.
template <array_like A>
[[nodiscard]] array<value_t<A>> diagflat(const A& v, const diag_options& options = {}) {
  return array<value_t<A>>(diag(ravel(v), options).storage());
}

/// Keyword arguments of `tri`.
struct tri_options {
  keyword_only _{};
  optional_value<std::int64_t> M{};  ///< columns; as many as rows by default
  std::int64_t k = 0;                ///< the last diagonal of ones: above the main one if positive
};

namespace engine {

/// 1 at and below a diagonal, 0 above.
template <class T>
struct tri_function {
  std::int64_t columns;
  std::int64_t k;

  [[gnu::always_inline]] constexpr T operator()(std::int64_t i) const noexcept {
    const std::int64_t row = i / columns;
    return i - row * columns - row <= k ? T(1) : T(0);
  }
};

template <class T>
[[nodiscard]] detail::storage make_tri(std::int64_t rows, std::int64_t columns, std::int64_t k, const device& where) {
  return generate<T>(shape{rows > 0 ? rows : 0, columns > 0 ? columns : 0}, where, tri_function<T>{columns, k});
}

/// The elements at and below diagonal `k` if `Lower`, those at and above it otherwise, and zeros elsewhere.
template <bool Lower, array_like A>
[[nodiscard]] array<value_t<A>> triangle(const A& m, std::int64_t k, const char* function) {
  using T = value_t<A>;
  const leaf<T> values{as_storage(m)};
  const shape& extents = values.shape();
  if (extents.rank() == 0) detail::raise<shape_error>(function, ": the array has no dimensions");
  const std::int64_t columns = extents[extents.rank() - 1];
  const std::int64_t rows = extents.rank() > 1 ? extents[extents.rank() - 2] : columns;
  const std::int64_t last = detail::nearest_diagonal(k, rows, columns) - (Lower ? 0 : 1);
  const leaf<bool> mask{make_tri<bool>(rows, columns, last, values.data.device())};
  const scalar<T> zero{T(), {}};
  if constexpr (Lower) {
    return array<T>(evaluate<T>(make_node(ops::where{}, mask, values, zero)));
  } else {
    return array<T>(evaluate<T>(make_node(ops::where{}, mask, zero, values)));
  }
}

}  // namespace engine

/// A matrix of `N` rows with ones at and below a diagonal and zeros above.
template <element T = double>
[[nodiscard]] array<T> tri(std::int64_t N, const tri_options& options = {}) {
  return array<T>(engine::make_tri<T>(N, options.M.value_or(N), options.k, current_device()));
}
/// The matrix, or the last two axes, with zeros above diagonal `k`; a vector counts as each row of a square matrix.
/// @throws shape_error for rank 0
template <array_like A>
[[nodiscard]] auto tril(const A& m, const diag_options& options = {}) {
  return engine::triangle<true>(m, options.k, "tril");
}
/// With zeros below diagonal `k`; otherwise as `tril`.
template <array_like A>
[[nodiscard]] auto triu(const A& m, const diag_options& options = {}) {
  return engine::triangle<false>(m, options.k, "triu");
}

/// Keyword arguments of `vander`.
struct vander_options {
  keyword_only _{};
  optional_value<std::int64_t> N{};  ///< columns; as many as elements by default
  bool increasing = false;           ///< whether the powers grow from left to right
};

/// Row i holds the powers of element i, the highest first. int64 for integers of less, otherwise as NumPy's promotion
/// with int64. @throws shape_error unless `x` is of one dimension.
template <array_like A>
[[nodiscard]] auto vander(const A& x, const vander_options& options = {}) {
  using R = result_type_t<value_t<A>, std::int64_t>;
  if (x.ndim() != 1) {
    detail::raise<shape_error>("x must be a one-dimensional array or sequence. This one has shape ", x.shape());
  }
  const detail::storage base = engine::as_storage_of<R>(x);
  const std::int64_t rows = base.where.extents[0];
  const std::int64_t columns = options.N.value_or(rows);
  array<R> powers(detail::make_storage(shape{rows, columns}, sizeof(R), base.device()));
  const view<R> growing = options.increasing ? powers.view() : flip(powers, 1);
  if (columns > 0) growing(slice(), 0) = R(1);
  if (columns > 1) {
    const view<const R> column(base);
    growing(slice(), slice(1, none)) =
        cumprod<R>(broadcast_to(expand_dims(column, 1), shape{rows, columns - 1}), {.axis = 1});
  }
  return powers;
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
