#include "gpu/runtime/buffer.hpp"

#include <thread>

#include "runtime_support.hpp"

namespace {

using gpu::buffer_ptr;
using gpu::device;
using gpu::stream;
using runtime_test::gate;
using runtime_test::ints;
using runtime_test::opens_at_end;

const device host = device::host();

TEST(buffer, size_device_and_owners) {
  for (const device d : runtime_test::all_devices()) {
    const buffer_ptr a = gpu::allocate_buffer(1000, d);
    EXPECT_NE(a->data(), nullptr);
    EXPECT_EQ(a->size(), 1000U);
    EXPECT_EQ(a->device(), d);
    EXPECT_EQ(a.use_count(), 1);
    buffer_ptr b = a;
    EXPECT_EQ(a.use_count(), 2);
    EXPECT_EQ(a, b);
    const buffer_ptr c = std::move(b);
    EXPECT_EQ(a.use_count(), 2);
    EXPECT_FALSE(b);  // NOLINT(bugprone-use-after-move): moved from is empty
    b = c;
    EXPECT_EQ(a.use_count(), 3);
    b.reset();
    EXPECT_EQ(a.use_count(), 2);
  }
  EXPECT_EQ(buffer_ptr().use_count(), 0);
}

TEST(buffer, zero_bytes) {
  for (const device d : runtime_test::all_devices()) {
    for (const stream& s : {stream::default_stream(d), stream(d)}) {
      const buffer_ptr a = gpu::allocate_buffer(0, d, s);
      EXPECT_EQ(a->size(), 0U);
      EXPECT_EQ(a->data(), nullptr);
      gpu::copy_bytes(*a, 0, *a, 0, 0, s);
      gpu::fill_bytes(*a, 0, 1, 0, s);
    }
  }
}

TEST(buffer, stream_must_be_of_the_device) {
  for (const device d : runtime_test::cuda_devices()) {
    EXPECT_THROW(static_cast<void>(gpu::allocate_buffer(8, d, stream::default_stream(host))), gpu::device_error);
    EXPECT_THROW(static_cast<void>(gpu::allocate_buffer(8, host, stream::default_stream(d))), gpu::device_error);
  }
}

TEST(buffer, default_stream_leaves_nothing_pending) {
  const buffer_ptr a = gpu::allocate_buffer(100, host, stream::default_stream(host));
  EXPECT_FALSE(a->pending());
  gpu::fill_bytes(*a, 0, 1, 100, stream::default_stream(host));
  EXPECT_FALSE(a->pending());
  const stream s(host);
  gpu::fill_bytes(*a, 0, 1, 100, s);
  EXPECT_TRUE(a->pending());
  gpu::synchronize_for_write(*a, nullptr);
  EXPECT_FALSE(a->pending());
}

// The order that breaks naive pools: freed on A while B still reads.
TEST(buffer, freed_while_another_stream_reads) {
  const stream a(host);
  const stream b(host);
  gate go;
  const opens_at_end at_end(go);
  buffer_ptr x = runtime_test::make_ints({1, 2, 3, 4}, host, a);
  void* const block = x->data();
  std::vector<int> seen;
  gpu::submit(b, {x.get()}, {}, [&, x = ints(x)] {
    go.wait();
    seen.assign(x, x + 4);
  });
  a.synchronize();
  x.reset();
  for (int i = 0; i < 8; ++i) {
    const buffer_ptr y = runtime_test::make_ints({9, 9, 9, 9}, host, a);
    EXPECT_NE(y->data(), block);
  }
  a.synchronize();
  go.open();
  b.synchronize();
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3, 4}));
}

