/// @file
/// Arrays in .npy files: `load`, `save`, `npy_info`.
#pragma once

#include <string>
#include <type_traits>

#include "array.hpp"
#include "core/keyword.hpp"
#include "core/npy.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// Keyword arguments of `load`.
struct load_options {
  keyword_only _{};
  bool cast = false;  ///< convert a file of another dtype, as astype does
};

namespace engine {

/// A file's elements as they are, in host memory; in Fortran order if the file is.
[[nodiscard]] inline detail::storage read_npy(const npy_reader& file) {
  const npy_header& header = file.header();
  const stream_guard inline_stream(stream::default_stream(device::host()));
  detail::storage s =
      detail::make_storage(header.extents, static_cast<std::int64_t>(itemsize(header.type)), device::host());
  if (header.fortran_order) s.where.strides = contiguous_strides(header.extents, order::F);
  if (header.extents.size() > 0) file.read(s.first);
  return s;
}

}  // namespace engine

/// The array in a .npy file, on the current device. Nothing is allocated before the header and the file's size agree.
/// @throws io_error if the file cannot be read or is not what it claims; type_error for another dtype than `T`.
template <element T>
[[nodiscard]] array<T> load(const std::string& path, const load_options& options = {}) {
  const npy_reader file(path);
  const dtype stored = file.header().type;
  if (stored != dtype_of<T> && !options.cast) {
    detail::raise<type_error>(path, " holds ", name(stored), " and was to be loaded as ", name(dtype_of<T>),
                              "; pass {.cast = true} to convert");
  }
  const detail::storage s = engine::read_npy(file);
  const device d = current_device();
  if (stored == dtype_of<T>) {
    return array<T>(d.is_host() ? s : detail::copy_to(s, sizeof(T), d));
  }
  return visit_dtype(stored, [&](auto type) {
    using From = typename decltype(type)::type;
    const device_guard on_host(device::host());
    const detail::storage converted = engine::evaluate<T>(engine::leaf<From>{s});
    return array<T>(d.is_host() ? converted : detail::copy_to(converted, sizeof(T), d));
  });
}

/// Writes an array as numpy.save does, byte for byte the same file. Waits for the device. A failed call leaves a file
/// of that name as it was. @throws io_error if it cannot be written.
template <array_like A>
void save(const std::string& path, const A& a) {
  using T = value_t<A>;
  static_assert(arithmetic<T>, "gpuarray: only arrays of numbers can be saved");
  detail::storage s = engine::as_storage(a);
  if (!s.device().is_host()) s = detail::copy_to(s, sizeof(T), device::host());
  detail::synchronize_storage(s, "save");
  index_vector strides = s.where.strides;
  for (int i = 0; i < strides.rank(); ++i) strides[i] *= static_cast<std::int64_t>(sizeof(T));
  write_npy(path, {s.first, dtype_of<T>, s.where.extents, strides});
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
