/// @file
/// .npy files to and from host memory.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include "dtype.hpp"
#include "error.hpp"
#include "npy_header.hpp"
#include "strided.hpp"

namespace gpu {

namespace detail::npy {

/// A file descriptor that closes itself.
class file_descriptor {
 public:
  explicit file_descriptor(int value = -1) noexcept : value_(value) {}
  file_descriptor(file_descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~file_descriptor() {
    if (value_ >= 0) ::close(value_);
  }

  [[nodiscard]] int get() const noexcept { return value_; }
  /// The result of close(), which is where some file systems report a failed write.
  int close() noexcept { return ::close(std::exchange(value_, -1)); }

 private:
  int value_;
};

}  // namespace detail::npy

/// A .npy file open for reading. Its functions may be called from several threads at once.
class npy_reader {
 public:
  /// Opens a file and checks its header and size. @throws io_error that names the path and the reason.
  explicit npy_reader(std::string path);

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  [[nodiscard]] const npy_header& header() const noexcept { return header_; }

  /// Reads all elements into `header().data_bytes()` bytes, in the file's order of elements and the machine's of bytes.
  /// Waits for the disk. @throws io_error if reading fails.
  void read(void* destination) const { read(destination, 0, header_.extents.size()); }

  /// Reads `count` elements from the `first` on, counted in the file's order. Waits for the disk.
  /// @throws index_error if there are not so many; io_error if reading fails.
  void read(void* destination, std::int64_t first, std::int64_t count) const;

 private:
  std::string path_;
  detail::npy::file_descriptor file_;
  npy_header header_;
};

/// A .npy file being written: it appears under its name, or replaces what was there, when `commit` succeeds. Without
/// that nothing remains. (A pipe or a device, or a file in a folder that cannot be written, is written in place.)
class npy_writer {
 public:
  /// Writes the header. @throws io_error that names the path and the reason; type_error for `dtype::other`.
  npy_writer(std::string path, dtype type, const shape& extents, bool fortran_order = false);
  npy_writer(const npy_writer&) = delete;
  npy_writer& operator=(const npy_writer&) = delete;
  ~npy_writer() { abandon(); }

  /// Appends data, in the order of elements that the header says and this machine's order of bytes.
  /// @throws io_error if writing fails or for more data than the header says.
  void write(const void* data, std::size_t bytes);

  /// Finishes the file. @throws io_error if writing failed or data is missing.
  void commit();

 private:
  void abandon() noexcept;
  void write_bytes(const void* data, std::size_t bytes);
  [[noreturn]] void fail(int error_number);

  std::string path_;
  std::string target_;     // what path_ leads to through symbolic links
  std::string temporary_;  // empty: in place
  detail::npy::file_descriptor file_;
  std::size_t missing_;
};

/// Writes host memory as numpy.save does: byte for byte the same file. Dense arrays are written straight from memory.
/// A failed call leaves a file of that name as it was. Waits for the disk.
/// @throws io_error that names the path and the reason; type_error for `dtype::other`.
void write_npy(const std::string& path, const const_strided_ref& array);

/// The dtype, shape and order of a .npy file, without reading its data. @throws io_error as `npy_reader`.
[[nodiscard]] inline npy_header npy_info(const std::string& path) { return npy_reader(path).header(); }

namespace detail::npy {

/// One system call moves at most this much, and what is converted stays in cache.
inline constexpr std::size_t largest_transfer = std::size_t{1} << 30;
inline constexpr std::size_t conversion_bytes = std::size_t{1} << 18;

[[nodiscard]] inline std::string error_text(int number) { return std::generic_category().message(number); }

/// Reads until `bytes` are there or the file ends; returns how many came. @throws io_error if reading fails.
inline std::size_t read_at(int file, void* destination, std::size_t bytes, std::uint64_t offset,
                           const std::string& path) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t count = ::pread(file, static_cast<std::byte*>(destination) + done,
                                  std::min(bytes - done, largest_transfer), static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) raise<io_error>("cannot read ", path, ": ", error_text(errno));
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

template <class Word>
void swap_words(std::byte* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; i += sizeof(Word)) {
    Word word;
    std::memcpy(&word, data + i, sizeof word);
    if constexpr (sizeof(Word) == 2) word = __builtin_bswap16(word);
    if constexpr (sizeof(Word) == 4) word = __builtin_bswap32(word);
    if constexpr (sizeof(Word) == 8) word = __builtin_bswap64(word);
    std::memcpy(data + i, &word, sizeof word);
  }
}

/// Turns the bytes of each number around; the two parts of a complex number are numbers.
inline void swap_bytes(std::byte* data, std::size_t bytes, dtype type) {
  const bool parts = type == dtype::complex64 || type == dtype::complex128;
  switch (parts ? itemsize(type) / 2 : itemsize(type)) {
    case 2: return swap_words<std::uint16_t>(data, bytes);
    case 4: return swap_words<std::uint32_t>(data, bytes);
    case 8: return swap_words<std::uint64_t>(data, bytes);
    default: return;
  }
}

/// Makes every byte 0 or 1: another value in a `bool` is undefined behaviour, and a file may hold any.
inline void normalize_bools(std::byte* data, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) data[i] = data[i] == std::byte{0} ? std::byte{0} : std::byte{1};
}

inline npy_header read_header(int file, const std::string& path) {
  struct stat status{};
  if (::fstat(file, &status) != 0) raise<io_error>("cannot read ", path, ": ", error_text(errno));
  if (S_ISDIR(status.st_mode)) raise<io_error>("cannot read ", path, ": ", error_text(EISDIR));
  if (!S_ISREG(status.st_mode)) raise<io_error>("cannot read ", path, ": not a regular file");
  const auto size = static_cast<std::uint64_t>(status.st_size);
  std::byte start[max_npy_prefix_bytes];  // NOLINT(modernize-avoid-c-arrays)
  const std::size_t wanted = std::min<std::uint64_t>(size, sizeof start);
  const std::size_t got = read_at(file, start, wanted, 0, path);
  return parse_npy_header({start, got}, size, path);
}

/// Opens for reading without waiting for the writer of a pipe, which is then refused.
inline file_descriptor open_for_reading(const std::string& path) {
  file_descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) raise<io_error>("cannot open ", path, ": ", error_text(errno));
  return file;
}

