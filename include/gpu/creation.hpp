/// @file
/// New arrays: from shapes and values, from ranges of numbers, from host memory; and back with `to_host`.
///
/// All are made on the current device (see `device_guard`), or with `_like` on the device of the prototype. None waits
/// for the device but `to_host`.
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

#include "array.hpp"
#include "core/keyword.hpp"
#include "engine/generate.hpp"
#include "engine/ops/complex_math.hpp"
#include "engine/ops/rounding.hpp"
#include "manipulation.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

/// An array with whatever the memory holds. @throws out_of_memory
template <element T>
[[nodiscard]] array<T> empty(const shape& shape) {
  return array<T>(detail::make_storage(shape, sizeof(T), current_device()));
}
/// An array of zeros. @throws out_of_memory
template <element T>
[[nodiscard]] array<T> zeros(const shape& shape) {
  return array<T>(detail::make_zeros(shape, sizeof(T), current_device()));
}
namespace engine {

/// Every element becomes `value`, converted as astype does; only an integer that does not fit is an error, as in NumPy.
template <class T, class V>
void fill(array<T>& a, const V& value) {
  check_weak<T>(value);
  a(ellipsis) = detail::cast<T>(value);
}

}  // namespace engine

/// An array of one value. The element type is that of the value, as NumPy reads Python's: int64, float64, bool; or `T`.
/// @throws out_of_memory; type_error for an integer that does not fit.
template <class T = void, scalar_like V>
[[nodiscard]] auto full(const shape& shape, const V& value) {
  using natural = std::conditional_t<integer<V>, std::int64_t, std::conditional_t<std::same_as<V, float>, double, V>>;
  using element_type = std::conditional_t<std::is_void_v<T>, natural, T>;
  array<element_type> result = empty<element_type>(shape);
  engine::fill(result, value);
  return result;
}
/// An array of ones. @throws out_of_memory
template <element T>
[[nodiscard]] array<T> ones(const shape& shape) {
  return full<T>(shape, 1);
}

namespace engine {

/// Memory for the prototype's shape on its device; its axes lie in memory in the same order (NumPy's order='K').
template <class T, class A>
[[nodiscard]] array<T> allocate_like(const A& prototype) {
  detail::storage s = detail::make_storage(prototype.shape(), sizeof(T), prototype.device());
  if constexpr (!is_computed<A>) s.where.strides = keep_order_strides(prototype.storage().where);
  return array<T>(std::move(s));
}

template <class T, class A>
using like_t = std::conditional_t<std::is_void_v<T>, value_t<A>, T>;

}  // namespace engine

/// `empty` with the shape, device and, unless given, the element type of another array. @throws out_of_memory
template <class T = void, array_like A>
[[nodiscard]] auto empty_like(const A& prototype) {
  return engine::allocate_like<engine::like_t<T, A>>(prototype);
}
/// `full` with the shape, device and element type of another array. @throws out_of_memory
template <class T = void, array_like A, scalar_like V>
[[nodiscard]] auto full_like(const A& prototype, const V& value) {
  auto result = engine::allocate_like<engine::like_t<T, A>>(prototype);
  engine::fill(result, value);
  return result;
}
/// `zeros` with the shape, device and element type of another array. @throws out_of_memory
template <class T = void, array_like A>
[[nodiscard]] auto zeros_like(const A& prototype) {
  return full_like<T>(prototype, false);
}
/// `ones` with the shape, device and element type of another array. @throws out_of_memory
template <class T = void, array_like A>
[[nodiscard]] auto ones_like(const A& prototype) {
  return full_like<T>(prototype, true);
}

/// Keyword arguments of `eye`.
struct eye_options {
  keyword_only _{};
  std::int64_t M = -1;  ///< columns; as many as rows by default
  std::int64_t k = 0;   ///< the diagonal that holds the ones: above the main one if positive
};

/// A matrix of `N` rows with ones on a diagonal and zeros elsewhere. @throws shape_error for a negative size.
template <element T = double>
[[nodiscard]] array<T> eye(std::int64_t N, const eye_options& options = {}) {
  array<T> result = zeros<T>(shape{N, options.M == -1 ? N : options.M});
  diagonal(result, {.offset = options.k}) = true;
  return result;
}
/// The identity matrix of `n` rows. @throws shape_error for a negative size.
template <element T = double>
[[nodiscard]] array<T> identity(std::int64_t n) {
  return eye<T>(n);
}

