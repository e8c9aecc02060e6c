/// @file
/// Floating-point numbers as NumPy writes them: one by one, and to the common width and precision of an array.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error.hpp"
#include "format_digits.hpp"

namespace gpu::detail::printing {

/// Options with nothing left open; `print_options` says what they mean.
struct settings {
  int precision = 8;
  std::int64_t threshold = 1000;
  std::int64_t edgeitems = 3;
  std::int64_t linewidth = 75;
  bool suppress = false;
  std::string nanstr = "nan";
  std::string infstr = "inf";
  char sign = '-';
  std::string floatmode = "maxprec";
  std::string separator = " ";
  std::string prefix;
  std::string suffix;
};

/// The number of characters in UTF-8 text.
[[nodiscard]] inline std::int64_t width_of(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
}

/// What happens to zeros at the end of a fraction.
enum class trailing_zeros : char {
  keep,            ///< "1.00", and as many as asked for
  trim,            ///< "1."
  trim_to_one,     ///< "1.0"
  trim_with_point  ///< "1"
};

/// How one number is written. A padding or limit of -1 is none.
struct number_style {
  int most = -1;   ///< digits after the point, at most
  int least = -1;  ///< and at least
  bool unique = true;
  trailing_zeros trailing = trailing_zeros::keep;
  bool plus = false;
  std::int64_t pad_left = -1;   ///< characters before the point
  std::int64_t pad_right = -1;  ///< characters after it
  int exponent_digits = 2;
};

/// NumPy's limit for the text of one number.
inline constexpr int longest_number = 16384;

inline void check_text_size(std::int64_t size) {
  if (size >= longest_number) raise<type_error>("Float formatting result too large");
}

/// Applies `style.trailing` to a fraction, then appends it and its point to `text`.
inline void append_fraction(std::string& text, std::string fraction, const number_style& style) {
  if (style.trailing == trailing_zeros::keep) {
    const int wanted = style.unique ? style.least : style.most;
    check_text_size(wanted);
    if (wanted > static_cast<int>(fraction.size())) fraction.resize(static_cast<std::size_t>(wanted), '0');
  } else {
    fraction.resize(fraction.find_last_not_of('0') + 1);
    if (fraction.empty() && style.trailing == trailing_zeros::trim_to_one) fraction = "0";
  }
  if (!fraction.empty() || style.trailing != trailing_zeros::trim_with_point) text += '.';
  text += fraction;
}

inline void append_sign(std::string& text, const float_parts& number, const number_style& style) {
  if (number.negative || style.plus) text += number.negative ? '-' : '+';
}

inline void append_spaces(std::string& text, std::int64_t count) {
  check_text_size(count);
  if (count > 0) text.append(static_cast<std::size_t>(count), ' ');
}

/// "123.5": NumPy's dragon4_positional.
[[nodiscard]] inline std::string positional(const float_parts& number, const number_style& style) {
  const decimal_digits decimal =
      to_decimal(number, {.unique = style.unique, .fractional = true, .most = style.most, .least = style.least});
  std::string whole = "0";
  std::string fraction;
  if (decimal.exponent >= 0) {
    const std::size_t point = static_cast<std::size_t>(decimal.exponent) + 1;
    whole = decimal.digits.substr(0, point);
    whole.resize(point, '0');
    if (decimal.digits.size() > point) fraction = decimal.digits.substr(point);
  } else {
    fraction.assign(static_cast<std::size_t>(-decimal.exponent - 1), '0');
    fraction += decimal.digits;
  }
  std::string text;
  append_sign(text, number, style);
  text += whole;
  const auto left = static_cast<std::int64_t>(text.size());
  append_fraction(text, std::move(fraction), style);
  append_spaces(text, style.pad_right - (static_cast<std::int64_t>(text.size()) - left - 1));
  if (style.pad_left <= left) return text;
  std::string padded;
  append_spaces(padded, style.pad_left - left);
  return padded + text;
}

/// "1.235e+02": NumPy's dragon4_scientific.
[[nodiscard]] inline std::string scientific(const float_parts& number, const number_style& style) {
  const decimal_digits decimal = to_decimal(number, {.unique = style.unique,
                                                     .fractional = false,
                                                     .most = style.most < 0 ? -1 : style.most + 1,
                                                     .least = style.least < 0 ? -1 : style.least + 1});
  std::string sign;
  append_sign(sign, number, style);
  std::string text;
  append_spaces(text, style.pad_left - static_cast<std::int64_t>(sign.size()) - 1);
  text += sign;
  text += decimal.digits[0];
  append_fraction(text, decimal.digits.substr(1), style);
  text += decimal.exponent < 0 ? "e-" : "e+";
  const std::string exponent = std::to_string(std::abs(decimal.exponent));
  const auto wanted = static_cast<std::size_t>(style.exponent_digits);
  if (exponent.size() < wanted) text.append(wanted - exponent.size(), '0');
  return text + exponent;
}

/// A number on its own, as `str` of a NumPy scalar: "0.1", "1e+16", "nan".
[[nodiscard]] inline std::string scalar_text(const float_parts& number, bool plus, trailing_zeros trailing) {
  std::string text;
  if (number.nan) return plus ? "+nan" : "nan";
  if (!number.finite) return number.negative ? "-inf" : plus ? "+inf" : "inf";
  const double magnitude = number.magnitude();
  const bool as_positional = number.mantissa == 0 || (magnitude >= 1e-4 && magnitude < 1e16);
  if (as_positional) return positional(number, {.trailing = trailing, .plus = plus});
  return scientific(number, {.trailing = trailing_zeros::trim_with_point, .plus = plus});
}

/// A complex number on its own: "(1+2j)", "2j", "(nan-infj)".
[[nodiscard]] inline std::string scalar_text(const float_parts& real, const float_parts& imag) {
  constexpr trailing_zeros trailing = trailing_zeros::trim_with_point;
  if (real.finite && real.mantissa == 0 && !real.negative) return scalar_text(imag, false, trailing) + "j";
  return "(" + scalar_text(real, false, trailing) + scalar_text(imag, true, trailing) + "j)";
}

/// Writes each of some floats so that all align: NumPy's FloatingFormat.
class float_column {
 public:
  float_column(const std::vector<std::uint64_t>& values, const float_format& format, const settings& options)
      : nan_(options.nanstr), infinity_(options.infstr) {
    std::vector<float_parts> finite;
    bool negative_infinity = false;
    bool any_negative = false;
    for (const std::uint64_t bits : values) {
      const float_parts number(bits, format);
      if (number.finite) {
        finite.push_back(number);
        any_negative |= number.negative;
      } else {
        negative_infinity |= !number.nan && number.negative;
      }
    }
    style_.plus = options.sign == '+';
    if (options.floatmode != "unique") style_.most = std::min(options.precision, longest_number);
    style_.unique = options.floatmode != "fixed";
    style_.trailing = style_.unique ? trailing_zeros::trim : trailing_zeros::keep;
    exponents_ = needs_exponents(finite, format, options.suppress);
    if (!finite.empty()) fit(finite, options.floatmode);
    if (options.sign == ' ' && !any_negative) ++style_.pad_left;
    if (finite.size() != values.size()) {
      const std::int64_t right = style_.pad_right + 1;
      const std::int64_t sign = options.sign != '-' || negative_infinity ? 1 : 0;
      style_.pad_left =
          std::max({style_.pad_left, width_of(nan_) - right, width_of(infinity_) + sign - right, std::int64_t{0}});
    }
  }

