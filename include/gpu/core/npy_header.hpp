/// @file
/// The header of a .npy file: read with suspicion, written as numpy.save writes it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "dtype.hpp"
#include "error.hpp"
#include "python_text.hpp"
#include "shape.hpp"

namespace gpu {

/// What the header of a .npy file says of the data behind it.
struct npy_header {
  dtype type;
  bool fortran_order;  ///< The first axis is contiguous rather than the last.
  shape extents;
  std::endian byte_order;   ///< Of the file; `std::endian::native` where it does not matter.
  std::size_t data_offset;  ///< Bytes before the data.

  /// Bytes of the data; they fit an int64.
  [[nodiscard]] std::size_t data_bytes() const { return static_cast<std::size_t>(extents.size()) * itemsize(type); }
  /// Whether the bytes of each element are in the other order than this machine's.
  [[nodiscard]] bool swapped() const { return byte_order != std::endian::native; }
};

/// The longest header that is read: NumPy's limit, of which the dtypes and ranks of this library need a tenth.
inline constexpr std::size_t max_npy_header_bytes = 10000;
/// `parse_npy_header` never looks further than this into a file.
inline constexpr std::size_t max_npy_prefix_bytes = 12 + max_npy_header_bytes;

/// Reads the header of a .npy file of version 1, 2 or 3.
///
/// The types are the library's, in either byte order; "V2" is bfloat16, which is what ml_dtypes saves it as. Allocates
/// nothing that depends on what the header claims.
/// @param start The first bytes of the file: all of them, or at least `max_npy_prefix_bytes`.
/// @param file_size The size of the whole file, which must hold the data; more after it is ignored, as NumPy does.
/// @param source What error messages call the file.
/// @throws io_error that names `source` and the reason for anything that is not such a file.
[[nodiscard]] npy_header parse_npy_header(std::span<const std::byte> start, std::uint64_t file_size,
                                          std::string_view source);

/// The header that numpy.save writes for an array, byte for byte; 64-byte aligned data follows it.
/// @throws type_error for `dtype::other`.
[[nodiscard]] std::string make_npy_header(dtype type, const shape& extents, bool fortran_order = false);

namespace detail::npy {

inline constexpr std::string_view magic = "\x93NUMPY";

/// NumPy's code of a dtype without the byte order: "f4".
[[nodiscard]] constexpr const char* dtype_code(dtype type) {
  constexpr const char* codes[] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4",
                                   "u8", "f2", "V2", "f4", "f8", "c8", "c16"};
  return codes[static_cast<int>(type)];
}

/// The dictionary in a header: a strict reader of the part of Python's literals that NumPy writes, in any order and
/// spacing, and with what NumPy also accepts: either quotes and trailing commas.
class header_dictionary {
 public:
  header_dictionary(std::string_view text, std::string_view source) : text_(text), source_(source) { parse(); }

  dtype type = dtype::other;
  std::endian byte_order = std::endian::native;
  bool fortran_order = false;
  shape extents;

 private:
  void parse() {
    expect('{', "a dictionary");
    bool seen_descr = false;
    bool seen_order = false;
    bool seen_shape = false;
    while (!accept('}')) {
      const std::string_view key = quoted("a key");
      expect(':', "':'");
      bool& seen = key == "descr"           ? seen_descr
                   : key == "fortran_order" ? seen_order
                   : key == "shape"         ? seen_shape
                                            : fail("the header has the unexpected key '", printable(key), "'");
      if (seen) fail("the header has the key '", std::string(key), "' twice");
      seen = true;
      if (key == "descr") {
        read_descr();
      } else if (key == "shape") {
        read_shape();
      } else {
        read_order();
      }
      if (!accept(',')) {
        expect('}', "',' or '}'");
        break;
      }
    }
    skip_space();
    if (at_ != text_.size()) fail("the header goes on behind its dictionary: ", rest());
    if (!seen_descr || !seen_order || !seen_shape) {
      fail("the header lacks '", !seen_descr ? "descr" : !seen_order ? "fortran_order" : "shape", "'");
    }
    check_size();
  }

