// cuda::reduce and cuda::scan against loops on the host: every regime of shapes, orders and reducers.
#if defined(__CUDACC__)

#include <gpu/backend/cuda/reduce.hpp>
#include <gpu/backend/cuda/scan.hpp>
#include <gpu/engine/reducers.hpp>

#include "cuda_support.hpp"

namespace {

using gpu::engine::argument_reducer;
using gpu::engine::extremum_reducer;
using gpu::engine::logical_reducer;
using gpu::engine::mean_reducer;
using gpu::engine::product_reducer;
using gpu::engine::sum_reducer;

struct product {
  template <class T>
  constexpr T operator()(T a, T b) const {
    return a * b;
  }
};
struct same {
  template <class T>
  constexpr T operator()(T a) const {
    return a;
  }
};
struct parity {
  template <class T>
  constexpr T operator()(T a) const {
    return a > 0 ? T(1) : T(-1);
  }
};

template <class... Axes>
std::vector<bool> axes(Axes... marked) {
  return {marked...};
}

class cuda_rows : public cuda_test {
 protected:
  /// Reduces (or scans) `f` of inputs of one type over the marked axes and compares with the host.
  template <class Reducer, class T, std::size_t Inputs, class F>
  void check(const F& f, const part (&in)[Inputs], const std::vector<bool>& reduced, bool scanning = false,
             const Reducer& reducer = {}) {
    gpu::shape extents = in[0].where.extents;
    for (const part& p : in) extents = gpu::broadcast_shapes(extents, p.where.extents);
    std::vector<std::vector<T>> host;
    std::vector<std::unique_ptr<device_elements<T>>> device;
    gpu::engine::leaf_ref leaves[Inputs];
    for (std::size_t k = 0; k < Inputs; ++k) {
      host.push_back(numbers<T>(reach(in[k]), static_cast<unsigned>(k + 1)));
      device.push_back(std::make_unique<device_elements<T>>(host[k], stream_));
      leaves[k] = {device[k]->get() + in[k].offset, &in[k].where, sizeof(T)};
    }
    // The host's loop: rows in C order of the kept axes, elements in C order of the reduced ones.
    using result = typename Reducer::result;
    const std::vector<std::int64_t> order = row_major(extents, reduced);
    const std::int64_t length = row_length(extents, reduced);
    const std::int64_t rows = kept_size(extents, reduced);
    std::vector<result> expected;
    for (std::int64_t row = 0; row < rows; ++row) {
      typename Reducer::accumulator total = reducer.identity();
      for (std::int64_t i = 0; i < length; ++i) {
        const std::int64_t position = order[static_cast<std::size_t>(row * length + i)];
        const auto value = [&](std::size_t k) {
          return host[k][static_cast<std::size_t>(in[k].at(position, extents))];
        };
        if constexpr (Inputs == 1) {
          total = reducer.combine(total, reducer.lift(f(value(0)), i));
        } else {
          total = reducer.combine(total, reducer.lift(f(value(0), value(1)), i));
        }
        if (scanning) expected.push_back(reducer.finish(total, i + 1));
      }
      if (!scanning) expected.push_back(reducer.finish(total, length));
    }
    const device_elements<result> target(expected.size(), stream_);
    gpu::index_vector kept_strides;
    std::int64_t stride = scanning ? length : 1;
    gpu::index_vector reversed;
    for (int i = extents.rank() - 1; i >= 0; --i) {
      if (reduced[static_cast<std::size_t>(i)]) continue;
      reversed.push_back(stride * static_cast<std::int64_t>(sizeof(result)));
      stride *= extents[i];
    }
    for (int i = reversed.rank() - 1; i >= 0; --i) kept_strides.push_back(reversed[i]);
    bool marks[gpu::max_rank] = {};
    for (std::size_t i = 0; i < reduced.size(); ++i) marks[i] = reduced[i];
    gpu::engine::operand operands[Inputs];
    auto plan = gpu::engine::make_reduce_plan(target.get(), sizeof(result), kept_strides, extents, marks, leaves,
                                              static_cast<int>(Inputs), operands);
    if (scanning) {
      std::int64_t step = sizeof(result);
      for (int i = plan.kept_rank + plan.reduced_rank - 1; i >= plan.kept_rank; --i) {
        plan.out.strides[i] = step;
        step *= plan.extents[i];
      }
    }
    const auto before = gpu::cuda::launch_count();
    if constexpr (Inputs == 1) {
      run<Reducer, T>(plan, f, reducer, scanning);
    } else {
      run<Reducer, T, T>(plan, f, reducer, scanning);
    }
    launches_ = gpu::cuda::launch_count() - before;
    EXPECT_LE(launches_, scanning ? 3u : 2u);
    const std::vector<result> got = target.read();
    ASSERT_EQ(got.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(got[i], expected[i]) << "result " << i << " of shape " << extents.to_string();
    }
  }

  std::uint64_t launches_ = 0;

