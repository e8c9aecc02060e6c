#include "gpu/runtime/memory.hpp"

#include <cstdint>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "runtime_support.hpp"

namespace {

using gpu::device;
using gpu::memory_statistics;
using gpu::out_of_memory;
using gpu::pool_resource;
using gpu::stream;
using gpu::detail::size_class_of;
using gpu::detail::size_of_class;
using runtime_test::expect_error;
using runtime_test::gate;
using runtime_test::opens_at_end;

const device host = device::host();
constexpr std::size_t mib = std::size_t{1} << 20;

/// Memory of the host with an end to it, that counts and can be told to fail.
class counting_upstream final : public gpu::memory_resource {
 public:
  explicit counting_upstream(std::size_t capacity = SIZE_MAX) : capacity_(capacity) {}
  [[nodiscard]] void* allocate(std::size_t bytes, const stream& s) override {
    const std::lock_guard hold(lock_);
    if (bytes > capacity_ - in_use_)
      throw out_of_memory(gpu::memory_shortage{host, bytes, in_use_, 0, 0, capacity_, {}});
    void* const data = real_.allocate(bytes, s);
    in_use_ += bytes;
    ++allocations_;
    return data;
  }
  void deallocate(void* data, std::size_t bytes, const stream& s) noexcept override {
    const std::lock_guard hold(lock_);
    real_.deallocate(data, bytes, s);
    in_use_ -= bytes;
  }
  [[nodiscard]] std::size_t in_use() {
    const std::lock_guard hold(lock_);
    return in_use_;
  }
  [[nodiscard]] int allocations() {
    const std::lock_guard hold(lock_);
    return allocations_;
  }

 private:
  gpu::device_memory_resource real_{host};
  std::mutex lock_;
  std::size_t capacity_;
  std::size_t in_use_ = 0;
  int allocations_ = 0;
};

void expect_consistent(const memory_statistics& s) {
  EXPECT_EQ(s.used + s.cached, s.reserved);
  EXPECT_LE(s.used, s.peak);
}

TEST(size_class, covers_and_wastes_little) {
  EXPECT_EQ(size_class_of(0), 0);
  std::size_t previous = 0;
  for (int c = 0; c < gpu::detail::size_classes; ++c) {
    const std::size_t size = size_of_class(c);
    ASSERT_GT(size, previous);
    ASSERT_EQ(size % 64, 0U);
    ASSERT_EQ(size_class_of(size), c);
    ASSERT_EQ(size_class_of(previous + 1), c);
    if (size > 256) {
      ASSERT_LE(size - previous, size <= mib ? size / 5 + 1 : size / 17 + 1) << size;
    }
    previous = size;
  }
  EXPECT_EQ(previous, gpu::detail::max_block);
}

TEST(pool, reuses_the_last_block_of_its_size) {
  counting_upstream upstream;
  pool_resource pool(host, upstream);
  const stream s = stream::default_stream(host);
  void* const a = pool.allocate(1000, s);
  void* const b = pool.allocate(1000, s);
  EXPECT_NE(a, b);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % 64, 0U);
  pool.deallocate(a, 1000, s);
  pool.deallocate(b, 1000, s);
  EXPECT_EQ(pool.allocate(1001, s), b);
  EXPECT_EQ(pool.allocate(900, s), a);
  void* const larger = pool.allocate(2000, s);
  EXPECT_EQ(upstream.allocations(), 3);
  const memory_statistics now = pool.statistics();
  expect_consistent(now);
  EXPECT_EQ(now.blocks, 3U);
  EXPECT_EQ(now.allocations, 5U);
  EXPECT_EQ(now.upstream_allocations, 3U);
  EXPECT_EQ(now.cached, 0U);
  EXPECT_EQ(now.used, upstream.in_use());
  pool.deallocate(a, 1000, s);
  pool.deallocate(b, 1000, s);
  pool.deallocate(larger, 2000, s);
}

TEST(pool, statistics_and_trim) {
  counting_upstream upstream;
  pool_resource pool(host, upstream);
  const stream s = stream::default_stream(host);
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{5000}, 3 * mib}) {
    void* const data = pool.allocate(bytes, s);
    std::memset(data, 1, bytes);
    pool.deallocate(data, bytes, s);
  }
  memory_statistics now = pool.statistics();
  expect_consistent(now);
  EXPECT_EQ(now.used, 0U);
  EXPECT_EQ(now.blocks, 0U);
  EXPECT_EQ(now.peak, 3 * mib);
  EXPECT_EQ(now.cached, 64 + 5120 + 3 * mib);
  EXPECT_EQ(pool.trim(false), now.cached);
  now = pool.statistics();
  EXPECT_EQ(now.reserved, 0U);
  EXPECT_EQ(now.cached, 0U);
  EXPECT_EQ(upstream.in_use(), 0U);
}

