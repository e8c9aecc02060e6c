/// @file
/// Printing against NumPy's own output (tests/fixtures/print_cases.tsv), in every memory layout.
#include "gpu/core/format.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

using gpu::array2string;
using gpu::dtype;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return parts;
}

int hexadecimal(char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; }

std::string decoded(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      result += static_cast<char>(hexadecimal(text[i + 1]) * 16 + hexadecimal(text[i + 2]));
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

gpu::print_options options_of(const std::string& text) {
  gpu::print_options options;
  if (text.empty()) return options;
  for (const std::string& item : split(text, ';')) {
    const std::string key = item.substr(0, item.find('='));
    const std::string value = decoded(item.substr(item.find('=') + 1));
    if (key == "precision") options.precision = std::stoi(value);
    if (key == "threshold") options.threshold = std::stoll(value);
    if (key == "edgeitems") options.edgeitems = std::stoll(value);
    if (key == "linewidth") options.linewidth = std::stoll(value);
    if (key == "suppress") options.suppress = value == "1";
    if (key == "nanstr") options.nanstr = value;
    if (key == "infstr") options.infstr = value;
    if (key == "sign") options.sign = value[0];
    if (key == "floatmode") options.floatmode = value;
    if (key == "separator") options.separator = value;
    if (key == "prefix") options.prefix = value;
    if (key == "suffix") options.suffix = value;
  }
  return options;
}

dtype dtype_named(const std::string& name) {
  for (int i = 0; i < static_cast<int>(dtype::other); ++i) {
    if (name == gpu::name(static_cast<dtype>(i))) return static_cast<dtype>(i);
  }
  return dtype::other;
}

template <class T>
void append_bytes(std::vector<std::byte>& bytes, T value) {
  const std::size_t size = bytes.size();
  bytes.resize(size + sizeof value);
  std::memcpy(bytes.data() + size, &value, sizeof value);
}

void append_number(std::vector<std::byte>& bytes, dtype type, std::int64_t value) {
  const auto real = static_cast<double>(value);
  const auto single = static_cast<float>(real);
  std::uint32_t bits = 0;
  std::memcpy(&bits, &single, sizeof bits);
  switch (type) {
    case dtype::bool_: append_bytes(bytes, static_cast<std::uint8_t>(value & 1)); break;
    case dtype::int8: append_bytes(bytes, static_cast<std::int8_t>(value)); break;
    case dtype::int32: append_bytes(bytes, static_cast<std::int32_t>(value)); break;
    case dtype::float32: append_bytes(bytes, single); break;
    case dtype::float64: append_bytes(bytes, real); break;
    case dtype::complex64: append_bytes(bytes, single), append_bytes(bytes, 0.0F); break;
    case dtype::complex128: append_bytes(bytes, real), append_bytes(bytes, 0.0); break;
    case dtype::bfloat16: {
      append_bytes(bytes, static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16));
      break;
    }
    case dtype::float16: {  // integers up to 2^13, rounded to 11 bits
      const std::uint32_t rounded = bits + 0xFFF + (bits >> 13 & 1);
      const std::uint32_t exponent = value == 0 ? 0 : (rounded >> 23 & 0xFF) - 112;
      append_bytes(bytes,
                   static_cast<std::uint16_t>((rounded >> 16 & 0x8000) | exponent << 10 | (rounded >> 13 & 0x3FF)));
      break;
    }
    default: append_bytes(bytes, value); break;
  }
}

struct print_case {
  std::string function;
  gpu::print_options options;
  dtype type;
  gpu::shape extents;
  std::vector<std::byte> elements;  // in C order
  std::string expected;
  std::string line;
};

print_case case_of(const std::string& line) {
  const std::vector<std::string> fields = split(line, '\t');
  print_case result{fields[0], options_of(fields[1]), dtype_named(fields[2]), {}, {}, decoded(fields[5]), line};
  if (!fields[3].empty()) {
    for (const std::string& extent : split(fields[3], ',')) result.extents.push_back(std::stoll(extent));
  }
  const std::string& source = fields[4];
  if (source.starts_with("range:")) {
    const std::vector<std::string> range = split(source, ':');
    for (std::int64_t i = 0; i < std::stoll(range[3]); ++i) {
      append_number(result.elements, result.type, std::stoll(range[1]) + i * std::stoll(range[2]));
    }
  } else {
    for (std::size_t i = 0; i < source.size(); i += 2) {
      result.elements.push_back(static_cast<std::byte>(hexadecimal(source[i]) * 16 + hexadecimal(source[i + 1])));
    }
  }
  return result;
}

