/// @file
/// power and float_power; `power_by` for an exponent that is one number.
#pragma once

#include <limits>

#include "arithmetic.hpp"
#include "complex_math.hpp"
#include "exponents.hpp"
#include "rules.hpp"
#include "vector_math.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {

/// Integers wrap. An integer to a negative power is an error in NumPy, which a device cannot raise: the caller checks
/// exponents that are one number; in arrays of them the result is the truncated quotient (0, or 1 and -1 for those).
struct power : detail::widened<power> {
  static constexpr const char* name = "power";
  static constexpr bool uses_vector_math = true;
  template <class A, class B>
  using arguments = numeric_arguments<A, B>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T base, T exponent) noexcept {
    if constexpr (integer<T>) {
      return of_integers(base, exponent);
    } else {
      return math::pow(base, exponent);
    }
  }

 private:
  template <integer T>
  static constexpr T of_integers(T base, T exponent) noexcept {
    using modulus = detail::modular<T>;
    if (detail::is_negative(exponent)) {
      if (base == T{1}) return base;
      return base == static_cast<T>(-1) ? static_cast<T>(exponent % 2 == 0 ? T{1} : base) : T{0};
    }
    auto factor = static_cast<modulus>(base);
    modulus result = 1;
    for (auto rest = static_cast<modulus>(exponent); rest != 0; rest >>= 1) {
      result *= detail::select((rest & 1) != 0, factor, modulus{1});
      factor *= factor;
    }
    return static_cast<T>(result);
  }
};

/// `power` in float64 or complex128.
struct float_power {
  static constexpr const char* name = "float_power";
  static constexpr bool uses_vector_math = true;
  template <class A, class B>
  using arguments =
      detail::repeat_if<arithmetic<A> && arithmetic<B>,
                        std::conditional_t<complex_number<A> || complex_number<B>, complex<double>, double>, A, B>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T base, T exponent) const noexcept {
    return math::pow(base, exponent);
  }
};

/// `power` by one exponent for a whole array, of the type that the base is converted to. As in NumPy, the exponents 2,
/// 1, 0.5, 0 and -1 are exactly the square, the base, its square root, 1 and its reciprocal.
template <class E>
struct power_by {
  static constexpr const char* name = "power";
  static constexpr bool uses_vector_math = true;
  E exponent;

  template <class A>
  using arguments = std::enable_if_t<arithmetic<A>, type_list<E>>;
  [[nodiscard]] [[gnu::always_inline]] constexpr E operator()(E base) const noexcept {
    // The branches do not depend on the element, so GCC makes a loop of each.
    if (exponent == E(2)) return square{}(base);
    if constexpr (inexact<E>) {
      if (exponent == E(1)) return base;
      if (exponent == E(0.5)) return square_root(base);
      if (exponent == E(0)) return E(1);
      if (exponent == E(-1)) return reciprocal{}(base);
    }
    if constexpr (integer<E>) {
      if (static_cast<std::make_unsigned_t<E>>(exponent) < 16) return product_of_squares<4>(base);
      return integer_power(base, exponent);
    } else {
      return power{}(base, exponent);
    }
  }

 private:
  /// Out of line: a loop in the loop over elements would keep the one that squares from being vectorised.
  [[gnu::noinline]] static constexpr E integer_power(E base, E exponent) noexcept { return power{}(base, exponent); }

  /// For an exponent of few bits: without an inner loop, so that the one over elements is vectorised.
  template <int Bits>
  [[gnu::always_inline]] constexpr E product_of_squares(E base) const noexcept {
    using modulus = detail::modular<E>;
    const auto bits = static_cast<modulus>(exponent);
    auto factor = static_cast<modulus>(base);
    modulus result = detail::select((bits & 1) != 0, factor, modulus{1});
    for (int i = 1; i < Bits; ++i) {
      factor *= factor;
      result *= detail::select((bits >> i & 1) != 0, factor, modulus{1});
    }
    return static_cast<E>(result);
  }

  /// Unlike `sqrt`, `power` has no negative zero here, and the square root of -infinity is infinity.
  [[gnu::always_inline]] static constexpr E square_root(E base) noexcept {
    if constexpr (complex_number<E>) {
      return sqrt{}(base);
    } else {
      const auto x = detail::widen(base);
      constexpr auto infinity = std::numeric_limits<decltype(+x)>::infinity();
      return detail::narrow<E>(math::select(x == -infinity, +infinity, math::sqrt(x + 0)));
    }
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
