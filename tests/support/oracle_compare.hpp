/// @file
/// Comparing a result with what NumPy answered: erased of types, on the host.
#pragma once

#include <cstddef>
#include <string>

#include "gpu/core/strided.hpp"
#include "oracle_fixture.hpp"

namespace oracle {

/// The view of a pool array that a recipe leads to. Computed here and not by the library, whose views it checks.
[[nodiscard]] gpu::const_strided_ref apply(const recipe& steps, const pool_array& array);

/// The view that result `result_index` of a case must match in one of its variants.
[[nodiscard]] gpu::const_strided_ref expected(const fixture& f, const test_case& c, std::size_t result_index,
                                              std::size_t variant_index);

/// Empty if `actual` has the expected dtype and shape and meets every element within the tolerance; otherwise what
/// differs: dtypes, shapes, or the first elements with index, got, expected and distance.
[[nodiscard]] std::string compare(const gpu::const_strided_ref& actual, const fixture& f, const test_case& c,
                                  std::size_t result_index, std::size_t variant_index);

}  // namespace oracle
