/// @file
/// The host as a device. Its streams and transfers are the runtime's own, and pinned memory is a driver's: their
/// entries here are null.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "../../runtime/backend.hpp"
#include "../../runtime/raise.hpp"
#include "strided_copy.hpp"

namespace gpu::detail {

/// The processor's name as the kernel gives it.
[[nodiscard, gnu::cold]] inline std::string processor_name() {
  char name[128] = "host";
  if (std::FILE* const file = std::fopen("/proc/cpuinfo", "r")) {
    char line[256];
    while (std::fgets(line, sizeof line, file) != nullptr && std::sscanf(line, "model name : %127[^\n]", name) != 1) {
    }
    std::fclose(file);
  }
  return name;
}

/// Physical memory, and what of it the kernel could give out without swapping.
[[nodiscard, gnu::cold]] inline memory_information host_memory() noexcept {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  memory_information memory{static_cast<std::size_t>(sysconf(_SC_AVPHYS_PAGES)) * page,
                            static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page};
  if (std::FILE* const file = std::fopen("/proc/meminfo", "r")) {
    char line[256];
    unsigned long long kilobytes = 0;
    while (std::fgets(line, sizeof line, file) != nullptr) {
      if (std::sscanf(line, "MemAvailable: %llu kB", &kilobytes) == 1) memory.free = kilobytes * 1024;
    }
    std::fclose(file);
  }
  return memory;
}

/// Memory aligned to 64 bytes, or to huge pages where it fills one: page faults cost more than most operations.
[[nodiscard]] inline void* allocate_on_host(std::size_t bytes) noexcept {
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  void* data = nullptr;
  if (posix_memalign(&data, bytes >= huge_page ? huge_page : 64, bytes == 0 ? 1 : bytes) != 0) return nullptr;
  if (bytes >= huge_page) madvise(data, bytes, MADV_HUGEPAGE);
  return data;
}

[[nodiscard, gnu::visibility("default")]] inline const backend_table& host_backend() noexcept {
  static constexpr backend_table table = {
      .count = +[] { return 1; },
      .why_unusable =
          +[](int ordinal) {
            return ordinal == 0 ? std::string() : format_text("there is no device host:%d", ordinal);
          },
      .properties = +[](int) { return device_properties{processor_name(), 0, 0, 0, host_memory().total}; },
      .memory = +[](int) { return host_memory(); },
      .driver_version = +[] { return std::string(); },
      .toolkit_version = +[] { return std::string(); },
      .alive = +[]() noexcept { return true; },
      .synchronize = nullptr,
      .allocate = +[](int, std::size_t bytes, stream_state&) { return allocate_on_host(bytes); },
      .deallocate = +[](int, void* data, std::size_t, stream_state&) noexcept { std::free(data); },
      .allocate_plain = +[](int, std::size_t bytes) { return allocate_on_host(bytes); },
      .deallocate_plain = +[](int, void* data, std::size_t) noexcept { std::free(data); },
      .trim = +[](int, bool) noexcept {},
      .allocate_pinned = nullptr,
      .deallocate_pinned = nullptr,
      .register_host = nullptr,
      .unregister_host = nullptr,
      .is_page_locked = nullptr,
      .with_device = +[](int, void (*f)(void*), void* context) { f(context); },
      .default_stream = nullptr,
      .create_stream = nullptr,
      .wrap_stream = nullptr,
      .copy_bytes = nullptr,
      .copy_from_host = nullptr,
      .copy_to_host = nullptr,
      .fill_bytes = nullptr,
      .copy_strided = nullptr,
      .copy_many = nullptr,
      .copy_parts = nullptr,
      .begin_capture = nullptr,
      .end_capture = nullptr,
      .launch_graph = nullptr,
      .destroy_graph = nullptr,
  };
  return table;
}

}  // namespace gpu::detail
