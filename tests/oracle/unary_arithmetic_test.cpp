/// @file
/// Arithmetic, rounding and the parts of numbers against NumPy.
#include "gpu/arithmetic.hpp"
#include "gpu/complex_numbers.hpp"
#include "gpu/extrema.hpp"
#include "gpu/floating_point.hpp"
#include "gpu/rounding.hpp"
#include "support/oracle_elementwise.hpp"

namespace {

namespace ops = gpu::ops;
using oracle::unary;
using oracle::unary_alias;

constexpr auto nan_to_num = [](const auto& x, const oracle::test_case& c) {
  gpu::nan_to_num_options options;
  options.nan = c.real("nan", 0);
  if (c.find("posinf") != nullptr) options.posinf = c.real("posinf", 0);
  if (c.find("neginf") != nullptr) options.neginf = c.real("neginf", 0);
  return gpu::nan_to_num(x, options);
};

const oracle::suite tests{
    "unary_arithmetic",
    {unary<ops::negative>("negative", [](const auto& x, const auto&) { return gpu::negative(x); }),
     unary<ops::positive>("positive", [](const auto& x, const auto&) { return gpu::positive(x); }),
     unary<ops::absolute>("absolute", [](const auto& x, const auto&) { return gpu::absolute(x); }),
     unary<ops::fabs>("fabs", [](const auto& x, const auto&) { return gpu::fabs(x); }),
     unary<ops::square>("square", [](const auto& x, const auto&) { return gpu::square(x); }),
     unary<ops::reciprocal>("reciprocal", [](const auto& x, const auto&) { return gpu::reciprocal(x); }),
     unary<ops::sign>("sign", [](const auto& x, const auto&) { return gpu::sign(x); }),
     unary<ops::rint>("rint", [](const auto& x, const auto&) { return gpu::rint(x); }),
     unary<ops::floor>("floor", [](const auto& x, const auto&) { return gpu::floor(x); }),
     unary<ops::ceil>("ceil", [](const auto& x, const auto&) { return gpu::ceil(x); }),
     unary<ops::trunc>("trunc", [](const auto& x, const auto&) { return gpu::trunc(x); }),
     unary<ops::round>("round",
                       [](const auto& x, const auto& c) {
                         return gpu::round(x, {.decimals = static_cast<int>(c.integer("decimals", 0))});
                       }),
     unary<ops::modf_fraction>("modf", [](const auto& x, const auto&) { return gpu::modf(x); }),
     unary<ops::frexp_mantissa>("frexp", [](const auto& x, const auto&) { return gpu::frexp(x); }),
     unary<ops::angle>("angle", [](const auto& x, const auto& c) { return gpu::angle(x, {.deg = c.flag("deg")}); }),
     unary<ops::real>("real", [](const auto& x, const auto&) { return gpu::real(x); }),
     unary<ops::imag>("imag", [](const auto& x, const auto&) { return gpu::imag(x); }),
     unary<ops::conjugate>("conjugate", [](const auto& x, const auto&) { return gpu::conjugate(x); }),
     unary<ops::nan_to_num>("nan_to_num", nan_to_num),
     unary_alias("abs", "absolute", [](const auto& x, const auto&) { return gpu::abs(x); }),
     unary_alias("around", "round",
                 [](const auto& x, const auto& c) {
                   return gpu::around(x, {.decimals = static_cast<int>(c.integer("decimals", 0))});
                 }),
     unary_alias("conj", "conjugate", [](const auto& x, const auto&) { return gpu::conj(x); }),
     unary_alias("fix", "trunc", [](const auto& x, const auto&) { return gpu::fix(x); })}};

}  // namespace
