/// @file
/// What the benchmarks share: the same arrays as bench/numpy_peers.py.
#pragma once

#include <gpu/array.hpp>
#include <gpu/creation.hpp>
#include <gpu/random.hpp>

/// 4096 x 4096 float32: 16M elements, 64 MiB.
inline constexpr std::int64_t side = 4096;

/// Numbers in [0, 1).
[[nodiscard]] inline gpu::array<float> square_input(std::uint64_t seed) {
  return gpu::random::generator(seed).uniform<float>({side, side});
}
