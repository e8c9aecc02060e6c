/// @file
/// The backends' matrix products against plain loops, for every type, many layouts and all block edges. All values are
/// small integers, so results are exact whatever the order of summation.
#include "gpu/backend/host/gemm.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "gpu/engine/make_matmul_plan.hpp"
#include "support/matmul_arrays.hpp"

#if defined(__CUDACC__)
#include "gpu/backend/cuda/gemm.hpp"
#endif

namespace {

namespace engine = gpu::engine;
using gpu::dtype;
using gpu::index_vector;
using gpu::shape;
using test_matmul::array;
using test_matmul::dense_array;
using test_matmul::dense_copy;
using test_matmul::expected_product;
using test_matmul::make_array;
using test_matmul::number;
using test_matmul::numbers;
using test_matmul::store;

/// A backend as the tests use it: on erased arrays in host memory.
struct backend {
  engine::matmul_rules (*rules)(dtype);
  void (*matmul)(const engine::matmul_plan&, const array& a, const array& b, array& out);
};

constexpr backend host{
    [](dtype type) {
      return gpu::visit_dtype(type, []<class T>(std::type_identity<T>) { return gpu::host::matmul_rules<T>(); });
    },
    [](const engine::matmul_plan& plan, const array& a, const array& b, array& out) {
      gpu::visit_dtype(
          plan.type, [&]<class T>(std::type_identity<T>) { gpu::host::matmul<T>(plan, a.at(0), b.at(0), out.at(0)); });
    }};

#if defined(__CUDACC__)
/// An array's copy in device memory.
class device_copy {
 public:
  explicit device_copy(const array& a) : first_(a.first * a.itemsize()) {
    EXPECT_EQ(cudaMalloc(&data_, a.memory.size()), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(data_, a.memory.data(), a.memory.size(), cudaMemcpyHostToDevice), cudaSuccess);
  }
  device_copy(const device_copy&) = delete;  // it owns the memory
  device_copy& operator=(const device_copy&) = delete;
  ~device_copy() { EXPECT_EQ(cudaFree(data_), cudaSuccess); }
  [[nodiscard]] void* first() const { return static_cast<std::byte*>(data_) + first_; }
  void read_back(array& a) const {
    EXPECT_EQ(cudaMemcpy(a.memory.data(), data_, a.memory.size(), cudaMemcpyDeviceToHost), cudaSuccess);
  }

