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

}  // namespace GPUARRAY_ABI
}  // namespace gpu