namespace engine {

/// `start + i * step` in the arithmetic in which NumPy fills a range of that type.
template <class T>
struct range_function {
  using working = std::conditional_t<narrow_float<T>, float, T>;
  working start;
  working step;

  [[gnu::always_inline]] constexpr T operator()(std::int64_t i) const noexcept {
    if constexpr (integer<T>) {
      using modulus = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<std::uint64_t>(static_cast<modulus>(start)) +
                            static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(static_cast<modulus>(step)));
    } else if constexpr (complex_number<T>) {
      using part = real_t<T>;
      return T(start.re + static_cast<part>(i) * step.re, start.im + static_cast<part>(i) * step.im);
    } else {
      return detail::cast<T>(start + static_cast<working>(i) * step);
    }
  }
};

/// `start + i * step` in double, with the last element exactly `stop` where the end belongs to the range.
template <class T>
struct linspace_function {
  double start;
  double stop;
  double step;
  double divisor;
  std::int64_t last;  ///< -1: the end point does not belong to the range

  [[gnu::always_inline]] constexpr T operator()(std::int64_t i) const noexcept {
    // As NumPy: a step that underflows to 0 is applied as a fraction of the whole distance.
    const double at = step != 0 ? static_cast<double>(i) * step : static_cast<double>(i) / divisor * (stop - start);
    const double value = i == last ? stop : at + start;
    if constexpr (integer<T>) {
      return detail::cast<T>(ops::floor{}(value));
    } else {
      return detail::cast<T>(value);
    }
  }
};

/// @throws shape_error for a negative number of samples
[[nodiscard]] inline linspace_function<double> make_linspace(double start, double stop, std::int64_t num,
                                                             bool endpoint) {
  if (num < 0) detail::raise<shape_error>("Number of samples, ", num, ", must be non-negative.");
  const std::int64_t divisions = endpoint ? num - 1 : num;
  const double divisor = static_cast<double>(divisions > 0 ? divisions : 1);
  return {start, stop, (stop - start) / divisor, divisor, endpoint && num > 1 ? num - 1 : -1};
}

template <class T, class... V>
using range_type =
    std::conditional_t<!std::is_void_v<T>, T, std::conditional_t<(integer<V> && ...), std::int64_t, double>>;

}  // namespace engine

/// The numbers from `start` to before `stop`, `step` apart; there are ceil((stop - start) / step) of them. int64 if all
/// arguments are integers, otherwise float64, or `T`. @throws shape_error for a step of 0 or a length that is not
/// finite.
template <class T = void, scalar_like Start, scalar_like Stop, scalar_like Step = int>
  requires(!complex_number<Start> && !complex_number<Stop> && !complex_number<Step>)
[[nodiscard]] auto arange(const Start& start, const Stop& stop, const Step& step = 1) {
  using element_type = engine::range_type<T, Start, Stop, Step>;
  using working = typename engine::range_function<element_type>::working;
  if (step == Step(0)) detail::raise<shape_error>("arange: the step is 0");
  std::int64_t length = 0;
  if constexpr (integer<Start> && integer<Stop> && integer<Step>) {
    const extent first(start), last(stop), by(step);
    const detail::slice_range r = {first.value, 0, by.value};
    const bool runs = by.value > 0 ? first.value < last.value : first.value > last.value;
    if (runs) {
      const auto distance = by.value > 0
                                ? static_cast<std::uint64_t>(last.value) - static_cast<std::uint64_t>(first.value)
                                : static_cast<std::uint64_t>(first.value) - static_cast<std::uint64_t>(last.value);
      const auto stride = r.step > 0 ? static_cast<std::uint64_t>(r.step) : 0 - static_cast<std::uint64_t>(r.step);
      length = extent((distance - 1) / stride + 1).value;
    }
  } else {
    const double distance = detail::cast<double>(stop) - detail::cast<double>(start);
    const double steps = distance / detail::cast<double>(step);
    if (std::isnan(steps)) {
      detail::raise<shape_error>("arange: cannot compute length from ", distance, " in steps of ", step);
    }
    if (!(std::abs(steps) < 9.2e18)) {
      detail::raise<shape_error>("arange: Maximum allowed size exceeded: ", distance, " in steps of ", step);
    }
    // As in NumPy, a quotient that is 0 only because it underflows is a part of a step.
    const bool underflow = steps == 0 && distance != 0;
    const double count = underflow ? (std::signbit(steps) ? 0 : 1) : std::ceil(steps);
    length = count > 0 ? static_cast<std::int64_t>(count) : 0;
  }
  // NumPy derives the step from the first two elements as they are stored.
  const auto stored = [](double v) { return detail::cast<working>(detail::cast<element_type>(v)); };
  engine::range_function<element_type> f{};
  if constexpr (integer<element_type> && integer<Start> && integer<Step>) {
    f = {detail::cast<working>(start), detail::cast<working>(step)};
  } else {
    f.start = stored(detail::cast<double>(start));
    if (length > 1) f.step = stored(detail::cast<double>(start) + detail::cast<double>(step)) - f.start;
  }
  return array<element_type>(engine::generate<element_type>(shape{length}, current_device(), f));
}
/// The numbers from 0 to before `stop`.
template <class T = void, scalar_like Stop>
  requires(!complex_number<Stop>)
