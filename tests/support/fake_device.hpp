/// @file
/// Two devices that pretend to be cuda:0 and cuda:1 on memory of the host, for tests of what a unit without CUDA may do
/// with arrays on a GPU. Only for programs that g++ compiles: nvcc's have the real ones.
#pragma once

#include <cstdlib>
#include <cstring>
#include <string>

#include "gpu/array.hpp"
#include "gpu/runtime/ordering.hpp"

namespace fake_device {

using gpu::buffer;
using gpu::detail::stream_state;

/// Does all work at once.
struct immediate_stream final : stream_state {
  explicit immediate_stream(gpu::device d) noexcept
      : stream_state(d, gpu::detail::stream_kind::native, nullptr, true) {}
  bool is_done(std::uint64_t) noexcept override { return true; }
  void wait_until_done(std::uint64_t) override {}
  void synchronize() override {}
  bool done() override { return true; }
  void submit(gpu::buffer_list, gpu::buffer_list, const gpu::detail::work_ref& work) override {
    work.call(work.function, nullptr);
  }
  void launch_host_function(const gpu::detail::work_ref& work) override { work.call(work.function, nullptr); }
  void wait_before_more(const gpu::detail::stream_use& before) override { gpu::detail::wait_for(before); }
  void mark(gpu::detail::event_record&) override {}
  double milliseconds(const gpu::detail::event_record&, const gpu::detail::event_record&) override { return 0; }
  void retire() noexcept override {}
};

inline stream_state* default_stream(int ordinal) {
  static auto* const streams = [] {
    gpu::detail::use_ordering();
    return new immediate_stream[2]{immediate_stream(gpu::device::unchecked(gpu::device_kind::cuda, 0)),
                                   immediate_stream(gpu::device::unchecked(gpu::device_kind::cuda, 1))};
  }();
  return &streams[ordinal];
}

inline char* at(const buffer& b, std::size_t offset) { return static_cast<char*>(b.data()) + offset; }

/// The work of host streams that a copy must wait for.
inline void settle(buffer& to, buffer& from) {
  gpu::synchronize_for_write(to, nullptr);
  gpu::synchronize_for_read(from, nullptr);
}

inline const gpu::detail::backend_table table = {
    .count = [] { return 2; },
    .why_unusable = [](int ordinal) { return std::string(ordinal < 2 ? "" : "there are two"); },
    .properties = [](int) { return gpu::detail::device_properties{}; },
    .memory = [](int) { return gpu::memory_information{std::size_t{1} << 30, std::size_t{1} << 30}; },
    .driver_version = [] { return std::string("fake"); },
    .toolkit_version = [] { return std::string("fake"); },
    .alive = []() noexcept { return true; },
    .synchronize = [](int) {},
    .allocate = [](int, std::size_t bytes,
                   stream_state&) { return std::aligned_alloc(256, (bytes + 255) / 256 * 256); },
    .deallocate = [](int, void* data, std::size_t, stream_state&) noexcept { std::free(data); },
    .allocate_plain = [](int, std::size_t bytes) { return std::aligned_alloc(256, (bytes + 255) / 256 * 256); },
    .deallocate_plain = [](int, void* data, std::size_t) noexcept { std::free(data); },
    .trim = [](int, bool) noexcept {},
    .allocate_pinned = [](std::size_t bytes) { return std::aligned_alloc(256, (bytes + 255) / 256 * 256); },
    .deallocate_pinned = [](void* data) noexcept { std::free(data); },
    .register_host = [](void*, std::size_t) {},
    .unregister_host = [](void*) noexcept {},
    .is_page_locked = [](const void*) noexcept { return false; },
    .with_device = [](int, void (*f)(void*), void* context) { f(context); },
    .default_stream = default_stream,
    .create_stream = [](int ordinal, gpu::stream_priority) { return default_stream(ordinal); },
    .wrap_stream = [](int ordinal, void*) { return default_stream(ordinal); },
    .copy_bytes =
        [](buffer& to, std::size_t to_offset, buffer& from, std::size_t from_offset, std::size_t bytes, stream_state&) {
          settle(to, from);
          std::memcpy(at(to, to_offset), at(from, from_offset), bytes);
        },
    .copy_from_host = [](buffer& to, std::size_t offset, const void* from, std::size_t bytes,
                         stream_state&) { std::memcpy(at(to, offset), from, bytes); },
    .copy_to_host = [](void* to, buffer& from, std::size_t offset, std::size_t bytes,
                       stream_state&) { std::memcpy(to, at(from, offset), bytes); },
    .fill_bytes = [](buffer& to, std::size_t offset, unsigned char value, std::size_t bytes,
                     stream_state&) { std::memset(at(to, offset), value, bytes); },
    .copy_strided =
        [](const gpu::detail::strided_copy& copy, buffer& to, buffer& from, stream_state&) {
          settle(to, from);
          gpu::detail::copy_strided_on_host(copy);
        },
    .copy_many =
        [](const gpu::detail::contiguous_copy* copies, std::size_t count, gpu::buffer_list, gpu::buffer_list,
           stream_state&) {
          for (std::size_t i = 0; i < count; ++i) std::memcpy(copies[i].dst, copies[i].src, copies[i].bytes);
        },
    .copy_parts =
        [](const gpu::detail::strided_copy* parts, std::size_t count, buffer& to, gpu::buffer_list reads,
           stream_state&) {
          for (buffer* const from : reads) settle(to, *from);
          for (std::size_t i = 0; i < count; ++i) gpu::detail::copy_strided_on_host(parts[i]);
        },
    .begin_capture = nullptr,
    .end_capture = nullptr,
    .launch_graph = nullptr,
    .destroy_graph = nullptr,
};

/// The devices cuda:0 and cuda:1 exist from the first call on.
inline gpu::device cuda(int ordinal) {
  static const bool registered = gpu::detail::register_backend(gpu::device_kind::cuda, &table);
  static_cast<void>(registered);
  return gpu::device::cuda(ordinal);
}

}  // namespace fake_device
