#include "gpu/runtime/stream.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <thread>

#include "runtime_support.hpp"

namespace {

using gpu::device;
using gpu::event;
using gpu::stream;
using runtime_test::expect_error;
using runtime_test::gate;
using runtime_test::opens_at_end;

const device host = device::host();

TEST(stream, default_stream_of_the_host_runs_inline) {
  const stream s = stream::default_stream(host);
  EXPECT_TRUE(s.is_default());
  EXPECT_EQ(s.device(), host);
  EXPECT_EQ(s.native_handle(), nullptr);
  EXPECT_EQ(s, gpu::current_stream(host));
  std::thread::id ran_in;
  s.launch_host_function([&] { ran_in = std::this_thread::get_id(); });
  EXPECT_EQ(ran_in, std::this_thread::get_id());
  EXPECT_TRUE(s.done());
  s.synchronize();
  EXPECT_THROW(s.launch_host_function([] { throw std::out_of_range("x"); }), std::out_of_range);
}

TEST(stream, host_stream_is_another_thread_that_keeps_the_order) {
  const stream s(host);
  EXPECT_FALSE(s.is_default());
  std::vector<int> order;
  std::thread::id ran_in;
  for (int i = 0; i < 1000; ++i) s.launch_host_function([&order, i] { order.push_back(i); });
  s.launch_host_function([&] { ran_in = std::this_thread::get_id(); });
  s.synchronize();
  EXPECT_NE(ran_in, std::this_thread::get_id());
  ASSERT_EQ(order.size(), 1000U);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
  EXPECT_TRUE(s.done());
}

TEST(stream, submitting_does_not_wait) {
  gate go;
  const stream s(host);
  const opens_at_end at_end(go);
  s.launch_host_function([&] { go.wait(); });
  EXPECT_FALSE(s.done());
  const event e = s.record();
  EXPECT_FALSE(e.done());
  go.open();
  e.synchronize();
  EXPECT_TRUE(e.done());
  s.synchronize();
}

TEST(stream, exceptions_travel_to_the_next_synchronisation_once) {
  const stream s(host);
  int ran = 0;
  s.launch_host_function([] { throw std::out_of_range("first"); });
  s.launch_host_function([] { throw std::length_error("second"); });
  s.launch_host_function([&] { ++ran; });
  expect_error<std::out_of_range>([&] { s.synchronize(); }, "first");
  EXPECT_EQ(ran, 1) << "what comes after a failure is not lost";
  s.synchronize();
  s.launch_host_function([] { throw std::length_error("third"); });
  expect_error<std::length_error>([&] { s.record().synchronize(); }, "third");
  s.synchronize();
}

TEST(stream, failure_reaches_streams_that_depend_on_it) {
  const stream a(host);
  const stream b(host);
  gate go;
  const opens_at_end at_end(go);
  a.launch_host_function([&] {
    go.wait();
    throw std::out_of_range("of a");
  });
  b.wait(a.record());
  go.open();
  expect_error<std::out_of_range>([&] { b.synchronize(); }, "of a");
  expect_error<std::out_of_range>([&] { a.synchronize(); }, "of a");
}

TEST(stream, wait_orders_streams) {
  const stream a(host);
  const stream b(host);
  gate go;
  const opens_at_end at_end(go);
  int value = 0;
  a.launch_host_function([&] {
    go.wait();
    value = 1;
  });
  b.wait(a.record());
  int seen = 0;
  b.launch_host_function([&] { seen = value; });
  EXPECT_FALSE(b.done());
  go.open();
  b.synchronize();
  EXPECT_EQ(seen, 1);
}

TEST(stream, recording_again_leaves_waits_as_they_were) {
  const stream a(host);
  const stream b(host);
  gate second;
  const opens_at_end at_end(second);
  event e = a.record();
  b.wait(e);
  const event first = e;
  a.launch_host_function([&] { second.wait(); });
  e.record(a);
  b.synchronize();
  first.synchronize();
  EXPECT_FALSE(e.done());
  second.open();
  e.synchronize();
}

TEST(stream, destroyed_with_work_pending_loses_nothing) {
  gate go;
  gate done;
  {
    const stream s(host);
    s.launch_host_function([&] { go.wait(); });
    s.launch_host_function([&] { done.open(); });
  }
  EXPECT_FALSE(done.is_open());
  go.open();
  done.wait();
}

TEST(stream, last_handle_may_be_dropped_by_the_stream_itself) {
  gate done;
  {
    stream s(host);
    s.launch_host_function([&done, copy = s]() mutable {
      stream own = std::move(copy);
      done.open();
    });
  }
  done.wait();
}

TEST(stream, task_that_waits_for_its_own_stream_is_an_error) {
  const stream s(host);
  gate go;
  const opens_at_end at_end(go);
  s.launch_host_function([&] {
    go.wait();
    s.synchronize();
  });
  s.launch_host_function([] {});
  go.open();
  expect_error<gpu::device_error>([&] { s.synchronize(); }, "waits for work that comes after it");
}

TEST(stream, guards_nest_and_belong_to_a_thread) {
  const stream a(host);
  const stream b(host);
  {
    const gpu::stream_guard outer(a);
    EXPECT_EQ(gpu::current_stream(host), a);
    {
      const gpu::stream_guard inner(b);
      EXPECT_EQ(gpu::current_stream(host), b);
    }
    EXPECT_EQ(gpu::current_stream(host), a);
    std::thread([] { EXPECT_TRUE(gpu::current_stream(host).is_default()); }).join();
    const gpu::device_guard on(host);
    EXPECT_EQ(gpu::current_stream(), a);
  }
  EXPECT_TRUE(gpu::current_stream(host).is_default());
}

TEST(stream, host_functions_may_call_back) {
  const stream s(host);
  const stream other(host);
  const auto shared = runtime_test::make_ints({1, 2, 3}, host, s);
  std::vector<int> seen;
  s.launch_host_function([&] {
    const auto own = gpu::allocate_buffer(64, host);
    gpu::submit(gpu::current_stream(host), {shared.get()}, {own.get()},
                [&] { std::memcpy(own->data(), shared->data(), 12); });
    gpu::submit(other, {own.get()}, {}, [&] { seen.assign(runtime_test::ints(own), runtime_test::ints(own) + 3); });
    other.synchronize();
  });
  s.synchronize();
  EXPECT_EQ(seen, (std::vector<int>{1, 2, 3}));
}

std::atomic<int> plain_calls{0};
void plain_function() { plain_calls.fetch_add(1); }

TEST(stream, plain_functions_are_work_too) {
  plain_calls.store(0);
  for (const stream& s : {stream::default_stream(host), stream(host)}) {
    s.launch_host_function(plain_function);
    s.launch_host_function(&plain_function);
    gpu::submit(s, {}, {}, plain_function);
    s.synchronize();
  }
  EXPECT_EQ(plain_calls.load(), 6);
}

TEST(stream, many_threads_use_one_stream) {
  const stream s(host);
  long sum = 0;  // only the stream's thread touches it
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&s, &sum, own = s] {
      for (int i = 0; i < 500; ++i) own.launch_host_function([&sum, i] { sum += i; });
      static_cast<void>(s.done());
    });
  }
  for (auto& t : threads) t.join();
  s.synchronize();
  EXPECT_EQ(sum, 4 * 499 * 500 / 2);
}

