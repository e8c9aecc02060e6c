/// @file
/// Questions about numbers, and bits against NumPy.
#include "gpu/bitwise.hpp"
#include "gpu/floating_point.hpp"
#include "gpu/logic.hpp"
#include "support/oracle_elementwise.hpp"

namespace {

namespace ops = gpu::ops;
using oracle::unary;
using oracle::unary_alias;

const oracle::suite tests{
    "unary_logic",
    {unary<ops::isfinite>("isfinite", [](const auto& x, const auto&) { return gpu::isfinite(x); }),
     unary<ops::isinf>("isinf", [](const auto& x, const auto&) { return gpu::isinf(x); }),
     unary<ops::isnan>("isnan", [](const auto& x, const auto&) { return gpu::isnan(x); }),
     unary<ops::isneginf>("isneginf", [](const auto& x, const auto&) { return gpu::isneginf(x); }),
     unary<ops::isposinf>("isposinf", [](const auto& x, const auto&) { return gpu::isposinf(x); }),
     unary<ops::iscomplex>("iscomplex", [](const auto& x, const auto&) { return gpu::iscomplex(x); }),
     unary<ops::isreal>("isreal", [](const auto& x, const auto&) { return gpu::isreal(x); }),
     unary<ops::logical_not>("logical_not", [](const auto& x, const auto&) { return gpu::logical_not(x); }),
     unary<ops::signbit>("signbit", [](const auto& x, const auto&) { return gpu::signbit(x); }),
     unary<ops::invert>("invert", [](const auto& x, const auto&) { return gpu::invert(x); }),
     unary<ops::bitwise_count>("bitwise_count", [](const auto& x, const auto&) { return gpu::bitwise_count(x); }),
     unary_alias<gpu::int32>("bitwise_not", "invert", [](const auto& x, const auto&) { return gpu::bitwise_not(x); })}};

}  // namespace
