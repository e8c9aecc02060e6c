/// @file
/// The table of functions through which the runtime reaches a device; each backend registers one.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

#include "../core/shape.hpp"

namespace gpu {

/// What kind of hardware a device is.
enum class device_kind : std::uint8_t { host, cuda };

/// Which of a device's streams goes first when work of several is waiting; host streams are threads and do not differ.
enum class stream_priority : std::uint8_t { low, normal, high };

/// Bytes of a device's memory. `free` is what the driver or the operating system would still give out.
struct memory_information {
  std::size_t free = 0;
  std::size_t total = 0;
};

class buffer;
class buffer_list;

namespace detail {

struct stream_state;
struct capture_log;

inline constexpr int device_kinds = 2;
inline constexpr int max_cuda_devices = 32;
inline constexpr int max_devices = 1 + max_cuda_devices;

struct device_properties {
  std::string name;
  int capability_major = 0;
  int capability_minor = 0;
  int multiprocessors = 0;
  std::size_t total_memory = 0;
};

/// `dst[i...] = src[i...]` for elements of `itemsize` bytes; strides in bytes. The two do not overlap.
struct strided_copy {
  void* dst = nullptr;
  const void* src = nullptr;
  std::size_t itemsize = 0;
  int rank = 0;
  std::int64_t extents[max_rank] = {};
  std::int64_t dst_strides[max_rank] = {};
  std::int64_t src_strides[max_rank] = {};
};

/// One of many copies that are submitted together.
struct contiguous_copy {
  void* dst = nullptr;
  const void* src = nullptr;
  std::size_t bytes = 0;
  bool from_host = false;
  bool to_host = false;
};

/// A device driver. Everything throws `cuda_error` (or the like) unless it is noexcept, leaves the calling thread's
/// current device as it was, and does not wait unless it says so. The host has no streams and transfers here: those are
/// the runtime's.
struct backend_table {
  int (*count)();
  /// Empty if the device can be used, otherwise why not and what to do about it.
  std::string (*why_unusable)(int ordinal);
  device_properties (*properties)(int ordinal);
  memory_information (*memory)(int ordinal);
  /// Versions as "13.0"; empty if there is none.
  std::string (*driver_version)();
  std::string (*toolkit_version)();
  /// False once the driver must not be called: during process exit and in a forked child.
  bool (*alive)() noexcept;
  /// Waits for everything on the device. @throws what work on it has thrown.
  void (*synchronize)(int ordinal);

  /// Null if there is no memory left; in the order of the stream.
  void* (*allocate)(int ordinal, std::size_t bytes, stream_state& stream);
  void (*deallocate)(int ordinal, void* data, std::size_t bytes, stream_state& stream) noexcept;
  /// Memory without a pool of the driver's, for every stream at once; giving it back waits for the device.
  void* (*allocate_plain)(int ordinal, std::size_t bytes);
  void (*deallocate_plain)(int ordinal, void* data, std::size_t bytes) noexcept;
  /// Gives memory that the driver's pool holds back to the system. With `wait`, after all work on the device.
  void (*trim)(int ordinal, bool wait) noexcept;

  /// Memory of the host that every device of this kind reaches directly; null if there is none left. Freeing it may
  /// wait.
  void* (*allocate_pinned)(std::size_t bytes);
  void (*deallocate_pinned)(void* data) noexcept;
  /// Makes memory of the user's such memory, and ordinary again.
  void (*register_host)(void* data, std::size_t bytes);
  void (*unregister_host)(void* data) noexcept;
  /// Whether memory of the host is of that kind.
  bool (*is_page_locked)(const void* data) noexcept;
  /// Calls `f(context)` with the device current.
  void (*with_device)(int ordinal, void (*f)(void* context), void* context);

  stream_state* (*default_stream)(int ordinal);
  stream_state* (*create_stream)(int ordinal, stream_priority priority);
  stream_state* (*wrap_stream)(int ordinal, void* native_stream);

  /// What the functions of transfer.hpp do where one side is on the device; the stream is one of the device.
  void (*copy_bytes)(buffer& dst, std::size_t dst_offset, buffer& src, std::size_t src_offset, std::size_t bytes,
                     stream_state& s);
  void (*copy_from_host)(buffer& dst, std::size_t dst_offset, const void* src, std::size_t bytes, stream_state& s);
  /// Waits.
  void (*copy_to_host)(void* dst, buffer& src, std::size_t src_offset, std::size_t bytes, stream_state& s);
  void (*fill_bytes)(buffer& dst, std::size_t offset, unsigned char value, std::size_t bytes, stream_state& s);
  void (*copy_strided)(const strided_copy& copy, buffer& dst, buffer& src, stream_state& s);
  /// Copies that do not depend on each other, all of them within reach of the device.
  void (*copy_many)(const contiguous_copy* copies, std::size_t count, buffer_list reads, buffer_list writes,
                    stream_state& s);
  /// Strided copies within the device, all into one buffer, of which none reads or writes what another writes. `reads`
  /// names what they read, in any order; the one of a single copy comes first.
  void (*copy_parts)(const strided_copy* parts, std::size_t count, buffer& dst, buffer_list reads, stream_state& s);

  /// From now on work on the stream is noted in `log` and recorded instead of run.
  void (*begin_capture)(stream_state& s, capture_log& log);
  /// Ends that; returns what was recorded, ready to run, or null if it is not `wanted`.
  void* (*end_capture)(stream_state& s, bool wanted);
  void (*launch_graph)(void* graph, buffer_list reads, buffer_list writes, stream_state& s);
  void (*destroy_graph)(void* graph) noexcept;
};

/// The table of a backend that is not the host's; null if no unit of the program brought one.
[[nodiscard, gnu::visibility("default")]] inline std::atomic<const backend_table*>& backend_slot(
    device_kind kind) noexcept {
  static std::atomic<const backend_table*> tables[device_kinds];
  return tables[static_cast<int>(kind)];
}

/// Called by a backend's header when the program starts. Returns true, so that a variable can be initialised with it.
inline bool register_backend(device_kind kind, const backend_table* table) noexcept {
  backend_slot(kind).store(table, std::memory_order_release);
  return true;
}

[[nodiscard]] inline const backend_table* backend_of(device_kind kind) noexcept {
  return backend_slot(kind).load(std::memory_order_acquire);
}

}  // namespace detail
}  // namespace gpu