TEST(buffer, freed_by_another_thread_and_by_a_worker) {
  gate go;
  const opens_at_end at_end(go);
  const stream s(host);
  {
    buffer_ptr x = runtime_test::make_ints({7}, host, s);
    s.launch_host_function([&go, y = x] { go.wait(); });  // the last reference drops on the worker
    std::thread([z = std::move(x)]() mutable { z.reset(); }).join();
  }
  const auto before = gpu::get_memory_resource(host).statistics();
  go.open();
  s.synchronize();
  const auto after = gpu::get_memory_resource(host).statistics();
  EXPECT_LT(after.blocks, before.blocks) << "the memory is back when the work is done";
}

TEST(buffer, adopted_memory) {
  int deleted = 0;
  std::vector<int> memory(10, 3);
  {
    const buffer_ptr a =
        gpu::adopt_buffer(memory.data(), 40, host, [&](void* p) { deleted += p == memory.data() ? 1 : 100; });
    EXPECT_EQ(a->data(), memory.data());
    const buffer_ptr b = a;
  }
  EXPECT_EQ(deleted, 1);
}

TEST(buffer, adopted_memory_is_kept_until_work_on_it_is_done) {
  gate go;
  const opens_at_end at_end(go);
  std::atomic<bool> deleted{false};
  std::vector<int> memory(10, 3);
  const stream s(host);
  int seen = 0;
  {
    const buffer_ptr a = gpu::adopt_buffer(memory.data(), 40, host, [&](void*) { deleted.store(true); });
    gpu::submit(s, {a.get()}, {}, [&, data = ints(a)] {
      go.wait();
      seen = data[9];
    });
  }
  EXPECT_FALSE(deleted.load());
  go.open();
  s.synchronize();
  static_cast<void>(gpu::allocate_buffer(8, host));
  EXPECT_TRUE(deleted.load());
  EXPECT_EQ(seen, 3);
}

TEST(buffer, memory_that_waits_to_be_freed_is_found_before_giving_up) {
  gpu::device_memory_resource upstream(host);
  gpu::pool_resource pool(host, upstream);
  pool.set_limit(std::size_t{4} << 20);
  gpu::set_memory_resource(host, &pool);
  gate go;
  const opens_at_end at_end(go);
  {
    const stream s(host);
    buffer_ptr x = gpu::allocate_buffer(std::size_t{3} << 20, host);
    gpu::submit(s, {x.get()}, {}, [&] { go.wait(); });
    x.reset();
    std::thread opener([&] { go.open(); });
    const buffer_ptr y = gpu::allocate_buffer(std::size_t{4} << 20, host);  // must wait for the reader of x
    opener.join();
    EXPECT_NE(y->data(), nullptr);
    EXPECT_THROW(static_cast<void>(gpu::allocate_buffer(1, host)), gpu::out_of_memory);
  }
  gpu::set_memory_resource(host, nullptr);
  EXPECT_EQ(pool.statistics().used, 0U);
}

TEST(buffer, objects_survive_their_thread) {
  std::vector<buffer_ptr> kept(40);
  std::thread([&] {
    for (auto& b : kept) b = runtime_test::make_ints({1}, host, gpu::current_stream(host));
    for (std::size_t i = 0; i < 20; ++i) kept[i].reset();
  }).join();
  for (std::size_t i = 20; i < 40; ++i) EXPECT_EQ(*ints(kept[i]), 1);
}

std::vector<buffer_ptr>& live_until_exit() {
  static std::vector<buffer_ptr> buffers;
  return buffers;
}

// Static arrays, an array of a thread that ends, and pending work, when the process exits.
TEST(buffer_DeathTest, exit_with_live_buffers) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        for (const device d : runtime_test::all_devices()) {
          live_until_exit().push_back(runtime_test::make_ints({1, 2}, d, stream::default_stream(d)));
          const stream s(d);
          live_until_exit().push_back(runtime_test::make_ints({1, 2}, d, s));
          gpu::copy_bytes(*live_until_exit()[0], 0, *live_until_exit().back(), 0, 8, d.is_host() ? stream(d) : s);
          std::thread([d] {
            thread_local buffer_ptr of_thread;
            of_thread = runtime_test::make_ints({3}, d, stream(d));
          }).join();
        }
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