  [[nodiscard]] std::string operator()(const float_parts& number) const {
    if (number.finite) return exponents_ ? scientific(number, style_) : positional(number, style_);
    std::string text = number.nan ? nan_ : infinity_;
    if (!number.nan && number.negative) {
      text.insert(0, 1, '-');
    } else if (style_.plus) {
      text.insert(0, 1, '+');
    }
    std::string padded;
    append_spaces(padded, style_.pad_left + style_.pad_right + 1 - width_of(text));
    return padded + text;
  }

 private:
  static bool needs_exponents(const std::vector<float_parts>& finite, const float_format& format, bool suppress) {
    double largest = 0;
    double smallest = std::numeric_limits<double>::infinity();
    for (const float_parts& number : finite) {
      if (number.mantissa == 0) continue;
      const double magnitude = number.magnitude();
      largest = std::max(largest, magnitude);
      smallest = std::min(smallest, magnitude);
    }
    if (largest == 0) return false;
    if (largest >= format.large) return true;
    if (suppress) return false;
    if (smallest < format.small) return true;
    // NumPy divides in the array's own type.
    if (format.fraction_bits == double_format.fraction_bits) return largest / smallest > format.ratio;
    return static_cast<double>(static_cast<float>(largest) / static_cast<float>(smallest)) > format.ratio;
  }

  /// Writes every number once to find the common widths and precision.
  void fit(const std::vector<float_parts>& finite, const std::string& floatmode) {
    std::int64_t left = 0;
    std::int64_t right = 0;
    std::int64_t exponent_digits = 0;
    for (const float_parts& number : finite) {
      const std::string text = exponents_ ? scientific(number, style_) : positional(number, style_);
      const auto end = static_cast<std::int64_t>(std::min(text.find('e'), text.size()));
      const auto point = static_cast<std::int64_t>(text.find('.'));
      left = std::max(left, point);
      right = std::max(right, end - point - 1);
      exponent_digits = std::max(exponent_digits, static_cast<std::int64_t>(text.size()) - end - 2);
    }
    style_.pad_left = left;
    style_.pad_right = right;
    if (exponents_ || floatmode == "fixed" || floatmode == "maxprec_equal") {
      style_.most = style_.least = static_cast<int>(right);
      style_.trailing = trailing_zeros::keep;
    } else {
      style_.least = 0;
    }
    if (exponents_) {
      style_.exponent_digits = static_cast<int>(exponent_digits);
      style_.pad_right = exponent_digits + 2 + right;
    }
  }

  std::string nan_;
  std::string infinity_;
  bool exponents_ = false;
  number_style style_{.pad_left = 0, .pad_right = 0};
};

}  // namespace gpu::detail::printing
