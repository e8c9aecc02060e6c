/// @file
/// `astype` between all pairs of element types against NumPy.
#include "gpu/map.hpp"
#include "support/oracle_elementwise.hpp"

namespace {

gpu::dtype type_named(const std::string& name) {
  for (int i = 0; i < gpu::detail::dtype_count; ++i) {
    if (name == gpu::name(static_cast<gpu::dtype>(i))) return static_cast<gpu::dtype>(i);
  }
  return gpu::dtype::other;
}

const oracle::suite tests{
    "astype",
    {{"astype", "astype", [](const oracle::fixture& f, const std::string& function) {
        oracle::for_each_case(f, function, [](oracle::call& c) {
          gpu::visit_dtype(c.fixture.type_of(c.numbers.operands[0]), [&]<class From>(std::type_identity<From>) {
            gpu::visit_dtype(type_named(c.numbers.find("dtype")->text), [&]<class To>(std::type_identity<To>) {
              if constexpr (oracle::is_pair_tested<From, To, 0>)
                oracle::expect_case(c, [&] { return gpu::astype<To>(oracle::view_of<From>(c, 0)); });
            });
          });
        });
      }}}};

}  // namespace
