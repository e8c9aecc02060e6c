/// @file
/// Arithmetic of two arrays against NumPy.
#include "gpu/arithmetic.hpp"
#include "support/oracle_elementwise.hpp"

namespace {

namespace ops = gpu::ops;
using oracle::binary;
using oracle::binary_alias;

const oracle::suite tests{
    "binary_arithmetic",
    {binary<ops::add, oracle::many_mixed_pairs>(
         "add", [](const auto& x, const auto& y, const auto&) { return gpu::add(x, y); }),
     binary<ops::subtract>("subtract", [](const auto& x, const auto& y, const auto&) { return gpu::subtract(x, y); }),
     binary<ops::multiply>("multiply", [](const auto& x, const auto& y, const auto&) { return gpu::multiply(x, y); }),
     binary<ops::divide>("divide", [](const auto& x, const auto& y, const auto&) { return gpu::divide(x, y); }),
     binary<ops::floor_divide>("floor_divide",
                               [](const auto& x, const auto& y, const auto&) { return gpu::floor_divide(x, y); }),
     binary<ops::remainder>("remainder",
                            [](const auto& x, const auto& y, const auto&) { return gpu::remainder(x, y); }),
     binary<ops::fmod>("fmod", [](const auto& x, const auto& y, const auto&) { return gpu::fmod(x, y); }),
     binary<ops::floor_divide>("divmod", [](const auto& x, const auto& y, const auto&) { return gpu::divmod(x, y); }),
     binary<ops::power>("power", [](const auto& x, const auto& y, const auto&) { return gpu::power(x, y); }),
     binary_alias("true_divide", "divide",
                  [](const auto& x, const auto& y, const auto&) { return gpu::true_divide(x, y); }),
     binary_alias("mod", "remainder", [](const auto& x, const auto& y, const auto&) { return gpu::mod(x, y); }),
     binary_alias("pow", "power", [](const auto& x, const auto& y, const auto&) { return gpu::pow(x, y); })}};

}  // namespace
