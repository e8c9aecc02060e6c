/// @file
/// signbit, copysign, nextafter, ldexp, frexp (two operations), modf (two operations).
#pragma once

#include <limits>

#include "rules.hpp"
#include "vector_math.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {

/// True for -0.0 and for a NaN whose sign bit is set.
struct signbit : detail::widened<signbit> {
  static constexpr const char* name = "signbit";
  template <class A>
  using arguments = floating_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr bool compute(T x) noexcept {
    return math::signbit(x);
  }
};

struct copysign {
  static constexpr const char* name = "copysign";
  template <class A, class B>
  using arguments = floating_arguments<A, B>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T magnitude, T sign) const noexcept {
    if constexpr (narrow_float<T>) {
      return T::from_bits(static_cast<uint16>((magnitude.bits & 0x7fffu) | (sign.bits & 0x8000u)));
    } else {
      return math::copysign(magnitude, sign);
    }
  }
};

/// The next number of the type from `x` towards `y`.
struct nextafter {
  static constexpr const char* name = "nextafter";
  template <class A, class B>
  using arguments = floating_arguments<A, B>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T x, T y) const noexcept {
    // Numbers are ordered as sign and magnitude: neighbours differ by 1.
    using bits = std::conditional_t<sizeof(T) == 2, uint16, std::conditional_t<sizeof(T) == 4, uint32, uint64>>;
    using ordered = std::conditional_t<sizeof(T) <= 4, int32, int64>;
    constexpr bits infinity = pattern(std::numeric_limits<T>::infinity());
    constexpr bits magnitude = std::numeric_limits<bits>::max() >> 1;
    const bits from = pattern(x);
    const bits towards = pattern(y);
    const auto from_size = static_cast<ordered>(from & magnitude);
    const auto towards_size = static_cast<ordered>(towards & magnitude);
    const ordered start = detail::select(from > magnitude, static_cast<ordered>(-from_size), from_size);
    const ordered end = detail::select(towards > magnitude, static_cast<ordered>(-towards_size), towards_size);
    const ordered moved = start + detail::select(start < end, ordered{1}, ordered{-1});
    const auto sign = static_cast<bits>((moved < 0) | ((moved == 0) & (start < 0)));
    const auto size = static_cast<bits>(detail::select(moved < 0, static_cast<ordered>(-moved), moved));
    const auto neighbour = static_cast<bits>(size | static_cast<bits>(sign << (8 * sizeof(T) - 1)));
    // Of two zeros the second, but for half the first, as in NumPy.
    const auto unequal = detail::select(start == end, narrow_float<T> ? from : towards, neighbour);
    const auto number = detail::select(towards_size > static_cast<ordered>(infinity), towards, unequal);
    const bits result = detail::select(from_size > static_cast<ordered>(infinity), from, number);
    if constexpr (narrow_float<T>) {
      return T::from_bits(result);
    } else {
      return __builtin_bit_cast(T, result);
    }
  }

 private:
  // A bit_cast of the struct half keeps it whole, and then nothing vectorises.
  template <class T>
  [[gnu::always_inline]] static constexpr auto pattern(T x) noexcept {
    if constexpr (narrow_float<T>) {
      return x.bits;
    } else {
      return math::bits_of(x);
    }
  }
};

/// `x * 2^exponent`, rounded once.
struct ldexp : detail::widened<ldexp> {
  static constexpr const char* name = "ldexp";
  template <class A, class B>
  using arguments = std::enable_if_t<
      real_number<A> && std::integral<B> && !std::same_as<B, uint64>,
      type_list<detail::float_of<A>, std::conditional_t<sizeof(B) == 8 || std::same_as<B, uint32>, int64, int32>>>;
  template <class T, class Exponent>
  [[gnu::always_inline]] static constexpr T compute(T x, Exponent exponent) noexcept {
    // Beyond this the result is 0 or infinite whatever x is.
    constexpr Exponent limit = 5000;
    return math::ldexp(x, static_cast<int>(exponent < -limit ? -limit : exponent > limit ? limit : exponent));
  }
};

namespace detail {

/// x = mantissa * 2^exponent with the mantissa in [0.5, 1); 0, infinity and NaN stay, with exponent 0.
template <math::real T>
struct binary_parts {
  T mantissa;
  int32 exponent;

  [[gnu::always_inline]] constexpr explicit binary_parts(T x) noexcept {
    using bits = math::bits_t<T>;
    constexpr int digits = std::numeric_limits<T>::digits;
    constexpr int bias = std::numeric_limits<T>::max_exponent - 2;  // that of numbers in [0.5, 1)
    constexpr bits exponent_mask = bits{2} * std::numeric_limits<T>::max_exponent - 1;
    constexpr T scale = static_cast<T>(uint64{1} << digits);
    const T size = math::fabs(x);
    const bool subnormal = size < std::numeric_limits<T>::min();
    const bool special = (size == T{0}) | !(size < std::numeric_limits<T>::infinity());
    const bits pattern = math::bits_of(math::select(subnormal, x * scale, x));
    const bits found = (pattern >> (digits - 1)) & exponent_mask;
    const bits rest = pattern & ~(exponent_mask << (digits - 1));
    mantissa = math::select(special, x, __builtin_bit_cast(T, rest | (bits{bias} << (digits - 1))));
    exponent = select(special, int32{0}, static_cast<int32>(found) - bias - select(subnormal, int32{digits}, int32{0}));
  }
};

}  // namespace detail

/// The first result of `frexp`.
struct frexp_mantissa : detail::widened<frexp_mantissa> {
  static constexpr const char* name = "frexp";
  template <class A>
  using arguments = floating_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return detail::binary_parts<T>(x).mantissa;
  }
};

/// The second result of `frexp`.
struct frexp_exponent : detail::widened<frexp_exponent> {
  static constexpr const char* name = "frexp";
  template <class A>
  using arguments = floating_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr int32 compute(T x) noexcept {
    return detail::binary_parts<T>(x).exponent;
  }
};

/// The first result of `modf`: the fraction, with the sign of `x`; 0 for infinities.
struct modf_fraction : detail::widened<modf_fraction> {
  static constexpr const char* name = "modf";
  template <class A>
  using arguments = floating_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    const bool infinite = math::fabs(x) == std::numeric_limits<T>::infinity();
    return math::copysign(math::select(infinite, T{0}, x - math::trunc(x)), x);
  }
};

/// The second result of `modf`: the integer part, towards zero.
struct modf_integer : detail::widened<modf_integer> {
  static constexpr const char* name = "modf";
  template <class A>
  using arguments = floating_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    return math::trunc(x);
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
