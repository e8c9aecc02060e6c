/// @file
/// `where_argument`: the `where=` among keyword arguments.
#pragma once

#include <concepts>
#include <utility>

#include "../core/slice.hpp"
#include "assign.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// The `where=` of a reduction or a copy: a boolean array, view or expression that broadcasts with the values.
class where_argument {
 public:
  where_argument() noexcept = default;
  where_argument(none_t) noexcept {}
  template <array_like Mask>
    requires std::same_as<value_t<Mask>, bool>
  where_argument(Mask&& mask) : mask_(engine::as_storage(std::forward<Mask>(mask))), given_(true) {}

  [[nodiscard]] explicit operator bool() const noexcept { return given_; }
  [[nodiscard]] const detail::storage& mask() const noexcept { return mask_; }

 private:
  detail::storage mask_;
  bool given_ = false;
};

}  // namespace GPUARRAY_ABI
}  // namespace gpu
