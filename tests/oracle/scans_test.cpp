/// @file
/// Running sums and products against NumPy.
#include "gpu/scan.hpp"
#include "support/oracle_reduction.hpp"

namespace {

using oracle::reduction;

const oracle::suite tests{
    "scans",
    {reduction(
         "cumsum", [](const auto& x, const auto& options) { return gpu::cumsum(x, options); },
         []<class R>(const auto& x, const auto& options) { return gpu::cumsum<R>(x, options); }),
     reduction(
         "cumprod", [](const auto& x, const auto& options) { return gpu::cumprod(x, options); },
         []<class R>(const auto& x, const auto& options) { return gpu::cumprod<R>(x, options); }),
     reduction(
         "nancumsum", [](const auto& x, const auto& options) { return gpu::nancumsum(x, options); },
         []<class R>(const auto& x, const auto& options) { return gpu::nancumsum<R>(x, options); }),
     reduction(
         "nancumprod", [](const auto& x, const auto& options) { return gpu::nancumprod(x, options); },
         []<class R>(const auto& x, const auto& options) { return gpu::nancumprod<R>(x, options); }),
     reduction("cumulative_sum", [](const auto& x, const auto& options) { return gpu::cumulative_sum(x, options); }),
     reduction("cumulative_prod",
               [](const auto& x, const auto& options) { return gpu::cumulative_prod(x, options); })}};

}  // namespace
