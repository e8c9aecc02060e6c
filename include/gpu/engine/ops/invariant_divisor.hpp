/// @file
/// Division of many integers by one: a multiplication and shifts, as there is no vector division of integers.
#pragma once

#include <limits>
#include <type_traits>

#include "rules.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {
namespace detail {

/// An unsigned integer type of twice the size, for the upper half of a product.
template <class U>
struct twice {
  using type = std::conditional_t<sizeof(U) == 1, uint16, std::conditional_t<sizeof(U) == 2, uint32, uint64>>;
};
template <class U>
  requires(sizeof(U) == 8)
struct twice<U> {
  using type = unsigned __int128;
};

/// Granlund and Montgomery, Division by invariant integers using multiplication (1994), figure 4.1: with N bits and
/// l = ceil(log2 d), n / d is `(t + ((n - t) >> min(l, 1))) >> max(l - 1, 0)` for the upper half t of `n * multiplier`.
/// Signed numbers are divided as unsigned ones: floor(n / d) is ~(~n / d) for negative n and positive d.
template <integer T>
class invariant_divisor {
  using U = std::make_unsigned_t<T>;
  using wide = typename twice<U>::type;
  static constexpr int digits = std::numeric_limits<U>::digits;

 public:
  constexpr explicit invariant_divisor(T divisor) noexcept : divisor_(divisor) {
    const bool negative = is_negative(divisor);
    size_ = negative ? static_cast<U>(U{0} - static_cast<U>(divisor)) : static_cast<U>(divisor);
    negated_ = negative ? static_cast<U>(~U{0}) : U{0};
    kept_ = divisor == T{0} ? U{0} : static_cast<U>(~U{0});
    if (size_ == 0) return;
    int bits = 0;
    while (bits < digits && (wide{1} << bits) < size_) ++bits;
    multiplier_ = static_cast<U>(((((wide{1} << bits) - size_) << digits) / size_) + 1);
    first_shift_ = bits < 1 ? 0 : 1;
    second_shift_ = bits < 1 ? 0 : bits - 1;
  }

  /// The floor of `n / divisor`; 0 for the divisor 0, and the most negative number by -1 wraps.
  [[gnu::always_inline]] constexpr T floor(T n) const noexcept {
    if constexpr (std::is_signed_v<T>) {
      const U dividend = static_cast<U>((static_cast<U>(n) ^ negated_) - negated_);
      // All bits where the dividend is negative; the most negative number stays itself when it is negated.
      const U sign = static_cast<U>(static_cast<T>(dividend & ~(static_cast<U>(n) & negated_)) >> (digits - 1));
      return static_cast<T>((quotient(dividend ^ sign) ^ sign) & kept_);
    } else {
      return static_cast<T>(quotient(n) & kept_);
    }
  }
  /// `n - floor(n) * divisor`; 0 for the divisor 0.
  [[gnu::always_inline]] constexpr T floor_remainder(T n) const noexcept { return rest(n, static_cast<U>(floor(n))); }
  /// What truncating division leaves, with the sign of `n`; 0 for the divisor 0.
  [[gnu::always_inline]] constexpr T truncated_remainder(T n) const noexcept {
    if constexpr (std::is_signed_v<T>) {
      const U sign = static_cast<U>(n >> (digits - 1));
      const U dividend = static_cast<U>((static_cast<U>(n) ^ sign) - sign);
      const U left = static_cast<U>(dividend - product(quotient(dividend), size_));
      return static_cast<T>(((left ^ sign) - sign) & kept_);
    } else {
      return rest(n, quotient(n));
    }
  }

 private:
  T divisor_;
  U size_ = 0;
  U multiplier_ = 0;
  U negated_ = 0;  ///< all bits for a negative divisor
  U kept_ = 0;     ///< all bits but for the divisor 0
  int first_shift_ = 0;
  int second_shift_ = 0;

  [[gnu::always_inline]] constexpr U quotient(U n) const noexcept {
    const U upper = static_cast<U>((static_cast<wide>(n) * multiplier_) >> digits);
    return static_cast<U>((upper + (static_cast<U>(n - upper) >> first_shift_)) >> second_shift_);
  }
  /// Modulo 2^digits; as `modular`, since small types would be multiplied as int.
  [[gnu::always_inline]] static constexpr U product(U a, U b) noexcept {
    return static_cast<U>(static_cast<modular<U>>(a) * static_cast<modular<U>>(b));
  }
  [[gnu::always_inline]] constexpr T rest(T n, U floored) const noexcept {
    return static_cast<T>((static_cast<U>(n) - product(floored, static_cast<U>(divisor_))) & kept_);
  }
};

}  // namespace detail
}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
