/// @file
/// Arrays in host memory as text, character for character as NumPy 2 prints them.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "dtype.hpp"
#include "error.hpp"
#include "format_array.hpp"
#include "format_float.hpp"
#include "keyword.hpp"
#include "python_text.hpp"
#include "shape.hpp"
#include "strided.hpp"

namespace gpu {

/// NumPy's printing options. One that is not given is the process's (`set_printoptions`), at first NumPy's default.
struct print_options {
  keyword_only _{};
  std::optional<int> precision = {};           ///< Digits after the point (8); `floatmode` says how strictly.
  std::optional<std::int64_t> threshold = {};  ///< Arrays of more elements are shortened with "..." (1000).
  std::optional<std::int64_t> edgeitems = {};  ///< Items kept at each end of a shortened axis (3).
  std::optional<std::int64_t> linewidth = {};  ///< Characters in a line (75).
  std::optional<bool> suppress = {};           ///< Print small floats as 0 rather than with exponents (false).
  std::optional<std::string> nanstr = {};      ///< "nan"
  std::optional<std::string> infstr = {};      ///< "inf"
  std::optional<char> sign = {};               ///< '-': only of negative numbers; '+': always; ' ': a space for '+'.
  std::optional<std::string> floatmode = {};   ///< "fixed", "unique", "maxprec" (the default) or "maxprec_equal".

  std::optional<std::string> separator = {};  ///< Between elements (" "). For one call only, as the next two.
  std::optional<std::string> prefix = {};     ///< What the caller prints before: its width indents later lines.
  std::optional<std::string> suffix = {};     ///< What the caller prints behind: lines are shorter by its width.
};

/// The corners of an array that print shows, when they are all that is in host memory.
struct summarized_ref {
  const_strided_ref corners;  ///< Of each axis what `printed_corners` names, the trailing elements next to the leading.
  shape extents;              ///< The shape of the whole array.