 private:
  template <class Reducer, class... In, class F>
  void run(const gpu::engine::reduce_plan& plan, const F& f, const Reducer& reducer, bool scanning) {
    if (!scanning) return gpu::cuda::reduce<Reducer, In...>(plan, f, reducer, stream_);
    if constexpr (!gpu::cuda::kernels::indexed_accumulator<typename Reducer::accumulator>) {
      gpu::cuda::scan<Reducer, In...>(plan, f, reducer, stream_);
    }
  }
  static std::int64_t row_length(const gpu::shape& extents, const std::vector<bool>& reduced) {
    std::int64_t n = 1;
    for (int i = 0; i < extents.rank(); ++i) n *= reduced[static_cast<std::size_t>(i)] ? extents[i] : 1;
    return n;
  }
  static std::int64_t kept_size(const gpu::shape& extents, const std::vector<bool>& reduced) {
    std::int64_t n = 1;
    for (int i = 0; i < extents.rank(); ++i) n *= reduced[static_cast<std::size_t>(i)] ? 1 : extents[i];
    return n;
  }
  /// The C positions of all elements, row by row.
  static std::vector<std::int64_t> row_major(const gpu::shape& extents, const std::vector<bool>& reduced) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(extents.size()));
    const std::int64_t length = row_length(extents, reduced);
    for (std::int64_t position = 0; position < extents.size(); ++position) {
      std::int64_t row = 0;
      std::int64_t at = 0;
      std::int64_t rest = position;
      std::int64_t row_step = 1;
      std::int64_t step = 1;
      for (int i = extents.rank() - 1; i >= 0; --i) {
        const std::int64_t index = rest % extents[i];
        rest /= extents[i];
        if (reduced[static_cast<std::size_t>(i)]) {
          at += index * step;
          step *= extents[i];
        } else {
          row += index * row_step;
          row_step *= extents[i];
        }
      }
      order[static_cast<std::size_t>(row * length + at)] = position;
    }
    return order;
  }
};

using sum_of_floats = sum_reducer<float, float>;

TEST_F(cuda_rows, full_reductions) {
  for (const int n : {1, 2, 31, 257, 1000, 4097, 20000}) {
    check<sum_of_floats, float>(same{}, {part({n})}, axes(true));
    check<sum_of_floats, float>(product{}, {part({n}), part({n})}, axes(true));
    check<argument_reducer<float, false>, float>(same{}, {part({n})}, axes(true));
  }
  check<sum_of_floats, float>(same{}, {part(gpu::shape{})}, {});
}

TEST_F(cuda_rows, empty) {
  check<sum_of_floats, float>(same{}, {part({0})}, axes(true));
  check<sum_of_floats, float>(same{}, {part({5, 0})}, axes(false, true));
  check<sum_of_floats, float>(same{}, {part({0, 5})}, axes(false, true));
  check<product_reducer<float, float>, float>(same{}, {part({0, 300})}, axes(true, false));
  check<sum_of_floats, float>(same{}, {part({0, 5})}, axes(false, true), true);
  check<sum_of_floats, float>(same{}, {part({5, 0})}, axes(false, true), true);
}

TEST_F(cuda_rows, rows_and_columns_of_all_proportions) {
  const gpu::shape shapes[] = {{1, 5000}, {2, 9000}, {3, 700},  {40, 40},   {700, 3},
                               {3000, 2}, {5000, 1}, {300, 65}, {17, 1025}, {9001, 2}};
  for (const gpu::shape& s : shapes) {
    check<sum_of_floats, float>(same{}, {part(s)}, axes(false, true));
    check<sum_of_floats, float>(same{}, {part(s)}, axes(true, false));
    check<sum_of_floats, float>(product{}, {part(s), part({s[1]})}, axes(true, false));
    check<argument_reducer<float, true>, float>(same{}, {part(s)}, axes(true, false));
    check<argument_reducer<float, false>, float>(same{}, {part(s)}, axes(false, true));
  }
}

TEST_F(cuda_rows, number_of_kernels) {
  check<sum_of_floats, float>(same{}, {part({20000})}, axes(true));
  EXPECT_EQ(launches_, 2u);
  check<sum_of_floats, float>(same{}, {part({300, 65})}, axes(false, true));
  EXPECT_EQ(launches_, 1u);
  check<sum_of_floats, float>(same{}, {part({20000})}, axes(true), true);
  EXPECT_EQ(launches_, 3u);
  check<sum_of_floats, float>(same{}, {part({300, 65})}, axes(false, true), true);
  EXPECT_EQ(launches_, 1u);
}

TEST_F(cuda_rows, several_axes) {
  const part dense({5, 7, 6, 11});
  check<sum_of_floats, float>(same{}, {dense}, axes(true, false, true, false));
  check<sum_of_floats, float>(same{}, {dense}, axes(false, true, false, true));
  check<argument_reducer<float, false>, float>(same{}, {dense}, axes(true, false, true, false));
  check<argument_reducer<float, true>, float>(same{}, {dense}, axes(false, true, false, true));
  check<sum_of_floats, float>(same{}, {dense}, axes(true, true, true, true));
  check<sum_of_floats, float>(same{}, {dense}, axes(false, false, false, false));
}

