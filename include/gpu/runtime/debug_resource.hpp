/// @file
/// `debug_resource`: finds writes out of bounds, wrong frees and leaks, and names where the memory was allocated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#if __has_include(<execinfo.h>)
#include <execinfo.h>
#endif

#include "transfer.hpp"

namespace gpu {

/// What a `debug_resource` has found.
enum class memory_fault : std::uint8_t {
  write_before,  ///< bytes before the block were changed
  write_after,   ///< bytes after the block were changed
  double_free,   ///< freed again
  unknown_free,  ///< never allocated here
  wrong_size,    ///< freed with another size than it was allocated with
  leak           ///< not freed
};

/// How a `debug_resource` works.
struct debug_options {
  std::size_t red_zone = 256;      ///< bytes before and after each block, a multiple of 256
  unsigned char allocated = 0xcd;  ///< what new memory is filled with
  unsigned char freed = 0xdd;      ///< what freed memory is filled with
  unsigned char red = 0xfd;        ///< what red zones hold
  /// Is told of each fault, with a text that names the block and where it was allocated. Unless set: the text goes to
  /// stderr, and anything but a leak ends the program.
  void (*report)(memory_fault fault, const char* text, void* context) = nullptr;
  void* context = nullptr;
};

/// Names what this thread allocates for as long as it lives, in the reports of `debug_resource`.
class allocation_label {
 public:
  explicit allocation_label(const char* text) noexcept : previous_(current()) { current() = text; }
  allocation_label(const allocation_label&) = delete;
  allocation_label& operator=(const allocation_label&) = delete;
  ~allocation_label() { current() = previous_; }

  /// The innermost label of this thread; null if there is none.
  [[nodiscard, gnu::visibility("default")]] static const char*& current() noexcept {
    static thread_local const char* label = nullptr;
    return label;
  }

 private:
  const char* previous_;
};

/// Surrounds the blocks that it gets from `upstream`, which must outlive it, with red zones, fills them, and checks
/// every free. For debugging: freeing waits for the stream.
class debug_resource final : public memory_resource {
 public:
  debug_resource(gpu::device d, memory_resource& upstream, const debug_options& options = {})
      : device_(d), upstream_(upstream), options_(options) {}
  /// Reports leaks.
  ~debug_resource() override {
    try {
      report_leaks();
    } catch (...) {  // no memory to say so
    }
  }

  [[nodiscard]] void* allocate(std::size_t bytes, const stream& s) override;
  void deallocate(void* data, std::size_t bytes, const stream& s) noexcept override;
  std::size_t trim(bool wait) noexcept override { return upstream_.trim(wait); }
  [[nodiscard]] memory_statistics statistics() const override { return upstream_.statistics(); }

  /// Reports every block that is in use; returns how many.
  std::size_t report_leaks();
  /// Checks the red zones of all blocks in use and reports; returns how many are damaged. Waits for the device.
  std::size_t check_blocks();

 private:
  static constexpr int max_frames = 16;
  struct record {
    std::size_t bytes = 0;
    std::uint64_t number = 0;
    const char* label = nullptr;
    int frames = 0;
    void* site[max_frames] = {};
    bool live = true;
  };

  [[nodiscard]] std::map<const void*, record> records() {
    const std::lock_guard hold(lock_);
    return records_;
  }
  void fill(void* data, std::size_t bytes, unsigned char value, const stream& s);
  [[nodiscard]] bool check_zones(const char* data, const record& r, const stream& s);
  [[nodiscard]] bool is_red(const char* zone, const stream& s);
  void report(memory_fault fault, const char* what, const void* data, const record* r) noexcept;

