/// @file
/// Advanced indexing against NumPy: index programs to read and to assign, functions that take, put and make indices.
#include <sstream>

#include "gpu/creation.hpp"
#include "gpu/index_arrays.hpp"
#include "gpu/indexing.hpp"
#include "support/oracle_elementwise.hpp"

namespace {

using oracle::call;

/// A result that is compared with NumPy's.
struct typed_storage {
  gpu::detail::storage data;
  gpu::dtype type;
};
using typed_results = std::vector<typed_storage>;

template <class A>
typed_storage typed(const A& a) {
  return {a.storage(), gpu::dtype_of<gpu::value_t<A>>};
}
template <class A>
typed_results one(const A& a) {
  return {typed(a)};
}
typed_results all(const std::vector<gpu::array<std::int64_t>>& arrays) {
  typed_results results;
  for (const auto& a : arrays) results.push_back(typed(a));
  return results;
}

/// Compares what `run` returns, or its error, in all layouts. `waits`: it reads from the device, as documented.
template <class Run>
void expect_results(call& c, bool waits, const Run& run) {
  if (c.numbers.raises) {
    oracle::expect_error(c, [&] {
      const typed_results unused = run();
      gpu::current_stream(c.device).synchronize();  // a GPU tells of indices out of range when it is waited for
    });
    return;
  }
  oracle::for_each_variant(c, [&] {
    const oracle::device_work work(c);
    const typed_results results = run();
    bool good = waits || work.check(0, 0);
    if (results.size() != c.numbers.results.size()) oracle::fail(c, "another number of results");
    for (std::size_t i = 0; i < results.size(); ++i) {
      good = oracle::expect_matches(results[i].data, results[i].type, c, i) && good;
    }
    return good;
  });
}

/// Operand 0 in memory of its own, in the layout of the variant.
template <class T>
gpu::view<T> fresh(const call& c) {
  const gpu::device_activity before = gpu::activity();
  const oracle::variant& v = c.fixture.variant_of(c.numbers.operands[0], c.variant);
  const oracle::pool_array& a = c.fixture.arrays[v.array];
  gpu::detail::storage made = gpu::detail::upload(a.data(), gpu::shape(a.extents), sizeof(T), c.device);
  made = oracle::apply_recipe(c.fixture.recipes[v.recipe], std::move(made), sizeof(T));
  c.preparation = c.preparation + (gpu::activity() - before);
  return gpu::view<T>(std::move(made));
}

gpu::dtype type_of(const call& c, std::size_t operand) { return c.fixture.type_of(c.numbers.operands[operand]); }

/// Calls `f` with operand `operand` as a view of integers.
template <class F>
void visit_integers(const call& c, std::size_t operand, const F& f) {
  gpu::visit_dtype(type_of(c, operand), [&]<class I>(std::type_identity<I>) {
    if constexpr (gpu::integer<I>) f(oracle::view_of<I>(c, operand));
  });
}
/// The same; of other types than int64 only where the elements are float, as the cases are.
template <class T, class F>
void visit_indices(const call& c, std::size_t operand, const F& f) {
  if (type_of(c, operand) == gpu::dtype::int64) return f(oracle::view_of<std::int64_t>(c, operand));
  if constexpr (std::is_same_v<T, float>) visit_integers(c, operand, f);
}
/// The last operand: an array of `T`, or a number that is given as one.
template <class T, class F>
void with_value(const call& c, const F& f) {
  const std::size_t last = c.numbers.operands.size() - 1;
  if (!c.numbers.operands[last].weak) return f(oracle::view_of<T>(c, last));
  const std::int64_t number = c.numbers.operands[last].scalar.integer;
  if constexpr (std::is_same_v<T, bool>) {
    f(number != 0);
  } else {
    f(number);
  }
}

gpu::slice slice_of(const std::string& text) {
  gpu::slice s;
  gpu::detail::slice_bound* const bounds[] = {&s.start, &s.stop, &s.step};
  std::istringstream parts(text);
  int i = 0;
  for (std::string part; i < 3 && std::getline(parts, part, ':'); ++i) {
    if (!part.empty()) *bounds[i] = static_cast<std::int64_t>(std::stoll(part));
  }
  return s;
}

/// The entries of the option `program`, as `a(...)` collects them.
template <class T>
gpu::indexed_view<T> indexed(const call& c, const gpu::detail::storage& target) {
  gpu::engine::index_collector collector(target);
  std::istringstream entries(c.numbers.find("program")->text);
  for (std::string e; std::getline(entries, e, ',');) {
    if (e[0] == '@') {
      const auto operand = static_cast<std::size_t>(std::stoi(e.substr(1)));
      if (type_of(c, operand) == gpu::dtype::bool_) {
        collector.add(oracle::view_of<bool>(c, operand));
      } else {
        visit_integers(c, operand, [&](const auto& indices) { collector.add(indices); });
      }
    } else if (e == "n") {
      collector.add(gpu::newaxis);
    } else if (e == "...") {
      collector.add(gpu::ellipsis);
    } else if (e.find(':') != std::string::npos) {
      collector.add(slice_of(e));
    } else {
      collector.add(static_cast<std::int64_t>(std::stoll(e)));
    }
  }
  return gpu::indexed_view<T>(collector.finish());
}

bool has_mask(const call& c) {
  for (std::size_t i = 1; i < c.numbers.operands.size(); ++i) {
    if (!c.numbers.operands[i].weak && type_of(c, i) == gpu::dtype::bool_) return true;
  }
  return false;
}

void run_getitem(call& c) {
  oracle::visit_tested(type_of(c, 0), [&]<class T>(std::type_identity<T>) {
    expect_results(c, has_mask(c), [&] { return one(indexed<const T>(c, c.storage_of(0)).eval()); });
  });
}

template <class T, class Value>
void write(const std::string& op, const gpu::indexed_view<T>& target, const Value& value) {
  if (op == "=") target = value;
  if (op == "add") gpu::scatter_add(target, value);
  if constexpr (!std::is_same_v<T, bool>) {
    auto named = target;
    if (op == "+=") named += value;
    if (op == "*=") named *= value;
    if constexpr (!gpu::complex_number<T>) {
      if (op == "min") gpu::scatter_min(target, value);
      if (op == "max") gpu::scatter_max(target, value);
    }
  }
}

void run_setitem(call& c) {
  oracle::visit_tested<1>(type_of(c, 0), [&]<class T>(std::type_identity<T>) {
    expect_results(c, has_mask(c), [&] {
      const gpu::view<T> a = fresh<T>(c);
      const std::vector<T> before = c.numbers.raises ? gpu::to_host(a) : std::vector<T>();
      try {
        with_value<T>(c,
                      [&](const auto& value) { write(c.numbers.find("op")->text, indexed<T>(c, a.storage()), value); });
      } catch (const gpu::error&) {
        if (!(gpu::to_host(a) == before)) oracle::fail(c, "the failed assignment changed the array");
        throw;
      }
      return one(a);
    });
  });
}

gpu::index_mode mode_of(const call& c) {
  const std::string& text = c.numbers.find("mode")->text;
  return text == "wrap" ? gpu::index_mode::wrap : text == "clip" ? gpu::index_mode::clip : gpu::index_mode::raise;
}
gpu::optional_value<std::int64_t> axis_of(const call& c) {
  const oracle::value* const axis = c.numbers.find("axis");
  if (axis == nullptr || axis->what == oracle::value::kind::none) return gpu::none;
  return axis->integer;
}
gpu::order order_of(const call& c) { return c.numbers.find("order")->text == "F" ? gpu::order::F : gpu::order::C; }

/// An entry of a table: `run(call, type of operand `Operand`)`.
template <std::size_t Operand = 0, class Run>
oracle::entry function(const char* name, Run) {
  return {name, name, [](const oracle::fixture& f, const std::string& function) {
            oracle::for_each_case(f, function, [](call& c) {
              oracle::visit_tested<Operand + 2>(type_of(c, Operand),
                                                [&]<class T>(std::type_identity<T> t) { Run{}(c, t); });
            });
          }};
}
/// The same for a function that writes operand 0.
template <class Run>
oracle::entry writing(const char* name, bool, Run) {
  return function(name, [](call& c, auto t) {
    using T = typename decltype(t)::type;
    const bool waits = c.numbers.function == "place";
    expect_results(c, waits, [&] {
      const gpu::view<T> a = fresh<T>(c);
      with_value<T>(c, [&](const auto& value) { Run{}(c, a, value); });
      return one(a);
    });
  });
}

const auto run_take = [](call& c, auto t) {
  using T = typename decltype(t)::type;
  expect_results(c, false, [&] {
    typed_results results;
    visit_indices<T>(c, 1, [&](const auto& indices) {
      results = one(gpu::take(oracle::view_of<T>(c, 0), indices, {.axis = axis_of(c), .mode = mode_of(c)}));
    });
    return results;
  });
};
const auto run_take_along_axis = [](call& c, auto t) {
  using T = typename decltype(t)::type;
  expect_results(c, false, [&] {
    typed_results results;
    visit_indices<T>(c, 1, [&](const auto& indices) {
      results = one(gpu::take_along_axis(oracle::view_of<T>(c, 0), indices, axis_of(c)));
    });
    return results;
  });
};

const oracle::suite layouts{
    "indexing_layouts",
    {{"getitem", "getitem",
      [](const oracle::fixture& f, const std::string& name) { oracle::for_each_case(f, name, run_getitem); }},
     function("take", run_take),
     function("take_along_axis", run_take_along_axis)}};

const oracle::suite advanced{
    "advanced_indexing",
    {{"getitem", "getitem",
      [](const oracle::fixture& f, const std::string& name) { oracle::for_each_case(f, name, run_getitem); }},
     {"setitem", "setitem",
      [](const oracle::fixture& f, const std::string& name) { oracle::for_each_case(f, name, run_setitem); }}}};

template <class T>
std::vector<gpu::array<T>> arrays_of(const call& c, std::size_t first, std::size_t last) {
  std::vector<gpu::array<T>> arrays;
  for (std::size_t i = first; i < last; ++i) arrays.emplace_back(oracle::view_of<T>(c, i));
  return arrays;
}

const oracle::suite taking{
    "taking",
    {function("take", run_take), function("take_along_axis", run_take_along_axis),
     writing("put_along_axis", false,
             [](const call& c, const auto& a, const auto& value) {
               using T = gpu::value_t<decltype(a)>;
               visit_indices<T>(c, 1, [&](const auto& indices) { gpu::put_along_axis(a, indices, value, axis_of(c)); });
             }),
     writing("put", false,
             [](const call& c, const auto& a, const auto& value) {
               gpu::put(a, oracle::view_of<std::int64_t>(c, 1), value, {.mode = mode_of(c)});
             }),
     writing(
         "place", true,
         [](const call& c, const auto& a, const auto& value) { gpu::place(a, oracle::view_of<bool>(c, 1), value); }),
     writing(
         "putmask", false,
         [](const call& c, const auto& a, const auto& value) { gpu::putmask(a, oracle::view_of<bool>(c, 1), value); }),
     writing("fill_diagonal", false,
             [](const call& c, const auto& a, const auto& value) {
               gpu::fill_diagonal(a, value, {.wrap = c.numbers.flag("wrap")});
             }),
     function<1>("extract",
                 [](call& c, auto t) {
                   using T = typename decltype(t)::type;
                   expect_results(c, true, [&] {
                     return one(gpu::extract(oracle::view_of<bool>(c, 0), oracle::view_of<T>(c, 1)));
                   });
                 }),
     function<1>("compress",
                 [](call& c, auto t) {
                   using T = typename decltype(t)::type;
                   expect_results(c, true, [&] {
                     return one(
                         gpu::compress(oracle::view_of<bool>(c, 0), oracle::view_of<T>(c, 1), {.axis = axis_of(c)}));
                   });
                 }),
     function("nonzero",
              [](call& c, auto t) {
                using T = typename decltype(t)::type;
                expect_results(c, true, [&] { return all(gpu::nonzero(oracle::view_of<T>(c, 0))); });
                if (!c.numbers.raises)
                  expect_results(c, true, [&] { return all(gpu::where(oracle::view_of<T>(c, 0))); });
              }),
     function("flatnonzero",
              [](call& c, auto t) {
                using T = typename decltype(t)::type;
                expect_results(c, true, [&] { return one(gpu::flatnonzero(oracle::view_of<T>(c, 0))); });
              }),
     function("argwhere",
              [](call& c, auto t) {
                using T = typename decltype(t)::type;
                expect_results(c, true, [&] { return one(gpu::argwhere(oracle::view_of<T>(c, 0))); });
              }),
     function<1>("choose",
                 [](call& c, auto t) {
                   using T = typename decltype(t)::type;
                   expect_results(c, false, [&] {
                     return one(gpu::choose(oracle::view_of<std::int64_t>(c, 0),
                                            arrays_of<T>(c, 1, c.numbers.operands.size()), {.mode = mode_of(c)}));
                   });
                 }),
     function<2>("select", [](call& c, auto t) {
       using T = typename decltype(t)::type;
       expect_results(c, false, [&] { return one(gpu::select(arrays_of<bool>(c, 0, 2), arrays_of<T>(c, 2, 4))); });
     })}};

gpu::shape shape_option(const call& c, const char* key) { return gpu::shape(c.numbers.find(key)->integers); }

const oracle::suite making{
    "index_arrays",
    {{"unravel_index", "unravel_index",
      [](const oracle::fixture& f, const std::string& name) {
        oracle::for_each_case(f, name, [](call& c) {
          if (c.numbers.raises && c.device.is_cuda()) return;  // a GPU does not check these
          expect_results(c, false, [&] {
            typed_results results;
            visit_integers(c, 0, [&](const auto& positions) {
              results = all(gpu::unravel_index(positions, shape_option(c, "shape"), {.order = order_of(c)}));
            });
            return results;
          });
        });
      }},
     function("ravel_multi_index",
              [](call& c, auto t) {
                if constexpr (std::is_same_v<typename decltype(t)::type, std::int64_t>) {
                  if (c.numbers.raises && c.device.is_cuda()) return;  // nor these
                  expect_results(c, false, [&] {
                    return one(gpu::ravel_multi_index(arrays_of<std::int64_t>(c, 0, c.numbers.operands.size()),
                                                      shape_option(c, "dims"),
                                                      {.mode = mode_of(c), .order = order_of(c)}));
                  });
                }
              }),
     function("tril_indices",
              [](call& c, auto) {
                expect_results(c, false, [&] {
                  return all(gpu::tril_indices(c.numbers.integer("n", 0),
                                               {.k = c.numbers.integer("k", 0), .m = c.numbers.integer("m", -1)}));
                });
              }),
     function("triu_indices",
              [](call& c, auto) {
                expect_results(c, false, [&] {
                  return all(gpu::triu_indices(c.numbers.integer("n", 0),
                                               {.k = c.numbers.integer("k", 0), .m = c.numbers.integer("m", -1)}));
                });
              }),
     function("diag_indices",
              [](call& c, auto) {
                expect_results(c, false, [&] {
                  return all(
                      gpu::diag_indices(c.numbers.integer("n", 0), static_cast<int>(c.numbers.integer("ndim", 2))));
                });
              }),
     function("ix_", [](call& c, auto t) {
       using T = typename decltype(t)::type;
       if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::int64_t>) {
         expect_results(c, true,
                        [&] { return all(gpu::ix_(oracle::view_of<T>(c, 0), oracle::view_of<std::int64_t>(c, 1))); });
       }
     })}};

}  // namespace
