/// @file
/// Which element types a function is tested with.
///
/// Programs of g++ test every function with every type. nvcc takes ten times as long for an expression, and sanitizers
/// need no more than a sample: there (CMake: GPUARRAY_TESTS_ONE_TYPE_IN=n) a function is tested with float and every
/// n-th other type. Where the counting begins depends on the function, so that each type still meets one in n
/// functions.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "gpu/core/types.hpp"

namespace oracle {

#if defined(GPUARRAY_TEST_ONE_TYPE_IN)
inline constexpr unsigned test_one_in = GPUARRAY_TEST_ONE_TYPE_IN;
#else
inline constexpr unsigned test_one_in = 1;
#endif

/// A number that differs between functions.
[[nodiscard]] constexpr unsigned turn_of(const char* name) noexcept {
  unsigned sum = 0;
  for (; *name != '\0'; ++name) sum = 31 * sum + static_cast<unsigned char>(*name);
  return sum;
}

/// The turn of an operation; those without a name or turn begin at the first type.
template <class Op>
[[nodiscard]] constexpr unsigned turn_of_operation() noexcept {
  if constexpr (requires { Op::turn; }) {
    return Op::turn;
  } else if constexpr (requires { Op::name; }) {
    return turn_of(Op::name);
  } else {
    return 0;
  }
}

[[nodiscard]] constexpr bool in_sample(unsigned number, unsigned turn, unsigned one_in = test_one_in) noexcept {
  return (number + turn) % one_in == 0;
}

template <class T, unsigned Turn>
inline constexpr bool is_tested = std::is_same_v<T, float> || in_sample(static_cast<unsigned>(gpu::dtype_of<T>), Turn);

/// Two types are as rare as one: of equal types the same ones, of others one pair in n.
template <class A, class B, unsigned Turn>
inline constexpr bool is_pair_tested =
    std::is_same_v<A, B>
        ? is_tested<A, Turn>
        : in_sample(static_cast<unsigned>(gpu::dtype_of<A>) + static_cast<unsigned>(gpu::dtype_of<B>), Turn);

/// `gpu::visit_dtype` for types that are tested; of others nothing is called.
template <unsigned Turn = 0, class F>
void visit_tested(gpu::dtype type, const F& f) {
  gpu::visit_dtype(type, [&]<class T>(std::type_identity<T> t) {
    if constexpr (is_tested<T, Turn>) f(t);
  });
}

}  // namespace oracle
