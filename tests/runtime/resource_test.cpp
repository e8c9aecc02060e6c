#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <map>
#include <memory_resource>
#include <random>
#include <stdexcept>
#include <thread>

#if defined(__CUDACC__)
#include <cuda/stream_ref>
#endif

#include "gpu/memory.hpp"
#include "gpu/runtime/coalescing_resource.hpp"
#include "gpu/runtime/debug_resource.hpp"
#include "gpu/runtime/failing_resource.hpp"
#include "gpu/runtime/foreign_resource.hpp"
#include "gpu/runtime/limit_resource.hpp"
#include "gpu/runtime/logging_resource.hpp"
#include "gpu/runtime/statistics_resource.hpp"
#include "runtime_support.hpp"

namespace {

using gpu::device;
using gpu::memory_fault;
using gpu::memory_shortage;
using gpu::out_of_memory;
using gpu::stream;
using runtime_test::expect_error;
using runtime_test::gate;
using runtime_test::opens_at_end;

const device host = device::host();
constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

TEST(limit_resource, bounds_what_is_in_use) {
  for (const device d : runtime_test::all_devices()) {
    gpu::device_memory_resource memory(d);
    gpu::pool_resource pool(d, memory);
    gpu::limit_resource limited(d, pool, 10 * kib);
    const stream s = stream::default_stream(d);
    void* const a = limited.allocate(6 * kib, s);
    void* const b = limited.allocate(4 * kib, s);
    for (int retry = 0; retry < 2; ++retry) {
      try {
        static_cast<void>(limited.allocate(1, s));
        ADD_FAILURE() << "beyond the limit";
      } catch (const out_of_memory& error) {
        EXPECT_EQ(error.shortage().requested, 1U);
        EXPECT_EQ(error.shortage().used, 10 * kib);
        EXPECT_EQ(error.shortage().limit, 10 * kib);
        EXPECT_EQ(error.shortage().device, d);
      }
    }
    limited.deallocate(a, 6 * kib, s);
    EXPECT_EQ(limited.used(), 4 * kib);
    void* const c = limited.allocate(6 * kib, s);  // of the cache, which does not count
    EXPECT_EQ(c, a);
    EXPECT_THROW(static_cast<void>(limited.allocate(SIZE_MAX, s)), out_of_memory);
    limited.set_limit(11 * kib);
    limited.deallocate(limited.allocate(kib, s), kib, s);
    limited.deallocate(b, 4 * kib, s);
    limited.deallocate(c, 6 * kib, s);
    EXPECT_EQ(limited.used(), 0U);
  }
  EXPECT_EQ(gpu::limit_resource::fraction_of(host, 0.5), host.memory_info().total / 2);
  EXPECT_THROW(static_cast<void>(gpu::limit_resource::fraction_of(host, 1.5)), gpu::device_error);
}

TEST(limit_resource, under_a_pool_the_cache_makes_way) {
  gpu::device_memory_resource memory(host);
  gpu::limit_resource limited(host, memory, 8 * mib);
  gpu::pool_resource pool(host, limited);
  const stream s = stream::default_stream(host);
  std::vector<void*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(pool.allocate(mib, s));
  for (void* const b : blocks) pool.deallocate(b, mib, s);
  EXPECT_EQ(limited.used(), 8 * mib);
  void* const all = pool.allocate(8 * mib, s);
  EXPECT_EQ(limited.used(), 8 * mib);
  pool.deallocate(all, 8 * mib, s);
}

TEST(statistics_resource, counts_to_the_byte) {
  gpu::device_memory_resource memory(host);
  gpu::coalescing_resource pool(host, memory, {.segment = mib});
  gpu::statistics_resource counted(pool);
  const stream s = stream::default_stream(host);
  void* const a = counted.allocate(1000, s);
  void* const b = counted.allocate(3000, s);
  counted.deallocate(a, 1000, s);
  gpu::memory_counts now = counted.counts();
  EXPECT_EQ(now.current, 3000U);
  EXPECT_EQ(now.peak, 4000U);
  EXPECT_EQ(now.blocks, 1U);
  EXPECT_EQ(now.allocations, 2U);
  EXPECT_EQ(now.total, 4000U);
  EXPECT_EQ(now.cached, mib - 3072);
  // 1024 bytes lie before b, the rest behind it.
  EXPECT_NEAR(now.fragmentation, 1024.0 / static_cast<double>(mib - 3072), 1e-12);
  counted.reset_peak();
  EXPECT_EQ(counted.counts().peak, 3000U);
  counted.deallocate(b, 3000, s);
  EXPECT_THROW(static_cast<void>(counted.allocate(SIZE_MAX / 4, s)), out_of_memory);
  now = counted.counts();
  EXPECT_EQ(now.failures, 1U);
  EXPECT_EQ(now.current, 0U);
  EXPECT_EQ(now.peak, 3000U);
  EXPECT_EQ(now.fragmentation, 0.0);
}

TEST(failing_resource, nth_later_and_random) {
  gpu::device_memory_resource memory(host);
  gpu::failing_resource failing(host, memory);
  const stream s = stream::default_stream(host);
  const auto outcome = [&](int calls) {
    std::string result;
    for (int i = 0; i < calls; ++i) {
      try {
        failing.deallocate(failing.allocate(100, s), 100, s);
        result += '.';
      } catch (const out_of_memory& error) {
        EXPECT_EQ(error.shortage().requested, 100U);
        result += 'x';
      }
    }
    return result;
  };
  EXPECT_EQ(outcome(4), "....");
  failing.fail_nth(2);
  EXPECT_EQ(outcome(4), ".x..");
  EXPECT_EQ(failing.calls(), 4U);
  failing.fail_nth(3, true);
  EXPECT_EQ(outcome(5), "..xxx");
  EXPECT_EQ(failing.failures(), 4U);
  failing.fail_nth(0);
  failing.fail_randomly(0.25, 7);
  const std::string first = outcome(400);
  failing.fail_randomly(0.25, 7);
  EXPECT_EQ(outcome(400), first) << "the seed decides";
  failing.fail_randomly(0.25, 8);
  EXPECT_NE(outcome(400), first);
  const auto failed = std::count(first.begin(), first.end(), 'x');
  EXPECT_GT(failed, 60);
  EXPECT_LT(failed, 140);
  failing.fail_randomly(1.0, 1);
  EXPECT_EQ(outcome(3), "xxx");
  failing.fail_randomly(0.0, 1);
  EXPECT_EQ(outcome(3), "...");
}

struct temporary_file {
  temporary_file() {
    char name[] = "/tmp/gpuarray_log_XXXXXX";
    const int file = mkstemp(name);
    if (file >= 0) close(file);
    path = name;
  }
  ~temporary_file() { std::remove(path.c_str()); }
  std::string path;
};

TEST(logging_resource, log_can_be_played_again) {
  for (const device d : runtime_test::all_devices()) {
    const temporary_file file;
    gpu::device_memory_resource memory(d);
    gpu::pool_resource pool(d, memory);
    {
      gpu::failing_resource failing(d, pool);
      gpu::logging_resource logged(failing, file.path);
      const stream s = stream::default_stream(d);
      const stream other(d);
      void* const a = logged.allocate(1000, s);
      void* const b = logged.allocate(50 * kib, other);
      logged.deallocate(a, 1000, s);
      void* const c = logged.allocate(1000, s);
      failing.fail_nth(1);
      EXPECT_THROW(static_cast<void>(logged.allocate(7, s)), out_of_memory);
      logged.deallocate(c, 1000, s);
      other.synchronize();
      logged.flush();
      gpu::statistics_resource again(memory);
      const gpu::replay_result replay = gpu::replay_log(file.path, again, d);
      EXPECT_EQ(replay.allocations, 3U);
      EXPECT_EQ(replay.frees, 2U);
      EXPECT_EQ(replay.failures, 0U);
      EXPECT_EQ(again.counts().peak, 51 * kib + 1000 - kib);
      EXPECT_EQ(again.counts().current, 0U) << "what the log left is freed";
      logged.deallocate(b, 50 * kib, other);
    }
    std::FILE* const log = std::fopen(file.path.c_str(), "r");
    char line[200];
    ASSERT_NE(std::fgets(line, sizeof line, log), nullptr);
    EXPECT_STREQ(line, "nanoseconds,thread,action,address,bytes,stream\n");
    int lines = 0;
    while (std::fgets(line, sizeof line, log) != nullptr) ++lines;
    std::fclose(log);
    EXPECT_EQ(lines, 7);
    std::FILE* const bad = std::fopen(file.path.c_str(), "a");
    std::fputs("nonsense\n", bad);
    std::fclose(bad);
    expect_error<gpu::io_error>([&] { static_cast<void>(gpu::replay_log(file.path, memory, d)); }, "line 9");
  }
  gpu::device_memory_resource memory(host);
  EXPECT_THROW(gpu::logging_resource(memory, "/nowhere/log.csv"), gpu::io_error);
  EXPECT_THROW(static_cast<void>(gpu::replay_log("/nowhere/log.csv", memory, host)), gpu::io_error);
}

struct fault_list {
  std::vector<std::pair<memory_fault, std::string>> faults;
  static void add(memory_fault fault, const char* text, void* self) {
    static_cast<fault_list*>(self)->faults.emplace_back(fault, text);
  }
};

TEST(debug_resource, finds_what_is_wrong_with_a_free) {
  for (const device d : runtime_test::all_devices()) {
    gpu::device_memory_resource memory(d);
    fault_list seen;
    gpu::debug_resource debug(d, memory, {.report = &fault_list::add, .context = &seen});
    const stream s = stream::default_stream(d);
    void* a = nullptr;
    {
      const gpu::allocation_label label("the first block");
      a = debug.allocate(100, s);
    }
    void* const b = debug.allocate(200, s);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b) % (d.is_host() ? 64 : 256), 0U);
    debug.deallocate(a, 100, s);
    EXPECT_TRUE(seen.faults.empty());
    debug.deallocate(a, 100, s);
    ASSERT_EQ(seen.faults.size(), 1U);
    EXPECT_EQ(seen.faults[0].first, memory_fault::double_free);
    EXPECT_NE(seen.faults[0].second.find("100 bytes, made in \"the first block\""), std::string::npos)
        << seen.faults[0].second;
    debug.deallocate(b, 201, s);
    ASSERT_EQ(seen.faults.size(), 2U);
    EXPECT_EQ(seen.faults[1].first, memory_fault::wrong_size);
    EXPECT_NE(seen.faults[1].second.find("freed as 201 bytes"), std::string::npos);
    int unknown = 0;
    debug.deallocate(&unknown, 4, s);
    ASSERT_EQ(seen.faults.size(), 3U);
    EXPECT_EQ(seen.faults[2].first, memory_fault::unknown_free);
    EXPECT_THROW(static_cast<void>(debug.allocate(SIZE_MAX - 100, s)), out_of_memory);
  }
}

