#include <numeric>
#include <stdexcept>
#include <thread>

#include "gpu/creation.hpp"
#include "gpu/pinned.hpp"
#include "gpu/transfer.hpp"
#include "runtime_support.hpp"

#if defined(__CUDACC__)
#include "gpu/engine/evaluate.hpp"
#endif

namespace {

using gpu::array;
using gpu::device;
using gpu::stream;
using runtime_test::expect_error;
using runtime_test::gate;
using runtime_test::opens_at_end;

const device host = device::host();

std::vector<float> counting(std::size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

std::vector<float> values_of(const array<float>& a) {
  std::vector<float> values(static_cast<std::size_t>(a.size()));
  gpu::copy(gpu::borrowed(values), a);
  return values;
}

array<float> on(device d, const std::vector<float>& values) {
  const gpu::device_guard guard(d);
  return array<float>(values);
}

TEST(pinned_resource, buckets_are_powers_of_two) {
  using gpu::pinned_resource;
  EXPECT_EQ(pinned_resource::bucket_size(0), 4096U);
  EXPECT_EQ(pinned_resource::bucket_size(4096), 4096U);
  EXPECT_EQ(pinned_resource::bucket_size(4097), 8192U);
  EXPECT_EQ(pinned_resource::bucket_size((std::size_t{1} << 20) + 1), std::size_t{2} << 20);
  pinned_resource pool;
  const stream s = stream::default_stream(host);
  void* const a = pool.allocate(5000, s);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a) % 64, 0U);
  gpu::memory_statistics now = pool.statistics();
  EXPECT_EQ(now.used, 8192U);
  EXPECT_EQ(now.reserved, 8192U);
  pool.deallocate(a, 5000, s);
  EXPECT_EQ(pool.allocate(8000, s), a);
  pool.deallocate(a, 8000, s);
  now = pool.statistics();
  EXPECT_EQ(now.used, 0U);
  EXPECT_EQ(now.cached, 8192U);
  EXPECT_EQ(now.blocks, 0U);
  EXPECT_EQ(now.upstream_allocations, 1U);
  EXPECT_EQ(pool.trim(false), 8192U);
  EXPECT_EQ(pool.statistics().reserved, 0U);
  EXPECT_THROW(static_cast<void>(pool.allocate(SIZE_MAX, s)), gpu::out_of_memory);
}

TEST(pinned_resource, blocks_in_use_are_kept_back) {
  gpu::pinned_resource pool;
  const stream s(host);
  gate go;
  const opens_at_end at_end(go);
  void* const a = pool.allocate(4096, s);
  s.launch_host_function([&] { go.wait(); });
  pool.deallocate(a, 4096, s);
  void* const b = pool.allocate(4096, stream::default_stream(host));
  EXPECT_NE(a, b);
  EXPECT_EQ(pool.trim(false), 0U);
  go.open();
  s.synchronize();
  EXPECT_EQ(pool.allocate(4096, stream::default_stream(host)), a);
  pool.deallocate(a, 4096, s);
  pool.deallocate(b, 4096, s);
  EXPECT_EQ(pool.trim(true), 8192U);
}

TEST(pinned, there_and_back) {
  for (const device d : runtime_test::all_devices()) {
    for (const stream& s : {stream::default_stream(d), stream(d)}) {
      const gpu::stream_guard guard(s);
      gpu::pinned<float> up(1000);
      std::iota(up.begin(), up.end(), 1.0F);
      const gpu::device_guard on_device(d);
      array<float> x = gpu::empty<float>({1000});
      gpu::copy_async(x, up);
      gpu::pinned<float> down(1000);
      gpu::copy_async(down, x);
      for (int i = 0; i < 1000; ++i) ASSERT_EQ(std::as_const(down)[i], static_cast<float>(i + 1));
      up[0] = 5.0F;  // waits for the upload
      gpu::pinned<float> moved = std::move(up);
      EXPECT_EQ(moved[0], 5.0F);
      EXPECT_EQ(moved.size(), 1000);
    }
  }
}

TEST(pinned, writing_waits_for_copies_and_freeing_does_not) {
  gate go;
  const opens_at_end at_end(go);
  const stream s(host);
  const gpu::stream_guard guard(s);
  const gpu::device_guard on_host(host);
  gpu::pinned<float> up(4);
  std::iota(up.begin(), up.end(), 1.0F);
  array<float> x = gpu::zeros<float>({4});
  s.launch_host_function([&] { go.wait(); });
  gpu::copy_async(x, up);
  {
    const gpu::forbid_sync forbidden;
    EXPECT_EQ(std::as_const(up)[1], 2.0F) << "reading beside a read";
    expect_error<gpu::device_error>([&] { up[1] = 0.0F; }, "pinned::data() would wait");
    up = gpu::pinned<float>();  // the copy still comes
  }
  gpu::pinned<float> other(4);
  std::fill_n(other.data(), 4, -1.0F);
  go.open();
  EXPECT_EQ(values_of(x), counting(4));
}

