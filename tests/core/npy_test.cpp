/// @file
/// .npy files against those of NumPy (tests/fixtures/npy_cases.tsv), malformed ones, and failures of the file system.
#include "gpu/core/npy.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace {

using gpu::dtype;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(separator, begin);
    parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return parts;
}

int hexadecimal(char c) { return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10; }

std::string decoded(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '%') {
      result += static_cast<char>(hexadecimal(text[i + 1]) * 16 + hexadecimal(text[i + 2]));
      i += 2;
    } else {
      result += text[i];
    }
  }
  return result;
}

std::string bytes_of(const std::string& digits) {
  std::string result;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    result += static_cast<char>(hexadecimal(digits[i]) * 16 + hexadecimal(digits[i + 1]));
  }
  return result;
}

/// A folder of its own for each test.
class Npy : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "gpuarray-npy-XXXXXX";
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ + "/" + name; }

  [[nodiscard]] std::string file(const std::string& name, const std::string& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    return path(name);
  }

  [[nodiscard]] static std::string content(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  [[nodiscard]] std::ptrdiff_t files() const {
    return std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator());
  }

 private:
  std::string folder_;
};

struct npy_case {
  dtype type;
  bool fortran_order;
  gpu::shape extents;
  std::string elements;  // in C order
  std::string file;
};

npy_case case_of(const std::vector<std::string>& fields) {
  npy_case result{dtype::other, fields[2] == "F", {}, bytes_of(fields[4]), decoded(fields[5])};
  for (int i = 0; i < static_cast<int>(dtype::other); ++i) {
    if (fields[1] == gpu::name(static_cast<dtype>(i))) result.type = static_cast<dtype>(i);
  }
  if (!fields[3].empty()) {
    for (const std::string& extent : split(fields[3], ',')) result.extents.push_back(std::stoll(extent));
  }
  return result;
}

/// Byte strides of dense memory with `spacing` elements for each.
gpu::index_vector strides_of(const npy_case& c, bool fortran_order, std::int64_t spacing = 1) {
  const int rank = c.extents.rank();
  gpu::index_vector strides(rank, 0);
  std::int64_t step = static_cast<std::int64_t>(gpu::itemsize(c.type)) * spacing;
  for (int i = 0; i < rank; ++i) {
    const int axis = fortran_order ? i : rank - 1 - i;
    strides[axis] = step;
    step *= c.extents[axis];
  }
  return strides;
}

/// Copies elements between two layouts of one shape.
void copy(const npy_case& c, char* to, const gpu::index_vector& to_strides, const char* from,
          const gpu::index_vector& from_strides) {
  const int rank = c.extents.rank();
  gpu::index_vector index(rank, 0);
  for (std::int64_t n = 0; n < c.extents.size(); ++n) {
    std::int64_t to_offset = 0;
    std::int64_t from_offset = 0;
    for (int axis = 0; axis < rank; ++axis) {
      to_offset += index[axis] * to_strides[axis];
      from_offset += index[axis] * from_strides[axis];
    }
    std::memcpy(to + to_offset, from + from_offset, gpu::itemsize(c.type));
    for (int axis = rank - 1; axis >= 0 && ++index[axis] == c.extents[axis]; --axis) index[axis] = 0;
  }
}

