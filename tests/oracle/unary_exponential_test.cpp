/// @file
/// Exponentials, logarithms, roots and i0 against NumPy.
#include "gpu/exponents.hpp"
#include "gpu/floating_point.hpp"
#include "support/oracle_elementwise.hpp"

namespace {

namespace ops = gpu::ops;
using oracle::unary;

const oracle::suite tests{"unary_exponential",
                          {unary<ops::exp>("exp", [](const auto& x, const auto&) { return gpu::exp(x); }),
                           unary<ops::expm1>("expm1", [](const auto& x, const auto&) { return gpu::expm1(x); }),
                           unary<ops::exp2>("exp2", [](const auto& x, const auto&) { return gpu::exp2(x); }),
                           unary<ops::log>("log", [](const auto& x, const auto&) { return gpu::log(x); }),
                           unary<ops::log10>("log10", [](const auto& x, const auto&) { return gpu::log10(x); }),
                           unary<ops::log2>("log2", [](const auto& x, const auto&) { return gpu::log2(x); }),
                           unary<ops::log1p>("log1p", [](const auto& x, const auto&) { return gpu::log1p(x); }),
                           unary<ops::cbrt>("cbrt", [](const auto& x, const auto&) { return gpu::cbrt(x); }),
                           unary<ops::i0>("i0", [](const auto& x, const auto&) { return gpu::i0(x); }),
                           unary<ops::sqrt>("sqrt", [](const auto& x, const auto&) { return gpu::sqrt(x); }),
                           unary<ops::rsqrt>("rsqrt", [](const auto& x, const auto&) { return gpu::rsqrt(x); })}};

}  // namespace
