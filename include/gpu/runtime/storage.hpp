/// @file
/// `storage`: what arrays and views consist of, without the element type, and the work that needs no more than bytes.
#pragma once

#include <cstdint>

#include "../core/layout.hpp"
#include "../core/slice.hpp"
#include "transfer.hpp"

namespace gpu::detail {

/// Shared memory, the first element in it, and the layout of the rest. Moved from, it has no elements.
struct storage {
  buffer_ptr owner;
  char* first = nullptr;
  layout where{shape{0}, index_vector{1}};

  storage() noexcept = default;
  storage(buffer_ptr memory, char* data, const layout& l) noexcept : owner(std::move(memory)), first(data), where(l) {}
  storage(const storage&) noexcept = default;
  storage(storage&& other) noexcept : owner(std::move(other.owner)), first(other.first), where(std::move(other.where)) {
    other.forget();
  }
  storage& operator=(const storage&) noexcept = default;
  storage& operator=(storage&& other) noexcept {
    if (this == &other) return *this;
    owner = std::move(other.owner);
    first = other.first;
    where = other.where;
    other.forget();
    return *this;
  }
  ~storage() = default;

  /// Where it is; the host for an array that has never had a value or was moved from.
  [[nodiscard]] gpu::device device() const noexcept { return owner ? owner->device() : gpu::device::host(); }