TEST_F(Npy, ReadsAndWritesAsNumPy) {
  std::ifstream fixture("fixtures/npy_cases.tsv");
  ASSERT_TRUE(fixture) << "run in tests/";
  int good = 0;
  int bad = 0;
  for (std::string line; std::getline(fixture, line);) {
    const std::vector<std::string> fields = split(line, '\t');
    if (fields[0] == "rejected") {
      ++bad;
      const std::string name = file("bad.npy", decoded(fields[2]));
      try {
        (void)gpu::npy_info(name);
        ADD_FAILURE() << "accepted: " << line;
      } catch (const gpu::io_error& e) {
        const std::string text = e.what();
        EXPECT_NE(text.find(name), std::string::npos) << text << "\n" << line;
        EXPECT_NE(text.find(fields[1]), std::string::npos) << text << "\n" << line;
        EXPECT_LT(text.size(), 500U);
      }
      continue;
    }
    ++good;
    const npy_case c = case_of(fields);
    const gpu::npy_reader reader(file("good.npy", c.file));
    const gpu::npy_header& header = reader.header();
    ASSERT_EQ(header.type, c.type) << line;
    ASSERT_EQ(header.extents, c.extents) << line;
    ASSERT_EQ(header.fortran_order, c.fortran_order) << line;
    ASSERT_EQ(header.data_bytes(), c.elements.size()) << line;
    std::string data(c.elements.size(), '?');
    reader.read(data.data());
    std::string elements(c.elements.size(), '?');
    copy(c, elements.data(), strides_of(c, false), data.data(), strides_of(c, c.fortran_order));
    ASSERT_EQ(elements, c.elements) << line;
    std::string halves(c.elements.size(), '?');
    const std::int64_t middle = c.extents.size() / 2;
    reader.read(halves.data(), 0, middle);
    reader.read(halves.data() + static_cast<std::size_t>(middle) * gpu::itemsize(c.type), middle,
                c.extents.size() - middle);
    ASSERT_EQ(halves, data) << line;
    if (fields[0] != "saved") continue;

    gpu::write_npy(path("written.npy"), {data.data(), c.type, c.extents, strides_of(c, c.fortran_order)});
    ASSERT_EQ(content(path("written.npy")), c.file) << line;
    if (c.fortran_order) continue;
    // What is dense in neither order is written in C order.
    std::string spread(c.elements.size() * 3 + 16, '?');
    const gpu::index_vector strides = strides_of(c, true, 3);
    copy(c, spread.data(), strides, c.elements.data(), strides_of(c, false));
    gpu::write_npy(path("spread.npy"), {spread.data(), c.type, c.extents, strides});
    ASSERT_EQ(content(path("spread.npy")), c.file) << line;
  }
  EXPECT_GE(good, 400);
  EXPECT_GE(bad, 90);
}

std::vector<float> ramp(std::size_t count) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i);
  return values;
}

gpu::const_strided_ref ref_of(const std::vector<float>& values) {
  return {values.data(), dtype::float32, gpu::shape{values.size()}, {4}};
}

TEST_F(Npy, EveryPrefixOfAFileIsAnError) {
  const std::vector<float> values = ramp(5);
  gpu::write_npy(path("a.npy"), ref_of(values));
  const std::string whole = content(path("a.npy"));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW((void)gpu::npy_info(file("b.npy", whole.substr(0, size))), gpu::io_error) << size;
  }
  EXPECT_NO_THROW((void)gpu::npy_info(file("b.npy", whole)));
}

TEST_F(Npy, LargeArraysOfEveryKindOfStrideComeBack) {
  constexpr std::int64_t rows = 301;
  constexpr std::int64_t columns = 1003;
  const std::vector<float> values = ramp(static_cast<std::size_t>(rows * columns * 2));
  const auto* first = values.data();
  const std::array<gpu::const_strided_ref, 4> arrays{
      gpu::const_strided_ref{first, dtype::float32, gpu::shape{rows, columns}, {columns * 4, 4}},
      gpu::const_strided_ref{first, dtype::float32, gpu::shape{rows, columns}, {columns * 8, 8}},
      gpu::const_strided_ref{first + rows * columns - 1, dtype::float32, gpu::shape{rows, columns}, {-columns * 4, -4}},
      gpu::const_strided_ref{first, dtype::float32, gpu::shape{rows, columns}, {0, 4}}};
  for (const gpu::const_strided_ref& array : arrays) {
    gpu::write_npy(path("large.npy"), array);
    const gpu::npy_reader reader(path("large.npy"));
    ASSERT_EQ(reader.header().extents, array.extents);
    std::vector<float> read(static_cast<std::size_t>(rows * columns));
    reader.read(read.data());
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        ASSERT_EQ(read[static_cast<std::size_t>(i * columns + j)],
                  static_cast<const float*>(array.data)[(i * array.strides[0] + j * array.strides[1]) / 4]);
      }
    }
  }
}

