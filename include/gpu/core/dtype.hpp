/// @file
/// The element types, their names, and what is known of each at compile time and at run time.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace gpu {

struct half;
struct bfloat16;
template <class T>
struct complex;

/// The element types at run time, in NumPy's order of promotion within a kind.
enum class dtype : std::uint8_t {
  bool_,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,
  complex128,
  other  ///< A trivially copyable type of the user's.
};

// NumPy's names of the element types; after the enumeration, whose enumerators would otherwise shadow them.
using bool_ = bool;
using int8 = std::int8_t;
using int16 = std::int16_t;
using int32 = std::int32_t;
using int64 = std::int64_t;
using uint8 = std::uint8_t;
using uint16 = std::uint16_t;
using uint32 = std::uint32_t;
using uint64 = std::uint64_t;
using float16 = half;
using float32 = float;
using float64 = double;
using complex64 = complex<float>;
using complex128 = complex<double>;

/// The dtype of an element type; integers go by size and sign, so `long long` is int64 too.
template <class T>
inline constexpr dtype dtype_of = [] {
  if constexpr (std::same_as<T, bool>) {
    return dtype::bool_;
  } else if constexpr (std::integral<T> && std::is_signed_v<T>) {
    return sizeof(T) == 1 ? dtype::int8 : sizeof(T) == 2 ? dtype::int16 : sizeof(T) == 4 ? dtype::int32 : dtype::int64;
  } else if constexpr (std::integral<T>) {
    return sizeof(T) == 1   ? dtype::uint8
           : sizeof(T) == 2 ? dtype::uint16
           : sizeof(T) == 4 ? dtype::uint32
                            : dtype::uint64;
  } else if constexpr (std::same_as<T, half>) {
    return dtype::float16;
  } else if constexpr (std::same_as<T, bfloat16>) {
    return dtype::bfloat16;
  } else if constexpr (std::same_as<T, float>) {
    return dtype::float32;
  } else if constexpr (std::same_as<T, double>) {
    return dtype::float64;
  } else if constexpr (std::same_as<T, complex<float>>) {
    return dtype::complex64;
  } else if constexpr (std::same_as<T, complex<double>>) {
    return dtype::complex128;
  } else {
    return dtype::other;
  }
}();

/// NumPy's name of a dtype ("float32"); "other" for a type of the user's.
[[nodiscard]] constexpr const char* name(dtype t) noexcept {
  constexpr const char* names[] = {"bool",    "int8",      "int16",      "int32",   "int64",    "uint8",
                                   "uint16",  "uint32",    "uint64",     "float16", "bfloat16", "float32",
                                   "float64", "complex64", "complex128", "other"};
  return names[static_cast<int>(t)];
}

/// Bytes of one element; 0 for `dtype::other`.
[[nodiscard]] constexpr std::size_t itemsize(dtype t) noexcept {
  constexpr std::uint8_t sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16, 0};
  return sizes[static_cast<int>(t)];
}

/// Calls `f` with a value-initialised element of the type that `t` names: the one switch over dtypes.
/// half, bfloat16 and complex must be complete where it is instantiated (include gpu/core/types.hpp).
template <class F>
constexpr decltype(auto) visit_dtype(dtype t, F&& f) {
  switch (t) {
    case dtype::bool_: return f(std::type_identity<bool>{});
    case dtype::int8: return f(std::type_identity<int8>{});
    case dtype::int16: return f(std::type_identity<int16>{});
    case dtype::int32: return f(std::type_identity<int32>{});
    case dtype::int64: return f(std::type_identity<int64>{});
    case dtype::uint8: return f(std::type_identity<uint8>{});
    case dtype::uint16: return f(std::type_identity<uint16>{});
    case dtype::uint32: return f(std::type_identity<uint32>{});
    case dtype::uint64: return f(std::type_identity<uint64>{});
    case dtype::float16: return f(std::type_identity<half>{});
    case dtype::bfloat16: return f(std::type_identity<bfloat16>{});
    case dtype::float32: return f(std::type_identity<float>{});
    case dtype::float64: return f(std::type_identity<double>{});
    case dtype::complex64: return f(std::type_identity<complex<float>>{});
    default: return f(std::type_identity<complex<double>>{});
  }
}

// Kinds, as concepts. half and bfloat16 are floating, complex is inexact but not floating.
template <class T>
concept boolean = std::same_as<std::remove_cv_t<T>, bool>;
template <class T>
concept integer = std::integral<T> && !boolean<T>;
template <class T>
concept narrow_float = std::same_as<std::remove_cv_t<T>, half> || std::same_as<std::remove_cv_t<T>, bfloat16>;
template <class T>
concept floating =
    std::same_as<std::remove_cv_t<T>, float> || std::same_as<std::remove_cv_t<T>, double> || narrow_float<T>;

template <class T>
inline constexpr bool is_complex_v = false;
template <class T>
inline constexpr bool is_complex_v<complex<T>> = true;

template <class T>
concept complex_number = is_complex_v<std::remove_cv_t<T>>;
/// A type that arithmetic works on: all of the library's dtypes.
template <class T>
concept arithmetic = boolean<T> || integer<T> || floating<T> || complex_number<T>;
/// Anything that an array can hold.
template <class T>
concept element =
    std::is_trivially_copyable_v<T> && !std::is_const_v<T> && !std::is_reference_v<T> && !std::is_pointer_v<T>;

}  // namespace gpu
