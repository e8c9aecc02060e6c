/// @file
/// Repeating elements against NumPy.
#include "gpu/tiling.hpp"

#include "support/oracle_manipulation.hpp"

namespace {

using oracle::call;
using oracle::manipulation;
using oracle::view_of;

constexpr auto repeated = []<class T>(std::type_identity<T>, const call& c) {
  const gpu::repeat_options options{.axis = oracle::number_of(c, "axis")};
  if (oracle::is_list(c, "repeats")) return gpu::repeat(view_of<T>(c, 0), oracle::list_of(c, "repeats"), options);
  return gpu::repeat(view_of<T>(c, 0), c.numbers.integer("repeats", 0), options);
};

const oracle::suite tests{
    "tiling",
    {manipulation<0>("tile",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return gpu::tile(view_of<T>(c, 0), gpu::index_vector(oracle::list_of(c, "reps")));
                     }),
     manipulation<1>("repeat", repeated), manipulation<2>("resize", []<class T>(std::type_identity<T>, const call& c) {
       return gpu::resize(view_of<T>(c, 0), gpu::index_vector(oracle::list_of(c, "shape")));
     })}};

}  // namespace
