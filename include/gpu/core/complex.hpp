/// @file
/// `complex<T>`: a plain pair that vectorises, with NumPy's arithmetic.
#pragma once

#include <concepts>
#include <type_traits>

#include "dtype.hpp"
#include "float_bits.hpp"

namespace gpu {

namespace detail {

/// A complex number of another library: std::complex, thrust::complex (`real()`) or CUDA's float2 and double2 (`x`,
/// `y`).
template <class Z>
concept has_real_and_imag = std::is_trivially_copyable_v<Z> && requires(const Z& z) {
  requires std::is_arithmetic_v<std::remove_cvref_t<decltype(z.real())>>;
  requires std::is_arithmetic_v<std::remove_cvref_t<decltype(z.imag())>>;
};
template <class Z>
concept has_x_and_y = std::is_trivially_copyable_v<Z> && requires(const Z& z) {
  requires std::is_floating_point_v<std::remove_cvref_t<decltype(z.x)>>;
  requires sizeof(Z) == 2 * sizeof(z.x);
  z.y;
};
template <class Z>
concept foreign_complex = std::is_class_v<Z> && (has_real_and_imag<Z> || has_x_and_y<Z>);

template <class Z>
struct component {
  using type = std::remove_cvref_t<decltype(std::declval<const Z&>().real())>;
};
template <has_x_and_y Z>
struct component<Z> {
  using type = std::remove_cvref_t<decltype(Z::x)>;
};
template <foreign_complex Z>
using component_t = typename component<Z>::type;

}  // namespace detail

namespace detail {

// Not through <cmath>, whose special functions cost every unit a tenth of a second.
template <class T>
[[nodiscard]] constexpr T hypot(T x, T y) noexcept {
#if defined(__CUDA_ARCH__)
  return ::hypot(x, y);
#else
  if constexpr (sizeof(T) == sizeof(float)) {
    return __builtin_hypotf(x, y);
  } else {
    return __builtin_hypot(x, y);
  }
#endif
}
template <class T>
[[nodiscard]] constexpr T atan2(T y, T x) noexcept {
#if defined(__CUDA_ARCH__)
  return ::atan2(y, x);
#else
  if constexpr (sizeof(T) == sizeof(float)) {
    return __builtin_atan2f(y, x);
  } else {
    return __builtin_atan2(y, x);
  }
#endif
}

}  // namespace detail

/// A complex number: two `T`, layout-compatible with `std::complex<T>`, `thrust::complex<T>` and CUDA's
/// `float2`/`double2`. Multiplication is the plain formula and division is Smith's, both as NumPy computes them,
/// infinities and NaN included; a real operand takes part as `complex(x, 0)`.
template <class T>
struct complex {
  using value_type = T;

  T re{};
  T im{};

  constexpr complex() noexcept = default;
  [[gnu::always_inline]] constexpr complex(T real, T imag = T{}) noexcept : re(real), im(imag) {}
  /// From another precision or library; implicit where it loses nothing.
  template <detail::foreign_complex Z>
    requires(!std::same_as<Z, complex>)
  [[gnu::always_inline]] constexpr explicit(sizeof(detail::component_t<Z>) > sizeof(T)) complex(const Z& z) noexcept {
    if constexpr (detail::has_real_and_imag<Z>) {
      re = static_cast<T>(z.real());
      im = static_cast<T>(z.imag());
    } else {
      re = static_cast<T>(z.x);
      im = static_cast<T>(z.y);
    }
  }

  /// To another library's complex type.
  template <detail::foreign_complex Z>
    requires(!complex_number<Z>)
  [[gnu::always_inline]] constexpr explicit operator Z() const noexcept {
    using component = detail::component_t<Z>;
    return Z{static_cast<component>(re), static_cast<component>(im)};
  }

  [[nodiscard]] [[gnu::always_inline]] constexpr T real() const noexcept { return re; }
  [[nodiscard]] [[gnu::always_inline]] constexpr T imag() const noexcept { return im; }
  [[gnu::always_inline]] constexpr void real(T value) noexcept { re = value; }
  [[gnu::always_inline]] constexpr void imag(T value) noexcept { im = value; }

