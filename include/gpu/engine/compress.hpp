/// @file
/// Selecting elements by a boolean mask, and scattering values into the selected places; erased of the element type.
#pragma once

#include <cstdint>
#include <cstring>

#include "../backend/host/gather.hpp"
#include "../backend/host/threads.hpp"
#include "../runtime/storage.hpp"
#include "evaluate.hpp"

#if defined(__CUDACC__)
#include "../backend/cuda/select.hpp"
#endif

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

/// True entries of `n` bytes that are 0 or 1.
inline std::int64_t count_true(const char* mask, std::int64_t n) noexcept {
  std::int64_t count = 0;
  while (n > 0) {
    // Short sums of bytes: they vectorise.
    const std::int64_t block = n < 4096 ? n : 4096;
    std::uint32_t part = 0;
    for (std::int64_t i = 0; i < block; ++i) part += static_cast<std::uint32_t>(mask[i]);
    count += part;
    mask += block;
    n -= block;
  }
  return count;
}

/// The mask's true entries before each of a fixed number of parts, so that parts can be worked on side by side.
struct mask_parts {
  static constexpr std::int64_t parts = 64;
  std::int64_t part_size;
  std::int64_t before[parts + 1] = {};

  mask_parts(const char* mask, std::int64_t n) : part_size((n + parts - 1) / parts) {
    host::for_ranges(parts, n >= host::parallel_threshold, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t p = first; p < last; ++p)
        before[p + 1] = count_true(mask + begin(p, n), begin(p + 1, n) - begin(p, n));
    });
    for (std::int64_t p = 0; p < parts; ++p) before[p + 1] += before[p];
  }
  [[nodiscard]] std::int64_t begin(std::int64_t p, std::int64_t n) const noexcept {
    return p * part_size < n ? p * part_size : n;
  }
  [[nodiscard]] std::int64_t count() const noexcept { return before[parts]; }
};

/// Copies each element that the mask selects to `out`, densely.
inline void compress_on_host(char* out, const char* elements, const char* mask, std::int64_t n, std::int64_t itemsize,
                             const mask_parts& parts) {
  host::for_ranges(mask_parts::parts, n >= host::parallel_threshold, [&](std::int64_t first, std::int64_t last) {
    host::with_itemsize(itemsize, [&](auto size) {
      for (std::int64_t p = first; p < last; ++p) {
        char* to = out + parts.before[p] * size;
        // Without a branch; it stops at the last selected element, so that no store reaches the next part's place.
        const char* const end = out + parts.before[p + 1] * size;
        for (std::int64_t i = parts.begin(p, n); to != end; ++i) {
          std::memcpy(to, elements + i * size, static_cast<std::size_t>(size));
          to += mask[i] * size;
        }
      }
    });
  });
}

/// Copies dense `values` to the elements that the mask selects.
inline void expand_on_host(char* elements, const char* values, const char* mask, std::int64_t n, std::int64_t itemsize,
                           const mask_parts& parts) {
  host::for_ranges(mask_parts::parts, n >= host::parallel_threshold, [&](std::int64_t first, std::int64_t last) {
    host::with_itemsize(itemsize, [&](auto size) {
      for (std::int64_t p = first; p < last; ++p) {
        const char* from = values + parts.before[p] * size;
        for (std::int64_t i = parts.begin(p, n); i < parts.begin(p + 1, n); ++i) {
          if (mask[i] == 0) continue;
          std::memcpy(elements + i * size, from, static_cast<std::size_t>(size));
          from += size;
        }
      }
    });
  });
}

/// How many entries of a mask are true. Waits.
[[nodiscard]] inline std::int64_t count_selected_by(const detail::storage& mask) {
  const detail::storage chosen = detail::dense(mask, 1);
  const std::int64_t n = chosen.where.extents.size();
  if (n == 0) return 0;
  if (!chosen.device().is_host()) {
#if defined(__CUDACC__)
    std::int64_t count = 0;
    static_cast<void>(cuda::count_mask(chosen, n, count, "the size of a selection"));
    return count;
#else
    raise_needs_nvcc(chosen.device());
#endif
  }
  detail::synchronize_storage(chosen, "the size of a selection");
  return mask_parts(chosen.first, n).count();
}

