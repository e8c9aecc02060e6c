/// @file
/// rint, floor, ceil, trunc, fix, round.
#pragma once

#include <limits>

#include "rules.hpp"
#include "vector_math.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {

namespace detail {

/// Integers are rounded already and keep their type.
template <class A>
using rounded_arguments = std::enable_if_t<real_number<A>, type_list<A>>;

}  // namespace detail

/// To the nearest integer, ties to even. Integers give a floating type; complex numbers round by parts.
struct rint : detail::widened<rint> {
  static constexpr const char* name = "rint";
  template <class A>
  using arguments = inexact_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    if constexpr (complex_number<T>) {
      return {math::rint(x.re), math::rint(x.im)};
    } else {
      return math::rint(x);
    }
  }
};

struct floor : detail::widened<floor> {
  static constexpr const char* name = "floor";
  template <class A>
  using arguments = detail::rounded_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    if constexpr (std::integral<T>) {
      return x;
    } else {
      return math::floor(x);
    }
  }
};

struct ceil : detail::widened<ceil> {
  static constexpr const char* name = "ceil";
  template <class A>
  using arguments = detail::rounded_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    if constexpr (std::integral<T>) {
      return x;
    } else {
      return math::ceil(x);
    }
  }
};

struct trunc : detail::widened<trunc> {
  static constexpr const char* name = "trunc";
  template <class A>
  using arguments = detail::rounded_arguments<A>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    if constexpr (std::integral<T>) {
      return x;
    } else {
      return math::trunc(x);
    }
  }
};

/// Towards zero: `trunc` under its older name.
struct fix : trunc {
  static constexpr const char* name = "fix";
};

/// To a number of decimals, ties to even after scaling by a power of ten, with NumPy's roundings on the way. Negative
/// decimals round to tens, hundreds, ..., also integers. bool gives float16.
struct round {
  static constexpr const char* name = "round";

  constexpr explicit round(int decimals = 0) noexcept {
    double& scale = decimals < 0 ? divisor_ : factor_;
    for (int i = decimals < 0 ? decimals : -decimals; i < 0 && scale < std::numeric_limits<double>::max(); ++i)
      scale *= 10;
  }

  template <class A>
  using arguments = std::enable_if_t<arithmetic<A>, type_list<std::conditional_t<boolean<A>, half, A>>>;

  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(T x) const noexcept {
    if constexpr (integer<T>) {
      if (divisor_ == 1) return x;
      return of_double<T>(math::rint(static_cast<double>(x) / divisor_) * divisor_);
    } else if constexpr (complex_number<T>) {
      return {operator()(x.re), operator()(x.im)};
    } else {
      const T factor = static_cast<T>(factor_);
      const T divisor = static_cast<T>(divisor_);
      return nearest(x * factor / divisor) / factor * divisor;
    }
  }

 private:
  // One of them is 1, which changes nothing: branches would keep loops from vectorising.
  double factor_ = 1;
  double divisor_ = 1;

  template <class T>
  [[gnu::always_inline]] static constexpr T nearest(T x) noexcept {
    return detail::narrow<T>(math::rint(detail::widen(x)));
  }

  /// A rounded integer may be just beyond its type: it wraps, as in NumPy.
  template <integer T>
  [[gnu::always_inline]] static constexpr T of_double(double x) noexcept {
    return static_cast<T>(detail::cast<std::conditional_t<std::same_as<T, uint64>, uint64, int64>>(x));
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
