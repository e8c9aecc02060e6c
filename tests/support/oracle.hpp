/// @file
/// Tests against NumPy's answers: operands in every layout, expectations, and suites with one test a function.
///
/// A test file is a table: `const oracle::suite tests{"unary_logic", {oracle::unary<gpu::ops::isnan>("isnan", [](const
/// auto& x, const auto&) { return gpu::isnan(x); }), ...}};` registers a test for every entry, and one that fails if
/// the fixture has a function that the table lacks (oracle_elementwise.hpp and oracle_reduction.hpp have the kinds of
/// entries).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "devices.hpp"
#include "gpu/array.hpp"
#include "gpu/runtime/activity.hpp"
#include "oracle_fixture.hpp"

namespace oracle {

/// One call being tested: a case in one of its layouts, on the current device.
struct call {
  const oracle::fixture& fixture;
  const test_case& numbers;
  std::size_t variant = 0;
  gpu::device device;
  mutable gpu::device_activity preparation;  ///< what making operands has cost, which is not the function's doing

  /// The views of the operand's array that the layout asks for, made by the library. The memory is uploaded once.
  [[nodiscard]] gpu::detail::storage storage_of(std::size_t index) const;
};

/// The view of `s` that a recipe leads to, by the library's own rules. @throws gpu::error as they do.
[[nodiscard]] gpu::detail::storage apply_recipe(const recipe& steps, gpu::detail::storage s, std::int64_t itemsize);

/// Adds a failure unless the elements match result `index` of the case; says which case, device and layout it is.
/// @returns whether they matched.
bool expect_matches(const gpu::detail::storage& actual, gpu::dtype type, const call& c, std::size_t index);

/// What GPUs are asked to do while a function is called: copying to the host and computing there would give the right
/// values, too.
class device_work {
 public:
  explicit device_work(const call& c);

  /// Adds a failure if data went through the host or, for a function of `kernels` > 0 results that are expressions, if
  /// there was not one launch for each. @returns whether all was well.
  bool check(int kernels, std::int64_t elements) const;

 private:
  const call& call_;
  gpu::device_activity before_;
};

/// Adds a failure unless `run` throws the library's counterpart of the exception that NumPy raised, with its text.
void expect_error(const call& c, const std::function<void()>& run);

/// Adds a failure for a case that could not be run.
void fail(const call& c, const std::string& why);

/// Calls `run` for every case of `function` on each of the devices; stops a function that keeps failing.
void for_each_case_on(const std::vector<gpu::device>& devices, const fixture& f, const std::string& function,
                      const std::function<void(call&)>& run);

inline namespace GPUARRAY_ABI {
/// The same on every device of the unit that calls it: this library is compiled by the C++ compiler, which knows the
/// host alone.
inline void for_each_case(const fixture& f, const std::string& function, const std::function<void(call&)>& run) {
  for_each_case_on(gpu::testing_devices(), f, function, run);
}
}  // namespace GPUARRAY_ABI

/// Calls `run` for every layout of the case until one does not match.
void for_each_variant(call& c, const std::function<bool()>& run);

/// A test: the name of the function in the fixture, a name for the test, and what runs it.
struct entry {
  std::string function;
  std::string name;
  void (*run)(const fixture& f, const std::string& function);
};

/// Registers a test for every entry, and one that the fixture has no other function.
struct suite {
  suite(const char* topic, std::vector<entry> entries);
};

/// Calls `f` with the weak scalar as the C++ type that stands for Python's: bool, std::int64_t, double or
/// gpu::complex<double>.
template <class F>
decltype(auto) visit_scalar(const value& v, F&& f) {
  switch (v.what) {
    case value::kind::boolean: return f(v.integer != 0);
    case value::kind::integer: return f(v.integer);
    case value::kind::real: return f(v.real);
    default: return f(gpu::complex<double>(v.real, v.imag));
  }
}

/// An operand as a read-only view of its type.
template <class T>
[[nodiscard]] gpu::view<const T> view_of(const call& c, std::size_t index) {
  return gpu::view<const T>(c.storage_of(index));
}

/// Evaluates what a function returned, an expression or an array, and compares.
template <class A>
bool expect_result(const call& c, const device_work& work, const A& actual) {
  using T = gpu::value_t<A>;
  if constexpr (gpu::engine::is_expression<A>) {
    const gpu::detail::storage values = gpu::engine::evaluate<T>(actual);
    const bool cheap = work.check(1, values.where.extents.size());
    return expect_matches(values, gpu::dtype_of<T>, c, 0) && cheap;
  } else {
    const bool cheap = work.check(0, actual.size());
    return expect_matches(actual.storage(), gpu::dtype_of<T>, c, 0) && cheap;
  }
}
/// Both results of a function that has two.
template <class First, class Second>
bool expect_result(const call& c, const device_work& work, const std::pair<First, Second>& actual) {
  using T = gpu::value_t<First>;
  using U = gpu::value_t<Second>;
  const gpu::detail::storage first = gpu::engine::evaluate<T>(actual.first);
  const gpu::detail::storage second = gpu::engine::evaluate<U>(actual.second);
  const bool cheap = work.check(2, first.where.extents.size());
  const bool same = expect_matches(first, gpu::dtype_of<T>, c, 0);
  return expect_matches(second, gpu::dtype_of<U>, c, 1) && same && cheap;
}

}  // namespace oracle