/// Whether the elements lie next to each other in C or Fortran order; strides of axes of extent 1 do not matter.
[[nodiscard]] inline bool is_dense(const const_strided_ref& array, bool fortran_order) {
  if (array.extents.size() == 0) return true;
  const int rank = array.extents.rank();
  auto step = static_cast<std::int64_t>(itemsize(array.type));
  for (int i = 0; i < rank; ++i) {
    const int axis = fortran_order ? i : rank - 1 - i;
    if (array.extents[axis] > 1 && array.strides[axis] != step) return false;
    step *= array.extents[axis];
  }
  return true;
}

/// Copies `count` elements that are `stride` bytes apart next to each other.
template <std::size_t Bytes>
void gather(std::byte* to, const std::byte* from, std::int64_t count, std::int64_t stride) {
  for (std::int64_t i = 0; i < count; ++i, to += Bytes, from += stride) std::memcpy(to, from, Bytes);
}

inline void gather(std::byte* to, const std::byte* from, std::int64_t count, std::int64_t stride, std::size_t bytes) {
  if (stride == static_cast<std::int64_t>(bytes)) {
    std::memcpy(to, from, static_cast<std::size_t>(count) * bytes);
    return;
  }
  switch (bytes) {
    case 1: return gather<1>(to, from, count, stride);
    case 2: return gather<2>(to, from, count, stride);
    case 4: return gather<4>(to, from, count, stride);
    case 8: return gather<8>(to, from, count, stride);
    default: return gather<16>(to, from, count, stride);
  }
}

/// Writes elements of any strides in C order, through a buffer.
inline void write_strided(npy_writer& writer, const const_strided_ref& array) {
  const int rank = array.extents.rank();
  const std::size_t bytes = itemsize(array.type);
  const std::int64_t row = array.extents.back();
  const auto capacity = static_cast<std::int64_t>(conversion_bytes / bytes);
  const auto buffer = std::make_unique<std::byte[]>(conversion_bytes);  // NOLINT(modernize-avoid-c-arrays)
  std::int64_t filled = 0;
  const auto flush = [&] {
    writer.write(buffer.get(), static_cast<std::size_t>(filled) * bytes);
    filled = 0;
  };
  index_vector index(rank, 0);
  const std::int64_t rows = array.extents.size() / row;
  for (std::int64_t n = 0; n < rows; ++n) {
    const auto* from = static_cast<const std::byte*>(array.data);
    for (int axis = 0; axis + 1 < rank; ++axis) from += index[axis] * array.strides[axis];
    for (std::int64_t done = 0; done < row;) {
      if (filled == capacity) flush();
      const std::int64_t count = std::min(row - done, capacity - filled);
      gather(buffer.get() + static_cast<std::size_t>(filled) * bytes, from + done * array.strides.back(), count,
             array.strides.back(), bytes);
      done += count;
      filled += count;
    }
    for (int axis = rank - 2; axis >= 0 && ++index[axis] == array.extents[axis]; --axis) index[axis] = 0;
  }
  flush();
}

/// Where a path leads through symbolic links; itself if nothing is there.
[[nodiscard]] inline std::string resolved_path(const std::string& path) {
  char* real = ::realpath(path.c_str(), nullptr);
  if (real == nullptr) return path;
  std::string result(real);
  std::free(real);
  return result;
}

}  // namespace detail::npy

