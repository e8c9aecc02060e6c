/// @file
/// The exceptions that the library throws, and how messages are built.
#pragma once

#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

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

/// One piece of a message without its type, so that raising an error costs its caller a few instructions.
class message_part {
 public:
  message_part(const char* text) noexcept : kind_(kind::text), text_(text) {}
  message_part(const std::string& text) noexcept : kind_(kind::text), text_(text.c_str()) {}
  message_part(char character) noexcept : kind_(kind::character), integer_(character) {}
  template <class T>
    requires std::is_integral_v<T>
  message_part(T number) noexcept
      : kind_(std::is_signed_v<T> ? kind::integer : kind::natural), integer_(static_cast<long long>(number)) {}
  template <class T>
    requires std::is_floating_point_v<T>
  message_part(T number) noexcept : kind_(kind::real), real_(static_cast<double>(number)) {}
  /// Any type with `to_string()`: shapes, devices, dtypes.
  template <class T>
    requires requires(const T& object) { object.to_string(); }
  message_part(const T& object) noexcept
      : kind_(kind::object),
        object_(&object),
        write_([](const void* what) -> std::string { return static_cast<const T*>(what)->to_string(); }) {}

  [[gnu::cold, gnu::noinline]] void append_to(std::string& text) const {
    char digits[400];
    switch (kind_) {
      case kind::text: text += text_; return;
      case kind::character: text += static_cast<char>(integer_); return;
      case kind::integer: std::snprintf(digits, sizeof digits, "%lld", integer_); break;
      case kind::natural:
        std::snprintf(digits, sizeof digits, "%llu", static_cast<unsigned long long>(integer_));
        break;
      case kind::real: std::snprintf(digits, sizeof digits, "%f", real_); break;
      case kind::object: text += write_(object_); return;
    }
    text += digits;
  }

 private:
  enum class kind : unsigned char { text, character, integer, natural, real, object };

  kind kind_;
  union {
    const char* text_;
    long long integer_;
    double real_;
    const void* object_;
  };
  std::string (*write_)(const void*) = nullptr;
};

[[nodiscard, gnu::cold, gnu::noinline]] inline std::string join_parts(const message_part* parts, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) parts[i].append_to(text);
  return text;
}

/// Joins strings, numbers, shapes and devices into one message.
template <class... Parts>
[[nodiscard]] std::string message(const Parts&... parts) {
  const message_part list[] = {parts...};
  return join_parts(list, sizeof...(Parts));
}

template <class Error>
[[noreturn, gnu::cold, gnu::noinline]] void raise_joined(const message_part* parts, int count) {
  throw Error(join_parts(parts, count));
}

/// The one way in which the library raises an error: out of line, so that callers stay small.
template <class Error, class... Parts>
[[noreturn, gnu::cold, gnu::noinline]] void raise(const Parts&... parts) {
  const message_part list[] = {parts...};
  raise_joined<Error>(list, sizeof...(Parts));
}

}  // namespace detail
}  // namespace gpu
