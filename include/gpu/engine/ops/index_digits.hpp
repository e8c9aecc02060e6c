/// @file
/// Positions in an order of the elements, and the indices along each axis that they stand for.
#pragma once

#include <cstdint>

#include "../../core/error.hpp"
#include "../index_plan.hpp"
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

/// The same, checked on the host: a position is one of `size`.
struct checked_index_digit {
  static constexpr const char* name = "unravel_index";
  static constexpr bool may_throw = true;
  std::int64_t stride;
  std::int64_t extent;
  std::int64_t size;
  template <class A>
  using arguments = type_list<std::int64_t>;
  [[nodiscard]] constexpr std::int64_t operator()(std::int64_t position) const {
#if !defined(__CUDA_ARCH__)
    if (position < 0 || position >= size) {
      gpu::detail::raise<shape_error>("unravel_index: index ", position, " is out of bounds for array with size ",
                                      size);
    }
#endif
    return gpu::detail::place_of(position / stride, extent, index_mode::wrap);
  }
};

/// What the index along one axis adds to the position, which is 0 before the first axis. Checked on the host.
struct ravel_step {
  static constexpr const char* name = "ravel_multi_index";
  static constexpr bool may_throw = true;
  std::int64_t stride;
  std::int64_t extent;
  index_mode mode;
  template <class A, class B>
  using arguments = type_list<std::int64_t, std::int64_t>;
  [[nodiscard]] constexpr std::int64_t operator()(std::int64_t before, std::int64_t index) const {
#if !defined(__CUDA_ARCH__)
    if (mode == index_mode::raise && (index < 0 || index >= extent)) {
      gpu::detail::raise<shape_error>("ravel_multi_index: invalid entry in coordinates array: ", index,
                                      " for an axis of size ", extent);
    }
#endif
    // Out of range on a GPU, it is the nearest one.
    const index_mode used = mode == index_mode::wrap ? mode : index_mode::clip;
    return before + gpu::detail::place_of(index, extent, used) * stride;
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
