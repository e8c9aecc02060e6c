/// @file
/// Extrema, any, all and counts against NumPy.
#include "gpu/reduce.hpp"
#include "support/oracle_reduction.hpp"

namespace {

using oracle::reduction;

const oracle::suite tests{
    "reduce_orders",
    {reduction<10>("min", [](const auto& x, const auto& options) { return gpu::min(x, options); }),
     reduction<11>("max", [](const auto& x, const auto& options) { return gpu::max(x, options); }),
     reduction<12>("argmin", [](const auto& x, const auto& options) { return gpu::argmin(x, options); }),
     reduction<13>("argmax", [](const auto& x, const auto& options) { return gpu::argmax(x, options); }),
     reduction<14>("any", [](const auto& x, const auto& options) { return gpu::any(x, options); }),
     reduction<15>("all", [](const auto& x, const auto& options) { return gpu::all(x, options); }),
     reduction<16>("count_nonzero", [](const auto& x, const auto& options) { return gpu::count_nonzero(x, options); }),
     reduction<17>("nanmin", [](const auto& x, const auto& options) { return gpu::nanmin(x, options); }),
     reduction<18>("nanmax", [](const auto& x, const auto& options) { return gpu::nanmax(x, options); }),
     reduction<19>("nanargmin", [](const auto& x, const auto& options) { return gpu::nanargmin(x, options); }),
     reduction<20>("nanargmax", [](const auto& x, const auto& options) { return gpu::nanargmax(x, options); })}};

}  // namespace