TEST_F(Npy, BoolsAreZeroOrOneWhateverTheFileHolds) {
  const std::string name =
      file("b.npy", gpu::make_npy_header(dtype::bool_, gpu::shape{4}) + std::string("\0\1\2\xFF", 4));
  std::array<unsigned char, 4> data{};
  gpu::npy_reader(name).read(data.data());
  EXPECT_EQ(data, (std::array<unsigned char, 4>{0, 1, 1, 1}));
}

TEST_F(Npy, ReadsOutsideTheArrayAreErrors) {
  gpu::write_npy(path("a.npy"), ref_of(ramp(5)));
  const gpu::npy_reader reader(path("a.npy"));
  std::array<float, 8> data{};
  EXPECT_THROW(reader.read(data.data(), -1, 2), gpu::index_error);
  EXPECT_THROW(reader.read(data.data(), 0, -1), gpu::index_error);
  EXPECT_THROW(reader.read(data.data(), 4, 2), gpu::index_error);
  EXPECT_THROW(reader.read(data.data(), 6, 0), gpu::index_error);
  EXPECT_THROW(reader.read(data.data(), 1, INT64_MAX), gpu::index_error);
  reader.read(data.data(), 5, 0);
  reader.read(data.data(), 3, 2);
  EXPECT_EQ(data[1], 4);
}

TEST_F(Npy, AFileThatBecomesShorterIsAnError) {
  gpu::write_npy(path("a.npy"), ref_of(ramp(5)));
  const gpu::npy_reader reader(path("a.npy"));
  ASSERT_EQ(truncate(path("a.npy").c_str(), 130), 0);
  std::array<float, 5> data{};
  EXPECT_THROW(reader.read(data.data()), gpu::io_error);
}

/// The message of the io_error that `action` throws.
template <class Action>
std::string io_error_of(const Action& action) {
  try {
    action();
  } catch (const gpu::io_error& e) {
    return e.what();
  }
  return "no io_error";
}

TEST_F(Npy, ErrorsNameThePathAndTheCause) {
  EXPECT_EQ(io_error_of([&] { (void)gpu::npy_info(path("none.npy")); }),
            "cannot open " + path("none.npy") + ": No such file or directory");
  EXPECT_EQ(io_error_of([&] { (void)gpu::npy_info(path("")); }), "cannot read " + path("") + ": Is a directory");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(io_error_of([&] { (void)gpu::npy_info(path("pipe")); }),
            "cannot read " + path("pipe") + ": not a regular file");
  const std::vector<float> values = ramp(3);
  EXPECT_EQ(io_error_of([&] { gpu::write_npy(path("none/a.npy"), ref_of(values)); }),
            "cannot write " + path("none/a.npy") + ": No such file or directory");
  EXPECT_EQ(io_error_of([&] { gpu::write_npy(path(""), ref_of(values)); }),
            "cannot write " + path("") + ": Is a directory");
  EXPECT_EQ(io_error_of([&] { gpu::write_npy("/dev/full", ref_of(values)); }),
            "cannot write /dev/full: No space left on device");
  gpu::const_strided_ref other = ref_of(values);
  other.type = dtype::other;
  EXPECT_THROW(gpu::write_npy(path("a.npy"), other), gpu::type_error);
  EXPECT_FALSE(std::filesystem::exists(path("a.npy")));
}

