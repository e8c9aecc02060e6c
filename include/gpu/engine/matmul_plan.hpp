/// @file
/// `matmul_plan`: the library calls that a matrix product takes, the same for all backends.
///
/// Everything is in row-major terms: a matrix is "not transposed" when its columns are adjacent in memory, and
/// `leading` is the distance between its rows. A column-major library computes `out^T = right^T left^T` with the same
/// flags.
#pragma once

#include <cstdint>
#include <limits>

#include "../core/config.hpp"
#include "../core/strided.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

enum class matmul_kind : std::uint8_t {
  nothing,  ///< the result is empty
  zeros,    ///< k is 0: every result is 0
  dot,      ///< m = n = 1: left along its columns (increment left.column), right along its rows (right.row)
  gemv,     ///< n = 1: left is the matrix, right the vector (increment right.row), out has increment out.row
  gemm
};

/// What a backend asks of the operands that it passes to a library; its own kernels read any strides.
struct matmul_rules {
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  /// From m * n * k multiplications on, operands that the library cannot read are copied for a gemm.
  std::int64_t copy_for_gemm = never;
  /// The same where the product is a gemv or a dot.
  std::int64_t copy_for_vectors = never;
  /// Whether the library's strided batches must not step backwards.
  bool ascending_stacks = false;
};

/// One operand of the calls. Strides count elements.
struct matmul_operand {
  std::int64_t offset = 0;  ///< from the pointer that is passed to the first element of the first matrix
  std::int64_t row = 0;     ///< strides of the matrix, of any sign; 0 where its extent is 1
  std::int64_t column = 0;
  std::int64_t leading = 1;  ///< leading dimension and flag, where `matmul_plan::library` holds
  bool transposed = false;
  /// Strides of the loops over the stack; 0: the same matrix each time. Only the first stack_rank are initialised.
  std::int64_t stack[max_rank];  // NOLINT(modernize-avoid-c-arrays): planning is on the way of every small product
};

/// `out = left @ right` for every entry of a stack, m x k by k x n. The pointers that go with a plan are those of a, b
/// and out as given, or of their dense copies where it asks for them.
struct matmul_plan {
  matmul_kind kind = matmul_kind::nothing;
  dtype type = dtype::other;
  bool library = false;     ///< a BLAS can make every call; otherwise a backend's own kernel must
  bool swapped = false;     ///< left is b and right is a: the transposed product is computed
  bool conjugated = false;  ///< the elements of a are conjugated (kind dot only)
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  int stack_rank = 0;  ///< loops over the stack, outermost first; the last is the one to hand over as a strided batch
  std::int64_t stack_extents[max_rank];
  matmul_operand left;
  matmul_operand right;
  matmul_operand out;

  bool copy_a = false;  ///< the caller passes a dense C-order copy of `a_source` as a
  bool copy_b = false;
  bool copy_out = false;  ///< the caller passes a dense C-order temporary of the result's shape and copies it to out
  const_strided_ref a_source{};
  const_strided_ref b_source{};

  [[nodiscard]] constexpr std::int64_t stack_size() const noexcept {
    std::int64_t size = 1;
    for (int i = 0; i < stack_rank; ++i) size *= stack_extents[i];
    return size;
  }
  /// Multiplications for one entry of the stack; saturates.
  [[nodiscard]] constexpr std::int64_t volume() const noexcept {
    std::int64_t v = 0;
    if (__builtin_mul_overflow(m, n, &v) || __builtin_mul_overflow(v, k, &v)) return matmul_rules::never;
    return v;
  }
};

struct matmul_offsets {
  std::int64_t left;
  std::int64_t right;
  std::int64_t out;
};

/// Where the operands of entry `index` of the outer `rank` stack loops begin, in C order over those loops.
[[nodiscard]] constexpr matmul_offsets offsets_at(const matmul_plan& p, std::int64_t index, int rank) noexcept {
  matmul_offsets at{p.left.offset, p.right.offset, p.out.offset};
  for (int i = rank - 1; i >= 0; --i) {
    const std::int64_t step = index % p.stack_extents[i];
    index /= p.stack_extents[i];
    at.left += step * p.left.stack[i];
    at.right += step * p.right.stack[i];
    at.out += step * p.out.stack[i];
  }
  return at;
}

/// BLAS takes a vector with a negative increment by its lowest address: the distance to it from the first element.
[[nodiscard]] constexpr std::int64_t lowest_address(std::int64_t increment, std::int64_t n) noexcept {
  return increment < 0 ? increment * (n - 1) : 0;
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