TEST(debug_resource, finds_writes_out_of_bounds_and_fills) {
  for (const device d : runtime_test::all_devices()) {
    gpu::device_memory_resource memory(d);
    fault_list seen;
    gpu::debug_resource debug(d, memory, {.report = &fault_list::add, .context = &seen});
    for (const stream& s : {stream::default_stream(d), stream(d)}) {
      seen.faults.clear();
      const auto write = [&](void* at, std::size_t bytes) {
        const gpu::buffer_ptr b = gpu::adopt_buffer(at, bytes, d, [](void*) {});
        gpu::fill_bytes(*b, 0, 1, bytes, s);
      };
      auto* const a = static_cast<char*>(debug.allocate(100, s));
      unsigned char first = 0;
      const gpu::buffer_ptr whole = gpu::adopt_buffer(a, 100, d, [](void*) {});
      s.synchronize();
      gpu::copy_to_host(&first, *whole, 99, 1, s, nullptr);
      EXPECT_EQ(first, 0xcd);
      write(a, 100);
      debug.deallocate(a, 100, s);
      EXPECT_TRUE(seen.faults.empty());
      auto* const b = static_cast<char*>(debug.allocate(100, s));
      write(b, 101);
      s.synchronize();
      EXPECT_EQ(debug.check_blocks(), 1U);
      debug.deallocate(b, 100, s);
      auto* const c = static_cast<char*>(debug.allocate(100, s));
      write(c - 1, 2);
      debug.deallocate(c, 100, s);  // waits for the write
      s.synchronize();
      ASSERT_EQ(seen.faults.size(), 3U);
      EXPECT_EQ(seen.faults[0].first, memory_fault::write_after);
      EXPECT_EQ(seen.faults[1].first, memory_fault::write_after);
      EXPECT_EQ(seen.faults[2].first, memory_fault::write_before);
    }
  }
}