TEST_F(Npy, AFailedWriteLeavesTheOldFile) {
  const std::vector<float> old_values = ramp(10);
  gpu::write_npy(path("a.npy"), ref_of(old_values));
  const std::string before = content(path("a.npy"));
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small{4096, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::vector<float> values = ramp(100000);
  const std::string text = io_error_of([&] { gpu::write_npy(path("a.npy"), ref_of(values)); });
  const std::string new_text = io_error_of([&] { gpu::write_npy(path("b.npy"), ref_of(values)); });
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_EQ(text, "cannot write " + path("a.npy") + ": File too large");
  EXPECT_EQ(new_text, "cannot write " + path("b.npy") + ": File too large");
  EXPECT_EQ(content(path("a.npy")), before);
  EXPECT_EQ(files(), 1);
}

TEST_F(Npy, AWriterThatIsNotCommittedLeavesNothing) {
  {
    gpu::npy_writer writer(path("a.npy"), dtype::float32, gpu::shape{4});
    writer.write(ramp(2).data(), 8);
  }
  EXPECT_EQ(files(), 0);
  gpu::npy_writer missing(path("a.npy"), dtype::float32, gpu::shape{4});
  missing.write(ramp(2).data(), 8);
  EXPECT_EQ(io_error_of([&] { missing.commit(); }),
            "cannot write " + path("a.npy") + ": 8 bytes of its data are missing");
  EXPECT_THROW(missing.write(ramp(2).data(), 8), gpu::io_error);
  EXPECT_THROW(missing.commit(), gpu::io_error);
  gpu::npy_writer more(path("a.npy"), dtype::float32, gpu::shape{4});
  EXPECT_THROW(more.write(ramp(5).data(), 20), gpu::io_error);
  EXPECT_EQ(files(), 0);
}

TEST_F(Npy, AWriterTakesDataInPieces) {
  const std::vector<float> values = ramp(1000);
  gpu::npy_writer writer(path("a.npy"), dtype::float32, gpu::shape{10, 100});
  for (std::size_t i = 0; i < values.size(); i += 100) writer.write(&values[i], 400);
  EXPECT_FALSE(std::filesystem::exists(path("a.npy")));
  writer.commit();
  gpu::write_npy(path("b.npy"), {values.data(), dtype::float32, gpu::shape{10, 100}, {400, 4}});
  EXPECT_EQ(content(path("a.npy")), content(path("b.npy")));
}

TEST_F(Npy, WritingKeepsLinksAndPermissions) {
  const std::vector<float> values = ramp(3);
  gpu::write_npy(path("real.npy"), ref_of(ramp(9)));
  ASSERT_EQ(chmod(path("real.npy").c_str(), 0640), 0);
  ASSERT_EQ(symlink("real.npy", path("link.npy").c_str()), 0);
  gpu::write_npy(path("link.npy"), ref_of(values));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.npy")));
  EXPECT_EQ(gpu::npy_info(path("real.npy")).extents, gpu::shape{3});
  struct stat status{};
  ASSERT_EQ(stat(path("real.npy").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0640U);
  EXPECT_EQ(files(), 2);
}

TEST_F(Npy, APipeIsWrittenInPlace) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::string received;
  std::thread reader([&] { received = content(path("pipe")); });
  gpu::write_npy(path("pipe"), ref_of(ramp(3)));
  reader.join();
  EXPECT_EQ(received.size(), 128U + 12U);
}

TEST_F(Npy, ThreadsMayWriteOneName) {
  const std::vector<float> a = ramp(100);
  const std::vector<float> b = ramp(5000);
  std::thread other([&] {
    for (int i = 0; i < 50; ++i) gpu::write_npy(path("a.npy"), ref_of(a));
  });
  for (int i = 0; i < 50; ++i) {
    gpu::write_npy(path("a.npy"), ref_of(b));
    const gpu::npy_reader reader(path("a.npy"));
    const auto size = static_cast<std::size_t>(reader.header().extents.size());
    EXPECT_TRUE(size == 100 || size == 5000);
    std::vector<float> read(size);
    reader.read(read.data());
    EXPECT_EQ(read, ramp(size));
  }
  other.join();
  EXPECT_EQ(files(), 1);
}

}  // namespace
