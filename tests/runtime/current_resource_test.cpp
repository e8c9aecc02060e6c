// Which resource a device's memory comes from, and what the whole library has.
#include <cmath>
#include <thread>
#include <vector>

#include "gpu/memory.hpp"
#include "gpu/runtime/failing_resource.hpp"
#include "gpu/runtime/limit_resource.hpp"
#include "gpu/runtime/statistics_resource.hpp"
#include "runtime_support.hpp"

namespace {

using gpu::device;
using gpu::memory_shortage;
using gpu::out_of_memory;
using gpu::stream;
using runtime_test::gate;
using runtime_test::opens_at_end;

const device host = device::host();
constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

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
    for (const double fraction : {1.5, 1.0001, 0.0, -0.0, -0.5, std::nan(""), HUGE_VAL, -HUGE_VAL})
      EXPECT_THROW(gpu::memory::set_limit_fraction(d, fraction), gpu::device_error) << fraction;
    gpu::memory::trim(d, true);
    gpu::memory::set_limit_fraction(d, 1e-30);  // not 0 bytes, which is no limit
    EXPECT_THROW(static_cast<void>(gpu::allocate_buffer(2 * mib, d)), out_of_memory);
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

TEST(memory, handler_that_needs_memory_itself_is_not_asked_again) {
  gpu::device_memory_resource memory(host);
  gpu::limit_resource limited(host, memory, 10 * kib);
  const gpu::scoped_memory_resource on(host, limited);
  static int asked = 0;
  asked = 0;
  const auto too_much = [] { static_cast<void>(gpu::allocate_buffer(20 * kib, host)); };
  gpu::memory::on_out_of_memory([](const memory_shortage&, void*) {
    ++asked;
    static_cast<void>(gpu::allocate_buffer(kib, host));  // there is as much
    static_cast<void>(gpu::allocate_buffer(30 * kib, host));
    return true;
  });
  try {
    too_much();
    ADD_FAILURE() << "beyond the limit";
  } catch (const out_of_memory& error) {
    EXPECT_EQ(error.shortage().requested, 30 * kib) << "what the handler throws";
  }
  EXPECT_EQ(asked, 1);
  EXPECT_THROW(too_much(), out_of_memory);
  EXPECT_EQ(asked, 2) << "the next time";
  gpu::memory::on_out_of_memory([](const memory_shortage&, void*) {
    ++asked;
    try {
      static_cast<void>(gpu::allocate_buffer(30 * kib, host));
    } catch (const out_of_memory&) {
    }
    return asked < 5;
  });
  EXPECT_THROW(too_much(), out_of_memory);
  EXPECT_EQ(asked, 5);
  gpu::memory::on_out_of_memory(nullptr);
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

}  // namespace