 private:
  std::int64_t first_;
  void* data_ = nullptr;
};

/// nvcc does not take a generic lambda in a constant's initialiser.
struct cuda_functions {
  static engine::matmul_rules rules(dtype type) {
    return gpu::visit_dtype(type, []<class T>(std::type_identity<T>) { return gpu::cuda::matmul_rules<T>(); });
  }
  static void matmul(const engine::matmul_plan& plan, const array& a, const array& b, array& out) {
    const device_copy from_a(a);
    const device_copy from_b(b);
    const device_copy to(out);
    gpu::visit_dtype(plan.type, [&]<class T>(std::type_identity<T>) {
      gpu::cuda::matmul<T>(plan, from_a.first(), from_b.first(), to.first(), cudaStreamLegacy);
    });
    to.read_back(out);
  }
};
constexpr backend cuda{&cuda_functions::rules, &cuda_functions::matmul};

bool has_cuda() {
  int count = 0;
  const bool usable = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
  static_cast<void>(cudaGetLastError());
  return usable;
}
#endif

/// `own` forces the backend's own kernels whatever the type.
void check(const backend& on, const array& a, const array& b, array out, const engine::matmul_rules& rules,
           bool own = false, bool conjugated = false) {
  engine::matmul_plan p = engine::plan_matmul(a.ref(), b.ref(), out.ref(), rules, conjugated);
  if (own) p.library = false;
  const array from_a = p.copy_a ? dense_copy(p.a_source) : a;
  const array from_b = p.copy_b ? dense_copy(p.b_source) : b;
  array to = p.copy_out ? dense_array(out.type, out.extents) : out;
  on.matmul(p, from_a, from_b, to);
  const array& result = to;
  EXPECT_TRUE(numbers(dense_copy(result.ref())) == numbers(expected_product(a, b, conjugated)))
      << name(a.type) << " a " << a.extents.to_string() << a.strides.to_string() << " b " << b.extents.to_string()
      << b.strides.to_string() << " out " << out.extents.to_string() << out.strides.to_string() << " library "
      << p.library;
}

void check(const backend& on, const array& a, const array& b) {
  check(on, a, b, dense_array(a.type, engine::matmul_shape(a.extents, b.extents)), on.rules(a.type));
}

void check_own(const backend& on, dtype type, const shape& a, const shape& b) {
  check(on, dense_array(type, a), dense_array(type, b), dense_array(type, engine::matmul_shape(a, b)), {}, true);
}

void check_sizes(const backend& on, dtype type) {
  const auto dense = [&](const shape& extents) { return dense_array(type, extents); };
  const auto stepped = [&](std::int64_t n, std::int64_t step) { return make_array(type, {n}, {0}, {step}); };
  check_own(on, type, {7, 70}, {70, 35});
  check_own(on, type, {33, 300}, {300, 17});
  check_own(on, type, {130, 3}, {3, 65});
  check_own(on, type, {2, 3}, {3, 4});
  check_own(on, type, {5, 1500}, {1500});
  check_own(on, type, {65}, {65, 70});
  check_own(on, type, {900}, {900});
  check_own(on, type, {3, 1100}, {1100, 2});
  check(on, dense({33, 40}), stepped(40, -1), dense({33}), {}, true);
  check(on, stepped(70, 2), dense({70, 65}), stepped(65, -3), {}, true);
  check(on, dense({70, 70}), dense({70, 70}));
  check(on, make_array(type, {66, 70}, {0, 1}, {1, 2}), make_array(type, {70, 80}, {1, 0}, {1, 1}));
  check(on, dense({33, 40}), stepped(40, -1));
  check(on, dense({40}), dense({40, 33}));
  check(on, dense({900}), stepped(900, -3));
  check(on, dense({900}), stepped(900, 3));
  check(on, dense({6, 9, 8}), dense({6, 8, 7}));
  check(on, dense({2, 1, 9, 8}), dense({3, 8, 7}));
  check(on, dense({20, 1, 9, 8}), dense({21, 8, 7}));
  check(on, dense({9, 8}), dense({3, 8, 1}));
  check(on, dense({4, 1, 9}), dense({4, 9, 1}));
  check(on, dense({4, 5, 9}), dense({4, 9, 1}));
  check(on, dense({5, 0}), dense({0, 4}));
  check(on, dense({2, 5, 0}), dense({0}));
  check(on, dense({5, 0}), dense({0, 0}));
}

void check_random_layouts(const backend& on, dtype type, int trials) {
  std::mt19937 random(11);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  const auto random_array = [&](const shape& extents, bool writable) {
    index_vector axes;
    index_vector steps;
    for (int i = 0; i < extents.rank(); ++i) {
      axes.insert(pick(i + 1), i);
      const std::int64_t choices[] = {1, 1, 1, 2, -1, writable ? 1 : 0};
      steps.push_back(choices[pick(6)]);
    }
    return make_array(type, extents, axes, steps);
  };
  for (int trial = 0; trial < trials; ++trial) {
    index_vector a_extents;
    index_vector b_extents;
    const int stack = pick(3);
    for (int i = 0; i < stack; ++i) {
      const int n = 1 + pick(3);
      a_extents.push_back(pick(3) == 0 ? 1 : n);
      b_extents.push_back(pick(3) == 0 ? 1 : n);
    }
    const int k = 1 + pick(12);
    if (stack > 0 || pick(3) > 0) a_extents.push_back(1 + pick(10));
    a_extents.push_back(k);
    b_extents.push_back(k);
    if (stack > 0 || pick(3) > 0) b_extents.push_back(1 + pick(10));
    const array a = random_array(shape(a_extents), false);
    const array b = random_array(shape(b_extents), false);
    const array out = random_array(engine::matmul_shape(a.extents, b.extents), true);
    check(on, a, b, out, on.rules(type));
    // Copies as large products have them.
    if (on.rules(type).copy_for_gemm != engine::matmul_rules::never) {
      check(on, a, b, out, {.copy_for_gemm = 0, .copy_for_vectors = 0, .ascending_stacks = true});
    }
  }
}

void check_conjugated(const backend& on) {
  for (const dtype type : {dtype::float32, dtype::complex64, dtype::complex128}) {
    for (const std::int64_t step : {-1, 2}) {
      const array a = make_array(type, {90}, {0}, {step});
      const array b = make_array(type, {90}, {0}, {2});
      check(on, a, b, dense_array(type, {}), on.rules(type), false, true);
      check(on, a, b, dense_array(type, {}), {}, true, true);
    }
  }
}

/// Sums of half in half would stop growing at 2048.
void check_float_sums(const backend& on) {
  for (const shape& other : {shape{5000, 3}, shape{5000}}) {
    array a = make_array(dtype::float16, {3, 5000}, {0, 1}, {0, 0});
    array b = make_array(dtype::float16, other, {0, 1}, {0, 0});
    store(dtype::float16, a.at(0), {1, 0});
    store(dtype::float16, b.at(0), {1, 0});
    check(on, a, b);
  }
}

class Gemm : public testing::TestWithParam<dtype> {};
INSTANTIATE_TEST_SUITE_P(Types, Gemm,
                         testing::Values(dtype::bool_, dtype::int8, dtype::int16, dtype::int32, dtype::int64,
                                         dtype::uint8, dtype::uint16, dtype::uint32, dtype::uint64, dtype::float16,
                                         dtype::bfloat16, dtype::float32, dtype::float64, dtype::complex64,
                                         dtype::complex128),
                         [](const auto& type) { return std::string(name(type.param)); });

TEST_P(Gemm, HostSizes) { check_sizes(host, GetParam()); }
TEST_P(Gemm, HostRandomLayouts) { check_random_layouts(host, GetParam(), 200); }

/// More than one block in every direction, and enough rows or columns for several threads.
TEST_P(Gemm, HostBlocks) {
  check_own(host, GetParam(), {3, 260}, {260, 2100});
  check_own(host, GetParam(), {410, 40}, {40, 33});
  check_own(host, GetParam(), {70000}, {70000});
  check_own(host, GetParam(), {2500, 20}, {20});
  check_own(host, GetParam(), {20}, {20, 2500});
  check(host, dense_array(GetParam(), {300, 9, 8}), dense_array(GetParam(), {300, 8, 9}));
}

TEST(GemmConjugated, Host) { check_conjugated(host); }
TEST(GemmHalf, SumsInFloatOnTheHost) { check_float_sums(host); }

#if defined(__CUDACC__)
TEST_P(Gemm, CudaSizes) {
  if (!has_cuda()) GTEST_SKIP() << "no CUDA device";
  check_sizes(cuda, GetParam());
}
TEST_P(Gemm, CudaRandomLayouts) {
  if (!has_cuda()) GTEST_SKIP() << "no CUDA device";
  check_random_layouts(cuda, GetParam(), 30);
}
TEST(GemmConjugated, Cuda) {
  if (!has_cuda()) GTEST_SKIP() << "no CUDA device";
  check_conjugated(cuda);
}
TEST(GemmHalf, SumsInFloatOnCuda) {
  if (!has_cuda()) GTEST_SKIP() << "no CUDA device";
  check_float_sums(cuda);
}
#endif

#if defined(__CUDACC__)
TEST(Cublas, ThreadsInTurnShareOneHandle) {
  if (!has_cuda()) GTEST_SKIP() << "no CUDA device";
  std::vector<cublasHandle_t> seen;
  for (int i = 0; i < 3; ++i) {
    std::thread([&] { seen.push_back(gpu::cuda::cublas_handle(cudaStreamLegacy)); }).join();
  }
  EXPECT_EQ(seen[1], seen[0]);
  EXPECT_EQ(seen[2], seen[0]);
  const cublasHandle_t mine = gpu::cuda::cublas_handle(cudaStreamLegacy);
  std::thread([&] { EXPECT_NE(gpu::cuda::cublas_handle(cudaStreamLegacy), mine); }).join();
}

TEST(Cublas, ErrorsNameCallStatusAndPlace) {
  try {
    gpu::cuda::check(CUBLAS_STATUS_ALLOC_FAILED, "cublasFoo");
    FAIL() << "nothing was thrown";
  } catch (const gpu::library_error& e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("cublasFoo failed: CUBLAS_STATUS_ALLOC_FAILED"), std::string::npos) << text;
    EXPECT_NE(text.find("gemm_test.cpp:"), std::string::npos) << text;
  }
}