TEST(pool, cache_limit) {
  counting_upstream upstream;
  pool_resource pool(host, upstream);
  pool.set_cache_limit(2 * mib);
  const stream s = stream::default_stream(host);
  void* const a = pool.allocate(2 * mib, s);
  void* const b = pool.allocate(2 * mib, s);
  pool.deallocate(a, 2 * mib, s);
  pool.deallocate(b, 2 * mib, s);
  EXPECT_EQ(pool.statistics().cached, 2 * mib);
  EXPECT_EQ(upstream.in_use(), 2 * mib);
}

TEST(pool, zero_bytes_and_overflow) {
  counting_upstream upstream;
  pool_resource pool(host, upstream);
  const stream s = stream::default_stream(host);
  void* const data = pool.allocate(0, s);
  EXPECT_NE(data, nullptr);
  pool.deallocate(data, 0, s);
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, gpu::detail::max_block + 1}) {
    try {
      static_cast<void>(pool.allocate(bytes, s));
      ADD_FAILURE() << bytes;
    } catch (const out_of_memory& error) {
      EXPECT_EQ(error.shortage().requested, bytes);
    }
  }
  EXPECT_EQ(upstream.allocations(), 1);
}

TEST(out_of_memory, is_what_everybody_catches) {
  const out_of_memory error(gpu::memory_shortage{host, 100 * mib, 7 * mib, 3 * mib, 2 * mib, 50 * mib, {mib, 9 * mib}});
  EXPECT_THROW(throw error, std::exception);
  EXPECT_THROW(throw error, std::bad_alloc);
  EXPECT_THROW(throw error, gpu::error);
  const std::string text = error.what();
  for (const char* part : {"host", "104857600 bytes", "100.0 MiB", "7.0 MiB in use", "3.0 MiB cached", "limit 50.0 MiB",
                           "1.0 MiB of 9.0 MiB free"}) {
    EXPECT_NE(text.find(part), std::string::npos) << text << "\nlacks " << part;
  }
}

TEST(out_of_memory, sizes_are_in_units_that_fit_them) {
  const auto text = [](std::size_t bytes) { return std::string(gpu::detail::bytes_text(bytes).text); };
  EXPECT_EQ(text(0), "0 B");
  EXPECT_EQ(text(1023), "1023 B");
  EXPECT_EQ(text(1024), "1.0 KiB");
  EXPECT_EQ(text(10000), "9.8 KiB");
  EXPECT_EQ(text(mib - 1), "1.0 MiB");
  EXPECT_EQ(text(1023 * mib), "1023.0 MiB");
  EXPECT_EQ(text(1024 * mib), "1.0 GiB");
  EXPECT_EQ(text(std::size_t{40'000'000'000'000}), "36.4 TiB");
  EXPECT_EQ(text(SIZE_MAX), "16.0 EiB");
  const out_of_memory error(gpu::memory_shortage{host, std::size_t{40'000'000'000'000}, 64, 0, 0, 10000, {mib, mib}});
  EXPECT_NE(std::string(error.what()).find("(36.4 TiB) requested; 64 B in use by arrays, 0 B cached"),
            std::string::npos)
      << error.what();
  EXPECT_NE(std::string(error.what()).find("limit 9.8 KiB;"), std::string::npos) << error.what();
}

TEST(pool, limit_counts_what_is_cached_but_never_fails_for_it) {
  counting_upstream upstream;
  pool_resource pool(host, upstream);
  pool.set_limit(8 * mib);
  const stream s = stream::default_stream(host);
  void* const a = pool.allocate(5 * mib, s);
  for (int retry = 0; retry < 2; ++retry) {
    try {
      static_cast<void>(pool.allocate(4 * mib, s));
      ADD_FAILURE() << "beyond the limit";
    } catch (const out_of_memory& error) {
      EXPECT_EQ(error.shortage().used, 5 * mib);
      EXPECT_EQ(error.shortage().limit, 8 * mib);
      EXPECT_EQ(error.shortage().requested, 4 * mib);
    }
  }
  pool.deallocate(a, 5 * mib, s);
  void* const b = pool.allocate(8 * mib, s);
  EXPECT_EQ(upstream.in_use(), 8 * mib);
  pool.deallocate(b, 8 * mib, s);
}

