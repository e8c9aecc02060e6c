/// @file
/// Sums, products, means and variances without NaN against NumPy.
#include "gpu/reduce.hpp"
#include "support/oracle_reduction.hpp"

namespace {

using oracle::reduction;

const oracle::suite tests{
    "reduce_nan",
    {reduction(
         "nansum", [](const auto& x, const auto& options) { return gpu::nansum(x, options); },
         []<class R>(const auto& x, const auto& options) { return gpu::nansum<R>(x, options); }),
     reduction("nanprod", [](const auto& x, const auto& options) { return gpu::nanprod(x, options); }),
     reduction("nanmean", [](const auto& x, const auto& options) { return gpu::nanmean(x, options); }),
     reduction("nanvar", [](const auto& x, const auto& options) { return gpu::nanvar(x, options); }),
     reduction("nanstd", [](const auto& x, const auto& options) { return gpu::nanstd(x, options); })}};

}  // namespace
