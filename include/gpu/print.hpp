/// @file
/// Arrays as text, as NumPy prints them: `std::cout << a`, `array2string`, `array_repr`, `array_str`; and their shapes,
/// dtypes and devices.
///
/// All of them wait for the device, from which only the elements that are shown are copied.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "array.hpp"
#include "core/format.hpp"
#include "core/python_text.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

namespace engine {

/// The elements of `s` at the corners that a summary shows, packed into an array of their own on the same device.
[[nodiscard]] inline detail::storage gather_corners(const detail::storage& s, std::int64_t itemsize,
                                                    const corner_ranges& corners) {
  detail::storage packed = detail::make_storage(corners.extents, itemsize, s.device());
  const int rank = s.where.rank();
  for (std::uint32_t which = 0; which < (1u << rank); ++which) {
    detail::storage from = s;
    detail::storage to = packed;
    index_vector extents;
    for (int i = 0; i < rank; ++i) {
      const auto leading = static_cast<std::int64_t>(corners.axes[i].leading);
      const auto trailing = static_cast<std::int64_t>(corners.axes[i].trailing);
      const bool end = (which >> i & 1u) != 0;
      extents.push_back(end ? trailing : leading);
      if (!end) continue;
      from.first += (s.where.extents[i] - trailing) * s.where.strides[i] * itemsize;
      to.first += leading * packed.where.strides[i] * itemsize;
    }
    from.where.extents = shape(extents);
    to.where.extents = shape(extents);
    if (from.where.extents.size() > 0) detail::copy_elements(to, from, itemsize);
  }
  return packed;
}

/// Calls `f` with what print needs of the array, in host memory.
template <class A, class F>
[[nodiscard]] std::string with_printed(const A& a, const print_options& given, const F& f) {
  using T = value_t<A>;
  static_assert(arithmetic<T>, "gpuarray: only arrays of numbers can be printed");
  constexpr std::int64_t itemsize = sizeof(T);
  const print_options options = detail::printing::complete(given);  // set_printoptions may be called meanwhile
  const detail::storage s = as_storage(a);
  const corner_ranges corners = printed_corners(s.where.extents, options);
  const detail::storage shown = corners.complete ? s : gather_corners(s, itemsize, corners);
  std::vector<char> elements(static_cast<std::size_t>(shown.where.extents.size() * itemsize));
  detail::read_elements(shown, itemsize, elements.data(), "printing an array");
  index_vector strides = contiguous_strides(shown.where.extents);
  for (int i = 0; i < strides.rank(); ++i) strides[i] *= itemsize;
  return f(summarized_ref({elements.data(), dtype_of<T>, shown.where.extents, strides}, s.where.extents), options);
}

}  // namespace engine

/// "[[1. 2.]\n [3. 4.]]", as NumPy's array2string. @throws type_error for an option that NumPy rejects.
template <array_like A>
[[nodiscard]] std::string array2string(const A& a, const print_options& options = {}) {
  return engine::with_printed(a, options,
                              [](const summarized_ref& r, const print_options& o) { return array2string(r, o); });
}
/// "array([[1., 2.],\n       [3., 4.]])", as NumPy's repr.
template <array_like A>
[[nodiscard]] std::string array_repr(const A& a, const print_options& options = {}) {
  return engine::with_printed(a, options,
                              [](const summarized_ref& r, const print_options& o) { return array_repr(r, o); });
}
/// What `print(a)` shows in Python.
template <array_like A>
[[nodiscard]] std::string array_str(const A& a, const print_options& options = {}) {
  return engine::with_printed(a, options,
                              [](const summarized_ref& r, const print_options& o) { return array_str(r, o); });
}

/// Prints as Python's `print(a)`.
template <class Traits, array_like A>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const A& a) {
  return out << array_str(a);
}

/// Prints as Python's tuple: "(200, 4)", "(3,)", "()".
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const shape& s) {
  return out << detail::python_tuple(s);
}
/// Prints the name: "float32".
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, dtype t) {
  return out << name(t);
}
/// Prints as `device::to_string()`: "host", "cuda:1".
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, const device& d) {
  return out << d.to_string();
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