TEST(debug_resource, leaks_name_their_site) {
  gpu::device_memory_resource memory(host);
  fault_list seen;
  void* leaked = nullptr;
  {
    gpu::debug_resource debug(host, memory, {.report = &fault_list::add, .context = &seen});
    const stream s = stream::default_stream(host);
    const gpu::allocation_label outer("loading");
    {
      const gpu::allocation_label inner("loading images");
      leaked = debug.allocate(400, s);
    }
    debug.deallocate(debug.allocate(10, s), 10, s);
    EXPECT_EQ(debug.report_leaks(), 1U);
  }
  ASSERT_EQ(seen.faults.size(), 2U);
  for (const auto& [fault, text] : seen.faults) {
    EXPECT_EQ(fault, memory_fault::leak);
    EXPECT_NE(text.find("400 bytes"), std::string::npos) << text;
    EXPECT_NE(text.find("\"loading images\""), std::string::npos) << text;
    EXPECT_NE(text.find(program_invocation_short_name), std::string::npos) << "frames name this program: " << text;
  }
  memory.deallocate(static_cast<char*>(leaked) - 256, 400 + 512, stream::default_stream(host));
}

/// Look-alikes of other libraries' resources.
struct rmm_like {
  std::map<void*, std::size_t> live;
  bool empty = false;
  void* allocate(std::size_t bytes, CUstream_st*) {
    if (empty) throw std::bad_alloc();
    void* const data = std::malloc(bytes);
    live[data] = bytes;
    return data;
  }
  void deallocate(void* data, std::size_t bytes, CUstream_st*) {
    EXPECT_EQ(live.at(data), bytes);
    live.erase(data);
    std::free(data);
  }
};
struct mr_like : rmm_like {
  void* allocate_async(std::size_t bytes, std::size_t alignment, CUstream_st* s) {
    EXPECT_EQ(alignment, 256U);
    return rmm_like::allocate(bytes, s);
  }
  void deallocate_async(void* data, std::size_t bytes, std::size_t, CUstream_st* s) {
    rmm_like::deallocate(data, bytes, s);
  }
};
struct new_mr_like : rmm_like {
  void* allocate(CUstream_st* s, std::size_t bytes, std::size_t alignment) {
    EXPECT_EQ(alignment, 256U);
    return rmm_like::allocate(bytes, s);
  }
  void deallocate(CUstream_st* s, void* data, std::size_t bytes, std::size_t) { rmm_like::deallocate(data, bytes, s); }
};

