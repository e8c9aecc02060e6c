/// @file
/// The rows of core_tables.inc, NumPy's answers for the scalar types.
#pragma once

#include <cmath>
#include <cstdint>
#include <gpu/core/types.hpp>

namespace core_tables {

struct promotion_row {
  int from, to, result, strictest;  ///< `strictest` is a gpu::casting
};
struct triple_row {
  int first, second, third, result;
};
struct weak_row {
  int type, with_bool, with_int, with_float, with_complex, sum;
};
struct half_row {
  std::uint64_t value;
  std::uint16_t bits;
};
struct cast_integer {
  bool inside;
  std::uint64_t value;  ///< sign-extended
};
struct cast_row {
  std::uint64_t value;
  cast_integer integers[8];  ///< int8 .. int64, uint8 .. uint64
  std::uint32_t float_bits;
  bool truth;
};
struct integer_row {
  std::uint64_t value, double_bits;
  std::uint32_t float_bits;
  std::uint16_t half_bits;
};
struct complex_row {
  std::uint64_t a_re, a_im, b_re, b_im, product_re, product_im, quotient_re, quotient_im, magnitude, angle;
};
struct finfo_row {
  int type, bits, nmant, nexp, iexp, machep, negep, minexp, maxexp, precision;
  std::uint64_t eps, epsneg, max, min, smallest_normal, smallest_subnormal, resolution;
};

#include "core_tables.inc"

inline double number(std::uint64_t bits) { return __builtin_bit_cast(double, bits); }
inline gpu::dtype type(int id) { return static_cast<gpu::dtype>(id); }

/// The same value: equal with the same sign of zero, or both NaN.
inline bool same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) || (a == b && std::signbit(a) == std::signbit(b));
}

}  // namespace core_tables
