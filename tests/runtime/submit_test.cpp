#include "gpu/runtime/submit.hpp"

#include <memory>
#include <random>
#include <stdexcept>
#include <thread>

#include "runtime_support.hpp"

namespace {

using gpu::buffer_ptr;
using gpu::device;
using gpu::stream;
using runtime_test::expect_error;
using runtime_test::gate;
using runtime_test::ints;
using runtime_test::make_ints;
using runtime_test::opens_at_end;
using runtime_test::read_ints;

const device host = device::host();

TEST(submit, default_stream_runs_in_the_caller) {
  const stream s = stream::default_stream(host);
  const buffer_ptr a = make_ints({1}, host, s);
  std::thread::id ran_in;
  gpu::submit(s, {a.get()}, {a.get()}, [&] {
    ran_in = std::this_thread::get_id();
    ++*ints(a);
  });
  EXPECT_EQ(ran_in, std::this_thread::get_id());
  EXPECT_EQ(*ints(a), 2);
  EXPECT_THROW(gpu::submit(s, {}, {a.get()}, [] { throw std::out_of_range("x"); }), std::out_of_range);
}

TEST(submit, function_object_may_take_the_native_stream_and_may_only_move) {
  for (const device d : runtime_test::all_devices()) {
    for (const stream& s : {stream::default_stream(d), stream(d)}) {
      void* handle = &handle;
      gpu::submit(s, {}, {}, [&, owned = std::make_unique<int>(1)](void* native) { handle = native; });
      s.synchronize();
      EXPECT_EQ(handle, s.native_handle());
    }
  }
}

TEST(submit, read_waits_for_write) {
  const stream a(host);
  const stream b(host);
  gate go;
  const opens_at_end at_end(go);
  const buffer_ptr x = make_ints({1}, host, stream::default_stream(host));
  gpu::submit(a, {}, {x.get()}, [&, x = ints(x)] {
    go.wait();
    *x = 2;
  });
  int seen = 0;
  gpu::submit(b, {x.get()}, {}, [&, x = ints(x)] { seen = *x; });
  EXPECT_FALSE(b.done());
  go.open();
  b.synchronize();
  EXPECT_EQ(seen, 2);
}

TEST(submit, write_waits_for_reads_and_writes) {
  const stream a(host);
  const stream b(host);
  const stream c(host);
  gate go;
  const opens_at_end at_end(go);
  const buffer_ptr x = make_ints({1}, host, stream::default_stream(host));
  int seen_by_a = 0;
  int seen_by_b = 0;
  gpu::submit(a, {x.get()}, {}, [&, x = ints(x)] {
    go.wait();
    seen_by_a = *x;
  });
  gpu::submit(b, {x.get()}, {}, [&, x = ints(x)] {
    go.wait();
    seen_by_b = *x;
  });
  gpu::submit(c, {}, {x.get()}, [x = ints(x)] { *x = 2; });
  gpu::submit(a, {}, {x.get()}, [x = ints(x)] { *x += 10; });
  EXPECT_FALSE(c.done());
  go.open();
  a.synchronize();
  b.synchronize();
  EXPECT_EQ(seen_by_a, 1);
  EXPECT_EQ(seen_by_b, 1);
  EXPECT_EQ(read_ints(x, stream::default_stream(host)), std::vector<int>{12});
}

TEST(submit, reads_do_not_wait_for_each_other) {
  const stream a(host);
  const stream b(host);
  gate first;
  gate second;
  const opens_at_end first_at_end(first);
  const opens_at_end second_at_end(second);
  const buffer_ptr x = make_ints({1}, host, stream::default_stream(host));
  gpu::submit(a, {x.get()}, {}, [&] { first.wait(); });
  gpu::submit(b, {x.get()}, {}, [&] {
    first.open();  // a is still reading
    second.wait();
  });
  a.synchronize();
  EXPECT_FALSE(b.done());
  second.open();
  b.synchronize();
}

TEST(submit, waits_for_no_more_than_it_must) {
  const stream a(host);
  const stream b(host);
  gate go;
  const opens_at_end at_end(go);
  const buffer_ptr x = make_ints({1}, host, stream::default_stream(host));
  gpu::submit(a, {}, {x.get()}, [x = ints(x)] { *x = 2; });
  a.launch_host_function([&] { go.wait(); });  // later work of a that has nothing to do with x
  int seen = 0;
  gpu::submit(b, {x.get()}, {}, [&, x = ints(x)] { seen = *x; });
  b.synchronize();
  EXPECT_EQ(seen, 2);
  EXPECT_FALSE(a.done());
}

TEST(submit, default_stream_waits_for_others) {
  const stream a(host);
  gate go;
  const opens_at_end at_end(go);
  const stream s = stream::default_stream(host);
  const buffer_ptr x = make_ints({1}, host, s);
  gpu::submit(a, {}, {x.get()}, [&, x = ints(x)] {
    go.wait();
    *x = 2;
  });
  std::thread opener([&] { go.open(); });
  gpu::submit(s, {x.get()}, {}, [&] { EXPECT_EQ(*ints(x), 2); });
  opener.join();
  gpu::submit(a, {x.get()}, {}, [&] {});
  gpu::submit(s, {}, {x.get()}, [&] { *ints(x) = 3; });
  EXPECT_EQ(read_ints(x, s), std::vector<int>{3});
}

TEST(submit, memory_lives_until_the_work_has_run) {
  const stream s(host);
  gate go;
  const opens_at_end at_end(go);
  buffer_ptr x = make_ints({5}, host, stream::default_stream(host));
  int seen = 0;
  gpu::submit(s, {x.get()}, {}, [&, x = ints(x)] {
    go.wait();
    seen = *x;
  });
  EXPECT_EQ(x.use_count(), 1) << "pending work does not count as an owner";
  x.reset();
  const buffer_ptr other = make_ints({9}, host, stream::default_stream(host));
  go.open();
  s.synchronize();
  EXPECT_EQ(seen, 5);
}

TEST(submit, failure_is_told_to_whoever_reads) {
  const stream a(host);
  const stream s = stream::default_stream(host);
  const buffer_ptr x = make_ints({1}, host, s);
  gpu::submit(a, {}, {x.get()}, [] { throw std::out_of_range("broken"); });
  expect_error<std::out_of_range>([&] { gpu::synchronize_for_read(*x, "item()"); }, "broken");
  a.synchronize();
  gpu::submit(a, {}, {x.get()}, [] { throw std::out_of_range("again"); });
  expect_error<std::out_of_range>([&] { gpu::submit(s, {x.get()}, {}, [] { ADD_FAILURE() << "must not run"; }); },
                                  "again");
  // The same whether or not it has failed already when somebody comes to depend on it.
  gpu::submit(a, {}, {x.get()}, [] { throw std::out_of_range("third"); });
  while (!a.done()) std::this_thread::yield();
  const stream b(host);
  gpu::submit(b, {x.get()}, {}, [] {});
  expect_error<std::out_of_range>([&] { b.synchronize(); }, "third");
  expect_error<std::out_of_range>([&] { a.synchronize(); }, "third");
}

TEST(submit, failure_leaves_zeros_in_new_memory_only) {
  const stream a(host);
  const stream b(host);
  constexpr std::size_t bytes = 4096;
  const auto contents = [](const buffer_ptr& x) {
    const auto* const data = static_cast<const unsigned char*>(x->data());
    return std::vector<unsigned char>(data, data + x->size());
  };
  const auto fail = [](const stream& s, gpu::buffer_list writes) {
    gpu::submit(s, {}, writes, [] { throw std::out_of_range("x"); });
    expect_error<std::out_of_range>([&] { s.synchronize(); }, "x");
  };
  const auto soil = [&] {
    const buffer_ptr x = gpu::allocate_buffer(bytes, host, a);
    gpu::fill_bytes(*x, 0, 7, bytes, a);
  };
  const std::vector<unsigned char> zeros(bytes, 0);
  const std::vector<unsigned char> sevens(bytes, 7);
  for (const stream& s : {a, b}) {
    soil();
    const buffer_ptr x = gpu::allocate_buffer(bytes, host, a);
    const buffer_ptr y = gpu::allocate_buffer(bytes, host, a);
    const buffer_ptr z = gpu::allocate_buffer(bytes, host, a);
    fail(s, {x.get(), y.get(), z.get()});
    for (const buffer_ptr& each : {x, y, z}) EXPECT_EQ(contents(each), zeros);
    gpu::fill_bytes(*x, 0, 7, bytes, s);
    s.synchronize();
    fail(s, {x.get()});
    EXPECT_EQ(contents(x), sevens) << "written before";
  }
  const buffer_ptr x = gpu::allocate_buffer(bytes, host, a);
  gpu::synchronize_for_write(*x, nullptr);
  std::memset(x->data(), 7, bytes);
  fail(a, {x.get()});
  EXPECT_EQ(contents(x), sevens) << "written by the host";
}

TEST(forbid_sync, hidden_waits_throw_and_name_themselves) {
  const stream a(host);
  gate go;
  const opens_at_end at_end(go);
  const stream s = stream::default_stream(host);
  const buffer_ptr x = make_ints({1}, host, s);
  {
    const gpu::forbid_sync forbidden;
    gpu::submit(s, {x.get()}, {}, [] {});  // nothing to wait for
    gpu::submit(a, {x.get()}, {}, [&] { go.wait(); });
    gpu::submit(s, {x.get()}, {}, [] {});  // reads beside a read
    expect_error<gpu::device_error>([&] { gpu::submit(s, {}, {x.get()}, [] { ADD_FAILURE(); }); },
                                    "default stream would wait");
    expect_error<gpu::device_error>([&] { gpu::synchronize_for_write(*x, "span()"); }, "span() would wait");
    gpu::synchronize_for_read(*x, "item()");
    go.open();
    a.synchronize();
  }
  gpu::submit(s, {}, {x.get()}, [] {});
  for (const device d : runtime_test::cuda_devices()) {
    const buffer_ptr y = make_ints({1}, d, stream(d));
    const gpu::forbid_sync forbidden;
    int value = 0;
    expect_error<gpu::device_error>(
        [&] { gpu::copy_to_host(&value, *y, 0, sizeof value, stream::default_stream(d), "item()"); },
        "item() would wait");
  }
}

// Random work on random buffers from random streams must give what the same work gives in order.
TEST(submit, random_work_equals_serial_work) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    constexpr std::size_t buffers = 6;
    std::vector<stream> streams{stream::default_stream(host)};
    for (int i = 0; i < 3; ++i) streams.emplace_back(host);
    std::vector<buffer_ptr> real;
    std::vector<int> model;
    for (std::size_t i = 0; i < buffers; ++i) {
      model.push_back(static_cast<int>(i));
      real.push_back(make_ints({static_cast<int>(i)}, host, streams[random() % streams.size()]));
    }
    for (int step = 0; step < 300; ++step) {
      const std::size_t a = random() % buffers;
      const std::size_t b = random() % buffers;
      const std::size_t c = random() % buffers;
      const stream& s = streams[random() % streams.size()];
      const auto mix = [](int x, int y) {
        return static_cast<int>(static_cast<unsigned>(x) * 31U + static_cast<unsigned>(y) + 1U);
      };
      if (random() % 8 == 0) {  // a new buffer takes the place of the old one, which may still be in use
        buffer_ptr fresh = gpu::allocate_buffer(sizeof(int), host, s);
        gpu::submit(s, {real[a].get(), real[b].get()}, {fresh.get()},
                    [=, x = ints(real[a]), y = ints(real[b]), z = ints(fresh)] { *z = mix(*x, *y); });
        real[c] = std::move(fresh);
      } else {
        gpu::submit(s, {real[a].get(), real[b].get()}, {real[c].get()},
                    [=, x = ints(real[a]), y = ints(real[b]), z = ints(real[c])] { *z = mix(*x, *y); });
      }
      model[c] = mix(model[a], model[b]);
    }
    for (std::size_t i = 0; i < buffers; ++i) {
      EXPECT_EQ(read_ints(real[i], streams[0]), std::vector<int>{model[i]}) << "buffer " << i;
    }
  }
}

