/// @file
/// Consecutive values of a random stream into host memory, a group of blocks at a time in loops that GCC vectorises.
/// The results are those of `random_bits::uniform` and `random_bits::normal`, value by value.
#pragma once

#include <cstdint>

#include "config.hpp"
#include "dtype.hpp"
#include "philox.hpp"
#include "philox_group.hpp"
#include "random_bits.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace random_bits {

/// Uniform numbers in [0, 1).
template <floating T>
struct uniform_distribution {
  [[gnu::always_inline]] void operator()(const word_group& in, T* out) const noexcept {
    for (int b = 0; b < group; ++b) {
      if constexpr (sizeof(T) == 8) {
        out[2 * b] = uniform<T>(std::uint64_t{in.words[1][b]} << 32 | in.words[0][b]);
        out[2 * b + 1] = uniform<T>(std::uint64_t{in.words[3][b]} << 32 | in.words[2][b]);
      } else {
        out[4 * b] = uniform<T>(in.words[0][b]);
        out[4 * b + 1] = uniform<T>(in.words[1][b]);
        out[4 * b + 2] = uniform<T>(in.words[2][b]);
        out[4 * b + 3] = uniform<T>(in.words[3][b]);
      }
    }
  }
};

/// Standard normal numbers.
template <floating T>
struct normal_distribution {
  [[gnu::always_inline]] void operator()(const word_group& in, T* out) const noexcept {
    for (int b = 0; b < group; ++b) {
      if constexpr (sizeof(T) == 8) {
        const auto pair = detail::box_muller(std::uint64_t{in.words[1][b]} << 32 | in.words[0][b],
                                             std::uint64_t{in.words[3][b]} << 32 | in.words[2][b]);
        out[2 * b] = pair.even;
        out[2 * b + 1] = pair.odd;
      } else {
        const auto first = detail::box_muller(in.words[0][b], in.words[1][b]);
        const auto second = detail::box_muller(in.words[2][b], in.words[3][b]);
        out[4 * b] = T(first.even);
        out[4 * b + 1] = T(first.odd);
        out[4 * b + 2] = T(second.even);
        out[4 * b + 3] = T(second.odd);
      }
    }
  }
};

/// Values [first, first + n) of the stream's sequence into `out`. Inlined whole, so that a caller compiled for several
/// instruction sets vectorises it for each.
template <template <class> class Distribution, floating T>
[[gnu::always_inline]] inline void fill(const philox_stream& stream, std::uint64_t first, T* out,
                                        std::int64_t n) noexcept {
  constexpr std::uint64_t values_per_block = 16 / sizeof(word_t<T>);
  constexpr std::int64_t values = static_cast<std::int64_t>(values_per_block) * group;
  constexpr Distribution<T> distribution;
  word_group words;
  T scratch[values];
  std::uint64_t block = (stream.offset + first) / values_per_block;
  auto skip = static_cast<std::int64_t>((stream.offset + first) % values_per_block);
  while (n > 0) {
    generate(stream, block, words);
    distribution(words, scratch);
    const std::int64_t count = values - skip < n ? values - skip : n;
    __builtin_memcpy(out, scratch + skip, static_cast<std::size_t>(count) * sizeof(T));
    out += count;
    n -= count;
    skip = 0;
    block += group;
  }
}

/// `out[k] = uniform<T>(stream, first + k)` for k < n.
template <floating T>
[[gnu::always_inline]] inline void fill_uniform(const philox_stream& stream, std::uint64_t first, T* out,
                                                std::int64_t n) noexcept {
  fill<uniform_distribution>(stream, first, out, n);
}

/// `out[k] = normal<T>(stream, first + k)` for k < n.
template <floating T>
[[gnu::always_inline]] inline void fill_normal(const philox_stream& stream, std::uint64_t first, T* out,
                                               std::int64_t n) noexcept {
  fill<normal_distribution>(stream, first, out, n);
}

}  // namespace random_bits
}  // namespace GPUARRAY_ABI
}  // namespace gpu
