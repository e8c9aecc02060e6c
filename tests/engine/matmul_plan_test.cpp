/// @file
/// matmul's plans, run on a stand-in BLAS that reads its operands only as a BLAS may, against plain loops.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>

#include "gpu/engine/make_matmul_plan.hpp"
#include "support/matmul_arrays.hpp"

namespace {

namespace engine = gpu::engine;
using engine::matmul_kind;
using gpu::index_vector;
using gpu::shape;
using test_matmul::array;
using test_matmul::dense_copy;
using test_matmul::expected_product;
using test_matmul::numbers;

constexpr engine::matmul_rules library_rules{.copy_for_gemm = 0, .copy_for_vectors = 0, .ascending_stacks = true};
constexpr engine::matmul_rules own_rules{};

array dense_array(const shape& extents) { return test_matmul::dense_array(gpu::dtype::int64, extents); }

array make_array(const shape& extents, const index_vector& axes, const index_vector& steps) {
  return test_matmul::make_array(gpu::dtype::int64, extents, axes, steps);
}

/// A view of `a` with its axes in another order.
array transposed(array a, const index_vector& axes) {
  const array old = a;
  for (int i = 0; i < axes.rank(); ++i) {
    a.extents[i] = old.extents[static_cast<int>(axes[i])];
    a.strides[i] = old.strides[static_cast<int>(axes[i])];
  }
  return a;
}

/// A matrix element as a row-major BLAS addresses it.
std::int64_t library_index(const engine::matmul_operand& o, std::int64_t row, std::int64_t column) {
  return o.transposed ? column * o.leading + row : row * o.leading + column;
}

std::int64_t vector_index(std::int64_t increment, std::int64_t n, std::int64_t i) {
  EXPECT_NE(increment, 0);
  return engine::lowest_address(increment, n) + (increment < 0 ? (i - n + 1) : i) * increment;
}

void run(const engine::matmul_plan& p, const std::int64_t* a, const std::int64_t* b, std::int64_t* out) {
  const std::int64_t* left = p.swapped ? b : a;
  const std::int64_t* right = p.swapped ? a : b;
  for (std::int64_t s = 0; s < p.stack_size(); ++s) {
    const engine::matmul_offsets at = engine::offsets_at(p, s, p.stack_rank);
    for (std::int64_t i = 0; i < p.m; ++i) {
      for (std::int64_t j = 0; j < p.n; ++j) {
        std::int64_t sum = 0;
        for (std::int64_t k = 0; k < p.k; ++k) {
          std::int64_t x = i * p.left.row + k * p.left.column;
          std::int64_t y = k * p.right.row + j * p.right.column;
          if (p.library && p.kind == matmul_kind::gemm) {
            EXPECT_GE(p.left.leading, p.left.transposed ? p.m : p.k);
            EXPECT_GE(p.right.leading, p.right.transposed ? p.k : p.n);
            x = library_index(p.left, i, k);
            y = library_index(p.right, k, j);
          } else if (p.library) {
            x = p.kind == matmul_kind::gemv ? library_index(p.left, i, k) : vector_index(p.left.column, p.k, k);
            y = vector_index(p.right.row, p.k, k);
          }
          sum += left[at.left + x] * right[at.right + y];
        }
        std::int64_t z = i * p.out.row + j * p.out.column;
        if (p.library && p.kind == matmul_kind::gemm) {
          EXPECT_FALSE(p.out.transposed);
          EXPECT_GE(p.out.leading, p.n);
          z = library_index(p.out, i, j);
        } else if (p.library && p.kind == matmul_kind::gemv) {
          z = vector_index(p.out.row, p.m, i);
        }
        out[at.out + z] = sum;
      }
    }
  }
}

engine::matmul_plan check(const array& a, const array& b, array out, const engine::matmul_rules& rules) {
  SCOPED_TRACE("a " + a.extents.to_string() + a.strides.to_string() + " b " + b.extents.to_string() +
               b.strides.to_string() + " out " + out.extents.to_string() + out.strides.to_string());
  const engine::matmul_plan p = engine::plan_matmul(a.ref(), b.ref(), out.ref(), rules);
  const array from_a = p.copy_a ? dense_copy(p.a_source) : a;
  const array from_b = p.copy_b ? dense_copy(p.b_source) : b;
  array to = p.copy_out ? dense_array(out.extents) : out;
  const auto elements = [](const std::byte* first) { return reinterpret_cast<const std::int64_t*>(first); };
  run(p, elements(from_a.at(0)), elements(from_b.at(0)), reinterpret_cast<std::int64_t*>(to.at(0)));
  const array& result = to;
  EXPECT_TRUE(numbers(dense_copy(result.ref())) == numbers(expected_product(a, b, false)));
  return p;
}

array result_of(const array& a, const array& b) { return dense_array(engine::matmul_shape(a.extents, b.extents)); }

engine::matmul_plan check(const array& a, const array& b) {
  check(a, b, result_of(a, b), own_rules);
  return check(a, b, result_of(a, b), library_rules);
}

void expect_no_copy(const engine::matmul_plan& p) {
  EXPECT_TRUE(p.library);
  EXPECT_FALSE(p.copy_a || p.copy_b || p.copy_out);
}

TEST(MatmulPlan, TransposesAreFlags) {
  const array a = dense_array({3, 4});
  const array b = dense_array({4, 5});
  const array a_t = transposed(dense_array({4, 3}), {1, 0});
  const array b_t = transposed(dense_array({5, 4}), {1, 0});
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const engine::matmul_plan p = check(ta ? a_t : a, tb ? b_t : b);
      expect_no_copy(p);
      EXPECT_EQ(p.kind, matmul_kind::gemm);
      EXPECT_EQ(p.left.transposed, ta);
      EXPECT_EQ(p.right.transposed, tb);
      EXPECT_EQ(p.left.leading, ta ? 3 : 4);
      EXPECT_EQ(p.right.leading, tb ? 4 : 5);
      EXPECT_EQ(p.stack_rank, 0);
    }
  }
}

