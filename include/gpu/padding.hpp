/// @file
/// `pad`: an array in the middle of a larger one, with the border filled in as one of NumPy's modes says. All but
/// 'median' are there. The mode is chosen by type, so that each call compiles what its mode needs, and no more.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/axis_pairs.hpp"
#include "creation.hpp"
#include "engine/along_axis.hpp"
#include "engine/padding.hpp"
#include "extrema.hpp"
#include "logic.hpp"
#include "reduce.hpp"
#include "rounding.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// The `mode=` of `pad`.
namespace pad_mode {
struct constant_t {};
struct edge_t {};
struct linear_ramp_t {};
struct maximum_t {};
struct mean_t {};
struct minimum_t {};
struct reflect_t {};
struct symmetric_t {};
struct wrap_t {};
struct empty_t {};
inline constexpr constant_t constant{};        ///< one value
inline constexpr edge_t edge{};                ///< the value at the edge
inline constexpr linear_ramp_t linear_ramp{};  ///< evenly from the edge to an end value
inline constexpr maximum_t maximum{};          ///< the greatest value of the row, or of a part at its end
inline constexpr mean_t mean{};                ///< the mean of the row, or of a part at its end
inline constexpr minimum_t minimum{};          ///< the least value of the row, or of a part at its end
inline constexpr reflect_t reflect{};          ///< mirrored on the first and last value
inline constexpr symmetric_t symmetric{};      ///< mirrored on the edge, which repeats the first and last value
inline constexpr wrap_t wrap{};                ///< from the other end
inline constexpr empty_t empty{};              ///< whatever the memory holds
}  // namespace pad_mode

/// The `reflect_type=` of `pad`. With `odd`, what is mirrored is subtracted from twice the value at the edge.
enum class reflect_type : std::uint8_t { even, odd };

/// Keyword arguments of `pad` with `pad_mode::constant`. Values are converted as astype does.
template <class T>
struct pad_constant_options {
  keyword_only _{};
  axis_pairs<T> constant_values{T()};
};
/// Keyword arguments of `pad` with `pad_mode::linear_ramp`.
template <class T>
struct pad_ramp_options {
  keyword_only _{};
  axis_pairs<T> end_values{T()};
};
/// Keyword arguments of `pad` with `pad_mode::maximum`, `mean` and `minimum`.
struct pad_statistic_options {
  keyword_only _{};
  pad_widths stat_length{};  ///< how many values at each end count; all by default
};
/// Keyword arguments of `pad` with `pad_mode::reflect` and `symmetric`.
struct pad_reflect_options {
  keyword_only _{};
  gpu::reflect_type reflect_type = gpu::reflect_type::even;
};

