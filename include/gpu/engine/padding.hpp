/// @file
/// What `pad` is without element types: widths for the ends of each axis, the larger array, and borders of copies.
#pragma once

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "../core/axis_pairs.hpp"
#include "../runtime/assembly.hpp"
#include "along_axis.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

namespace engine {

/// Pairs of widths or lengths. @throws shape_error for a negative one
[[nodiscard]] inline std::vector<axis_pair<std::int64_t>> resolve_lengths(const pad_widths& given, int rank) {
  std::vector<axis_pair<std::int64_t>> pairs = given.resolve(rank);
  for (const axis_pair<std::int64_t>& p : pairs) {
    if (p.before < 0 || p.after < 0) {
      detail::raise<shape_error>("index can't contain negative values: (", p.before, ", ", p.after, ")");
    }
  }
  return pairs;
}

/// How many values count at each end; all of them if nothing is given.
[[nodiscard]] inline std::vector<axis_pair<std::int64_t>> statistic_lengths(const pad_widths& given, int rank) {
  constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  if (given.empty()) return std::vector<axis_pair<std::int64_t>>(static_cast<std::size_t>(rank), {all, all});
  return resolve_lengths(given, rank);
}

/// Borders that repeat values.
enum class border : std::uint8_t { edge, reflect, symmetric, wrap };

/// Values that follow each other in a border: `count` from index `first` on, `step` apart.
struct border_run {
  std::int64_t first;
  std::int64_t step;
  std::int64_t count;
};

/// The values from index `i` of an axis on, which may lie before it or behind it, as far as they follow each other.
[[nodiscard]] constexpr border_run run_at(border kind, std::int64_t i, std::int64_t n) noexcept {
  const auto modulo = [i](std::int64_t period) { return i % period < 0 ? i % period + period : i % period; };
  constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();
  if (kind == border::edge || (kind == border::reflect && n == 1)) return {i < 0 ? 0 : n - 1, 0, endless};
  if (kind == border::wrap) return {modulo(n), 1, n - modulo(n)};
  const std::int64_t period = kind == border::symmetric ? 2 * n : 2 * n - 2;
  const std::int64_t at = modulo(period);
  if (at < n) return {at, 1, n - at};
  return {kind == border::symmetric ? period - 1 - at : period - at, -1, period - at};
}

/// An array in the middle of a larger one. Borders are filled axis by axis: that of an axis reaches over the borders of
/// the axes before it.
class padded_array {
 public:
  /// Copies `source` into the middle. @throws shape_error for negative widths, a width of an axis without elements
  /// unless `extends_empty`, or one of `lengths`, if given, that is 0.
  padded_array(const char* operation, const detail::storage& source, const pad_widths& widths, std::int64_t itemsize,
               bool extends_empty, const std::vector<axis_pair<std::int64_t>>* lengths = nullptr)
      : itemsize_(itemsize), extents_(source.where.extents), widths_(resolve_lengths(widths, extents_.rank())) {
    index_vector larger = extents_;
    std::int64_t offset = 0;
    for (int i = 0; i < rank(); ++i) {
      const auto [before, after] = width(i);
      if (!extends_empty && extents_[i] == 0 && (before > 0 || after > 0)) {
        detail::raise<shape_error>("can't extend empty axis ", i, " using modes other than 'constant' or 'empty'");
      }
      if (__builtin_add_overflow(larger[i], before, &larger[i]) ||
          __builtin_add_overflow(larger[i], after, &larger[i])) {
        detail::raise<shape_error>(operation, ": the array is too big: axis ", i, " with ", extents_[i], " elements, ",
                                   before, " before and ", after, " after them");
      }
    }
    if (lengths != nullptr && extents_.size() != 0) {
      for (const axis_pair<std::int64_t>& l : *lengths) {
        if (l.before == 0 || l.after == 0) {
          detail::raise<shape_error>("stat_length of 0 yields no value for padding");
        }
      }
    }
    data_ = detail::make_storage(shape(larger), itemsize, source.device());
    for (int i = 0; i < rank(); ++i) offset += width(i).before * data_.where.strides[i];
    detail::copy_elements(detail::with_layout(data_, {extents_, data_.where.strides}, offset * itemsize), source,
                          itemsize);
  }

  [[nodiscard]] int rank() const noexcept { return extents_.rank(); }
  /// The elements of the array in the middle: of an axis, and of all.
  [[nodiscard]] std::int64_t extent(int axis) const noexcept { return extents_[axis]; }
  [[nodiscard]] std::int64_t size() const noexcept { return extents_.size(); }
  [[nodiscard]] axis_pair<std::int64_t> width(int axis) const noexcept {
    return widths_[static_cast<std::size_t>(axis)];
  }
  /// All elements.
  [[nodiscard]] const detail::storage& storage() const noexcept { return data_; }

  /// The axis from end to end, over the borders of the axes before it.
  [[nodiscard]] detail::storage row(int axis) const {
    detail::storage s = data_;
    for (int i = axis + 1; i < rank(); ++i) s = range_of(s, i, width(i).before, extents_[i], itemsize_);
    return s;
  }
  /// The border at the beginning, and at the end.
  [[nodiscard]] detail::storage before(int axis) const {
    return range_of(row(axis), axis, 0, width(axis).before, itemsize_);
  }
  [[nodiscard]] detail::storage after(int axis) const {
    return range_of(row(axis), axis, width(axis).before + extents_[axis], width(axis).after, itemsize_);
  }

  /// Fills the border of an axis with its values. @throws cuda_error
  void copy_border(int axis, border kind) const {
    const std::int64_t n = extents_[axis];
    const std::int64_t left = width(axis).before;
    const std::int64_t right = width(axis).after;
    if (size() == 0) return;
    const detail::storage all = row(axis);
    detail::assembly copies(data_, itemsize_);
    const auto fill = [&](std::int64_t from, std::int64_t to) {
      while (from < to) {
        const border_run run = run_at(kind, from, n);
        const std::int64_t count = run.count < to - from ? run.count : to - from;
        copies.add(range_of(all, axis, left + from, count, itemsize_),
                   range_of(all, axis, left + run.first, count, itemsize_, run.step));
        from += count;
      }
    };
    fill(-left, 0);
    fill(n, n + right);
    copies.run();
  }

 private:
  std::int64_t itemsize_;
  shape extents_;
  std::vector<axis_pair<std::int64_t>> widths_;
  detail::storage data_;
};

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