/// A stack that takes many library calls is one launch of the own kernel where the matrices are small.
TEST(Cublas, CallsAreCounted) {
  if (!has_cuda()) GTEST_SKIP() << "no CUDA device";
  const auto launches = [](const shape& a, const shape& b) {
    const std::uint64_t before = gpu::cuda::launch_count();
    check(cuda, dense_array(dtype::float32, a), dense_array(dtype::float32, b));
    return gpu::cuda::launch_count() - before;
  };
  EXPECT_EQ(launches({8, 8}, {8, 8}), 1u);
  EXPECT_EQ(launches({5, 8, 8}, {5, 8, 8}), 1u);
  EXPECT_EQ(launches({3, 1, 8, 8}, {5, 8, 8}), 3u);
  EXPECT_EQ(launches({20, 1, 8, 8}, {21, 8, 8}), 1u);
}
#endif

/// Every instruction set that this CPU has, and the shape of AVX-512's tile on any.
template <class T>
void check_variants() {
  using lane = gpu::host::lane<T>;
  using wide = gpu::host::lane_bodies<lane, 64>;
  static constexpr gpu::host::lane_kernels<lane> shaped_as_avx512{
      12, 2 * wide::lanes,
      [](std::int64_t k, const lane* left, const lane* right, lane* tile, std::int64_t row, bool adds) {
        wide::template multiply<12>(k, left, right, tile, row, adds);
      },
      nullptr, nullptr};
  const dtype type = gpu::dtype_of<T>;
  const array a = dense_array(type, {31, 270});
  const array b = dense_array(type, {270, 150});
  const std::vector<number> truth = numbers(expected_product(a, b, false));
  const gpu::host::gemm_task task{31, 150, 270, 270, 1, 150, 1, 150, 1};
  for (const auto* kernels : {&gpu::host::lane_variants<lane>::base, &gpu::host::best_lane_kernels<lane>(),
                              static_cast<const gpu::host::lane_kernels<lane>*>(&shaped_as_avx512)}) {
    array out = dense_array(type, {31, 150});
    gpu::host::blocked_gemm<T, T>(task, reinterpret_cast<const T*>(a.at(0)), reinterpret_cast<const T*>(b.at(0)),
                                  reinterpret_cast<T*>(out.at(0)), true, *kernels);
    EXPECT_TRUE(numbers(out) == truth) << name(type) << " tile " << kernels->rows << "x" << kernels->columns;
  }
}

TEST(GemmVariants, AllAgree) {
  check_variants<bool>();
  check_variants<std::uint16_t>();
  check_variants<std::uint32_t>();
  check_variants<std::uint64_t>();
  check_variants<float>();
  check_variants<double>();
  check_variants<gpu::complex<float>>();
}

#if defined(GPUARRAY_HAS_CBLAS)
TEST(GemmCblas, NumbersBeyondItsIntegersGoToOwnKernels) {
  engine::matmul_plan p;
  p.kind = engine::matmul_kind::gemm;
  p.m = p.n = p.k = 10;
  EXPECT_TRUE(gpu::host::products::fits_cblas(p, 10));
  EXPECT_FALSE(gpu::host::products::fits_cblas(p, 9));
  p.right.leading = 11;
  EXPECT_FALSE(gpu::host::products::fits_cblas(p, 10));
}
#endif

}  // namespace
