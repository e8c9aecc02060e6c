/// @file
/// Rearranging elements, broadcasting and masked copies against NumPy.
#include "gpu/rearranging.hpp"

#include "gpu/creation.hpp"
#include "support/oracle_manipulation.hpp"

namespace {

using oracle::call;
using oracle::manipulation;
using oracle::view_of;

constexpr auto rolled = []<class T>(std::type_identity<T>, const call& c) {
  const gpu::roll_options options{.axis = oracle::axes_of(c, "axis")};
  if (!oracle::is_list(c, "shift")) return gpu::roll(view_of<T>(c, 0), c.numbers.integer("shift", 0), options);
  return gpu::roll(view_of<T>(c, 0), gpu::index_vector(oracle::list_of(c, "shift")), options);
};

constexpr auto broadcast = []<class T>(std::type_identity<T>, const call& c) {
  const auto [first, second] = gpu::broadcast_arrays(view_of<T>(c, 0), view_of<T>(c, 1));
  return c.numbers.integer("part", 0) == 0 ? first : second;
};

constexpr auto copied = []<class T>(std::type_identity<T>, const call& c) {
  gpu::array<T> target = view_of<T>(c, 0);
  if (c.numbers.operands.size() == 2) {
    gpu::copyto(target, view_of<T>(c, 1));
  } else {
    gpu::copyto(target, view_of<T>(c, 1), {.where = view_of<bool>(c, 2)});
  }
  return target;
};

const oracle::suite tests{
    "rearranging",
    {manipulation<0>("roll", rolled),
     manipulation<1>("rot90",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return gpu::rot90(view_of<T>(c, 0), {.k = c.numbers.integer("k", 1),
                                                            .axes = gpu::index_vector(oracle::list_of(c, "axes"))});
                     }),
     manipulation<2>("flipud",
                     []<class T>(std::type_identity<T>, const call& c) { return gpu::flipud(view_of<T>(c, 0)); }),
     manipulation<3>("fliplr",
                     []<class T>(std::type_identity<T>, const call& c) { return gpu::fliplr(view_of<T>(c, 0)); }),
     manipulation<4>("rollaxis",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return gpu::rollaxis(view_of<T>(c, 0), c.numbers.integer("axis", 0),
                                            c.numbers.integer("start", 0));
                     }),
     manipulation<5>("atleast_1d",
                     []<class T>(std::type_identity<T>, const call& c) { return gpu::atleast_1d(view_of<T>(c, 0)); }),
     manipulation<0>("atleast_2d",
                     []<class T>(std::type_identity<T>, const call& c) { return gpu::atleast_2d(view_of<T>(c, 0)); }),
     manipulation<1>("atleast_3d",
                     []<class T>(std::type_identity<T>, const call& c) { return gpu::atleast_3d(view_of<T>(c, 0)); }),
     manipulation<2>("broadcast_arrays", broadcast), manipulation<3>("copyto", copied)}};

}  // namespace