TEST(MatmulPlan, AColumnMajorResultSwapsTheFactors) {
  const engine::matmul_plan p =
      check(dense_array({3, 4}), dense_array({4, 5}), transposed(dense_array({5, 3}), {1, 0}), library_rules);
  expect_no_copy(p);
  EXPECT_TRUE(p.swapped);
  EXPECT_EQ(p.m, 5);
  EXPECT_EQ(p.n, 3);
}

TEST(MatmulPlan, SlicesWithUnitInnerStrideAreNotCopied) {
  array a = dense_array({6, 10});
  a.extents = {3, 4};
  a.strides = {20, 1};  // a[::2, 2:6]
  a.first = 2;
  const engine::matmul_plan p = check(a, dense_array({4, 5}));
  expect_no_copy(p);
  EXPECT_EQ(p.left.leading, 20);
}

TEST(MatmulPlan, OtherStridesAreCopied) {
  const array b = dense_array({4, 5});
  for (const index_vector& steps : {index_vector{1, 2}, index_vector{-1, 1}, index_vector{0, 1}, index_vector{1, 0}}) {
    const engine::matmul_plan p = check(make_array({3, 4}, {0, 1}, steps), b);
    EXPECT_TRUE(p.library && p.copy_a && !p.copy_b && !p.copy_out);
  }
  const engine::matmul_plan p = check(dense_array({3, 4}), b, make_array({3, 5}, {0, 1}, {1, 2}), library_rules);
  EXPECT_TRUE(p.library && p.copy_out && !p.copy_a && !p.copy_b);
}

TEST(MatmulPlan, SmallProductsAreNotCopied) {
  const array a = make_array({3, 4}, {0, 1}, {1, 2});
  const array b = dense_array({4, 5});
  const engine::matmul_plan small = check(a, b, result_of(a, b), {.copy_for_gemm = 61});
  EXPECT_FALSE(small.library || small.copy_a);
  const engine::matmul_plan large = check(a, b, result_of(a, b), {.copy_for_gemm = 60});
  EXPECT_TRUE(large.library && large.copy_a);
}

TEST(MatmulPlan, VectorsUseGemvAndDot) {
  const array v = make_array({4}, {0}, {-3});
  const engine::matmul_plan gemv = check(dense_array({3, 4}), v);
  expect_no_copy(gemv);
  EXPECT_EQ(gemv.kind, matmul_kind::gemv);
  EXPECT_FALSE(gemv.swapped);
  const engine::matmul_plan swapped = check(v, dense_array({4, 5}));
  expect_no_copy(swapped);
  EXPECT_EQ(swapped.kind, matmul_kind::gemv);
  EXPECT_TRUE(swapped.swapped && swapped.left.transposed);
  const engine::matmul_plan dot = check(v, make_array({4}, {0}, {2}));
  expect_no_copy(dot);
  EXPECT_EQ(dot.kind, matmul_kind::dot);
  EXPECT_TRUE(check(v, make_array({4}, {0}, {0})).copy_b);  // no BLAS takes an increment of 0
  expect_no_copy(check(dense_array({3, 1}), make_array({1}, {0}, {0})));
  expect_no_copy(check(dense_array({1}), dense_array({1})));
  // Strided columns of a larger matrix as operand and as result.
  const engine::matmul_plan column = check(dense_array({3, 4}), v, make_array({3}, {0}, {-2}), library_rules);
  expect_no_copy(column);
  EXPECT_EQ(column.out.row, -2);
}

