/// @file
/// From the values between braces to memory.
#pragma once

#include "../core/nested.hpp"
#include "storage.hpp"

namespace gpu::detail {

/// The values as a dense array. @throws shape_error for a ragged nest.
template <class T>
[[nodiscard]] storage make_from_nested(std::initializer_list<nested<T>> values, const device& d) {
  const shape extents = nested_shape(values);
  const stream_guard inline_stream(stream::default_stream(device::host()));
  storage result = make_storage(extents, sizeof(T), device::host());
  T* out = reinterpret_cast<T*>(result.first);
  flatten_nested(values, extents, 0, out);
  return d.is_host() ? result : upload(result.first, extents, sizeof(T), d);
}

}  // namespace gpu::detail
