// Faults in the use of memory, found and named.
#include <cerrno>
#include <string>
#include <vector>

#include "gpu/runtime/debug_resource.hpp"
#include "runtime_support.hpp"

namespace {

using gpu::device;
using gpu::memory_fault;
using gpu::out_of_memory;
using gpu::stream;

const device host = device::host();

struct fault_list {
  std::vector<std::pair<memory_fault, std::string>> faults;
  static void add(memory_fault fault, const char* text, void* self) {
    static_cast<fault_list*>(self)->faults.emplace_back(fault, text);
  }
};

TEST(debug_resource, finds_what_is_wrong_with_a_free) {
  for (const device d : runtime_test::all_devices()) {
    gpu::device_memory_resource memory(d);
    fault_list seen;
    gpu::debug_resource debug(d, memory, {.report = &fault_list::add, .context = &seen});
    const stream s = stream::default_stream(d);
    void* a = nullptr;
    {
      const gpu::allocation_label label("the first block");
      a = debug.allocate(100, s);
    }
    void* const b = debug.allocate(200, s);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b) % (d.is_host() ? 64 : 256), 0U);
    debug.deallocate(a, 100, s);
    EXPECT_TRUE(seen.faults.empty());
    debug.deallocate(a, 100, s);
    ASSERT_EQ(seen.faults.size(), 1U);
    EXPECT_EQ(seen.faults[0].first, memory_fault::double_free);
    EXPECT_NE(seen.faults[0].second.find("100 bytes, made in \"the first block\""), std::string::npos)
        << seen.faults[0].second;
    debug.deallocate(b, 201, s);
    ASSERT_EQ(seen.faults.size(), 2U);
    EXPECT_EQ(seen.faults[1].first, memory_fault::wrong_size);
    EXPECT_NE(seen.faults[1].second.find("freed as 201 bytes"), std::string::npos);
    int unknown = 0;
    debug.deallocate(&unknown, 4, s);
    ASSERT_EQ(seen.faults.size(), 3U);
    EXPECT_EQ(seen.faults[2].first, memory_fault::unknown_free);
    EXPECT_THROW(static_cast<void>(debug.allocate(SIZE_MAX - 100, s)), out_of_memory);
  }
}

TEST(debug_resource, finds_writes_out_of_bounds_and_fills) {
  for (const device d : runtime_test::all_devices()) {
    gpu::device_memory_resource memory(d);
    fault_list seen;
    gpu::debug_resource debug(d, memory, {.report = &fault_list::add, .context = &seen});
    for (const stream& s : {stream::default_stream(d), stream(d)}) {
      seen.faults.clear();
      const auto write = [&](void* at, std::size_t bytes) {
        const gpu::buffer_ptr b = gpu::adopt_buffer(at, bytes, d, [](void*) {});
        gpu::fill_bytes(*b, 0, 1, bytes, s);
      };
      auto* const a = static_cast<char*>(debug.allocate(100, s));
      unsigned char first = 0;
      const gpu::buffer_ptr whole = gpu::adopt_buffer(a, 100, d, [](void*) {});
      s.synchronize();
      gpu::copy_to_host(&first, *whole, 99, 1, s, nullptr);
      EXPECT_EQ(first, 0xcd);
      write(a, 100);
      debug.deallocate(a, 100, s);
      EXPECT_TRUE(seen.faults.empty());
      auto* const b = static_cast<char*>(debug.allocate(100, s));
      write(b, 101);
      s.synchronize();
      EXPECT_EQ(debug.check_blocks(), 1U);
      debug.deallocate(b, 100, s);
      auto* const c = static_cast<char*>(debug.allocate(100, s));
      write(c - 1, 2);
      debug.deallocate(c, 100, s);  // waits for the write
      s.synchronize();
      ASSERT_EQ(seen.faults.size(), 3U);
      EXPECT_EQ(seen.faults[0].first, memory_fault::write_after);
      EXPECT_EQ(seen.faults[1].first, memory_fault::write_after);
      EXPECT_EQ(seen.faults[2].first, memory_fault::write_before);
    }
  }
}

TEST(debug_resource, leaks_name_their_site) {
  gpu::device_memory_resource memory(host);
  fault_list seen;
  void* leaked = nullptr;
  {
    gpu::debug_resource debug(host, memory, {.report = &fault_list::add, .context = &seen});
    const stream s = stream::default_stream(host);
    const gpu::allocation_label outer("loading");
    {
      const gpu::allocation_label inner("loading images");
      leaked = debug.allocate(400, s);
    }
    debug.deallocate(debug.allocate(10, s), 10, s);
    EXPECT_EQ(debug.report_leaks(), 1U);
  }
  ASSERT_EQ(seen.faults.size(), 2U);
  for (const auto& [fault, text] : seen.faults) {
    EXPECT_EQ(fault, memory_fault::leak);
    EXPECT_NE(text.find("400 bytes"), std::string::npos) << text;
    EXPECT_NE(text.find("\"loading images\""), std::string::npos) << text;
    EXPECT_NE(text.find(program_invocation_short_name), std::string::npos) << "frames name this program: " << text;
  }
  memory.deallocate(static_cast<char*>(leaked) - 256, 400 + 512, stream::default_stream(host));
}

}  // namespace
