/// @file
/// What an expression knows besides its function, without element types: its arrays, shape and device. Ordinary
/// code, so that an expression costs the compiler little more than its loop.
#pragma once

#include <cstdint>
#include <new>
#include <utility>

#include "../core/layout.hpp"
#include "../runtime/storage.hpp"
#include "make_plan.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

/// A device, or none yet: numbers and arrays without memory go anywhere.
struct located {
  gpu::device where;
  bool known = false;
};

/// Where an array is; an array without memory is nowhere yet.
[[nodiscard]] inline located location_of(const detail::storage& s) noexcept {
  return s.owner ? located{s.owner->device(), true} : located{};
}

/// The elements that an expression has: their shape, and the device that they are computed on.
struct domain {
  gpu::shape extents;
  located location;

  /// No elements, on no device in particular.
  [[nodiscard]] static domain nothing() { return {gpu::shape{0}, {}}; }

  /// Broadcasts with those of an operand. @throws shape_error, device_error
  [[gnu::noinline]] void join(const gpu::shape& other, const located& other_location, const char* operation) {
    if (other_location.known) {
      if (location.known && location.where != other_location.where) {
        detail::raise<device_error>(operation, ": operands are on different devices, ", location.where, " and ",
                                    other_location.where, "; move one with .to(device)");
      }
      location = other_location;
    }
    if (!(extents == other)) extents = detail::broadcast_pair(extents, other, operation);
  }
};

[[gnu::noinline]] inline void construct_leaves(detail::storage* leaves, int count) noexcept {
  for (int i = 0; i < count; ++i) ::new (static_cast<void*>(leaves + i)) detail::storage();
}
[[gnu::noinline]] inline void destroy_leaves(detail::storage* leaves, int count) noexcept {
  for (int i = 0; i < count; ++i) leaves[i].~storage();
}
/// Copies or moves leaves to others, which hold nothing.
[[gnu::noinline]] inline void take_leaves(detail::storage* to, const detail::storage* from, int count,
                                          bool moves) noexcept {
  for (int i = 0; i < count; ++i) {
    if (moves) {
      to[i] = std::move(const_cast<detail::storage&>(from[i]));
    } else {
      to[i] = from[i];
    }
  }
}

/// The arrays of an expression in order. They share the memory and remember the layouts of that moment.
template <int Count>
class leaf_list {
 public:
  leaf_list() noexcept { construct_leaves(data(), Count); }
  leaf_list(const leaf_list& other) noexcept : leaf_list() { take_leaves(data(), other.data(), Count, false); }
  leaf_list(leaf_list&& other) noexcept : leaf_list() { take_leaves(data(), other.data(), Count, true); }
  leaf_list& operator=(const leaf_list&) = delete;  // expressions are not assigned to
  ~leaf_list() { destroy_leaves(data(), Count); }

  [[nodiscard]] detail::storage* data() noexcept { return std::launder(reinterpret_cast<detail::storage*>(memory_)); }
  [[nodiscard]] const detail::storage* data() const noexcept {
    return std::launder(reinterpret_cast<const detail::storage*>(memory_));
  }

 private:
  // Not of no elements, which C++ does not have.
  alignas(detail::storage) unsigned char memory_[(Count + (Count == 0)) * sizeof(detail::storage)];
};

/// Appends an array to the leaves of an operation, and its shape and device to the operation's.
[[gnu::noinline]] inline void append_array(domain& of, detail::storage*& end, const char* operation,
                                           const detail::storage& array) {
  of.join(array.where.extents, location_of(array), operation);
  *end++ = array;
}

/// Appends the leaves of an operand that is itself an expression.
[[gnu::noinline]] inline void append_expression(domain& of, detail::storage*& end, const char* operation,
                                                const domain& operand, const detail::storage* leaves, int count,
                                                bool moves) {
  of.join(operand.extents, operand.location, operation);
  take_leaves(end, leaves, count, moves);
  if (moves) const_cast<domain&>(operand) = domain::nothing();
  end += count;
}

/// The leaves as the planner sees them.
[[gnu::noinline]] inline void describe_leaves(const detail::storage* leaves, const std::int64_t* itemsizes, int count,
                                              leaf_ref* out) noexcept {
  for (int i = 0; i < count; ++i) {
    out[i] = {leaves[i].first, &leaves[i].where, itemsizes[i], leaves[i].owner.get()};
  }
}

/// Lists the buffers that leaves are read from in `out`; an array without memory has none.
[[nodiscard]] inline buffer_list owners_of(const leaf_ref* leaves, int count, buffer** out) noexcept {
  std::size_t owners = 0;
  for (int k = 0; k < count; ++k) {
    if (leaves[k].owner != nullptr) out[owners++] = leaves[k].owner;
  }
  return {out, owners};
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