template <class Resource>
void test_foreign() {
  Resource theirs;
  gpu::foreign_resource<Resource> bridge(host, theirs);
  {
    gpu::pool_resource pool(host, bridge);
    const gpu::scoped_memory_resource on(host, pool);
    const gpu::buffer_ptr b = gpu::allocate_buffer(1000, host);
    EXPECT_EQ(theirs.live.count(b->data()), 1U);
    theirs.empty = true;
    try {
      static_cast<void>(gpu::allocate_buffer(5000, host));
      ADD_FAILURE();
    } catch (const out_of_memory& error) {
      EXPECT_EQ(error.shortage().requested, 5000U);
    }
  }
  EXPECT_TRUE(theirs.live.empty());
}

TEST(foreign_resource, all_three_shapes) {
  test_foreign<rmm_like>();
  test_foreign<mr_like>();
  test_foreign<new_mr_like>();
  static_assert(!gpu::foreign_memory_resource<std::pmr::memory_resource>);
}

#if defined(__CUDACC__)
}  // namespace

// With a name: nvcc warns of members in an unnamed namespace that only concepts ask for.
namespace resource_test {

/// A resource as the CUDA core libraries define it.
struct async_resource {
  std::size_t live = 0;
  void* allocate(std::size_t bytes, std::size_t alignment) {
    return allocate_async(bytes, alignment, cudaStreamLegacy);
  }
  void deallocate(void* data, std::size_t bytes, std::size_t alignment) {
    deallocate_async(data, bytes, alignment, cudaStreamLegacy);
  }
  void* allocate_async(std::size_t bytes, std::size_t, cuda::stream_ref s) {
    void* data = nullptr;
    if (cudaMallocAsync(&data, bytes, s.get()) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      throw std::bad_alloc();
    }
    live += bytes;
    return data;
  }
  void deallocate_async(void* data, std::size_t bytes, std::size_t, cuda::stream_ref s) {
    live -= bytes;
    gpu::cuda::check(cudaFreeAsync(data, s.get()), "cudaFreeAsync");
  }
  bool operator==(const async_resource& other) const { return this == &other; }
  bool operator!=(const async_resource& other) const { return this != &other; }
};

}  // namespace resource_test

