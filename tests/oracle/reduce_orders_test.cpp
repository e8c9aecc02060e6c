/// @file
/// Extrema, any, all and counts against NumPy.
#include "gpu/reduce.hpp"
#include "support/oracle_reduction.hpp"

namespace {

using oracle::reduction;

const oracle::suite tests{
    "reduce_orders",
    {reduction("min", [](const auto& x, const auto& options) { return gpu::min(x, options); }),
     reduction("max", [](const auto& x, const auto& options) { return gpu::max(x, options); }),
     reduction("argmin", [](const auto& x, const auto& options) { return gpu::argmin(x, options); }),
     reduction("argmax", [](const auto& x, const auto& options) { return gpu::argmax(x, options); }),
     reduction("any", [](const auto& x, const auto& options) { return gpu::any(x, options); }),
     reduction("all", [](const auto& x, const auto& options) { return gpu::all(x, options); }),
     reduction("count_nonzero", [](const auto& x, const auto& options) { return gpu::count_nonzero(x, options); }),
     reduction("nanmin", [](const auto& x, const auto& options) { return gpu::nanmin(x, options); }),
     reduction("nanmax", [](const auto& x, const auto& options) { return gpu::nanmax(x, options); }),
     reduction("nanargmin", [](const auto& x, const auto& options) { return gpu::nanargmin(x, options); }),
     reduction("nanargmax", [](const auto& x, const auto& options) { return gpu::nanargmax(x, options); })}};

}  // namespace
