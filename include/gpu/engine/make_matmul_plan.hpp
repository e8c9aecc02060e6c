/// @file
/// `plan_matmul`: how the strides of a matrix product are brought into the form that a BLAS takes.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "../core/config.hpp"
#include "../core/error.hpp"
#include "../core/strided.hpp"
#include "matmul_plan.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

/// The shape of `matmul(a, b)`. @throws shape_error as NumPy's matmul.
[[nodiscard]] shape matmul_shape(const shape& a, const shape& b);

/// The calls that `out = a @ b` takes. Shapes are those of NumPy's matmul; a zero stride means a broadcast axis.
/// `conjugate_a` conjugates a, for products of two vectors only. Overlap of out with a or b is the caller's business.
/// @throws shape_error if the shapes do not fit, type_error if the types differ.
[[nodiscard]] matmul_plan plan_matmul(const const_strided_ref& a, const const_strided_ref& b, const strided_ref& out,
                                      const matmul_rules& rules, bool conjugate_a = false);

namespace products {

/// Which way a one-dimensional operand lies in the product.
enum class vector_role : std::uint8_t { row, column };

/// An operand whose last `core` axes are the matrix (2), a vector (1) or a single element (0).
struct matmul_view {
  const const_strided_ref* ref;
  int core;
  vector_role role;

