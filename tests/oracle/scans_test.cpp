/// @file
/// Running sums and products against NumPy.
#include "gpu/scan.hpp"
#include "support/oracle_reduction.hpp"

namespace {

using oracle::reduction;

const oracle::suite tests{
    "scans",
    {reduction<21>(
         "cumsum", [](const auto& x, const auto& options) { return gpu::cumsum(x, options); },
         []<class R>(std::type_identity<R>, const auto& x, const auto& options) { return gpu::cumsum<R>(x, options); }),
     reduction<22>(
         "cumprod", [](const auto& x, const auto& options) { return gpu::cumprod(x, options); },
         []<class R>(std::type_identity<R>, const auto& x, const auto& options) {
           return gpu::cumprod<R>(x, options);
         }),
     reduction<23>(
         "nancumsum", [](const auto& x, const auto& options) { return gpu::nancumsum(x, options); },
         []<class R>(std::type_identity<R>, const auto& x, const auto& options) {
           return gpu::nancumsum<R>(x, options);
         }),
     reduction<24>(
         "nancumprod", [](const auto& x, const auto& options) { return gpu::nancumprod(x, options); },
         []<class R>(std::type_identity<R>, const auto& x, const auto& options) {
           return gpu::nancumprod<R>(x, options);
         }),
     reduction<25>("cumulative_sum",
                   [](const auto& x, const auto& options) { return gpu::cumulative_sum(x, options); }),
     reduction<26>("cumulative_prod",
                   [](const auto& x, const auto& options) { return gpu::cumulative_prod(x, options); })}};

}  // namespace
