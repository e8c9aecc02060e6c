/// @file
/// `pack`: a small tuple that compiles fast and that compilers split into registers.
#pragma once

#include <cstddef>
#include <utility>

#include "../core/config.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

template <std::size_t I, class T>
struct slot {
  T value;
};

template <class Indices, class... Ts>
struct pack_of;

template <std::size_t... I, class... Ts>
struct pack_of<std::index_sequence<I...>, Ts...> : slot<I, Ts>... {};

/// An aggregate of values of different types, `pack<int, float>{{1}, {2.0f}}`.
template <class... Ts>
using pack = pack_of<std::make_index_sequence<sizeof...(Ts)>, Ts...>;

template <std::size_t I, class T>
[[gnu::always_inline]] constexpr const T& get(const slot<I, T>& s) noexcept {
  return s.value;
}
template <std::size_t I, class T>
[[gnu::always_inline]] constexpr T& get(slot<I, T>& s) noexcept {
  return s.value;
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