TEST(stream, device_synchronize_waits_for_all_streams) {
  std::atomic<int> ran{0};
  {
    std::vector<stream> streams;
    for (int i = 0; i < 4; ++i) streams.emplace_back(host);
    for (const stream& s : streams) s.launch_host_function([&] { ran.fetch_add(1); });
  }
  host.synchronize();
  EXPECT_EQ(ran.load(), 4);
}

TEST(stream, many_short_lived_streams) {
  std::atomic<int> ran{0};
  for (int i = 0; i < 200; ++i) {
    const stream s(host);
    s.launch_host_function([&] { ran.fetch_add(1); });
  }
  host.synchronize();
  EXPECT_EQ(ran.load(), 200);
}

TEST(stream, a_forked_child_cannot_use_the_threads_of_its_parent) {
  const stream s(host);
  s.launch_host_function([] {});
  s.synchronize();
  const pid_t child = fork();
  if (child == 0) {
    int failures = 0;
    try {
      s.launch_host_function([] {});
      failures |= 1;
    } catch (const gpu::device_error&) {
    }
    int inline_runs = 0;
    stream::default_stream(host).launch_host_function([&] { ++inline_runs; });
    _exit(failures | (inline_runs == 1 ? 0 : 2));
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(event, unrecorded_and_timed) {
  const event none;
  EXPECT_TRUE(none.done());
  EXPECT_FALSE(none.recorded());
  none.synchronize();
  EXPECT_THROW(static_cast<void>(elapsed_time(none, none)), gpu::device_error);
  for (const device d : runtime_test::all_devices()) {
    for (const stream& s : {stream::default_stream(d), stream(d)}) {
      const auto b = gpu::allocate_buffer(1 << 16, d, s);
      const event start = s.record();
      gpu::fill_bytes(*b, 0, 1, b->size(), s);
      const event end = s.record();
      EXPECT_GE(elapsed_time(start, end), 0.0);
      EXPECT_TRUE(end.done());
      stream(d).wait(end);
    }
  }
}

TEST(stream, cuda_streams) {
  for (const device d : runtime_test::cuda_devices()) {
    EXPECT_NE(stream::default_stream(d).native_handle(), nullptr) << "never handle 0";
    const stream s(d);
    EXPECT_NE(s.native_handle(), stream(d).native_handle());
    EXPECT_NE(s, stream::default_stream(d));
    int value = 0;
    s.launch_host_function([&] { value = 1; });
    s.synchronize();
    EXPECT_EQ(value, 1);
    EXPECT_TRUE(s.done());
    s.launch_host_function([] { throw std::out_of_range("from a host function"); });
    expect_error<std::out_of_range>([&] { s.synchronize(); }, "from a host function");
    EXPECT_EQ(stream::wrap(d, stream::default_stream(d).native_handle()), stream::default_stream(d));
  }
  EXPECT_THROW(static_cast<void>(stream::wrap(host, nullptr)), gpu::device_error);
}

TEST(stream, priorities) {
  for (const device d : runtime_test::all_devices()) {
    for (const auto p : {gpu::stream_priority::low, gpu::stream_priority::normal, gpu::stream_priority::high}) {
      const stream s(d, p);
      EXPECT_EQ(runtime_test::read_ints(runtime_test::make_ints({4, 5}, d, s), s), (std::vector<int>{4, 5}));
#if defined(__CUDACC__)
      if (d.is_host()) continue;
      int lowest = 0;
      int highest = 0;
      int number = 99;
      gpu::cuda::check(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "cudaDeviceGetStreamPriorityRange");
      gpu::cuda::check(cudaStreamGetPriority(static_cast<cudaStream_t>(s.native_handle()), &number),
                       "cudaStreamGetPriority");
      const int expected = p == gpu::stream_priority::low ? lowest : p == gpu::stream_priority::high ? highest : 0;
      EXPECT_EQ(number, expected);
#endif
    }
  }
}

#if defined(__CUDACC__)
TEST(stream, per_thread_default_stream_in_each_thread) {
  for (const device d : runtime_test::cuda_devices()) {
    const gpu::cuda::current_device_scope on(d.index());
    gpu::buffer_ptr passed;
    std::thread([&] {
      const gpu::cuda::current_device_scope also_on(d.index());
      const stream mine = stream::wrap(d, cudaStreamPerThread);
      passed = runtime_test::make_ints({1, 2, 3}, d, mine);
      gpu::fill_bytes(*passed, 0, 0, 4, mine);
    }).join();
    const stream mine = stream::wrap(d, cudaStreamPerThread);
    const gpu::buffer_ptr copy = gpu::allocate_buffer(12, d, mine);
    gpu::copy_bytes(*copy, 0, *passed, 0, 12, mine);
    EXPECT_EQ(runtime_test::read_ints(copy, stream(d)), (std::vector<int>{0, 2, 3}));
  }
}

TEST(stream, wrapped_cuda_stream_may_be_destroyed_before_arrays) {
  for (const device d : runtime_test::cuda_devices()) {
    const gpu::cuda::current_device_scope on(d.index());
    cudaStream_t handle = nullptr;
    gpu::cuda::check(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    gpu::buffer_ptr b;
    gpu::buffer_ptr unused;
    {
      const stream wrapped = stream::wrap(d, handle);
      EXPECT_EQ(wrapped.native_handle(), handle);
      b = runtime_test::make_ints({5, 6, 7}, d, wrapped);
      unused = gpu::allocate_buffer(100, d, wrapped);
    }
    gpu::cuda::check(cudaStreamDestroy(handle), "cudaStreamDestroy");
    EXPECT_EQ(runtime_test::read_ints(b, stream(d)), (std::vector<int>{5, 6, 7}));
    b.reset();
    unused.reset();
    d.synchronize();
    static_cast<void>(gpu::allocate_buffer(100, d));
  }
}
#endif

}  // namespace
