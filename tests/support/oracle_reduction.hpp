/// @file
/// Entries of oracle suites for reductions, scans and products.
#pragma once

#include "gpu/core/axes.hpp"
#include "gpu/core/keyword.hpp"
#include "oracle_elementwise.hpp"

namespace oracle {

/// The case's keyword arguments as whatever options struct a function takes: `gpu::sum(x, oracle::keywords{c})`.
struct keywords {
  const call& c;

  template <class Options>
  operator Options() const {
    Options options;
    if constexpr (std::is_same_v<decltype(options.axis), gpu::axes>) {
      options.axis = axes();
    } else {
      const value* axis = c.numbers.find("axis");
      if (axis != nullptr) options.axis = axis->integer;
    }
    if constexpr (requires { options.keepdims; }) options.keepdims = c.numbers.flag("keepdims");
    if constexpr (requires { options.include_initial; }) options.include_initial = c.numbers.flag("include_initial");
    if constexpr (requires { options.ddof; }) options.ddof = c.numbers.real("ddof", 0);
    if constexpr (requires { options.initial; }) {
      const value* initial = c.numbers.find("initial");
      if (initial != nullptr) options.initial = initial->integer;
    }
    if constexpr (requires { options.where; }) {
      if (c.numbers.operands.size() > 1) options.where = view_of<bool>(c, 1);
    }
    return options;
  }

 private:
  [[nodiscard]] gpu::axes axes() const {
    const value* axis = c.numbers.find("axis");
    if (axis == nullptr) return gpu::none;
    if (axis->what == value::kind::integer) return axis->integer;
    return gpu::index_vector(axis->integers);
  }
};

/// The element and result types that `dtype=` is tested with: RESULT_TYPES in tests/oracle/reductions.py.
using result_types =
    types<mixed<gpu::int8, gpu::int8>, mixed<gpu::int32, double>, mixed<bool, gpu::int32>, mixed<gpu::half, float>,
          mixed<float, double>, mixed<gpu::bfloat16, float>, mixed<gpu::complex64, gpu::complex128>>;

/// `F`: a stateless `(view, keywords) -> array`; `G`: the same with a type to compute in,
/// `(std::type_identity<R>, view, keywords)`.
/// `Turn` as in oracle_types.hpp.
template <unsigned Turn = 0, class F, class G>
[[nodiscard]] entry reduction(const char* name, F, G) {
  return {name, name, [](const fixture& f, const std::string& function) {
            for_each_case(f, function, [](call& c) {
              const gpu::dtype type = c.fixture.type_of(c.numbers.operands[0]);
              const value* result = c.numbers.find("dtype");
              if (result == nullptr) {
                visit_tested<Turn>(type, [&]<class T>(std::type_identity<T>) {
                  expect_case(c, [&] { return F{}(view_of<T>(c, 0), keywords{c}); });
                });
                return;
              }
              if constexpr (std::is_null_pointer_v<G>) {
                fail(c, "no test with a result type");
              } else {
                bool found = false;
                const auto try_pair = [&]<class T, class R>(std::type_identity<mixed<T, R>>) {
                  if (found || type != gpu::dtype_of<T> || result->text != gpu::name(gpu::dtype_of<R>)) return;
                  found = true;
                  if constexpr (is_pair_tested<T, R, Turn>)
                    expect_case(c, [&] { return G{}(std::type_identity<R>{}, view_of<T>(c, 0), keywords{c}); });
                };
                [&]<class... P>(types<P...>) { (try_pair(std::type_identity<P>{}), ...); }(result_types{});
                if (!found) fail(c, "no test for this result type");
              }
            });
          }};
}
template <unsigned Turn = 0, class F>
[[nodiscard]] entry reduction(const char* name, F f) {
  return reduction<Turn>(name, f, nullptr);
}

}  // namespace oracle
