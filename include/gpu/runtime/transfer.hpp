/// @file
/// Copies between buffers, whatever device they are on, and to and from memory of the user's.
#pragma once

#include <cstdint>
#include <cstring>

#include "submit.hpp"

namespace gpu {

/// `bytes` bytes from `src + src_offset` to `dst + dst_offset`, in the order of `s`, which is a stream of either
/// buffer's device (of the GPU, if one is on a GPU). The two ranges do not overlap. Waits only on the host's default
/// stream, before an upload of memory that the host itself has not finished writing, and when more than 64 MiB are on
/// their way.
void copy_bytes(buffer& dst, std::size_t dst_offset, buffer& src, std::size_t src_offset, std::size_t bytes,
                const stream& s);

/// From memory of the user's, which may be changed or freed as soon as this returns. Waits for no work on the buffer
/// except on the host's default stream.
void copy_from_host(buffer& dst, std::size_t dst_offset, const void* src, std::size_t bytes, const stream& s);
/// To memory of the user's. Waits until the bytes are there; `operation` as in `synchronize_for_read`.
void copy_to_host(void* dst, buffer& src, std::size_t src_offset, std::size_t bytes, const stream& s,
                  const char* operation);

/// Sets `bytes` bytes from `dst + offset` on. Does not wait, except on the host's default stream.
void fill_bytes(buffer& dst, std::size_t offset, unsigned char value, std::size_t bytes, const stream& s);

/// Strided copy of elements of any type: `copy.dst` and `copy.src` point into `dst` and `src`. Between devices, a
/// strided side goes through contiguous memory. `s` as for `copy_bytes`. @throws out_of_memory for that contiguous
/// memory.
void copy_strided(const detail::strided_copy& copy, buffer& dst, buffer& src, const stream& s);

// ---------------------------------------------------------------------------------------------------------------------

namespace detail {

[[nodiscard]] inline char* address(const buffer& b, std::size_t offset) noexcept {
  return static_cast<char*>(b.data()) + offset;
}

/// The stream of a copy must be able to reach both sides.
[[gnu::cold]] inline void check_copy_stream(const char* operation, device dst, device src, const stream& s) {
  const bool fits = s.device() == dst || s.device() == src;
  if (fits && (!s.device().is_host() || (dst.is_host() && src.is_host()))) return;
  raise_device_error("%s from %s to %s needs a stream of %s, not of %s", operation, device_text(src).text,
                     device_text(dst).text, device_text(src.is_host() ? dst : src).text, device_text(s.device()).text);
}

}  // namespace detail

[[gnu::cold]] inline void copy_bytes(buffer& dst, std::size_t dst_offset, buffer& src, std::size_t src_offset,
                                     std::size_t bytes, const stream& s) {
  if (bytes == 0) return;
  detail::check_copy_stream("a copy", dst.device(), src.device(), s);
  if (!s.device().is_host()) {
    s.device().table().copy_bytes(dst, dst_offset, src, src_offset, bytes, s.state());
    return;
  }
  submit(s, {&src}, {&dst}, [to = detail::address(dst, dst_offset), from = detail::address(src, src_offset), bytes] {
    std::memcpy(to, from, bytes);
  });
}

[[gnu::cold]] inline void copy_from_host(buffer& dst, std::size_t dst_offset, const void* src, std::size_t bytes,
                                         const stream& s) {
  if (bytes == 0) return;
  detail::check_copy_stream("an upload", dst.device(), device::host(), s);
  if (!s.device().is_host()) {
    s.device().table().copy_from_host(dst, dst_offset, src, bytes, s.state());
  } else if (s.is_default()) {
    synchronize_for_write(dst, "a copy from the host");
    std::memcpy(detail::address(dst, dst_offset), src, bytes);
  } else {  // the worker copies later: give it a copy of its own
    const buffer_ptr staged = allocate_buffer(bytes, s.device(), stream::default_stream(s.device()));
    std::memcpy(staged->data(), src, bytes);
    copy_bytes(dst, dst_offset, *staged, 0, bytes, s);
  }
}

[[gnu::cold]] inline void copy_to_host(void* dst, buffer& src, std::size_t src_offset, std::size_t bytes,
                                       const stream& s, const char* operation) {
  if (bytes == 0) return;
  if (src.device().is_host()) {
    synchronize_for_read(src, operation);
    std::memcpy(dst, detail::address(src, src_offset), bytes);
    return;
  }
  detail::check_copy_stream("a download", device::host(), src.device(), s);
  detail::check_wait_allowed(operation);
  s.device().table().copy_to_host(dst, src, src_offset, bytes, s.state());
}

[[gnu::cold]] inline void fill_bytes(buffer& dst, std::size_t offset, unsigned char value, std::size_t bytes,
                                     const stream& s) {
  if (bytes == 0) return;
  detail::check_copy_stream("a fill", dst.device(), dst.device(), s);
  if (!s.device().is_host()) {
    s.device().table().fill_bytes(dst, offset, value, bytes, s.state());
    return;
  }
  submit(s, {}, {&dst}, [to = detail::address(dst, offset), value, bytes] { std::memset(to, value, bytes); });
}

[[gnu::cold]] inline void copy_strided(const detail::strided_copy& copy, buffer& dst, buffer& src, const stream& s) {
  for (int i = 0; i < copy.rank; ++i) {
    if (copy.extents[i] == 0) return;
  }
  detail::check_copy_stream("a copy", dst.device(), src.device(), s);
  if (!s.device().is_host()) {
    s.device().table().copy_strided(copy, dst, src, s.state());
    return;
  }
  submit(s, {&src}, {&dst}, [copy] { detail::copy_strided_on_host(copy); });
}

}  // namespace gpu
