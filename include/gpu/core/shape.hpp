/// @file
/// `shape` and `index_vector`: up to `max_rank` integers held in place.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <type_traits>

#include "error.hpp"

namespace gpu {

/// The largest rank that an array may have.
inline constexpr int max_rank = 16;

/// An integer of any type but bool, so that `shape{n, 3}` accepts mixed types without narrowing warnings.
struct extent {
  std::int64_t value;

  template <std::integral I>
    requires(!std::same_as<I, bool>)
  constexpr extent(I v) : value(static_cast<std::int64_t>(v)) {
    if constexpr (std::is_unsigned_v<I> && sizeof(I) >= sizeof(std::int64_t)) {
      if (v > static_cast<I>(std::numeric_limits<std::int64_t>::max())) {
        detail::raise<shape_error>("the extent ", v, " is larger than the largest array");
      }
    }
  }
};

/// Up to `max_rank` integers in place: strides, axes, indices. Copies only as many as there are.
class index_vector {
 public:
  using value_type = std::int64_t;

  constexpr index_vector() noexcept : rank_(0) {}
  constexpr index_vector(std::initializer_list<extent> values) : rank_(0) {
    for (const extent& v : values) push_back(v.value);
  }
  /// `rank` equal values. @throws shape_error if `rank` exceeds `max_rank`.
  constexpr index_vector(int rank, std::int64_t value) : rank_(checked(rank)) {
    for (int i = 0; i < rank_; ++i) values_[i] = value;
  }
  /// From any range of integers, such as a `std::vector<int>`.
  template <class Range>
    requires requires(const Range& r) {
      requires !std::derived_from<Range, index_vector>;
      { *r.begin() } -> std::convertible_to<std::int64_t>;
      r.end();
    }
  explicit constexpr index_vector(const Range& range) : rank_(0) {
    for (const auto& v : range) push_back(extent(v).value);
  }

  constexpr index_vector(const index_vector& other) noexcept : rank_(other.rank_) {
    for (int i = 0; i < rank_; ++i) values_[i] = other.values_[i];
  }
  constexpr index_vector& operator=(const index_vector& other) noexcept {
    rank_ = other.rank_;
    for (int i = 0; i < rank_; ++i) values_[i] = other.values_[i];
    return *this;
  }

  [[nodiscard]] constexpr int rank() const noexcept { return rank_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return rank_ == 0; }
  [[nodiscard]] constexpr std::int64_t operator[](int axis) const noexcept { return values_[axis]; }
  [[nodiscard]] constexpr std::int64_t& operator[](int axis) noexcept { return values_[axis]; }
  [[nodiscard]] constexpr const std::int64_t* begin() const noexcept { return values_; }
  [[nodiscard]] constexpr const std::int64_t* end() const noexcept { return values_ + rank_; }
  [[nodiscard]] constexpr std::int64_t back() const noexcept { return values_[rank_ - 1]; }

  /// @throws shape_error if there are `max_rank` values already.
  constexpr void push_back(std::int64_t value) {
    checked(rank_ + 1);
    values_[rank_++] = value;
  }
  constexpr void insert(int position, std::int64_t value) {
    push_back(value);
    for (int i = rank_ - 1; i > position; --i) values_[i] = values_[i - 1];
    values_[position] = value;
  }
  constexpr void erase(int position) noexcept {
    for (int i = position; i + 1 < rank_; ++i) values_[i] = values_[i + 1];
    --rank_;
  }
  constexpr void clear() noexcept { rank_ = 0; }

  friend constexpr bool operator==(const index_vector& a, const index_vector& b) noexcept {
    if (a.rank_ != b.rank_) return false;
    for (int i = 0; i < a.rank_; ++i) {
      if (a.values_[i] != b.values_[i]) return false;
    }
    return true;
  }

  /// As NumPy prints a tuple: "(2,3)", "(2,)", "()".
  [[nodiscard, gnu::cold, gnu::noinline]] std::string to_string() const {
    std::string text = "(";
    for (int i = 0; i < rank_; ++i) {
      if (i > 0) text += ',';
      detail::message_part(values_[i]).append_to(text);
    }
    text += rank_ == 1 ? ",)" : ")";
    return text;
  }

 private:
  static constexpr int checked(int rank) {
    if (rank > max_rank) detail::raise<shape_error>("rank ", rank, " exceeds the largest rank, ", max_rank);
    return rank;
  }

  int rank_;
  std::int64_t values_[max_rank];  // NOLINT(modernize-avoid-c-arrays): only the first rank_ are initialised
};

/// The extents of an array. None is negative and their product fits 63 bits.
class shape : public index_vector {
 public:
  constexpr shape() noexcept = default;
  /// @throws shape_error for a negative extent, too many of them, or a product beyond 2^63 - 1.
  constexpr shape(std::initializer_list<extent> extents) : index_vector(extents) { check(); }
  constexpr shape(int rank, std::int64_t value) : index_vector(rank, value) { check(); }
  template <class Range>
    requires(!std::derived_from<Range, shape>) && std::constructible_from<index_vector, const Range&>
  explicit constexpr shape(const Range& range) : index_vector(range) {
    check();
  }

  /// The number of elements; 1 for rank 0.
  [[nodiscard]] constexpr std::int64_t size() const noexcept {
    std::int64_t n = 1;
    for (const std::int64_t d : *this) n *= d;
    return n;
  }

 private:
  constexpr void check() const {
    std::int64_t n = 1;
    bool zero = false;
    for (const std::int64_t d : *this) {
      if (d < 0) detail::raise<shape_error>("negative dimensions are not allowed: ", to_string());
      if (d == 0) zero = true;
    }
    if (zero) return;
    for (const std::int64_t d : *this) {
      if (__builtin_mul_overflow(n, d, &n)) detail::raise<shape_error>("array is too big: shape ", to_string());
    }
  }
};

/// `axis` as a non-negative axis of an array of rank `rank`.
/// @throws axis_error if it is out of range, which begins with the name of the operation, if there is one.
[[nodiscard]] constexpr int normalize_axis(std::int64_t axis, int rank, const char* operation = "") {
  if (axis < -rank || axis >= rank) {
    detail::raise<axis_error>(operation, *operation != '\0' ? ": " : "", "axis ", axis,
                              " is out of bounds for array of dimension ", rank);
  }
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

}  // namespace gpu