namespace engine {

/// Of what type a ramp is computed: double, as NumPy's linspace does, or complex128.
template <class T>
using ramp_t = std::conditional_t<complex_number<T>, complex<double>, double>;

/// Writes an expression of any type to elements of type `T`, converted as astype does.
template <class T, class Node>
void assign_cast(const detail::storage& target, const Node& node) {
  if (target.where.extents.size() != 0) assign<T>(target, node);
}

/// As NumPy: linspace from `end` to the edge without the edge, floor for integers.
template <class T>
void pad_with_ramp(const detail::storage& side, const detail::storage& edge, int axis, ramp_t<T> end) {
  using W = ramp_t<T>;
  const std::int64_t n = side.where.extents[axis];
  if (n == 0 || side.where.extents.size() == 0) return;
  const array<W> distance(make_node(ops::astype<W>{}, leaf<T>{edge}) - end);
  index_vector extents(side.where.rank(), 1);
  extents[axis] = n;
  const device_guard on(side.device());
  const auto at = reshape(arange<double>(n), extents);
  const double divisor = static_cast<double>(n);
  // Where a step is 0, NumPy's linspace computes all of them as fractions of the whole distance.
  const array<bool> some_step_is_zero = any(distance / divisor == 0);
  const auto value = where(some_step_is_zero, at / divisor * distance, at * (distance / divisor)) + end;
  if constexpr (integer<T>) {
    assign_cast<T>(side, floor(value));
  } else {
    assign_cast<T>(side, value);
  }
}

/// A statistic of `length` values of an axis, kept as one of extent 1.
template <class Mode, class T>
[[nodiscard]] auto pad_statistic(Mode, const view<T>& values, int axis) {
  if constexpr (std::is_same_v<Mode, pad_mode::maximum_t>) {
    return max(values, {.axis = axis, .keepdims = true});
  } else if constexpr (std::is_same_v<Mode, pad_mode::minimum_t>) {
    return min(values, {.axis = axis, .keepdims = true});
  } else {
    return mean(values, {.axis = axis, .keepdims = true});
  }
}

template <class Mode>
concept statistic_mode = std::is_same_v<Mode, pad_mode::maximum_t> || std::is_same_v<Mode, pad_mode::minimum_t> ||
                         std::is_same_v<Mode, pad_mode::mean_t>;

/// Fills one side with the statistic of `length` values from `first` on.
template <class T, class Mode>
void pad_with_statistic(Mode mode, const detail::storage& side, const detail::storage& row, int axis,
                        std::int64_t first, std::int64_t length) {
  if (side.where.extents.size() == 0) return;
  const auto statistic = pad_statistic(mode, view<T>(range_of(row, axis, first, length, sizeof(T))), axis);
  if constexpr (integer<T> && std::is_same_v<Mode, pad_mode::mean_t>) {
    assign_cast<T>(side, rint(statistic));
  } else {
    assign_cast<T>(side, as_node(statistic));
  }
}

/// Mirrors with `2 * edge - value`, as far as there are values, which then are a part of what is mirrored next: NumPy's
/// way, since rounding depends on it.
template <class T>
void reflect_odd(const detail::storage& row, int axis, std::int64_t left, std::int64_t right, std::int64_t n,
                 bool repeats_edge) {
  const std::int64_t total = row.where.extents[axis];
  const std::int64_t period = repeats_edge ? n : n - 1;
  const std::int64_t skipped = repeats_edge ? 0 : 1;
  const auto mirror = [&](std::int64_t to, std::int64_t from, std::int64_t count, std::int64_t edge) {
    const detail::storage chunk = range_of(row, axis, from, count, sizeof(T), -1);
    const array<T> value(detail::clone_in_c_order(range_of(row, axis, edge, 1, sizeof(T)), sizeof(T)));
    assign_cast<T>(range_of(row, axis, to, count, sizeof(T)), 2 * value - view<T>(chunk));
  };
  while (left > 0 || right > 0) {
    const std::int64_t length = (total - left - right - skipped) / period * period;
    if (left > 0) {
      const std::int64_t count = length < left ? length : left;
      mirror(left - count, left + skipped + count - 1, count, left);
      left -= count;
    }
    if (right > 0) {
      const std::int64_t count = length < right ? length : right;
      const std::int64_t last = total - right - 1;
      mirror(last + 1, last - skipped, count, last);
      right -= count;
    }
  }
}

/// The modes that repeat values: one copy for each axis, of all that it needs.
template <class T>
[[nodiscard]] array<T> pad_by_copies(const padded_array& p, border kind) {
  for (int axis = 0; axis < p.rank(); ++axis) {
    if (p.width(axis).before == 0 && p.width(axis).after == 0) continue;
    p.copy_border(axis, kind);
  }
  return array<T>(p.storage());
}

}  // namespace engine

/// The array with a border of `pad_width` elements, filled with a value. Widths are a number, a pair for the two ends
/// of every axis, `{1, 2}`, or a pair for each axis, `{{1, 2}, {3, 4}}`, and so are the values. A new array; later axes
/// fill the corners. Does not wait. @throws shape_error for negative widths, or pairs that are not as many as axes.
template <array_like A>
[[nodiscard]] auto pad(const A& a, const pad_widths& pad_width, pad_mode::constant_t = {},
                       const pad_constant_options<value_t<A>>& options = {}) {
  using T = value_t<A>;
  const engine::padded_array p("pad", engine::as_storage(a), pad_width, sizeof(T), true);
  const auto values = options.constant_values.resolve(p.rank());
  for (int axis = 0; axis < p.rank(); ++axis) {
    const auto i = static_cast<std::size_t>(axis);
    engine::assign_cast<T>(p.before(axis), engine::scalar<T>{values[i].before, {}});
    engine::assign_cast<T>(p.after(axis), engine::scalar<T>{values[i].after, {}});
  }
  return array<T>(p.storage());
}
/// With a border that is not written.
template <array_like A>
[[nodiscard]] auto pad(const A& a, const pad_widths& pad_width, pad_mode::empty_t) {
  using T = value_t<A>;
  return array<T>(engine::padded_array("pad", engine::as_storage(a), pad_width, sizeof(T), true).storage());
}
/// With the values at the edges. @throws shape_error for an axis without elements, as all modes from here on.
template <array_like A>
[[nodiscard]] auto pad(const A& a, const pad_widths& pad_width, pad_mode::edge_t) {
  using T = value_t<A>;
  const engine::padded_array p("pad", engine::as_storage(a), pad_width, sizeof(T), false);
  return engine::pad_by_copies<T>(p, engine::border::edge);
}
/// With the values from the other end of each axis.
template <array_like A>
[[nodiscard]] auto pad(const A& a, const pad_widths& pad_width, pad_mode::wrap_t) {
  using T = value_t<A>;
  const engine::padded_array p("pad", engine::as_storage(a), pad_width, sizeof(T), false);
  return engine::pad_by_copies<T>(p, engine::border::wrap);
}
/// Mirrored on the first and last values, or beside them.
template <array_like A, class Mode>
  requires std::is_same_v<Mode, pad_mode::reflect_t> || std::is_same_v<Mode, pad_mode::symmetric_t>
