/// @file
/// Trigonometric and hyperbolic functions against NumPy.
#include "gpu/floating_point.hpp"
#include "gpu/trigonometric.hpp"
#include "support/oracle_elementwise.hpp"

namespace {

namespace ops = gpu::ops;
using oracle::unary;
using oracle::unary_alias;

const oracle::suite tests{
    "unary_trigonometric",
    {unary<ops::sin>("sin", [](const auto& x, const auto&) { return gpu::sin(x); }),
     unary<ops::cos>("cos", [](const auto& x, const auto&) { return gpu::cos(x); }),
     unary<ops::tan>("tan", [](const auto& x, const auto&) { return gpu::tan(x); }),
     unary<ops::arcsin>("arcsin", [](const auto& x, const auto&) { return gpu::arcsin(x); }),
     unary<ops::arccos>("arccos", [](const auto& x, const auto&) { return gpu::arccos(x); }),
     unary<ops::arctan>("arctan", [](const auto& x, const auto&) { return gpu::arctan(x); }),
     unary<ops::sinh>("sinh", [](const auto& x, const auto&) { return gpu::sinh(x); }),
     unary<ops::cosh>("cosh", [](const auto& x, const auto&) { return gpu::cosh(x); }),
     unary<ops::tanh>("tanh", [](const auto& x, const auto&) { return gpu::tanh(x); }),
     unary<ops::arcsinh>("arcsinh", [](const auto& x, const auto&) { return gpu::arcsinh(x); }),
     unary<ops::arccosh>("arccosh", [](const auto& x, const auto&) { return gpu::arccosh(x); }),
     unary<ops::arctanh>("arctanh", [](const auto& x, const auto&) { return gpu::arctanh(x); }),
     unary<ops::deg2rad>("deg2rad", [](const auto& x, const auto&) { return gpu::deg2rad(x); }),
     unary<ops::rad2deg>("rad2deg", [](const auto& x, const auto&) { return gpu::rad2deg(x); }),
     unary<ops::sinc>("sinc", [](const auto& x, const auto&) { return gpu::sinc(x); }),
     unary_alias("asin", "arcsin", [](const auto& x, const auto&) { return gpu::asin(x); }),
     unary_alias("acos", "arccos", [](const auto& x, const auto&) { return gpu::acos(x); }),
     unary_alias("atan", "arctan", [](const auto& x, const auto&) { return gpu::atan(x); }),
     unary_alias("asinh", "arcsinh", [](const auto& x, const auto&) { return gpu::asinh(x); }),
     unary_alias("acosh", "arccosh", [](const auto& x, const auto&) { return gpu::acosh(x); }),
     unary_alias("atanh", "arctanh", [](const auto& x, const auto&) { return gpu::atanh(x); }),
     unary_alias("radians", "deg2rad", [](const auto& x, const auto&) { return gpu::radians(x); }),
     unary_alias("degrees", "rad2deg", [](const auto& x, const auto&) { return gpu::degrees(x); })}};

}  // namespace
