/// @file
/// floor_divide, remainder and fmod: division of integers and floats that rounds.
#pragma once

#include "invariant_divisor.hpp"
#include "rules.hpp"
#include "vector_math.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {
namespace detail {

/// An integer division that neither traps nor overflows: 0 and -1 are replaced by 1 and seen to by the caller.
template <integer T>
struct integer_division {
  T divisor;
  T quotient;   ///< truncated
  T remainder;  ///< the sign of the dividend; right for every divisor (0 for 0)
  bool by_zero;
  bool by_minus_one;
  bool inexact_and_negative;  ///< the floor is one less than the quotient

  [[gnu::always_inline]] constexpr integer_division(T a, T b) noexcept
      : divisor(b), by_zero(b == 0), by_minus_one(std::is_signed_v<T> & (b == static_cast<T>(-1))) {
    divisor = select(by_zero | by_minus_one, T{1}, b);
    quotient = truncated(a, divisor);
    remainder = static_cast<T>(static_cast<modular<T>>(a) -
                               static_cast<modular<T>>(quotient) * static_cast<modular<T>>(divisor));
    inexact_and_negative = (remainder != 0) & (is_negative(remainder) != is_negative(divisor));
  }

 private:
  [[gnu::always_inline]] static constexpr T truncated(T a, T d) noexcept {
#if !defined(__CUDA_ARCH__)
    // There is no vector division of integers. In a floating type that holds both, a quotient is never rounded up to
    // the next integer.
    if constexpr (sizeof(T) <= 2) {
      return static_cast<T>(static_cast<int32>(static_cast<float>(a) / static_cast<float>(d)));
    } else if constexpr (sizeof(T) == 4 && std::is_signed_v<T>) {
      return static_cast<T>(static_cast<double>(a) / static_cast<double>(d));
    } else if constexpr (sizeof(T) == 4) {
      return cast<T>(cast<double>(a) / cast<double>(d));  // converts by vectors, also from 2^31
    }
#endif
    return static_cast<T>(a / d);
  }
};

/// `math::floor` for code that does not vectorise.
template <math::real T>
[[gnu::always_inline]] constexpr T scalar_floor(T x) noexcept {
#if defined(__CUDA_ARCH__)
  return math::floor(x);
#else
  if (!(math::fabs(x) < T{0x1p52})) return x;
  const T truncated = static_cast<T>(static_cast<int64>(x));
  return truncated > x ? truncated - T{1} : truncated;
#endif
}

/// A division by one number for a whole array; `Operation` is `floor_divide`, `remainder` or `fmod`.
template <class Operation, integer T>
struct divided_by {
  static constexpr const char* name = Operation::name;
  invariant_divisor<T> divisor;

  constexpr explicit divided_by(T number) noexcept : divisor(number) {}

  template <class A>
  using arguments = std::enable_if_t<arithmetic<A>, type_list<T>>;
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T x) const noexcept { return Operation::of(divisor, x); }
};

}  // namespace detail

/// The floor of the quotient. Integers: by 0 gives 0, the most negative one by -1 wraps. Floats: consistent with
/// `remainder`, so it is not the floor of the rounded quotient.
struct floor_divide : detail::widened<floor_divide> {
  static constexpr const char* name = "floor_divide";
  template <class A, class B>
  using arguments = real_arguments<A, B>;
  /// With an integer scalar as divisor (`engine::apply`); small types divide as fast in float.
  template <integer T>
    requires(sizeof(T) >= 4)
  using by_number = detail::divided_by<floor_divide, T>;
  template <integer T>
  [[gnu::always_inline]] static constexpr T of(const detail::invariant_divisor<T>& divisor, T x) noexcept {
    return divisor.floor(x);
  }
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T a, T b) noexcept {
    if constexpr (integer<T>) {
      const detail::integer_division<T> division(a, b);
      const T negated = static_cast<T>(detail::modular<T>{0} - static_cast<detail::modular<T>>(a));
      const T floor = static_cast<T>(division.quotient - static_cast<T>(division.inexact_and_negative));
      return detail::select(division.by_zero, T{0}, detail::select(division.by_minus_one, negated, floor));
    } else {
      if (b == T{0}) return a / b;
      const T modulus = math::fmod(a, b);
      T quotient = (a - modulus) / b;
      if ((modulus != T{0}) & ((b < T{0}) != (modulus < T{0}))) quotient -= T{1};
      if (quotient == T{0}) return math::copysign(T{0}, a / b);
      // It is an integer but for rounding.
      const T floor = detail::scalar_floor(quotient);
      return quotient - floor > T{0.5} ? floor + T{1} : floor;
    }
  }
};

/// The remainder of `floor_divide`: the sign of the divisor. Integers by 0 give 0.
struct remainder : detail::widened<remainder> {
  static constexpr const char* name = "remainder";
  template <class A, class B>
  using arguments = real_arguments<A, B>;
  /// With an integer scalar as divisor (`engine::apply`); small types divide as fast in float.
  template <integer T>
    requires(sizeof(T) >= 4)
  using by_number = detail::divided_by<remainder, T>;
  template <integer T>
  [[gnu::always_inline]] static constexpr T of(const detail::invariant_divisor<T>& divisor, T x) noexcept {
    return divisor.floor_remainder(x);
  }
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T a, T b) noexcept {
    if constexpr (integer<T>) {
      const detail::integer_division<T> division(a, b);
      return static_cast<T>(division.remainder + detail::select(division.inexact_and_negative, division.divisor, T{0}));
    } else {
      const T modulus = math::fmod(a, b);
      if (modulus == T{0}) return math::copysign(T{0}, b);
      return (b < T{0}) != (modulus < T{0}) ? modulus + b : modulus;
    }
  }
};

/// The remainder of truncated division: the sign of the dividend. Integers by 0 give 0.
struct fmod : detail::widened<fmod> {
  static constexpr const char* name = "fmod";
  template <class A, class B>
  using arguments = real_arguments<A, B>;
  /// With an integer scalar as divisor (`engine::apply`); small types divide as fast in float.
  template <integer T>
    requires(sizeof(T) >= 4)
  using by_number = detail::divided_by<fmod, T>;
  template <integer T>
  [[gnu::always_inline]] static constexpr T of(const detail::invariant_divisor<T>& divisor, T x) noexcept {
    return divisor.truncated_remainder(x);
  }
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T a, T b) noexcept {
    if constexpr (integer<T>) {
      return detail::integer_division<T>(a, b).remainder;
    } else {
      return math::fmod(a, b);
    }
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
