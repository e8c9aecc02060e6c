/// @file
/// Sums, products, means and variances without NaN against NumPy.
#include "gpu/reduce.hpp"
#include "support/oracle_reduction.hpp"

namespace {

using oracle::reduction;

const oracle::suite tests{
    "reduce_nan",
    {reduction<1>(
         "nansum", [](const auto& x, const auto& options) { return gpu::nansum(x, options); },
         []<class R>(std::type_identity<R>, const auto& x, const auto& options) { return gpu::nansum<R>(x, options); }),
     reduction<2>("nanprod", [](const auto& x, const auto& options) { return gpu::nanprod(x, options); }),
     reduction<3>("nanmean", [](const auto& x, const auto& options) { return gpu::nanmean(x, options); }),
     reduction<0>("nanvar", [](const auto& x, const auto& options) { return gpu::nanvar(x, options); }),
     reduction<1>("nanstd", [](const auto& x, const auto& options) { return gpu::nanstd(x, options); })}};

}  // namespace