TEST(MatmulPlan, StacksCollapseToOneBatch) {
  const engine::matmul_plan p = check(dense_array({2, 3, 4, 5}), dense_array({2, 3, 5, 6}));
  expect_no_copy(p);
  ASSERT_EQ(p.stack_rank, 1);
  EXPECT_EQ(p.stack_extents[0], 6);
  EXPECT_EQ(p.left.stack[0], 20);
  EXPECT_EQ(p.right.stack[0], 30);
  EXPECT_EQ(p.out.stack[0], 24);
  // A transposed stack collapses too where the operands agree.
  const index_vector swap{1, 0, 2, 3};
  const engine::matmul_plan t =
      check(transposed(dense_array({3, 2, 4, 5}), swap), transposed(dense_array({3, 2, 5, 6}), swap),
            transposed(dense_array({3, 2, 4, 6}), swap), library_rules);
  expect_no_copy(t);
  EXPECT_EQ(t.stack_rank, 1);
}

TEST(MatmulPlan, BroadcastStacksHaveStrideZero) {
  const engine::matmul_plan p = check(dense_array({4, 5}), dense_array({7, 5, 6}));
  expect_no_copy(p);
  ASSERT_EQ(p.stack_rank, 1);
  EXPECT_EQ(p.left.stack[0], 0);
  const engine::matmul_plan nested = check(dense_array({2, 1, 4, 5}), dense_array({3, 5, 6}));
  expect_no_copy(nested);
  ASSERT_EQ(nested.stack_rank, 2);
  EXPECT_EQ(nested.stack_extents[1], 3);  // the longest loop is the batch
}

TEST(MatmulPlan, AStackAgainstOneMatrixIsOneProduct) {
  const engine::matmul_plan p = check(dense_array({2, 3, 4, 5}), dense_array({5, 6}));
  expect_no_copy(p);
  EXPECT_EQ(p.stack_rank, 0);
  EXPECT_EQ(p.m, 24);
  const engine::matmul_plan v = check(dense_array({3, 4, 5}), dense_array({5}));
  expect_no_copy(v);
  EXPECT_EQ(v.kind, matmul_kind::gemv);
  EXPECT_EQ(v.m, 12);
  const engine::matmul_plan rows = check(dense_array({7, 1, 5}), dense_array({5, 6}));
  expect_no_copy(rows);
  EXPECT_EQ(rows.kind, matmul_kind::gemm);
  EXPECT_EQ(rows.m, 7);
  const engine::matmul_plan columns = check(dense_array({4, 5}), dense_array({7, 5, 1}));
  expect_no_copy(columns);
  EXPECT_EQ(columns.kind, matmul_kind::gemm);
  EXPECT_TRUE(columns.swapped);
  EXPECT_EQ(columns.m, 7);
}

TEST(MatmulPlan, ReversedStacksAreCopiedOnlyWhereBatchesMustAscend) {
  const array a = make_array({3, 4, 5}, {0, 1, 2}, {-1, 1, 1});
  const array b = dense_array({3, 5, 6});
  EXPECT_TRUE(check(a, b).copy_a);
  expect_no_copy(check(a, b, result_of(a, b), {.copy_for_gemm = 0}));
  expect_no_copy(check(a, a.extents == shape{} ? b : make_array({3, 5, 6}, {0, 1, 2}, {-1, 1, 1}),
                       make_array({3, 4, 6}, {0, 1, 2}, {-1, 1, 1}), library_rules));
}

TEST(MatmulPlan, CopiesKeepMemoryOrderAndBroadcastStacks) {
  const array a = make_array({3, 4, 5}, {0, 2, 1}, {0, 2, 1});  // column-major with gaps, the same matrix three times
  const engine::matmul_plan p = check(a, dense_array({3, 5, 6}));
  EXPECT_TRUE(p.copy_a && p.left.transposed);
  EXPECT_EQ(p.a_source.extents, (shape{1, 5, 4}));
  EXPECT_EQ(p.left.stack[0], 0);
}

