/// @file
/// What the tests against NumPy share, compiled once.
#include "oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <memory>
#include <tuple>

#include "gpu/core/layout.hpp"
#include "oracle_compare.hpp"

namespace oracle {
namespace {

gpu::detail::index_item item_of(const index_entry& e) {
  const auto bound = [](bool given, std::int64_t value) {
    return given ? gpu::detail::slice_bound(value) : gpu::detail::slice_bound(gpu::none);
  };
  switch (e.what) {
    case index_entry::kind::integer: return e.integer;
    case index_entry::kind::newaxis: return gpu::newaxis;
    case index_entry::kind::ellipsis: return gpu::ellipsis;
    default: return gpu::slice(bound(e.has_start, e.start), bound(e.has_stop, e.stop), bound(e.has_step, e.step));
  }
}

/// Uploads are kept for the life of the program: every function reads the same few arrays.
const gpu::detail::storage& uploaded(const fixture& f, std::size_t array, const gpu::device& d) {
  static auto& cache = *new std::map<std::tuple<const fixture*, std::size_t, int>, gpu::detail::storage>;
  const auto key = std::tuple(&f, array, d.slot());
  const auto found = cache.find(key);
  if (found != cache.end()) return found->second;
  const pool_array& a = f.arrays[array];
  return cache
      .emplace(key, gpu::detail::upload(a.data(), gpu::shape(a.extents),
                                        static_cast<std::int64_t>(gpu::itemsize(a.type)), d))
      .first->second;
}

/// The library's name for what NumPy raises.
bool is_counterpart(const gpu::error& e, const std::string& numpy) {
  if (numpy == "AxisError") return dynamic_cast<const gpu::axis_error*>(&e) != nullptr;
  if (numpy == "IndexError") return dynamic_cast<const gpu::index_error*>(&e) != nullptr;
  if (numpy == "OverflowError") return dynamic_cast<const gpu::type_error*>(&e) != nullptr;
  return dynamic_cast<const gpu::shape_error*>(&e) != nullptr || dynamic_cast<const gpu::type_error*>(&e) != nullptr ||
         dynamic_cast<const gpu::index_error*>(&e) != nullptr;
}

/// A message as it is compared: no "Python", no blanks.
std::string essence(std::string text) {
  if (text.rfind("Python ", 0) == 0) text.erase(0, 7);
  text.erase(std::remove_if(text.begin(), text.end(), [](unsigned char ch) { return std::isspace(ch) != 0; }),
             text.end());
  return text;
}

/// GPUARRAY_ORACLE_EVERY=n: of the layouts of a case, CUDA devices run every n-th; for emulators, which are slow.
std::size_t sampling() {
  const char* given = std::getenv("GPUARRAY_ORACLE_EVERY");
  return given != nullptr ? static_cast<std::size_t>(std::max(1, std::atoi(given))) : 1;
}

std::string context(const call& c) {
  return "on " + c.device.to_string() + ": " + c.fixture.describe(c.numbers, c.variant);
}

class function_test : public ::testing::Test {
 public:
  function_test(const char* topic, const entry& e) : topic_(topic), entry_(e) {}
  void TestBody() override { entry_.run(fixture::load(topic_), entry_.function); }

 private:
  const char* topic_;
  entry entry_;
};

class coverage_test : public ::testing::Test {
 public:
  coverage_test(const char* topic, std::vector<std::string> functions)
      : topic_(topic), functions_(std::move(functions)) {}
  void TestBody() override {
    for (const test_case& c : fixture::load(topic_).cases) {
      ASSERT_NE(std::find(functions_.begin(), functions_.end(), c.function), functions_.end())
          << "oracle_" << topic_ << ".bin has cases of " << c.function << ", which no test runs";
    }
  }