 private:
  [[gnu::noinline]] void forget() noexcept {
    first = nullptr;
    where = {shape{0}, index_vector{1}};
  }
};

/// The same memory in another layout that begins `bytes` further on.
[[nodiscard]] inline storage with_layout(const storage& s, const layout& where, std::int64_t bytes = 0) noexcept {
  // Without elements there may be no memory to be further on in.
  return {s.owner, s.first == nullptr ? nullptr : s.first + bytes, where};
}

/// New memory for a dense array in C order, uninitialised. @throws out_of_memory, shape_error
[[nodiscard]] inline storage make_storage(const shape& extents, std::int64_t itemsize, const device& d) {
  std::int64_t bytes = 0;
  if (__builtin_mul_overflow(extents.size(), itemsize, &bytes)) {
    raise<shape_error>("array is too big: shape ", extents, " with ", itemsize, " bytes an element");
  }
  storage result;
  result.owner = allocate_buffer(static_cast<std::size_t>(bytes), d);
  result.first = static_cast<char*>(result.owner->data());
  result.where = contiguous_layout(extents);
  return result;
}

/// New memory of zero bytes. Asynchronous. @throws out_of_memory, shape_error
[[nodiscard]] inline storage make_zeros(const shape& extents, std::int64_t itemsize, const device& d) {
  storage result = make_storage(extents, itemsize, d);
  fill_bytes(*result.owner, 0, 0, result.owner->size(), current_stream(d));
  return result;
}

/// @throws shape_error for a broadcast view, whose elements are several positions each.
inline void check_writable(const layout& where) {
  if (is_broadcast(where))
    raise<shape_error>("assignment destination is read-only: it is a broadcast view of shape ", where.extents);
}

/// The copy of `source`, read as the target's shape, into the target. The two do not overlap.
[[nodiscard]] inline strided_copy plan_copy(const storage& target, const storage& source,
                                            std::int64_t itemsize) noexcept {
  const layout from = broadcast_layout(source.where, target.where.extents);
  strided_copy copy;
  copy.dst = target.first;
  copy.src = source.first;
  copy.itemsize = static_cast<std::size_t>(itemsize);
  copy.rank = target.where.rank();
  for (int i = 0; i < copy.rank; ++i) {
    copy.extents[i] = target.where.extents[i];
    copy.dst_strides[i] = target.where.strides[i] * itemsize;
    copy.src_strides[i] = from.strides[i] * itemsize;
  }
  return copy;
}

/// Copies elements within one device; asynchronous. The source broadcasts to the target, which it does not overlap.
inline void copy_elements(const storage& target, const storage& source, std::int64_t itemsize) {
  if (target.where.extents.size() == 0) return;
  copy_strided(plan_copy(target, source, itemsize), *target.owner, *source.owner, current_stream(target.device()));
}

/// A copy in new memory whose axes lie in memory in the same order.
[[nodiscard]] inline storage clone(const storage& source, std::int64_t itemsize) {
  storage result = make_storage(source.where.extents, itemsize, source.device());
  result.where.strides = keep_order_strides(source.where);
  copy_elements(result, source, itemsize);
  return result;
}

/// A copy in new memory in C order.
[[nodiscard]] inline storage clone_in_c_order(const storage& source, std::int64_t itemsize) {
  storage result = make_storage(source.where.extents, itemsize, source.device());
  copy_elements(result, source, itemsize);
  return result;
}

/// The same elements, or a copy of them, dense and in C order.
[[nodiscard]] inline storage dense(const storage& source, std::int64_t itemsize) {
  return is_contiguous(source.where) ? source : clone_in_c_order(source, itemsize);
}

/// A copy on another device, dense. Asynchronous: the source's memory lives until it has been read.
[[nodiscard]] inline storage copy_to(const storage& source, std::int64_t itemsize, const device& destination) {
  const device from = source.device();
  if (destination == from) return clone(source, itemsize);
  storage result = make_storage(source.where.extents, itemsize, destination);
  if (source.where.extents.size() == 0) return result;
  copy_strided(plan_copy(result, source, itemsize), *result.owner, *source.owner,
               current_stream(from.is_host() ? destination : from));
  return result;
}

/// Whether the bytes that two layouts span meet. Errs towards yes: interleaved views count as meeting.
[[nodiscard]] inline bool spans_meet(const void* a, const layout& la, std::int64_t size_a, const void* b,
                                     const layout& lb, std::int64_t size_b) noexcept {
  const auto [low_a, high_a] = offset_range(la);
  const auto [low_b, high_b] = offset_range(lb);
  if (high_a < low_a || high_b < low_b) return false;
  const auto first_a = reinterpret_cast<std::uintptr_t>(a) + static_cast<std::uintptr_t>(low_a * size_a);
  const auto last_a = reinterpret_cast<std::uintptr_t>(a) + static_cast<std::uintptr_t>((high_a + 1) * size_a);
  const auto first_b = reinterpret_cast<std::uintptr_t>(b) + static_cast<std::uintptr_t>(low_b * size_b);
  const auto last_b = reinterpret_cast<std::uintptr_t>(b) + static_cast<std::uintptr_t>((high_b + 1) * size_b);
  return first_a < last_b && first_b < last_a;
}

/// @throws device_error if the elements of `source` are on another device than those of `target`.
[[gnu::noinline]] inline void check_assigned_device(const storage& target, const storage& source) {
  if (!source.owner || !target.owner || target.device() == source.device()) return;
  raise<device_error>("cannot assign an array on ", source.device(), " to elements on ", target.device(),
                      "; move it with .to(device)");
}

/// `target[...] = source` for elements of one type. @throws shape_error, device_error
inline void assign_elements(const storage& target, const storage& source, std::int64_t itemsize) {
  if (!is_assignable(source.where.extents, target.where.extents)) {
    raise<shape_error>("could not broadcast input array from shape ", source.where.extents, " into shape ",
                       target.where.extents);
  }
  check_writable(target.where);
  check_assigned_device(target, source);
  const bool overlap = spans_meet(target.first, target.where, itemsize, source.first, source.where, itemsize);
  copy_elements(target, overlap ? clone(source, itemsize) : source, itemsize);
}

/// `target = source`: the target becomes a copy, in its old memory if it is of the same shape and nobody shares it.
inline void assign_value(storage& target, const storage& source, std::int64_t itemsize) {
  if (target.owner == source.owner && target.first == source.first && target.where.extents == source.where.extents &&
      target.where.strides == source.where.strides) {
    return;
  }
  if (!source.owner) {
    target = source;
  } else if (target.owner && target.owner.use_count() == 1 && target.where.extents == source.where.extents &&
             target.device() == source.device() && is_contiguous(target.where)) {
    copy_elements(target, source, itemsize);
  } else {
    target = clone(source, itemsize);
  }
}

/// Lets the host touch the elements. Waits. @throws device_error if they are not on the host.
inline void prepare_host_access(const storage& s, const char* operation) {
  if (!s.owner) return;
  if (!s.device().is_host()) {
    raise<device_error>(operation, ": the array is on ", s.device(), "; copy it with .to(gpu::device::host())");
  }
  synchronize_for_write(*s.owner, operation);
}

/// Waits until the elements are computed, for a caller that must read them.
inline void synchronize_storage(const storage& s, const char* operation) {
  if (s.owner) synchronize_for_read(*s.owner, operation);
}

/// Copies the elements to host memory in C order. Waits. @throws what the work that computes them has thrown.
inline void read_elements(const storage& s, std::int64_t itemsize, void* out, const char* operation) {
  const std::int64_t n = s.where.extents.size();
  if (n == 0) return;
  const device d = s.device();
  if (d.is_host()) {
    synchronize_for_read(*s.owner, operation);
    storage target;
    target.first = static_cast<char*>(out);
    target.where = contiguous_layout(s.where.extents);
    copy_strided_on_host(plan_copy(target, s, itemsize));
    return;
  }
  const storage packed = dense(s, itemsize);
  copy_to_host(out, *packed.owner, static_cast<std::size_t>(packed.first - static_cast<char*>(packed.owner->data())),
               static_cast<std::size_t>(n * itemsize), current_stream(d), operation);
}

/// @throws shape_error if there is not one element.
inline void check_single(const shape& extents) {
  if (extents.size() == 1) return;
  raise<shape_error>("The truth value or single value of an array of shape ", extents, " is ambiguous: it has ",
                     extents.size(), " elements; use any(), all() or an index");
}

/// The only element. @throws shape_error if there is another number of them.
inline void read_element(const storage& s, std::int64_t itemsize, void* out) {
  check_single(s.where.extents);
  read_elements(s, itemsize, out, "item()");
}

/// New memory with the bytes of a dense array in host memory, which may be reused at once.
[[nodiscard]] inline storage upload(const void* data, const shape& extents, std::int64_t itemsize, const device& d) {
  storage result = make_storage(extents, itemsize, d);
  const auto bytes = static_cast<std::size_t>(extents.size() * itemsize);
  if (bytes == 0) return result;
  copy_from_host(*result.owner, 0, data, bytes, current_stream(d));
  return result;
}

/// The part that the items select.
template <class... Items>
[[nodiscard]] storage select_elements(const storage& s, std::int64_t itemsize, const Items&... items) {
  if constexpr (sizeof...(Items) == 0) {
    return s;
  } else {
    const index_item list[] = {items...};
    const selection chosen = select(s.where, list, static_cast<int>(sizeof...(Items)));
    return with_layout(s, chosen.result, chosen.offset * itemsize);
  }
}

/// The axes permuted; reversed if no permutation is given.
[[nodiscard]] inline storage transpose_elements(const storage& s, const index_vector& axes) {
  return {s.owner, s.first, permute(s.where, resolve_permutation(axes, s.where.rank()))};
}

}  // namespace gpu::detail
