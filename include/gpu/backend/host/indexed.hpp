/// @file
/// Indexing with arrays of integers on the host: checks, then moves or combines elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../../core/error.hpp"
#include "../../core/slice.hpp"
#include "../../engine/index_plan.hpp"
#include "gather.hpp"
#include "threads.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

/// Calls `f` with a value of the integer type that `t` names.
template <class F>
void with_index_type(dtype t, const F& f) {
  switch (t) {
    case dtype::int8: return f(std::int8_t{});
    case dtype::int16: return f(std::int16_t{});
    case dtype::int32: return f(std::int32_t{});
    case dtype::uint8: return f(std::uint8_t{});
    case dtype::uint16: return f(std::uint16_t{});
    case dtype::uint32: return f(std::uint32_t{});
    case dtype::uint64: return f(std::uint64_t{});
    default: return f(std::int64_t{});
  }
}

/// Element i of integers of type `I` that lie `stride` bytes apart.
template <class I>
[[nodiscard]] inline std::int64_t index_at(const char* first, std::int64_t stride, std::int64_t i) noexcept {
  I value;
  std::memcpy(&value, first + i * stride, sizeof value);
  return detail::as_index(value);
}

/// Offsets of up to this many elements are computed at once.
inline constexpr std::int64_t index_block = 256;

/// A run of the plan's last loop.
struct index_run {
  std::int64_t first;
  std::int64_t count;
  const char* index[max_rank];  ///< of its first element
  char* array;
  char* values;
};

/// Element `begin` of row `row` of the plan: rows are the loops but the last.
[[nodiscard]] inline index_run index_run_at(const detail::index_plan& p, std::int64_t row, std::int64_t begin,
                                            std::int64_t count) noexcept {
  index_run r;
  r.first = begin;
  r.count = count;
  r.array = p.array;
  r.values = p.values;
  for (int k = 0; k < p.count; ++k) r.index[k] = p.index[k].data;
  const auto advance = [&](int loop, std::int64_t by) {
    r.array += by * p.array_strides[loop];
    r.values += by * p.value_strides[loop];
    for (int k = 0; k < p.count; ++k) r.index[k] += by * p.index[k].strides[loop];
  };
  for (int loop = p.rank - 2; loop > 0; --loop) {
    advance(loop, row % p.extents[loop]);
    row /= p.extents[loop];
  }
  if (p.rank > 1) advance(0, row);
  if (p.rank > 0) advance(p.rank - 1, begin);
  return r;
}

[[nodiscard]] inline std::int64_t inner_extent(const detail::index_plan& p) noexcept {
  return p.rank > 0 ? p.extents[p.rank - 1] : 1;
}

/// Whether an index is out of range, in one comparison.
[[nodiscard]] inline bool is_outside(std::int64_t index, std::int64_t extent) noexcept {
  const auto n = static_cast<std::uint64_t>(extent);
  return static_cast<std::uint64_t>(index) + n >= 2 * n;
}

/// Every index is looked at once, in order. @throws index_error for the first one out of range
inline void check_indices(const detail::index_plan& p) {
  if (p.mode != index_mode::raise || p.size == 0) return;
  for (int k = 0; k < p.count; ++k) {
    const detail::index_operand& index = p.index[k];
    std::int64_t places[max_rank] = {};
    const auto extent = [&](int loop) { return index.strides[loop] != 0 ? p.extents[loop] : 1; };
    const std::int64_t inner = p.rank > 0 ? extent(p.rank - 1) : 1;
    const std::int64_t stride = p.rank > 0 ? index.strides[p.rank - 1] : 0;
    with_index_type(index.type, [&](auto type) {
      for (;;) {
        const char* at = index.data;
        for (int loop = 0; loop + 1 < p.rank; ++loop) at += places[loop] * index.strides[loop];
        // The whole row in one go, without branches; which index it was is found only if there is one.
        bool outside = false;
        for (std::int64_t i = 0; i < inner; ++i) {
          outside |= is_outside(index_at<decltype(type)>(at, stride, i), index.extent);
        }
        for (std::int64_t i = 0; outside && i < inner; ++i) {
          const std::int64_t value = index_at<decltype(type)>(at, stride, i);
          if (value < -index.extent || value >= index.extent) {
            detail::raise<index_error>("index ", value, " is out of bounds for axis ", index.axis, " with size ",
                                       index.extent);
          }
        }
        int loop = p.rank - 2;
        for (; loop >= 0 && ++places[loop] == extent(loop); --loop) places[loop] = 0;
        if (loop < 0) return;
      }
    });
  }
}

/// What an index adds to the offsets of a run. Returns whether one is out of range, where they may not be.
template <class I, index_mode Mode>
[[nodiscard]] bool add_offsets(const detail::index_operand& index, const char* first, std::int64_t stride,
                               std::int64_t count, std::int64_t* offsets) noexcept {
  const std::int64_t extent = index.extent;
  const std::int64_t step = index.step;
  bool outside = false;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t value = index_at<I>(first, stride, i);
    if constexpr (Mode == index_mode::raise) {
      outside |= is_outside(value, extent);
      // Unsigned: what is out of range may overflow, and is not used.
      const auto place = static_cast<std::uint64_t>(value < 0 ? value + extent : value);
      offsets[i] =
          static_cast<std::int64_t>(static_cast<std::uint64_t>(offsets[i]) + place * static_cast<std::uint64_t>(step));
    } else {
      offsets[i] += detail::place_of(value, extent, Mode) * step;
    }
  }
  return outside;
}

