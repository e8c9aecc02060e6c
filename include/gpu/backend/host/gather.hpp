/// @file
/// Moving strided elements into and out of dense scratch, by element size alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../../core/config.hpp"
#include "streaming.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

/// Calls `f(size)`, where the sizes of the library's dtypes are compile-time constants and others are plain numbers.
template <class F>
void with_itemsize(std::int64_t itemsize, const F& f) {
  switch (itemsize) {
    case 1: return f(std::integral_constant<std::int64_t, 1>{});
    case 2: return f(std::integral_constant<std::int64_t, 2>{});
    case 4: return f(std::integral_constant<std::int64_t, 4>{});
    case 8: return f(std::integral_constant<std::int64_t, 8>{});
    case 16: return f(std::integral_constant<std::int64_t, 16>{});
    default: return f(itemsize);
  }
}

template <class Size>
inline constexpr bool transposes_in_registers = false;
template <std::int64_t Size>
inline constexpr bool transposes_in_registers<std::integral_constant<std::int64_t, Size>> = Size == 4 || Size == 8;

/// Copies `rows` x `columns` elements; strides in bytes. The inner loop runs over columns.
[[gnu::noinline]] inline void copy_elements(void* to, std::int64_t to_row, std::int64_t to_column, const void* from,
                                            std::int64_t from_row, std::int64_t from_column, std::int64_t rows,
                                            std::int64_t columns, std::int64_t itemsize) {
  const bool dense = to_column == itemsize && from_column == itemsize;
  with_itemsize(itemsize, [&](auto size) {
    if constexpr (transposes_in_registers<decltype(size)>) {
      if (to_row == size && from_column == size && !dense) {
        return transpose_elements<static_cast<int>(size)>(static_cast<char*>(to), to_column,
                                                          static_cast<const char*>(from), from_row, rows, columns);
      }
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      char* t = static_cast<char*>(to) + r * to_row;
      const char* s = static_cast<const char*>(from) + r * from_row;
      if (dense) {
        std::memcpy(t, s, static_cast<std::size_t>(columns * size));
        continue;
      }
      for (std::int64_t c = 0; c < columns; ++c, t += to_column, s += from_column) {
        std::memcpy(t, s, static_cast<std::size_t>(size));
      }
    }
  });
}

/// Writes `n` copies of one element: what is there is doubled, up to a piece that stays in the nearest cache.
[[gnu::noinline]] inline void repeat_element(void* to, const void* element, std::int64_t n, std::int64_t itemsize) {
  const std::int64_t bytes = n * itemsize;
  if (bytes <= 0) return;
  auto* const target = static_cast<char*>(to);
  std::memcpy(target, element, static_cast<std::size_t>(itemsize));
  std::int64_t piece = itemsize;
  for (std::int64_t done = piece; done < bytes; done += piece) {
    if (done <= 4096) piece = done;
    if (piece > bytes - done) piece = bytes - done;
    std::memcpy(target + done, target, static_cast<std::size_t>(piece));
  }
}

}  // namespace host
}  // namespace GPUARRAY_ABI
}  // namespace gpu
