/// @file
/// The exceptions that the library throws, and how messages are built.
#pragma once

#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

namespace gpu {

/// What every exception of this library is. All but `out_of_memory` are `std::runtime_error`s as well; that one is a
/// `std::bad_alloc`. An interface, because two `std::exception` bases would make `catch (std::exception&)` miss it.
class error {
 public:
  error(const error&) = default;
  error& operator=(const error&) = default;
  virtual ~error() = default;
  [[nodiscard]] virtual const char* what() const noexcept = 0;

 protected:
  error() = default;
};

namespace detail {

class runtime_failure : public std::runtime_error, public error {
 public:
  using std::runtime_error::runtime_error;
  [[nodiscard]] const char* what() const noexcept override { return std::runtime_error::what(); }
};

}  // namespace detail

/// Shapes, axes or ranks that do not fit an operation.
class shape_error : public detail::runtime_failure {
 public:
  using runtime_failure::runtime_failure;
};

/// An index, slice or axis out of range.
class index_error : public detail::runtime_failure {
 public:
  using runtime_failure::runtime_failure;
};

/// An axis out of range, as NumPy's AxisError.
class axis_error : public index_error {
 public:
  using index_error::index_error;
};

/// An element type that an operation does not accept at run time, or a value that does not fit one.
class type_error : public detail::runtime_failure {
 public:
  using runtime_failure::runtime_failure;
};

/// A device that is missing, unusable, or mixed with another in one operation.
class device_error : public detail::runtime_failure {
 public:
  using runtime_failure::runtime_failure;
};

/// A failed CUDA runtime call; the message names the call, the error and the place.
class cuda_error : public device_error {
 public:
  using device_error::device_error;
};

/// A failed call of cuBLAS or another library.
class library_error : public detail::runtime_failure {
 public:
  using runtime_failure::runtime_failure;
};

/// A matrix that an algorithm of linear algebra cannot handle, as NumPy's LinAlgError.
class linalg_error : public detail::runtime_failure {
 public:
  using runtime_failure::runtime_failure;
};

/// A file that cannot be read or written, or whose contents are not what they claim.
class io_error : public detail::runtime_failure {
 public:
  using runtime_failure::runtime_failure;
};

namespace detail {

inline void append(std::string& text, const char* part) { text += part; }
inline void append(std::string& text, const std::string& part) { text += part; }
inline void append(std::string& text, char part) { text += part; }

template <class T>
  requires std::is_integral_v<T>
void append(std::string& text, T part) {
  text += std::to_string(part);
}

template <class T>
  requires std::is_floating_point_v<T>
void append(std::string& text, T part) {
  text += std::to_string(part);
}

/// Any type with `to_string()`: shapes, devices, dtypes.
template <class T>
  requires requires(const T& t) { t.to_string(); }
void append(std::string& text, const T& part) {
  text += part.to_string();
}

/// Joins strings, numbers, shapes and devices into one message.
template <class... Parts>
[[nodiscard]] std::string message(const Parts&... parts) {
  std::string text;
  (append(text, parts), ...);
  return text;
}

/// The one way in which the library raises an error: out of line, so that callers stay small.
template <class Error, class... Parts>
[[noreturn]] __attribute__((noinline, cold)) void raise(const Parts&... parts) {
  throw Error(message(parts...));
}

}  // namespace detail
}  // namespace gpu
