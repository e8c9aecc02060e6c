/// @file
/// Joining arrays against NumPy: of one type as arguments and as a vector, of different types, and blocks.
#include "gpu/joining.hpp"

#include "support/oracle_manipulation.hpp"

namespace {

using oracle::call;
using oracle::manipulation;
using oracle::mixed;
using oracle::view_of;
using oracle::views_of;

/// MIXED in tests/oracle/manipulation.py.
using pairs =
    oracle::types<mixed<gpu::int8, gpu::uint8>, mixed<gpu::int32, float>, mixed<bool, gpu::int16>,
                  mixed<gpu::half, gpu::bfloat16>, mixed<float, gpu::complex64>, mixed<gpu::uint64, gpu::int64>>;

/// `F`: a stateless `(call, arrays...) -> array`, called with two arguments and with a vector of any number of them.
template <unsigned Turn, class F>
oracle::entry joining(const char* name, F) {
  return {name, name, [](const oracle::fixture& f, const std::string& function) {
            oracle::for_each_case(f, function, [](call& c) {
              const auto& operands = c.numbers.operands;
              const gpu::dtype first = c.fixture.type_of(operands[0]);
              const gpu::dtype last = c.fixture.type_of(operands.back());
              bool found = first == last;
              if (found) {
                oracle::visit_tested<Turn>(first, [&]<class T>(std::type_identity<T>) {
                  if (operands.size() == 2) {
                    oracle::expect_case(c, [&] { return F{}(c, view_of<T>(c, 0), view_of<T>(c, 1)); });
                  }
                  oracle::expect_case(c, [&] { return F{}(c, views_of<T>(c)); });
                });
              }
              const auto try_pair = [&]<class A, class B>(std::type_identity<mixed<A, B>>) {
                if (found || first != gpu::dtype_of<A> || last != gpu::dtype_of<B>) return;
                found = true;
                if constexpr (oracle::is_pair_tested<A, B, Turn>) {
                  oracle::expect_case(c, [&] { return F{}(c, view_of<A>(c, 0), view_of<B>(c, 1)); });
                }
              };
              [&]<class... P>(oracle::types<P...>) { (try_pair(std::type_identity<P>{}), ...); }(pairs{});
              if (!found) oracle::fail(c, "no test for this pair of types");
            });
          }};
}

constexpr auto concatenated = [](const call& c, const auto&... arrays) {
  const gpu::concatenate_options options{.axis = oracle::number_of(c, "axis")};
  if constexpr (sizeof...(arrays) == 1) {
    return gpu::concatenate(arrays..., options);
  } else {
    return gpu::concatenate(options, arrays...);
  }
};

constexpr auto stacked = [](const call& c, const auto&... arrays) {
  const gpu::stack_options options{.axis = c.numbers.integer("axis", 0)};
  if constexpr (sizeof...(arrays) == 1) {
    return gpu::stack(arrays..., options);
  } else {
    return gpu::stack(options, arrays...);
  }
};

/// Braces where they tell as much as nested vectors do.
constexpr auto blocks = []<class T>(std::type_identity<T>, const call& c) {
  const auto views = views_of<T>(c);
  if (c.numbers.integer("rows", 0) == 1) return gpu::block(views);
  if (views.size() == 2) return gpu::block(std::vector<std::vector<gpu::view<const T>>>{views});
  return gpu::block<T>({{views[0], views[1]}, {views[2], views[3]}});
};

const oracle::suite tests{
    "joining",
    {joining<0>("concatenate", concatenated), joining<1>("stack", stacked),
     joining<2>("vstack", [](const call&, const auto&... arrays) { return gpu::vstack(arrays...); }),
     joining<3>("hstack", [](const call&, const auto&... arrays) { return gpu::hstack(arrays...); }),
     joining<4>("dstack", [](const call&, const auto&... arrays) { return gpu::dstack(arrays...); }),
     joining<5>("column_stack", [](const call&, const auto&... arrays) { return gpu::column_stack(arrays...); }),
     manipulation<0>("append",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return gpu::append(view_of<T>(c, 0), view_of<T>(c, 1), {.axis = oracle::number_of(c, "axis")});
                     }),
     manipulation<1>("block", blocks)}};

}  // namespace
