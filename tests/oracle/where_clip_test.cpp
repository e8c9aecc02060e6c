/// @file
/// `where` with three arguments and `clip` against NumPy.
#include "gpu/extrema.hpp"
#include "gpu/logic.hpp"
#include "support/oracle_elementwise.hpp"

namespace {

using oracle::call;
using oracle::expect_case;
using oracle::mixed;
using oracle::view_of;

/// As MIXED in tests/oracle/choice.py.
using pairs =
    oracle::types<mixed<gpu::int8, gpu::uint8>, mixed<gpu::int32, float>, mixed<bool, gpu::int16>,
                  mixed<gpu::half, gpu::bfloat16>, mixed<float, gpu::complex64>, mixed<gpu::uint64, gpu::int64>>;

/// Calls `run(type of a, type of b)` if the types are equal or one of the pairs.
template <class F>
void visit_pair(call& c, gpu::dtype a, gpu::dtype b, const F& run) {
  if (a == b) {
    oracle::visit_tested(a, [&](auto t) { run(t, t); });
    return;
  }
  bool found = false;
  const auto try_pair = [&]<class A, class B>(std::type_identity<mixed<A, B>>) {
    if (found || a != gpu::dtype_of<A> || b != gpu::dtype_of<B>) return;
    found = true;
    if constexpr (oracle::is_pair_tested<A, B, 0>) run(std::type_identity<A>{}, std::type_identity<B>{});
  };
  [&]<class... P>(oracle::types<P...>) { (try_pair(std::type_identity<P>{}), ...); }(pairs{});
  if (!found) oracle::fail(c, "no test for this pair of types");
}

/// Calls `run` with one of the types that `where` is tested with beside scalars.
template <class... T, class F>
void visit_one_of(call& c, gpu::dtype type, const F& run) {
  const auto try_type = [&]<class One>(std::type_identity<One> t) {
    if (type != gpu::dtype_of<One>) return false;
    if constexpr (oracle::is_tested<One, 0>) run(t);
    return true;
  };
  const bool found = (try_type(std::type_identity<T>{}) || ...);
  if (!found) oracle::fail(c, "no test for this type");
}

void where_arrays(call& c, gpu::dtype condition, gpu::dtype x, gpu::dtype y) {
  if (condition == gpu::dtype::bool_) {
    visit_pair(c, x, y, [&]<class X, class Y>(std::type_identity<X>, std::type_identity<Y>) {
      expect_case(c, [&] { return gpu::where(view_of<bool>(c, 0), view_of<X>(c, 1), view_of<Y>(c, 2)); });
    });
    return;
  }
  visit_one_of<gpu::int32, float, gpu::complex64>(c, condition, [&]<class C>(std::type_identity<C>) {
    expect_case(c, [&] { return gpu::where(view_of<C>(c, 0), view_of<float>(c, 1), view_of<float>(c, 2)); });
  });
}

void where_scalar(call& c, bool scalar_first, gpu::dtype type) {
  visit_one_of<bool, gpu::uint8, gpu::int64, gpu::half, float, gpu::complex64>(
      c, type, [&]<class T>(std::type_identity<T>) {
        oracle::visit_scalar(c.numbers.operands[scalar_first ? 1 : 2].scalar, [&](auto scalar) {
          if (scalar_first) {
            expect_case(c, [&] { return gpu::where(view_of<bool>(c, 0), scalar, view_of<T>(c, 2)); });
          } else {
            expect_case(c, [&] { return gpu::where(view_of<bool>(c, 0), view_of<T>(c, 1), scalar); });
          }
        });
      });
}

void where_scalars(call& c) {
  oracle::visit_scalar(c.numbers.operands[1].scalar, [&](auto x) {
    oracle::visit_scalar(c.numbers.operands[2].scalar, [&](auto y) {
      if constexpr (!gpu::complex_number<decltype(x)> && !gpu::complex_number<decltype(y)>) {
        expect_case(c, [&] { return gpu::where(view_of<bool>(c, 0), x, y); });
      }
    });
  });
}

const oracle::suite where_tests{"where", {{"where", "where", [](const oracle::fixture& f, const std::string& function) {
                                             oracle::for_each_case(f, function, [](call& c) {
                                               const auto& operands = c.numbers.operands;
                                               const auto type = [&](std::size_t i) {
                                                 return c.fixture.type_of(operands[i]);
                                               };
                                               if (operands[1].weak && operands[2].weak) {
                                                 where_scalars(c);
                                               } else if (operands[1].weak || operands[2].weak) {
                                                 where_scalar(c, operands[1].weak, type(operands[1].weak ? 2 : 1));
                                               } else {
                                                 where_arrays(c, type(0), type(1), type(2));
                                               }
                                             });
                                           }}}};

/// A bound of `clip` as C++ writes it.
template <class F>
void visit_bound(const oracle::value& v, const F& f) {
  switch (v.what) {
    case oracle::value::kind::none: f(gpu::none); break;
    case oracle::value::kind::integer: f(v.integer); break;
    default: f(v.real); break;
  }
}

void clip_scalars(call& c) {
  visit_one_of<gpu::int8, gpu::uint8, gpu::int64, gpu::half, gpu::bfloat16, float, double>(
      c, c.fixture.type_of(c.numbers.operands[0]), [&]<class T>(std::type_identity<T>) {
        visit_bound(c.numbers.operands[1].scalar, [&](auto low) {
          visit_bound(c.numbers.operands[2].scalar,
                      [&](auto high) { expect_case(c, [&] { return gpu::clip(view_of<T>(c, 0), low, high); }); });
        });
      });
}

const oracle::suite clip_tests{
    "clip", {{"clip", "clip", [](const oracle::fixture& f, const std::string& function) {
                oracle::for_each_case(f, function, [](call& c) {
                  const auto& operands = c.numbers.operands;
                  if (operands[1].weak) return clip_scalars(c);
                  visit_pair(c, c.fixture.type_of(operands[0]), c.fixture.type_of(operands[1]),
                             [&]<class A, class B>(std::type_identity<A>, std::type_identity<B>) {
                               expect_case(
                                   c, [&] { return gpu::clip(view_of<A>(c, 0), view_of<B>(c, 1), view_of<B>(c, 2)); });
                             });
                });
              }}}};

}  // namespace