  explicit summarized_ref(const const_strided_ref& of_corners, const shape& of_array)
      : corners(of_corners), extents(of_array) {}
};

/// For each axis, how many elements print reads at its start and at its end. Copy these from a device, and no others.
struct corner_ranges {
  detail::printing::printed_axis axes[max_rank];  // NOLINT(modernize-avoid-c-arrays)
  shape extents;                                  ///< Of the corners put together: `leading + trailing` for each axis.
  bool complete;                                  ///< The corners are the whole array.
};

/// What `array2string`, `array_repr` and `array_str` read of an array of that shape.
[[nodiscard]] corner_ranges printed_corners(const shape& extents, const print_options& options = {});

/// An array as text: "[[1. 2.]\n [3. 4.]]". Reads host memory, and only what it prints.
/// @throws type_error for `dtype::other`, and for an option that NumPy rejects.
[[nodiscard]] std::string array2string(const const_strided_ref& array, const print_options& options = {});
[[nodiscard]] std::string array2string(const summarized_ref& array, const print_options& options = {});

/// An array as `repr` writes it: "array([1, 2], dtype=int32)". Separator, prefix and suffix are its own.
[[nodiscard]] std::string array_repr(const const_strided_ref& array, const print_options& options = {});
[[nodiscard]] std::string array_repr(const summarized_ref& array, const print_options& options = {});

/// An array as `print` writes it: like `array2string`, but rank 0 is a bare scalar of all its digits.
[[nodiscard]] std::string array_str(const const_strided_ref& array, const print_options& options = {});
[[nodiscard]] std::string array_str(const summarized_ref& array, const print_options& options = {});

/// The process's options, each of them set but `separator`, `prefix` and `suffix`. Any thread may call it.
[[nodiscard]] print_options get_printoptions();

/// Changes those of the process's options that are given. Any thread may call it.
/// @throws type_error for an option that NumPy rejects, and for `separator`, `prefix` and `suffix`, which belong to one
/// call.
void set_printoptions(const print_options& options);

namespace detail::printing {

struct process_state {
  std::mutex mutex;
  settings options;
};

/// One for the process, whatever the visibility of the shared objects; never destroyed, so that exit may print.
[[gnu::visibility("default")]] inline process_state& process() {
  static auto* state = new process_state;
  return *state;
}

template <class T>
void set_if_given(T& target, const std::optional<T>& option) {
  if (option) target = *option;
}

/// `base` with the options that are given, checked.
[[nodiscard]] inline settings resolve(settings base, const print_options& given) {
  set_if_given(base.precision, given.precision);
  set_if_given(base.threshold, given.threshold);
  set_if_given(base.edgeitems, given.edgeitems);
  set_if_given(base.linewidth, given.linewidth);
  set_if_given(base.suppress, given.suppress);
  set_if_given(base.nanstr, given.nanstr);
  set_if_given(base.infstr, given.infstr);
  set_if_given(base.sign, given.sign);
  set_if_given(base.floatmode, given.floatmode);
  set_if_given(base.separator, given.separator);
  set_if_given(base.prefix, given.prefix);
  set_if_given(base.suffix, given.suffix);
  if (base.precision < 0) raise<type_error>("precision must be >= 0, not ", base.precision);
  if (base.edgeitems < 0) raise<type_error>("edgeitems must be >= 0, not ", base.edgeitems);
  if (base.sign != '-' && base.sign != '+' && base.sign != ' ') {
    raise<type_error>("sign option must be one of ' ', '+', or '-', not '", base.sign, "'");
  }
  const std::string& mode = base.floatmode;
  if (mode != "fixed" && mode != "unique" && mode != "maxprec" && mode != "maxprec_equal") {
    raise<type_error>("floatmode option must be one of \"fixed\", \"unique\", \"maxprec\", \"maxprec_equal\", not \"",
                      mode, "\"");
  }
  return base;
}

[[nodiscard]] inline settings resolve(const print_options& given) {
  std::unique_lock lock(process().mutex);
  settings base = process().options;
  lock.unlock();
  return resolve(std::move(base), given);
}

/// Options with the process's in place of those not given: the same for several calls, whatever other threads set.
[[nodiscard]] inline print_options complete(print_options given) {
  const settings all = resolve(given);
  given.precision = all.precision;
  given.threshold = all.threshold;
  given.edgeitems = all.edgeitems;
  given.linewidth = all.linewidth;
  given.suppress = all.suppress;
  given.nanstr = all.nanstr;
  given.infstr = all.infstr;
  given.sign = all.sign;
  given.floatmode = all.floatmode;
  return given;
}

[[nodiscard]] inline corner_ranges corners_of(const shape& extents, const settings& options) {
  corner_ranges result{{}, {}, true};
  const bool summarized = extents.size() > options.threshold;
  for (int axis = 0; axis < extents.rank(); ++axis) {
    const std::int64_t extent = extents[axis];
    const std::int64_t edge = options.edgeitems;
    // NumPy aligns all elements where edgeitems is 0, so it reads them.
    const bool shortened = summarized && edge > 0 && edge < extent - edge;
    result.axes[axis] = shortened ? printed_axis{edge, edge} : printed_axis{extent, 0};
    result.extents.push_back(shortened ? 2 * edge : extent);
    if (shortened) result.complete = false;
  }
  return result;
}

/// How to reach the printed elements; `in_memory` is the shape of what `array` refers to.
[[nodiscard]] inline printed_array printed(const const_strided_ref& array, const shape& extents,
                                           const settings& options) {
  if (array.type == dtype::other) raise<type_error>("cannot print an array whose dtype is not one of the library's");
  const corner_ranges corners = corners_of(extents, options);
  printed_array result{static_cast<const std::byte*>(array.data),
                       array.type,
                       extents,
                       extents.size() > options.threshold,
                       array.strides,
                       {},
                       {}};
  const bool whole = array.extents == extents;
  if (!whole && !(array.extents == corners.extents)) {
    raise<shape_error>("printing an array of shape ", extents, " takes corners of shape ", corners.extents, ", not ",
                       array.extents);
  }
  for (int axis = 0; axis < extents.rank(); ++axis) {
    result.axes[axis] = corners.axes[axis];
    result.gaps.push_back(whole ? (extents[axis] - corners.extents[axis]) * array.strides[axis] : 0);
  }
  return result;
}

[[nodiscard]] inline std::string array2string(const summarized_ref& array, const settings& options) {
  const printed_array source = printed(array.corners, array.extents, options);
  if (array.extents.size() == 0) return "[]";
  return array_text(source, options)();
}

/// Python's name for the dtype where the printed elements do not imply it.
[[nodiscard]] inline bool is_implied(dtype type) {
  return type == dtype::bool_ || type == dtype::int64 || type == dtype::float64 || type == dtype::complex128;
}

}  // namespace detail::printing

inline corner_ranges printed_corners(const shape& extents, const print_options& options) {
  return detail::printing::corners_of(extents, detail::printing::resolve(options));
}

inline std::string array2string(const summarized_ref& array, const print_options& options) {
  return detail::printing::array2string(array, detail::printing::resolve(options));
}

inline std::string array2string(const const_strided_ref& array, const print_options& options) {
  return array2string(summarized_ref{array, array.extents}, options);
}

inline std::string array_str(const summarized_ref& array, const print_options& options) {
  detail::printing::settings resolved = detail::printing::resolve(options);
  if (array.extents.rank() == 0) {
    return detail::printing::scalar_text(detail::printing::printed(array.corners, array.extents, resolved).data,
                                         array.corners.type);
  }
  resolved.separator = " ";
  resolved.prefix.clear();
  resolved.suffix.clear();
  return detail::printing::array2string(array, resolved);
}

inline std::string array_str(const const_strided_ref& array, const print_options& options) {
  return array_str(summarized_ref{array, array.extents}, options);
}

inline std::string array_repr(const summarized_ref& array, const print_options& options) {
  detail::printing::settings resolved = detail::printing::resolve(options);
  resolved.separator = ", ";
  resolved.prefix = "array(";
  resolved.suffix = ")";
  std::string text = resolved.prefix + detail::printing::array2string(array, resolved);
  const std::int64_t size = array.extents.size();
  std::string extras;
  if ((size == 0 && !(array.extents == shape{0})) || size > resolved.threshold) {
    extras = "shape=" + detail::python_tuple(array.extents);
  }
  if (size == 0 || !detail::printing::is_implied(array.corners.type)) {
    extras += extras.empty() ? "dtype=" : ", dtype=";
    extras += name(array.corners.type);
  }
  if (extras.empty()) return text + ")";
  text += ",";
  extras += ")";
  const std::size_t line_start = text.rfind('\n') + 1;  // 0 where there is one line
  const std::int64_t line =
      detail::printing::width_of(text.substr(line_start)) + detail::printing::width_of(extras) + 1;
  return text + (line > resolved.linewidth ? "\n      " : " ") + extras;
}

inline std::string array_repr(const const_strided_ref& array, const print_options& options) {
  return array_repr(summarized_ref{array, array.extents}, options);
}

inline print_options get_printoptions() { return detail::printing::complete({}); }

inline void set_printoptions(const print_options& options) {
  if (options.separator || options.prefix || options.suffix) {
    detail::raise<type_error>("separator, prefix and suffix belong to one call; set_printoptions() does not take them");
  }
  const std::lock_guard lock(detail::printing::process().mutex);
  detail::printing::process().options = detail::printing::resolve(detail::printing::process().options, options);
}

}  // namespace gpu
