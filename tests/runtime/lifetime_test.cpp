// Exit, threads that end, and forks, with arrays alive and work pending.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <thread>

#include "gpu/arithmetic.hpp"
#include "gpu/creation.hpp"
#include "gpu/graph.hpp"
#include "gpu/pinned.hpp"
#include "runtime_support.hpp"

namespace {

using gpu::array;
using gpu::device;
using gpu::stream;

/// One of everything that holds memory or a stream, with work on it.
struct everything {
  explicit everything(device d) : own(d) {
    const gpu::device_guard on(d);
    const gpu::stream_guard guard(own);
    x = array<float>{1, 2, 3};
    expression = std::make_unique<array<float>>(x * 2);
    pinned = gpu::pinned<float>(100);
    gpu::copy_async(pinned.view()(gpu::slice(0, 3)), x);
    download = gpu::to_host_async(x);
    passed = own.record();
    x += *expression;
  }
  stream own;
  array<float> x;
  std::unique_ptr<array<float>> expression;
  gpu::pinned<float> pinned;
  gpu::future<float> download;
  gpu::event passed;
};

/// Keeps one on every device until the statics are destroyed: after the library has seen the process end, unless the
/// devices were counted before. Each has run once before, to its end: an emulated driver may be unable to load a kernel
/// while the process ends.
void keep_everything_until_exit() {
  static std::vector<everything> all;
  for (const device d : runtime_test::all_devices()) {
    everything(d).own.synchronize();
    all.emplace_back(d);
  }
}

TEST(lifetime_DeathTest, exit_with_statics) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        keep_everything_until_exit();
        std::exit(0);
      },
      testing::ExitedWithCode(0), "");
}

TEST(lifetime_DeathTest, exit_from_another_thread_while_work_runs) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        static runtime_test::gate never;
        const stream s(device::host());
        s.launch_host_function([] { never.wait(); });
        static_cast<void>(runtime_test::all_devices());
        keep_everything_until_exit();
        std::thread([] { std::exit(0); }).join();
      },
      testing::ExitedWithCode(0), "");
}

TEST(lifetime, thread_that_ends_leaves_nothing) {
  for (const device d : runtime_test::all_devices()) {
    d.synchronize();
    device::host().synchronize();
    const auto before = gpu::get_memory_resource(d).statistics().blocks;
    for (int i = 0; i < 3; ++i) {
      std::thread([d] {
        thread_local std::unique_ptr<everything> of_thread;
        of_thread = std::make_unique<everything>(d);
      }).join();
    }
    d.synchronize();
    device::host().synchronize();
    EXPECT_EQ(gpu::get_memory_resource(d).statistics().blocks, before);
  }
}

/// What a forked child finds wrong; 0: nothing.
int wrong_in_child(std::vector<everything>& inherited) {
  int wrong = 0;
  for (everything& e : inherited) {
    try {
      const gpu::device_guard on(e.x.device());
      const gpu::stream_guard guard(e.own);
      e.x += 1;
      wrong |= 1;
    } catch (const gpu::device_error& error) {
      if (std::string(error.what()).find("fork") == std::string::npos) wrong |= 2;
    }
  }
  for (int i = 0; i < device::count(gpu::device_kind::cuda); ++i) {
    try {
      static_cast<void>(device::cuda(i));
      wrong |= 4;
    } catch (const gpu::device_error&) {
    }
  }
  const gpu::device_guard on(device::host());
  const array<float> y = array<float>{1, 2} + 1;  // the host's default stream still works
  if (y(1).item() != 3) wrong |= 8;
  inherited.clear();
  return wrong;
}

/// Ends the child with all of its handlers, except under ThreadSanitizer: libomp's own crash there after a fork.
[[noreturn]] void end_child(int code) {
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
  std::_Exit(code);
#endif
#endif
  std::exit(code);
}

int fork_with_everything() {
  std::vector<everything> inherited;
  for (const device d : runtime_test::all_devices()) inherited.emplace_back(d);
  for (const everything& e : inherited) e.own.synchronize();
  const pid_t child = fork();
  if (child == 0) end_child(wrong_in_child(inherited));
  int status = -1;
  waitpid(child, &status, 0);
  // The parent goes on as before.
  for (everything& e : inherited) {
    const gpu::device_guard on(e.x.device());
    if (array<float>(e.x + 1)(0).item() != 4) return 100;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}

TEST(lifetime_DeathTest, forked_child_says_what_it_cannot_use) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(fork_with_everything()), testing::ExitedWithCode(0), "");
}

// Streams whose last handle goes while work is pending: nothing is lost, and nobody waits for ever.
TEST(lifetime, streams_end_with_work_pending) {
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on(d);
    std::vector<array<float>> results;
    for (int i = 0; i < 10; ++i) {
      const stream s(d);
      const gpu::stream_guard guard(s);
      array<float> x = gpu::full<float>({1000}, static_cast<float>(i));
      results.push_back(array<float>(x * 2 + 1));
    }
    for (int i = 0; i < 10; ++i) {
      EXPECT_EQ(results[static_cast<std::size_t>(i)](999).item(), static_cast<float>(2 * i + 1));
    }
  }
}

}  // namespace
