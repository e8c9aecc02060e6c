/// @file
/// Comparisons, logic and bits of two arrays against NumPy.
#include "gpu/bitwise.hpp"
#include "gpu/logic.hpp"
#include "support/oracle_elementwise.hpp"

namespace {

namespace ops = gpu::ops;
using oracle::binary;

const oracle::suite tests{
    "binary_logic",
    {binary<ops::equal, oracle::many_mixed_pairs>(
         "equal", [](const auto& x, const auto& y, const auto&) { return gpu::equal(x, y); }),
     binary<ops::not_equal>("not_equal",
                            [](const auto& x, const auto& y, const auto&) { return gpu::not_equal(x, y); }),
     binary<ops::less>("less", [](const auto& x, const auto& y, const auto&) { return gpu::less(x, y); }),
     binary<ops::less_equal>("less_equal",
                             [](const auto& x, const auto& y, const auto&) { return gpu::less_equal(x, y); }),
     binary<ops::greater>("greater", [](const auto& x, const auto& y, const auto&) { return gpu::greater(x, y); }),
     binary<ops::greater_equal>("greater_equal",
                                [](const auto& x, const auto& y, const auto&) { return gpu::greater_equal(x, y); }),
     binary<ops::logical_and>("logical_and",
                              [](const auto& x, const auto& y, const auto&) { return gpu::logical_and(x, y); }),
     binary<ops::logical_or>("logical_or",
                             [](const auto& x, const auto& y, const auto&) { return gpu::logical_or(x, y); }),
     binary<ops::logical_xor>("logical_xor",
                              [](const auto& x, const auto& y, const auto&) { return gpu::logical_xor(x, y); }),
     binary<ops::bitwise_and>("bitwise_and",
                              [](const auto& x, const auto& y, const auto&) { return gpu::bitwise_and(x, y); }),
     binary<ops::bitwise_or>("bitwise_or",
                             [](const auto& x, const auto& y, const auto&) { return gpu::bitwise_or(x, y); }),
     binary<ops::bitwise_xor>("bitwise_xor",
                              [](const auto& x, const auto& y, const auto&) { return gpu::bitwise_xor(x, y); }),
     binary<ops::left_shift>("left_shift",
                             [](const auto& x, const auto& y, const auto&) { return gpu::left_shift(x, y); }),
     binary<ops::right_shift>("right_shift",
                              [](const auto& x, const auto& y, const auto&) { return gpu::right_shift(x, y); })}};

}  // namespace
