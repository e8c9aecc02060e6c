/// @file
/// Moving blocks of bytes in ways the compiler does not find by itself: transposes in registers, and stores that go
/// past the caches.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "../../core/config.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace host {

// nvcc's front end does not know the pragma but hands it on to the host compiler.
#if defined(__CUDACC__)
#pragma nv_diagnostic push
#pragma nv_diag_suppress 1675
#endif

#if defined(__SSE2__)
/// Interleaves the lower or upper halves of two registers, element by element.
template <int Itemsize, bool Upper>
[[gnu::always_inline]] inline __m128i interleave(__m128i a, __m128i b) noexcept {
  if constexpr (Itemsize == 4) return Upper ? _mm_unpackhi_epi32(a, b) : _mm_unpacklo_epi32(a, b);
  if constexpr (Itemsize == 8) return Upper ? _mm_unpackhi_epi64(a, b) : _mm_unpacklo_epi64(a, b);
}

/// Transposes a square of one register a side: log2(side) rounds of interleaving rows i and i + side / 2.
template <int Itemsize>
[[gnu::always_inline]] inline void transpose_square(char* to, std::int64_t to_row, const char* from,
                                                    std::int64_t from_row) noexcept {
  static_assert(Itemsize == 4 || Itemsize == 8);
  constexpr int side = 16 / Itemsize;
  __m128i rows[side];
#pragma GCC unroll 16
  for (int i = 0; i < side; ++i) rows[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i * from_row));
#pragma GCC unroll 4
  for (int round = 1; round < side; round *= 2) {
    __m128i next[side];
#pragma GCC unroll 8
    for (int i = 0; i < side / 2; ++i) {
      next[2 * i] = interleave<Itemsize, false>(rows[i], rows[i + side / 2]);
      next[2 * i + 1] = interleave<Itemsize, true>(rows[i], rows[i + side / 2]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < side; ++i) rows[i] = next[i];
  }
#pragma GCC unroll 16
  for (int i = 0; i < side; ++i) _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i * to_row), rows[i]);
}
#endif

/// to[c][r] = from[r][c] for rows x columns elements of 4 or 8 bytes, dense along the columns on either side; strides
/// in bytes.
template <int Itemsize>
void transpose_elements(char* to, std::int64_t to_row, const char* from, std::int64_t from_row, std::int64_t rows,
                        std::int64_t columns) noexcept {
  std::int64_t whole_rows = 0;
  std::int64_t whole_columns = 0;
#if defined(__SSE2__)
  {
    constexpr std::int64_t side = 16 / Itemsize;
    whole_rows = rows - rows % side;
    whole_columns = columns - columns % side;
    for (std::int64_t r = 0; r < whole_rows; r += side) {
      for (std::int64_t c = 0; c < whole_columns; c += side) {
        transpose_square<Itemsize>(to + c * to_row + r * Itemsize, to_row, from + r * from_row + c * Itemsize,
                                   from_row);
      }
    }
  }
#endif
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t c = r < whole_rows ? whole_columns : 0; c < columns; ++c) {
      std::memcpy(to + c * to_row + r * Itemsize, from + r * from_row + c * Itemsize, Itemsize);
    }
  }
}

/// Copies bytes to memory that will not be read soon: whole cache lines are written without being read first.
/// Another thread sees them after `finish_streaming`.
[[gnu::noinline]] inline void stream_bytes(void* to, const void* from, std::int64_t bytes) noexcept {
  auto* t = static_cast<char*>(to);
  const auto* s = static_cast<const char*>(from);
#if defined(__SSE2__)
  constexpr std::int64_t line = 64;
  std::int64_t head = static_cast<std::int64_t>(-reinterpret_cast<std::intptr_t>(to) & (line - 1));
  if (head > bytes) head = bytes;
  std::memcpy(t, s, static_cast<std::size_t>(head));
  t += head;
  s += head;
  bytes -= head;
  for (; bytes >= line; t += line, s += line, bytes -= line) {
#pragma GCC unroll 4
    for (int i = 0; i < 4; ++i) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(t) + i, _mm_loadu_si128(reinterpret_cast<const __m128i*>(s) + i));
    }
  }
#endif
  std::memcpy(t, s, static_cast<std::size_t>(bytes));
}

#if defined(__CUDACC__)
#pragma nv_diagnostic pop
#endif

/// Orders what `stream_bytes` wrote before all that this thread writes from here on.
inline void finish_streaming() noexcept {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

/// Targets of at least this many bytes leave the caches before they are read again.
inline constexpr std::int64_t streaming_threshold = std::int64_t{32} << 20;

}  // namespace host
}  // namespace GPUARRAY_ABI
}  // namespace gpu
