/// @file
/// logical_and, logical_or, logical_xor, logical_not, and `where`, which chooses by a truth value.
#pragma once

#include "rules.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {
namespace detail {

/// Zero is false and NaN is true.
template <class T>
[[gnu::always_inline]] constexpr bool truth(T x) noexcept {
  return cast<bool>(x);
}

}  // namespace detail

struct logical_and {
  static constexpr const char* name = "logical_and";
  template <class A, class B>
  using arguments = own_arguments<A, B>;
  template <class A, class B>
  [[nodiscard]] [[gnu::always_inline]] constexpr bool operator()(A a, B b) const noexcept {
    return detail::both(detail::truth(a), detail::truth(b));
  }
};

struct logical_or {
  static constexpr const char* name = "logical_or";
  template <class A, class B>
  using arguments = own_arguments<A, B>;
  template <class A, class B>
  [[nodiscard]] [[gnu::always_inline]] constexpr bool operator()(A a, B b) const noexcept {
    return detail::either(detail::truth(a), detail::truth(b));
  }
};

struct logical_xor {
  static constexpr const char* name = "logical_xor";
  template <class A, class B>
  using arguments = own_arguments<A, B>;
  template <class A, class B>
  [[nodiscard]] [[gnu::always_inline]] constexpr bool operator()(A a, B b) const noexcept {
    return detail::truth(a) != detail::truth(b);
  }
};

struct logical_not {
  static constexpr const char* name = "logical_not";
  template <class A>
  using arguments = own_arguments<A>;
  template <class A>
  [[nodiscard]] [[gnu::always_inline]] constexpr bool operator()(A x) const noexcept {
    if constexpr (boolean<A>) {
      return detail::is_clear(x);
    } else {
      return !detail::truth(x);
    }
  }
};

/// `condition ? a : b`; both are computed.
struct where {
  static constexpr const char* name = "where";
  template <class Condition, class A, class B>
  using arguments = std::enable_if_t<arithmetic<Condition>, type_list<bool, result_type_t<A, B>, result_type_t<A, B>>>;
  template <class T>
  [[nodiscard]] [[gnu::always_inline]] constexpr T operator()(bool condition, T a, T b) const noexcept {
    return detail::choose(detail::is_set(condition), a, b);
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