namespace {

using resource_test::async_resource;

TEST(foreign_resource, of_the_cuda_libraries) {
  for (const device d : runtime_test::cuda_devices()) {
    async_resource theirs;
    gpu::foreign_resource<async_resource> bridge(d, theirs);
    {
      const gpu::scoped_memory_resource on(d, bridge);
      for (const stream& s : {stream::default_stream(d), stream(d)}) {
        const gpu::buffer_ptr b = runtime_test::make_ints({1, 2, 3}, d, s);
        EXPECT_EQ(theirs.live, 12U);
        EXPECT_EQ(runtime_test::read_ints(b, s), (std::vector<int>{1, 2, 3}));
      }
      EXPECT_THROW(static_cast<void>(gpu::allocate_buffer(std::size_t{1} << 45, d)), out_of_memory);
    }
    d.synchronize();
    EXPECT_EQ(theirs.live, 0U);
  }
}
#endif

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

TEST(memory, scoped_resource_ends_after_what_it_gave_out) {
  gpu::device_memory_resource memory(host);
  gpu::statistics_resource outer(memory);
  gate go;
  const opens_at_end at_end(go);
  {
    gpu::statistics_resource inner(memory);
    const gpu::scoped_memory_resource outer_scope(host, outer);
    std::thread opener;
    {
      const gpu::scoped_memory_resource scope(host, inner);
      EXPECT_EQ(&gpu::get_memory_resource(host), &inner);
      gpu::buffer_ptr b = gpu::allocate_buffer(100, host);
      const stream s(host);
      gpu::submit(s, {b.get()}, {}, [&] { go.wait(); });
      b.reset();
      EXPECT_EQ(inner.counts().current, 100U) << "still read";
      opener = std::thread([&] { go.open(); });
    }
    opener.join();
    EXPECT_EQ(inner.counts().current, 0U);
    EXPECT_EQ(&gpu::get_memory_resource(host), &outer);
  }
  EXPECT_NE(&gpu::get_memory_resource(host), &outer);
}

TEST(memory, trim_statistics_and_limits) {
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on(d);
    gpu::memory::trim(d, true);
    EXPECT_EQ(gpu::memory::statistics().cached, 0U);
    const std::size_t before = gpu::memory::statistics().used;
    gpu::buffer_ptr b = gpu::allocate_buffer(5 * mib, d);
    EXPECT_EQ(gpu::memory::statistics(d).used, before + 5 * mib);
    b.reset();
    EXPECT_EQ(gpu::memory::statistics(d).cached, 5 * mib);
    EXPECT_EQ(gpu::memory::trim(d, true), 5 * mib);
    EXPECT_EQ(gpu::memory::statistics(d).cached, 0U);
    EXPECT_GT(gpu::memory::info().total, 0U);
    EXPECT_LE(gpu::memory::info(d).free, gpu::memory::info(d).total);
    gpu::memory::set_limit(d, before + mib);
    EXPECT_THROW(static_cast<void>(gpu::allocate_buffer(2 * mib, d)), out_of_memory);
    gpu::memory::set_limit(d, 0);
    static_cast<void>(gpu::allocate_buffer(2 * mib, d));
    EXPECT_THROW(gpu::memory::set_limit_fraction(d, 1.5), gpu::device_error);
    gpu::memory::set_limit_fraction(d, 1.0);
    gpu::memory::set_limit(d, 0);
  }
}

TEST(memory, handler_is_asked_before_giving_up) {
  gpu::device_memory_resource memory(host);
  gpu::limit_resource limited(host, memory, 10 * kib);
  struct state {
    gpu::buffer_ptr spare;
    std::vector<memory_shortage> asked;
  } mine;
  const auto handler = [](const memory_shortage& shortage, void* context) {
    auto* const s = static_cast<state*>(context);
    s->asked.push_back(shortage);
    const bool freed = static_cast<bool>(s->spare);
    s->spare.reset();
    return freed;
  };
  {
    const gpu::scoped_memory_resource on(host, limited);
    EXPECT_EQ(gpu::memory::on_out_of_memory(handler, &mine).first, nullptr);
    mine.spare = gpu::allocate_buffer(8 * kib, host);
    const gpu::buffer_ptr b = gpu::allocate_buffer(6 * kib, host);
    EXPECT_EQ(b->size(), 6 * kib);
    ASSERT_EQ(mine.asked.size(), 1U);
    EXPECT_EQ(mine.asked[0].requested, 6 * kib);
    EXPECT_EQ(mine.asked[0].used, 8 * kib);
    EXPECT_THROW(static_cast<void>(gpu::allocate_buffer(6 * kib, host)), out_of_memory);
    EXPECT_EQ(mine.asked.size(), 2U);
    EXPECT_EQ(gpu::memory::on_out_of_memory(nullptr).second, &mine);
    EXPECT_THROW(static_cast<void>(gpu::allocate_buffer(6 * kib, host)), out_of_memory);
    EXPECT_EQ(mine.asked.size(), 2U);
  }
}

