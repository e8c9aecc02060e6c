/// @file
/// Entries of oracle suites for functions that move elements, and their arguments as the cases name them.
#pragma once

#include <vector>

#include "gpu/core/axes.hpp"
#include "gpu/core/keyword.hpp"
#include "oracle_elementwise.hpp"

namespace oracle {

/// An option that may be a number or nothing.
[[nodiscard]] inline gpu::optional_value<std::int64_t> number_of(const call& c, const char* key) {
  const value* v = c.numbers.find(key);
  if (v == nullptr || v->what == value::kind::none) return gpu::none;
  return v->integer;
}
/// An option that is a list of numbers, or one.
[[nodiscard]] inline std::vector<std::int64_t> list_of(const call& c, const char* key) {
  const value* v = c.numbers.find(key);
  if (v == nullptr || v->what == value::kind::none) return {};
  if (v->what == value::kind::integers) return v->integers;
  return {v->integer};
}
[[nodiscard]] inline bool is_list(const call& c, const char* key) {
  return c.numbers.find(key)->what == value::kind::integers;
}
/// An option that is a list of axes, one axis, or nothing.
[[nodiscard]] inline gpu::axes axes_of(const call& c, const char* key) {
  const value* v = c.numbers.find(key);
  if (v == nullptr || v->what == value::kind::none) return gpu::none;
  return gpu::index_vector(list_of(c, key));
}
[[nodiscard]] inline const std::string& text_of(const call& c, const char* key) { return c.numbers.find(key)->text; }

/// The operands of one type as a list of views.
template <class T>
[[nodiscard]] std::vector<gpu::view<const T>> views_of(const call& c) {
  std::vector<gpu::view<const T>> views;
  for (std::size_t i = 0; i < c.numbers.operands.size(); ++i) views.push_back(view_of<T>(c, i));
  return views;
}

/// `F`: a stateless `(std::type_identity<T>, case) -> array or view`, where `T` is the type of the first operand or, in
/// cases without operands, the one that the option `dtype` names.
template <unsigned Turn = 0, class F>
[[nodiscard]] entry manipulation(const char* name, F) {
  return {name, name, [](const fixture& f, const std::string& function) {
            for_each_case(f, function, [](call& c) {
              const auto run = [&]<class T>(std::type_identity<T> t) {
                expect_case(c, [&] { return F{}(t, static_cast<const call&>(c)); });
              };
              if (!c.numbers.operands.empty()) return visit_tested<Turn>(c.fixture.type_of(c.numbers.operands[0]), run);
              for (int i = 0; i < gpu::detail::dtype_count; ++i) {
                const auto type = static_cast<gpu::dtype>(i);
                if (text_of(c, "dtype") == gpu::name(type)) visit_tested<Turn>(type, run);
              }
            });
          }};
}

}  // namespace oracle
