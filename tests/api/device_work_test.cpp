/// @file
/// What GPUs are asked to do, by the library's own counts: one kernel for an expression, nothing through the host, and
/// waits only where the documentation lists them. (The tests against NumPy check the same for each of its functions.)
#include <sstream>

#include "gpu/gpu.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;
using gpu::slice;

/// Calls `f` under forbid_sync and expects these counts of kernels, and of copies and fills by the driver. Nothing
/// may go through the host; work on the host asks nothing of a GPU.
template <class F>
void expect_work(const char* what, std::uint64_t launches, std::uint64_t copies, const F& f) {
  const bool on_host = gpu::current_device().is_host();
  const gpu::device_activity before = gpu::activity();
  {
    const gpu::forbid_sync no_waiting;
    f();
  }
  const gpu::device_activity done = gpu::activity() - before;
  EXPECT_EQ(done.launches, on_host ? 0 : launches) << what;
  EXPECT_EQ(done.copies, on_host ? 0 : copies) << what;
  EXPECT_EQ(done.uploads, 0u) << what;
  EXPECT_EQ(done.downloads, 0u) << what;
}

/// Calls `f`, which must read `downloads` times from a device.
template <class F>
void expect_reads(const char* what, std::uint64_t downloads, const F& f) {
  const gpu::device_activity before = gpu::activity();
  f();
  const gpu::device_activity done = gpu::activity() - before;
  EXPECT_EQ(done.downloads, gpu::current_device().is_host() ? 0 : downloads) << what;
  EXPECT_EQ(done.uploads, 0u) << what;
}

template <class Test>
void with_arrays(const Test& test) {
  gpu::on_every_device([&] {
    const array<float> a = gpu::reshape(gpu::arange<float>(24), {2, 3, 4});
    const array<float> b = a / 3 + 1;
    test(a, b);
  });
}

// nvcc takes its lambdas from functions that are not members, as those of tests are.
array<float> map_in_one_kernel(const array<float>& a, const array<float>& b) {
  return gpu::map(GPU_LAMBDA(float x, float y) { return x > y ? x : y + 1; }, a, b);
}

TEST(device_work, an_expression_of_any_depth_is_one_kernel) {
  with_arrays([](const array<float>& a, const array<float>& b) {
    array<float> c = gpu::zeros_like(a);
    expect_work("new", 1, 0, [&] { const array<float> d = gpu::exp(-a * b) / 2 + gpu::sqrt(gpu::abs(a)) * b; });
    expect_work("reused", 1, 0, [&] { c = a * b + c * 2; });
    expect_work("in place", 1, 0, [&] { c += a * b; });
    expect_work("broadcast", 1, 0, [&] { c = a + b(0, 0); });
    expect_work("transposed", 1, 0, [&] { const array<float> d = gpu::transpose(a) * gpu::transpose(b) - 1; });
    expect_work("where", 1, 0, [&] { c = gpu::where(a > b, a, b * 2); });
    expect_work("part", 1, 0, [&] { c(gpu::ellipsis, slice(0, 4, 2)) = a(gpu::ellipsis, slice(1, 4, 2)) * 2; });
    expect_work("scalar", 1, 0, [&] { c(0) = 7; });
    const array<bool> mask = a > 3;
    expect_work("mask and number", 1, 0, [&] { c(mask) *= 0.5f; });
    expect_work("map", 1, 0, [&] { const auto d = map_in_one_kernel(a, b); });
    expect_work("other type", 1, 0, [&] { const auto d = gpu::astype<gpu::int16>(a).eval(); });
    expect_work("overlap, through a temporary", 1, 1, [&] { c(0, 0, slice(1, 4)) = c(0, 0, slice(0, 3)) + 1; });
    expect_work("unused", 0, 0, [&] { [[maybe_unused]] const auto pending = gpu::exp(a * b) + 1; });
  });
}

TEST(device_work, views_cost_nothing) {
  with_arrays([](const array<float>& a, const array<float>&) {
    expect_work("views", 0, 0, [&] {
      static_cast<void>(gpu::reshape(a, {6, 4})(slice(0, 6, 2), 1));
      static_cast<void>(gpu::broadcast_to(a, {5, 2, 3, 4}));
      static_cast<void>(gpu::moveaxis(gpu::expand_dims(a, 0), 0, -1));
    });
  });
}

TEST(device_work, reductions_read_expressions) {
  with_arrays([](const array<float>& a, const array<float>& b) {
    expect_work("sum of an expression", 1, 0, [&] { const auto s = gpu::sum(a * b, {.axis = 2}); });
    expect_work("row maximum", 1, 0, [&] { const auto s = gpu::max(a * b, {.axis = {0, 1}}); });
    expect_work("no wait between", 2, 0,
                [&] { const array<float> n = a / gpu::sum(a, {.axis = 2, .keepdims = true}); });
  });
}

TEST(device_work, products_copy_no_transposes) {
  gpu::on_every_device([&] {
    const auto m = gpu::reshape(gpu::arange<float>(200), {10, 20});
    static_cast<void>(gpu::matmul(m, gpu::transpose(m)));  // cuBLAS makes its handle
    expect_work("matmul", 1, 0, [&] { const auto p = gpu::matmul(m, gpu::transpose(m)); });
    expect_work("parts", 1, 0,
                [&] { const auto p = gpu::matmul(m(slice(0, 4), slice(2, 12)), m(slice(), slice(3, 9))); });
    const auto n = gpu::ones<std::int32_t>({3, 3});
    expect_work("whole numbers", 1, 0, [&] { const auto p = gpu::matmul(n, n); });
  });
}

TEST(device_work, arrays_are_made_on_their_device) {
  gpu::on_every_device([&] {
    expect_work("empty", 0, 0, [] { static_cast<void>(gpu::empty<float>({8})); });
    expect_work("zeros", 0, 1, [] { static_cast<void>(gpu::zeros<float>({8})); });
    expect_work("full", 1, 0, [] { static_cast<void>(gpu::full<float>({8}, 2)); });
    expect_work("arange", 1, 0, [] { static_cast<void>(gpu::arange<float>(8)); });
    expect_work("linspace", 1, 0, [] { static_cast<void>(gpu::linspace<float>(0, 1)); });
    expect_work("uniform", 1, 0, [] { static_cast<void>(gpu::random::uniform<float>({8})); });
    expect_work("normal", 1, 0, [] { static_cast<void>(gpu::random::normal<float>({8})); });
    const auto a = gpu::arange<float>(8);
    expect_work("copy", 0, 1, [&] { const array<float> copied = a; });
    expect_work("strided copy", 1, 0, [&] { const array<float> copied(a(slice(0, 8, 2))); });
  });
}

TEST(device_work, what_reads_the_device_is_listed) {
  with_arrays([](const array<float>& a, const array<float>&) {
    expect_reads("item", 1, [&] { static_cast<void>(gpu::sum(a).item()); });
    expect_reads("to_host", 1, [&] { static_cast<void>(gpu::to_host(a)); });
    expect_reads("truth", 1, [&] { static_cast<void>(static_cast<bool>(gpu::all(a > -1))); });
    expect_reads("to the host", 1, [&] { static_cast<void>(a.to(gpu::device::host())); });
    expect_reads("a selection's size", 1, [&] { const array<float> chosen = a(a > 3); });
    expect_reads("printing", 1, [&] {
      std::ostringstream out;
      out << a;
    });
  });
}

}  // namespace