TEST(memory, cache_of_the_pool_makes_way_for_another_resource) {
  // The library's pool holds a block that the resource in use could have.
  const auto before = gpu::memory::statistics(host).cached;
  static_cast<void>(gpu::allocate_buffer(3 * mib, host));
  EXPECT_GE(gpu::memory::statistics(host).cached, before);
  gpu::device_memory_resource memory(host);
  gpu::failing_resource failing(host, memory);
  const gpu::scoped_memory_resource on(host, failing);
  failing.fail_nth(1);
  const gpu::buffer_ptr b = gpu::allocate_buffer(100, host);
  EXPECT_EQ(failing.failures(), 1U);
  EXPECT_EQ(gpu::detail::default_pool(host).statistics().cached, 0U);
}

TEST(plain_memory_resource, works_on_every_device) {
  for (const device d : runtime_test::all_devices()) {
    gpu::plain_memory_resource memory(d);
    for (const stream& s : {stream::default_stream(d), stream(d)}) {
      void* const data = memory.allocate(1000, s);
      const gpu::buffer_ptr b = gpu::adopt_buffer(data, 1000, d, [](void*) {});
      gpu::fill_bytes(*b, 0, 3, 1000, s);
      memory.deallocate(data, 1000, s);
    }
    EXPECT_THROW(static_cast<void>(memory.allocate(std::size_t{1} << 60, stream::default_stream(d))), out_of_memory);
  }
}

TEST(coalescing_resource, as_second_tier_on_every_device) {
  for (const device d : runtime_test::all_devices()) {
    gpu::plain_memory_resource plain(d);
    gpu::device_memory_resource driver(d);
    for (gpu::memory_resource* const upstream :
         {static_cast<gpu::memory_resource*>(&plain), static_cast<gpu::memory_resource*>(&driver)}) {
      gpu::coalescing_resource second(d, *upstream, {.segment = mib});
      gpu::pool_resource first(d, second);
      {
        const gpu::scoped_memory_resource on(d, first);
        const stream a(d);
        const stream b(d);
        for (int round = 0; round < 20; ++round) {
          const auto x =
              runtime_test::make_ints(std::vector<int>(100 + static_cast<std::size_t>(round) * 50, round), d, a);
          const auto y = gpu::allocate_buffer(x->size(), d, b);
          gpu::copy_bytes(*y, 0, *x, 0, x->size(), b);
          EXPECT_EQ(runtime_test::read_ints(y, round % 2 == 0 ? a : b), std::vector<int>(x->size() / 4, round));
        }
        a.synchronize();
        b.synchronize();
      }
      first.trim(true);
      EXPECT_EQ(first.statistics().used, 0U);
      EXPECT_EQ(second.statistics().used, 0U);
      second.trim(true);
      EXPECT_EQ(second.statistics().reserved, 0U);
    }
  }
}

TEST(coalescing_resource, host_streams_wait_only_for_the_memory) {
  gpu::device_memory_resource memory(host);
  gpu::coalescing_resource pool(host, memory, {.segment = 64 * kib, .limit = 64 * kib});
  const stream a(host);
  const stream b(host);
  gate go;
  const opens_at_end at_end(go);
  void* const x = pool.allocate(64 * kib, a);
  a.launch_host_function([&] {
    go.wait();
    throw std::out_of_range("of a");
  });
  pool.deallocate(x, 64 * kib, a);
  void* const y = pool.allocate(64 * kib, b);
  EXPECT_EQ(x, y);
  EXPECT_FALSE(b.done()) << "b waits for a before it uses the block";
  go.open();
  b.synchronize();  // does not hear of a's failure: it only has its memory
  expect_error<std::out_of_range>([&] { a.synchronize(); }, "of a");
  pool.deallocate(y, 64 * kib, b);
  EXPECT_THROW(static_cast<void>(pool.allocate(65 * kib, b)), out_of_memory);
}

}  // namespace
