// The merging pool as a resource: threads, devices, streams.
#include <atomic>
#include <random>
#include <thread>
#include <vector>

#include "gpu/runtime/coalescing_resource.hpp"
#include "runtime_support.hpp"

namespace {

using gpu::device;
using gpu::out_of_memory;
using gpu::stream;
using runtime_test::expect_error;
using runtime_test::gate;
using runtime_test::opens_at_end;

const device host = device::host();
constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

// Threads that mark what they hold and pass some of it on: a block that two hold at a time shows.
TEST(coalescing_resource, threads_never_share_a_block) {
  gpu::device_memory_resource memory(host);
  gpu::coalescing_resource pool(host, memory, {.segment = 256 * kib, .limit = 4 * mib});
  struct block {
    std::uint64_t* data;
    std::size_t bytes;
    std::uint64_t mark;
  };
  std::atomic<int> clashes{0};
  std::vector<std::thread> running;
  for (unsigned t = 0; t < 4; ++t) {
    running.emplace_back([&, t] {
      std::mt19937 random(t);
      const stream s = t % 2 == 0 ? stream::default_stream(host) : stream(host);
      std::vector<block> mine;
      const auto free_last = [&] {
        const block b = mine.back();
        mine.pop_back();
        for (std::size_t i = 0; i < b.bytes / 8; i += 16) clashes.fetch_add(b.data[i] != b.mark ? 1 : 0);
        if (random() % 2 == 0) {  // used until its turn comes in the stream
          s.launch_host_function([b] {
            for (std::size_t i = 0; i < b.bytes / 8; i += 16) b.data[i] = ~b.mark;
          });
        }
        pool.deallocate(b.data, b.bytes, s);
      };
      for (std::uint64_t step = 0; step < 2000; ++step) {
        if (random() % 2 == 0 && mine.size() < 20) {
          const block b{nullptr, 8 * (1 + random() % 4000), (step << 8) | t};
          try {
            mine.push_back({static_cast<std::uint64_t*>(pool.allocate(b.bytes, s)), b.bytes, b.mark});
          } catch (const out_of_memory&) {
            continue;
          }
          s.synchronize();
          for (std::size_t i = 0; i < b.bytes / 8; i += 16) mine.back().data[i] = b.mark;
        } else if (!mine.empty()) {
          std::swap(mine[random() % mine.size()], mine.back());
          free_last();
        }
        if (random() % 300 == 0) pool.trim(random() % 2 == 0);
      }
      while (!mine.empty()) free_last();
      s.synchronize();
    });
  }
  for (std::thread& t : running) t.join();
  EXPECT_EQ(clashes.load(), 0);
  EXPECT_EQ(pool.statistics().used, 0U);
  pool.trim(true);
  EXPECT_EQ(pool.statistics().reserved, 0U);
}

}  // namespace