/// The offset of each element of a run from `array`. @throws index_error for an index out of range
inline void fill_offsets(const detail::index_plan& p, const index_run& r, std::int64_t count, std::int64_t* offsets) {
  bool outside = false;
  const int last = p.rank - 1;
  const std::int64_t own = last >= 0 ? p.array_strides[last] : 0;
  for (std::int64_t i = 0; i < count; ++i) offsets[i] = i * own;
  for (int k = 0; k < p.count; ++k) {
    const detail::index_operand& index = p.index[k];
    const std::int64_t stride = last >= 0 ? index.strides[last] : 0;
    with_index_type(index.type, [&](auto type) {
      using I = decltype(type);
      switch (p.mode) {
        case index_mode::raise:
          outside |= add_offsets<I, index_mode::raise>(index, r.index[k], stride, count, offsets);
          break;
        case index_mode::wrap:
          outside |= add_offsets<I, index_mode::wrap>(index, r.index[k], stride, count, offsets);
          break;
        default: outside |= add_offsets<I, index_mode::clip>(index, r.index[k], stride, count, offsets);
      }
    });
  }
  if (outside) check_indices(p);
}

/// Calls `f(first element of the array, first value)` for every row of a plan with dense rows, in order if not
/// `parallel`.
template <class F>
void for_each_indexed_row(const detail::index_plan& p, bool parallel, const F& f) {
  const std::int64_t rows = p.size / inner_extent(p);
  for_ranges(rows, parallel && p.size * p.itemsize >= 8 * parallel_threshold,
             [&](std::int64_t first, std::int64_t last) {
               for (std::int64_t row = first; row < last; ++row) {
                 const index_run r = index_run_at(p, row, 0, 1);
                 std::int64_t offset = 0;
                 fill_offsets(p, r, 1, &offset);
                 f(r.array + offset, r.values);
               }
             });
}

/// Calls `f(element of the array, value)` for every element, in order if not `parallel`.
template <class F>
void for_each_indexed(const detail::index_plan& p, bool parallel, const F& f) {
  const std::int64_t inner = inner_extent(p);
  const std::int64_t blocks = (inner + index_block - 1) / index_block;
  const std::int64_t rows = p.size / inner;
  const std::int64_t value_stride = p.rank > 0 ? p.value_strides[p.rank - 1] : 0;
  for_ranges(rows * blocks, parallel && p.size >= parallel_threshold, [&](std::int64_t first, std::int64_t last) {
    std::int64_t offsets[index_block];
    for (std::int64_t unit = first; unit < last; ++unit) {
      const std::int64_t begin = unit % blocks * index_block;
      const std::int64_t rest = inner - begin;
      const index_run r = index_run_at(p, unit / blocks, begin, rest < index_block ? rest : index_block);
      fill_offsets(p, r, r.count, offsets);
      for (std::int64_t i = 0; i < r.count; ++i) f(r.array + offsets[i], r.values + i * value_stride);
    }
  });
}

/// Copies the indexed elements to the values, which are new memory, so that indices are checked on the way.
/// @throws index_error
inline void gather_indexed(const detail::index_plan& p) {
  if (!p.moves) return check_indices(p);
  if (p.size == 0) return;
  if (detail::has_dense_rows(p)) {
    const auto bytes = static_cast<std::size_t>(inner_extent(p) * p.itemsize);
    return for_each_indexed_row(p, true, [bytes](const char* row, char* values) { std::memcpy(values, row, bytes); });
  }
  with_itemsize(p.itemsize, [&](auto size) {
    for_each_indexed(p, true, [size](const char* element, char* value) {
      std::memcpy(value, element, static_cast<std::size_t>(size));
    });
  });
}

/// Copies the values to the indexed elements; of several for one element the last one stays. @throws index_error before
/// anything is written
inline void scatter_indexed(const detail::index_plan& p) {
  check_indices(p);
  if (!p.moves || p.size == 0) return;
  if (detail::has_dense_rows(p)) {
    const auto bytes = static_cast<std::size_t>(inner_extent(p) * p.itemsize);
    return for_each_indexed_row(p, false, [bytes](char* row, const char* values) { std::memcpy(row, values, bytes); });
  }
  with_itemsize(p.itemsize, [&](auto size) {
    for_each_indexed(p, false, [size](char* element, const char* value) {
      std::memcpy(element, value, static_cast<std::size_t>(size));
    });
  });
}

/// `element = operation(element, value)` for every value, one after the other. @throws as above
template <class T, class Operation>
void combine_indexed(const detail::index_plan& p) {
  check_indices(p);
  if (!p.moves || p.size == 0) return;
  for_each_indexed(p, false, [](char* element, const char* value) {
    T old;
    T other;
    std::memcpy(&old, element, sizeof old);
    std::memcpy(&other, value, sizeof other);
    old = Operation{}(old, other);
    std::memcpy(element, &old, sizeof old);
  });
}

}  // namespace host
}  // namespace GPUARRAY_ABI
}  // namespace gpu
