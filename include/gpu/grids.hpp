/// @file
/// Coordinates: meshgrid, mgrid, ogrid, indices, fromfunction. Results are on the device of the arguments, or the
/// current one; none of these functions waits.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "creation.hpp"
#include "joining.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// The `indexing=` of `meshgrid`: `xy`, as for plots, has the first coordinate along the second axis.
enum class indexing : std::uint8_t { xy, ij };

/// Keyword arguments of `meshgrid`.
struct meshgrid_options {
  keyword_only _{};
  bool copy = true;     ///< whether the grids are new arrays; otherwise views of the coordinates, which repeat them
  bool sparse = false;  ///< grids of extent 1 along all axes but their own
  gpu::indexing indexing = gpu::indexing::xy;
};

namespace engine {

/// One coordinate, of one dimension, of a grid of shape `extents`, where it runs along axis `axis`.
template <class View>
[[nodiscard]] View grid_of(const View& x, int axis, const shape& extents, const meshgrid_options& options) {
  layout where{{}, index_vector(extents.rank(), 0)};
  where.strides[axis] = x.storage().where.strides[0];
  index_vector own(extents.rank(), 1);
  own[axis] = x.size();
  where.extents = options.sparse ? shape(own) : extents;
  const View grid = with_layout(x, where);
  return options.copy ? View(detail::clone_in_c_order(grid.storage(), View::itemsize())) : grid;
}

/// The axis along which coordinate `i` of `count` runs.
[[nodiscard]] constexpr int axis_of_coordinate(int i, int count, indexing how) noexcept {
  return how == indexing::xy && count > 1 && i < 2 ? 1 - i : i;
}

/// The shape of a grid.
[[nodiscard]] inline shape grid_shape(const std::vector<shape>& coordinates, indexing how) {
  const auto count = static_cast<int>(coordinates.size());
  index_vector extents(count, 1);
  for (int i = 0; i < count; ++i) {
    extents[axis_of_coordinate(i, count, how)] = coordinates[static_cast<std::size_t>(i)].size();
  }
  return shape(extents);
}

}  // namespace engine

/// A grid for each array of coordinates, flattened: its values along one axis, repeated along the others. A tuple of
/// views, of new arrays unless `copy` is false.
template <array_like... Coordinates>
[[nodiscard]] auto meshgrid(const meshgrid_options& options, Coordinates&&... xi) {
  const shape extents = engine::grid_shape({xi.shape()...}, options.indexing);
  constexpr auto count = static_cast<int>(sizeof...(Coordinates));
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple{engine::grid_of(ravel(std::forward<Coordinates>(xi)),
                                      engine::axis_of_coordinate(static_cast<int>(I), count, options.indexing), extents,
                                      options)...};
  }(std::index_sequence_for<Coordinates...>{});
}
/// With the defaults: `auto [x, y] = meshgrid(a, b);`.
template <array_like First, array_like... Rest>
[[nodiscard]] auto meshgrid(First&& x1, Rest&&... rest) {
  return meshgrid(meshgrid_options{}, std::forward<First>(x1), std::forward<Rest>(rest)...);
}
/// Of the coordinates of a range: a vector of views.
template <array_range Range>
[[nodiscard]] auto meshgrid(const Range& xi, const meshgrid_options& options = {}) {
  using View = decltype(ravel(*std::ranges::begin(xi)));
  std::vector<shape> shapes;
  for (const auto& x : xi) shapes.push_back(x.shape());
  const shape extents = engine::grid_shape(shapes, options.indexing);
  std::vector<View> grids;
  for (const auto& x : xi) {
    const auto i = static_cast<int>(grids.size());
    const int axis = engine::axis_of_coordinate(i, static_cast<int>(shapes.size()), options.indexing);
    grids.push_back(engine::grid_of(ravel(x), axis, extents, options));
  }
  return grids;
}

/// An axis of `mgrid` and `ogrid`: a slice of whole numbers, `{0, 5}` or `{0, 10, 2}`; of real ones, `{0.0, 1.0, 0.1}`;
/// or a number of points from one end to the other, which Python writes as an imaginary step: `points(0, 1, 11)`.
class grid_axis {
 public:
  template <scalar_like Stop>
  constexpr grid_axis(const Stop& stop) : grid_axis(Stop(0), stop) {}
  template <scalar_like Start, scalar_like Stop, scalar_like Step = int>
  constexpr grid_axis(const Start& start, const Stop& stop, const Step& step = 1)
      : start_(detail::cast<double>(start)), stop_(detail::cast<double>(stop)), step_(detail::cast<double>(step)) {}

