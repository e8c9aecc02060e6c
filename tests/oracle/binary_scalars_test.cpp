/// @file
/// Arrays beside weak scalars against NumPy.
#include "gpu/arithmetic.hpp"
#include "gpu/bitwise.hpp"
#include "gpu/extrema.hpp"
#include "gpu/floating_point.hpp"
#include "gpu/logic.hpp"
#include "gpu/trigonometric.hpp"
#include "support/oracle_elementwise.hpp"

namespace {

namespace ops = gpu::ops;
using oracle::with_scalar;

const oracle::suite tests{
    "binary_scalars",
    {with_scalar<ops::add, oracle::all_scalars>("add", [](const auto& x, const auto& y) { return gpu::add(x, y); }),
     with_scalar<ops::multiply, oracle::some_scalars>("multiply",
                                                      [](const auto& x, const auto& y) { return gpu::multiply(x, y); }),
     with_scalar<ops::maximum, oracle::some_scalars>("maximum",
                                                     [](const auto& x, const auto& y) { return gpu::maximum(x, y); }),
     with_scalar<ops::equal, oracle::some_scalars>("equal",
                                                   [](const auto& x, const auto& y) { return gpu::equal(x, y); }),
     with_scalar<ops::bitwise_and, oracle::some_scalars>(
         "bitwise_and", [](const auto& x, const auto& y) { return gpu::bitwise_and(x, y); }),
     with_scalar<ops::left_shift, oracle::some_scalars>(
         "left_shift", [](const auto& x, const auto& y) { return gpu::left_shift(x, y); }),
     with_scalar<ops::arctan2, oracle::some_scalars>("arctan2",
                                                     [](const auto& x, const auto& y) { return gpu::arctan2(x, y); }),
     with_scalar<ops::copysign, oracle::some_scalars>("copysign",
                                                      [](const auto& x, const auto& y) { return gpu::copysign(x, y); }),
     with_scalar<ops::ldexp, oracle::some_scalars>("ldexp",
                                                   [](const auto& x, const auto& y) { return gpu::ldexp(x, y); }),
     with_scalar<ops::logical_and, oracle::all_scalars>(
         "logical_and", [](const auto& x, const auto& y) { return gpu::logical_and(x, y); }),
     with_scalar<ops::remainder, oracle::some_scalars>(
         "remainder", [](const auto& x, const auto& y) { return gpu::remainder(x, y); }),
     with_scalar<ops::less, oracle::all_scalars_first>("less",
                                                       [](const auto& x, const auto& y) { return gpu::less(x, y); }),
     with_scalar<ops::subtract, oracle::some_scalars_first>(
         "subtract", [](const auto& x, const auto& y) { return gpu::subtract(x, y); }),
     with_scalar<ops::divide, oracle::some_scalars_first>(
         "divide", [](const auto& x, const auto& y) { return gpu::divide(x, y); }),
     with_scalar<ops::floor_divide, oracle::some_scalars_first>(
         "floor_divide", [](const auto& x, const auto& y) { return gpu::floor_divide(x, y); }),
     with_scalar<ops::power, oracle::some_scalars_first>(
         "power", [](const auto& x, const auto& y) { return gpu::power(x, y); })}};

}  // namespace
