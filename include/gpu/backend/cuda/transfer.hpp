/// @file
/// Copies to, from and between GPUs. Pageable memory of the host goes through pinned memory, so that nobody waits for
/// it.
#pragma once

#include <cstring>

#include "../../runtime/activity.hpp"
#include "../../runtime/transfer.hpp"
#include "memory_pool.hpp"
#include "pinned.hpp"
#include "rows.hpp"
#include "stream.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

[[nodiscard]] inline cuda_stream& cuda_stream_of(detail::stream_state& s) noexcept {
  return static_cast<cuda_stream&>(s);
}

inline void copy_from_host(buffer& dst, std::size_t dst_offset, const void* src, std::size_t bytes,
                           detail::stream_state& s) {
  cuda_stream_of(s).check_not_captured("an upload of memory that is not pinned");
  for (std::size_t done = 0; done < bytes; done += staging_piece) {
    const std::size_t piece = bytes - done < staging_piece ? bytes - done : staging_piece;
    const buffer_ptr staged = allocate_staging(piece, s.owner.index());
    std::memcpy(staged->data(), static_cast<const char*>(src) + done, piece);
    const cuda_stream::submission scope(cuda_stream_of(s), {staged.get()}, {&dst});
    check(cudaMemcpyAsync(detail::address(dst, dst_offset + done), staged->data(), piece, cudaMemcpyHostToDevice,
                          native(s)),
          "cudaMemcpyAsync");
    detail::count_work(detail::device_work::upload);
  }
}

inline void copy_to_host(void* dst, buffer& src, std::size_t src_offset, std::size_t bytes, detail::stream_state& s) {
  cuda_stream_of(s).check_not_captured("reading elements on the host");
  {
    const cuda_stream::submission order(cuda_stream_of(s), {&src}, {});
  }
  {
    // Outside of the submission: the driver may wait in this call, which no other thread must have to wait for.
    const current_device_scope scope(s.owner.index());
    check(cudaMemcpyAsync(dst, detail::address(src, src_offset), bytes, cudaMemcpyDeviceToHost, native(s)),
          "cudaMemcpyAsync");
    detail::count_work(detail::device_work::download);
  }
  s.synchronize();
}

/// What a thread of the driver does with a piece that has arrived in pinned memory.
struct last_step {
  detail::strided_copy copy;

  static void run(void* argument) {
    auto* const arrived = static_cast<last_step*>(argument);
    detail::copy_strided_on_host(arrived->copy);
    delete arrived;
  }
};

/// Brings `bytes` bytes into pinned memory and from there to where `copy.dst` says; `copy.src` is set here.
inline void download_piece(const detail::strided_copy& copy, buffer& dst, buffer& src, const void* from,
                           std::size_t bytes, detail::stream_state& s) {
  cuda_stream_of(s).check_not_captured("a download to memory that is not pinned");
  const buffer_ptr staged = allocate_staging(bytes, s.owner.index());
  auto* const step = new last_step{copy};
  step->copy.src = staged->data();
  try {
    const cuda_stream::submission scope(cuda_stream_of(s), {&src}, {&dst, staged.get()});
    check(cudaMemcpyAsync(staged->data(), from, bytes, cudaMemcpyDeviceToHost, native(s)), "cudaMemcpyAsync");
    check(cudaLaunchHostFunc(native(s), &last_step::run, step), "cudaLaunchHostFunc");
    detail::count_work(detail::device_work::download);
  } catch (...) {
    delete step;
    throw;
  }
}

inline void copy_to_host_buffer(buffer& dst, std::size_t dst_offset, buffer& src, std::size_t src_offset,
                                std::size_t bytes, detail::stream_state& s) {
  for (std::size_t done = 0; done < bytes; done += staging_piece) {
    const std::size_t piece = bytes - done < staging_piece ? bytes - done : staging_piece;
    detail::strided_copy copy;
    copy.dst = detail::address(dst, dst_offset + done);
    copy.itemsize = piece;
    download_piece(copy, dst, src, detail::address(src, src_offset + done), piece, s);
  }
}

inline void copy_bytes(buffer& dst, std::size_t dst_offset, buffer& src, std::size_t src_offset, std::size_t bytes,
                       detail::stream_state& s) {
  void* const to = detail::address(dst, dst_offset);
  const void* const from = detail::address(src, src_offset);
  if (dst.device().is_host() ? dst.is_page_locked() : src.device().is_host() && src.is_page_locked()) {
    const cuda_stream::submission scope(cuda_stream_of(s), {&src}, {&dst});
    check(cudaMemcpyAsync(to, from, bytes, dst.device().is_host() ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice,
                          native(s)),
          "cudaMemcpyAsync");
    detail::count_work(dst.device().is_host() ? detail::device_work::download : detail::device_work::upload);
  } else if (dst.device().is_host()) {
    copy_to_host_buffer(dst, dst_offset, src, src_offset, bytes, s);
  } else if (src.device().is_host()) {
    synchronize_for_read(src, "a copy to a GPU of an array that the host has not finished");
    copy_from_host(dst, dst_offset, from, bytes, s);
  } else {
    if (dst.device() != src.device()) use_peer_access(dst.device().index(), src.device().index());
    const cuda_stream::submission scope(cuda_stream_of(s), {&src}, {&dst});
    if (dst.device() == src.device()) {
      check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, native(s)), "cudaMemcpyAsync");
    } else {
      check(cudaMemcpyPeerAsync(to, dst.device().index(), from, src.device().index(), bytes, native(s)),
            "cudaMemcpyPeerAsync");
    }
    detail::count_work(detail::device_work::copy);
  }
}

