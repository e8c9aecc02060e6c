#include "gpu/runtime/coalescing_pool.hpp"

#include <cstdlib>
#include <new>
#include <stdexcept>

#include "runtime_support.hpp"
#include "simulated_device.hpp"

namespace {

using gpu::coalescing_options;
using gpu::memory_statistics;
using runtime_test::model_runs;
using runtime_test::simulated_backend;
using runtime_test::simulated_device;

using pool = gpu::coalescing_pool<simulated_backend>;
constexpr std::size_t kib = 1024;

struct live_block {
  char* data;
  std::size_t bytes;
  std::size_t size;
  int stream;
};

/// The pool's books against the model's: every block, every byte.
void expect_books(const pool& p, const simulated_device& device, const std::vector<live_block>& live,
                  std::size_t alignment) {
  std::map<const void*, std::size_t> used;
  std::size_t used_bytes = 0;
  for (const live_block& b : live) {
    used[b.data] = b.size;
    used_bytes += b.size;
  }
  std::size_t cached_bytes = 0;
  std::size_t largest = 0;
  std::size_t seen_used = 0;
  auto segment = device.segments().begin();
  const char* next = segment == device.segments().end() ? nullptr : segment->first;
  bool before_is_free = false;
  std::uintptr_t before_key = 0;
  p.visit([&](const void* of, const void* block, std::size_t size, bool is_used, std::uintptr_t key, std::uint64_t) {
    ASSERT_NE(segment, device.segments().end()) << "a block outside of all segments";
    ASSERT_EQ(of, segment->first);
    ASSERT_EQ(block, next) << "blocks must tile their segment";
    ASSERT_GT(size, 0U);
    ASSERT_EQ(size % alignment, 0U);
    if (is_used) {
      ASSERT_TRUE(used.count(block) == 1 && used[block] == size) << "in use, but nobody has it";
      ++seen_used;
      before_is_free = false;
    } else {
      ASSERT_FALSE(before_is_free && before_key == key) << "free neighbours of one stream must be one block";
      before_is_free = true;
      before_key = key;
      cached_bytes += size;
      largest = std::max(largest, size);
    }
    next += size;
    if (next == segment->first + segment->second) {
      ++segment;
      next = segment == device.segments().end() ? nullptr : segment->first;
      before_is_free = false;
    }
  });
  ASSERT_EQ(segment, device.segments().end()) << "a segment without blocks, or not filled by them";
  ASSERT_EQ(seen_used, live.size());
  const memory_statistics now = p.statistics();
  ASSERT_EQ(now.used, used_bytes);
  ASSERT_EQ(now.cached, cached_bytes);
  ASSERT_EQ(now.largest_cached, largest);
  ASSERT_EQ(now.reserved, device.reserved());
  ASSERT_EQ(now.used + now.cached, now.reserved);
  ASSERT_EQ(now.blocks, live.size());
  ASSERT_LE(now.used, now.peak);
  ASSERT_LE(device.reserved(), device.capacity());
}

struct coalescing_model {
  explicit coalescing_model(unsigned seed)
      : random(seed),
        options{.segment = std::size_t{16} << (10 + random() % 4),
                .alignment = std::size_t{1} << (6 + random() % 4),
                .limit = random() % 4 == 0 ? 300 * kib : 0},
        usual_blocks(4 + random() % 40),
        device((200 + random() % 400) * kib, seed, static_cast<int>(random() % 3) == 0 ? 1 : 0),
        p(simulated_backend{&device}, options) {}

  int any_stream() { return 1 + static_cast<int>(random() % simulated_device::streams); }
  std::size_t any_size() {
    switch (random() % 8) {
      case 0: return random() % 100;
      case 1: return random() % (100 * kib);
      case 2: return options.segment;
      default: return 1 + random() % (8 * kib);
    }
  }