  [[gnu::always_inline]] constexpr complex& operator+=(complex b) noexcept { return *this = *this + b; }
  [[gnu::always_inline]] constexpr complex& operator-=(complex b) noexcept { return *this = *this - b; }
  [[gnu::always_inline]] constexpr complex& operator*=(complex b) noexcept { return *this = *this * b; }
  [[gnu::always_inline]] constexpr complex& operator/=(complex b) noexcept { return *this = *this / b; }
};

template <class T>
[[gnu::always_inline]] constexpr complex<T> operator+(complex<T> a) noexcept {
  return a;
}
template <class T>
[[gnu::always_inline]] constexpr complex<T> operator-(complex<T> a) noexcept {
  return {-a.re, -a.im};
}
template <class T>
[[gnu::always_inline]] constexpr complex<T> operator+(complex<T> a, complex<T> b) noexcept {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
[[gnu::always_inline]] constexpr complex<T> operator-(complex<T> a, complex<T> b) noexcept {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
[[gnu::always_inline]] constexpr complex<T> operator*(complex<T> a, complex<T> b) noexcept {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

/// Smith's algorithm; a zero divisor gives infinities or NaN, never a trap.
template <class T>
[[gnu::always_inline]] constexpr complex<T> operator/(complex<T> a, complex<T> b) noexcept {
  using detail::select;
  const T real_size = select(b.re < T{0}, -b.re, b.re);
  const T imag_size = select(b.im < T{0}, -b.im, b.im);
  const bool real_larger = real_size >= imag_size;
  const bool zero = (real_size == T{0}) & (imag_size == T{0});
  const T large = select(zero, T{0}, select(real_larger, b.re, b.im));
  const T small = select(real_larger, b.im, b.re);
  const T ratio = select(zero, T{0}, small / large);
  const T scale = T{1} / (large + small * ratio);
  // A zero divisor divides both parts by +0, so what multiplies the ratio must not enter (infinity * 0 is NaN).
  const T scaled_re = select(zero, T{0}, a.re * ratio);
  const T scaled_im = select(zero, T{0}, a.im * ratio);
  const T re = select(real_larger, a.re + scaled_im, scaled_re + a.im);
  const T im = select(real_larger, a.im - scaled_re, scaled_im - a.re);
  return {re * scale, im * scale};
}

/// Mixed with a real number, which has the complex number's precision whatever its own type.
template <class T, class R>
  requires std::is_arithmetic_v<R>
[[gnu::always_inline]] constexpr complex<T> operator+(complex<T> a, R b) noexcept {
  return a + complex<T>(static_cast<T>(b));
}
template <class T, class R>
  requires std::is_arithmetic_v<R>
[[gnu::always_inline]] constexpr complex<T> operator+(R a, complex<T> b) noexcept {
  return complex<T>(static_cast<T>(a)) + b;
}
template <class T, class R>
  requires std::is_arithmetic_v<R>
[[gnu::always_inline]] constexpr complex<T> operator-(complex<T> a, R b) noexcept {
  return a - complex<T>(static_cast<T>(b));
}
template <class T, class R>
  requires std::is_arithmetic_v<R>
[[gnu::always_inline]] constexpr complex<T> operator-(R a, complex<T> b) noexcept {
  return complex<T>(static_cast<T>(a)) - b;
}
template <class T, class R>
  requires std::is_arithmetic_v<R>
[[gnu::always_inline]] constexpr complex<T> operator*(complex<T> a, R b) noexcept {
  return a * complex<T>(static_cast<T>(b));
}
template <class T, class R>
  requires std::is_arithmetic_v<R>
[[gnu::always_inline]] constexpr complex<T> operator*(R a, complex<T> b) noexcept {
  return complex<T>(static_cast<T>(a)) * b;
}
template <class T, class R>
  requires std::is_arithmetic_v<R>
[[gnu::always_inline]] constexpr complex<T> operator/(complex<T> a, R b) noexcept {
  return a / complex<T>(static_cast<T>(b));
}
template <class T, class R>
  requires std::is_arithmetic_v<R>
[[gnu::always_inline]] constexpr complex<T> operator/(R a, complex<T> b) noexcept {
  return complex<T>(static_cast<T>(a)) / b;
}

template <class T>
[[nodiscard]] [[gnu::always_inline]] constexpr bool operator==(complex<T> a, complex<T> b) noexcept {
  return (a.re == b.re) & (a.im == b.im);
}
template <class T, class R>
  requires std::is_arithmetic_v<R>
[[nodiscard]] [[gnu::always_inline]] constexpr bool operator==(complex<T> a, R b) noexcept {
  return a == complex<T>(static_cast<T>(b));
}

template <class T>
[[nodiscard]] [[gnu::always_inline]] constexpr complex<T> conj(complex<T> z) noexcept {
  return {z.re, -z.im};
}
/// The squared magnitude; it overflows where `abs` does not.
template <class T>
[[nodiscard]] [[gnu::always_inline]] constexpr T norm(complex<T> z) noexcept {
  return z.re * z.re + z.im * z.im;
}
/// The magnitude, without overflow on the way; infinite where a part is, even if the other is NaN.
template <class T>
[[nodiscard]] [[gnu::always_inline]] constexpr T abs(complex<T> z) noexcept {
  return detail::hypot(z.re, z.im);
}
/// The angle in (-pi, pi].
template <class T>
[[nodiscard]] [[gnu::always_inline]] constexpr T arg(complex<T> z) noexcept {
  return detail::atan2(z.im, z.re);
}

}  // namespace gpu
