/// @file
/// What the scalar operations share: the rules by which NumPy's ufuncs choose their loop types, and how half and
/// bfloat16 are computed.
///
/// An operation is a small trivially copyable struct with
/// - `name`: NumPy's name of the function;
/// - `arguments<A...>`: a `type_list` of what arguments of these types are converted to; ill-formed (SFINAE) where
/// NumPy
///   has no loop for them;
/// - a noexcept `operator()` that is called with exactly those types; what it returns is the result type.
#pragma once

#include <concepts>
#include <type_traits>

#include "../../core/bfloat16.hpp"
#include "../../core/cast.hpp"
#include "../../core/complex.hpp"
#include "../../core/config.hpp"
#include "../../core/dtype.hpp"
#include "../../core/half.hpp"
#include "../../core/promotion.hpp"
#include "../type_list.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {

template <class T>
concept real_number = boolean<T> || integer<T> || floating<T>;
template <class T>
concept inexact = floating<T> || complex_number<T>;

namespace detail {

using gpu::detail::cast;
using gpu::detail::select;

template <class T, class>
using always = T;

template <bool Supported, class T, class... A>
using repeat_if = std::enable_if_t<Supported, type_list<always<T, A>...>>;

template <class T>
using int8_if_bool = std::conditional_t<boolean<T>, int8, T>;

/// The smallest floating type that holds `T` in NumPy's loops: int8 computes in half, int16 in float.
template <class T>
using float_of =
    std::conditional_t<inexact<T>, T,
                       std::conditional_t<sizeof(T) == 1, half, std::conditional_t<sizeof(T) == 2, float, double>>>;

template <bool AnyInexact, class... A>
struct float_result : std::type_identity<result_type_t<float_of<A>...>> {};
template <class... A>
struct float_result<true, A...> : std::type_identity<result_type_t<A...>> {};

template <class... A>
using float_result_t = typename float_result<(inexact<A> || ...), A...>::type;

}  // namespace detail

// The rules, by what the arguments are converted to.

/// Their common type, whatever it is.
template <class... A>
using common_arguments = detail::repeat_if<(arithmetic<A> && ...), result_type_t<A...>, A...>;

/// Their common type; bool is not supported.
template <class... A>
using number_arguments =
    detail::repeat_if<(arithmetic<A> && ...) && !boolean<result_type_t<A...>>, result_type_t<A...>, A...>;

/// Their common type, with bool as int8.
template <class... A>
using numeric_arguments = detail::repeat_if<(arithmetic<A> && ...), detail::int8_if_bool<result_type_t<A...>>, A...>;

/// Their common type, with bool as int8; complex is not supported.
template <class... A>
using real_arguments = detail::repeat_if<(real_number<A> && ...), detail::int8_if_bool<result_type_t<A...>>, A...>;

/// bool or a common integer type; int64 with uint64 has none.
template <class... A>
using bit_arguments =
    detail::repeat_if<(std::integral<A> && ...) && std::integral<result_type_t<A...>>, result_type_t<A...>, A...>;

/// The same with bool as int8.
template <class... A>
using shift_arguments = detail::repeat_if<(std::integral<A> && ...) && std::integral<result_type_t<A...>>,
                                          detail::int8_if_bool<result_type_t<A...>>, A...>;

/// The same without bool.
template <class... A>
using integer_arguments =
    detail::repeat_if<(std::integral<A> && ...) && integer<result_type_t<A...>>, result_type_t<A...>, A...>;

/// A floating type: bool and 8-bit integers compute in half, 16-bit ones in float, wider ones in double.
template <class... A>
using floating_arguments = detail::repeat_if<(real_number<A> && ...), detail::float_result_t<A...>, A...>;

/// The same, or complex.
template <class... A>
using inexact_arguments = detail::repeat_if<(arithmetic<A> && ...), detail::float_result_t<A...>, A...>;

/// Each its own type.
template <class... A>
using own_arguments = std::enable_if_t<(arithmetic<A> && ...), type_list<A...>>;

namespace detail {

/// The unsigned type in which integers of type `T` are added and multiplied modulo 2^n without overflow.
template <integer T>
using modular = std::conditional_t<sizeof(T) < sizeof(uint32), uint32, std::make_unsigned_t<T>>;

// `a && b` and `a || b` without branches.
[[gnu::always_inline]] constexpr bool both(bool a, bool b) noexcept { return a & b; }
[[gnu::always_inline]] constexpr bool either(bool a, bool b) noexcept { return a | b; }

/// `x < 0`, without compilers' complaints where that is never so.
template <integer T>
[[gnu::always_inline]] constexpr bool is_negative(T x) noexcept {
  if constexpr (std::is_signed_v<T>) {
    return x < 0;
  } else {
    return false;
  }
}

/// `condition ? a : b` by masks: GCC makes branches of `?:` next to floating-point arithmetic and then no vector loop.
template <integer T>
[[gnu::always_inline]] constexpr T select(bool condition, T a, T b) noexcept {
  const auto mask = modular<T>{0} - static_cast<modular<T>>(condition);
  return static_cast<T>(static_cast<modular<T>>(b) ^
                        ((static_cast<modular<T>>(a) ^ static_cast<modular<T>>(b)) & mask));
}

/// A bool as the byte that it is: GCC vectorises no conditions on bools that were loaded.
[[gnu::always_inline]] constexpr bool is_set(bool x) noexcept { return __builtin_bit_cast(uint8, x) != 0; }
[[gnu::always_inline]] constexpr bool is_clear(bool x) noexcept { return __builtin_bit_cast(uint8, x) == 0; }

/// `condition ? a : b` in the form that vectorises for each type.
template <class T>
[[gnu::always_inline]] constexpr T choose(bool condition, T a, T b) noexcept {
  if constexpr (complex_number<T>) {
    return {select(condition, a.re, b.re), select(condition, a.im, b.im)};
  } else if constexpr (narrow_float<T>) {
    return T::from_bits(select(condition, a.bits, b.bits));
  } else if constexpr (std::is_floating_point_v<T>) {
    return select(condition, a, b);
  } else {
    return condition ? a : b;
  }
}

template <class T>
[[gnu::always_inline]] constexpr auto widen(T x) noexcept {
  if constexpr (narrow_float<T>) {
    return static_cast<float>(x);
  } else {
    return x;
  }
}

template <class T, class R>
[[gnu::always_inline]] constexpr auto narrow(R result) noexcept {
  if constexpr (narrow_float<T> && std::same_as<R, float>) {
    return T(result);
  } else {
    return result;
  }
}

/// The base of operations with a static `compute` for float, double, complex and integers: half and bfloat16 are
/// computed in float and a float result is rounded to them once.
template <class Operation>
struct widened {
  template <class T, class... Rest>
  [[nodiscard]] [[gnu::always_inline]] constexpr auto operator()(T first, Rest... rest) const noexcept {
    return narrow<T>(Operation::compute(widen(first), widen(rest)...));
  }
};

}  // namespace detail
}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
