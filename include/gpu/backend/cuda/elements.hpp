/// @file
/// How kernels load and store elements, one at a time or several at once.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "../../core/config.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {
namespace kernels {

/// The bytes of a user's type that cannot be made without a value, as registers and shared memory must be.
template <class T>
struct made_later {
  alignas(T) unsigned char bytes[sizeof(T)];

  made_later() = default;
  constexpr made_later(const T& value) noexcept : made_later(__builtin_bit_cast(made_later, value)) {}
};

/// What lies in memory: a bool is a byte, of which any value but 0 is true.
template <class T>
using stored = std::conditional_t<std::same_as<T, bool>, std::uint8_t,
                                  std::conditional_t<std::is_default_constructible_v<T>, T, made_later<T>>>;

/// The value that a stored element stands for.
template <class T>
[[nodiscard]] constexpr T value_of(const stored<T>& element) noexcept {
  if constexpr (std::same_as<T, bool>) {
    return element != 0;
  } else if constexpr (std::same_as<T, stored<T>>) {
    return element;
  } else {
    return __builtin_bit_cast(T, element);
  }
}

/// Bytes that one thread moves at once.
inline constexpr int vector_bytes = 16;

[[nodiscard]] constexpr int power_of_two_below(int n) noexcept {
  int p = 1;
  while (2 * p <= n) p *= 2;
  return p;
}

/// Elements that a thread handles when rows are contiguous: the widest type fills 16 bytes, small ones stay at 8.
template <class... Ts>
inline constexpr int vector_width = [] {
  std::size_t widest = 2;
  ((widest = sizeof(Ts) > widest ? sizeof(Ts) : widest), ...);
  return power_of_two_below(widest < std::size_t{vector_bytes} ? vector_bytes / static_cast<int>(widest) : 1);
}();

/// `Width` consecutive elements, aligned so that they move in one instruction.
template <class T, int Width>
struct alignas(sizeof(T) * Width <= vector_bytes && (sizeof(T) & (sizeof(T) - 1)) == 0 ? sizeof(T) * Width
                                                                                       : alignof(T)) chunk {
  T values[Width];
};

/// `Width` elements of leaf `I`, in registers.
template <std::size_t I, class T, int Width>
struct lane_values {
  stored<T> values[Width];
};

template <class Indices, int Width, class... In>
struct leaf_values;

/// `Width` elements of each leaf of an expression.
template <std::size_t... I, int Width, class... In>
struct leaf_values<std::index_sequence<I...>, Width, In...> : lane_values<I, In, Width>... {
  template <class Out, class F>
  [[nodiscard]] constexpr Out apply(const F& f, int lane) const {
    return f(value_of<In>(lane_values<I, In, Width>::values[lane])...);
  }

  /// Element `lane` of each leaf from its pointer; `First` pointers belong to others.
  template <int First, int Pointers>
  __device__ __forceinline__ void load(char* const (&pointers)[Pointers], int lane) {
    ((lane_values<I, In, Width>::values[lane] =
          *reinterpret_cast<const stored<In>*>(pointers[First + static_cast<int>(I)])),
     ...);
  }
};

template <int Width, class... In>
using leaves = leaf_values<std::index_sequence_for<In...>, Width, In...>;

/// Loads `count` of `Width` elements that lie `stride` bytes apart; consecutive whole chunks in one instruction.
template <class T, int Width>
__device__ __forceinline__ void load_row(T (&values)[Width], const char* from, std::int32_t stride, int count) {
  if (stride == static_cast<std::int32_t>(sizeof(T)) && count == Width) {
    const auto all = *reinterpret_cast<const chunk<T, Width>*>(from);
#pragma unroll
    for (int j = 0; j < Width; ++j) values[j] = all.values[j];
  } else {
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      values[j] = *reinterpret_cast<const T*>(from + static_cast<std::int64_t>(stride) * (j < count ? j : 0));
    }
  }
}

/// Stores as `load_row` loads.
template <class T, int Width>
__device__ __forceinline__ void store_row(char* to, std::int32_t stride, int count, const T (&values)[Width]) {
  if (stride == static_cast<std::int32_t>(sizeof(T)) && count == Width) {
    chunk<T, Width> all;
#pragma unroll
    for (int j = 0; j < Width; ++j) all.values[j] = values[j];
    *reinterpret_cast<chunk<T, Width>*>(to) = all;
  } else {
#pragma unroll
    for (int j = 0; j < Width; ++j) {
      if (j < count) *reinterpret_cast<T*>(to + static_cast<std::int64_t>(stride) * j) = values[j];
    }
  }
}

}  // namespace kernels
}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