 private:
  const char* topic_;
  std::vector<std::string> functions_;
};

}  // namespace

gpu::detail::storage call::storage_of(std::size_t index) const {
  const gpu::device_activity before = gpu::activity();
  const operand& o = numbers.operands.at(index);
  const oracle::variant& v = fixture.variant_of(o, variant);
  const auto itemsize = static_cast<std::int64_t>(gpu::itemsize(fixture.arrays[v.array].type));
  gpu::detail::storage made = apply_recipe(fixture.recipes[v.recipe], uploaded(fixture, v.array, device), itemsize);
  preparation = preparation + (gpu::activity() - before);
  return made;
}

device_work::device_work(const call& c) : call_(c), before_(gpu::activity()) { c.preparation = {}; }

bool device_work::check(int kernels, std::int64_t elements) const {
  const gpu::device_activity done = gpu::activity() - before_ - call_.preparation;
  gpu::device_activity expected = done;
  expected.uploads = 0;
  expected.downloads = 0;
  // "All-NaN slice encountered" and how much is trimmed depend on the values: a documented wait for one small array.
  const std::string& function = call_.numbers.function;
  if (function == "nanargmin" || function == "nanargmax" || function == "trim_zeros")
    expected.downloads = std::min<std::uint64_t>(1, done.downloads);
  if (call_.device.is_host()) {
    expected = {};
  } else if (kernels > 0) {
    expected.launches = elements > 0 ? static_cast<std::uint64_t>(kernels) : 0;
    expected.copies = 0;
  }
  if (done == expected) return true;
  fail(call_, "launches, uploads, downloads, copies: " + std::to_string(done.launches) + ", " +
                  std::to_string(done.uploads) + ", " + std::to_string(done.downloads) + ", " +
                  std::to_string(done.copies) + "; expected " + std::to_string(expected.launches) + ", " +
                  std::to_string(expected.uploads) + ", " + std::to_string(expected.downloads) + ", " +
                  std::to_string(expected.copies));
  return false;
}

gpu::detail::storage apply_recipe(const recipe& steps, gpu::detail::storage s, std::int64_t itemsize) {
  for (const step& one : steps) {
    switch (one.what) {
      case step::kind::reshape: {
        const gpu::shape extents = gpu::resolve_reshape(s.where.extents.size(), gpu::index_vector(one.numbers));
        gpu::index_vector strides;
        if (!gpu::reshape_strides(s.where, extents, gpu::order::C, strides)) {
          s = gpu::detail::clone_in_c_order(s, itemsize);
          strides = gpu::contiguous_layout(extents).strides;
        }
        s.where = {extents, strides};
        break;
      }
      case step::kind::transpose: s = gpu::detail::transpose_elements(s, gpu::index_vector(one.numbers)); break;
      case step::kind::broadcast: s.where = gpu::broadcast_layout(s.where, gpu::shape(one.numbers)); break;
      case step::kind::index: {
        std::vector<gpu::detail::index_item> items;
        for (const index_entry& e : one.entries) items.push_back(item_of(e));
        const gpu::detail::selection chosen =
            gpu::detail::select(s.where, items.data(), static_cast<int>(items.size()));
        s.first += chosen.offset * itemsize;
        s.where = chosen.result;
        break;
      }
    }
  }
  return s;
}

bool expect_matches(const gpu::detail::storage& actual, gpu::dtype type, const call& c, std::size_t index) {
  if (index >= c.numbers.results.size()) {
    fail(c, "NumPy has no such result");
    return false;
  }
  if (actual.device() != c.device) {
    fail(c, "the result is on " + actual.device().to_string());
    return false;
  }
  const auto itemsize = static_cast<std::int64_t>(gpu::itemsize(type));
  const gpu::shape& extents = actual.where.extents;
  std::vector<std::max_align_t> host(static_cast<std::size_t>(extents.size() * itemsize) / sizeof(std::max_align_t) +
                                     1);
  gpu::detail::read_elements(actual, itemsize, host.data(), "expect_matches");
  gpu::const_strided_ref got{host.data(), type, extents, gpu::contiguous_layout(extents).strides};
  for (int i = 0; i < extents.rank(); ++i) got.strides[i] *= itemsize;
  const std::string difference = compare(got, c.fixture, c.numbers, index, c.variant);
  if (difference.empty()) return true;
  fail(c, (index > 0 ? "result " + std::to_string(index) + ": " : "") + difference);
  return false;
}

void expect_error(const call& c, const std::function<void()>& run) {
  try {
    run();
  } catch (const gpu::error& e) {
    if (!is_counterpart(e, c.numbers.error))
      fail(c, std::string("another kind of error than ") + c.numbers.error + ": " + e.what());
    if (essence(e.what()).find(essence(c.numbers.message)) == std::string::npos) {
      fail(c, std::string("the message is \"") + e.what() + "\", NumPy's is \"" + c.numbers.message + "\"");
    }
    return;
  }
  fail(c, "nothing is thrown; NumPy raises " + c.numbers.error + ": " + c.numbers.message);
}

void fail(const call& c, const std::string& why) { ADD_FAILURE() << context(c) << "\n  " << why; }

void for_each_case_on(const std::vector<gpu::device>& devices, const fixture& f, const std::string& function,
                      const std::function<void(call&)>& run) {
  constexpr int most_failures = 20;
  int found = 0;
  for (const gpu::device& d : devices) {
    const gpu::device_guard on(d);
    for (const test_case& one : f.cases) {
      if (one.function != function) continue;
      ++found;
      call c{f, one, 0, d, {}};
      try {
        run(c);
      } catch (const std::exception& e) {
        fail(c, std::string("throws: ") + e.what());
      }
      const auto* result = ::testing::UnitTest::GetInstance()->current_test_info()->result();
      if (result->total_part_count() >= most_failures) return;
    }
  }
  EXPECT_GT(found, 0) << "oracle_" << f.name << ".bin has no case of " << function;
}

void for_each_variant(call& c, const std::function<bool()>& run) {
  const std::size_t count = c.fixture.variants(c.numbers);
  const std::size_t step = c.device.is_cuda() ? sampling() : 1;
  // Different cases begin at different layouts, so that together they still meet all.
  const auto number = static_cast<std::size_t>(&c.numbers - c.fixture.cases.data());
  for (c.variant = number % std::min(step, count); c.variant < count; c.variant += step) {
    if (!run()) return;
  }
}

suite::suite(const char* topic, std::vector<entry> entries) {
  std::string name = std::string("oracle_") + topic;
  std::vector<std::string> functions;
  for (const entry& e : entries) {
    functions.push_back(e.function);
    ::testing::RegisterTest(name.c_str(), e.name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [topic, e]() -> ::testing::Test* { return new function_test(topic, e); });
  }
  ::testing::RegisterTest(name.c_str(), "covers_the_fixture", nullptr, nullptr, __FILE__, __LINE__,
                          [topic, functions]() -> ::testing::Test* { return new coverage_test(topic, functions); });
}

}  // namespace oracle
