/// @file
/// libFuzzer entry for .npy files: whatever the bytes, an io_error or a file that reads within its size.
/// clang++ -std=c++20 -O1 -g -fsanitize=fuzzer,address,undefined -Iinclude tests/fuzz/npy_fuzz.cpp -o npy_fuzz
/// ./npy_fuzz -max_total_time=60 -dict=tests/fuzz/npy.dict CORPUS
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

#include "gpu/core/npy.hpp"

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

/// Reads the file as a program would, in two pieces.
void read_all(std::span<const std::byte> file, const gpu::npy_header& expected) {
  static const int descriptor = memfd_create("npy", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  require(ftruncate(descriptor, 0) == 0);
  require(pwrite(descriptor, file.data(), file.size(), 0) == static_cast<ssize_t>(file.size()));
  const gpu::npy_reader reader(path);
  require(reader.header().data_offset == expected.data_offset);
  const auto data = std::make_unique<std::byte[]>(reader.header().data_bytes());
  const std::int64_t size = expected.extents.size();
  reader.read(data.get(), 0, size / 2);
  reader.read(data.get() + static_cast<std::size_t>(size / 2) * gpu::itemsize(expected.type), size / 2,
              size - size / 2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::byte> file(reinterpret_cast<const std::byte*>(data), size);
  try {
    const gpu::npy_header header = gpu::parse_npy_header(file, size, "fuzz");
    require(header.data_offset <= size && header.data_bytes() <= size - header.data_offset);
    const std::string again = gpu::make_npy_header(header.type, header.extents, header.fortran_order);
    require(again.size() % 64 == 0);
    const gpu::npy_header same =
        gpu::parse_npy_header(std::as_bytes(std::span(again)), again.size() + header.data_bytes(), "");
    require(same.type == header.type && same.extents == header.extents && same.fortran_order == header.fortran_order);
    read_all(file, header);
  } catch (const gpu::io_error&) {
    // What is not a .npy file is refused.
  }
  return 0;
}
