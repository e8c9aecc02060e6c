// What is left when memory, or any call of the driver, fails in the middle of what a user asked for.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "gpu/arithmetic.hpp"
#include "gpu/creation.hpp"
#include "gpu/graph.hpp"
#include "gpu/memory.hpp"
#include "gpu/pinned.hpp"
#include "gpu/pipeline.hpp"
#include "gpu/reduce.hpp"
#include "gpu/runtime/coalescing_resource.hpp"
#include "gpu/runtime/failing_resource.hpp"
#include "runtime_support.hpp"

namespace {

using gpu::array;
using gpu::device;
using gpu::stream;
using values = std::vector<float>;

/// What has gone wrong; not EXPECT, which a forked child could not report.
struct verdict {
  std::string wrong;
  int failures = 0;  ///< calls that threw

  void expect(bool fine, const std::string& what) {
    if (!fine && wrong.empty()) wrong = what;
  }
};

/// Does something; once more if that fails, which it then must not. Before that, nothing may have changed.
template <class F, class Unchanged>
void attempt(verdict& v, const F& f, const Unchanged& unchanged) {
  try {
    f();
    return;
  } catch (const std::exception&) {
    ++v.failures;
  }
  unchanged();
  f();
}
template <class F>
void attempt(verdict& v, const F& f) {
  attempt(v, f, [] {});
}

void expect_values(verdict& v, const array<float>& a, const values& expected, const char* what) {
  values seen(static_cast<std::size_t>(a.size()));
  attempt(v, [&] { gpu::copy(gpu::borrowed(seen), a); });
  v.expect(seen == expected, what);
}

struct scenario {
  const char* name;
  std::function<void(verdict&, device)> run;
};

const values abc{1, 2, 3};

std::vector<scenario> scenarios() {
  std::vector<scenario> all;
  all.push_back({"new arrays", [](verdict& v, device) {
                   array<float> x;
                   attempt(v, [&] { x = array<float>(abc); });
                   expect_values(v, x, abc, "an array of a vector");
                   attempt(
                       v, [&] { x = gpu::full<float>({3}, 7.0F); }, [&] { expect_values(v, x, abc, "x after full"); });
                   expect_values(v, x, {7, 7, 7}, "full");
                 }});
  all.push_back({"expressions", [](verdict& v, device) {
                   array<float> x;
                   array<float> y;
                   attempt(v, [&] { x = array<float>(abc); });
                   attempt(v, [&] { y = x * 2 + 1; }, [&] { v.expect(y.size() == 0, "y after a failed expression"); });
                   expect_values(v, y, {3, 5, 7}, "an expression");
                   attempt(v, [&] { x += y; }, [&] { expect_values(v, x, abc, "x after a failed +="); });
                   expect_values(v, x, {4, 7, 10}, "+=");
                   attempt(
                       v, [&] { x(gpu::slice(0, 2)) = x(gpu::slice(1, 3)); },
                       [&] { expect_values(v, x, {4, 7, 10}, "x after a failed overlapping assignment"); });
                   expect_values(v, x, {7, 10, 10}, "an overlapping assignment");
                   float sum = 0;
                   attempt(v, [&] { sum = gpu::sum(x).item(); });
                   v.expect(sum == 27, "a sum");
                 }});
  all.push_back(
      {"other devices and streams", [](verdict& v, device d) {
         array<float> x;
         array<float> y;
         attempt(v, [&] { x = array<float>(abc); });
         attempt(v, [&] { y = x.to(device::host()); }, [&] { expect_values(v, x, abc, "x after a failed to()"); });
         expect_values(v, y, abc, "on the host");
         attempt(
             v,
             [&] {
               const stream s(d);
               const gpu::stream_guard on(s);
               x = x + x;
             },
             [&] { expect_values(v, x, abc, "x after a failure on a stream"); });
         expect_values(v, x, {2, 4, 6}, "from another stream");
         attempt(v, [&] {
           const stream s(d);
           const gpu::event before = s.record();
           stream::default_stream(d).wait(before);
           s.synchronize();
         });
         if (d.is_cuda() && device::count(gpu::device_kind::cuda) > 1) {
           attempt(
               v, [&] { y = x.to(device::cuda(1)); }, [&] { expect_values(v, y, abc, "y after a failed peer copy"); });
           expect_values(v, y, {2, 4, 6}, "a peer copy");
         }
       }});
  all.push_back({"transfers", [](verdict& v, device d) {
                   array<float> x;
                   attempt(v, [&] { x = gpu::zeros<float>({2, 3}); });
                   const gpu::view<float> first = x(0);
                   const gpu::view<float> second = x(1);
                   attempt(v, [&] {
                     gpu::pinned<float> up(3);
                     std::iota(up.begin(), up.end(), 1.0F);
                     gpu::copy_async(first, up);
                   });
                   attempt(v, [&] { gpu::copy_async(second, values(abc)); });
                   expect_values(v, x, {1, 2, 3, 1, 2, 3}, "uploads");
                   gpu::future<float> f;
                   attempt(v, [&] { f = gpu::to_host_async(x.T()); });
                   array<float> got;
                   attempt(v, [&] { got = f.get(); });
                   expect_values(v, got, {1, 1, 2, 2, 3, 3}, "a download");
                   array<float> y;
                   attempt(v, [&] {
                     gpu::copy_batch batch;
                     y = gpu::zeros<float>({2, 3});
                     batch.add(y(0), x(1));
                     batch.add(y(1), x(0));
                     const stream s(d);
                     const gpu::stream_guard on(s);
                     batch.submit();
                   });
                   expect_values(v, y, {1, 2, 3, 1, 2, 3}, "a batch");
                 }});
  all.push_back({"a graph", [](verdict& v, device) {
                   array<float> x;
                   attempt(v, [&] { x = array<float>(abc); });
                   attempt(v, [&] {
                     auto g = gpu::capture([](const array<float>& a) { return array<float>(a + 1) * 2; }, x);
                     g.launch();
                     expect_values(v, g.result(), {4, 6, 8}, "a graph's result");
                   });
                 }});
  all.push_back({"a pipeline", [](verdict& v, device) {
                   const values source(40, 2.0F);
                   values target(40, 0.0F);
                   attempt(v, [&] {
                     gpu::pipeline(gpu::borrowed(source), gpu::borrowed(target),
                                   [](const gpu::view<const float>& x) { return x * 2; }, {.chunk = 16, .depth = 2});
                   });
                   v.expect(target == values(40, 4.0F), "a pipeline's result");
                 }});
  all.push_back({"a pool of our own", [](verdict& v, device d) {
                   gpu::device_memory_resource memory(d);
                   gpu::coalescing_resource pool(d, memory, {.segment = 1 << 16});
                   {
                     const gpu::scoped_memory_resource on(d, pool);
                     array<float> x;
                     attempt(v, [&] { x = array<float>(abc); });
                     const auto double_it = [&] {
                       const stream s(d);
                       const gpu::stream_guard guard(s);
                       x = array<float>(x + x);
                     };
                     attempt(v, double_it, [&] { expect_values(v, x, abc, "x in a pool"); });
                     expect_values(v, x, {2, 4, 6}, "in a pool");
                     x = array<float>();
                     attempt(v, [&] { d.synchronize(); });
                   }
                   v.expect(pool.statistics().used == 0, "bytes left in the pool");
                 }});
  return all;
}

/// One scenario; a failure outside of what it attempts (a guard, a wait) lets it begin again, once.
verdict run(const scenario& s, device d) {
  const gpu::device_guard on(d);
  verdict v;
  for (const bool again : {false, true}) {
    try {
      s.run(v, d);
      return v;
    } catch (const std::exception& thrown) {
      ++v.failures;
      if (again) v.expect(false, std::string("the second attempt failed as well: ") + thrown.what());
    }
  }
  return v;
}

std::size_t blocks_in_use(device d) {
  d.synchronize();
  gpu::device::host().synchronize();
  return gpu::memory::statistics(d).blocks;
}

// The memory of the device fails, for every allocation of every scenario.
TEST(faults, every_allocation) {
  for (const device d : runtime_test::all_devices()) {
    gpu::failing_resource failing(d, gpu::detail::default_pool(d));
    for (const scenario& s : scenarios()) {
      SCOPED_TRACE(std::string(s.name) + " on " + d.to_string());
      const std::size_t before = blocks_in_use(d);
      int failed_runs = 0;
      for (std::uint64_t n = 1;; ++n) {
        verdict v;
        const std::uint64_t failures = failing.failures();
        {
          const gpu::scoped_memory_resource on(d, failing);
          // Twice in a row, as the library gives its caches back and tries once more.
          failing.fail_nth(n);
          v = run(s, d);
          failing.fail_nth(0);
        }
        ASSERT_EQ(v.wrong, "") << "allocation " << n;
        ASSERT_EQ(blocks_in_use(d), before) << "leaked; allocation " << n;
        if (failing.failures() == failures) break;
        ++failed_runs;
      }
      if (std::string(s.name) != "a pool of our own") {
        EXPECT_GT(failed_runs, 0) << "no allocation was seen";
      }
    }
  }
}

// Nothing is left either when an allocation fails for good.
TEST(faults, every_allocation_for_good) {
  for (const device d : runtime_test::all_devices()) {
    const gpu::device_guard on(d);
    gpu::failing_resource failing(d, gpu::detail::default_pool(d));
    array<float> x(abc);
    array<float> y(abc);
    const std::size_t before = blocks_in_use(d);
    const auto fails = [&](const auto& f) {
      for (std::uint64_t n = 1;; ++n) {
        const gpu::scoped_memory_resource scope(d, failing);
        failing.fail_nth(n, true);
        try {
          f();
          failing.fail_nth(0);
          break;
        } catch (const gpu::out_of_memory& thrown) {
          EXPECT_EQ(thrown.shortage().device, d);
        }
        EXPECT_THROW(f(), gpu::out_of_memory) << "an immediate retry fails as well";
        failing.fail_nth(0);
      }
      EXPECT_EQ(blocks_in_use(d), before);
      verdict v;
      expect_values(v, x, abc, "x");
      expect_values(v, y, abc, "y");
      EXPECT_EQ(v.wrong, "");
    };
    fails([&] { static_cast<void>(array<float>(x * 2 + y)); });
    fails([&] { static_cast<void>(gpu::sum(x).item()); });
    fails([&] { static_cast<void>(array<float>(gpu::sum(gpu::reshape(array<float>(x + y), {3, 1}), {.axis = 0}))); });
    fails([&] { static_cast<void>(array<float>(x)); });
    fails([&] { static_cast<void>(x.to(d)); });
    fails([&] { static_cast<void>(gpu::capture([](const array<float>& a) { return array<float>(a + 1) * 2; }, x)); });
  }
}

/// A child that lets call `n` fail; true if there was such a call, which is to be tried with the next one.
bool run_child(int n, const std::string& log) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("CUEMU_FAIL", ("cuda*:" + std::to_string(n)).c_str(), 1);
    setenv("CUEMU_VERBOSE", "1", 1);
    if (std::freopen(log.c_str(), "w", stderr) == nullptr) _exit(3);
    int status = 0;
    try {
      std::vector<device> devices;
      for (const device d : runtime_test::cuda_devices()) devices.push_back(d);
      for (const device d : devices) {
        if (d.index() != 0) continue;
        for (const scenario& s : scenarios()) {
          const verdict v = run(s, d);
          if (v.wrong.empty()) continue;
          std::fprintf(stderr, "scenario \"%s\": %s\n", s.name, v.wrong.c_str());
          status = 1;
        }
        const gpu::device_guard on(d);
        array<float> x(abc);
        verdict v;
        expect_values(v, array<float>(x + 1), {2, 3, 4}, "what comes after");
        if (!v.wrong.empty()) status = 1;
        x = array<float>();
        d.synchronize();
        device::host().synchronize();
        const auto blocks = gpu::memory::statistics(d).blocks;
        if (blocks != 0) {
          std::fprintf(stderr, "%llu blocks leaked\n", static_cast<unsigned long long>(blocks));
          status = 1;
        }
      }
    } catch (const std::exception& thrown) {
      // Not even a second attempt: only where the driver could not be looked for.
      std::fprintf(stderr, "outside of all scenarios: %s\n", thrown.what());
    }
    std::fflush(stderr);
    _exit(status);
  }
  int status = -1;
  waitpid(child, &status, 0);
  bool injected = false;
  std::string text;
  if (std::FILE* const file = std::fopen(log.c_str(), "r")) {
    char line[400];
    while (std::fgets(line, sizeof line, file) != nullptr) {
      injected = injected || std::string(line).find("injected error") != std::string::npos;
      text += line;
    }
    std::fclose(file);
  }
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "with call %d of the driver failing (status %d):\n%s", n, status, text.c_str());
    std::_Exit(1);
  }
  return injected;
}

// Every call of the driver fails once, by number, each in a process of its own: where an emulator can let them fail.
TEST(faults_DeathTest, every_call_of_the_driver) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        char log[] = "/tmp/gpuarray_faults_XXXXXX";
        close(mkstemp(log));
        const char* const only = std::getenv("GPUARRAY_TEST_CALL");
        // Under one of many schedules a part of the calls, another part for each.
        const char* const schedule = std::getenv("CUEMU_SCHED");
        const int step = schedule == nullptr ? 1 : 25;
        int n = only != nullptr ? std::atoi(only) : schedule != nullptr ? 1 + std::atoi(schedule) % step : 1;
        while (run_child(n, log) && only == nullptr) n += step;
        std::remove(log);
        std::fprintf(stderr, "calls up to %d\n", n);
        std::_Exit(0);
      },
      testing::ExitedWithCode(0), "calls");
}

}  // namespace
