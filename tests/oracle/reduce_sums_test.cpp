/// @file
/// Sums, products, means and variances against NumPy.
#include "gpu/reduce.hpp"
#include "support/oracle_reduction.hpp"

namespace {

using oracle::reduction;

const oracle::suite tests{"reduce_sums",
                          {reduction(
                               "sum", [](const auto& x, const auto& options) { return gpu::sum(x, options); },
                               []<class R>(const auto& x, const auto& options) { return gpu::sum<R>(x, options); }),
                           reduction(
                               "prod", [](const auto& x, const auto& options) { return gpu::prod(x, options); },
                               []<class R>(const auto& x, const auto& options) { return gpu::prod<R>(x, options); }),
                           reduction(
                               "mean", [](const auto& x, const auto& options) { return gpu::mean(x, options); },
                               []<class R>(const auto& x, const auto& options) { return gpu::mean<R>(x, options); }),
                           reduction("var", [](const auto& x, const auto& options) { return gpu::var(x, options); }),
                           reduction("std", [](const auto& x, const auto& options) { return gpu::std(x, options); })}};

}  // namespace