TEST(MatmulPlan, EmptyResultsAndEmptySums) {
  EXPECT_EQ(check(dense_array({0, 4}), dense_array({4, 5})).kind, matmul_kind::nothing);
  EXPECT_EQ(check(dense_array({0, 2, 4}), dense_array({4, 5})).kind, matmul_kind::nothing);
  EXPECT_EQ(check(dense_array({3, 0}), dense_array({0, 5})).kind, matmul_kind::zeros);
  EXPECT_EQ(check(dense_array({0}), dense_array({0})).kind, matmul_kind::zeros);
  EXPECT_EQ(check(dense_array({2, 3, 0}), dense_array({2, 0, 5})).kind, matmul_kind::zeros);
}

TEST(MatmulPlan, UnalignedStridesAreAlwaysCopied) {
  array a = dense_array({3, 4});
  gpu::const_strided_ref packed = static_cast<const array&>(a).ref();
  packed.strides = {36, 8};
  array out = dense_array({3, 5});
  const array b = dense_array({4, 5});
  const engine::matmul_plan p = engine::plan_matmul(packed, b.ref(), out.ref(), own_rules);
  EXPECT_TRUE(p.copy_a && p.library);
}

TEST(MatmulPlan, Errors) {
  const auto message = [](const shape& a, const shape& b) -> std::string {
    try {
      static_cast<void>(engine::matmul_shape(a, b));
    } catch (const gpu::shape_error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message({2, 3}, {4, 5}),
            "matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature "
            "(n?,k),(k,m?)->(n?,m?) (size 4 is different from 3); the shapes are (2,3) and (4,5)");
  EXPECT_EQ(message({}, {4, 5}),
            "matmul: Input operand 0 does not have enough dimensions (has 0, gufunc core with signature "
            "(n?,k),(k,m?)->(n?,m?) requires 1)");
  EXPECT_EQ(message({2, 3, 4}, {3, 4, 5}),
            "operands could not be broadcast together with remapped shapes [original->remapped]: "
            "(2,3,4)->(2,newaxis,newaxis) (3,4,5)->(3,newaxis,newaxis)  and requested shape (3,5)");
  const array a = dense_array({2, 3});
  const array b = dense_array({3, 4});
  array out = dense_array({2, 5});
  EXPECT_THROW(static_cast<void>(engine::plan_matmul(a.ref(), b.ref(), out.ref(), own_rules)), gpu::shape_error);
  gpu::const_strided_ref other = b.ref();
  other.type = gpu::dtype::float64;
  EXPECT_THROW(static_cast<void>(engine::plan_matmul(a.ref(), other, out.ref(), own_rules)), gpu::type_error);
  array square = dense_array({2, 4});
  EXPECT_THROW(static_cast<void>(engine::plan_matmul(a.ref(), b.ref(), square.ref(), own_rules, true)),
               gpu::shape_error);
}

/// Random ranks, extents, axis orders and steps, on both kinds of backend.
TEST(MatmulPlan, RandomLayouts) {
  std::mt19937 random(7);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto random_array = [&](const shape& extents, bool writable) {
    index_vector axes;
    index_vector steps;
    for (int i = 0; i < extents.rank(); ++i) {
      axes.insert(pick(i + 1), i);
      const std::int64_t choices[] = {1, 1, 1, 1, 2, -1, writable ? 1 : 0};
      steps.push_back(choices[pick(7)]);
    }
    return make_array(extents, axes, steps);
  };
  int library_calls = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const int stack = pick(4);
    index_vector a_extents;
    index_vector b_extents;
    for (int i = 0; i < stack; ++i) {
      const int n = 1 + pick(3);
      a_extents.push_back(pick(3) == 0 ? 1 : n);
      b_extents.push_back(pick(3) == 0 ? 1 : n);
    }
    const int k = pick(8) == 0 ? 0 : 1 + pick(4);
    if (stack > 0 || pick(3) > 0) a_extents.push_back(1 + pick(4));
    a_extents.push_back(k);
    b_extents.push_back(k);
    if (stack > 0 || pick(3) > 0) b_extents.push_back(1 + pick(4));
    const array a = random_array(shape(a_extents), false);
    const array b = random_array(shape(b_extents), false);
    const array out = random_array(engine::matmul_shape(a.extents, b.extents), true);
    check(a, b, out, own_rules);
    check(a, b, out, {.copy_for_gemm = 0});
    const engine::matmul_plan p = check(a, b, out, library_rules);
    if (p.kind != matmul_kind::zeros) {
      EXPECT_TRUE(p.library);
      ++library_calls;
    }
    if (HasFailure()) return;
  }
  EXPECT_GT(library_calls, 2000);
}

}  // namespace