TEST(pool, gives_its_cache_back_when_upstream_has_nothing_left) {
  counting_upstream upstream(8 * mib);
  pool_resource pool(host, upstream);
  const stream s = stream::default_stream(host);
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(pool.allocate(mib, s));
  EXPECT_THROW(static_cast<void>(pool.allocate(2 * mib, s)), out_of_memory);
  for (void* const block : blocks) pool.deallocate(block, mib, s);
  void* const all = pool.allocate(8 * mib, s);
  expect_consistent(pool.statistics());
  pool.deallocate(all, 8 * mib, s);
}

TEST(pool, block_of_a_busy_stream_is_for_that_stream_only) {
  counting_upstream upstream;
  pool_resource pool(host, upstream);
  const stream a(host);
  const stream b(host);
  gate go;
  const opens_at_end at_end(go);
  void* const block = pool.allocate(1000, a);
  a.launch_host_function([&] { go.wait(); });
  pool.deallocate(block, 1000, a);
  void* const other = pool.allocate(1000, b);
  void* const of_default = pool.allocate(1000, stream::default_stream(host));
  EXPECT_NE(other, block);
  EXPECT_NE(of_default, block);
  EXPECT_EQ(pool.allocate(1000, a), block) << "the stream's own order is enough";
  pool.deallocate(block, 1000, a);
  go.open();
  a.synchronize();
  EXPECT_EQ(pool.allocate(1000, b), block) << "done: for everybody";
  pool.deallocate(block, 1000, b);
  pool.deallocate(other, 1000, b);
  pool.deallocate(of_default, 1000, b);
  b.synchronize();
}

TEST(pool, pending_blocks_never_cause_a_failure) {
  counting_upstream upstream;
  pool_resource pool(host, upstream);
  pool.set_limit(4 * mib);
  const stream a(host);
  gate go;
  const opens_at_end at_end(go);
  void* const block = pool.allocate(3 * mib, a);
  a.launch_host_function([&] { go.wait(); });
  pool.deallocate(block, 3 * mib, a);
  std::thread opener([&] { go.open(); });
  void* const larger = pool.allocate(4 * mib, stream::default_stream(host));  // waits for the opener
  opener.join();
  EXPECT_EQ(upstream.in_use(), 4 * mib);
  pool.deallocate(larger, 4 * mib, stream::default_stream(host));
}

TEST(pool, streams_that_end_leave_their_blocks_to_others) {
  counting_upstream upstream;
  pool_resource pool(host, upstream);
  for (int i = 0; i < 50; ++i) {
    const stream s(host);
    void* const data = pool.allocate(10000, s);
    s.launch_host_function([data] { std::memset(data, 1, 10000); });
    pool.deallocate(data, 10000, s);
    s.synchronize();
  }
  EXPECT_EQ(upstream.allocations(), 1);
  expect_consistent(pool.statistics());
}

TEST(pool, block_freed_while_its_stream_ends_is_not_reused_early) {
  counting_upstream upstream;
  pool_resource pool(host, upstream);
  gate go;
  const opens_at_end at_end(go);
  void* block = nullptr;
  {
    const stream a(host);
    block = pool.allocate(1000, a);
    a.launch_host_function([&, block] {
      go.wait();
      std::memset(block, 1, 1000);
    });
    pool.deallocate(block, 1000, a);
  }
  const stream b(host);
  void* const other = pool.allocate(1000, b);
  EXPECT_NE(other, block);
  pool.deallocate(other, 1000, b);
  go.open();
  host.synchronize();
  EXPECT_EQ(pool.allocate(1000, b), other);
  EXPECT_EQ(pool.allocate(1000, b), block);
  pool.deallocate(other, 1000, b);
  pool.deallocate(block, 1000, b);
}

TEST(pool, wrong_device_is_an_error) {
  for (const device d : runtime_test::cuda_devices()) {
    EXPECT_THROW(static_cast<void>(gpu::get_memory_resource(host).allocate(10, stream(d))), gpu::device_error);
    EXPECT_THROW(static_cast<void>(gpu::get_memory_resource(d).allocate(10, stream(host))), gpu::device_error);
  }
}