TEST(submit, threads_with_streams_of_their_own_read_one_buffer) {
  const stream writer(host);
  const buffer_ptr shared = make_ints(std::vector<int>(1000, 1), host, writer);
  std::atomic<long> total{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      const stream s(host);
      for (int i = 0; i < 100; ++i) {
        const buffer_ptr own = gpu::allocate_buffer(shared->size(), host, s);
        gpu::copy_bytes(*own, 0, *shared, 0, shared->size(), s);
        gpu::submit(s, {own.get()}, {}, [&total, i, data = ints(own)] { total.fetch_add(data[i]); });
      }
      s.synchronize();
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(total.load(), 400);
}

// Two threads that use two buffers the other way round: per-buffer locks make them wait for each other for ever.
TEST(submit, crossed_use_from_two_threads_does_not_deadlock) {
  const buffer_ptr x = make_ints({0}, host, stream::default_stream(host));
  const buffer_ptr y = make_ints({0}, host, stream::default_stream(host));
  const auto work = [](const buffer_ptr& from, const buffer_ptr& to) {
    const stream s(host);
    for (int i = 0; i < 2000; ++i) {
      gpu::submit(s, {from.get()}, {to.get()}, [from = ints(from), to = ints(to)] { *to = *from + 1; });
    }
    s.synchronize();
  };
  std::thread a([&] { work(x, y); });
  std::thread b([&] { work(y, x); });
  a.join();
  b.join();
}

TEST(submit, cuda_streams_and_host_streams_wait_for_each_other) {
  for (const device d : runtime_test::cuda_devices()) {
    const stream a(d);
    const stream b(d);
    const stream worker(host);
    for (int round = 0; round < 5; ++round) {
      const buffer_ptr x = make_ints({round, 2}, d, a);
      const buffer_ptr y = gpu::allocate_buffer(8, d, b);
      gpu::copy_bytes(*y, 0, *x, 0, 8, b);
      gpu::fill_bytes(*x, 0, 0, 8, a);
      const buffer_ptr on_host = gpu::allocate_buffer(8, host);
      gpu::copy_bytes(*on_host, 0, *y, 0, 8, stream::default_stream(d));
      gpu::submit(worker, {on_host.get()}, {on_host.get()}, [data = ints(on_host)] { data[0] += 100; });
      gpu::copy_bytes(*x, 0, *on_host, 0, 8, a);
      EXPECT_EQ(read_ints(x, b), (std::vector<int>{round + 100, 2}));
    }
  }
}

}  // namespace