TEST(pinned, registered_memory_is_the_users) {
  for (const device d : runtime_test::all_devices()) {
    std::vector<float> memory = counting(5000);
    {
      auto p = gpu::pinned<float>::registered(memory.data(), 5000);
      EXPECT_EQ(std::as_const(p).data(), memory.data());
      array<float> x = on(d, std::vector<float>(5000, 0.0F));
      gpu::copy_async(x, p);
      p[0] = 7.0F;
      EXPECT_EQ(values_of(x), counting(5000));
      gpu::copy_async(p, x);
      auto q = std::move(p);
      // The end of q waits.
    }
    EXPECT_EQ(memory, counting(5000));
  }
  EXPECT_EQ(gpu::pinned<float>::registered(nullptr, 0).size(), 0);
}

TEST(pinned, size_that_does_not_fit) {
  EXPECT_THROW(gpu::pinned<double>(gpu::shape{std::int64_t{1} << 40, std::int64_t{1} << 40}), gpu::shape_error);
  EXPECT_THROW(gpu::pinned<double>(std::int64_t{1} << 50), gpu::out_of_memory);
}

TEST(copy, between_all_devices_and_layouts) {
  for (const device from : runtime_test::all_devices()) {
    for (const device to : runtime_test::all_devices()) {
      std::vector<float> values = counting(60);
      const gpu::device_guard guard(to);
      array<float> wide = gpu::zeros<float>({6, 20});
      array<float> flat = on(from, values);
      const gpu::view<float> source = gpu::reshape(flat, {6, 10});
      gpu::copy(wide(gpu::slice(), gpu::slice(5, 15)), source);  // rows into rows
      array<float> back = on(from, std::vector<float>(60, 0.0F));
      gpu::copy(gpu::reshape(back, {10, 6}), wide.T()(gpu::slice(5, 15), gpu::slice()));  // transposed
      const std::vector<float> seen = values_of(back);
      for (std::size_t i = 0; i < 6; ++i) {
        for (std::size_t j = 0; j < 10; ++j) ASSERT_EQ(seen[j * 6 + i], values[i * 10 + j]);
      }
      gpu::copy(back, on(from, {3.0F}));  // broadcasts
      EXPECT_EQ(values_of(back), std::vector<float>(60, 3.0F));
      EXPECT_THROW(gpu::copy_async(wide, flat), gpu::shape_error);
      EXPECT_EQ(flat.device(), from);
    }
  }
}

TEST(copy, rows_from_pinned_memory) {
  for (const device d : runtime_test::all_devices()) {
    gpu::pinned<float> image(gpu::shape{8, 16});
    std::iota(image.begin(), image.end(), 0.0F);
    const gpu::device_guard guard(d);
    array<float> part = gpu::zeros<float>({4, 5});
    gpu::copy(part, image.view()(gpu::slice(2, 6), gpu::slice(3, 8)));
    const std::vector<float> seen = values_of(part);
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t j = 0; j < 5; ++j) ASSERT_EQ(seen[i * 5 + j], static_cast<float>((i + 2) * 16 + j + 3));
    }
    gpu::copy_async(image.view()(gpu::slice(0, 4), gpu::slice(0, 5)), part);
    EXPECT_EQ(std::as_const(image)[0], 35.0F);
    EXPECT_EQ(std::as_const(image)[5], 5.0F) << "beside the rows nothing changes";
    EXPECT_EQ(std::as_const(image)[16], 51.0F);
  }
}

TEST(copy_async, container_that_is_given_away_lives_until_it_was_read) {
  gate go;
  const opens_at_end at_end(go);
  const stream s(host);
  const gpu::stream_guard guard(s);
  struct counted : std::vector<float> {
    counted(std::vector<float> values, int* live) : std::vector<float>(std::move(values)), live_(live) { ++*live_; }
    counted(counted&& other) noexcept : std::vector<float>(std::move(other)), live_(other.live_) { ++*live_; }
    ~counted() { --*live_; }
    int* live_;
  };
  int live = 0;
  const gpu::device_guard on_host(host);
  array<float> x = gpu::zeros<float>({100});
  s.launch_host_function([&] { go.wait(); });
  gpu::copy_async(x, counted(counting(100), &live));
  EXPECT_EQ(live, 1);
  go.open();
  EXPECT_EQ(values_of(x), counting(100));
  s.synchronize();
  EXPECT_EQ(live, 0);
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on_device(d);
    array<float> y = gpu::zeros<float>({10, 10});
    gpu::copy_async(y, counting(100));  // in the shape of y
    EXPECT_EQ(values_of(y), counting(100));
  }
}

