/// @file
/// `keyword_only`, with which options structs begin, and values that may be absent.
#pragma once

#include <concepts>

#include "slice.hpp"
#include "types.hpp"

namespace gpu {

/// First member of every options struct: `sum(a, {.axis = 0})` compiles and `sum(a, {0, 1})`, which would silently mean
/// axis 0 and keepdims, does not.
struct keyword_only {
  explicit constexpr keyword_only() noexcept = default;
};

/// A value that may be left out: `{.initial = 5}`, `{.initial = gpu::none}`.
template <class T>
class optional_value {
 public:
  constexpr optional_value() noexcept = default;
  constexpr optional_value(none_t) noexcept {}
  template <class S>
    requires arithmetic<S>
  constexpr optional_value(const S& value) : value_(detail::cast<T>(value)), given_(true) {}

  [[nodiscard]] constexpr explicit operator bool() const noexcept { return given_; }
  [[nodiscard]] constexpr const T& operator*() const noexcept { return value_; }
  [[nodiscard]] constexpr T value_or(const T& other) const noexcept { return given_ ? value_ : other; }

 private:
  T value_{};
  bool given_ = false;
};

}  // namespace gpu
