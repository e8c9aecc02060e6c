/// @file
/// Adding and removing elements against NumPy.
#include "gpu/editing.hpp"

#include "support/oracle_manipulation.hpp"

namespace {

using oracle::call;
using oracle::manipulation;
using oracle::view_of;

constexpr auto deleted = []<class T>(std::type_identity<T>, const call& c) {
  const gpu::edit_options options{.axis = oracle::number_of(c, "axis")};
  if (c.numbers.find("slice") != nullptr) {
    const std::vector<std::int64_t> s = oracle::list_of(c, "slice");
    return gpu::delete_(view_of<T>(c, 0), gpu::slice(s[0], s[1], s[2]), options);
  }
  if (oracle::is_list(c, "obj")) return gpu::delete_(view_of<T>(c, 0), oracle::list_of(c, "obj"), options);
  return gpu::delete_(view_of<T>(c, 0), c.numbers.integer("obj", 0), options);
};

constexpr auto inserted = []<class T>(std::type_identity<T>, const call& c) {
  const gpu::edit_options options{.axis = oracle::number_of(c, "axis")};
  if (c.numbers.find("slice") != nullptr) {
    const std::vector<std::int64_t> s = oracle::list_of(c, "slice");
    return gpu::insert(view_of<T>(c, 0), gpu::slice(s[0], s[1], s[2]), view_of<T>(c, 1), options);
  }
  if (oracle::is_list(c, "obj")) {
    return gpu::insert(view_of<T>(c, 0), oracle::list_of(c, "obj"), view_of<T>(c, 1), options);
  }
  return gpu::insert(view_of<T>(c, 0), c.numbers.integer("obj", 0), view_of<T>(c, 1), options);
};

const oracle::suite tests{"editing",
                          {manipulation<0>("delete", deleted), manipulation<1>("insert", inserted),
                           manipulation<2>("trim_zeros", []<class T>(std::type_identity<T>, const call& c) {
                             return gpu::trim_zeros(view_of<T>(c, 0), {.trim = oracle::text_of(c, "trim"),
                                                                       .axis = oracle::number_of(c, "axis")});
                           })}};

}  // namespace
