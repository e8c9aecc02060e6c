/// @file
/// The products that are one matmul: NumPy's result shapes, operand axes and errors.
#include "gpu/engine/contraction.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using gpu::index_vector;
using gpu::shape;
namespace engine = gpu::engine;

TEST(Contraction, Shapes) {
  using engine::contraction;
  const contraction dot = engine::dot_contraction({2, 3, 4}, {5, 4, 6});
  EXPECT_EQ(dot.result, (shape{2, 3, 5, 6}));
  EXPECT_EQ(dot.a_matrix, (shape{6, 4}));
  EXPECT_EQ(dot.b_matrix, (shape{4, 30}));
  EXPECT_EQ(dot.b_axes, (index_vector{1, 0, 2}));
  EXPECT_EQ(engine::dot_contraction({3}, {3}).result, shape{});
  EXPECT_EQ(engine::dot_contraction({2, 3}, {3}).result, shape{2});
  EXPECT_EQ(engine::dot_contraction({}, {5, 4}).result, (shape{5, 4}));
  EXPECT_EQ(engine::dot_contraction({}, {5, 4}).a_matrix, (shape{1, 1}));
  EXPECT_EQ(engine::inner_contraction({2, 3, 5}, {4, 5}).result, (shape{2, 3, 4}));
  EXPECT_EQ(engine::inner_contraction({2, 5}, {4, 5}).b_axes, (index_vector{1, 0}));
  EXPECT_EQ(engine::vdot_contraction({2, 3}, {6}).result, shape{});
  const contraction t = engine::tensordot_contraction({2, 3, 4}, {4, 3, 5}, {1, -1}, {1, 0});
  EXPECT_EQ(t.result, (shape{2, 5}));
  EXPECT_EQ(t.b_axes, (index_vector{1, 0, 2}));
  EXPECT_EQ(engine::tensordot_contraction({2, 3}, {4, 5}, 0).result, (shape{2, 3, 4, 5}));
  EXPECT_EQ(engine::tensordot_contraction({2, 3}, {4, 5}, -2).result, (shape{2, 3, 4, 5}));
  EXPECT_EQ(engine::tensordot_contraction({2, 3}, {2, 3}, 2).result, shape{});
}

TEST(Contraction, Errors) {
  const auto message = [](auto f) -> std::string {
    try {
      static_cast<void>(f());
    } catch (const gpu::error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message([] { return engine::dot_contraction({2, 3}, {4, 5}); }),
            "shapes (2,3) and (4,5) not aligned: 3 (dim 1) != 4 (dim 0)");
  EXPECT_EQ(message([] { return engine::dot_contraction({3}, {4}); }),
            "shapes (3,) and (4,) not aligned: 3 (dim 0) != 4 (dim 0)");
  EXPECT_EQ(message([] { return engine::inner_contraction({2, 3}, {4}); }),
            "shapes (2,3) and (4,) not aligned: 3 (dim 1) != 4 (dim 0)");
  EXPECT_THROW(static_cast<void>(engine::vdot_contraction({2, 3}, {4})), gpu::shape_error);
  EXPECT_THROW(static_cast<void>(engine::tensordot_contraction({2, 3}, {4, 5}, 1)), gpu::shape_error);
  EXPECT_THROW(static_cast<void>(engine::tensordot_contraction({2, 3}, {2, 3}, 3)), gpu::axis_error);
  EXPECT_THROW(static_cast<void>(engine::tensordot_contraction({2, 2}, {2, 2}, {0, -2}, {0, 1})), gpu::shape_error);
  EXPECT_THROW(static_cast<void>(engine::tensordot_contraction({2, 3}, {2, 3}, {0, 1}, {0})), gpu::shape_error);
}

}  // namespace