inline void fill_bytes(buffer& dst, std::size_t offset, unsigned char value, std::size_t bytes,
                       detail::stream_state& s) {
  const cuda_stream::submission scope(cuda_stream_of(s), {}, {&dst});
  check(cudaMemsetAsync(detail::address(dst, offset), value, bytes, native(s)), "cudaMemsetAsync");
  detail::count_work(detail::device_work::copy);
}

[[nodiscard]] inline std::size_t offset_in(const buffer& b, const void* pointer) noexcept {
  return static_cast<std::size_t>(static_cast<const char*>(pointer) - static_cast<const char*>(b.data()));
}

/// Rows between pinned memory and the device in one copy of the driver's; false if they are not that.
[[nodiscard]] inline bool copy_rows(const detail::strided_copy& copy, buffer& dst, buffer& src,
                                    detail::stream_state& s) {
  const buffer& on_host = dst.device().is_host() ? dst : src;
  rows r;
  if (!on_host.device().is_host() || !on_host.is_page_locked() || !as_rows(copy, r)) return false;
  const cuda_stream::submission scope(cuda_stream_of(s), {&src}, {&dst});
  check(cudaMemcpy2DAsync(copy.dst, r.dst_pitch, copy.src, r.src_pitch, r.width, r.height,
                          dst.device().is_host() ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice, native(s)),
        "cudaMemcpy2DAsync");
  detail::count_work(dst.device().is_host() ? detail::device_work::download : detail::device_work::upload);
  return true;
}

/// Packs a strided array of the host into the ring at once, or has it unpacked from there; false if that is not the
/// case, or too much for the ring.
[[nodiscard]] inline bool copy_staged(const detail::strided_copy& copy, std::size_t bytes, bool src_contiguous,
                                      buffer& dst, buffer& src, detail::stream_state& s) {
  if (bytes > staging_limit / 8) return false;
  if (src.device().is_host() && is_contiguous(copy.dst_strides, copy)) {
    cuda_stream_of(s).check_not_captured("an upload of memory that is not pinned");
    synchronize_for_read(src, "a copy to a GPU of an array that the host has not finished");
    const buffer_ptr staged = allocate_staging(bytes, s.owner.index());
    detail::strided_copy pack = copy;
    pack.dst = staged->data();
    set_contiguous(pack.dst_strides, copy);
    detail::copy_strided_on_host(pack);
    const cuda_stream::submission scope(cuda_stream_of(s), {staged.get()}, {&dst});
    check(cudaMemcpyAsync(copy.dst, staged->data(), bytes, cudaMemcpyHostToDevice, native(s)), "cudaMemcpyAsync");
    detail::count_work(detail::device_work::upload);
    return true;
  }
  if (dst.device().is_host() && src_contiguous) {
    detail::strided_copy unpack = copy;
    set_contiguous(unpack.src_strides, copy);
    download_piece(unpack, dst, src, copy.src, bytes, s);
    return true;
  }
  return false;
}

/// Between devices, each strided side is packed or unpacked on its own device.
inline void copy_strided(const detail::strided_copy& copy, buffer& dst, buffer& src, detail::stream_state& s) {
  std::size_t bytes = copy.itemsize;
  for (int i = 0; i < copy.rank; ++i) bytes *= static_cast<std::size_t>(copy.extents[i]);
  const bool src_contiguous = is_contiguous(copy.src_strides, copy);
  if (src_contiguous && is_contiguous(copy.dst_strides, copy)) {
    copy_bytes(dst, offset_in(dst, copy.dst), src, offset_in(src, copy.src), bytes, s);
    return;
  }
  if (dst.device() == src.device()) {
    const cuda_stream::submission scope(cuda_stream_of(s), {&src}, {&dst});
    copy_strided(copy, native(s));
    return;
  }
  if (copy_rows(copy, dst, src, s) || copy_staged(copy, bytes, src_contiguous, dst, src, s)) return;
  s.add_handle();
  const stream own = stream::adopt(s);
  const auto stream_of = [&](device d) { return d == s.owner ? own : current_stream(d); };
  if (!src_contiguous) {
    const stream packing = stream_of(src.device());
    const buffer_ptr packed = allocate_buffer(bytes, src.device(), packing);
    detail::strided_copy pack = copy;
    pack.dst = packed->data();
    set_contiguous(pack.dst_strides, copy);
    gpu::copy_strided(pack, *packed, src, packing);
    detail::strided_copy rest = copy;
    rest.src = packed->data();
    set_contiguous(rest.src_strides, copy);
    copy_strided(rest, dst, *packed, s);
    return;
  }
  const stream unpacking = stream_of(dst.device());
  const buffer_ptr packed = allocate_buffer(bytes, dst.device(), unpacking);
  copy_bytes(*packed, 0, src, offset_in(src, copy.src), bytes, s);
  detail::strided_copy unpack = copy;
  unpack.src = packed->data();
  set_contiguous(unpack.src_strides, copy);
  gpu::copy_strided(unpack, dst, *packed, unpacking);
}

}  // namespace cuda
}  // namespace GPUARRAY_ABI
}  // namespace gpu