  void read_descr() {
    skip_space();
    if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '(')) {
      fail("structured dtypes are not supported: descr is ", rest());
    }
    const std::string_view descr = quoted("a string for descr");
    std::string_view code = descr;
    char order = '=';
    if (!code.empty() && std::string_view("<>=|").find(code[0]) != std::string_view::npos) {
      order = code[0];
      code.remove_prefix(1);
    }
    for (int i = 0; i < static_cast<int>(dtype::other); ++i) {
      if (code == dtype_code(static_cast<dtype>(i))) type = static_cast<dtype>(i);
    }
    if (type == dtype::other) {
      fail(code.starts_with('O') ? "arrays of Python objects are not supported: descr '"
                                 : "the dtype is not supported: descr '",
           printable(descr), "'");
    }
    if (itemsize(type) > 1 && (order == '<' || order == '>')) {
      byte_order = order == '<' ? std::endian::little : std::endian::big;
    }
  }

  void read_order() {
    skip_space();
    const std::string_view text = text_.substr(at_);
    fortran_order = text.starts_with("True");
    if (!fortran_order && !text.starts_with("False")) fail("fortran_order is not True or False: ", rest());
    at_ += fortran_order ? 4 : 5;
  }

  void read_shape() {
    skip_space();
    const std::size_t begin = at_;
    if (!accept('(')) fail("the shape is not a tuple: ", rest());
    bool comma = true;
    while (!accept(')')) {
      if (!comma) fail("the shape is malformed: ", snippet(begin));
      const std::int64_t extent = read_extent(begin);
      if (extents.rank() == max_rank) fail("the rank exceeds the largest rank, ", max_rank, ": shape ", snippet(begin));
      extents.push_back(extent);
      comma = accept(',');
    }
    if (extents.rank() == 1 && !comma) fail("the shape is not a tuple: ", snippet(begin));
  }

  std::int64_t read_extent(std::size_t begin) {
    skip_space();
    const std::size_t first = at_;
    std::int64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text_[at_] - '0', &value)) {
        fail("the shape is too large: ", snippet(begin));
      }
    }
    if (at_ == first) {
      const bool negative = at_ < text_.size() && text_[at_] == '-';
      fail(negative ? "the shape has a negative extent: " : "the shape is not a tuple of integers: ", snippet(begin));
    }
    if (text_[first] == '0' && at_ - first > 1) fail("the shape has an integer with leading zeros: ", snippet(begin));
    return value;
  }

  /// As NumPy, counts an extent of 0 as 1, so that strides fit as well.
  void check_size() const {
    auto bytes = static_cast<std::int64_t>(itemsize(type));
    for (const std::int64_t extent : extents) {
      if (extent != 0 && __builtin_mul_overflow(bytes, extent, &bytes)) {
        fail("the array is too big: shape ", python_tuple(extents), " of ", name(type));
      }
    }
  }

  /// A string without escapes, which no valid header needs.
  std::string_view quoted(const char* what) {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    if (quote != '\'' && quote != '"') fail("the header should have ", what, " here: ", rest());
    const std::size_t end = text_.find(quote, at_ + 1);
    const std::string_view content = text_.substr(at_ + 1, end == std::string_view::npos ? end : end - at_ - 1);
    if (end == std::string_view::npos || content.find_first_of("\\\n\r") != std::string_view::npos) {
      fail("the header has a malformed string: ", rest());
    }
    at_ = end + 1;
    return content;
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\n\r\f").find(text_[at_]) != std::string_view::npos) ++at_;
  }

  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void expect(char c, const char* what) {
    if (!accept(c)) fail("the header should have ", what, " here: ", rest());
  }

  [[nodiscard]] std::string rest() const {
    return at_ == text_.size() ? std::string("its end") : printable(text_.substr(at_));
  }
  [[nodiscard]] std::string snippet(std::size_t begin) const {
    const std::size_t end = text_.find(')', begin);
    return printable(text_.substr(begin, end == std::string_view::npos ? end : end + 1 - begin));
  }

  /// Never returns; the type lets it stand in a conditional expression.
  template <class... Parts>
  [[noreturn]] bool& fail(const Parts&... parts) const {
    raise<io_error>("cannot read ", std::string(source_), ": ", parts...);
  }

  std::string_view text_;
  std::string_view source_;
  std::size_t at_ = 0;
};

