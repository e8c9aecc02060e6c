/// @file
/// `nested<T>`: what stands between the braces of `array<T>{{1, 2}, {3, 4}}`.
#pragma once

#include <cstdint>
#include <initializer_list>

#include "promotion.hpp"
#include "shape.hpp"
#include "types.hpp"

namespace gpu::detail {

/// A value or a list of these. Lives as long as the full expression that its braces appear in.
template <class T>
class nested {
 public:
  /// Empty braces: a list of nothing. Said outright, since nvcc makes them a list of one such list.
  nested() noexcept : is_list_(true) {}
  /// A number that NumPy's same_kind rule lets into `T`. @throws type_error for an integer that does not fit.
  template <class S>
    requires arithmetic<T> && arithmetic<S> && (same_kind_castable<S, T> || (integer<S> && integer<T>))
  nested(const S& value) : value_(cast<T>(value)) {
    check_weak<T>(value);
  }
  /// Of a type of the user's there are no conversions.
  nested(const T& value)
    requires(!arithmetic<T>)
      : value_(value) {}
  nested(std::initializer_list<nested> list) : list_(list), is_list_(true) {}

  [[nodiscard]] bool is_list() const noexcept { return is_list_; }
  [[nodiscard]] const T& value() const noexcept { return value_; }
  [[nodiscard]] std::initializer_list<nested> list() const noexcept { return list_; }

 private:
  T value_{};
  std::initializer_list<nested> list_;
  bool is_list_ = false;
};

/// The shape of a nest, taken from the first entry at each depth.
template <class T>
[[nodiscard]] shape nested_shape(std::initializer_list<nested<T>> values) {
  index_vector extents;
  std::initializer_list<nested<T>> level = values;
  while (true) {
    extents.push_back(static_cast<std::int64_t>(level.size()));
    if (level.size() == 0 || !level.begin()->is_list()) return shape(extents);
    const std::initializer_list<nested<T>> next = level.begin()->list();
    level = next;
  }
}

/// Writes the values in C order. @throws shape_error where the nest is ragged.
template <class T>
void flatten_nested(std::initializer_list<nested<T>> values, const shape& extents, int depth, T*& out) {
  const bool leaf = depth + 1 == extents.rank();
  bool ragged = static_cast<std::int64_t>(values.size()) != extents[depth];
  for (const nested<T>& entry : values) ragged |= entry.is_list() == leaf;
  if (ragged) {
    raise<shape_error>(
        "setting an array element with a sequence. The requested array has an inhomogeneous shape after ", depth,
        " dimensions.");
  }
  for (const nested<T>& entry : values) {
    if (leaf) {
      *out++ = entry.value();
    } else {
      flatten_nested(entry.list(), extents, depth + 1, out);
    }
  }
}

}  // namespace gpu::detail
