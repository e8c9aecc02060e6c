/// @file
/// Many consecutive Philox blocks at once on the host.
#pragma once

#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "config.hpp"
#include "philox.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace random_bits {

/// How many blocks are generated together: 1 KiB of words, which stays in the first cache.
inline constexpr int group = 64;

/// The words of `group` consecutive blocks, word k of block b at [k][b].
struct word_group {
  alignas(16) std::uint32_t words[4][group];
};

#if defined(__SSE2__)

// GCC's own vector code spends most of its time moving words between 32 and 64 bits. Here each word has a 64-bit lane
// to itself: the multiplication ignores the upper halves, so nothing needs to be moved or masked until the end.

/// One word of two blocks, in the lower halves of 64-bit lanes; the upper halves are anything.
struct lanes {
  __m128i c0, c1, c2, c3;
};

[[gnu::always_inline]] inline __m128i splat(std::uint64_t word) noexcept {
  return _mm_set1_epi64x(static_cast<long long>(word));
}

[[gnu::always_inline]] inline lanes philox_round(lanes c, __m128i k0, __m128i k1) noexcept {
  const __m128i product0 = _mm_mul_epu32(splat(0xd2511f53u), c.c0);
  const __m128i product1 = _mm_mul_epu32(splat(0xcd9e8d57u), c.c2);
  return {_mm_xor_si128(_mm_srli_epi64(product1, 32), _mm_xor_si128(c.c1, k0)), product1,
          _mm_xor_si128(_mm_srli_epi64(product0, 32), _mm_xor_si128(c.c3, k1)), product0};
}

/// The words of four blocks from those of two and two.
[[gnu::always_inline]] inline void store_words(std::uint32_t* out, __m128i a, __m128i b) noexcept {
  const __m128 words = _mm_shuffle_ps(_mm_castsi128_ps(a), _mm_castsi128_ps(b), 0x88);
  _mm_store_si128(reinterpret_cast<__m128i*>(out), _mm_castps_si128(words));
}

/// The blocks from `first` on.
[[gnu::always_inline]] inline void generate(const philox_stream& stream, std::uint64_t first,
                                            word_group& out) noexcept {
  const __m128i seed0 = splat(stream.seed), seed1 = splat(stream.seed >> 32);
  const __m128i stream0 = splat(stream.stream), stream1 = splat(stream.stream >> 32);
  __m128i number = _mm_add_epi64(splat(first), _mm_set_epi64x(1, 0));
  for (int b = 0; b < group; b += 4) {
    // Two independent chains hide the latency of the multiplications.
    lanes x{number, _mm_srli_epi64(number, 32), stream0, stream1};
    number = _mm_add_epi64(number, splat(2));
    lanes y{number, _mm_srli_epi64(number, 32), stream0, stream1};
    number = _mm_add_epi64(number, splat(2));
    __m128i k0 = seed0, k1 = seed1;
    for (int round = 0; round < 10; ++round) {
      x = philox_round(x, k0, k1);
      y = philox_round(y, k0, k1);
      k0 = _mm_add_epi32(k0, splat(0x9e3779b9u));
      k1 = _mm_add_epi32(k1, splat(0xbb67ae85u));
    }
    store_words(&out.words[0][b], x.c0, y.c0);
    store_words(&out.words[1][b], x.c1, y.c1);
    store_words(&out.words[2][b], x.c2, y.c2);
    store_words(&out.words[3][b], x.c3, y.c3);
  }
}

#else

/// The blocks from `first` on.
[[gnu::always_inline]] inline void generate(const philox_stream& stream, std::uint64_t first,
                                            word_group& out) noexcept {
  for (int b = 0; b < group; ++b) {
    const philox_block block = stream.block(first + static_cast<std::uint64_t>(b));
    for (int k = 0; k < 4; ++k) out.words[k][b] = block.words[k];
  }
}

#endif

}  // namespace random_bits
}  // namespace GPUARRAY_ABI
}  // namespace gpu
