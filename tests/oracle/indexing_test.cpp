/// @file
/// Basic indexing, views and assignment against NumPy, through the public interface.
#include <functional>

#include "gpu/creation.hpp"
#include "gpu/manipulation.hpp"
#include "support/oracle_elementwise.hpp"

namespace {

using gpu::detail::index_item;
using oracle::call;
using oracle::mixed;

index_item item_of(const oracle::index_entry& e) {
  using kind = oracle::index_entry::kind;
  if (e.what == kind::integer) return e.integer;
  if (e.what == kind::newaxis) return gpu::newaxis;
  if (e.what == kind::ellipsis) return gpu::ellipsis;
  gpu::slice s;
  if (e.has_start) s.start = e.start;
  if (e.has_stop) s.stop = e.stop;
  if (e.has_step) s.step = e.step;
  return s;
}

/// `v(items...)` for a number of items that is known at run time.
template <class View>
View indexed(const View& v, const std::vector<index_item>& i) {
  switch (i.size()) {
    case 0: return v();
    case 1: return v(i[0]);
    case 2: return v(i[0], i[1]);
    case 3: return v(i[0], i[1], i[2]);
    case 4: return v(i[0], i[1], i[2], i[3]);
    case 5: return v(i[0], i[1], i[2], i[3], i[4]);
    case 6: return v(i[0], i[1], i[2], i[3], i[4], i[5]);
    case 7: return v(i[0], i[1], i[2], i[3], i[4], i[5], i[6]);
    case 8: return v(i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7]);
    case 9: return v(i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], i[8]);
    case 10: return v(i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], i[8], i[9]);
    default: throw std::length_error("more index entries than this test knows");
  }
}

/// The recipe as a user writes it. Of a `view<T>` only where nothing broadcasts.
template <class View>
View followed(View v, const oracle::recipe& recipe) {
  for (const oracle::step& s : recipe) {
    switch (s.what) {
      case oracle::step::kind::reshape: v.rebind(gpu::reshape(v, gpu::index_vector(s.numbers))); break;
      case oracle::step::kind::transpose: v.rebind(gpu::transpose(v, gpu::index_vector(s.numbers))); break;
      case oracle::step::kind::broadcast:
        if constexpr (std::is_same_v<View, gpu::view<const typename View::value_type>>) {
          v.rebind(gpu::broadcast_to(v, gpu::shape(s.numbers)));
        }
        break;
      case oracle::step::kind::index: {
        std::vector<index_item> items;
        for (const oracle::index_entry& e : s.entries) items.push_back(item_of(e));
        v.rebind(indexed(v, items));
        break;
      }
    }
  }
  return v;
}

/// The pool array of an operand in new memory, and the recipe of its only layout.
template <class T>
gpu::array<T> fresh(const call& c, std::size_t operand) {
  const oracle::pool_array& a = c.fixture.arrays[c.fixture.variant_of(c.numbers.operands[operand], 0).array];
  return gpu::asarray(std::span<const T>(static_cast<const T*>(a.data()), static_cast<std::size_t>(a.size)),
                      gpu::shape(a.extents));
}
const oracle::recipe& recipe_of(const call& c, std::size_t operand) {
  return c.fixture.recipes[c.fixture.variant_of(c.numbers.operands[operand], 0).recipe];
}

void run_index(call& c) {
  oracle::visit_tested(c.fixture.type_of(c.numbers.operands[0]), [&]<class T>(std::type_identity<T>) {
    const gpu::array<T> a = fresh<T>(c, 0);
    oracle::expect_case(c, [&] { return followed(a.view(), recipe_of(c, 0)); });
  });
}

/// `target op= value` on part of `a`, which must then be as NumPy's.
template <class T, class Value>
void check_update(call& c, gpu::array<T>& a, const Value& value) {
  const std::string& op = c.numbers.find("op")->text;
  gpu::view<T> target = followed(a.view(), recipe_of(c, 0));
  const std::vector<T> before = gpu::to_host(a);
  oracle::expect_case(c, [&] {
    if (op == "=") {
      target = value;
    } else if constexpr (!std::is_same_v<T, bool>) {
      if (op == "+=") target += value;
      if (op == "-=") target -= value;
      if (op == "*=") target *= value;
    }
    return a.view();
  });
  if (c.numbers.raises && !(gpu::to_host(a) == before)) oracle::fail(c, "the failed assignment changed the target");
}

/// Element types of targets and values that differ: as in assignment() of tests/oracle/indexing.py.
using casts = oracle::types<mixed<float, double>, mixed<gpu::int16, gpu::int64>, mixed<gpu::int8, gpu::int32>,
                            mixed<gpu::complex64, double>, mixed<gpu::half, float>, mixed<double, gpu::int64>,
                            mixed<float, bool>, mixed<gpu::complex128, gpu::complex64>, mixed<gpu::bfloat16, float>,
                            mixed<gpu::int64, gpu::uint8>, mixed<gpu::half, gpu::int8>>;

template <class T, class Scalar>
concept accepts_scalar = gpu::same_kind_castable<gpu::weak_result_t<T, Scalar>, T>;

void assign_scalar(call& c, gpu::dtype type) {
  oracle::visit_tested(type, [&]<class T>(std::type_identity<T>) {
    oracle::visit_scalar(c.numbers.operands[1].scalar, [&](auto scalar) {
      if constexpr (accepts_scalar<T, decltype(scalar)>) {
        gpu::array<T> a = fresh<T>(c, 0);
        check_update(c, a, scalar);
      } else {
        oracle::fail(c, "the library does not accept this scalar");
      }
    });
  });
}

void assign_array(call& c, gpu::dtype type, gpu::dtype value_type) {
  bool found = type == value_type;
  if (found) {
    oracle::visit_tested(type, [&]<class T>(std::type_identity<T>) {
      gpu::array<T> a = fresh<T>(c, 0);
      if (c.numbers.flag("own")) return check_update(c, a, followed(a.view(), recipe_of(c, 1)));
      check_update(c, a, fresh<T>(c, 1));
    });
  }
  const auto try_pair = [&]<class T, class V>(std::type_identity<mixed<T, V>>) {
    if (found || type != gpu::dtype_of<T> || value_type != gpu::dtype_of<V>) return;
    found = true;
    if constexpr (oracle::is_pair_tested<T, V, 0>) {
      gpu::array<T> a = fresh<T>(c, 0);
      check_update(c, a, fresh<V>(c, 1));
    }
  };
  [&]<class... P>(oracle::types<P...>) { (try_pair(std::type_identity<P>{}), ...); }(casts{});
  if (!found) oracle::fail(c, "no test for this pair of types");
}

const oracle::suite indexing{"indexing", {{"index", "index", [](const oracle::fixture& f, const std::string& function) {
                                             oracle::for_each_case(f, function, run_index);
                                           }}}};

const oracle::suite assignment{"assignment",
                               {{"assign", "assign", [](const oracle::fixture& f, const std::string& function) {
                                   oracle::for_each_case(f, function, [](call& c) {
                                     const gpu::dtype type = c.fixture.type_of(c.numbers.operands[0]);
                                     const oracle::operand& value = c.numbers.operands[1];
                                     if (value.weak) return assign_scalar(c, type);
                                     assign_array(c, type, c.fixture.type_of(value));
                                   });
                                 }}}};

}  // namespace
