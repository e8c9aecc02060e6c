/// @file
/// Reading and writing through arrays of integers: the plan is made, hazards are handled, the backend does the work.
#pragma once

#include <cstdint>
#include <vector>

#include "../backend/host/indexed.hpp"
#include "../runtime/storage.hpp"
#include "evaluate.hpp"
#include "make_index_plan.hpp"

#if defined(__CUDACC__)
#include "../backend/cuda/indexed.hpp"
#endif

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

/// An array of integers of any type.
struct index_array {
  detail::storage data;
  dtype type = dtype::int64;
};

/// A selection of elements of `target` by arrays of integers: what reads and writes need.
struct indexed_elements {
  detail::storage target;
  detail::resolved_index where;
  std::vector<index_array> arrays;
  index_mode mode = index_mode::raise;

  [[nodiscard]] const gpu::shape& shape() const noexcept { return where.base.extents; }
  /// Where reads are put: with the elements, or with the indices if there are none.
  [[nodiscard]] device place() const noexcept {
    if (target.owner) return target.device();
    for (const index_array& a : arrays) {
      if (a.data.owner) return a.data.device();
    }
    return current_device();
  }
};

/// @throws device_error unless the indices are where the elements are.
inline void check_index_device(const detail::storage& target, const detail::storage& index) {
  if (target.owner && index.owner && target.device() != index.device()) {
    detail::raise<device_error>("cannot index an array on ", target.device(), " with an array on ", index.device(),
                                "; move it with .to(device)");
  }
}

[[nodiscard]] inline detail::index_plan plan_of(const indexed_elements& e, std::int64_t itemsize,
                                                const detail::storage& values, bool widens) {
  detail::index_source sources[max_rank];
  for (std::size_t k = 0; k < e.arrays.size(); ++k) {
    sources[k] = {e.arrays[k].data.first, e.arrays[k].data.where, e.arrays[k].type};
  }
  const layout beside = broadcast_layout(values.where, e.shape());
  return detail::make_index_plan(e.where, e.target.first, itemsize, sources, values.first, beside.strides, e.mode,
                                 widens);
}

/// The buffers of the index arrays, and `more`.
[[nodiscard]] inline std::vector<buffer*> owners_of(const indexed_elements& e, const detail::storage& more) {
  std::vector<buffer*> owners;
  for (const index_array& a : e.arrays) {
    if (a.data.owner) owners.push_back(a.data.owner.get());
  }
  if (more.owner) owners.push_back(more.owner.get());
  return owners;
}

/// The selected elements in new memory. Does not wait. An index out of range is an `index_error`: at once on the host's
/// default stream, otherwise of the next call that waits for the stream.
[[nodiscard]] inline detail::storage gather(const indexed_elements& e, std::int64_t itemsize) {
  const device d = e.place();
  detail::storage result = detail::make_storage(e.shape(), itemsize, d);
  const detail::index_plan p = plan_of(e, itemsize, result, true);
  if (p.size == 0) return result;
  const std::vector<buffer*> reads = owners_of(e, e.target);
  submit(current_stream(d), reads, {result.owner.get()}, [p, d](void* handle) {
    if (d.is_host()) return host::gather_indexed(p);
#if defined(__CUDACC__)
    cuda::gather_indexed(p, d.index(), static_cast<cudaStream_t>(handle));
#else
    static_cast<void>(handle);
    raise_needs_nvcc(d);
#endif
  });
  return result;
}

/// @throws shape_error, device_error unless values of this shape can be written to the selected elements.
inline void check_indexed_values(const indexed_elements& e, const detail::storage& values) {
  detail::check_writable(e.target.where);
  if (!gpu::is_assignable(values.where.extents, e.shape())) {
    detail::raise<shape_error>("shape mismatch: value array of shape ", values.where.extents,
                               " could not be broadcast to indexing result of shape ", e.shape());
  }
  detail::check_assigned_device(e.target, values);
}

/// Writes `values`, of elements of `itemsize` bytes, through `run(plan, native stream)`, which only the device's
/// backend sees. Values and indices that share the target's memory are copied first.
template <class Run>
void write_indexed(const indexed_elements& e, const detail::storage& values, std::int64_t itemsize, bool widens,
                   const Run& run) {
  check_indexed_values(e, values);
  const auto apart = [&](const detail::storage& s, std::int64_t size) {
    const bool meet = detail::spans_meet(s.first, s.where, size, e.target.first, e.target.where, itemsize);
    return meet ? detail::clone(s, size) : s;
  };
  indexed_elements safe = e;
  for (index_array& a : safe.arrays) a.data = apart(a.data, static_cast<std::int64_t>(gpu::itemsize(a.type)));
  const detail::storage from = apart(values, itemsize);
  const detail::index_plan p = plan_of(safe, itemsize, from, widens);
  if (p.size == 0 || !e.target.owner) return;
  const std::vector<buffer*> reads = owners_of(safe, from);
  const device d = e.target.device();
  submit(current_stream(d), reads, {e.target.owner.get()}, [p, d, run](void* handle) { run(p, d, handle); });
}

/// `target[indices] = values`. Does not wait; indices out of range as in `gather`, before anything is written on the
/// host; on a GPU their elements stay as they are. @throws shape_error, device_error
inline void scatter(const indexed_elements& e, const detail::storage& values, std::int64_t itemsize) {
  write_indexed(e, values, itemsize, true,
                [](const detail::index_plan& p, const device& d, [[maybe_unused]] void* handle) {
                  if (d.is_host()) return host::scatter_indexed(p);
#if defined(__CUDACC__)
                  cuda::scatter_indexed(p, d.index(), static_cast<cudaStream_t>(handle));
#else
                  raise_needs_nvcc(d);
#endif
                });
}

/// `element = Operation(element, value)` for every value, also of elements that are named more than once.
template <class T, class Operation>
void scatter_combining(const indexed_elements& e, const detail::storage& values) {
  write_indexed(e, values, sizeof(T), false,
                [](const detail::index_plan& p, const device& d, [[maybe_unused]] void* handle) {
                  if (d.is_host()) return host::combine_indexed<T, Operation>(p);
#if defined(__CUDACC__)
                  cuda::combine_indexed<T, Operation>(p, d.index(), static_cast<cudaStream_t>(handle));
#else
                  raise_needs_nvcc(d);
#endif
                });
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
