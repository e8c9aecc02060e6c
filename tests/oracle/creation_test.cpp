/// @file
/// Arrays from shapes, values and ranges against NumPy.
#include "gpu/creation.hpp"

#include "support/oracle_elementwise.hpp"

namespace {

using oracle::call;
using oracle::value;

gpu::shape shape_of(const call& c) { return gpu::shape(c.numbers.find("shape")->integers); }

/// Calls `f` with a number as C++ writes it: an integer or a double.
template <class F>
auto visit_number(const value& v, const F& f) {
  return v.what == value::kind::real ? f(v.real) : f(v.integer);
}

/// `make(type, call)` for the dtype that the case asks for.
template <class Make>
oracle::entry creation(const char* name, Make) {
  return {name, name, [](const oracle::fixture& f, const std::string& function) {
            oracle::for_each_case(f, function, [](call& c) {
              const std::string& wanted = c.numbers.find("dtype")->text;
              for (int i = 0; i < gpu::detail::dtype_count; ++i) {
                if (wanted != gpu::name(static_cast<gpu::dtype>(i))) continue;
                oracle::visit_tested(static_cast<gpu::dtype>(i), [&]<class T>(std::type_identity<T> t) {
                  oracle::expect_case(c, [&] { return Make{}(t, c); });
                });
              }
            });
          }};
}

constexpr auto make_arange = []<class T>(std::type_identity<T>, const call& c) {
  const value* start = c.numbers.find("start");
  const value* step = c.numbers.find("step");
  return visit_number(*c.numbers.find("stop"), [&](auto stop) {
    using number = decltype(stop);  // NumPy's cases do not mix integers and floats, except as float
    const auto as_number = [](const value* v) {
      return v->what == value::kind::real ? static_cast<number>(v->real) : static_cast<number>(v->integer);
    };
    if (start == nullptr) return gpu::arange<T>(stop);
    if (step == nullptr) return gpu::arange<T>(as_number(start), stop);
    return gpu::arange<T>(as_number(start), stop, as_number(step));
  });
};

const oracle::suite tests{
    "creation",
    {creation("zeros", []<class T>(std::type_identity<T>, const call& c) { return gpu::zeros<T>(shape_of(c)); }),
     creation("ones", []<class T>(std::type_identity<T>, const call& c) { return gpu::ones<T>(shape_of(c)); }),
     creation("full",
              []<class T>(std::type_identity<T>, const call& c) {
                if constexpr (std::is_integral_v<T>) {
                  return gpu::full<T>(shape_of(c), c.numbers.find("value")->integer);
                } else {
                  return gpu::full<T>(shape_of(c), c.numbers.find("value")->real);
                }
              }),
     creation("eye",
              []<class T>(std::type_identity<T>, const call& c) {
                return gpu::eye<T>(c.numbers.integer("N", 0),
                                   {.M = c.numbers.integer("M", 0), .k = c.numbers.integer("k", 0)});
              }),
     creation("identity", []<class T>(std::type_identity<T>,
                                      const call& c) { return gpu::identity<T>(c.numbers.integer("n", 0)); }),
     creation("arange", make_arange), creation("linspace", []<class T>(std::type_identity<T>, const call& c) {
       return gpu::linspace<T>(c.numbers.real("start", 0), c.numbers.real("stop", 0),
                               {.num = c.numbers.integer("num", 0), .endpoint = c.numbers.flag("endpoint")});
     })}};

}  // namespace
