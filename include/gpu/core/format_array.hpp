/// @file
/// The elements of an array as text, and the brackets, line breaks and "..." around them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format_float.hpp"
#include "shape.hpp"
#include "strided.hpp"
#include "types.hpp"

namespace gpu::detail::printing {

/// The first and the last elements of an axis that are printed; all are `leading` where the axis is not shortened.
struct printed_axis {
  std::int64_t leading = 0;
  std::int64_t trailing = 0;
};

/// An array to print: where the printed elements of each axis are, and what the whole array's shape is.
struct printed_array {
  const std::byte* data;
  dtype type;
  shape extents;
  bool summarized;
  index_vector strides;
  printed_axis axes[max_rank];  // NOLINT(modernize-avoid-c-arrays)
  index_vector gaps;            ///< Bytes in memory between the leading and the trailing elements.

  [[nodiscard]] const std::byte* element(const std::byte* from, int axis, std::int64_t i) const {
    return from + i * strides[axis] + (i < axes[axis].leading ? 0 : gaps[axis]);
  }

  /// Calls `visit` with each printed element, in C order.
  template <class Visit>
  void for_each(const Visit& visit, int axis = 0) const {
    for_each(visit, data, axis);
  }
  template <class Visit>
  void for_each(const Visit& visit, const std::byte* from, int axis) const {
    if (axis == extents.rank()) {
      visit(from);
      return;
    }
    const std::int64_t count = axes[axis].leading + axes[axis].trailing;
    for (std::int64_t i = 0; i < count; ++i) for_each(visit, element(from, axis, i), axis + 1);
  }
};

template <class T>
[[nodiscard]] T load_element(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// The bits of a float of `bytes` bytes.
[[nodiscard]] inline std::uint64_t load_bits(const std::byte* from, std::size_t bytes) {
  if (bytes == 2) return load_element<std::uint16_t>(from);
  return bytes == 4 ? load_element<std::uint32_t>(from) : load_element<std::uint64_t>(from);
}

/// The format of a floating dtype or of the parts of a complex one.
[[nodiscard]] inline const float_format& format_of(dtype type) {
  if (type == dtype::float16) return half_format;
  if (type == dtype::bfloat16) return bfloat16_format;
  return type == dtype::float32 || type == dtype::complex64 ? single_format : double_format;
}

[[nodiscard]] inline bool is_complex(dtype type) { return isdtype(type, kind::complex_floating); }
[[nodiscard]] inline bool is_float(dtype type) { return isdtype(type, kind::real_floating); }

[[nodiscard]] inline std::string integer_text(const std::byte* from, dtype type) {
  switch (type) {
    case dtype::int8: return std::to_string(load_element<std::int8_t>(from));
    case dtype::int16: return std::to_string(load_element<std::int16_t>(from));
    case dtype::int32: return std::to_string(load_element<std::int32_t>(from));
    case dtype::int64: return std::to_string(load_element<std::int64_t>(from));
    case dtype::uint8: return std::to_string(load_element<std::uint8_t>(from));
    case dtype::uint16: return std::to_string(load_element<std::uint16_t>(from));
    case dtype::uint32: return std::to_string(load_element<std::uint32_t>(from));
    default: return std::to_string(load_element<std::uint64_t>(from));
  }
}

/// One element on its own, as `str` of a NumPy scalar.
[[nodiscard]] inline std::string scalar_text(const std::byte* from, dtype type) {
  if (type == dtype::bool_) return load_element<std::uint8_t>(from) != 0 ? "True" : "False";
  const std::size_t bytes = itemsize(type);
  if (is_complex(type)) {
    return scalar_text(float_parts(load_bits(from, bytes / 2), format_of(type)),
                       float_parts(load_bits(from + bytes / 2, bytes / 2), format_of(type)));
  }
  if (!is_float(type)) return integer_text(from, type);
  return scalar_text(float_parts(load_bits(from, bytes), format_of(type)), false, trailing_zeros::trim_to_one);
}

/// Writes the elements of one array so that they align.
class element_column {
 public:
  element_column(const printed_array& array, const settings& options)
      : type_(array.type), scalar_(array.extents.rank() == 0), sign_(options.sign) {
    const std::size_t bytes = itemsize(type_);
    if (is_complex(type_)) {
      settings imaginary = options;
      imaginary.sign = '+';
      real_.emplace(parts(array, 0, bytes / 2), format_of(type_), options);
      imag_.emplace(parts(array, bytes / 2, bytes / 2), format_of(type_), imaginary);
    } else if (is_float(type_)) {
      real_.emplace(parts(array, 0, bytes), format_of(type_), options);
    } else if (type_ != dtype::bool_) {
      array.for_each([&](const std::byte* from) {
        const std::string text = integer_text(from, type_);
        if (sign_ == ' ' && text[0] == '-') sign_ = '-';
      });
      array.for_each([&](const std::byte* from) { width_ = std::max(width_, signed_integer(from).size()); });
    }
  }

  [[nodiscard]] std::string operator()(const std::byte* from) const {
    if (type_ == dtype::bool_) {
      return load_element<std::uint8_t>(from) == 0 ? "False" : scalar_ ? "True" : " True";
    }
    const std::size_t bytes = itemsize(type_);
    if (is_complex(type_)) {
      std::string imag = (*imag_)(float_parts(load_bits(from + bytes / 2, bytes / 2), format_of(type_)));
      imag.insert(imag.find_last_not_of(' ') + 1, 1, 'j');
      return (*real_)(float_parts(load_bits(from, bytes / 2), format_of(type_))) + imag;
    }
    if (real_) return (*real_)(float_parts(load_bits(from, bytes), format_of(type_)));
    const std::string text = signed_integer(from);
    return std::string(width_ - text.size(), ' ') + text;
  }

 private:
  static std::vector<std::uint64_t> parts(const printed_array& array, std::size_t offset, std::size_t bytes) {
    std::vector<std::uint64_t> values;
    array.for_each([&](const std::byte* from) { values.push_back(load_bits(from + offset, bytes)); });
    return values;
  }

  [[nodiscard]] std::string signed_integer(const std::byte* from) const {
    std::string text = integer_text(from, type_);
    if (sign_ != '-' && text[0] != '-') text.insert(0, 1, sign_);
    return text;
  }

  dtype type_;
  bool scalar_;
  char sign_;
  std::size_t width_ = 0;
  std::optional<float_column> real_;
  std::optional<float_column> imag_;
};

[[nodiscard]] inline std::string without_trailing_space(std::string_view text) {
  const auto last = text.find_last_not_of(" \t\n\v\f\r\x1c\x1d\x1e\x1f");
  return std::string(text.substr(0, last == std::string_view::npos ? 0 : last + 1));
}

/// The text of an array as NumPy nests, wraps and shortens it.
class array_text {
 public:
  array_text(const printed_array& array, const settings& options)
      : array_(array),
        options_(options),
        element_(array, options),
        separator_(without_trailing_space(options.separator)) {}

  [[nodiscard]] std::string operator()() const {
    std::string indent = " ";
    indent.append(static_cast<std::size_t>(width_of(options_.prefix)), ' ');
    return block(array_.data, 0, indent, options_.linewidth - width_of(options_.suffix));
  }

 private:
  /// What lies below `axis` at `from`, its first line without the indentation.
  [[nodiscard]] std::string block(const std::byte* from, int axis, const std::string& indent,
                                  std::int64_t width) const {
    const int axes_left = array_.extents.rank() - axis;
    if (axes_left == 0) return element_(from);
    const std::string text = axes_left == 1 ? row(from, axis, indent, width) : blocks(from, axis, indent, width);
    return "[" + text.substr(indent.size()) + "]";
  }

  /// The last axis: elements side by side, wrapped where the line is full.
  [[nodiscard]] std::string row(const std::byte* from, int axis, const std::string& indent, std::int64_t width) const {
    const std::int64_t room = width - std::max(width_of(separator_), std::int64_t{1});
    const auto indented = static_cast<std::int64_t>(indent.size());
    const std::int64_t separation = width_of(options_.separator);
    std::string done;
    std::string line = indent;
    std::int64_t used = indented;  // the width of the line, which may be as long as the array
    const auto extend = [&](const std::string& word) {
      const std::int64_t more = width_of(word);
      if (used + more > room && used > indented) {
        done += without_trailing_space(line) + "\n";
        line = indent;
        used = indented;
      }
      line += word;
      used += more;
    };
    for_each_item(
        axis, [&](std::int64_t i) { extend(element_(array_.element(from, axis, i))); }, [&] { extend("..."); },
        [&] {
          line += options_.separator;
          used += separation;
        });
    return done + line;
  }

  /// Any other axis: blocks below each other.
  [[nodiscard]] std::string blocks(const std::byte* from, int axis, const std::string& indent,
                                   std::int64_t width) const {
    std::string line_end = separator_;
    line_end.append(static_cast<std::size_t>(array_.extents.rank() - axis - 1), '\n');
    std::string text;
    for_each_item(
        axis,
        [&](std::int64_t i) {
          text += indent + block(array_.element(from, axis, i), axis + 1, indent + " ", width - 1);
        },
        [&] { text += indent + "..."; }, [&] { text += line_end; });
    return text;
  }

  /// The items of an axis in order, with `gap` in place of those left out and `between` between any two.
  template <class Item, class Gap, class Between>
  void for_each_item(int axis, const Item& item, const Gap& gap, const Between& between) const {
    const std::int64_t extent = array_.extents[axis];
    const std::int64_t edge = options_.edgeitems;
    const bool shortened = array_.summarized && edge < extent - edge;
    const std::int64_t count = array_.axes[axis].leading + array_.axes[axis].trailing;
    if (shortened) {
      for (std::int64_t i = 0; i < edge; ++i) {
        item(i);
        between();
      }
      gap();
      between();
    }
    // NumPy prints the last item even where edgeitems is 0.
    const std::int64_t last = count - 1;
    for (std::int64_t i = shortened ? count - std::max(edge, std::int64_t{1}) : 0; i < last; ++i) {
      item(i);
      between();
    }
    item(last);
  }

  const printed_array& array_;
  const settings& options_;
  element_column element_;
  std::string separator_;
};

}  // namespace gpu::detail::printing
