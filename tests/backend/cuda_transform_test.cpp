// cuda::transform against a loop on the host: layouts, types, sizes around blocks; one kernel each.
#if defined(__CUDACC__)

#include <array>
#include <gpu/backend/cuda/transform.hpp>
#include <memory>
#include <tuple>

#include "cuda_support.hpp"

namespace {

struct weighted {
  float weight;
  template <class... T>
  constexpr float operator()(T... values) const {
    float sum = weight;
    ((sum = sum * 0.5f + static_cast<float>(values)), ...);
    return sum;
  }
};
struct positive {
  constexpr bool operator()(float a) const { return a > 0; }
};
struct choose {
  constexpr double operator()(bool c, double a, std::int8_t b) const { return c ? a : static_cast<double>(b); }
};
struct increment {
  template <class T>
  constexpr T operator()(T a) const {
    return gpu::detail::cast<T>(a + T(1));
  }
};
struct multiply {
  constexpr gpu::complex<double> operator()(gpu::complex<double> a, gpu::complex<float> b) const {
    return a * gpu::complex<double>(b.re, b.im);
  }
};
struct constant {
  float value;
  constexpr float operator()() const { return value; }
};

template <class T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

class cuda_transform : public cuda_test {
 protected:
  /// Evaluates on the device and compares with the host, everything around the output included.
  template <class Out, class... In, class F>
  void check(const F& f, const part& out, const std::array<part, sizeof...(In)>& in, std::uint64_t launches = 1) {
    check_indexed<Out, In...>(f, out, in, launches, std::index_sequence_for<In...>{});
  }

 private:
  template <class Out, class... In, class F, std::size_t... I>
  void check_indexed(const F& f, const part& out, const std::array<part, sizeof...(In)>& in, std::uint64_t launches,
                     std::index_sequence<I...>) {
    const std::tuple<std::vector<In>...> host{numbers<In>(reach(in[I]), static_cast<unsigned>(I + 1))...};
    const std::tuple<std::unique_ptr<device_elements<In>>...> device{
        std::make_unique<device_elements<In>>(std::get<I>(host), stream_)...};
    std::vector<Out> expected = numbers<Out>(reach(out) + 8, 9);
    const device_elements<Out> target(expected, stream_);
    const gpu::shape& extents = out.where.extents;
    for (std::int64_t i = 0; i < extents.size(); ++i) {
      expected[static_cast<std::size_t>(out.at(i, extents))] =
          f(In(std::get<I>(host)[static_cast<std::size_t>(in[I].at(i, extents))])...);
    }
    const gpu::engine::leaf_ref leaves[sizeof...(In) + 1] = {
        {std::get<I>(device)->get() + in[I].offset, &in[I].where, sizeof(In)}..., {}};
    gpu::engine::operand operands[sizeof...(In) + 1];
    const auto plan = gpu::engine::make_elementwise_plan(target.get() + out.offset, out.where, sizeof(Out), leaves,
                                                         static_cast<int>(sizeof...(In)), operands);
    const auto before = gpu::cuda::launch_count();
    gpu::cuda::transform<Out, In...>(plan, f, stream_);
    EXPECT_EQ(gpu::cuda::launch_count() - before, launches);
    const std::vector<Out> got = target.read();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_TRUE(same<Out>(got[i], expected[i])) << "element " << i << " of shape " << extents.to_string();
    }
  }
};

TEST_F(cuda_transform, contiguous_of_any_size) {
  for (const int n : {1, 3, 31, 256, 1000, 1024, 5000}) {
    check<float, float>(weighted{1}, part({n}), {part({n})});
    check<float, float, float, float>(weighted{1}, part({n}), {part({n}), part({n}), part({n})});
  }
}

// Long enough for tiles of bulk copies, with every alignment of the first element.
TEST_F(cuda_transform, contiguous_and_long) {
  check<float, float>(weighted{1}, part({140001}), {part({140001})});
  check<float, float, float, float>(weighted{1}, part(1, {70001}, {1}),
                                    {part({70001}), part(2, {70001}, {1}), part(3, {70001}, {1})});
  check<double, bool, double, std::int8_t>(choose{}, part({70000}),
                                           {part(5, {70000}, {1}), part({70000}), part({70000})});
  check<std::uint8_t, std::uint8_t>(increment{}, part({530000}), {part(7, {530000}, {1})});
  check<gpu::complex<double>, gpu::complex<double>, gpu::complex<float>>(multiply{}, part({35000}),
                                                                         {part({35000}), part(1, {35000}, {1})});
}