  void allocate() {
    const std::size_t bytes = any_size();
    const int s = any_stream();
    const std::uint64_t before = p.statistics().allocations;
    auto* const data = static_cast<char*>(p.allocate(bytes, s));
    if (data == nullptr) {
      expect_none_left(bytes, s);
      return;
    }
    const std::size_t size =
        (std::max(bytes, std::size_t{1}) + options.alignment - 1) / options.alignment * options.alignment;
    ASSERT_EQ(p.statistics().allocations, before + 1);
    for (const live_block& b : live) ASSERT_TRUE(b.data + b.size <= data || data + size <= b.data) << "blocks overlap";
    device.expect_ready(s, data, size);
    live.push_back({data, bytes, size, s});
  }
  /// After a failure nothing that fits is left, and the same call fails again.
  void expect_none_left(std::size_t bytes, int s) {
    const memory_statistics now = p.statistics();
    ASSERT_LT(now.largest_cached, std::max(bytes, std::size_t{1})) << "failed with a block that fits in the cache";
    const std::size_t end = options.limit == 0 ? device.capacity() : std::min(device.capacity(), options.limit);
    ASSERT_LT(end - now.reserved, bytes + options.alignment) << "failed with memory left";
    for (const auto& [data, size] : device.segments()) {
      bool in_use = false;
      for (const live_block& b : live) in_use = in_use || (data <= b.data && b.data < data + size);
      ASSERT_TRUE(in_use) << "failed with a segment that nobody uses";
    }
    ASSERT_EQ(p.allocate(bytes, s), nullptr) << "an immediate retry must fail as well";
    ++failures;
  }
  void free_one() {
    if (live.empty()) return;
    std::swap(live[random() % live.size()], live.back());
    const live_block b = live.back();
    live.pop_back();
    int s = b.stream;
    if (random() % 4 == 0) {  // freed on another stream, which comes after what the first has done
      s = any_stream();
      if (s != b.stream) device.wait(s, device.record(b.stream));
    }
    const std::uint64_t calls = device.calls();
    p.deallocate(b.data, s);
    ASSERT_EQ(device.calls(), calls) << "freeing calls no driver";
  }
  void step() {
    switch (random() % 16) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
      case 5:
      case 6: live.size() < random() % (2 * usual_blocks) ? allocate() : free_one(); break;
      case 7:
      case 8:
      case 9:
        if (!live.empty()) {
          const live_block& b = live[random() % live.size()];
          device.launch(b.stream, b.data, b.size);
        }
        break;
      case 10:
        if (!live.empty()) {  // moves on to another stream, as arrays do
          live_block& b = live[random() % live.size()];
          const int s = any_stream();
          if (s != b.stream) device.wait(s, device.record(b.stream));
          b.stream = s;
        }
        break;
      case 11: device.wait(any_stream(), device.record(any_stream())); break;
      case 12:
        if (random() % 16 == 0) static_cast<void>(device.wait(device.record(any_stream())));
        break;
      case 13:
        if (random() % 64 == 0) p.trim(random() % 2 == 0);
        if (random() % 64 == 0) device.set_capacity((100 + random() % 500) * kib);
        break;
      default: device.progress();
    }
  }

  std::mt19937 random;
  coalescing_options options;
  std::size_t usual_blocks;
  simulated_device device;
  pool p;
  std::vector<live_block> live;
  int failures = 0;
};

constexpr int model_steps = 2500;

// A million steps, each checked against the model; GPUARRAY_TEST_SEED repeats one run.
TEST(coalescing_pool, random_steps_equal_the_model) {
  const char* const chosen = std::getenv("GPUARRAY_TEST_SEED");
  const unsigned first = chosen == nullptr ? 1 : static_cast<unsigned>(std::atoi(chosen));
  const unsigned last = chosen == nullptr ? model_runs : first;
  int failures = 0;
  for (unsigned seed = first; seed <= last; ++seed) {
    SCOPED_TRACE("GPUARRAY_TEST_SEED=" + std::to_string(seed));
    coalescing_model model(seed);
    for (int i = 0; i < model_steps && !testing::Test::HasFailure(); ++i) {
      model.step();
      expect_books(model.p, model.device, model.live, model.options.alignment);
    }
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
    while (!model.live.empty()) model.free_one();
    model.device.finish();
    model.p.trim(false);
    ASSERT_EQ(model.p.statistics().reserved, 0U) << "everything was freed and is done";
    ASSERT_EQ(model.device.reserved(), 0U);
    failures += model.failures;
  }
  std::printf("seeds %u to %u, %d steps each, memory ran out %d times\n", first, last, model_steps, failures);
  RecordProperty("memory_ran_out", failures);
  if (chosen == nullptr) {
    EXPECT_GT(failures, 0) << "the model must reach the end of memory";
  }
}

// The orders that break naive pools, one by one.