std::string print(const print_case& c, const auto& array) {
  if (c.function == "array_repr") return gpu::array_repr(array, c.options);
  if (c.function == "array_str") return gpu::array_str(array, c.options);
  return array2string(array, c.options);
}

/// Copies the elements of some C-order memory that `wanted` accepts into memory with given strides.
struct laid_out {
  std::vector<std::byte> memory;
  gpu::const_strided_ref ref;
};

enum class memory_order { c, fortran, reversed, stepped };

/// The array in another layout, with `corners` only: the others are filled with bytes that would change the output.
laid_out lay_out(const print_case& c, memory_order order, bool compact) {
  const gpu::corner_ranges corners = gpu::printed_corners(c.extents, c.options);
  const gpu::shape extents = compact ? corners.extents : c.extents;
  const int rank = extents.rank();
  const auto bytes = static_cast<std::int64_t>(gpu::itemsize(c.type));
  gpu::index_vector strides(rank, 0);
  std::int64_t stride = order == memory_order::stepped ? 3 * bytes : bytes;
  for (int i = 0; i < rank; ++i) {
    const int axis = order == memory_order::fortran ? i : rank - 1 - i;
    strides[axis] = order == memory_order::reversed ? -stride : stride;
    stride *= extents[axis];
  }
  laid_out result{std::vector<std::byte>(static_cast<std::size_t>(stride) + 16, std::byte{0x7B}), {}};
  std::byte* first = result.memory.data();
  if (order == memory_order::reversed && extents.size() > 0) first += stride - bytes;
  result.ref = {first, c.type, extents, strides};
  gpu::index_vector index(rank, 0);
  const std::byte* from = c.elements.data();
  for (std::int64_t n = 0; n < c.extents.size(); ++n, from += bytes) {
    std::byte* to = first;
    bool printed = true;
    for (int axis = 0; axis < rank; ++axis) {
      const gpu::detail::printing::printed_axis& kept = corners.axes[axis];
      const std::int64_t trailing = index[axis] - (c.extents[axis] - kept.trailing);
      if (index[axis] >= kept.leading && trailing < 0) printed = false;
      to += (compact && index[axis] >= kept.leading ? kept.leading + trailing : index[axis]) * strides[axis];
    }
    if (printed) std::memcpy(to, from, static_cast<std::size_t>(bytes));
    for (int axis = rank - 1; axis >= 0 && ++index[axis] == c.extents[axis]; --axis) index[axis] = 0;
  }
  return result;
}

TEST(Format, EqualsNumPyInEveryLayout) {
  std::ifstream file("fixtures/print_cases.tsv");
  ASSERT_TRUE(file) << "run in tests/";
  int cases = 0;
  int shortened = 0;
  int failures = 0;
  for (std::string line; std::getline(file, line) && failures < 10; ++cases) {
    const print_case c = case_of(line);
    for (const memory_order order :
         {memory_order::c, memory_order::fortran, memory_order::reversed, memory_order::stepped}) {
      const laid_out whole = lay_out(c, order, false);
      const laid_out corners = lay_out(c, order, true);
      const std::string from_whole = print(c, whole.ref);
      const std::string from_corners = print(c, gpu::summarized_ref{corners.ref, c.extents});
      EXPECT_EQ(from_whole, c.expected) << c.line;
      EXPECT_EQ(from_corners, c.expected) << c.line;
      if (from_whole != c.expected || from_corners != c.expected) {
        ++failures;
        break;
      }
    }
    if (!gpu::printed_corners(c.extents, c.options).complete) ++shortened;
  }
  EXPECT_GE(cases, 1500);
  EXPECT_GE(shortened, 100);
}

template <class T>
gpu::const_strided_ref vector_ref(const std::vector<T>& values) {
  return {values.data(), gpu::dtype_of<T>, gpu::shape{values.size()}, gpu::index_vector{sizeof(T)}};
}

TEST(Format, ReadsNothingOfAnEmptyArray) {
  const gpu::const_strided_ref empty{nullptr, dtype::float32, gpu::shape{0, 5}, {20, 4}};
  EXPECT_EQ(array2string(empty), "[]");
  EXPECT_EQ(gpu::array_repr(empty), "array([], shape=(0, 5), dtype=float32)");
}

TEST(Format, RepeatsBroadcastElements) {
  const double value = 1.5;
  const gpu::const_strided_ref broadcast{&value, dtype::float64, gpu::shape{2, 3}, {0, 0}};
  EXPECT_EQ(array2string(broadcast), "[[1.5 1.5 1.5]\n [1.5 1.5 1.5]]");
  const gpu::const_strided_ref huge{&value, dtype::float64, gpu::shape{std::int64_t{1} << 40, 1 << 20}, {0, 0}};
  EXPECT_EQ(array2string(huge),
            "[[1.5 1.5 1.5 ... 1.5 1.5 1.5]\n [1.5 1.5 1.5 ... 1.5 1.5 1.5]\n [1.5 1.5 1.5 ... 1.5 1.5 1.5]\n ...\n"
            " [1.5 1.5 1.5 ... 1.5 1.5 1.5]\n [1.5 1.5 1.5 ... 1.5 1.5 1.5]\n [1.5 1.5 1.5 ... 1.5 1.5 1.5]]");
}

