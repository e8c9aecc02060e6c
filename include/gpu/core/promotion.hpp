/// @file
/// Type promotion as in NumPy 2: one table, and what follows from it.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "bfloat16.hpp"
#include "complex.hpp"
#include "dtype.hpp"
#include "error.hpp"
#include "half.hpp"

namespace gpu {

namespace detail {

inline constexpr int dtype_count = 15;

struct promotion_table {
  dtype entries[dtype_count][dtype_count];
};

/// NumPy 2's `promote_types`. bfloat16 goes as NumPy with ml_dtypes: like float16 with integers (int8 and uint8 fit its
/// 8 bits, 16-bit integers give float32, wider ones float64), and float32 together with float16.
inline constexpr promotion_table promotions = [] {
  constexpr dtype b1 = dtype::bool_, i1 = dtype::int8, i2 = dtype::int16, i4 = dtype::int32, i8 = dtype::int64;
  constexpr dtype u1 = dtype::uint8, u2 = dtype::uint16, u4 = dtype::uint32, u8 = dtype::uint64;
  constexpr dtype f2 = dtype::float16, bf = dtype::bfloat16, f4 = dtype::float32, f8 = dtype::float64;
  constexpr dtype c8 = dtype::complex64, cc = dtype::complex128;
  // clang-format off
  return promotion_table{{
    {b1, i1, i2, i4, i8, u1, u2, u4, u8, f2, bf, f4, f8, c8, cc},  // bool
    {i1, i1, i2, i4, i8, i2, i4, i8, f8, f2, bf, f4, f8, c8, cc},  // int8
    {i2, i2, i2, i4, i8, i2, i4, i8, f8, f4, f4, f4, f8, c8, cc},  // int16
    {i4, i4, i4, i4, i8, i4, i4, i8, f8, f8, f8, f8, f8, cc, cc},  // int32
    {i8, i8, i8, i8, i8, i8, i8, i8, f8, f8, f8, f8, f8, cc, cc},  // int64
    {u1, i2, i2, i4, i8, u1, u2, u4, u8, f2, bf, f4, f8, c8, cc},  // uint8
    {u2, i4, i4, i4, i8, u2, u2, u4, u8, f4, f4, f4, f8, c8, cc},  // uint16
    {u4, i8, i8, i8, i8, u4, u4, u4, u8, f8, f8, f8, f8, cc, cc},  // uint32
    {u8, f8, f8, f8, f8, u8, u8, u8, u8, f8, f8, f8, f8, cc, cc},  // uint64
    {f2, f2, f4, f8, f8, f2, f4, f8, f8, f2, f4, f4, f8, c8, cc},  // float16
    {bf, bf, f4, f8, f8, bf, f4, f8, f8, f4, bf, f4, f8, c8, cc},  // bfloat16
    {f4, f4, f4, f8, f8, f4, f4, f8, f8, f4, f4, f4, f8, c8, cc},  // float32
    {f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, f8, cc, cc},  // float64
    {c8, c8, c8, cc, cc, c8, c8, cc, cc, c8, c8, c8, cc, c8, cc},  // complex64
    {cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc, cc},  // complex128
  }};
  // clang-format on
}();

template <dtype>
struct element_of;
template <>
struct element_of<dtype::bool_> : std::type_identity<bool> {};
template <>
struct element_of<dtype::int8> : std::type_identity<int8> {};
template <>
struct element_of<dtype::int16> : std::type_identity<int16> {};
template <>
struct element_of<dtype::int32> : std::type_identity<int32> {};
template <>
struct element_of<dtype::int64> : std::type_identity<int64> {};
template <>
struct element_of<dtype::uint8> : std::type_identity<uint8> {};
template <>
struct element_of<dtype::uint16> : std::type_identity<uint16> {};
template <>
struct element_of<dtype::uint32> : std::type_identity<uint32> {};
template <>
struct element_of<dtype::uint64> : std::type_identity<uint64> {};
template <>
struct element_of<dtype::float16> : std::type_identity<half> {};
template <>
struct element_of<dtype::bfloat16> : std::type_identity<bfloat16> {};
template <>
struct element_of<dtype::float32> : std::type_identity<float> {};
template <>
struct element_of<dtype::float64> : std::type_identity<double> {};
template <>
struct element_of<dtype::complex64> : std::type_identity<complex<float>> {};
template <>
struct element_of<dtype::complex128> : std::type_identity<complex<double>> {};

}  // namespace detail

/// The element type that a dtype names: `element_t<dtype::float32>` is float.
template <dtype D>
using element_t = typename detail::element_of<D>::type;

/// The dtype that holds values of both, as `numpy.promote_types`. @throws type_error for two differing types of a user.
[[nodiscard]] constexpr dtype promote_types(dtype a, dtype b) {
  if (a == dtype::other || b == dtype::other) {
    detail::raise<type_error>("no common type for ", name(a), " and ", name(b));
  }
  return detail::promotions.entries[static_cast<int>(a)][static_cast<int>(b)];
}

namespace detail {

/// bool, unsigned, signed, real, complex: `casting::same_kind` allows a cast that does not go down.
[[nodiscard]] constexpr int kind_order(dtype t) noexcept {
  if (t == dtype::bool_) return 0;
  if (t >= dtype::complex64) return 4;
  if (t >= dtype::float16) return 3;
  return t >= dtype::uint8 ? 1 : 2;
}

}  // namespace detail

/// The dtype of an operation on arrays of these dtypes, as `numpy.result_type`: of three or more, those of the highest
/// kind count first, so int16, uint16 and float32 give float32. @throws type_error as `promote_types`.
template <std::same_as<dtype>... D>
[[nodiscard]] constexpr dtype result_type(dtype first, D... rest) {
  const dtype types[] = {first, rest...};
  dtype result = dtype::bool_;
  for (int kind = detail::kind_order(dtype::other); kind > 0; --kind) {
    for (const dtype t : types) {
      if (detail::kind_order(t) == kind) result = promote_types(result, t);
    }
  }
  return result;
}

namespace detail {

template <class... T>
struct result_of;
template <arithmetic... T>
  requires(sizeof...(T) > 0)
struct result_of<T...> : std::type_identity<element_t<result_type(dtype_of<T>...)>> {};
template <class T, class... Rest>
  requires(!arithmetic<T> && (std::same_as<T, Rest> && ...))
struct result_of<T, Rest...> : std::type_identity<T> {};

}  // namespace detail

/// The element type of an operation on arrays of these element types: NumPy 2's table. A type of a user's only goes
/// with itself.
template <class... T>
using result_type_t = typename detail::result_of<std::remove_cv_t<T>...>::type;

/// The real type of a complex one; any other type itself.
template <class T>
struct real_type : std::type_identity<T> {};
template <class T>
struct real_type<complex<T>> : std::type_identity<T> {};
template <class T>
using real_t = typename real_type<std::remove_cv_t<T>>::type;

/// The complex type that holds `T`: complex64 for half, bfloat16 and float, complex128 for double and integers.
template <arithmetic T>
using complex_t =
    std::conditional_t<complex_number<T>, std::remove_cv_t<T>,
                       std::conditional_t<floating<T> && sizeof(T) <= 4, complex<float>, complex<double>>>;

namespace detail {

template <class T>
using inexact_t = std::conditional_t<floating<T> || complex_number<T>, std::remove_cv_t<T>, double>;

template <class T, class Scalar>
constexpr auto weak_result() {
  if constexpr (boolean<Scalar>) {
    return std::type_identity<T>{};
  } else if constexpr (std::integral<Scalar>) {
    return std::type_identity<std::conditional_t<boolean<T>, int64, T>>{};
  } else if constexpr (complex_number<Scalar>) {
    return std::type_identity<complex_t<T>>{};
  } else {
    return std::type_identity<inexact_t<T>>{};
  }
}

}  // namespace detail

/// The inexact type that holds arrays of all these types, as `numpy.common_type`: integers count as double.
template <arithmetic... T>
using common_type_t = result_type_t<detail::inexact_t<T>...>;

/// The element type of an array of `T` with a C++ scalar, which is weak (NEP 50): only its kind counts, not its size.
/// bool keeps `T`; an integer keeps `T` (bool becomes int64); a real number turns bool and integers into float64;
/// a complex number makes `T` complex in the precision it has.
template <arithmetic T, arithmetic Scalar>
using weak_result_t = typename decltype(detail::weak_result<std::remove_cv_t<T>, std::remove_cv_t<Scalar>>())::type;

/// True if `T` can represent the integer; always true for a `T` that is no integer type.
template <arithmetic T, std::integral Scalar>
[[nodiscard]] constexpr bool fits(Scalar scalar) noexcept {
  if constexpr (integer<T>) {
    using limits = std::numeric_limits<T>;
    if (std::is_signed_v<Scalar> && scalar < Scalar{}) {
      return std::is_signed_v<T> && static_cast<std::int64_t>(scalar) >= static_cast<std::int64_t>(limits::min());
    }
    return static_cast<std::uint64_t>(scalar) <= static_cast<std::uint64_t>(limits::max());
  } else {
    return true;
  }
}

/// Checks a weak scalar against the element type that it will have. @throws type_error for an integer that `T` cannot
/// represent: "integer 300 out of bounds for int8".
template <arithmetic T, arithmetic Scalar>
constexpr void check_weak(Scalar scalar) {
  if constexpr (std::integral<Scalar>) {
    if (!fits<T>(scalar)) detail::raise<type_error>("integer ", scalar, " out of bounds for ", name(dtype_of<T>));
  }
}

/// NumPy's casting rules, each allowing what the ones before it do.
enum class casting : std::uint8_t {
  no,         ///< The same dtype only.
  equiv,      ///< The same here: there are no byte orders.
  safe,       ///< No value is lost.
  same_kind,  ///< Also to less precision within a kind: float64 to float32, int64 to int8; never signed to unsigned.
  unsafe      ///< Anything.
};

/// True if a cast is allowed under the rule, as `numpy.can_cast`. False for types of a user's, except by `unsafe`.
[[nodiscard]] constexpr bool can_cast(dtype from, dtype to, casting rule = casting::safe) noexcept {
  if (rule == casting::unsafe) return true;
  if (from == dtype::other || to == dtype::other) return false;
  if (from == to) return true;
  if (rule < casting::safe) return false;
  if (detail::promotions.entries[static_cast<int>(from)][static_cast<int>(to)] == to) return true;
  return rule == casting::same_kind && detail::kind_order(from) <= detail::kind_order(to);
}
/// The same for element types; a type of a user's casts to itself.
template <class From, class To>
[[nodiscard]] constexpr bool can_cast(casting rule = casting::safe) noexcept {
  return std::same_as<From, To> || can_cast(dtype_of<From>, dtype_of<To>, rule);
}

/// What assignment and `op=` accept without `astype`.
template <class From, class To>
concept same_kind_castable = can_cast<std::remove_cv_t<From>, std::remove_cv_t<To>>(casting::same_kind);

namespace detail {

template <class T>
using wide_integer_t = std::conditional_t<boolean<T> || (integer<T> && std::is_signed_v<T>), int64,
                                          std::conditional_t<integer<T>, uint64, T>>;

}  // namespace detail

namespace detail {

template <class T>
using wide_integer_t = std::conditional_t<boolean<T> || (integer<T> && std::is_signed_v<T>), int64,
                                          std::conditional_t<integer<T>, uint64, T>>;

}  // namespace detail

/// The type in which sums and products of `T` are accumulated: 64 bits for bool and integers, float for half and
/// bfloat16.
template <class T>
using accumulator_t = std::conditional_t<narrow_float<T>, float, detail::wide_integer_t<std::remove_cv_t<T>>>;

/// The element type that `sum` and `prod` of an array of `T` have: `T`, but 64 bits for bool and integers.
template <class T>
using sum_result_t = detail::wide_integer_t<std::remove_cv_t<T>>;

}  // namespace gpu
