/// @file
/// What tests of the API share: a loop over devices, and comparisons of arrays and of error messages with what they
/// should be.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "gpu/array.hpp"
#include "gpu/creation.hpp"
#include "support/devices.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// Calls `test` with every device as the current one.
template <class Test>
void on_every_device(const Test& test) {
  for (const device d : testing_devices()) {
    SCOPED_TRACE(d.to_string());
    const device_guard on(d);
    test();
  }
}

/// While it lives, arrays on the host get their memory from the system and give it back at once: a sanitizer sees every
/// use after the end, which the pool would hide.
class without_pool {
 public:
  without_pool() : previous_(set_memory_resource(device::host(), &system())) {}
  without_pool(const without_pool&) = delete;
  without_pool& operator=(const without_pool&) = delete;
  ~without_pool() { set_memory_resource(device::host(), previous_); }

 private:
  static memory_resource& system() {
    static auto* const resource = new device_memory_resource(device::host());
    return *resource;
  }

  memory_resource* previous_;
};

/// Expects an array, view or expression to have this shape and, in C order, these elements.
template <class A>
void expect_values(const A& actual, const shape& extents, const std::vector<value_t<A>>& values) {
  EXPECT_EQ(actual.shape(), extents);
  EXPECT_EQ(to_host(actual), values);
}
/// The same for one dimension.
template <class A>
void expect_values(const A& actual, const std::vector<value_t<A>>& values) {
  expect_values(actual, shape{values.size()}, values);
}

/// Expects `f()` to throw exactly an `Error` whose message contains `text`.
template <class Error, class F>
void expect_error(const F& f, const std::string& text) {
  try {
    f();
    ADD_FAILURE() << "nothing was thrown; expected: " << text;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what() << "\nexpected: " << text;
  }
}

inline void PrintTo(const shape& s, std::ostream* out) { *out << s.to_string(); }

}  // namespace GPUARRAY_ABI
}  // namespace gpu