  [[nodiscard]] constexpr const shape& extents() const noexcept { return ref->extents; }
  [[nodiscard]] constexpr int stack_rank() const noexcept { return extents().rank() - core; }
};

struct matmul_views {
  matmul_view a;
  matmul_view b;
  matmul_view out;
};

/// The operands, in the plan's orientation, that keep a library from making the calls.
struct matmul_obstacles {
  bool left = false;
  bool right = false;
  bool out = false;
};

/// Whether some stride is no multiple of the element size: only a copy can be read at all.
[[nodiscard]] constexpr bool is_misaligned(const const_strided_ref& ref) noexcept {
  const auto size = static_cast<std::int64_t>(itemsize(ref.type));
  for (int i = 0; i < ref.extents.rank(); ++i) {
    if (ref.extents[i] > 1 && ref.strides[i] % size != 0) return true;
  }
  return false;
}

/// `ref` as it would lie in a dense C-order buffer.
[[nodiscard]] constexpr const_strided_ref dense(const_strided_ref ref) noexcept {
  auto step = static_cast<std::int64_t>(itemsize(ref.type));
  for (int i = ref.extents.rank() - 1; i >= 0; --i) {
    ref.strides[i] = step;
    step *= ref.extents[i];
  }
  ref.data = nullptr;
  return ref;
}

constexpr void swap_axes(const_strided_ref& ref, int i, int j) noexcept {
  std::swap(ref.extents[i], ref.extents[j]);
  std::swap(ref.strides[i], ref.strides[j]);
}

/// Sets `source` to what must be copied, and returns how the copy looks with the operand's own axes. A broadcast stack
/// is copied once, and a matrix keeps the order in which it lies in memory.
[[nodiscard]] constexpr const_strided_ref dense_copy(const matmul_view& view, const_strided_ref& source) noexcept {
  source = *view.ref;
  for (int i = 0; i < view.stack_rank(); ++i) {
    if (source.strides[i] == 0) source.extents[i] = 1;
  }
  const int rows = source.extents.rank() - 2;
  const auto magnitude = [&](int axis) {
    return source.strides[axis] < 0 ? -source.strides[axis] : source.strides[axis];
  };
  const bool transposed = view.core == 2 && magnitude(rows) != 0 && magnitude(rows) < magnitude(rows + 1);
  if (transposed) swap_axes(source, rows, rows + 1);
  const_strided_ref copy = dense(source);
  if (transposed) swap_axes(copy, rows, rows + 1);
  for (int i = 0; i < view.stack_rank(); ++i) {
    if (copy.extents[i] != view.extents()[i]) copy.strides[i] = 0;
  }
  copy.extents = view.extents();
  return copy;
}

/// The strides of one operand in elements, its stack broadcast to `stack_rank` axes.
[[nodiscard]] constexpr matmul_operand element_strides(const matmul_view& view, int stack_rank) noexcept {
  const auto size = static_cast<std::int64_t>(itemsize(view.ref->type));
  const auto stride = [&](int axis) { return view.extents()[axis] == 1 ? 0 : view.ref->strides[axis] / size; };
  const int rank = view.extents().rank();
  matmul_operand operand;
  for (int i = 0; i < stack_rank; ++i) operand.stack[i] = 0;
  if (view.core == 2) {
    operand.row = stride(rank - 2);
    operand.column = stride(rank - 1);
  } else if (view.core == 1) {
    (view.role == vector_role::row ? operand.column : operand.row) = stride(rank - 1);
  }
  for (int i = 1; i <= view.stack_rank(); ++i) operand.stack[stack_rank - i] = stride(view.stack_rank() - i);
  return operand;
}

constexpr void erase_stack_axis(matmul_plan& plan, int axis) noexcept {
  for (int i = axis; i + 1 < plan.stack_rank; ++i) {
    plan.stack_extents[i] = plan.stack_extents[i + 1];
    for (matmul_operand* o : {&plan.left, &plan.right, &plan.out}) o->stack[i] = o->stack[i + 1];
  }
  --plan.stack_rank;
}

constexpr void swap_stack_axes(matmul_plan& plan, int i, int j) noexcept {
  std::swap(plan.stack_extents[i], plan.stack_extents[j]);
  for (matmul_operand* o : {&plan.left, &plan.right, &plan.out}) std::swap(o->stack[i], o->stack[j]);
}

/// Drops axes of extent 1, walks every axis in the direction of ascending results, and orders them by their distance.
constexpr void normalize_stack(matmul_plan& plan) noexcept {
  for (int i = plan.stack_rank - 1; i >= 0; --i) {
    if (plan.stack_extents[i] == 1) {
      erase_stack_axis(plan, i);
    } else if (plan.out.stack[i] < 0) {
      for (matmul_operand* o : {&plan.left, &plan.right, &plan.out}) {
        o->offset += o->stack[i] * (plan.stack_extents[i] - 1);
        o->stack[i] = -o->stack[i];
      }
    }
  }
  for (int i = 1; i < plan.stack_rank; ++i) {
    for (int j = i; j > 0 && plan.out.stack[j - 1] < plan.out.stack[j]; --j) swap_stack_axes(plan, j - 1, j);
  }
}

/// A stack of left matrices against one right matrix is one taller product where the rows of the stack continue those
/// of a matrix, and a stack of right matrices against one left matrix is one wider product likewise.
constexpr void fold_stack(matmul_plan& plan) noexcept {
  for (int i = plan.stack_rank - 1; i >= 0; --i) {
    const std::int64_t extent = plan.stack_extents[i];
    const std::int64_t left = plan.left.stack[i];
    const std::int64_t right = plan.right.stack[i];
    const std::int64_t out = plan.out.stack[i];
    const bool taller =
        right == 0 && left > 0 && (plan.m == 1 || (left == plan.m * plan.left.row && out == plan.m * plan.out.row));
    const bool wider = left == 0 && right > 0 &&
                       (plan.n == 1 || (right == plan.n * plan.right.column && out == plan.n * plan.out.column));
    if (taller) {
      if (plan.m == 1) {
        plan.left.row = left;
        plan.out.row = out;
      }
      plan.m *= extent;
    } else if (wider) {
      if (plan.n == 1) {
        plan.right.column = right;
        plan.out.column = out;
      }
      plan.n *= extent;
    }
    if (taller || wider) erase_stack_axis(plan, i);
  }
}

/// Merges neighbours that all operands cross with one stride, and puts the longest loop last.
constexpr void collapse_stack(matmul_plan& plan) noexcept {
  for (int i = plan.stack_rank - 1; i > 0; --i) {
    const std::int64_t inner = plan.stack_extents[i];
    bool merges = true;
    for (const matmul_operand* o : {&plan.left, &plan.right, &plan.out}) {
      merges = merges && o->stack[i - 1] == inner * o->stack[i];
    }
    if (!merges) continue;
    plan.stack_extents[i] *= plan.stack_extents[i - 1];
    erase_stack_axis(plan, i - 1);
  }
  const int last = plan.stack_rank - 1;
  for (int i = 0; i < last; ++i) {
    if (plan.stack_extents[i] > plan.stack_extents[last]) swap_stack_axes(plan, i, last);
  }
}

/// Finds the flag and leading dimension of a rows x columns matrix; false if no library call can read it.
constexpr bool find_form(matmul_operand& operand, std::int64_t rows, std::int64_t columns) noexcept {
  if ((operand.column == 1 || columns == 1) && (rows == 1 || operand.row >= columns)) {
    operand.transposed = false;
    operand.leading = rows == 1 ? columns : operand.row;
    return true;
  }
  if ((operand.row == 1 || rows == 1) && (columns == 1 || operand.column >= rows)) {
    operand.transposed = true;
    operand.leading = columns == 1 ? rows : operand.column;
    return true;
  }
  return false;
}

/// Exchanges the factors: out^T = right^T left^T.
constexpr void transpose_product(matmul_plan& plan) noexcept {
  std::swap(plan.left, plan.right);
  std::swap(plan.m, plan.n);
  for (matmul_operand* o : {&plan.left, &plan.right, &plan.out}) std::swap(o->row, o->column);
  plan.swapped = !plan.swapped;
}

/// Fills everything of the plan but its copies.
[[nodiscard]] constexpr matmul_obstacles arrange(matmul_plan& plan, const matmul_views& views,
                                                 const matmul_rules& rules) noexcept {
  const shape& a = views.a.extents();
  const shape& b = views.b.extents();
  plan.m = views.a.core == 1 ? 1 : a[a.rank() - 2];
  plan.n = views.b.core == 1 ? 1 : b[b.rank() - 1];
  plan.k = a[a.rank() - 1];
  plan.swapped = false;
  plan.stack_rank = views.out.stack_rank();
  for (int i = 0; i < plan.stack_rank; ++i) plan.stack_extents[i] = views.out.extents()[i];
  plan.left = element_strides(views.a, plan.stack_rank);
  plan.right = element_strides(views.b, plan.stack_rank);
  plan.out = element_strides(views.out, plan.stack_rank);

  normalize_stack(plan);
  fold_stack(plan);
  collapse_stack(plan);
  if (plan.k == 0) {
    plan.kind = matmul_kind::zeros;
    return {};
  }

  matmul_obstacles found;
  if (plan.m == 1 && plan.n == 1) {
    plan.kind = matmul_kind::dot;
  } else if (plan.m == 1 || plan.n == 1) {
    plan.kind = matmul_kind::gemv;
    if (plan.n != 1) transpose_product(plan);
    found.left = !find_form(plan.left, plan.m, plan.k);
  } else {
    plan.kind = matmul_kind::gemm;
    found.out = !find_form(plan.out, plan.m, plan.n);
    if (!found.out && plan.out.transposed) {
      transpose_product(plan);
      found.out = !find_form(plan.out, plan.m, plan.n);
    }
    found.left = !find_form(plan.left, plan.m, plan.k);
    found.right = !find_form(plan.right, plan.k, plan.n);
  }
  if (plan.kind != matmul_kind::gemm) {
    // A BLAS increment is never 0, even for one element.
    if (plan.k == 1) plan.right.row = 1;
    found.right = plan.right.row == 0;
    if (plan.kind == matmul_kind::dot) {
      if (plan.k == 1) plan.left.column = 1;
      found.left = plan.left.column == 0;
    }
  }
  if (rules.ascending_stacks && plan.stack_rank > 0) {
    found.left = found.left || plan.left.stack[plan.stack_rank - 1] < 0;
    found.right = found.right || plan.right.stack[plan.stack_rank - 1] < 0;
  }
  plan.library = !found.left && !found.right && !found.out;
  return found;
}

inline constexpr const char* matmul_signature = "(n?,k),(k,m?)->(n?,m?)";

[[noreturn]] inline void raise_stack_mismatch(const shape& a, const shape& b) {
  const auto remapped = [](const shape& s) {
    std::string text = "(";
    for (int i = 0; i + 2 < s.rank(); ++i) text += std::to_string(s[i]) + ",";
    return text + "newaxis,newaxis)";
  };
  detail::raise<shape_error>("operands could not be broadcast together with remapped shapes [original->remapped]: ", a,
                             "->", remapped(a), " ", b, "->", remapped(b), "  and requested shape ",
                             index_vector{a[a.rank() - 2], b.back()});
}

}  // namespace products

