// Resources over resources: limits, counts, failures.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "gpu/runtime/coalescing_resource.hpp"
#include "gpu/runtime/failing_resource.hpp"
#include "gpu/runtime/limit_resource.hpp"
#include "gpu/runtime/statistics_resource.hpp"
#include "runtime_support.hpp"

namespace {

using gpu::device;
using gpu::out_of_memory;
using gpu::stream;

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
  EXPECT_EQ(gpu::limit_resource::fraction_of(host, 1e-30), 1U);
  EXPECT_EQ(gpu::limit_resource::fraction_of(host, 0), 0U);
  for (const double fraction : {1.5, -0.5, std::nan("")})
    EXPECT_THROW(static_cast<void>(gpu::limit_resource::fraction_of(host, fraction)), gpu::device_error) << fraction;
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

}  // namespace
