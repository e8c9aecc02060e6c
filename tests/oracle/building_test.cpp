/// @file
/// Matrices, grids, ranges and windows against NumPy.
#include <gtest/gtest.h>

#include "gpu/grids.hpp"
#include "gpu/matrices.hpp"
#include "gpu/stride_tricks.hpp"
#include "support/oracle_manipulation.hpp"

namespace {

using oracle::call;
using oracle::manipulation;
using oracle::number_of;
using oracle::view_of;
using oracle::views_of;

/// The axes of grids that tests/oracle/manipulation.py names.
std::vector<gpu::grid_axis> axes_of_grid(const call& c) {
  const std::string& name = oracle::text_of(c, "axes");
  if (name == "whole") return {{0, 3}, {2, 8, 3}};
  if (name == "back") return {{5, 0, -2}};
  if (name == "real") return {{0.0, 1.0, 0.25}, {1, 3}};
  return {gpu::grid_axis::points(0, 2, 3), gpu::grid_axis::points(1, 4, 1), 2};
}

constexpr auto one_of_a_grid = []<class T>(std::type_identity<T>, const call& c) {
  const gpu::meshgrid_options options{
      .sparse = c.numbers.flag("sparse"),
      .indexing = oracle::text_of(c, "indexing") == "ij" ? gpu::indexing::ij : gpu::indexing::xy};
  const auto part = static_cast<std::size_t>(c.numbers.integer("part", 0));
  if (c.numbers.operands.size() == 2) {
    const auto [x, y] = gpu::meshgrid(options, view_of<T>(c, 0), view_of<T>(c, 1));
    return part == 0 ? x : y;
  }
  return gpu::meshgrid(views_of<T>(c), options).at(part);
};

const oracle::suite tests{
    "building",
    {manipulation<0>("diag",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return gpu::diag(view_of<T>(c, 0), {.k = c.numbers.integer("k", 0)});
                     }),
     manipulation<1>("diagflat",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return gpu::diagflat(view_of<T>(c, 0), {.k = c.numbers.integer("k", 0)});
                     }),
     manipulation<2>("tril",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return gpu::tril(view_of<T>(c, 0), {.k = c.numbers.integer("k", 0)});
                     }),
     manipulation<3>("triu",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return gpu::triu(view_of<T>(c, 0), {.k = c.numbers.integer("k", 0)});
                     }),
     manipulation<4>("tri",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return gpu::tri<T>(c.numbers.integer("N", 0),
                                          {.M = c.numbers.integer("M", 0), .k = c.numbers.integer("k", 0)});
                     }),
     manipulation<5>("vander",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return gpu::vander(view_of<T>(c, 0),
                                          {.N = number_of(c, "N"), .increasing = c.numbers.flag("increasing")});
                     }),
     manipulation<0>("meshgrid", one_of_a_grid),
     manipulation<1>("indices",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return gpu::indices<T>(gpu::shape(oracle::list_of(c, "shape")));
                     }),
     manipulation<2>("mgrid",
                     []<class T>(std::type_identity<T>, const call& c) { return gpu::mgrid<T>(axes_of_grid(c)); }),
     manipulation<3>("ogrid",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return gpu::ogrid<T>(axes_of_grid(c)).at(static_cast<std::size_t>(c.numbers.integer("part", 0)));
                     }),
     manipulation<4>("asfortranarray",
                     []<class T>(std::type_identity<T>, const call& c) {
                       const auto turned = gpu::asfortranarray(view_of<T>(c, 0));
                       EXPECT_TRUE(turned.is_contiguous(gpu::order::F));
                       return turned;
                     }),
     manipulation<5>("ascontiguousarray",
                     []<class T>(std::type_identity<T>, const call& c) {
                       const auto dense = gpu::ascontiguousarray(view_of<T>(c, 0));
                       EXPECT_TRUE(dense.is_contiguous());
                       return dense;
                     }),
     manipulation<5>("sliding_window_view",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return gpu::sliding_window_view(view_of<T>(c, 0),
                                                       gpu::index_vector(oracle::list_of(c, "window")),
                                                       {.axis = oracle::axes_of(c, "axis")});
                     }),
     manipulation<0>("logspace",
                     []<class T>(std::type_identity<T>, const call& c) {
                       return gpu::logspace<T>(c.numbers.real("start", 0), c.numbers.real("stop", 0),
                                               {.num = c.numbers.integer("num", 0),
                                                .endpoint = c.numbers.flag("endpoint"),
                                                .base = c.numbers.real("base", 10)});
                     }),
     manipulation<1>("geomspace", []<class T>(std::type_identity<T>, const call& c) {
       return gpu::geomspace<T>(c.numbers.real("start", 0), c.numbers.real("stop", 0),
                                {.num = c.numbers.integer("num", 0), .endpoint = c.numbers.flag("endpoint")});
     })}};

}  // namespace