inline shape matmul_shape(const shape& a, const shape& b) {
  for (int i = 0; i < 2; ++i) {
    if ((i == 0 ? a : b).rank() > 0) continue;
    detail::raise<shape_error>("matmul: Input operand ", i,
                               " does not have enough dimensions (has 0, gufunc core with signature ",
                               products::matmul_signature, " requires 1)");
  }
  const std::int64_t k = a.back();
  const std::int64_t b_rows = b.rank() == 1 ? b[0] : b[b.rank() - 2];
  if (k != b_rows) {
    detail::raise<shape_error>("matmul: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature ",
                               products::matmul_signature, " (size ", b_rows, " is different from ", k,
                               "); the shapes are ", a, " and ", b);
  }
  const int a_stack = a.rank() > 2 ? a.rank() - 2 : 0;
  const int b_stack = b.rank() > 2 ? b.rank() - 2 : 0;
  const int stack = a_stack > b_stack ? a_stack : b_stack;
  index_vector result(stack, 1);
  for (int i = 1; i <= stack; ++i) {
    const std::int64_t from_a = i <= a_stack ? a[a_stack - i] : 1;
    const std::int64_t from_b = i <= b_stack ? b[b_stack - i] : 1;
    if (from_a != from_b && from_a != 1 && from_b != 1) products::raise_stack_mismatch(a, b);
    result[stack - i] = from_a == 1 ? from_b : from_a;
  }
  if (a.rank() > 1) result.push_back(a[a.rank() - 2]);
  if (b.rank() > 1) result.push_back(b.back());
  return shape(result);
}

