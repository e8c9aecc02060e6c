/// @file
/// `detail::cast<To>(from)`: the one scalar conversion, used by `astype`, assignment, promotion and file input alike.
#pragma once

#include <concepts>
#include <type_traits>

#include "bfloat16.hpp"
#include "complex.hpp"
#include "dtype.hpp"
#include "float_bits.hpp"
#include "half.hpp"

namespace gpu::detail {

/// Converts one value as NumPy's `astype` does, the same on the host and on every GPU:
/// - integers to integers wrap, as in NumPy;
/// - floating to integer truncates; beyond the range it saturates and NaN gives 0. NumPy leaves those two undefined;
/// - anything to bool is `!= 0` (NaN is true; a complex number is true if either part is);
/// - to half, bfloat16 and float from wider types: rounded once, to nearest even, also from double and from integers;
/// - complex to real takes the real part, real to complex has a zero imaginary part.
template <class To, class From>
[[nodiscard]] [[gnu::always_inline]] constexpr To cast(const From& from) noexcept {
  if constexpr (std::same_as<To, From>) {
    return from;
  } else if constexpr (complex_number<From>) {
    if constexpr (complex_number<To>) {
      using part = typename To::value_type;
      return To(static_cast<part>(from.re), static_cast<part>(from.im));
    } else if constexpr (boolean<To>) {
      return (from.re != 0) | (from.im != 0);
    } else {
      return cast<To>(from.re);
    }
  } else if constexpr (complex_number<To>) {
    return To(cast<typename To::value_type>(from));
  } else if constexpr (boolean<From>) {
    // Reading a bool as a number of one byte: GCC does not vectorise the conversion of bool itself.
    return cast<To>(__builtin_bit_cast(uint8, from));
  } else if constexpr (boolean<To> && std::is_arithmetic_v<From>) {
    return from != From{};
  } else if constexpr (integer<To> && std::floating_point<From>) {
    return saturating_truncate<To>(from);
  } else {
    // half and bfloat16 define their conversions, with the same rules; a user's type defines its own.
    return static_cast<To>(from);
  }
}

}  // namespace gpu::detail