// Every thread marks the blocks that it holds; a block that two hold at a time shows. Some are freed by another thread.
TEST(pool, threads_never_share_a_block) {
  counting_upstream upstream;
  pool_resource pool(host, upstream);
  constexpr unsigned threads = 4;
  struct block {
    std::uint64_t* data;
    std::size_t bytes;
    std::uint64_t mark;
  };
  std::mutex lock;
  std::vector<block> passed_on;
  std::atomic<int> clashes{0};
  const auto check = [&](const block& b) {
    for (std::size_t i = 0; i < b.bytes / 8; i += 64) {
      if (b.data[i] != b.mark) clashes.fetch_add(1);
    }
  };
  std::vector<std::thread> running;
  for (unsigned t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      std::mt19937 random(t);
      const stream s = t % 2 == 0 ? stream::default_stream(host) : stream(host);
      std::vector<block> mine;
      for (std::uint64_t step = 0; step < 3000; ++step) {
        if (random() % 2 == 0 || mine.empty()) {
          const std::size_t bytes = 8 * (1 + random() % (random() % 20 == 0 ? 40000 : 300));
          const block b{static_cast<std::uint64_t*>(pool.allocate(bytes, s)), bytes, (step << 8) | t};
          for (std::size_t i = 0; i < bytes / 8; i += 64) b.data[i] = b.mark;
          mine.push_back(b);
        } else {
          std::swap(mine[random() % mine.size()], mine.back());
          const block b = mine.back();
          mine.pop_back();
          check(b);
          if (random() % 4 == 0) {
            const std::lock_guard hold(lock);
            passed_on.push_back(b);
          } else {
            pool.deallocate(b.data, b.bytes, s);
          }
        }
        if (random() % 16 == 0) {
          const std::lock_guard hold(lock);
          for (const block& b : passed_on) {
            check(b);
            pool.deallocate(b.data, b.bytes, s);
          }
          passed_on.clear();
        }
        if (random() % 500 == 0) pool.trim(false);
      }
      for (const block& b : mine) {
        check(b);
        pool.deallocate(b.data, b.bytes, s);
      }
    });
  }
  for (auto& t : running) t.join();
  for (const block& b : passed_on) pool.deallocate(b.data, b.bytes, stream::default_stream(host));
  EXPECT_EQ(clashes.load(), 0);
  const memory_statistics now = pool.statistics();
  expect_consistent(now);
  EXPECT_EQ(now.used, 0U);
  EXPECT_EQ(now.blocks, 0U);
  EXPECT_EQ(upstream.in_use(), now.cached);
}

TEST(memory_resource, of_a_device_can_be_replaced) {
  counting_upstream mine;
  const auto before = gpu::get_memory_resource(host).statistics();
  EXPECT_EQ(gpu::set_memory_resource(host, &mine), nullptr);
  {
    const auto b = gpu::allocate_buffer(100, host);
    EXPECT_EQ(mine.in_use(), 100U);
    EXPECT_EQ(gpu::set_memory_resource(host, nullptr), &mine);
    const auto c = gpu::allocate_buffer(100, host);
    EXPECT_EQ(mine.in_use(), 100U);
  }
  EXPECT_EQ(mine.in_use(), 0U) << "a block returns to where it came from";
  EXPECT_EQ(gpu::get_memory_resource(host).statistics().used, before.used);
}

TEST(memory_resource, cuda) {
  for (const device d : runtime_test::cuda_devices()) {
    auto& pool = gpu::get_memory_resource(d);
    const stream a(d);
    const stream b(d);
    static_cast<void>(pool.trim(true));  // blocks of other tests
    const memory_statistics before = pool.statistics();
    void* const block = pool.allocate(1000, a);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 256, 0U);
    pool.deallocate(block, 1000, a);
    EXPECT_EQ(pool.allocate(1000, a), block);
    pool.deallocate(block, 1000, a);
    a.synchronize();
    EXPECT_EQ(pool.allocate(1000, b), block);
    pool.deallocate(block, 1000, b);
    expect_consistent(pool.statistics());
    EXPECT_EQ(pool.statistics().used, before.used);
    static_cast<void>(pool.trim(true));
    EXPECT_EQ(pool.statistics().cached, 0U);
    try {
      static_cast<void>(pool.allocate(std::size_t{1} << 45, a));
      ADD_FAILURE();
    } catch (const out_of_memory& error) {
      EXPECT_EQ(error.shortage().device, d);
      EXPECT_GT(error.shortage().memory.total, 0U);
    }
    pool.deallocate(pool.allocate(1000, a), 1000, a);
  }
}

}  // namespace
