/// @file
/// Arrays of every kind through .npy files and back; the format itself is tested in core/npy_test.cpp.
#include "gpu/io.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "gpu/manipulation.hpp"
#include "gpu/map.hpp"
#include "support/expect.hpp"

namespace {

using gpu::array;

/// A file that is gone when the test ends.
class temporary_file {
 public:
  temporary_file() : path_(std::filesystem::temp_directory_path() / ("gpuarray-io-" + std::to_string(::getpid()))) {}
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() { std::filesystem::remove(path_); }
  [[nodiscard]] std::string path() const { return path_.string(); }
  [[nodiscard]] std::string bytes() const {
    std::ifstream in(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

 private:
  std::filesystem::path path_;
};

template <class T>
class io : public testing::Test {};
// `load` converts from every type: each type here costs fifteen loops. core/npy_test.cpp has all types.
using some_types = testing::Types<bool, gpu::int32, gpu::half, gpu::complex128>;
TYPED_TEST_SUITE(io, some_types);

TYPED_TEST(io, arrays_come_back) {
  using T = TypeParam;
  gpu::on_every_device([] {
    const temporary_file file;
    const array<T> a = gpu::astype<T>(gpu::reshape(gpu::arange<gpu::int16>(24), {2, 3, 4}) % 7);
    gpu::save(file.path(), a);
    const gpu::npy_header about = gpu::npy_info(file.path());
    EXPECT_EQ(about.type, gpu::dtype_of<T>);
    EXPECT_EQ(about.extents, a.shape());
    const array<T> b = gpu::load<T>(file.path());
    EXPECT_EQ(b.device(), gpu::current_device());
    gpu::expect_values(b, a.shape(), gpu::to_host(a));
  });
}

TEST(io_layouts, views_expressions_and_empty_arrays_are_saved_as_their_values) {
  gpu::on_every_device([] {
    const temporary_file file;
    const array<float> a = gpu::reshape(gpu::arange<float>(12), {3, 4});
    gpu::save(file.path(), a(gpu::slice(2, gpu::none, -2), gpu::slice(1, 4, 2)));
    gpu::expect_values(gpu::load<float>(file.path()), {2, 2}, {9, 11, 1, 3});
    gpu::save(file.path(), gpu::transpose(a));  // in Fortran order
    gpu::expect_values(gpu::load<float>(file.path()), {4, 3}, {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
    gpu::save(file.path(), a(0) * 2 + 1);
    gpu::expect_values(gpu::load<float>(file.path()), {1, 3, 5, 7});
    gpu::save(file.path(), gpu::zeros<float>({2, 0}));
    EXPECT_EQ(gpu::load<float>(file.path()).shape(), (gpu::shape{2, 0}));
    gpu::save(file.path(), gpu::full<double>({}, 2.5));
    EXPECT_EQ(gpu::load<double>(file.path()).item(), 2.5);
  });
}

TEST(io_types, another_dtype_needs_the_cast_option) {
  gpu::on_every_device([] {
    const temporary_file file;
    gpu::save(file.path(), array<double>{1.5, -2.5});
    gpu::expect_error<gpu::type_error>([&] { static_cast<void>(gpu::load<int>(file.path())); },
                                       "holds float64 and was to be loaded as int32");
    gpu::expect_values(gpu::load<int>(file.path(), {.cast = true}), {1, -2});
  });
}

TEST(io_errors, a_failed_save_leaves_the_file_that_was_there) {
  const temporary_file file;
  gpu::save(file.path(), array<float>{1, 2});
  const std::string before = file.bytes();
  EXPECT_THROW(gpu::save(file.path() + "/below-a-file", array<float>{3}), gpu::io_error);
  EXPECT_THROW(static_cast<void>(gpu::load<float>(file.path() + ".missing")), gpu::io_error);
  EXPECT_EQ(file.bytes(), before);
}

}  // namespace
