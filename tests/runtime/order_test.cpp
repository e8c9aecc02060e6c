// The orders of events that break pools which believe that they know when memory is free, forced by gates.
#include <stdexcept>
#include <thread>

#include "gpu/memory.hpp"
#include "gpu/runtime/coalescing_resource.hpp"
#include "runtime_support.hpp"

namespace {

using gpu::buffer_ptr;
using gpu::device;
using gpu::stream;
using runtime_test::gate;
using runtime_test::ints;
using runtime_test::make_ints;
using runtime_test::opens_at_end;
using runtime_test::read_ints;

const device host = device::host();

// Two streams each free half of a segment that they still use; a third gets the whole of it, and must come after both.
TEST(order, merged_free_blocks_reused_by_a_third_stream) {
  gpu::device_memory_resource memory(host);
  gpu::coalescing_resource pool(host, memory, {.segment = 8192, .limit = 8192});
  const gpu::scoped_memory_resource on(host, pool);
  const stream a(host);
  const stream b(host);
  const stream c(host);
  gate first;
  gate second;
  const opens_at_end first_at_end(first);
  const opens_at_end second_at_end(second);
  std::vector<int> seen_by_a;
  std::vector<int> seen_by_b;
  {
    const buffer_ptr x = gpu::allocate_buffer(4096, host, a);
    const buffer_ptr y = gpu::allocate_buffer(4096, host, b);
    gpu::fill_bytes(*x, 0, 1, 4096, a);
    gpu::fill_bytes(*y, 0, 2, 4096, b);
    gpu::submit(a, {x.get()}, {}, [&, p = ints(x)] {
      first.wait();
      seen_by_a.assign(p, p + 1024);
    });
    gpu::submit(b, {y.get()}, {}, [&, p = ints(y)] {
      second.wait();
      seen_by_b.assign(p, p + 1024);
    });
  }
  std::thread opener([&] {
    first.open();
    second.open();
  });
  // Only the whole segment is large enough: this waits, and gets it after both.
  const buffer_ptr z = gpu::allocate_buffer(8192, host, c);
  gpu::fill_bytes(*z, 0, 0, 8192, c);
  opener.join();
  c.synchronize();
  a.synchronize();
  b.synchronize();
  EXPECT_EQ(seen_by_a, std::vector<int>(1024, 0x01010101));
  EXPECT_EQ(seen_by_b, std::vector<int>(1024, 0x02020202));
}

TEST(order, freed_on_one_stream_while_others_read) {
  for (const device d : runtime_test::all_devices()) {
    const stream a(d);
    const stream b(d);
    const stream c(d);
    for (int round = 0; round < 10; ++round) {
      std::vector<buffer_ptr> copies;
      {
        const buffer_ptr x = make_ints(std::vector<int>(500, round), d, a);
        for (const stream* const s : {&b, &c}) {
          copies.push_back(gpu::allocate_buffer(x->size(), d, *s));
          gpu::copy_bytes(*copies.back(), 0, *x, 0, x->size(), *s);
        }
      }
      // The same size at once: whoever gets x's memory must come after both reads.
      const buffer_ptr y = make_ints(std::vector<int>(500, -1), d, round % 2 == 0 ? a : b);
      EXPECT_EQ(read_ints(copies[0], b), std::vector<int>(500, round));
      EXPECT_EQ(read_ints(copies[1], c), std::vector<int>(500, round));
      EXPECT_EQ(read_ints(y, a), std::vector<int>(500, -1));
    }
  }
}

// A driver reuses the handles of streams: what was known of the old stream must not be believed of the new one.
TEST(order, recycled_stream_handle_inherits_nothing) {
  for (const device d : runtime_test::all_devices()) {
    const stream reader(d);
    for (int round = 0; round < 20; ++round) {
      buffer_ptr x;
      buffer_ptr copy = gpu::allocate_buffer(4000, d, reader);
      {
        const stream s(d);
        x = make_ints(std::vector<int>(1000, round), d, s);
        gpu::copy_bytes(*copy, 0, *x, 0, 4000, reader);
        x.reset();
      }
      const stream s(d);
      const buffer_ptr y = make_ints(std::vector<int>(1000, -1), d, s);
      EXPECT_EQ(read_ints(copy, reader), std::vector<int>(1000, round));
      EXPECT_EQ(read_ints(y, s), std::vector<int>(1000, -1));
    }
  }
}

TEST(order, event_recorded_again_while_others_wait_for_it) {
  for (const device d : runtime_test::all_devices()) {
    const stream a(d);
    const stream b(d);
    gpu::event e;
    for (int round = 0; round < 10; ++round) {
      const buffer_ptr x = make_ints(std::vector<int>(300, round), d, a);
      e.record(a);
      b.wait(e);
      const buffer_ptr y = gpu::allocate_buffer(1200, d, b);
      gpu::copy_bytes(*y, 0, *x, 0, 1200, b);
      e.record(b);
      a.wait(e);
      e.record(a);
      gpu::fill_bytes(*x, 0, 0, 1200, a);
      EXPECT_EQ(read_ints(y, b), std::vector<int>(300, round));
      e.synchronize();
    }
  }
}

TEST(order, freed_by_another_thread) {
  for (const device d : runtime_test::all_devices()) {
    const stream a(d);
    const stream b(d);
    for (int round = 0; round < 10; ++round) {
      buffer_ptr x = make_ints(std::vector<int>(500, round), d, a);
      const buffer_ptr y = gpu::allocate_buffer(2000, d, b);
      gpu::copy_bytes(*y, 0, *x, 0, 2000, b);
      std::thread([&b, d, dropped = std::move(x)]() mutable {
        dropped.reset();
        const buffer_ptr z = gpu::allocate_buffer(2000, d, b);
        gpu::fill_bytes(*z, 0, 9, 2000, b);
      }).join();
      const buffer_ptr z = make_ints(std::vector<int>(500, -1), d, a);
      EXPECT_EQ(read_ints(y, b), std::vector<int>(500, round));
    }
  }
}

#if defined(__CUDACC__)
// Freed on a stream that waits for another: the memory is for others when the other is done, not before.
TEST(order, freed_on_a_stream_that_waits) {
  for (const device d : runtime_test::cuda_devices()) {
    gpu::memory_resource& pool = gpu::get_memory_resource(d);
    const stream a(d);
    const stream b(d);
    const stream c(d);
    for (std::size_t size = 100000; size < 110000; size += 1000) {  // of which c has no block of its own
      const auto set = [size](void* memory, int value) {
        return [=](void* handle) {
          gpu::cuda::check(cudaMemsetAsync(memory, value, size, static_cast<cudaStream_t>(handle)), "cudaMemsetAsync");
        };
      };
      void* const x = pool.allocate(size, a);
      const gpu::event allocated = a.record();
      b.wait(allocated);
      gpu::submit(b, {}, {}, set(x, 1));
      a.wait(b.record());
      allocated.synchronize();  // that much of a is known to be done
      pool.deallocate(x, size, a);
      void* const y = pool.allocate(size, c);
      gpu::submit(c, {}, {}, set(y, 2));
      pool.deallocate(y, size, c);
    }
    d.synchronize();
  }
}
#endif

TEST(order, freed_with_another_device_current) {
  const std::vector<device> devices = runtime_test::cuda_devices();
  for (const device d : devices) {
    for (const device other : devices) {
      const stream s(d);
      buffer_ptr x = make_ints(std::vector<int>(500, 4), d, s);
      buffer_ptr y = gpu::allocate_buffer(2000, d, stream::default_stream(d));
      gpu::copy_bytes(*y, 0, *x, 0, 2000, stream::default_stream(d));
#if defined(__CUDACC__)
      const gpu::cuda::current_device_scope native_current(other.index());
#endif
      const gpu::device_guard current(other);
      x.reset();
      EXPECT_EQ(read_ints(y, s), std::vector<int>(500, 4));
      y.reset();
      d.synchronize();
      static_cast<void>(gpu::memory::trim(d, true));
      EXPECT_EQ(gpu::memory::statistics(d).cached, 0U);
#if defined(__CUDACC__)
      int now = -1;
      gpu::cuda::check(cudaGetDevice(&now), "cudaGetDevice");
      EXPECT_EQ(now, other.index()) << "the caller's device stays current";
#endif
    }
  }
}

TEST(order, allocation_and_last_reference_in_a_host_function) {
  for (const device d : runtime_test::all_devices()) {
    const stream s(d);
    d.synchronize();  // frees what earlier work has left
    const auto before = gpu::memory::statistics(d).blocks;
    std::vector<int> seen;
    {
      buffer_ptr x = make_ints({1, 2, 3}, d, s);
      s.launch_host_function([&seen, x = std::move(x)]() mutable {
        const buffer_ptr own = gpu::allocate_buffer(12, host, stream::default_stream(host));
        std::memset(own->data(), 1, 12);
        seen.assign(ints(own), ints(own) + 3);
        x.reset();  // of a GPU: nothing may be called here, so it is freed later
      });
    }
    s.synchronize();
    EXPECT_EQ(seen, std::vector<int>(3, 0x01010101));
    EXPECT_EQ(gpu::memory::statistics(d).blocks, before);
  }
}

TEST(order, exception_between_allocation_and_launch) {
  for (const device d : runtime_test::all_devices()) {
    const stream s(d);
    d.synchronize();
    const auto before = gpu::memory::statistics(d);
    for (int round = 0; round < 5; ++round) {
      try {
        const buffer_ptr x = gpu::allocate_buffer(3000, d, s);
        gpu::submit(s, {}, {x.get()}, [] {});
        const buffer_ptr y = gpu::allocate_buffer(3000, d, s);
        throw std::out_of_range("before the launch");
      } catch (const std::out_of_range&) {
      }
    }
    s.synchronize();
    const auto after = gpu::memory::statistics(d);
    EXPECT_EQ(after.blocks, before.blocks);
    EXPECT_EQ(after.used, before.used);
    EXPECT_LE(after.upstream_allocations, before.upstream_allocations + 2) << "the same two blocks every time";
    EXPECT_EQ(read_ints(make_ints({7}, d, s), s), std::vector<int>{7});
  }
}

}  // namespace
