/// @file
/// matmul, dot, vdot, inner, outer and tensordot against NumPy.
#include "gpu/linalg.hpp"
#include "support/oracle_elementwise.hpp"

namespace {

using oracle::binary;
using oracle::mixed;

/// Products are defined for all types. `Turn` as in oracle_types.hpp: a sample of types still meets all of cuBLAS's.
template <unsigned Turn>
struct product {
  static constexpr unsigned turn = Turn;
  template <class A, class B>
  using arguments = gpu::result_type_t<A, B>;
};

/// As MIXED in tests/oracle/products.py.
using pairs = oracle::types<mixed<gpu::int32, float>, mixed<float, double>, mixed<gpu::half, float>,
                            mixed<bool, gpu::int8>, mixed<float, gpu::complex64>, mixed<gpu::bfloat16, gpu::half>>;

gpu::tensordot_axes axes_of(const oracle::test_case& c) {
  const oracle::value& axes = *c.find("axes");
  if (axes.what == oracle::value::kind::integer) return axes.integer;
  gpu::index_vector halves[2];
  const std::size_t half = axes.integers.size() / 2;
  for (std::size_t i = 0; i < axes.integers.size(); ++i) halves[i < half ? 0 : 1].push_back(axes.integers[i]);
  return {halves[0], halves[1]};
}

const oracle::suite tests{
    "products",
    {binary<product<5>, pairs>("matmul", [](const auto& x, const auto& y, const auto&) { return gpu::matmul(x, y); }),
     binary<product<3>, pairs>("dot", [](const auto& x, const auto& y, const auto&) { return gpu::dot(x, y); }),
     binary<product<4>, pairs>("vdot", [](const auto& x, const auto& y, const auto&) { return gpu::vdot(x, y); }),
     binary<product<2>, pairs>("inner", [](const auto& x, const auto& y, const auto&) { return gpu::inner(x, y); }),
     binary<product<0>, pairs>("outer", [](const auto& x, const auto& y, const auto&) { return gpu::outer(x, y); }),
     binary<product<1>, pairs>("tensordot", [](const auto& x, const auto& y, const auto& c) {
       return gpu::tensordot(x, y, {.axes = axes_of(c)});
     })}};

}  // namespace
