/// @file
/// `finfo<T>` and `iinfo<T>`: the limits of the number types under NumPy's names.
#pragma once

#include <limits>

#include "bfloat16.hpp"
#include "complex.hpp"
#include "dtype.hpp"
#include "half.hpp"
#include "promotion.hpp"

namespace gpu {

/// Machine limits of a floating type, as `numpy.finfo`: `finfo<float>::eps`. For a complex type those of its parts.
template <class T>
  requires floating<T> || complex_number<T>
struct finfo {
  using value_type = real_t<T>;

 private:
  using limits = std::numeric_limits<value_type>;
  static constexpr value_type power_of_two(int exponent) noexcept {
    double power = 1;
    for (int i = 0; i < exponent; ++i) power *= 2;
    for (int i = 0; i > exponent; --i) power /= 2;
    return static_cast<value_type>(power);
  }
  static constexpr value_type power_of_ten(int exponent) noexcept {
    double power = 1;
    for (int i = 0; i > exponent; --i) power *= 10;
    return static_cast<value_type>(1 / power);
  }

 public:
  static constexpr gpu::dtype dtype = dtype_of<value_type>;
  static constexpr int bits = static_cast<int>(8 * sizeof(value_type));
  static constexpr int nmant = limits::digits - 1;              ///< bits of the stored significand
  static constexpr int nexp = bits - limits::digits;            ///< bits of the exponent
  static constexpr int iexp = nexp;                             ///< the same
  static constexpr int machep = -nmant;                         ///< eps is 2^machep
  static constexpr int negep = machep - 1;                      ///< epsneg is 2^negep
  static constexpr int minexp = limits::min_exponent - 1;       ///< smallest_normal is 2^minexp
  static constexpr int maxexp = limits::max_exponent;           ///< the smallest power of two that overflows
  static constexpr int precision = limits::digits10;            ///< decimal digits that every value keeps
  static constexpr value_type eps = limits::epsilon();          ///< from 1 to the next larger number
  static constexpr value_type epsneg = power_of_two(negep);     ///< from 1 to the next smaller number
  static constexpr value_type max = limits::max();              ///< the largest finite number
  static constexpr value_type min = limits::lowest();           ///< the lowest finite number
  static constexpr value_type smallest_normal = limits::min();  ///< the smallest positive normal number
  static constexpr value_type tiny = smallest_normal;           ///< the same
  static constexpr value_type smallest_subnormal = limits::denorm_min();
  static constexpr value_type resolution = power_of_ten(-precision);  ///< 10^-precision
};

/// Limits of an integer type, as `numpy.iinfo`: `iinfo<int>::max`.
template <integer T>
struct iinfo {
  static constexpr gpu::dtype dtype = dtype_of<T>;
  static constexpr int bits = static_cast<int>(8 * sizeof(T));
  static constexpr char kind = std::numeric_limits<T>::is_signed ? 'i' : 'u';
  static constexpr T min = std::numeric_limits<T>::min();
  static constexpr T max = std::numeric_limits<T>::max();
};

}  // namespace gpu
