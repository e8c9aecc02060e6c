/// @file
/// Memory that one shared object frees is what the other gets next, because there is one pool.
#include <cstdio>
#include <utility>

#include "members.hpp"

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (!holds) {
    std::printf("not so: %s\n", what);
    ++failures;
  }
}

}  // namespace

int main() {
  const member a = first();
  const member b = second();
  const gpu::device device = gpu::current_device();
  std::printf("on %s\n", device.to_string().c_str());
  expect(a.resource() == b.resource() && a.resource() == &gpu::get_memory_resource(device), "all see one resource");

  constexpr int size = 100003;
  gpu::array<float> made = a.make(size);
  expect(b.sum(made) == 2.0 * size, "the second object computes on an array of the first");
  const float* const memory = made.data();
  const auto blocks = a.statistics().blocks;
  b.drop(std::move(made));
  expect(a.statistics().blocks == blocks - 1, "the first object sees what the second freed");
  const auto upstream = a.statistics().upstream_allocations;
  gpu::array<float> again = a.make(size);
  expect(again.data() == memory, "memory that the second object freed is reused by the first");
  expect(b.statistics().upstream_allocations == upstream, "without asking the device for more");

  // What is per thread is shared as well.
  {
    const gpu::device_guard on{gpu::device::host()};
    expect(a.resource() == &gpu::get_memory_resource(gpu::device::host()),
           "a guard of the program holds in the objects");
  }
  return failures == 0 ? 0 : 1;
}
