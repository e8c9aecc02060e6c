/// @file
/// Sums, products, means and variances without NaN against NumPy.
#include "gpu/reduce.hpp"
#include "support/oracle_reduction.hpp"

namespace {

using oracle::reduction;

const oracle::suite tests{
    "reduce_nan",
    {reduction<5>(
         "nansum", [](const auto& x, const auto& options) { return gpu::nansum(x, options); },
         []<class R>(std::type_identity<R>, const auto& x, const auto& options) { return gpu::nansum<R>(x, options); }),
     reduction<6>("nanprod", [](const auto& x, const auto& options) { return gpu::nanprod(x, options); }),
     reduction<7>("nanmean", [](const auto& x, const auto& options) { return gpu::nanmean(x, options); }),
     reduction<8>("nanvar", [](const auto& x, const auto& options) { return gpu::nanvar(x, options); }),
     reduction<9>("nanstd", [](const auto& x, const auto& options) { return gpu::nanstd(x, options); })}};

}  // namespace
