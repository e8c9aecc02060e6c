/// @file
/// A device that is only imagined: memory without bytes, streams whose work is done when the test says so, and a record
/// of what is ordered before what, so that memory that is reused too early shows whatever happens to run when.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

namespace runtime_test {

/// How many seeds a model is run with, of 2500 steps each; fewer where every step is slow.
#if defined(__CUDACC__)
inline constexpr unsigned model_runs = 10;  // nothing here depends on a real device
#elif defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr unsigned model_runs = 40;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr unsigned model_runs = 20;
#else
inline constexpr unsigned model_runs = 400;
#endif
#else
inline constexpr unsigned model_runs = 400;
#endif

class simulated_device {
 public:
  static constexpr int streams = 8;  ///< numbered from 1
  /// How much of each stream's work is known to be done.
  using clock = std::array<std::uint64_t, streams + 1>;
  struct place {
    int stream = 0;
    std::uint64_t ticket = 0;
  };

  simulated_device(std::size_t capacity, unsigned seed, int busy_memory)
      : capacity_(capacity), busy_memory_(busy_memory), random_(seed) {
    for (stream_data& s : streams_) s.history.push_back(clock{});
  }

  // What a pool asks.
  [[nodiscard]] void* allocate(std::size_t bytes, place& available) {
    ++calls_;
    if (bytes > capacity_ - reserved_) return nullptr;
    reserved_ += bytes;
    char* const data = reinterpret_cast<char*>(next_address_);
    next_address_ += bytes;  // the next segment lies right behind: blocks must not merge across
    segments_[data] = bytes;
    // As a driver that orders allocations with a stream: usable after its work.
    if (busy_memory_ != 0 && random_() % 2 == 0) {
      available = record(busy_memory_);
      uses_.push_back({data, bytes, available});
    }
    return data;
  }
  void deallocate(void* data, std::size_t bytes) noexcept {
    ++calls_;
    expect_ordered(static_cast<char*>(data), bytes, host_, "given back");
    EXPECT_EQ(segments_.at(static_cast<char*>(data)), bytes);
    segments_.erase(static_cast<char*>(data));
    reserved_ -= bytes;
  }
  [[nodiscard]] place record(int s) const noexcept { return {s, of(s).submitted()}; }
  [[nodiscard]] bool query(const place& p) noexcept {
    if (of(p.stream).completed < p.ticket) return false;
    join(host_, of(p.stream).history[p.ticket]);
    return true;
  }
  void wait(int s, const place& before) {
    const clock known = of(before.stream).history[before.ticket];
    submit(s, before, known);
  }
  [[nodiscard]] bool wait(const place& p) noexcept {
    while (p.stream != 0 && of(p.stream).completed < p.ticket) progress();
    return p.stream == 0 || query(p);
  }

  // What the test does.
  /// Work on `s` that uses memory.
  void launch(int s, char* data, std::size_t bytes) {
    expect_ordered(data, bytes, known_to(s), "used");
    submit(s, {}, {});
    uses_.push_back({data, bytes, record(s)});
  }
  /// What earlier owners of the memory have done must be done before anything that `s` is given now.
  void expect_ready(int s, char* data, std::size_t bytes) { expect_ordered(data, bytes, known_to(s), "handed out"); }
  /// Some work gets done.
  void progress() {
    for (int tries = 0; tries < 8; ++tries) {
      stream_data& s = streams_[1 + random_() % streams];
      if (s.completed == s.submitted()) continue;
      const place before = s.waits[s.completed];
      if (before.stream == 0 || of(before.stream).completed >= before.ticket) ++s.completed;
    }
  }
  void finish() {
    for (int s = 1; s <= streams; ++s) static_cast<void>(wait(record(s)));
  }
  void set_capacity(std::size_t bytes) { capacity_ = std::max(bytes, reserved_); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] std::size_t reserved() const { return reserved_; }
  [[nodiscard]] const std::map<char*, std::size_t>& segments() const { return segments_; }
  [[nodiscard]] std::uint64_t calls() const { return calls_; }

 private:
  struct stream_data {
    std::uint64_t completed = 0;
    std::vector<place> waits;    ///< of each piece of work
    std::vector<clock> history;  ///< what is done before each piece of work ends; of none at first
    [[nodiscard]] std::uint64_t submitted() const { return waits.size(); }
  };
  struct use {
    char* data;
    std::size_t bytes;
    place when;
  };

  [[nodiscard]] stream_data& of(int s) { return streams_[static_cast<std::size_t>(s)]; }
  [[nodiscard]] const stream_data& of(int s) const { return streams_[static_cast<std::size_t>(s)]; }
  static void join(clock& a, const clock& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = std::max(a[i], b[i]);
  }
  [[nodiscard]] clock known_to(int s) const {
    clock known = of(s).history.back();
    join(known, host_);
    return known;
  }
  void submit(int s, const place& before, const clock& brings) {
    clock known = known_to(s);
    join(known, brings);
    of(s).waits.push_back(before);
    known[static_cast<std::size_t>(s)] = of(s).submitted();
    of(s).history.push_back(known);
  }
  /// Forgets the uses that overlap, all of which must be in `known`.
  void expect_ordered(char* data, std::size_t bytes, const clock& known, const char* what) noexcept {
    for (std::size_t i = 0; i < uses_.size();) {
      const use u = uses_[i];
      if (u.data + u.bytes <= data || data + bytes <= u.data) {
        ++i;
        continue;
      }
      EXPECT_LE(u.when.ticket, known[static_cast<std::size_t>(u.when.stream)])
          << "memory is " << what << " while stream " << u.when.stream << " still uses it";
      if (u.when.ticket <= known[static_cast<std::size_t>(u.when.stream)] && data <= u.data &&
          u.data + u.bytes <= data + bytes) {
        uses_[i] = uses_.back();
        uses_.pop_back();
      } else {
        ++i;
      }
    }
  }

  std::size_t capacity_;
  int busy_memory_;
  std::mt19937 random_;
  std::size_t reserved_ = 0;
  std::uintptr_t next_address_ = std::uintptr_t{1} << 40;
  std::uint64_t calls_ = 0;
  std::map<char*, std::size_t> segments_;
  std::array<stream_data, streams + 1> streams_;
  clock host_{};
  std::vector<use> uses_;
};

/// How a pool reaches it.
struct simulated_backend {
  using stream_type = int;
  using place = simulated_device::place;

  simulated_device* device;

  [[nodiscard]] void* allocate(std::size_t bytes, place& available) { return device->allocate(bytes, available); }
  void deallocate(void* data, std::size_t bytes) noexcept { device->deallocate(data, bytes); }
  [[nodiscard]] place record(int s) noexcept { return device->record(s); }
  [[nodiscard]] bool query(const place& p) noexcept { return device->query(p); }
  void wait(int s, const place& p) { device->wait(s, p); }
  [[nodiscard]] bool wait(const place& p) noexcept { return device->wait(p); }
  [[nodiscard]] std::uintptr_t key(int s) const noexcept { return static_cast<std::uintptr_t>(s); }
  [[nodiscard]] std::uintptr_t key(const place& p) const noexcept { return static_cast<std::uintptr_t>(p.stream); }
};

}  // namespace runtime_test