  /// `num` points, of which the last is `stop`.
  [[nodiscard]] static constexpr grid_axis points(double start, double stop, std::int64_t num) {
    grid_axis axis(start, stop);
    axis.points_ = num < 0 ? -num : num;
    return axis;
  }

  /// How many coordinates there are. @throws shape_error for a step of 0
  [[nodiscard]] std::int64_t size() const {
    if (points_ >= 0) return points_;
    if (step_ == 0) detail::raise<shape_error>("mgrid: the step is 0");
    const double count = std::ceil((stop_ - start_) / step_);
    if (!(count < 9.2e18)) detail::raise<shape_error>("mgrid: Maximum allowed size exceeded");
    return count > 0 ? static_cast<std::int64_t>(count) : 0;
  }
  [[nodiscard]] double start() const noexcept { return start_; }
  /// The distance of neighbours.
  [[nodiscard]] double step() const noexcept {
    if (points_ < 0) return step_;
    return points_ > 1 ? (stop_ - start_) / static_cast<double>(points_ - 1) : 1;
  }

 private:
  double start_;
  double stop_;
  double step_;
  std::int64_t points_ = -1;
};

namespace engine {

/// `index * step + start`, as NumPy fills its grids.
template <class T>
struct grid_function {
  double start;
  double step;

  [[gnu::always_inline]] constexpr T operator()(std::int64_t i) const noexcept {
    return detail::cast<T>(static_cast<double>(i) * step + start);
  }
};

/// The coordinates of each axis, along it.
template <class T>
[[nodiscard]] std::vector<view<const T>> open_grid(const std::vector<grid_axis>& axes) {
  const auto count = static_cast<int>(axes.size());
  std::vector<view<const T>> result;
  for (int i = 0; i < count; ++i) {
    const gpu::grid_axis& axis = axes[static_cast<std::size_t>(i)];
    const shape n{axis.size()};
    const array<T> values(generate<T>(n, current_device(), grid_function<T>{axis.start(), axis.step()}));
    index_vector extents(count, 1);
    extents[i] = n[0];
    result.push_back(reshape(values, extents));
  }
  return result;
}

}  // namespace engine

/// Coordinates of the points of a grid, for each axis along that axis and of extent 1 along the others: NumPy's
/// `ogrid[0:3, 0:1:5j]` is `ogrid({{0, 3}, grid_axis::points(0, 1, 5)})`. float64, or `T`, which NumPy chooses by
/// whether all numbers are whole. @throws shape_error for a step of 0
template <element T = double>
[[nodiscard]] std::vector<view<const T>> ogrid(const std::vector<grid_axis>& axes) {
  return engine::open_grid<T>(axes);
}
/// The same coordinates for every point, in one array, whose first axis counts the coordinates.
template <element T = double>
[[nodiscard]] array<T> mgrid(const std::vector<grid_axis>& axes) {
  std::vector<view<const T>> grids = broadcast_arrays(engine::open_grid<T>(axes));
  if (grids.empty()) return array<T>(detail::make_zeros(shape{0}, sizeof(T), current_device()));
  return stack(grids);
}

/// The indices of an array of this shape: element (k, i, j, ...) is index k of the point (i, j, ...). int64, or `T`.
template <element T = std::int64_t>
[[nodiscard]] array<T> indices(const shape& dimensions) {
  std::vector<grid_axis> axes;
  for (const std::int64_t n : dimensions) axes.push_back(grid_axis(n));
  if (dimensions.rank() == 0) return array<T>(detail::make_zeros(shape{0}, sizeof(T), current_device()));
  return mgrid<T>(axes);
}

/// What `f` makes of the indices of an array of this shape: it is called once, with one array for each axis, and
/// returns an expression over them, `fromfunction<2>([](auto i, auto j) { return 10 * i + j; }, {3, 4})`. The indices
/// are float64, or `T`, and take no more memory than the axes are long. @throws shape_error unless there are `Rank`
/// axes
template <int Rank, element T = double, class F>
[[nodiscard]] auto fromfunction(const F& f, const shape& shape) {
  if (shape.rank() != Rank) {
    detail::raise<shape_error>("fromfunction: a function of ", Rank, " indices has no values of shape ", shape);
  }
  std::vector<grid_axis> axes;
  for (const std::int64_t n : shape) axes.push_back(grid_axis(n));
  const std::vector<view<const T>> grids = broadcast_arrays(engine::open_grid<T>(axes));
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return f(grids[I]...);
  }(std::make_index_sequence<static_cast<std::size_t>(Rank)>{});
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
