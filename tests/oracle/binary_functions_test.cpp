/// @file
/// Functions of two arrays against NumPy.
#include "gpu/arithmetic.hpp"
#include "gpu/exponents.hpp"
#include "gpu/extrema.hpp"
#include "gpu/floating_point.hpp"
#include "gpu/logic.hpp"
#include "gpu/trigonometric.hpp"
#include "support/oracle_elementwise.hpp"

namespace {

namespace ops = gpu::ops;
using oracle::binary;
using oracle::binary_alias;

const oracle::suite tests{
    "binary_functions",
    {binary<ops::arctan2>("arctan2", [](const auto& x, const auto& y, const auto&) { return gpu::arctan2(x, y); }),
     binary<ops::hypot>("hypot", [](const auto& x, const auto& y, const auto&) { return gpu::hypot(x, y); }),
     binary<ops::logaddexp>("logaddexp",
                            [](const auto& x, const auto& y, const auto&) { return gpu::logaddexp(x, y); }),
     binary<ops::logaddexp2>("logaddexp2",
                             [](const auto& x, const auto& y, const auto&) { return gpu::logaddexp2(x, y); }),
     binary<ops::copysign>("copysign", [](const auto& x, const auto& y, const auto&) { return gpu::copysign(x, y); }),
     binary<ops::nextafter>("nextafter",
                            [](const auto& x, const auto& y, const auto&) { return gpu::nextafter(x, y); }),
     binary<ops::ldexp, oracle::ldexp_pairs>(
         "ldexp", [](const auto& x, const auto& y, const auto&) { return gpu::ldexp(x, y); }),
     binary<ops::gcd>("gcd", [](const auto& x, const auto& y, const auto&) { return gpu::gcd(x, y); }),
     binary<ops::lcm>("lcm", [](const auto& x, const auto& y, const auto&) { return gpu::lcm(x, y); }),
     binary<ops::maximum>("maximum", [](const auto& x, const auto& y, const auto&) { return gpu::maximum(x, y); }),
     binary<ops::minimum>("minimum", [](const auto& x, const auto& y, const auto&) { return gpu::minimum(x, y); }),
     binary<ops::fmax>("fmax", [](const auto& x, const auto& y, const auto&) { return gpu::fmax(x, y); }),
     binary<ops::fmin>("fmin", [](const auto& x, const auto& y, const auto&) { return gpu::fmin(x, y); }),
     binary<ops::isclose>(
         "isclose",
         [](const auto& x, const auto& y, const auto& c) {
           return gpu::isclose(
               x, y, {.rtol = c.real("rtol", 1e-5), .atol = c.real("atol", 1e-8), .equal_nan = c.flag("equal_nan")});
         }),
     binary_alias("atan2", "arctan2", [](const auto& x, const auto& y, const auto&) { return gpu::atan2(x, y); })}};

}  // namespace