TEST(copy_async, borrowed_memory_is_read_when_its_turn_comes) {
  gate go;
  const opens_at_end at_end(go);
  const stream s(host);
  const gpu::stream_guard guard(s);
  const gpu::device_guard on_host(host);
  array<float> x = gpu::zeros<float>({100});
  std::vector<float> mine(100, 0.0F);
  s.launch_host_function([&] {
    go.wait();
    std::iota(mine.begin(), mine.end(), 1.0F);
  });
  gpu::copy_async(x, gpu::borrowed(mine));
  std::vector<float> back(100);
  gpu::copy_async(gpu::borrowed(back), x);
  go.open();
  s.synchronize();
  EXPECT_EQ(back, counting(100));
}

TEST(to_host_async, keeps_everything_until_it_is_read) {
  for (const device d : runtime_test::all_devices()) {
    for (const stream& s : {stream::default_stream(d), stream(d)}) {
      const gpu::stream_guard guard(s);
      gpu::future<float> f;
      EXPECT_FALSE(f.valid());
      {
        array<float> x = on(d, counting(3000));
        f = gpu::to_host_async(x(gpu::slice(0, 3000, 3)));
        x = on(d, std::vector<float>(3000, -1.0F));
      }
      EXPECT_TRUE(f.valid());
      f.wait();
      EXPECT_TRUE(f.ready());
      const array<float> got = f.get();
      EXPECT_FALSE(f.valid());
      EXPECT_EQ(got.device(), host);
      ASSERT_EQ(got.size(), 1000);
      const auto elements = got.span<1>();
      for (int i = 0; i < 1000; ++i) ASSERT_EQ(elements(i), static_cast<float>(3 * i + 1));
    }
  }
}

TEST(to_host_async, does_not_wait_and_hears_of_failures) {
  gate go;
  const opens_at_end at_end(go);
  const stream s(host);
  const gpu::stream_guard guard(s);
  const gpu::device_guard on_host(host);
  array<float> x = gpu::zeros<float>({4});
  gpu::submit(s, {}, {x.storage().owner.get()}, [&] {
    go.wait();
    throw std::out_of_range("of the work");
  });
  const gpu::forbid_sync forbidden;
  gpu::future<float> f = gpu::to_host_async(x);
  EXPECT_FALSE(f.ready());
  go.open();
  expect_error<std::out_of_range>([&] { static_cast<void>(f.get()); }, "of the work");
}

TEST(copy_batch, many_small_copies) {
  for (const device d : runtime_test::all_devices()) {
    for (const stream& s : {stream::default_stream(d), stream(d)}) {
      const gpu::stream_guard guard(s);
      std::vector<array<float>> sources;
      std::vector<array<float>> targets;
      gpu::pinned<float> locked(10);
      std::iota(locked.begin(), locked.end(), 1.0F);
      gpu::pinned<float> landing(10);
      gpu::copy_batch batch;
      for (std::size_t i = 0; i < 20; ++i) {
        const device from = i % 3 == 0 ? host : d;
        sources.push_back(on(from, counting(10 + i)));
        targets.push_back(on(i % 5 == 4 ? host : d, std::vector<float>(10 + i, 0.0F)));
      }
      for (std::size_t i = 0; i < 20; ++i) batch.add(targets[i], sources[i]);
      array<float> from_locked = on(d, std::vector<float>(10, 0.0F));
      array<float> strided = on(d, std::vector<float>(20, 0.0F));
      batch.add(from_locked, locked);
      batch.add(landing, sources[1](gpu::slice(0, 10)));
      batch.add(strided(gpu::slice(0, 20, 2)), sources[1](gpu::slice(0, 10)));
      EXPECT_EQ(batch.size(), 23U);
      batch.submit();
      EXPECT_EQ(batch.size(), 0U);
      sources.clear();
      for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(values_of(targets[i]), counting(10 + i)) << i;
      EXPECT_EQ(values_of(from_locked), counting(10));
      EXPECT_EQ(std::as_const(landing)[9], 10.0F);
      EXPECT_EQ(values_of(strided)[18], 10.0F);
      EXPECT_EQ(values_of(strided)[17], 0.0F);
      EXPECT_THROW(batch.add(targets[0], targets[1]), gpu::shape_error);
      batch.submit();
    }
  }
}

}  // namespace