TEST(Format, CornersAreThoseThatNumPyKeeps) {
  const gpu::corner_ranges corners = gpu::printed_corners(gpu::shape{1000, 4, 7});
  EXPECT_FALSE(corners.complete);
  EXPECT_EQ(corners.extents, (gpu::shape{6, 4, 6}));
  EXPECT_EQ(corners.axes[0].leading, 3);
  EXPECT_EQ(corners.axes[0].trailing, 3);
  EXPECT_EQ(corners.axes[1].leading, 4);
  EXPECT_EQ(corners.axes[1].trailing, 0);
  EXPECT_TRUE(gpu::printed_corners(gpu::shape{1000}).complete);
  EXPECT_TRUE(gpu::printed_corners(gpu::shape{5}, {.threshold = 0}).complete);
  EXPECT_EQ(gpu::printed_corners(gpu::shape{5}, {.threshold = 0, .edgeitems = 1}).extents, gpu::shape{2});
}

TEST(Format, OptionsThatAreGivenChangeAndOthersStay) {
  const std::vector<double> values{1.0 / 3, 2.0 / 3};
  const gpu::print_options before = gpu::get_printoptions();
  EXPECT_EQ(before.precision, 8);
  EXPECT_EQ(before.threshold, 1000);
  EXPECT_EQ(before.floatmode, "maxprec");
  EXPECT_FALSE(before.separator.has_value());
  gpu::set_printoptions({.precision = 3});
  gpu::set_printoptions({.sign = '+'});
  EXPECT_EQ(array2string(vector_ref(values)), "[+0.333 +0.667]");
  EXPECT_EQ(array2string(vector_ref(values), {.precision = 1}), "[+0.3 +0.7]");
  EXPECT_EQ(gpu::get_printoptions().precision, 3);
  gpu::set_printoptions(before);
  EXPECT_EQ(array2string(vector_ref(values)), "[0.33333333 0.66666667]");
}

TEST(Format, BadOptionsAreErrorsAndChangeNothing) {
  const std::vector<double> values{0.5};
  EXPECT_THROW(gpu::set_printoptions({.precision = -1}), gpu::type_error);
  EXPECT_THROW(gpu::set_printoptions({.edgeitems = -1}), gpu::type_error);
  EXPECT_THROW(gpu::set_printoptions({.sign = 'x'}), gpu::type_error);
  EXPECT_THROW(gpu::set_printoptions({.precision = 2, .floatmode = "short"}), gpu::type_error);
  EXPECT_THROW(gpu::set_printoptions({.separator = ", "}), gpu::type_error);
  EXPECT_EQ(gpu::get_printoptions().precision, 8);
  EXPECT_THROW((void)array2string(vector_ref(values), {.precision = 20000, .floatmode = "fixed"}), gpu::type_error);
  EXPECT_EQ(array2string(vector_ref(values), {.precision = 2000000000}), "[0.5]");
  const std::vector<double> large{1e10};
  EXPECT_EQ(array2string(vector_ref(large), {.precision = 2147483647}), "[1.e+10]");
}

TEST(Format, OtherDtypesAndWrongCornersAreErrors) {
  const std::vector<double> values{0.5, 1, 2};
  gpu::const_strided_ref array = vector_ref(values);
  EXPECT_THROW((void)array2string(gpu::summarized_ref{array, gpu::shape{5000}}), gpu::shape_error);
  array.type = dtype::other;
  EXPECT_THROW((void)array2string(array), gpu::type_error);
  EXPECT_THROW((void)gpu::array_str(array), gpu::type_error);
  EXPECT_THROW((void)gpu::array_repr(array), gpu::type_error);
}

TEST(Format, ThreadsMayPrintWhileOptionsChange) {
  const std::vector<float> values{0.25F, 0.5F};
  std::thread setter([] {
    for (int i = 0; i < 200; ++i) gpu::set_printoptions({.nanstr = std::string(static_cast<std::size_t>(i % 50), 'x')});
  });
  for (int i = 0; i < 200; ++i) EXPECT_EQ(array2string(vector_ref(values)), "[0.25 0.5 ]");
  setter.join();
  gpu::set_printoptions({.nanstr = "nan"});
}

}  // namespace
