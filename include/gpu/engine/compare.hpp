/// @file
/// Comparisons, where an integer scalar may lie outside the array's type: `array<uint8> < 300` is true everywhere.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "expression.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

/// A comparison whose result may be fixed beforehand, without a branch in the loop.
template <class Op>
struct bounded_comparison {
  static constexpr const char* name = Op::name;
  Op operation;
  std::uint8_t keep = 1;  ///< 0: the result does not depend on the elements
  std::uint8_t fixed = 0;

  template <class A, class B>
  using arguments = typename Op::template arguments<A, B>;

  template <class T>
  [[gnu::always_inline]] constexpr bool operator()(T a, T b) const {
    return ((static_cast<std::uint8_t>(operation(a, b)) & keep) | fixed) != 0;
  }
};

template <class Op, class A, class B>
[[nodiscard]] auto compare_mixed(const Op& operation, A&& a, B&& b) {
  using strong = strong_type_t<A, B>;
  if constexpr (integer<strong>) {
    bounded_comparison<Op> bounded{operation};
    // Widened with its sign: any 64-bit value fits, and so do the ends of the array's type.
    const auto clip = [&]<class S>(const S& value) {
      using wide = __int128;  // NOLINT
      const auto v = static_cast<wide>(value);
      const auto low = static_cast<wide>(std::numeric_limits<strong>::min());
      const auto high = static_cast<wide>(std::numeric_limits<strong>::max());
      if (v >= low && v <= high) return static_cast<strong>(value);
      const int sign = v < low ? -1 : 1;
      bounded.keep = 0;
      bounded.fixed = scalar_like<B> ? operation(0, sign) : operation(sign, 0);
      return strong{};
    };
    if constexpr (scalar_like<B>) {
      const strong value = clip(b);
      return make_node(bounded, as_node(std::forward<A>(a)), scalar<strong>{value, {}});
    } else {
      const strong value = clip(a);
      return make_node(bounded, scalar<strong>{value, {}}, as_node(std::forward<B>(b)));
    }
  } else {
    return apply(operation, std::forward<A>(a), std::forward<B>(b));
  }
}

/// `operation(a, b)` with a comparison.
template <class Op, operand_like A, operand_like B>
[[nodiscard]] auto compare(const Op& operation, A&& a, B&& b) {
  if constexpr (integer<std::remove_cvref_t<A>> || integer<std::remove_cvref_t<B>>) {
    return compare_mixed(operation, std::forward<A>(a), std::forward<B>(b));
  } else {
    return apply(operation, std::forward<A>(a), std::forward<B>(b));
  }
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
