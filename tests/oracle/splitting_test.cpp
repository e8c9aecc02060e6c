/// @file
/// Splitting arrays against NumPy: each part is a case.
#include <gtest/gtest.h>

#include "gpu/splitting.hpp"

#include "support/oracle_manipulation.hpp"

namespace {

using oracle::call;
using oracle::manipulation;
using oracle::view_of;

/// The part that the case expects; `f(cuts)` cuts at a number of parts or at indices.
template <class F>
auto part_of(const call& c, const F& f) {
  const auto parts =
      c.numbers.find("sections") != nullptr ? f(c.numbers.integer("sections", 0)) : f(oracle::list_of(c, "indices"));
  if (static_cast<std::int64_t>(parts.size()) != c.numbers.integer("parts", 0)) {
    oracle::fail(c, "there are " + std::to_string(parts.size()) + " parts");
  }
  return parts.at(static_cast<std::size_t>(c.numbers.integer("part", 0)));
}

constexpr auto one_of_a_stack = []<class T>(std::type_identity<T>, const call& c) {
  const auto parts = gpu::unstack(view_of<T>(c, 0), {.axis = c.numbers.integer("axis", 0)});
  EXPECT_EQ(static_cast<std::int64_t>(parts.size()), c.numbers.integer("parts", 0));
  return parts.at(static_cast<std::size_t>(c.numbers.integer("part", 0)));
};

const oracle::suite tests{
    "splitting",
    {manipulation<0>("split",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return part_of(c, [&](const auto& cuts) {
                         return gpu::split(view_of<T>(c, 0), cuts, {.axis = c.numbers.integer("axis", 0)});
                       });
                     }),
     manipulation<1>("array_split",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return part_of(c, [&](const auto& cuts) {
                         return gpu::array_split(view_of<T>(c, 0), cuts, {.axis = c.numbers.integer("axis", 0)});
                       });
                     }),
     manipulation<2>("hsplit",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return part_of(c, [&](const auto& cuts) { return gpu::hsplit(view_of<T>(c, 0), cuts); });
                     }),
     manipulation<3>("vsplit",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return part_of(c, [&](const auto& cuts) { return gpu::vsplit(view_of<T>(c, 0), cuts); });
                     }),
     manipulation<4>("dsplit",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return part_of(c, [&](const auto& cuts) { return gpu::dsplit(view_of<T>(c, 0), cuts); });
                     }),
     manipulation<5>("unstack", one_of_a_stack)}};

}  // namespace
