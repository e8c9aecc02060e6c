/// @file
/// Gates that force an order of events, and the devices to test.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#if defined(__CUDACC__)
#include "gpu/backend/cuda/runtime.hpp"
#endif
#include "gpu/runtime/event.hpp"
#include "gpu/runtime/transfer.hpp"

namespace runtime_test {

/// Closed until somebody opens it. Opening tells those who wait what came before, and nothing the other way.
class gate {
 public:
  void open() {
    open_.store(true, std::memory_order_release);
    open_.notify_all();
  }
  void wait() const { open_.wait(false, std::memory_order_acquire); }
  [[nodiscard]] bool is_open() const { return open_.load(std::memory_order_acquire); }

 private:
  std::atomic<bool> open_{false};
};

/// Opens a gate at the latest when a test ends, and waits until nobody looks at it any more.
class opens_at_end {
 public:
  explicit opens_at_end(gate& g) : gate_(g) {}
  opens_at_end(const opens_at_end&) = delete;
  opens_at_end& operator=(const opens_at_end&) = delete;
  ~opens_at_end() {
    gate_.open();
    try {
      gpu::device::host().synchronize();
    } catch (...) {  // what a test did not ask for
    }
  }

 private:
  gate& gate_;
};

inline std::vector<gpu::device> cuda_devices() {
  std::vector<gpu::device> devices;
  for (int i = 0; i < gpu::device::count(gpu::device_kind::cuda); ++i) devices.push_back(gpu::device::cuda(i));
  return devices;
}

inline std::vector<gpu::device> all_devices() {
  std::vector<gpu::device> devices = cuda_devices();
  devices.insert(devices.begin(), gpu::device::host());
  return devices;
}

inline gpu::buffer_ptr make_ints(const std::vector<int>& values, gpu::device d, const gpu::stream& s) {
  auto b = gpu::allocate_buffer(values.size() * sizeof(int), d, s);
  gpu::copy_from_host(*b, 0, values.data(), b->size(), s);
  return b;
}

inline std::vector<int> read_ints(const gpu::buffer_ptr& b, const gpu::stream& s) {
  std::vector<int> values(b->size() / sizeof(int));
  gpu::copy_to_host(values.data(), *b, 0, b->size(), s, nullptr);
  return values;
}

/// Expects `f()` to throw an `Error` whose message contains `text`.
template <class Error, class F>
void expect_error(const F& f, const std::string& text) {
  try {
    f();
    ADD_FAILURE() << "nothing was thrown; expected: " << text;
  } catch (const Error& thrown) {
    EXPECT_NE(std::string(thrown.what()).find(text), std::string::npos) << thrown.what() << "\nexpected: " << text;
  }
}

inline int* ints(const gpu::buffer_ptr& b) { return static_cast<int*>(b->data()); }

}  // namespace runtime_test