TEST(coalescing_pool, own_stream_reuses_at_once_others_do_not) {
  simulated_device device(1 << 20, 1, 0);
  pool p(simulated_backend{&device}, {.segment = 64 * kib});
  auto* const a = static_cast<char*>(p.allocate(64 * kib, 1));
  device.launch(1, a, 64 * kib);
  p.deallocate(a, 1);
  EXPECT_EQ(p.allocate(64 * kib, 1), a);
  p.deallocate(a, 1);
  void* const b = p.allocate(64 * kib, 2);
  EXPECT_NE(b, a) << "stream 1 is still busy, and there is other memory";
  p.deallocate(b, 2);
  device.finish();
  EXPECT_EQ(p.allocate(64 * kib, 3), a) << "done: for everybody, the lower address first";
  p.deallocate(a, 3);
}

TEST(coalescing_pool, stream_waits_for_a_busy_block_only_when_there_is_nothing_else) {
  simulated_device device(64 * kib, 1, 0);
  pool p(simulated_backend{&device}, {.segment = 64 * kib});
  auto* const a = static_cast<char*>(p.allocate(64 * kib, 1));
  device.launch(1, a, 64 * kib);
  p.deallocate(a, 1);
  EXPECT_EQ(p.allocate(64 * kib, 2), a);
  device.expect_ready(2, a, 64 * kib);  // through a wait of stream 2, not of the host
  EXPECT_FALSE(device.query(device.record(2)));
  p.deallocate(a, 2);
}

TEST(coalescing_pool, merged_blocks_of_two_streams_serve_a_third) {
  simulated_device device(64 * kib, 1, 0);
  pool p(simulated_backend{&device}, {.segment = 64 * kib});
  auto* const a = static_cast<char*>(p.allocate(32 * kib, 1));
  auto* const b = static_cast<char*>(p.allocate(32 * kib, 2));
  device.launch(1, a, 32 * kib);
  device.launch(2, b, 32 * kib);
  p.deallocate(a, 1);
  p.deallocate(b, 2);
  auto* const c = static_cast<char*>(p.allocate(64 * kib, 3));
  EXPECT_EQ(c, a);
  device.expect_ready(3, c, 64 * kib);
  p.deallocate(c, 3);
}

TEST(coalescing_pool, best_fit_leaves_large_blocks_whole) {
  simulated_device device(1 << 20, 1, 0);
  pool p(simulated_backend{&device}, {.segment = 64 * kib});
  void* const a = p.allocate(16 * kib, 1);
  void* const b = p.allocate(16 * kib, 1);
  void* const c = p.allocate(32 * kib, 1);
  p.deallocate(a, 1);
  p.deallocate(c, 1);
  EXPECT_EQ(p.allocate(8 * kib, 1), a);
  EXPECT_EQ(p.statistics().largest_cached, 32 * kib);
  p.deallocate(a, 1);
  p.deallocate(b, 1);
  EXPECT_EQ(p.statistics().largest_cached, 64 * kib);
  EXPECT_EQ(p.statistics().fragmentation(), 0.0);
}

TEST(coalescing_pool, zero_bytes_and_overflow) {
  simulated_device device(1 << 20, 1, 0);
  pool p(simulated_backend{&device}, {.segment = 64 * kib});
  void* const a = p.allocate(0, 1);
  void* const b = p.allocate(0, 1);
  EXPECT_NE(a, nullptr);
  EXPECT_NE(a, b);
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / 2 + 1})
    EXPECT_EQ(p.allocate(bytes, 1), nullptr);
  p.deallocate(a, 1);
  p.deallocate(b, 1);
}

/// A backend whose waits fail.
struct unwilling_backend : simulated_backend {
  void wait(int, const place&) { throw std::runtime_error("no wait"); }
  [[nodiscard]] bool wait(const place& p) noexcept { return simulated_backend::wait(p); }
};

TEST(coalescing_pool, failed_wait_puts_the_block_back) {
  simulated_device device(64 * kib, 1, 0);
  gpu::coalescing_pool<unwilling_backend> p(unwilling_backend{{&device}}, {.segment = 64 * kib});
  auto* const a = static_cast<char*>(p.allocate(48 * kib, 1));
  device.launch(1, a, 48 * kib);
  p.deallocate(a, 1);
  EXPECT_THROW(static_cast<void>(p.allocate(32 * kib, 2)), std::runtime_error);
  const memory_statistics now = p.statistics();
  EXPECT_EQ(now.used, 0U);
  EXPECT_EQ(now.blocks, 0U);
  EXPECT_EQ(now.largest_cached, 48 * kib) << "in one piece again, beside what stream 1 has never used";
  EXPECT_EQ(p.allocate(64 * kib, 1), a);
  p.deallocate(a, 1);
}

}  // namespace