TEST_F(cuda_transform, nothing_to_do) {
  check<float, float>(weighted{1}, part({0}), {part({0})}, 0);
  check<float, float>(weighted{1}, part({3, 0}), {part({3, 0})}, 0);
}

TEST_F(cuda_transform, one_element) { check<float, float>(weighted{1}, part(gpu::shape{}), {part(gpu::shape{})}); }

TEST_F(cuda_transform, no_leaves) {
  check<float>(constant{7}, part({1003}), {});
  check<float>(constant{7}, part(3, {30, 41}, {50, 1}), {});
  check<float>(constant{7}, part(0, {30, 40}, {80, 2}), {});
}

TEST_F(cuda_transform, misaligned) {
  check<float, float, float>(weighted{1}, part(1, {2000}, {1}), {part(3, {2000}, {1}), part({2000})});
  check<float, float>(weighted{1}, part(1, {20, 32}, {32, 1}), {part(2, {20, 32}, {36, 1})});
}

TEST_F(cuda_transform, broadcast) {
  const gpu::shape extents{37, 64};
  check<float, float, float>(weighted{1}, part(extents), {part(extents), part({64})});
  check<float, float, float>(weighted{1}, part(extents), {part(extents), part({37, 1})});
  check<float, float, float>(weighted{1}, part(extents), {part(extents), part({1})});
  check<float, float, float>(weighted{1}, part(extents), {part({64}), part({37, 1})});
  check<float, float, float>(weighted{1}, part({37, 61}), {part({37, 61}), part({61})});
  check<float, float, float>(weighted{1}, part({999}), {part({999}), part({1})});
  check<float, float, float, float>(weighted{1}, part({5, 7, 12}), {part({5, 1, 12}), part({7, 1}), part({12})});
}

TEST_F(cuda_transform, transposed) {
  for (const int n : {9, 32, 45, 100}) {
    const gpu::shape extents{n, 70};
    check<float, float, float>(weighted{1}, part(extents), {part(extents), part(0, extents, {1, n})});
    check<float, float>(weighted{1}, part(extents), {part(0, extents, {1, n})});
    check<std::int16_t, std::int16_t>(increment{}, part(0, extents, {1, n}), {part(extents)});
  }
  check<float, float>(weighted{1}, part({3, 33, 40}), {part(0, {3, 33, 40}, {1320, 1, 33})});
  check<float, float>(weighted{1}, part({33, 3, 40}), {part(0, {33, 3, 40}, {1, 33 * 40, 33})});
  check<float, float>(weighted{1}, part({3, 33, 40}), {part(32, {3, 33, 40}, {1320, -1, 33})});
}

TEST_F(cuda_transform, steps_and_reversal) {
  check<float, float>(weighted{1}, part({700}), {part(1398, {700}, {-2})});
  check<float, float>(weighted{1}, part(699, {700}, {-1}), {part({700})});
  check<float, float, float>(weighted{1}, part(0, {20, 30}, {90, 3}), {part(0, {20, 30}, {60, 2}), part({30})});
  check<float, float>(weighted{1}, part({2, 3, 4, 5, 6}), {part(0, {2, 3, 4, 5, 6}, {1, 2, 6, 24, 120})});
}

TEST_F(cuda_transform, six_leaves) {
  const part dense({37, 64});
  check<float, float, float, float, float, float, float>(weighted{2}, dense,
                                                         {dense, dense, dense, dense, dense, dense});
  check<float, float, float, float, float, float, float>(
      weighted{2}, dense, {dense, part({64}), part({37, 1}), part(0, {37, 64}, {1, 37}), dense, part({1})});
}