/// The elements of `source` where `mask` (of the same shape) is true, in C order. Waits: the size depends on data.
[[nodiscard]] inline detail::storage compress(const detail::storage& source, const detail::storage& mask,
                                              std::int64_t itemsize) {
  const detail::storage elements = detail::dense(source, itemsize);
  const detail::storage chosen = detail::dense(mask, 1);
  const std::int64_t n = elements.where.extents.size();
  const device d = elements.device();
  if (!d.is_host()) {
#if defined(__CUDACC__)
    return cuda::compress(elements, chosen, itemsize);
#else
    raise_needs_nvcc(d);
#endif
  }
  if (n == 0) return detail::make_storage(shape{0}, itemsize, d);
  detail::synchronize_storage(chosen, "indexing with a boolean mask");
  const mask_parts parts(chosen.first, n);
  detail::storage result = detail::make_storage(shape{parts.count()}, itemsize, d);
  submit(current_stream(d), {elements.owner.get(), chosen.owner.get()}, {result.owner.get()},
         [to = result.first, from = elements.first, m = chosen.first, n, itemsize, parts] {
           compress_on_host(to, from, m, n, itemsize, parts);
         });
  return result;
}

/// `s` in C order, in memory that does not change while `target` is written element by element.
[[nodiscard]] inline detail::storage dense_beside(const detail::storage& s, std::int64_t itemsize,
                                                  const detail::storage& target, std::int64_t target_itemsize) {
  detail::storage result = detail::dense(s, itemsize);
  const bool same = result.first == target.first && itemsize == target_itemsize && is_contiguous(target.where) &&
                    result.where.extents == target.where.extents;
  if (same || !detail::spans_meet(result.first, result.where, itemsize, target.first, target.where, target_itemsize)) {
    return result;
  }
  return detail::clone_in_c_order(result, itemsize);
}

/// Writes `values`, one-dimensional, to the elements of `target` where `mask` is true. Waits: their number must match.
/// @throws shape_error if it does not.
inline void expand(const detail::storage& target, const detail::storage& mask, const detail::storage& values,
                   std::int64_t itemsize) {
  detail::check_writable(target.where);
  const device d = target.device();
  detail::check_assigned_device(target, values);
  const detail::storage chosen = dense_beside(mask, 1, target, itemsize);
  const detail::storage from = dense_beside(values, itemsize, target, itemsize);
  const std::int64_t n = target.where.extents.size();
  const auto check = [&](std::int64_t count) {
    if (values.where.rank() != 1 || values.where.extents[0] != count) {
      detail::raise<shape_error>("NumPy boolean array indexing assignment cannot assign ", values.where.extents.size(),
                                 " input values of shape ", values.where.extents, " to the ", count,
                                 " output values where the mask is true");
    }
  };
  if (n == 0) return check(0);
  if (!d.is_host()) {
#if defined(__CUDACC__)
    return cuda::expand(target, chosen, from, itemsize, check);
#else
    raise_needs_nvcc(d);
#endif
  }
  detail::synchronize_storage(chosen, "assignment through a boolean mask");
  const mask_parts parts(chosen.first, n);
  check(parts.count());
  if (parts.count() == 0) return;
  const bool direct = is_contiguous(target.where);
  const detail::storage dense = direct ? target : detail::clone_in_c_order(target, itemsize);
  submit(current_stream(d), {from.owner.get(), chosen.owner.get()}, {dense.owner.get()},
         [to = dense.first, v = from.first, m = chosen.first, n, itemsize, parts] {
           expand_on_host(to, v, m, n, itemsize, parts);
         });
  if (!direct) detail::copy_elements(target, dense, itemsize);
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
