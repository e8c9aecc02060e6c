// Allocations written to a file, and played again.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "gpu/runtime/failing_resource.hpp"
#include "gpu/runtime/logging_resource.hpp"
#include "gpu/runtime/statistics_resource.hpp"
#include "runtime_support.hpp"

namespace {

using gpu::device;
using gpu::out_of_memory;
using gpu::stream;
using runtime_test::expect_error;

const device host = device::host();
constexpr std::size_t kib = 1024;

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

}  // namespace
