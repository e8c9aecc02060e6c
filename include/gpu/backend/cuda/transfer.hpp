/// @file
/// Copies to, from and between GPUs. Pageable memory of the host goes through pinned memory, so that nobody waits for
/// it.
#pragma once

#include <atomic>
#include <cstring>

#include "../../runtime/transfer.hpp"
#include "stream.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace cuda {

/// Transfers are cut into pieces of this size: large enough for bandwidth, small enough for the host's copy of one to
/// overlap the transfer of another.
inline constexpr std::size_t staging_piece = std::size_t{1} << 20;
/// At most this much pinned memory for each device; a transfer that needs more waits for earlier pieces.
inline constexpr std::size_t staging_limit = std::size_t{64} << 20;

/// Pinned memory straight from the driver.
class pinned_memory final : public memory_resource {
 public:
  explicit pinned_memory(int ordinal) noexcept : ordinal_(ordinal) {}

  [[nodiscard]] void* allocate(std::size_t bytes, const stream&) override {
    const current_device_scope scope(ordinal_);
    void* data = nullptr;
    const cudaError_t status = cudaHostAlloc(&data, bytes, cudaHostAllocPortable);
    if (status == cudaErrorMemoryAllocation) {
      ignore(status);
      throw out_of_memory(memory_shortage{device::host(), bytes, 0, 0, 0, 0, device::host().memory_info()});
    }
    check(status, "cudaHostAlloc");
    return data;
  }
  void deallocate(void* data, std::size_t, const stream&) noexcept override {
    if (alive()) ignore(cudaFreeHost(data));
  }

 private:
  int ordinal_;
};

[[nodiscard, gnu::visibility("default")]] inline pool_resource& staging_pool(int ordinal) {
  static detail::mutex* const lock = new detail::mutex;
  static std::atomic<pool_resource*> pools[detail::max_cuda_devices];
  std::atomic<pool_resource*>& pool = pools[ordinal];
  if (pool_resource* const existing = pool.load(std::memory_order_acquire)) return *existing;
  const detail::locked hold(*lock);
  if (pool.load(std::memory_order_acquire) == nullptr) {
    auto* const made = new pool_resource(device::host(), *new pinned_memory(ordinal));
    made->set_limit(staging_limit);
    pool.store(made, std::memory_order_release);
  }
  return *pool.load(std::memory_order_acquire);
}

/// Pinned memory for one piece of a transfer; it returns to its pool when the stream is done with it.
[[nodiscard]] inline buffer_ptr allocate_staging(std::size_t bytes, int ordinal) {
  const device host = device::host();
  return detail::allocate_from(staging_pool(ordinal), bytes, host, stream::default_stream(host));
}

[[nodiscard]] inline cuda_stream& cuda_stream_of(detail::stream_state& s) noexcept {
  return static_cast<cuda_stream&>(s);
}

inline void copy_from_host(buffer& dst, std::size_t dst_offset, const void* src, std::size_t bytes,
                           detail::stream_state& s) {
  for (std::size_t done = 0; done < bytes; done += staging_piece) {
    const std::size_t piece = bytes - done < staging_piece ? bytes - done : staging_piece;
    const buffer_ptr staged = allocate_staging(piece, s.owner.index());
    std::memcpy(staged->data(), static_cast<const char*>(src) + done, piece);
    const cuda_stream::submission scope(cuda_stream_of(s), {staged.get()}, {&dst});
    check(cudaMemcpyAsync(detail::address(dst, dst_offset + done), staged->data(), piece, cudaMemcpyHostToDevice,
                          native(s)),
          "cudaMemcpyAsync");
  }
}

inline void copy_to_host(void* dst, buffer& src, std::size_t src_offset, std::size_t bytes, detail::stream_state& s) {
  {
    const cuda_stream::submission order(cuda_stream_of(s), {&src}, {});
  }
  {
    // Outside of the submission: the driver may wait in this call, which no other thread must have to wait for.
    const current_device_scope scope(s.owner.index());
    check(cudaMemcpyAsync(dst, detail::address(src, src_offset), bytes, cudaMemcpyDeviceToHost, native(s)),
          "cudaMemcpyAsync");
  }
  s.synchronize();
}

/// To a buffer of the host: a thread of the driver moves each piece on when it has arrived.
inline void copy_to_host_buffer(buffer& dst, std::size_t dst_offset, buffer& src, std::size_t src_offset,
                                std::size_t bytes, detail::stream_state& s) {
  struct last_step {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  for (std::size_t done = 0; done < bytes; done += staging_piece) {
    const std::size_t piece = bytes - done < staging_piece ? bytes - done : staging_piece;
    const buffer_ptr staged = allocate_staging(piece, s.owner.index());
    auto* const step = new last_step{detail::address(dst, dst_offset + done), staged->data(), piece};
    const auto move_on = [](void* argument) {
      auto* const arrived = static_cast<last_step*>(argument);
      std::memcpy(arrived->to, arrived->from, arrived->bytes);
      delete arrived;
    };
    try {
      const cuda_stream::submission scope(cuda_stream_of(s), {&src}, {&dst, staged.get()});
      check(cudaMemcpyAsync(staged->data(), detail::address(src, src_offset + done), piece, cudaMemcpyDeviceToHost,
                            native(s)),
            "cudaMemcpyAsync");
      check(cudaLaunchHostFunc(native(s), move_on, step), "cudaLaunchHostFunc");
    } catch (...) {
      delete step;
      throw;
    }
  }
}

inline void copy_bytes(buffer& dst, std::size_t dst_offset, buffer& src, std::size_t src_offset, std::size_t bytes,
                       detail::stream_state& s) {
  void* const to = detail::address(dst, dst_offset);
  const void* const from = detail::address(src, src_offset);
  if (dst.device().is_host()) {
    copy_to_host_buffer(dst, dst_offset, src, src_offset, bytes, s);
  } else if (src.device().is_host()) {
    synchronize_for_read(src, "a copy to a GPU of an array that the host has not finished");
    copy_from_host(dst, dst_offset, from, bytes, s);
  } else {
    const cuda_stream::submission scope(cuda_stream_of(s), {&src}, {&dst});
    if (dst.device() == src.device()) {
      check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, native(s)), "cudaMemcpyAsync");
    } else {
      check(cudaMemcpyPeerAsync(to, dst.device().index(), from, src.device().index(), bytes, native(s)),
            "cudaMemcpyPeerAsync");
    }
  }
}

inline void fill_bytes(buffer& dst, std::size_t offset, unsigned char value, std::size_t bytes,
                       detail::stream_state& s) {
  const cuda_stream::submission scope(cuda_stream_of(s), {}, {&dst});
  check(cudaMemsetAsync(detail::address(dst, offset), value, bytes, native(s)), "cudaMemsetAsync");
}

[[nodiscard]] inline bool is_contiguous(const std::int64_t* strides, const detail::strided_copy& copy) noexcept {
  auto expected = static_cast<std::int64_t>(copy.itemsize);
  for (int i = copy.rank - 1; i >= 0; --i) {
    if (copy.extents[i] != 1 && strides[i] != expected) return false;
    expected *= copy.extents[i];
  }
  return true;
}

inline void set_contiguous(std::int64_t* strides, const detail::strided_copy& copy) noexcept {
  auto stride = static_cast<std::int64_t>(copy.itemsize);
  for (int i = copy.rank - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= copy.extents[i];
  }
}

[[nodiscard]] inline std::size_t offset_in(const buffer& b, const void* pointer) noexcept {
  return static_cast<std::size_t>(static_cast<const char*>(pointer) - static_cast<const char*>(b.data()));
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
