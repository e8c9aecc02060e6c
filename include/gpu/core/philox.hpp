/// @file
/// Philox 4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as
/// 1, 2, 3" (SC11), and the layout of the library's random streams on it.
#pragma once

#include <cstdint>

namespace gpu {

/// Four 32-bit words: a counter, or the random words that it gives.
struct philox_block {
  std::uint32_t words[4];

  friend constexpr bool operator==(const philox_block&, const philox_block&) noexcept = default;
};

struct philox_key {
  std::uint32_t words[2];
};

namespace detail {

/// Philox on four words in place. Scalars rather than arrays, so that GCC vectorises a loop over counters.
[[gnu::always_inline]] constexpr void philox_rounds(std::uint32_t& c0, std::uint32_t& c1, std::uint32_t& c2,
                                                    std::uint32_t& c3, std::uint32_t k0, std::uint32_t k1) noexcept {
  constexpr int rounds = 10;
  for (int round = 0; round < rounds; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xd2511f53u} * c0;
    const std::uint64_t product1 = std::uint64_t{0xcd9e8d57u} * c2;
    const auto next0 = static_cast<std::uint32_t>(product1 >> 32) ^ c1 ^ k0;
    const auto next2 = static_cast<std::uint32_t>(product0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<std::uint32_t>(product1);
    c3 = static_cast<std::uint32_t>(product0);
    c0 = next0;
    c2 = next2;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
}

}  // namespace detail

/// The four random words that belong to a counter under a key.
[[nodiscard]] [[gnu::always_inline]] constexpr philox_block philox(philox_key key, philox_block counter) noexcept {
  detail::philox_rounds(counter.words[0], counter.words[1], counter.words[2], counter.words[3], key.words[0],
                        key.words[1]);
  return counter;
}

/// An endless sequence of random words, the same on every device and for any split of the work: word i is a function of
/// (seed, stream, offset + i) alone. This layout is final; stored seeds stay good:
/// - key = {low, high half of seed}; counter = {low, high half of the block's number, low, high half of stream};
/// - 32-bit values: value n is word n % 4 of block n / 4;
/// - 64-bit values: value n is words 2 (n % 2) (low half) and 2 (n % 2) + 1 (high half) of block n / 2.
/// Values of both sizes use the same blocks, so one (seed, stream) serves one array; the next takes the next stream.
struct philox_stream {
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;
  std::uint64_t offset = 0;  ///< added to every index, in values

  [[nodiscard]] [[gnu::always_inline]] constexpr philox_block block(std::uint64_t number) const noexcept {
    const auto low = [](std::uint64_t v) { return static_cast<std::uint32_t>(v); };
    return philox({{low(seed), low(seed >> 32)}}, {{low(number), low(number >> 32), low(stream), low(stream >> 32)}});
  }

  /// The i-th 32-bit value.
  [[nodiscard]] [[gnu::always_inline]] constexpr std::uint32_t bits32(std::uint64_t i) const noexcept {
    const std::uint64_t n = offset + i;
    return block(n / 4).words[n % 4];
  }

  /// The i-th 64-bit value.
  [[nodiscard]] [[gnu::always_inline]] constexpr std::uint64_t bits64(std::uint64_t i) const noexcept {
    const std::uint64_t n = offset + i;
    const philox_block words = block(n / 2);
    const std::uint64_t low = n % 2 == 0 ? words.words[0] : words.words[2];
    const std::uint64_t high = n % 2 == 0 ? words.words[1] : words.words[3];
    return high << 32 | low;
  }
};

}  // namespace gpu
