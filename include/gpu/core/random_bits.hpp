/// @file
/// Random numbers from Philox words: value i of a stream, and fast generation of consecutive values on the host.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "bfloat16.hpp"
#include "box_muller.hpp"
#include "config.hpp"
#include "dtype.hpp"
#include "half.hpp"
#include "philox.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace random_bits {

/// The word that one value of type `T` takes from a stream: 64 bits for double, 32 for narrower types.
template <floating T>
using word_t = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

/// A number in [0, 1), a multiple of 2^-24 (float), 2^-53 (double), 2^-11 (half) or 2^-8 (bfloat16): every such
/// multiple is equally likely. As NumPy forms them from its words.
template <floating T>
[[nodiscard]] [[gnu::always_inline]] constexpr T uniform(word_t<T> bits) noexcept {
  if constexpr (std::same_as<T, double>) {
    // (bits >> 11) in two exact parts, added below the bits of 2^84 and 2^52: there is no vector conversion of 64 bits.
    // The patterns have names because nvcc 13.0 crashes on a bit_cast of an expression of dependent type.
    const std::uint64_t upper = (bits >> 43) | 0x4530000000000000u;
    const std::uint64_t lower = ((bits >> 11) & 0xffffffffu) | 0x4330000000000000u;
    const double high = __builtin_bit_cast(double, upper) - (0x1p84 + 0x1p52);
    const double low = __builtin_bit_cast(double, lower);
    return (high + low) * 0x1p-53;
  } else {
    constexpr int digits = std::numeric_limits<T>::digits;
    constexpr float unit = 1.0f / (1 << digits);
    return T(static_cast<float>(static_cast<std::int32_t>(bits >> (32 - digits))) * unit);
  }
}

/// Value i of the uniform sequence of a stream.
template <floating T>
[[nodiscard]] [[gnu::always_inline]] constexpr T uniform(const philox_stream& stream, std::uint64_t i) noexcept {
  if constexpr (sizeof(T) == 8) {
    return uniform<T>(stream.bits64(i));
  } else {
    return uniform<T>(stream.bits32(i));
  }
}

/// The standard normal numbers of one block: 4 of float, 2 of double. Value n of a stream is entry n % 4 of block n / 4
/// (n % 2 of block n / 2): the cosines and sines of pairs of words.
struct normals4 {
  float values[4];
};
struct normals2 {
  double values[2];
};
[[nodiscard]] [[gnu::always_inline]] constexpr normals4 normals_of_block(const philox_stream& stream,
                                                                         std::uint64_t block,
                                                                         std::type_identity<float>) noexcept {
  const philox_block w = stream.block(block);
  const auto first = detail::box_muller(w.words[0], w.words[1]);
  const auto second = detail::box_muller(w.words[2], w.words[3]);
  return {{first.even, first.odd, second.even, second.odd}};
}
[[nodiscard]] [[gnu::always_inline]] constexpr normals2 normals_of_block(const philox_stream& stream,
                                                                         std::uint64_t block,
                                                                         std::type_identity<double>) noexcept {
  const philox_block w = stream.block(block);
  const auto pair =
      detail::box_muller(std::uint64_t{w.words[1]} << 32 | w.words[0], std::uint64_t{w.words[3]} << 32 | w.words[2]);
  return {{pair.even, pair.odd}};
}

/// Value i of the standard normal sequence of a stream: a function of (seed, stream, offset + i) alone, finite always.
/// half and bfloat16 are rounded from float.
template <floating T>
[[nodiscard]] [[gnu::always_inline]] constexpr T normal(const philox_stream& stream, std::uint64_t i) noexcept {
  const std::uint64_t n = stream.offset + i;
  if constexpr (sizeof(T) == 8) {
    return normals_of_block(stream, n / 2, std::type_identity<double>{}).values[n % 2];
  } else {
    // Only the pair that holds the value is computed.
    const philox_block w = stream.block(n / 4);
    const bool second = n % 4 >= 2;
    const auto pair = detail::box_muller(second ? w.words[2] : w.words[0], second ? w.words[3] : w.words[1]);
    return T(n % 2 == 0 ? pair.even : pair.odd);
  }
}

}  // namespace random_bits
}  // namespace GPUARRAY_ABI
}  // namespace gpu
