/// @file
/// `type_list`: types in a row, for computing with them.
#pragma once

#include <cstddef>

#include "../core/config.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

template <class... T>
struct type_list {
  static constexpr std::size_t size = sizeof...(T);
};

namespace engine {

template <std::size_t I, class First, class... Rest>
struct nth {
  using type = typename nth<I - 1, Rest...>::type;
};
template <class First, class... Rest>
struct nth<0, First, Rest...> {
  using type = First;
};

/// Type number `I` of several.
template <std::size_t I, class... T>
using nth_type = typename nth<I, T...>::type;

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
