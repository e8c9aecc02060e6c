/// @file
/// Entries of oracle suites for elementwise functions of one, two and three operands.
#pragma once

#include <type_traits>

#include "gpu/core/promotion.hpp"
#include "gpu/engine/ops/floating_point.hpp"
#include "oracle.hpp"
#include "oracle_types.hpp"

namespace oracle {

/// Whether the operation has a loop for these types: NumPy must have raised TypeError exactly where there is none.
template <class Op, class... T>
concept defined_for = requires { typename Op::template arguments<T...>; };

template <class... T>
struct types {};

/// A pair of differing element types that a function of two arrays is also tested with.
template <class A, class B>
struct mixed {};

/// As MIXED, MANY_MIXED and LDEXP in tests/oracle/binary.py.
using mixed_pairs = types<mixed<gpu::int8, gpu::uint8>, mixed<gpu::int32, float>, mixed<float, gpu::complex64>,
                          mixed<bool, gpu::int16>, mixed<gpu::bfloat16, gpu::half>>;
using many_mixed_pairs = types<mixed<gpu::int8, gpu::uint8>, mixed<gpu::int32, float>, mixed<float, gpu::complex64>,
                               mixed<bool, gpu::int16>, mixed<gpu::bfloat16, gpu::half>, mixed<gpu::uint64, gpu::int64>,
                               mixed<gpu::half, float>, mixed<gpu::uint8, gpu::half>, mixed<gpu::int16, gpu::bfloat16>,
                               mixed<gpu::complex64, double>, mixed<gpu::int64, gpu::complex64>, mixed<double, float>>;
using ldexp_pairs = types<mixed<gpu::half, gpu::int8>, mixed<gpu::half, gpu::int32>, mixed<gpu::half, gpu::int64>,
                          mixed<float, gpu::int8>, mixed<float, gpu::int32>, mixed<float, gpu::int64>,
                          mixed<double, gpu::int8>, mixed<double, gpu::int32>, mixed<double, gpu::int64>>;

/// A case of unsupported types: NumPy must agree.
inline void expect_undefined(const call& c) {
  if (!c.numbers.raises || c.numbers.error != "TypeError")
    fail(c, "the library does not support these types, NumPy does");
}

/// Compares `evaluate()` in all layouts, or its error.
template <class Evaluate>
void expect_case(call& c, const Evaluate& evaluate) {
  if (!c.numbers.raises) {
    for_each_variant(c, [&] {
      const device_work work(c);
      return expect_result(c, work, evaluate());
    });
  } else if (c.numbers.error == "TypeError") {
    fail(c, "the library supports these types, NumPy raises " + c.numbers.message);
  } else {
    expect_error(c, [&] { (void)evaluate(); });
  }
}

/// `F`: a stateless `(view, case) -> expression`. `Op` tells for which types it compiles.
template <class Op, class F>
[[nodiscard]] entry unary(const char* name, F) {
  return {name, name, [](const fixture& f, const std::string& function) {
            for_each_case(f, function, [](call& c) {
              constexpr unsigned turn = turn_of_operation<Op>();
              visit_tested<turn>(c.fixture.type_of(c.numbers.operands[0]), [&]<class T>(std::type_identity<T>) {
                if constexpr (defined_for<Op, T>) {
                  expect_case(c, [&] { return F{}(view_of<T>(c, 0), c.numbers); });
                } else {
                  expect_undefined(c);
                }
              });
            });
          }};
}

/// Another name of a function of one operand: the cases of `function` for one type alone.
template <class T = float, class F>
[[nodiscard]] entry unary_alias(const char* name, const char* function, F) {
  return {function, name, [](const fixture& f, const std::string& of) {
            for_each_case(f, of, [](call& c) {
              if (c.fixture.type_of(c.numbers.operands[0]) != gpu::dtype_of<T>) return;
              expect_case(c, [&] { return F{}(view_of<T>(c, 0), c.numbers); });
            });
          }};
}

/// Another name of a function of two operands.
template <class F>
[[nodiscard]] entry binary_alias(const char* name, const char* function, F) {
  return {function, name, [](const fixture& f, const std::string& of) {
            for_each_case(f, of, [](call& c) {
              for (const operand& o : c.numbers.operands) {
                if (c.fixture.type_of(o) != gpu::dtype::float32) return;
              }
              expect_case(c, [&] { return F{}(view_of<float>(c, 0), view_of<float>(c, 1), c.numbers); });
            });
          }};
}

template <class Op, class A, class B, class F>
void run_binary(call& c, F f) {
  if constexpr (!is_pair_tested<A, B, turn_of_operation<Op>()>) {
    return;
  } else if constexpr (defined_for<Op, A, B>) {
    expect_case(c, [&] { return f(view_of<A>(c, 0), view_of<B>(c, 1), c.numbers); });
  } else {
    expect_undefined(c);
  }
}

/// `F`: a stateless `(view, view, case) -> expression`, for equal types and for `Pairs`.
template <class Op, class Pairs = mixed_pairs, class F>
[[nodiscard]] entry binary(const char* name, F) {
  return {name, name, [](const fixture& f, const std::string& function) {
            for_each_case(f, function, [](call& c) {
              const gpu::dtype a = c.fixture.type_of(c.numbers.operands[0]);
              const gpu::dtype b = c.fixture.type_of(c.numbers.operands[1]);
              bool found = a == b;
              if (found) gpu::visit_dtype(a, [&]<class T>(std::type_identity<T>) { run_binary<Op, T, T>(c, F{}); });
              const auto try_pair = [&]<class A, class B>(std::type_identity<mixed<A, B>>) {
                if (found || a != gpu::dtype_of<A> || b != gpu::dtype_of<B>) return;
                found = true;
                run_binary<Op, A, B>(c, F{});
              };
              [&]<class... P>(types<P...>) { (try_pair(std::type_identity<P>{}), ...); }(Pairs{});
              if (!found) fail(c, "no test for this pair of types");
            });
          }};
}

/// The element types that arrays are tested with beside scalars: SCALAR_DTYPES in tests/oracle/binary.py.
using scalar_partners = types<bool, gpu::int8, gpu::uint64, gpu::half, float, gpu::complex64>;

/// Which C++ scalars a function is tested with, and whether it is tested with the scalar as its first operand.
template <bool ScalarFirst, class... S>
struct scalars {
  static constexpr bool first = ScalarFirst;
  template <class T>
  static constexpr bool has = (std::same_as<T, S> || ...);
};
using some_scalars = scalars<false, std::int64_t, double>;
using some_scalars_first = scalars<true, std::int64_t, double>;
using all_scalars = scalars<false, std::int64_t, double, bool, gpu::complex<double>>;
using all_scalars_first = scalars<true, std::int64_t, double, bool, gpu::complex<double>>;

/// Whether the operation takes a scalar `S` beside an array of `T`.
template <class Op, class T, class S>
inline constexpr bool defined_with_scalar = defined_for<Op, T, gpu::weak_result_t<T, S>>;
template <class T, class S>
inline constexpr bool defined_with_scalar<gpu::ops::ldexp, T, S> =
    std::integral<S> && defined_for<gpu::ops::ldexp, T, S>;

/// `F`: a stateless `(array or scalar, array or scalar) -> expression`.
template <class Op, class Scalars, class F>
[[nodiscard]] entry with_scalar(const char* name, F) {
  return {name, name, [](const fixture& f, const std::string& function) {
            for_each_case(f, function, [](call& c) {
              const bool scalar_first = c.numbers.operands[0].weak;
              const std::size_t array = scalar_first ? 1 : 0;
              const gpu::dtype type = c.fixture.type_of(c.numbers.operands[array]);
              bool found = false;
              const auto run = [&]<class T, class S>(std::type_identity<T>, S scalar) {
                if constexpr (!is_tested<T, turn_of_operation<Op>()>) {
                  return;
                } else if constexpr (!Scalars::template has<S>) {
                  fail(c, "no test with a scalar of this type");
                } else if constexpr (!defined_with_scalar<Op, T, S>) {
                  expect_undefined(c);
                } else if (scalar_first) {
                  if constexpr (Scalars::first) {
                    expect_case(c, [&] { return F{}(scalar, view_of<T>(c, array)); });
                  } else {
                    fail(c, "no test with a scalar as the first operand");
                  }
                } else {
                  expect_case(c, [&] { return F{}(view_of<T>(c, array), scalar); });
                }
              };
              const auto try_type = [&]<class T>(std::type_identity<T> t) {
                if (found || type != gpu::dtype_of<T>) return;
                found = true;
                visit_scalar(c.numbers.operands[1 - array].scalar, [&](auto scalar) { run(t, scalar); });
              };
              [&]<class... T>(types<T...>) { (try_type(std::type_identity<T>{}), ...); }(scalar_partners{});
              if (!found) fail(c, "no test for this type beside a scalar");
            });
          }};
}

}  // namespace oracle
