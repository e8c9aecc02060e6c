/// @file
/// add, subtract, multiply, divide, reciprocal, negative, positive, absolute, fabs, sign, square.
#pragma once

#include <limits>

#include "rules.hpp"
#include "vector_math.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {

/// Integers wrap; bool is "or".
struct add {
  static constexpr const char* name = "add";
  template <class A, class B>
  using arguments = common_arguments<A, B>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T a, T b) const noexcept {
    if constexpr (boolean<T>) {
      return static_cast<bool>(a | b);
    } else if constexpr (integer<T>) {
      return static_cast<T>(static_cast<detail::modular<T>>(a) + static_cast<detail::modular<T>>(b));
    } else {
      return a + b;
    }
  }
};

/// Integers wrap; bool is not supported.
struct subtract {
  static constexpr const char* name = "subtract";
  template <class A, class B>
  using arguments = number_arguments<A, B>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T a, T b) const noexcept {
    if constexpr (integer<T>) {
      return static_cast<T>(static_cast<detail::modular<T>>(a) - static_cast<detail::modular<T>>(b));
    } else {
      return a - b;
    }
  }
};

/// Integers wrap; bool is "and".
struct multiply {
  static constexpr const char* name = "multiply";
  template <class A, class B>
  using arguments = common_arguments<A, B>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T a, T b) const noexcept {
    if constexpr (boolean<T>) {
      return static_cast<bool>(a & b);
    } else if constexpr (integer<T>) {
      return static_cast<T>(static_cast<detail::modular<T>>(a) * static_cast<detail::modular<T>>(b));
    } else {
      return a * b;
    }
  }
};

/// True division: integers and bool give float64.
struct divide {
  static constexpr const char* name = "divide";
  template <class A, class B>
  using arguments = detail::repeat_if<arithmetic<A> && arithmetic<B>,
                                      std::conditional_t<inexact<A> || inexact<B>, result_type_t<A, B>, double>, A, B>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T a, T b) const noexcept {
    return a / b;
  }
};

/// An integer gives 0 but for 1 and -1; of 0 it gives what x86 makes of infinity, as NumPy does.
struct reciprocal : detail::widened<reciprocal> {
  static constexpr const char* name = "reciprocal";
  template <class A>
  using arguments = numeric_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    if constexpr (integer<T>) {
      constexpr T of_zero = std::is_signed_v<T> && sizeof(T) >= 4 ? std::numeric_limits<T>::min() : T{0};
      const bool unit = (x == 1) | (std::is_signed_v<T> & (x == static_cast<T>(-1)));
      return x == 0 ? of_zero : unit ? x : T{0};
    } else if constexpr (complex_number<T>) {
      using part = typename T::value_type;
      const bool real_larger = math::fabs(x.im) <= math::fabs(x.re);
      const part large = math::select(real_larger, x.re, x.im);
      const part small = math::select(real_larger, x.im, x.re);
      const part ratio = small / large;
      const part scale = large + small * ratio;
      const part one = part{1} / scale;
      const part rest = ratio / scale;
      return {math::select(real_larger, one, rest), -math::select(real_larger, rest, one)};
    } else {
      return T{1} / x;
    }
  }
};

/// Integers wrap, unsigned ones too; bool is not supported.
struct negative {
  static constexpr const char* name = "negative";
  template <class A>
  using arguments = number_arguments<A>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T x) const noexcept {
    if constexpr (integer<T>) {
      return static_cast<T>(detail::modular<T>{0} - static_cast<detail::modular<T>>(x));
    } else {
      return -x;
    }
  }
};

struct positive {
  static constexpr const char* name = "positive";
  template <class A>
  using arguments = number_arguments<A>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T x) const noexcept {
    return x;
  }
};

/// The most negative integer stays; complex numbers give their magnitude, without overflow on the way.
struct absolute {
  static constexpr const char* name = "absolute";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = common_arguments<A>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr real_t<T> operator()(T x) const noexcept {
    if constexpr (std::is_unsigned_v<T>) {
      return x;
    } else if constexpr (narrow_float<T>) {
      return T::from_bits(static_cast<uint16>(x.bits & 0x7fffu));
    } else if constexpr (integer<T>) {
      return x < 0 ? negative{}(x) : x;
    } else if constexpr (complex_number<T>) {
      return math::hypot(x.re, x.im);
    } else {
      return math::fabs(x);
    }
  }
};

/// `absolute` in a floating type.
struct fabs {
  static constexpr const char* name = "fabs";
  template <class A>
  using arguments = floating_arguments<A>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T x) const noexcept {
    return absolute{}(x);
  }
};

/// -1, 0 or 1 (-0.0 gives 0); NaN stays NaN; a complex number gives `z / abs(z)`.
struct sign : detail::widened<sign> {
  static constexpr const char* name = "sign";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = number_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    if constexpr (integer<T>) {
      return static_cast<T>((x > 0) - detail::is_negative(x));
    } else if constexpr (complex_number<T>) {
      return of_complex(x);
    } else {
      const T unit = math::select(x != T{0}, math::copysign(T{1}, x), T{0});
      return math::select(x == x, unit, x);
    }
  }

 private:
  template <class T>
  [[gnu::always_inline]] static constexpr complex<T> of_complex(complex<T> z) noexcept {
    const T size = math::hypot(z.re, z.im);
    const bool zero = size == T{0};
    const bool infinite = size == std::numeric_limits<T>::infinity();
    // An infinite part, or the imaginary one where only the magnitude overflows, makes the other one 0; two infinite
    // parts have no direction.
    const bool re_infinite = math::fabs(z.re) == size;
    const bool im_infinite = math::fabs(z.im) == size;
    const T unit = math::select(re_infinite & im_infinite & infinite, std::numeric_limits<T>::quiet_NaN(), T{1});
    const T re_unit = math::select(re_infinite, math::copysign(unit, z.re), T{0});
    const T im_unit = math::select(re_infinite & !im_infinite, T{0}, math::copysign(unit, z.im));
    const T re = math::select(infinite, re_unit, z.re / size);
    const T im = math::select(infinite, im_unit, z.im / size);
    return {math::select(zero, T{0}, re), math::select(zero, T{0}, im)};
  }
};

struct square {
  static constexpr const char* name = "square";
  template <class A>
  using arguments = numeric_arguments<A>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T x) const noexcept {
    return multiply{}(x, x);
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
