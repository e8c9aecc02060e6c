/// @file
/// Values as Python writes them: what printing and .npy headers share.
#pragma once

#include <string>
#include <string_view>

#include "shape.hpp"

namespace gpu::detail {

/// A tuple as Python's repr: "(2, 3)", "(2,)", "()".
[[nodiscard]] inline std::string python_tuple(const index_vector& values) {
  std::string text = "(";
  for (int axis = 0; axis < values.rank(); ++axis) {
    if (axis > 0) text += ", ";
    text += std::to_string(values[axis]);
  }
  return text + (values.rank() == 1 ? ",)" : ")");
}

/// At most `limit` bytes of `text` for an error message, with everything that is not printable ASCII as \xNN.
[[nodiscard]] inline std::string printable(std::string_view text, std::size_t limit = 100) {
  constexpr const char* hexadecimal = "0123456789abcdef";
  std::string result;
  for (const char c : text.substr(0, limit)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      result += c;
    } else {
      result += "\\x";
      result += hexadecimal[byte >> 4];
      result += hexadecimal[byte & 15];
    }
  }
  return text.size() > limit ? result + "..." : result;
}

}  // namespace gpu::detail