/// A little-endian integer of `count` bytes.
[[nodiscard]] inline std::size_t little_endian(std::span<const std::byte> bytes, std::size_t at, std::size_t count) {
  std::size_t value = 0;
  for (std::size_t i = count; i-- > 0;) value = value << 8 | std::to_integer<std::size_t>(bytes[at + i]);
  return value;
}

}  // namespace detail::npy

inline npy_header parse_npy_header(std::span<const std::byte> start, std::uint64_t file_size, std::string_view source) {
  const auto fail = [&](const auto&... parts) {
    detail::raise<io_error>("cannot read ", std::string(source), ": ", parts...);
  };
  constexpr std::size_t magic_bytes = detail::npy::magic.size();
  const std::string_view text(reinterpret_cast<const char*>(start.data()), start.size());
  if (!text.starts_with(detail::npy::magic)) {
    fail(text.empty() ? "the file is empty" : "not a .npy file: it does not begin with \\x93NUMPY");
  }
  if (start.size() < magic_bytes + 4) fail("the file ends within its header");
  const int major = std::to_integer<int>(start[magic_bytes]);
  const int minor = std::to_integer<int>(start[magic_bytes + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    fail("version ", major, ".", minor, " of the format is not supported; 1.0, 2.0 and 3.0 are");
  }
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t header_start = magic_bytes + 2 + length_bytes;
  if (start.size() < header_start) fail("the file ends within its header");
  const std::size_t length = detail::npy::little_endian(start, magic_bytes + 2, length_bytes);
  if (length > max_npy_header_bytes) {
    fail("the header claims ", length, " bytes; at most ", max_npy_header_bytes, " are read");
  }
  if (length > start.size() - header_start) {
    fail("the file ends within its header: the header has ", length, " bytes, the file ", file_size);
  }
  const detail::npy::header_dictionary dictionary(text.substr(header_start, length), source);
  npy_header header{dictionary.type, dictionary.fortran_order, dictionary.extents, dictionary.byte_order,
                    header_start + length};
  const std::uint64_t available = file_size < header.data_offset ? 0 : file_size - header.data_offset;
  if (header.data_bytes() > available) {
    fail("the file is truncated: shape ", detail::python_tuple(header.extents), " of ", name(header.type), " takes ",
         header.data_bytes(), " bytes, the file has ", available);
  }
  return header;
}

inline std::string make_npy_header(dtype type, const shape& extents, bool fortran_order) {
  if (type == dtype::other) detail::raise<type_error>("cannot save an array whose dtype is not one of the library's");
  constexpr char native = std::endian::native == std::endian::little ? '<' : '>';
  std::string text = "{'descr': '";
  text += itemsize(type) == 1 ? '|' : native;
  text += detail::npy::dtype_code(type);
  text += fortran_order ? "', 'fortran_order': True, 'shape': " : "', 'fortran_order': False, 'shape': ";
  text += detail::python_tuple(extents) + ", }";
  if (extents.rank() > 0) {
    // Room for the extent of the axis that appending to the file changes to become the largest possible.
    constexpr std::size_t digits = 21;
    text.append(digits - std::to_string(extents[fortran_order ? extents.rank() - 1 : 0]).size(), ' ');
  }
  constexpr std::size_t prefix_bytes = detail::npy::magic.size() + 4;
  constexpr std::size_t alignment = 64;
  text.append(alignment - (prefix_bytes + text.size() + 1) % alignment, ' ');
  text += '\n';
  std::string header(detail::npy::magic);
  header += '\1';
  header += '\0';
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

}  // namespace gpu