TEST_F(cuda_transform, element_types) {
  const part dense({1037});
  const part stepped(0, {519}, {2});
  const part small({519});
  check<bool, float>(positive{}, dense, {dense});
  check<bool, float>(positive{}, small, {stepped});
  check<double, bool, double, std::int8_t>(choose{}, dense, {dense, dense, dense});
  check<double, bool, double, std::int8_t>(choose{}, small, {stepped, stepped, small});
  check<std::uint8_t, std::uint8_t>(increment{}, dense, {dense});
  check<std::int64_t, std::int64_t>(increment{}, dense, {dense});
  check<gpu::half, gpu::half>(increment{}, dense, {dense});
  check<gpu::half, gpu::half>(increment{}, small, {stepped});
  check<gpu::bfloat16, gpu::bfloat16>(increment{}, dense, {dense});
  check<gpu::complex<double>, gpu::complex<double>, gpu::complex<float>>(multiply{}, dense, {dense, dense});
  check<gpu::complex<double>, gpu::complex<double>, gpu::complex<float>>(multiply{}, small, {stepped, small});
  check<gpu::complex<double>, gpu::complex<double>, gpu::complex<float>>(multiply{}, part({4, 10}),
                                                                         {part({10}), part({4, 1})});
}

TEST_F(cuda_transform, in_place) {
  const device_elements<float> values(numbers<float>(3000), stream_);
  const gpu::layout where = gpu::contiguous_layout(gpu::shape{3000});
  const gpu::engine::leaf_ref leaf{values.get(), &where, sizeof(float)};
  gpu::engine::operand operands[1];
  const auto plan = gpu::engine::make_elementwise_plan(values.get(), where, sizeof(float), &leaf, 1, operands);
  for (int i = 0; i < 3; ++i) gpu::cuda::transform<float, float>(plan, increment{}, stream_);
  const std::vector<float> before = numbers<float>(3000);
  const std::vector<float> after = values.read();
  for (std::size_t i = 0; i < 3000; ++i) ASSERT_EQ(after[i], before[i] + 3) << i;
}

TEST_F(cuda_transform, errors_that_others_left_are_not_ours) {
  EXPECT_NE(cudaSetDevice(1000), cudaSuccess);
  check<float, float>(weighted{1}, part({300}), {part({300})});
  EXPECT_NE(cudaGetLastError(), cudaSuccess);
}

// Kernels count in 32 bits: what is larger is split. Tried here with a small limit.
TEST(cuda_nest, split_covers_every_element_once) {
  using gpu::cuda::kernels::loops;
  std::vector<int> seen(6 * 5 * 40, 0);
  loops all;
  all.rank = 3;
  all.operands = 1;
  all.size = static_cast<std::int64_t>(seen.size());
  all.operand[0].data = seen.data();
  const std::int64_t extents[] = {6, 5, 40};
  const std::int64_t strides[] = {800, 160, 4};
  for (int i = 0; i < 3; ++i) {
    all.extents[i] = extents[i];
    all.operand[0].strides[i] = strides[i];
  }
  int parts = 0;
  std::int64_t next = 0;
  gpu::cuda::kernels::split(
      all,
      [&](const loops& l, std::int64_t first) {
        EXPECT_EQ(first, next);
        EXPECT_LT(l.size, 300);
        next += l.size;
        ++parts;
        for (std::int64_t i = 0; i < l.size; ++i) {
          std::int64_t rest = i;
          const char* at = static_cast<const char*>(l.operand[0].data);
          for (int k = l.rank - 1; k >= 0; --k) {
            EXPECT_LT(l.operand[0].strides[k], 300);
            at += rest % l.extents[k] * l.operand[0].strides[k];
            rest /= l.extents[k];
          }
          ++seen[static_cast<std::size_t>(reinterpret_cast<const int*>(at) - seen.data())];
        }
      },
      0, 300);
  EXPECT_EQ(next, all.size);
  EXPECT_GT(parts, 5);
  for (const int n : seen) EXPECT_EQ(n, 1);
}

TEST(cuda_nest, divisor_is_exact) {
  const std::uint32_t numbers[] = {0,   1,     2,     3,     6,       7,          8,          255,
                                   256, 12345, 65535, 65536, 1000003, 0x3fffffff, 0x7ffffffe, 0x7fffffff};
  for (const std::uint32_t d : numbers) {
    if (d == 0) continue;
    const gpu::cuda::kernels::divisor divide(d);
    for (const std::uint32_t n : numbers) EXPECT_EQ(divide.quotient(n), n / d) << n << " / " << d;
    for (std::uint32_t n = d - 1; n < 0x7fffffff - d; n += d * (1 + n / d / 8)) {
      EXPECT_EQ(divide.quotient(n), n / d) << n << " / " << d;
      EXPECT_EQ(divide.quotient(n + 1), (n + 1) / d) << n << " / " << d;
    }
  }
}

}  // namespace

#endif
