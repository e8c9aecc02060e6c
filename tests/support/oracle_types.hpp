/// @file
/// Which element types a function is tested with.
///
/// Programs of g++ test every function with every type. nvcc takes ten times as long for an expression, and sanitizers
/// need no more than a sample, so there (GPUARRAY_TEST_SOME_TYPES) a function is tested with float and every fourth
/// other type. Where to begin counting depends on the function, so that each type still meets a quarter of all
/// functions.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "gpu/core/types.hpp"

namespace oracle {

#if defined(GPUARRAY_TEST_SOME_TYPES)
inline constexpr unsigned test_one_in = 4;
#else
inline constexpr unsigned test_one_in = 1;
#endif

/// A number that differs between functions.
[[nodiscard]] constexpr unsigned turn_of(const char* name) noexcept {
  unsigned sum = 0;
  for (; *name != '\0'; ++name) sum = 31 * sum + static_cast<unsigned char>(*name);
  return sum;
}

/// The turn of an operation; those without a name begin at the first type.
template <class Op>
[[nodiscard]] constexpr unsigned turn_of_operation() noexcept {
  if constexpr (requires { Op::name; }) {
    return turn_of(Op::name);
  } else {
    return 0;
  }
}

template <class T, unsigned Turn>
inline constexpr bool is_tested =
    test_one_in == 1 || std::is_same_v<T, float> || (static_cast<unsigned>(gpu::dtype_of<T>) + Turn) % test_one_in == 0;

/// Two types are as rare as one: of equal types the same ones, of others every fourth pair.
template <class A, class B, unsigned Turn>
inline constexpr bool is_pair_tested =
    std::is_same_v<A, B>
        ? is_tested<A, Turn>
        : (static_cast<unsigned>(gpu::dtype_of<A>) + static_cast<unsigned>(gpu::dtype_of<B>) + Turn) % test_one_in == 0;

/// `gpu::visit_dtype` for types that are tested; of others nothing is called.
template <unsigned Turn = 0, class F>
void visit_tested(gpu::dtype type, const F& f) {
  gpu::visit_dtype(type, [&]<class T>(std::type_identity<T> t) {
    if constexpr (is_tested<T, Turn>) f(t);
  });
}

}  // namespace oracle