[[nodiscard]] auto arange(const Stop& stop) {
  return arange<T>(Stop(0), stop, 1);
}

/// Keyword arguments of `linspace`.
struct linspace_options {
  keyword_only _{};
  std::int64_t num = 50;
  bool endpoint = true;  ///< whether `stop` is the last element
};

/// `num` evenly spaced numbers from `start` to `stop`, which is reached exactly. @throws shape_error for a negative
/// number.
template <element T = double>
[[nodiscard]] array<T> linspace(double start, double stop, const linspace_options& options = {}) {
  const auto [first, last, step, divisor, end] = engine::make_linspace(start, stop, options.num, options.endpoint);
  const engine::linspace_function<T> f{first, last, step, divisor, end};
  return array<T>(engine::generate<T>(shape{options.num}, current_device(), f));
}

/// Keyword arguments of `logspace`.
struct logspace_options {
  keyword_only _{};
  std::int64_t num = 50;
  bool endpoint = true;  ///< whether `base` to the power of `stop` is the last element
  double base = 10;
};

namespace engine {

/// `base` to the power of an evenly spaced exponent, times `sign`; the ends as they are given, unless they are NaN.
template <class T>
struct logspace_function {
  linspace_function<double> exponent;
  double base;
  double sign;
  double first;
  double end;

  [[gnu::always_inline]] constexpr T operator()(std::int64_t i) const noexcept {
    const double power = ops::math::pow(base, exponent(i));
    const double value = i == 0 && first == first ? first : i == exponent.last && end == end ? end : power;
    return detail::cast<T>(value * sign);
  }
};

}  // namespace engine

/// `num` numbers evenly spaced on a logarithmic scale, from `base` to the power of `start` to that of `stop`; computed
/// in double. @throws shape_error for a negative number.
template <element T = double>
[[nodiscard]] array<T> logspace(double start, double stop, const logspace_options& options = {}) {
  constexpr double computed = std::numeric_limits<double>::quiet_NaN();
  const auto exponent = engine::make_linspace(start, stop, options.num, options.endpoint);
  const engine::logspace_function<T> f{exponent, options.base, 1, computed, computed};
  return array<T>(engine::generate<T>(shape{options.num}, current_device(), f));
}

/// `num` numbers from `start` to `stop`, each a constant multiple of the one before; both may be negative. Computed in
/// double. @throws shape_error for a negative number, or if an end is 0.
template <element T = double>
[[nodiscard]] array<T> geomspace(double start, double stop, const linspace_options& options = {}) {
  if (start == 0 || stop == 0) {
    detail::raise<shape_error>("Geometric sequence cannot include zero: from ", start, " to ", stop);
  }
  const double sign = start < 0 ? -1 : 1;
  const auto exponent =
      engine::make_linspace(std::log10(start * sign), std::log10(stop * sign), options.num, options.endpoint);
  const engine::logspace_function<T> f{exponent, 10, sign, start * sign, stop * sign};
  return array<T>(engine::generate<T>(shape{options.num}, current_device(), f));
}

