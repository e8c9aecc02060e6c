/// @file
/// `logging_resource`: writes every allocation to a CSV file, which can be played again on another resource.
#pragma once

#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "memory_resource.hpp"
#include "pool_shard.hpp"
#include "stream.hpp"

namespace gpu {

/// Writes a line for each call that it passes on to `upstream`, which must outlive it. The columns are nanoseconds
/// since the start, thread, action (allocate, fail or free), address, bytes, and stream (0: the default one). A free is
/// written before the block can be given to anybody else, so the lines are an order in which the calls may be repeated.
class logging_resource final : public memory_resource {
 public:
  /// @throws io_error if the file cannot be opened.
  logging_resource(memory_resource& upstream, const std::string& path)
      : upstream_(upstream), file_(std::fopen(path.c_str(), "w")), start_(now()) {
    if (file_ == nullptr) throw io_error("cannot write the log of a memory resource to \"" + path + "\"");
    std::fputs("nanoseconds,thread,action,address,bytes,stream\n", file_);
  }
  ~logging_resource() override { std::fclose(file_); }

  [[nodiscard]] void* allocate(std::size_t bytes, const stream& s) override {
    try {
      void* const data = upstream_.allocate(bytes, s);
      write("allocate", data, bytes, s);
      return data;
    } catch (...) {
      write("fail", nullptr, bytes, s);
      throw;
    }
  }
  void deallocate(void* data, std::size_t bytes, const stream& s) noexcept override {
    write("free", data, bytes, s);
    upstream_.deallocate(data, bytes, s);
  }
  std::size_t trim(bool wait) noexcept override { return upstream_.trim(wait); }
  [[nodiscard]] memory_statistics statistics() const override { return upstream_.statistics(); }

  /// Writes out what the C library still holds.
  void flush() noexcept { std::fflush(file_); }

 private:
  [[nodiscard]] static std::int64_t now() noexcept {
    std::timespec t{};
    clock_gettime(CLOCK_MONOTONIC, &t);
    return std::int64_t{t.tv_sec} * 1000000000 + t.tv_nsec;
  }
  void write(const char* action, const void* data, std::size_t bytes, const stream& s) noexcept {
    const auto stream_number = s.is_default() ? 0 : reinterpret_cast<std::uintptr_t>(&s.state());
    // One call: stdio locks the file, so lines of several threads do not mix.
    std::fprintf(file_, "%" PRId64 ",%u,%s,%" PRIuPTR ",%zu,%" PRIuPTR "\n", now() - start_, detail::thread_slot(),
                 action, reinterpret_cast<std::uintptr_t>(data), bytes, stream_number);
  }

  memory_resource& upstream_;
  std::FILE* file_;
  std::int64_t start_;
};

/// What playing a log again did.
struct replay_result {
  std::uint64_t allocations = 0;
  std::uint64_t frees = 0;
  std::uint64_t failures = 0;  ///< allocations that failed now
};

/// Repeats the calls of a log on `resource`, which has memory of `d`: in the order of the lines, on a stream for each
/// of the log's, and without the time between them. What the log left allocated is freed at the end. Waits.
/// @throws io_error if the file cannot be read or a line is not one of a log.
inline replay_result replay_log(const std::string& path, memory_resource& resource, device d) {
  std::FILE* const file = std::fopen(path.c_str(), "r");
  if (file == nullptr) throw io_error("cannot read the log of a memory resource in \"" + path + "\"");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> closes(file, &std::fclose);
  struct live_block {
    void* data;
    std::size_t bytes;
  };
  replay_result result;
  std::map<std::uintptr_t, live_block> live;
  std::map<std::uintptr_t, stream> streams;
  streams.emplace(0, stream::default_stream(d));
  char line[256];
  for (int number = 1; std::fgets(line, sizeof line, file) != nullptr; ++number) {
    if (number == 1) continue;
    char action[16];
    std::uintptr_t address = 0;
    std::size_t bytes = 0;
    std::uintptr_t on = 0;
    if (std::sscanf(line, "%*d,%*u,%15[a-z],%" SCNuPTR ",%zu,%" SCNuPTR, action, &address, &bytes, &on) != 4)
      throw io_error("line " + std::to_string(number) + " of \"" + path + "\" is not one of a memory resource's log");
    if (streams.find(on) == streams.end()) streams.emplace(on, stream(d));
    const stream& s = streams.at(on);
    if (std::string_view(action) == "allocate") {
      try {
        live[address] = {resource.allocate(bytes, s), bytes};
        ++result.allocations;
      } catch (const out_of_memory&) {
        live.erase(address);
        ++result.failures;
      }
    } else if (std::string_view(action) == "free") {
      const auto found = live.find(address);
      if (found == live.end()) continue;  // it was allocated before the log began, or could not be now
      resource.deallocate(found->second.data, bytes, s);
      live.erase(found);
      ++result.frees;
    }
  }
  for (const auto& [address, block] : live) resource.deallocate(block.data, block.bytes, streams.at(0));
  d.synchronize();
  return result;
}

}  // namespace gpu