inline matmul_plan plan_matmul(const const_strided_ref& a, const const_strided_ref& b, const strided_ref& out,
                               const matmul_rules& rules, bool conjugate_a) {
  if (a.type != b.type || a.type != out.type) {
    detail::raise<type_error>("matmul: the operands and the result must have one dtype, not ", name(a.type), ", ",
                              name(b.type), " and ", name(out.type));
  }
  const shape result = matmul_shape(a.extents, b.extents);
  if (!(out.extents == result)) {
    detail::raise<shape_error>("matmul: the output operand has shape ", out.extents, ", but the result has shape ",
                               result);
  }
  if (conjugate_a && out.extents.rank() > 0) {
    detail::raise<shape_error>("only a product of two vectors conjugates, not one of shape ", result);
  }
  matmul_plan plan;
  plan.type = a.type;
  plan.conjugated = conjugate_a;
  if (result.size() == 0) return plan;

  const int a_core = a.extents.rank() == 1 ? 1 : 2;
  const int b_core = b.extents.rank() == 1 ? 1 : 2;
  const const_strided_ref result_ref{out.data, out.type, out.extents, out.strides};
  products::matmul_views views{
      {&a, a_core, products::vector_role::row},
      {&b, b_core, products::vector_role::column},
      {&result_ref, a_core + b_core - 2, a_core == 1 ? products::vector_role::row : products::vector_role::column}};
  const_strided_ref a_copy;
  const_strided_ref b_copy;
  const_strided_ref out_copy;
  bool wants_a = products::is_misaligned(a);
  bool wants_b = products::is_misaligned(b);
  bool wants_out = products::is_misaligned(result_ref);
  for (;;) {
    if (wants_a) {
      a_copy = products::dense_copy(views.a, plan.a_source);
      views.a.ref = &a_copy;
    }
    if (wants_b) {
      b_copy = products::dense_copy(views.b, plan.b_source);
      views.b.ref = &b_copy;
    }
    if (wants_out) {
      out_copy = products::dense(result_ref);
      views.out.ref = &out_copy;
    }
    plan.copy_a |= wants_a;
    plan.copy_b |= wants_b;
    plan.copy_out |= wants_out;

    const products::matmul_obstacles found = products::arrange(plan, views, rules);
    const bool is_gemm = plan.kind == matmul_kind::gemm;
    const bool copies = plan.volume() >= (is_gemm ? rules.copy_for_gemm : rules.copy_for_vectors);
    const bool left = copies && (plan.swapped ? found.right : found.left);
    const bool right = copies && (plan.swapped ? found.left : found.right);
    wants_a = left && !plan.copy_a;
    wants_b = right && !plan.copy_b;
    // A dense copy is in the way only where the result's stack runs backwards.
    wants_out = ((copies && found.out) || (left && plan.copy_a) || (right && plan.copy_b)) && !plan.copy_out;
    if (!wants_a && !wants_b && !wants_out) return plan;
  }
}

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
