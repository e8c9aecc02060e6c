/// @file
/// Where a mask is true: positions in C order, and from them arrays of indices. Waits: their number depends on data.
#pragma once

#include <cstdint>
#include <vector>

#include "compress.hpp"
#include "indexed.hpp"
#include "ops/index_digits.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

/// The positions, in C order, of the true elements of a mask, as int64 of one dimension. Waits.
[[nodiscard]] inline detail::storage positions_of(const detail::storage& mask, const char* operation) {
  constexpr std::int64_t itemsize = sizeof(std::int64_t);
  const detail::storage chosen = detail::dense(mask, 1);
  const std::int64_t n = chosen.where.extents.size();
  const device d = chosen.owner ? chosen.device() : current_device();
  if (n == 0) return detail::make_storage(shape{0}, itemsize, d);
  if (!d.is_host()) {
#if defined(__CUDACC__)
    std::int64_t count = 0;
    const detail::storage offsets = cuda::count_mask(chosen, n, count, operation);
    detail::storage result = detail::make_storage(shape{count}, itemsize, d);
    if (count == 0) return result;
    submit(current_stream(d), {chosen.owner.get(), offsets.owner.get()}, {result.owner.get()},
           [n, m = reinterpret_cast<const std::uint8_t*>(chosen.first),
            starts = reinterpret_cast<const std::int64_t*>(offsets.first),
            to = reinterpret_cast<std::int64_t*>(result.first)](void* stream) {
             cuda::mask_positions(m, n, starts, to, static_cast<cudaStream_t>(stream));
           });
    return result;
#else
    raise_needs_nvcc(d);
#endif
  }
  detail::synchronize_storage(chosen, operation);
  const mask_parts parts(chosen.first, n);
  detail::storage result = detail::make_storage(shape{parts.count()}, itemsize, d);
  submit(current_stream(d), {chosen.owner.get()}, {result.owner.get()},
         [to = reinterpret_cast<std::int64_t*>(result.first), m = chosen.first, n, parts] {
           host::for_ranges(mask_parts::parts, n >= host::parallel_threshold,
                            [&](std::int64_t first, std::int64_t last) {
                              for (std::int64_t p = first; p < last; ++p) {
                                std::int64_t* out = to + parts.before[p];
                                for (std::int64_t i = parts.begin(p, n); i < parts.begin(p + 1, n); ++i) {
                                  if (m[i] != 0) *out++ = i;
                                }
                              }
                            });
         });
  return result;
}

/// The indices along axis `axis` of an array of shape `extents` that positions in C order stand for.
[[nodiscard]] inline detail::storage unravel_axis(const detail::storage& positions, const shape& extents, int axis) {
  if (extents.rank() == 1) return positions;
  const std::int64_t stride = contiguous_strides(extents)[axis];
  const std::int64_t extent = extents[axis] > 0 ? extents[axis] : 1;
  return evaluate<std::int64_t>(make_node(ops::index_digit{stride, extent}, leaf<std::int64_t>{positions}));
}

/// Appends the arrays of indices, one for each axis of the mask, of its true elements. Waits.
inline void append_true_indices(std::vector<index_array>& arrays, const detail::storage& mask, const char* operation) {
  const detail::storage positions = positions_of(mask, operation);
  for (int axis = 0; axis < mask.where.rank(); ++axis) {
    arrays.push_back({unravel_axis(positions, mask.where.extents, axis), dtype::int64});
  }
}

/// Without broadcasting: @throws index_error, with NumPy's words, unless a mask has the extents of the axes it indexes.
inline void check_mask_shape(const shape& mask, const shape& extents, int first) {
  for (int i = 0; i < mask.rank(); ++i) {
    if (first + i < extents.rank() && mask[i] != extents[first + i]) {
      detail::raise<index_error>("boolean index did not match indexed array along axis ", first + i,
                                 "; size of axis is ", extents[first + i],
                                 " but size of corresponding boolean axis is ", mask[i], ": the mask has shape ", mask,
                                 ", the array ", extents);
    }
  }
}

/// The elements of `target` that the mask, of its first axes, selects.
[[nodiscard]] inline indexed_elements elements_of_rows(const detail::storage& target, const detail::storage& mask,
                                                       const char* operation) {
  indexed_elements e;
  e.target = target;
  std::vector<detail::index_entry> entries;
  if (mask.where.rank() == 0) {
    entries.push_back({detail::index_entry::kind::flag, gpu::ellipsis, positions_of(mask, operation).where.extents});
  } else {
    append_true_indices(e.arrays, mask, operation);
    for (const index_array& a : e.arrays) {
      entries.push_back({detail::index_entry::kind::array, gpu::ellipsis, a.data.where.extents});
    }
  }
  e.where = detail::resolve_index(target.where, entries.data(), static_cast<int>(entries.size()));
  return e;
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
