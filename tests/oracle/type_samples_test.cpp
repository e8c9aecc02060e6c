/// @file
/// That a sample of element types (support/oracle_types.hpp) leaves no type without functions.
#include "support/oracle_types.hpp"

#include <gtest/gtest.h>

namespace {

TEST(oracle_types, every_type_meets_many_functions) {
  constexpr const char* functions[] = {
      "add",   "subtract", "multiply", "divide", "floor_divide", "remainder", "power",    "maximum",  "minimum",
      "equal", "less",     "greater",  "sin",    "cos",          "tan",       "exp",      "log",      "log1p",
      "expm1", "sqrt",     "square",   "rint",   "floor",        "ceil",      "absolute", "negative", "sign",
      "isnan", "isinf",    "signbit",  "frexp",  "modf",         "conjugate", "hypot",    "arctan2",  "nan_to_num"};
  for (int i = 0; i < gpu::detail::dtype_count; ++i) {
    int met = 0;
    for (const char* name : functions) met += oracle::in_sample(static_cast<unsigned>(i), oracle::turn_of(name), 6);
    EXPECT_GE(met, 3) << gpu::name(static_cast<gpu::dtype>(i));
  }
}

}  // namespace
