/// @file
/// Every element type with its conversions, kinds, limits and promotion.
#pragma once

#include "bfloat16.hpp"
#include "cast.hpp"
#include "complex.hpp"
#include "dtype.hpp"
#include "finfo.hpp"
#include "half.hpp"
#include "promotion.hpp"

namespace gpu {

// NumPy's other names.
using int_ = int64;
using intp = int64;
using uint = uint64;
using single = float;
using double_ = double;

/// What `isdtype` and `issubdtype` ask for: NumPy's abstract types.
enum class kind : std::uint8_t {
  boolean_type,      ///< "bool"
  signed_integer,    ///< "signed integer", numpy.signedinteger
  unsigned_integer,  ///< "unsigned integer", numpy.unsignedinteger
  integral,          ///< "integral", numpy.integer
  real_floating,     ///< "real floating", numpy.floating
  complex_floating,  ///< "complex floating", numpy.complexfloating
  inexact,           ///< numpy.inexact: real or complex floating
  numeric            ///< "numeric", numpy.number: everything but bool
};

/// True if `t` is of that kind, as `numpy.isdtype`.
[[nodiscard]] constexpr bool isdtype(dtype t, kind k) noexcept {
  const bool is_signed = t >= dtype::int8 && t <= dtype::int64;
  const bool is_unsigned = t >= dtype::uint8 && t <= dtype::uint64;
  const bool is_real = t >= dtype::float16 && t <= dtype::float64;
  const bool is_complex = t == dtype::complex64 || t == dtype::complex128;
  switch (k) {
    case kind::boolean_type: return t == dtype::bool_;
    case kind::signed_integer: return is_signed;
    case kind::unsigned_integer: return is_unsigned;
    case kind::integral: return is_signed || is_unsigned;
    case kind::real_floating: return is_real;
    case kind::complex_floating: return is_complex;
    case kind::inexact: return is_real || is_complex;
    default: return is_signed || is_unsigned || is_real || is_complex;
  }
}
/// True for the same dtype.
[[nodiscard]] constexpr bool isdtype(dtype t, dtype other) noexcept { return t == other; }

/// `numpy.issubdtype`: is `t` below this abstract type, or the same dtype?
[[nodiscard]] constexpr bool issubdtype(dtype t, kind k) noexcept { return isdtype(t, k); }
[[nodiscard]] constexpr bool issubdtype(dtype t, dtype other) noexcept { return t == other; }

}  // namespace gpu
