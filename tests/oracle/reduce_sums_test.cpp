/// @file
/// Sums, products, means and variances against NumPy.
#include "gpu/reduce.hpp"
#include "support/oracle_reduction.hpp"

namespace {

using oracle::reduction;

const oracle::suite tests{
    "reduce_sums",
    {reduction<0>(
         "sum", [](const auto& x, const auto& options) { return gpu::sum(x, options); },
         []<class R>(std::type_identity<R>, const auto& x, const auto& options) { return gpu::sum<R>(x, options); }),
     reduction<1>(
         "prod", [](const auto& x, const auto& options) { return gpu::prod(x, options); },
         []<class R>(std::type_identity<R>, const auto& x, const auto& options) { return gpu::prod<R>(x, options); }),
     reduction<2>(
         "mean", [](const auto& x, const auto& options) { return gpu::mean(x, options); },
         []<class R>(std::type_identity<R>, const auto& x, const auto& options) { return gpu::mean<R>(x, options); }),
     reduction<3>("var", [](const auto& x, const auto& options) { return gpu::var(x, options); }),
     reduction<4>("std", [](const auto& x, const auto& options) { return gpu::std(x, options); })}};

}  // namespace