TEST_F(cuda_rows, other_layouts) {
  const part fortran(0, {60, 90}, {1, 60});
  const part stepped(5, {60, 90}, {200, 2});
  const part reversed(5399, {60, 90}, {-90, -1});
  for (const part& p : {fortran, stepped, reversed}) {
    check<sum_of_floats, float>(same{}, {p}, axes(true, true));
    check<sum_of_floats, float>(same{}, {p}, axes(true, false));
    check<sum_of_floats, float>(same{}, {p}, axes(false, true));
    check<argument_reducer<float, false>, float>(same{}, {p}, axes(true, true));
    check<argument_reducer<float, false>, float>(same{}, {p}, axes(true, false));
    check<sum_of_floats, float>(product{}, {p, part({60, 1})}, axes(true, true));
    check<sum_of_floats, float>(same{}, {p}, axes(false, true), true);
    check<sum_of_floats, float>(same{}, {p}, axes(true, false), true);
    check<sum_of_floats, float>(same{}, {p}, axes(true, true), true);
  }
}

TEST_F(cuda_rows, reducers_and_types) {
  const part wide({33, 500});
  const part tall({500, 33});
  for (const bool first : {false, true}) {
    const std::vector<bool> over = axes(first, !first);
    check<sum_reducer<std::uint8_t, std::uint64_t>, std::uint8_t>(same{}, {wide}, over);
    check<sum_reducer<gpu::half, gpu::half>, gpu::half>(same{}, {wide}, over);
    check<mean_reducer<float, float>, float>(same{}, {tall}, over);
    check<sum_reducer<double, double>, double>(product{}, {wide, wide}, over);
    check<extremum_reducer<float, false>, float>(same{}, {wide}, over);
    check<extremum_reducer<std::int16_t, true>, std::int16_t>(same{}, {tall}, over);
    check<logical_reducer<float, true>, float>(same{}, {tall}, over);
    check<logical_reducer<bool, false>, bool>(same{}, {wide}, over);
    check<product_reducer<float, float>, float>(parity{}, {wide}, over);
    check<argument_reducer<std::int64_t, false>, std::int64_t>(same{}, {tall}, over);
  }
}

TEST_F(cuda_rows, equal_input_gives_equal_bits) {
  std::vector<float> values(30000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0f / static_cast<float>(i + 1);
  const device_elements<float> in(values, stream_);
  const device_elements<float> out(2, stream_);
  const gpu::layout where = gpu::contiguous_layout(gpu::shape{30000});
  const gpu::engine::leaf_ref leaf{in.get(), &where, sizeof(float)};
  const bool all[] = {true};
  double exact = 0;
  for (const float v : values) exact += static_cast<double>(v);
  for (int i = 0; i < 2; ++i) {
    gpu::engine::operand operand;
    const auto plan =
        gpu::engine::make_reduce_plan(out.get() + i, sizeof(float), {}, where.extents, all, &leaf, 1, &operand);
    gpu::cuda::reduce<sum_of_floats, float>(plan, same{}, sum_of_floats{}, stream_);
  }
  const std::vector<float> sums = out.read();
  EXPECT_EQ(std::memcmp(&sums[0], &sums[1], sizeof(float)), 0);
  EXPECT_NEAR(static_cast<double>(sums[0]), exact, 4e-6);
}

TEST_F(cuda_rows, scans_of_all_proportions) {
  const gpu::shape shapes[] = {{1, 1},   {1, 20000}, {2, 9000}, {3, 700},  {40, 40},
                               {700, 3}, {3000, 2},  {300, 65}, {17, 1025}};
  for (const gpu::shape& s : shapes) {
    check<sum_of_floats, float>(same{}, {part(s)}, axes(false, true), true);
    check<sum_of_floats, float>(same{}, {part(s)}, axes(true, false), true);
    check<product_reducer<float, float>, float>(parity{}, {part(s)}, axes(false, true), true);
    check<sum_of_floats, float>(product{}, {part(s), part({s[1]})}, axes(true, false), true);
  }
}

TEST_F(cuda_rows, scan_types_and_long_columns) {
  check<sum_reducer<bool, std::int64_t>, bool>(same{}, {part({5000})}, axes(true), true);
  check<sum_reducer<double, double>, double>(same{}, {part({3, 5000})}, axes(false, true), true);
  check<sum_reducer<std::int16_t, std::int64_t>, std::int16_t>(same{}, {part({900, 33})}, axes(true, false), true);
  check<sum_of_floats, float>(same{}, {part({2000, 40})}, axes(true, false), true);
  check<sum_reducer<gpu::half, gpu::half>, gpu::half>(same{}, {part({7, 90})}, axes(false, true), true);
}

}  // namespace

#endif