inline npy_reader::npy_reader(std::string path)
    : path_(std::move(path)),
      file_(detail::npy::open_for_reading(path_)),
      header_(detail::npy::read_header(file_.get(), path_)) {}

inline void npy_reader::read(void* destination, std::int64_t first, std::int64_t count) const {
  const std::int64_t size = header_.extents.size();
  if (first < 0 || count < 0 || first > size || count > size - first) {
    detail::raise<index_error>("elements ", first, " to ", first, " + ", count, " are not all in ", path_,
                               ", which has ", size);
  }
  const std::size_t itemsize_of_file = itemsize(header_.type);
  const std::size_t bytes = static_cast<std::size_t>(count) * itemsize_of_file;
  const std::uint64_t offset = header_.data_offset + static_cast<std::uint64_t>(first) * itemsize_of_file;
  const bool swapped = header_.swapped();
  const bool converted = swapped || header_.type == dtype::bool_;
  const std::size_t piece = converted ? detail::npy::conversion_bytes : bytes;
  for (std::size_t done = 0; done < bytes; done += piece) {
    std::byte* to = static_cast<std::byte*>(destination) + done;
    const std::size_t wanted = std::min(piece, bytes - done);
    if (detail::npy::read_at(file_.get(), to, wanted, offset + done, path_) != wanted) {
      detail::raise<io_error>("cannot read ", path_, ": the file has become shorter");
    }
    if (swapped) detail::npy::swap_bytes(to, wanted, header_.type);
    if (header_.type == dtype::bool_) detail::npy::normalize_bools(to, wanted);
  }
}

inline npy_writer::npy_writer(std::string path, dtype type, const shape& extents, bool fortran_order)
    : path_(std::move(path)),
      target_(detail::npy::resolved_path(path_)),
      missing_(static_cast<std::size_t>(extents.size()) * itemsize(type)) {
  const std::string header = make_npy_header(type, extents, fortran_order);
  struct stat status{};
  const bool exists = ::stat(target_.c_str(), &status) == 0;
  int error_number = EACCES;
  if (!exists || S_ISREG(status.st_mode)) {
    static std::atomic<unsigned> counter{0};
    do {  // a name may be in use by another copy of this code, or left over from a crash
      temporary_ = target_ + ".partial-" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
      file_ = detail::npy::file_descriptor(::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      error_number = errno;
    } while (file_.get() < 0 && error_number == EEXIST);
  }
  if (file_.get() >= 0) {
    if (exists) (void)::fchmod(file_.get(), status.st_mode & 07777);
  } else {
    temporary_.clear();
    // Other reasons than these would stop writing in place too, but only after it has destroyed what is there.
    if (error_number != EACCES && error_number != EPERM && error_number != ENAMETOOLONG) fail(error_number);
    file_ = detail::npy::file_descriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (file_.get() < 0) fail(errno);
  }
  write_bytes(header.data(), header.size());
}

inline void npy_writer::write(const void* data, std::size_t bytes) {
  if (bytes > missing_) {
    abandon();
    detail::raise<io_error>("cannot write ", path_, ": more data than its shape holds");
  }
  missing_ -= bytes;
  write_bytes(data, bytes);
}

inline void npy_writer::write_bytes(const void* data, std::size_t bytes) {
  if (file_.get() < 0) detail::raise<io_error>("cannot write ", path_, ": it is closed");
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count = ::write(file_.get(), static_cast<const std::byte*>(data) + done,
                                  std::min(bytes - done, detail::npy::largest_transfer));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) fail(count < 0 ? errno : ENOSPC);
    done += static_cast<std::size_t>(count);
  }
}

inline void npy_writer::commit() {
  if (missing_ != 0 || file_.get() < 0) {
    abandon();
    detail::raise<io_error>("cannot write ", path_, ": ", missing_, " bytes of its data are missing");
  }
  if (file_.close() != 0) fail(errno);
  if (!temporary_.empty() && std::rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno);
  temporary_.clear();
}

/// Removes the temporary file, or what was written in place: half a file must not look like one.
inline void npy_writer::abandon() noexcept {
  if (file_.get() >= 0) {
    if (temporary_.empty()) (void)!::ftruncate(file_.get(), 0);
    (void)file_.close();
  }
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

inline void npy_writer::fail(int error_number) {
  abandon();
  detail::raise<io_error>("cannot write ", path_, ": ", detail::npy::error_text(error_number));
}

inline void write_npy(const std::string& path, const const_strided_ref& array) {
  const bool c_order = detail::npy::is_dense(array, false);
  const bool fortran_order = !c_order && detail::npy::is_dense(array, true);
  npy_writer writer(path, array.type, array.extents, fortran_order);
  if (c_order || fortran_order) {
    writer.write(array.data, static_cast<std::size_t>(array.extents.size()) * itemsize(array.type));
  } else {
    detail::npy::write_strided(writer, array);
  }
  writer.commit();
}

}  // namespace gpu
