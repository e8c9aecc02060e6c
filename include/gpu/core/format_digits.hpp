/// @file
/// The decimal digits of binary floating-point numbers, exactly as NumPy chooses them.
#pragma once

#include <algorithm>
#include <bit>
#include <climits>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

namespace gpu::detail::printing {

/// A binary format, and the thresholds at which NumPy changes to exponents, each rounded to that format as NumPy does.
struct float_format {
  int fraction_bits;
  int exponent_bits;
  double large;  ///< 1e8
  double small;  ///< 1e-4
  double ratio;  ///< max / min above this rounds to more than 1000
};

inline constexpr float_format half_format{10, 5, std::numeric_limits<double>::infinity(), 1678.0 / 16777216, 1000.25};
inline constexpr float_format bfloat16_format{7, 8, 1e8, 1e-4, 1000.0};  // NumPy has none: its rules, in float
inline constexpr float_format single_format{23, 8, 1e8, 1e-4F, 1000.0};
inline constexpr float_format double_format{52, 11, 1e8, 1e-4, 1000.0};

/// A float taken apart: `mantissa * 2^exponent` where it is finite.
struct float_parts {
  bool negative;
  bool finite;
  bool nan;
  bool uneven;  ///< The neighbour below is half as far away as the one above.
  std::uint64_t mantissa;
  int exponent;

  float_parts(std::uint64_t bits, const float_format& format) {
    const std::uint64_t fraction = bits & ((std::uint64_t{1} << format.fraction_bits) - 1);
    const int largest = (1 << format.exponent_bits) - 1;
    const int biased = static_cast<int>(bits >> format.fraction_bits) & largest;
    negative = (bits >> (format.fraction_bits + format.exponent_bits) & 1) != 0;
    finite = biased != largest;
    nan = !finite && fraction != 0;
    uneven = biased > 1 && fraction == 0;
    mantissa = biased == 0 ? fraction : fraction | std::uint64_t{1} << format.fraction_bits;
    exponent = std::max(biased, 1) - largest / 2 - format.fraction_bits;
  }

  /// The absolute value, exactly.
  [[nodiscard]] double magnitude() const { return std::ldexp(static_cast<double>(mantissa), exponent); }
};

/// A non-negative integer below 2^1280: enough for the scaled value of any double.
class wide_integer {
 public:
  explicit wide_integer(std::uint64_t value) {
    for (; value != 0; value >>= 32) words_[size_++] = static_cast<std::uint32_t>(value);
  }

  [[nodiscard]] bool is_zero() const { return size_ == 0; }

