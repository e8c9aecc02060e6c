/// @file
/// Errors of the runtime, raised so that a call site costs a few instructions: every unit compiles all of the runtime.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

#include "../core/error.hpp"

namespace gpu::detail {

/// As printf writes it.
[[nodiscard, gnu::noinline, gnu::cold, gnu::format(printf, 1, 2)]] inline std::string format_text(const char* format,
                                                                                                  ...) {
  char text[1024];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

[[noreturn, gnu::noinline, gnu::cold, gnu::format(printf, 1, 2)]] inline void raise_device_error(const char* format,
                                                                                                 ...) {
  char text[1024];
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  throw device_error(text);
}

}  // namespace gpu::detail
