/// @file
/// The cases that NumPy answered (tests/oracle): reading a fixture. The format is described in tests/oracle/fixture.py.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/core/dtype.hpp"

namespace oracle {

/// A value of an option, or a weak scalar operand.
struct value {
  enum class kind : std::uint8_t { none, boolean, integer, real, complex, text, integers };
  kind what = kind::none;
  std::int64_t integer = 0;  // a boolean too
  double real = 0;
  double imag = 0;
  std::string text;
  std::vector<std::int64_t> integers;
};

struct option {
  std::string key;
  oracle::value value;
};

/// One entry of an index expression.
struct index_entry {
  enum class kind : std::uint8_t { integer, slice, newaxis, ellipsis };
  kind what = kind::integer;
  std::int64_t integer = 0;
  bool has_start = false, has_stop = false, has_step = false;
  std::int64_t start = 0, stop = 0, step = 0;
};

/// One view operation.
struct step {
  enum class kind : std::uint8_t { reshape, transpose, index, broadcast };
  kind what = kind::reshape;
  std::vector<std::int64_t> numbers;  // extents or axes
  std::vector<index_entry> entries;
};

using recipe = std::vector<step>;

/// An array of the pool: contiguous, in C order.
struct pool_array {
  gpu::dtype type = gpu::dtype::other;
  std::vector<std::int64_t> extents;
  std::vector<std::max_align_t> storage;
  std::int64_t size = 1;

  [[nodiscard]] const void* data() const noexcept { return storage.data(); }
};

/// One layout of an operand: a recipe over an array of the pool. The label is "rank/layout".
struct variant {
  std::string label;
  std::size_t array = 0;
  std::size_t recipe = 0;
};

/// An operand in its layouts, or a weak scalar.
struct operand {
  bool weak = false;
  oracle::value scalar;
  std::size_t family = 0;
};

/// How closely a result must be met; tests/oracle/truth.py says what each class is for.
struct tolerance {
  enum class kind : std::uint8_t { exact, ulp, magnitude, bounds };
  kind what = kind::exact;
  double amount = 0;
  std::size_t bounds = 0;  // an int16 array of the pool: 2^(k/8)
};

/// An expected array and, for each variant of the case, the view of it that is expected (none: always all of it).
struct result {
  std::size_t array = 0;
  oracle::tolerance tolerance;
  std::vector<std::size_t> recipes;
};

/// One call of a function with the answer that NumPy gave.
struct test_case {
  std::string function;
  std::vector<option> options;
  std::vector<operand> operands;
  bool raises = false;
  std::string error;    // NumPy's exception class
  std::string message;  // and its text
  std::vector<result> results;

  [[nodiscard]] const value* find(const char* key) const noexcept;
  [[nodiscard]] bool flag(const char* key) const noexcept;
  [[nodiscard]] std::int64_t integer(const char* key, std::int64_t otherwise) const noexcept;
  [[nodiscard]] double real(const char* key, double otherwise) const noexcept;
};

/// A file of tests/fixtures, read once.
class fixture {
 public:
  /// `name` as in "unary_logic". @throws std::runtime_error if the file is missing or damaged.
  static const fixture& load(const std::string& name);

  std::string name;
  std::vector<pool_array> arrays;
  std::vector<recipe> recipes;
  std::vector<std::vector<variant>> families;
  std::vector<test_case> cases;

  /// The dtype of an operand; `other` for a weak scalar.
  [[nodiscard]] gpu::dtype type_of(const operand& o) const noexcept;
  /// In how many layouts a case is to be run.
  [[nodiscard]] std::size_t variants(const test_case& c) const noexcept;
  /// The layout of an operand in one of them.
  [[nodiscard]] const variant& variant_of(const operand& o, std::size_t index) const noexcept;
  /// Case number, options and operands, for a failure message.
  [[nodiscard]] std::string describe(const test_case& c, std::size_t variant_index) const;
};

}  // namespace oracle
