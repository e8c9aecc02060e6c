/// @file
/// Positions in C order, and the indices along each axis that they stand for.
#pragma once

#include <cstdint>

#include "../type_list.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {

/// The index along one axis of the element at a position: `stride` elements before the next index, `extent` of them.
struct index_digit {
  static constexpr const char* name = "unravel_index";
  std::int64_t stride;
  std::int64_t extent;
  template <class A>
  using arguments = type_list<std::int64_t>;
  [[nodiscard]] [[gnu::always_inline]] constexpr std::int64_t operator()(std::int64_t position) const noexcept {
    return position / stride % extent;
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