  void multiply(std::uint32_t factor) {
    std::uint64_t carry = 0;
    for (int i = 0; i < size_; ++i) {
      carry += std::uint64_t{words_[i]} * factor;
      words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    if (carry != 0) words_[size_++] = static_cast<std::uint32_t>(carry);
  }

  void multiply_by_power_of_10(int power) {
    for (; power >= 9; power -= 9) multiply(1000000000);
    for (; power > 0; --power) multiply(10);
  }

  void shift_left(int bits) {
    for (; bits >= 31; bits -= 31) multiply(std::uint32_t{1} << 31);
    multiply(std::uint32_t{1} << bits);
  }

  wide_integer& operator+=(const wide_integer& other) {
    std::uint64_t carry = 0;
    for (int i = 0; i < other.size_ || carry != 0; ++i) {
      if (i == size_) words_[size_++] = 0;
      carry += std::uint64_t{words_[i]} + (i < other.size_ ? other.words_[i] : 0);
      words_[i] = static_cast<std::uint32_t>(carry);
      carry >>= 32;
    }
    return *this;
  }

  /// Leaves the remainder and returns the quotient, which must be a decimal digit.
  int divide(const wide_integer& divisor) {
    int quotient = 0;
    while (compare(*this, divisor) >= 0) {
      subtract(divisor);
      ++quotient;
    }
    return quotient;
  }

  friend int compare(const wide_integer& a, const wide_integer& b) {
    if (a.size_ != b.size_) return a.size_ < b.size_ ? -1 : 1;
    for (int i = a.size_ - 1; i >= 0; --i) {
      if (a.words_[i] != b.words_[i]) return a.words_[i] < b.words_[i] ? -1 : 1;
    }
    return 0;
  }

 private:
  void subtract(const wide_integer& other) {
    std::uint64_t borrow = 0;
    for (int i = 0; i < size_; ++i) {
      const std::uint64_t difference = std::uint64_t{words_[i]} - (i < other.size_ ? other.words_[i] : 0) - borrow;
      words_[i] = static_cast<std::uint32_t>(difference);
      borrow = difference >> 63;
    }
    while (size_ > 0 && words_[size_ - 1] == 0) --size_;
  }

  int size_ = 0;
  std::uint32_t words_[40];  // NOLINT(modernize-avoid-c-arrays): only the first size_ are initialised
};

/// How many digits are wanted: the fewest that identify the number among its format's, or those of its exact value.
struct digit_request {
  bool unique = true;
  bool fractional = true;  ///< The limits count digits after the point rather than all.
  int most = -1;           ///< No digits beyond this many; -1: no limit.
  int least = -1;          ///< With `unique`: continue to this many.
};

/// d.ddd * 10^exponent; trailing zeros may be missing.
struct decimal_digits {
  std::string digits;
  int exponent;
};

/// Adds one unit in the last place.
inline void round_up(decimal_digits& number) {
  while (!number.digits.empty() && number.digits.back() == '9') number.digits.pop_back();
  if (number.digits.empty()) {
    number.digits = "1";
    ++number.exponent;
  } else {
    ++number.digits.back();
  }
}

/// The digits of a finite number by Steele and White's method, as Burger and Dybvig describe it ("Printing
/// Floating-Point Numbers Quickly and Accurately", 1996). Exact arithmetic, because NumPy shows the digits of the exact
/// value where it pads beyond the shortest, and rounds it half to even where it cuts.
[[nodiscard]] inline decimal_digits to_decimal(const float_parts& number, const digit_request& request) {
  if (number.mantissa == 0) return {"0", 0};
  // value / scale is the number and margin / scale half the distance to its lower neighbour.
  const int doublings = number.uneven ? 2 : 1;
  wide_integer value(number.mantissa);
  wide_integer scale(1);
  wide_integer margin(1);
  value.shift_left(std::max(number.exponent, 0) + doublings);
  scale.shift_left(std::max(-number.exponent, 0) + doublings);
  margin.shift_left(std::max(number.exponent, 0));

  // One above the exponent of the first digit; the estimate is exact or one too low.
  constexpr double log10_of_2 = 0.30102999566398119521;
  const int top_bit = static_cast<int>(std::bit_width(number.mantissa)) - 1 + number.exponent;
  int exponent = static_cast<int>(std::ceil(top_bit * log10_of_2 - 0.69));
  if (request.most >= 0 && request.fractional && exponent <= -request.most) exponent = -request.most + 1;
  scale.multiply_by_power_of_10(exponent);
  value.multiply_by_power_of_10(-exponent);
  margin.multiply_by_power_of_10(-exponent);
  if (compare(value, scale) >= 0) {
    ++exponent;
  } else {
    value.multiply(10);
    margin.multiply(10);
  }

  const int last = request.most < 0 ? INT_MIN : request.fractional ? -request.most : exponent - request.most;
  const int enough =
      request.least < 0 ? exponent : std::min(exponent, request.fractional ? -request.least : exponent - request.least);
  const int inclusive = number.mantissa % 2 == 0 ? 1 : 0;  // an even mantissa wins ties, so its margins belong to it
  decimal_digits result{{}, exponent - 1};
  bool low = false;   // stopping here rounded down still reads back as the number
  bool high = false;  // and so does stopping here rounded up; both stay true for later digits
  int digit = 0;
  for (;;) {
    --exponent;
    digit = value.divide(scale);
    if (request.unique) {
      if (!low) low = compare(value, margin) < inclusive;
      if (!high) {
        wide_integer above = value;
        above += margin;
        if (number.uneven) above += margin;
        high = compare(above, scale) > -inclusive;
      }
      if (((low || high) && exponent <= enough) || exponent == last) break;
    } else if (value.is_zero() || exponent == last) {
      break;
    }
    result.digits += static_cast<char>('0' + digit);
    value.multiply(10);
    if (!low || !high) margin.multiply(10);
  }
  result.digits += static_cast<char>('0' + digit);

  bool down = low;
  if (low == high) {
    value.multiply(2);
    const int half = compare(value, scale);
    down = half < 0 || (half == 0 && digit % 2 == 0);
  }
  if (!down) round_up(result);
  return result;
}

}  // namespace gpu::detail::printing