[[nodiscard]] auto pad(const A& a, const pad_widths& pad_width, Mode, const pad_reflect_options& options = {}) {
  using T = value_t<A>;
  constexpr bool repeats_edge = std::is_same_v<Mode, pad_mode::symmetric_t>;
  const engine::padded_array p("pad", engine::as_storage(a), pad_width, sizeof(T), false);
  const engine::border kind = repeats_edge ? engine::border::symmetric : engine::border::reflect;
  if (options.reflect_type == reflect_type::even) return engine::pad_by_copies<T>(p, kind);
  for (int axis = 0; axis < p.rank() && p.size() != 0; ++axis) {
    const auto [left, right] = p.width(axis);
    if (p.extent(axis) == 1) {
      p.copy_border(axis, engine::border::edge);
    } else {
      engine::reflect_odd<T>(p.row(axis), axis, left, right, p.extent(axis), repeats_edge);
    }
  }
  return array<T>(p.storage());
}
/// With a ramp from the values at the edges to end values.
template <array_like A>
[[nodiscard]] auto pad(const A& a, const pad_widths& pad_width, pad_mode::linear_ramp_t,
                       const pad_ramp_options<engine::ramp_t<value_t<A>>>& options = {}) {
  using T = value_t<A>;
  const engine::padded_array p("pad", engine::as_storage(a), pad_width, sizeof(T), false);
  const auto ends = options.end_values.resolve(p.rank());
  for (int axis = 0; axis < p.rank() && p.size() != 0; ++axis) {
    const detail::storage row = p.row(axis);
    const std::int64_t first = p.width(axis).before;
    const std::int64_t last = first + p.extent(axis) - 1;
    const auto& [left, right] = ends[static_cast<std::size_t>(axis)];
    engine::pad_with_ramp<T>(p.before(axis), engine::range_of(row, axis, first, 1, sizeof(T)), axis, left);
    const detail::storage after = p.after(axis);
    const std::int64_t n = after.where.extents[axis];
    engine::pad_with_ramp<T>(engine::range_of(after, axis, n - 1, n, sizeof(T), -1),
                             engine::range_of(row, axis, last, 1, sizeof(T)), axis, right);
  }
  return array<T>(p.storage());
}
/// With the maximum, minimum or mean of each row, or of `stat_length` values at its ends; the mean of integers is
/// rounded. @throws shape_error for the extremum of no value
template <array_like A, engine::statistic_mode Mode>
[[nodiscard]] auto pad(const A& a, const pad_widths& pad_width, Mode mode, const pad_statistic_options& options = {}) {
  using T = value_t<A>;
  const auto lengths = engine::statistic_lengths(options.stat_length, a.ndim());
  const engine::padded_array p("pad", engine::as_storage(a), pad_width, sizeof(T), false,
                               std::is_same_v<Mode, pad_mode::mean_t> ? nullptr : &lengths);
  for (int axis = 0; axis < p.rank() && p.size() != 0; ++axis) {
    const std::int64_t n = p.extent(axis);
    const std::int64_t first = p.width(axis).before;
    const auto i = static_cast<std::size_t>(axis);
    const std::int64_t left = lengths[i].before < n ? lengths[i].before : n;
    const std::int64_t right = lengths[i].after < n ? lengths[i].after : n;
    const detail::storage row = p.row(axis);
    engine::pad_with_statistic<T>(mode, p.before(axis), row, axis, first, left);
    engine::pad_with_statistic<T>(mode, p.after(axis), row, axis, first + n - right, right);
  }
  return array<T>(p.storage());
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