/// An array of host values, in C order: the memory may be changed or freed as soon as this returns.
/// @throws shape_error if their number is not the shape's.
template <element T>
[[nodiscard]] array<T> asarray(std::span<const T> values, const shape& shape) {
  if (shape.size() != static_cast<std::int64_t>(values.size())) {
    detail::raise<shape_error>("cannot reshape array of size ", values.size(), " into shape ", shape);
  }
  return array<T>(detail::upload(values.data(), shape, sizeof(T), current_device()));
}
/// A one-dimensional array of the elements of a host container: a vector, span, std::array, C array or any other range.
template <std::ranges::input_range Range>
  requires element<std::ranges::range_value_t<Range>> && (!array_like<Range>)
[[nodiscard]] auto asarray(const Range& values) {
  using T = std::ranges::range_value_t<Range>;
  if constexpr (std::ranges::contiguous_range<Range>) {
    const std::span<const T> span(std::ranges::data(values), static_cast<std::size_t>(std::ranges::size(values)));
    return asarray(span, shape{span.size()});
  } else {
    const stream_guard inline_stream(stream::default_stream(device::host()));
    std::int64_t n = 0;
    for ([[maybe_unused]] const auto& v : values) ++n;
    detail::storage host = detail::make_storage(shape{n}, sizeof(T), device::host());
    T* out = reinterpret_cast<T*>(host.first);
    for (const auto& v : values) *out++ = static_cast<T>(v);
    return asarray(std::span<const T>(out - n, static_cast<std::size_t>(n)), shape{n});
  }
}
/// The array itself, as a view: nothing is copied.
template <array_like A>
[[nodiscard]] auto asarray(A&& a) {
  return engine::as_view(std::forward<A>(a));
}
/// The elements as a C-contiguous view: of the array itself if it is, otherwise of a copy. Of rank 0, as a vector of
/// one.
template <array_like A>
[[nodiscard]] auto ascontiguousarray(A&& a) {
  const auto v = atleast_1d(std::forward<A>(a));
  return decltype(engine::as_view(std::forward<A>(a)))(detail::dense(v.storage(), v.itemsize()));
}
/// The elements as a view whose first axis runs fastest: of the array itself if it is so, otherwise of a copy. Of rank
/// 0, as a vector of one.
template <array_like A>
[[nodiscard]] auto asfortranarray(A&& a) {
  const auto v = atleast_1d(std::forward<A>(a));
  if (is_contiguous(v.storage().where, order::F)) return v;
  return transpose(
      decltype(engine::as_view(std::forward<A>(a)))(detail::clone_in_c_order(transpose(v).storage(), v.itemsize())));
}
/// A new array with the same elements in C order.
template <array_like A>
[[nodiscard]] array<value_t<A>> copy(const A& a) {
  if constexpr (engine::is_computed<A>) {
    return a;
  } else {
    return array<value_t<A>>(detail::clone_in_c_order(a.storage(), sizeof(value_t<A>)));
  }
}

/// The elements in C order in host memory. Waits for the device. @throws shape_error if `out` has another size.
template <array_like A>
void to_host(const A& a, std::span<value_t<A>> out) {
  if (static_cast<std::int64_t>(out.size()) != a.size()) {
    detail::raise<shape_error>("to_host: ", a.size(), " elements do not fit a span of ", out.size());
  }
  detail::read_elements(engine::as_storage(a), sizeof(value_t<A>), out.data(), "to_host");
}
/// The elements in C order as a vector. Waits for the device.
template <array_like A>
[[nodiscard]] std::vector<value_t<A>> to_host(const A& a) {
  using T = value_t<A>;
  if (a.size() > PTRDIFF_MAX / static_cast<std::int64_t>(sizeof(T))) {
    detail::raise<shape_error>("to_host: array is too big: shape ", a.shape());
  }
  std::vector<T> result(static_cast<std::size_t>(a.size()));
  if constexpr (std::is_same_v<T, bool>) {
    std::vector<std::uint8_t> bytes(result.size());
    detail::read_elements(engine::as_storage(a), 1, bytes.data(), "to_host");
    for (std::size_t i = 0; i < bytes.size(); ++i) result[i] = bytes[i] != 0;
  } else {
    to_host(a, std::span<T>(result));
  }
  return result;
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