  gpu::device device_;
  memory_resource& upstream_;
  const debug_options options_;
  detail::mutex lock_;
  std::map<const void*, record>
      records_;  ///< of blocks in use, and of freed ones whose address was not given out again
  std::uint64_t allocations_ = 0;
};

// ---------------------------------------------------------------------------------------------------------------------

inline void* debug_resource::allocate(std::size_t bytes, const stream& s) {
  if (bytes > SIZE_MAX - 2 * options_.red_zone) return upstream_.allocate(bytes, s);  // throws
  record made;
  made.bytes = bytes;
  made.label = allocation_label::current();
#if __has_include(<execinfo.h>)
  made.frames = backtrace(made.site, max_frames);
#endif
  const std::size_t all = bytes + 2 * options_.red_zone;
  char* const block = static_cast<char*>(upstream_.allocate(all, s));
  char* const data = block + options_.red_zone;
  try {
    fill(block, options_.red_zone, options_.red, s);
    fill(data, bytes, options_.allocated, s);
    fill(data + bytes, options_.red_zone, options_.red, s);
    const std::lock_guard hold(lock_);
    made.number = ++allocations_;
    records_[data] = made;
  } catch (...) {
    upstream_.deallocate(block, all, s);
    throw;
  }
  return data;
}

inline void debug_resource::deallocate(void* data, std::size_t bytes, const stream& s) noexcept {
  record found;
  {
    const std::lock_guard hold(lock_);
    const auto at = records_.find(data);
    if (at == records_.end()) return report(memory_fault::unknown_free, "was freed but never allocated", data, nullptr);
    found = at->second;
    at->second.live = false;
  }
  if (!found.live) return report(memory_fault::double_free, "was freed twice", data, &found);
  if (found.bytes != bytes) {
    char text[64];
    std::snprintf(text, sizeof text, "was freed as %zu bytes", bytes);
    report(memory_fault::wrong_size, text, data, &found);
  }
  try {
    s.state().wait_until_done(s.state().submitted.load(std::memory_order_relaxed));
    static_cast<void>(check_zones(static_cast<char*>(data), found, s));
    fill(data, found.bytes, options_.freed, s);
  } catch (...) {  // where nothing can be waited for, nothing is checked
  }
  upstream_.deallocate(static_cast<char*>(data) - options_.red_zone, found.bytes + 2 * options_.red_zone, s);
}

/// In the order of the stream.
inline void debug_resource::fill(void* data, std::size_t bytes, unsigned char value, const stream& s) {
  const buffer_ptr whole = adopt_buffer(data, bytes, device_, [](void*) {});
  fill_bytes(*whole, 0, value, bytes, s);
}

inline bool debug_resource::is_red(const char* zone, const stream& s) {
  const std::unique_ptr<unsigned char[]> seen(new unsigned char[options_.red_zone]);
  const buffer_ptr whole = adopt_buffer(const_cast<char*>(zone), options_.red_zone, device_, [](void*) {});
  copy_to_host(seen.get(), *whole, 0, options_.red_zone, s, nullptr);
  for (std::size_t i = 0; i < options_.red_zone; ++i) {
    if (seen[i] != options_.red) return false;
  }
  return true;
}

inline bool debug_resource::check_zones(const char* data, const record& r, const stream& s) {
  const bool before = is_red(data - options_.red_zone, s);
  const bool after = is_red(data + r.bytes, s);
  if (!before) report(memory_fault::write_before, "was written before its begin", data, &r);
  if (!after) report(memory_fault::write_after, "was written beyond its end", data, &r);
  return before && after;
}

inline std::size_t debug_resource::check_blocks() {
  device_.synchronize();
  std::size_t damaged = 0;
  for (const auto& [data, r] : records()) {
    if (r.live && !check_zones(static_cast<const char*>(data), r, stream::default_stream(device_))) ++damaged;
  }
  return damaged;
}

inline std::size_t debug_resource::report_leaks() {
  std::size_t leaks = 0;
  for (const auto& [data, r] : records()) {
    if (!r.live) continue;
    ++leaks;
    report(memory_fault::leak, "was not freed", data, &r);
  }
  return leaks;
}

inline void debug_resource::report(memory_fault fault, const char* what, const void* data, const record* r) noexcept {
  try {
    std::string text = detail::format_text("memory of %s at %p %s", detail::device_text(device_).text, data, what);
    if (r != nullptr) {
      text += detail::format_text("; it is allocation %llu, of %zu bytes, made in \"%s\" at",
                                  static_cast<unsigned long long>(r->number), r->bytes,
                                  r->label == nullptr ? "code without a label" : r->label);
#if __has_include(<execinfo.h>)
      const std::unique_ptr<char*, void (*)(void*)> names(backtrace_symbols(r->site, r->frames), &std::free);
      for (int i = 0; names != nullptr && i < r->frames; ++i) text += std::string("\n    ") + names.get()[i];
#endif
    }
    if (options_.report != nullptr) {
      options_.report(fault, text.c_str(), options_.context);
      return;
    }
    std::fprintf(stderr, "gpuarray: %s\n", text.c_str());
  } catch (...) {
    std::fputs("gpuarray: a memory fault, and no memory to describe it in\n", stderr);
  }
  if (options_.report == nullptr && fault != memory_fault::leak) std::abort();
}

}  // namespace gpu
