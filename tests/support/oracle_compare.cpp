/// @file
/// The comparison behind tests/support/oracle_compare.hpp.
#include "oracle_compare.hpp"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "gpu/core/types.hpp"

namespace oracle {
namespace {

using gpu::const_strided_ref;
using gpu::dtype;

/// One component of an element as a double, with its distance measure.
struct number {
  double value = 0;        // of a floating type
  std::uint64_t bits = 0;  // of any other
  std::int64_t order = 0;  // neighbours of a floating type are one apart
};

template <class Bits>
std::int64_t order_of(Bits bits) {
  using signed_bits = std::make_signed_t<Bits>;
  const auto value = static_cast<signed_bits>(bits);
  return value >= 0 ? value : std::int64_t{std::numeric_limits<signed_bits>::min()} - value;
}

template <class T, class Bits>
number read_floating(const void* at) {
  Bits bits;
  std::memcpy(&bits, at, sizeof bits);
  T element;
  std::memcpy(&element, at, sizeof element);
  return {static_cast<double>(element), bits, order_of(bits)};
}

dtype part_type(dtype t) {
  return t == dtype::complex64 ? dtype::float32 : t == dtype::complex128 ? dtype::float64 : t;
}
bool is_floating(dtype t) { return t >= dtype::float16; }

number read_part(dtype part, const void* at) {
  switch (part) {
    case dtype::float16: return read_floating<gpu::half, std::uint16_t>(at);
    case dtype::bfloat16: return read_floating<gpu::bfloat16, std::uint16_t>(at);
    case dtype::float32: return read_floating<float, std::uint32_t>(at);
    case dtype::float64: return read_floating<double, std::uint64_t>(at);
    default: break;
  }
  number n;
  std::memcpy(&n.bits, at, gpu::itemsize(part));
  return n;
}

double epsilon(dtype part) {
  switch (part) {
    case dtype::float16: return 0x1p-10;
    case dtype::bfloat16: return 0x1p-7;
    case dtype::float32: return 0x1p-23;
    default: return 0x1p-52;
  }
}

double smallest(dtype part) {
  switch (part) {
    case dtype::float16: return 0x1p-24;
    case dtype::bfloat16: return 0x1p-133;
    case dtype::float32: return 0x1p-149;
    default: return 0x1p-1074;
  }
}

/// What an element of the expected result allows.
struct allowance {
  tolerance::kind what;
  double amount;
};

double unpack_bound(std::int16_t packed) {
  if (packed == -32768) return 0;
  if (packed == 32767) return std::numeric_limits<double>::infinity();
  if (packed == 32766) return std::numeric_limits<double>::quiet_NaN();
  if (packed == 32765) return -std::numeric_limits<double>::infinity();
  return std::exp2(packed / 8.0);
}

/// How many values of the type lie between two.
std::uint64_t distance(const number& a, const number& b) {
  const auto x = static_cast<std::uint64_t>(a.order), y = static_cast<std::uint64_t>(b.order);
  return a.order > b.order ? x - y : y - x;
}

bool same(const number& got, const number& want) {
  return got.value == want.value && std::signbit(got.value) == std::signbit(want.value);
}

bool close(const number& got, const number& want, const allowance& a) {
  if (a.what == tolerance::kind::bounds && std::isnan(a.amount)) return true;
  if (std::isnan(got.value) || std::isnan(want.value)) return std::isnan(got.value) && std::isnan(want.value);
  if (same(got, want)) return true;
  switch (a.what) {
    case tolerance::kind::exact: return false;
    case tolerance::kind::ulp:
      return static_cast<double>(distance(got, want)) <= a.amount && !(got.value == 0 && want.value == 0);
    default: break;
  }
  if (std::isinf(got.value) || std::isinf(want.value)) return false;
  return std::abs(got.value - want.value) <= a.amount;
}

std::string text_of(dtype type, const number* parts) {
  char buffer[96];
  if (!is_floating(type)) {
    const auto bits = parts[0].bits;
    if (type >= dtype::uint8 || type == dtype::bool_) return std::to_string(bits);
    const unsigned unused = 64 - 8 * static_cast<unsigned>(gpu::itemsize(type));
    return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
  }
  std::snprintf(buffer, sizeof buffer, part_type(type) == dtype::float64 ? "%.17g" : "%.9g", parts[0].value);
  std::string text = buffer;
  if (part_type(type) != type) {
    std::snprintf(buffer, sizeof buffer, type == dtype::complex128 ? "%+.17gj" : "%+.9gj", parts[1].value);
    text += buffer;
  }
  return text;
}

const char* at(const const_strided_ref& a, const gpu::index_vector& index) {
  const char* p = static_cast<const char*>(a.data);
  for (int i = 0; i < index.rank(); ++i) p += index[i] * a.strides[i];
  return p;
}

bool advance(gpu::index_vector& index, const gpu::shape& extents) {
  for (int i = extents.rank() - 1; i >= 0; --i) {
    if (++index[i] < extents[i]) return true;
    index[i] = 0;
  }
  return false;
}

/// Compares one element; empty, or "got ..., expected ...".
std::string compare_element(dtype type, const void* got_at, const void* want_at, allowance allowed) {
  const dtype part = part_type(type);
  const int parts = part == type ? 1 : 2;
  number got[2], want[2];
  for (int i = 0; i < parts; ++i) {
    const std::size_t offset = static_cast<std::size_t>(i) * gpu::itemsize(part);
    got[i] = read_part(part, static_cast<const char*>(got_at) + offset);
    want[i] = read_part(part, static_cast<const char*>(want_at) + offset);
  }
  bool good = true;
  if (!is_floating(type)) {
    good = got[0].bits == want[0].bits;
  } else {
    if (allowed.what == tolerance::kind::magnitude) {
      const double size = std::hypot(want[0].value, want[1].value);
      const double n = allowed.amount;
      allowed = {tolerance::kind::bounds, std::isfinite(size) ? n * (epsilon(part) * size + smallest(part)) : 0.0};
    }
    if (allowed.what == tolerance::kind::bounds && std::isinf(allowed.amount) && allowed.amount < 0) {
      good = !std::isfinite(got[0].value) || !std::isfinite(got[1].value);  // a complex number that is not finite
    } else {
      for (int i = 0; i < parts; ++i) good = good && close(got[i], want[i], allowed);
    }
  }
  if (good) return {};
  std::string text = "got " + text_of(type, got) + ", expected " + text_of(type, want);
  if (allowed.what == tolerance::kind::bounds) {
    char buffer[64];
    std::snprintf(buffer, sizeof buffer, " within %.3g", allowed.amount);
    text += buffer;
  } else if (is_floating(type) && std::isfinite(got[0].value) && std::isfinite(want[0].value)) {
    text += " (" + std::to_string(distance(got[0], want[0])) + " ulp, " +
            std::to_string(static_cast<int>(allowed.amount)) + " allowed)";
  }
  return text;
}

const_strided_ref contiguous(const pool_array& a) {
  const_strided_ref r{a.data(), a.type, gpu::shape(a.extents), {}};
  r.strides = gpu::index_vector(r.extents.rank(), 0);
  auto stride = static_cast<std::int64_t>(gpu::itemsize(a.type));
  for (int i = r.extents.rank() - 1; i >= 0; --i) {
    r.strides[i] = stride;
    stride *= r.extents[i];
  }
  return r;
}

std::int64_t clip(std::int64_t bound, std::int64_t extent, std::int64_t low, std::int64_t high) {
  if (bound < 0) bound += extent;
  return bound < low ? low : bound > high ? high : bound;
}

void take_slice(const_strided_ref& out, const const_strided_ref& a, int axis, const index_entry& e,
                std::int64_t& offset) {
  const std::int64_t extent = a.extents[axis];
  const std::int64_t step = e.has_step ? e.step : 1;
  const std::int64_t low = step < 0 ? -1 : 0;
  const std::int64_t high = step < 0 ? extent - 1 : extent;
  const std::int64_t start = e.has_start ? clip(e.start, extent, low, high) : step < 0 ? high : low;
  const std::int64_t stop = e.has_stop ? clip(e.stop, extent, low, high) : step < 0 ? low : high;
  std::int64_t count = 0;
  for (std::int64_t i = start; step < 0 ? i > stop : i < stop; i += step) {
    ++count;
    if (step > extent || step < -extent) break;
  }
  offset += count > 0 ? start * a.strides[axis] : 0;
  out.extents.push_back(count);
  out.strides.push_back(count > 1 ? step * a.strides[axis] : 0);
}

const_strided_ref take_index(const const_strided_ref& a, const std::vector<index_entry>& entries) {
  int used = 0;
  for (const index_entry& e : entries)
    used += e.what == index_entry::kind::integer || e.what == index_entry::kind::slice;
  const_strided_ref out{a.data, a.type, {}, {}};
  std::int64_t offset = 0;
  int axis = 0;
  const auto keep = [&](int count) {
    for (; count > 0; --count, ++axis) {
      out.extents.push_back(a.extents[axis]);
      out.strides.push_back(a.strides[axis]);
    }
  };
  for (const index_entry& e : entries) {
    if (e.what == index_entry::kind::ellipsis) {
      keep(a.extents.rank() - used);
    } else if (e.what == index_entry::kind::newaxis) {
      out.extents.push_back(1);
      out.strides.push_back(0);
    } else if (e.what == index_entry::kind::integer) {
      offset += (e.integer < 0 ? e.integer + a.extents[axis] : e.integer) * a.strides[axis];
      ++axis;
    } else {
      take_slice(out, a, axis, e, offset);
      ++axis;
    }
  }
  keep(a.extents.rank() - axis);
  out.data = static_cast<const char*>(a.data) + offset;
  return out;
}

const_strided_ref take_step(const const_strided_ref& a, const step& s) {
  if (s.what == step::kind::index) return take_index(a, s.entries);
  const_strided_ref out{a.data, a.type, {}, {}};
  if (s.what == step::kind::transpose) {
    for (const std::int64_t axis : s.numbers) {
      const int from = static_cast<int>(axis < 0 ? axis + a.extents.rank() : axis);
      out.extents.push_back(a.extents[from]);
      out.strides.push_back(a.strides[from]);
    }
  } else if (s.what == step::kind::broadcast) {
    out.extents = gpu::shape(s.numbers);
    const int added = out.extents.rank() - a.extents.rank();
    for (int i = 0; i < out.extents.rank(); ++i) {
      out.strides.push_back(i < added || a.extents[i - added] == 1 ? 0 : a.strides[i - added]);
    }
  } else {  // generated expectations reshape pool arrays only, which are contiguous
    pool_array whole;
    whole.type = a.type;
    whole.extents = s.numbers;
    out = contiguous(whole);
    out.data = a.data;
  }
  return out;
}

}  // namespace

const_strided_ref apply(const recipe& steps, const pool_array& array) {
  const_strided_ref view = contiguous(array);
  for (const step& s : steps) view = take_step(view, s);
  return view;
}

const_strided_ref expected(const fixture& f, const test_case& c, std::size_t result_index, std::size_t variant_index) {
  const result& r = c.results.at(result_index);
  return apply(
      r.recipes.empty() ? recipe{} : f.recipes[r.recipes.size() == 1 ? r.recipes[0] : r.recipes.at(variant_index)],
      f.arrays[r.array]);
}

std::string compare(const const_strided_ref& actual, const fixture& f, const test_case& c, std::size_t result_index,
                    std::size_t variant_index) {
  const const_strided_ref want = expected(f, c, result_index, variant_index);
  if (actual.type != want.type)
    return std::string("dtype is ") + gpu::name(actual.type) + ", expected " + gpu::name(want.type);
  if (!(actual.extents == want.extents))
    return "shape is " + actual.extents.to_string() + ", expected " + want.extents.to_string();
  const result& r = c.results[result_index];
  const bool bounded = r.tolerance.what == tolerance::kind::bounds;
  const_strided_ref bounds = want;
  if (bounded) {
    const pool_array& packed = f.arrays[r.tolerance.bounds];
    if (packed.extents.empty()) {
      bounds = {packed.data(), packed.type, want.extents, gpu::index_vector(want.extents.rank(), 0)};
    } else {
      const std::size_t recipe_index = r.recipes.empty()       ? 0
                                       : r.recipes.size() == 1 ? r.recipes[0]
                                                               : r.recipes[variant_index];
      bounds = apply(r.recipes.empty() ? recipe{} : f.recipes[recipe_index], packed);
    }
  }
  std::string report;
  int differing = 0;
  if (want.extents.size() == 0) return report;
  gpu::index_vector index(want.extents.rank(), 0);
  do {
    allowance allowed{r.tolerance.what, r.tolerance.amount};
    if (bounded) {
      std::int16_t packed;
      std::memcpy(&packed, at(bounds, index), sizeof packed);
      allowed.amount = unpack_bound(packed);
    }
    const std::string difference = compare_element(want.type, at(actual, index), at(want, index), allowed);
    if (difference.empty()) continue;
    if (++differing <= 5) report += (differing > 1 ? "\n  at " : "at ") + index.to_string() + " " + difference;
  } while (advance(index, want.extents));
  if (differing > 5)
    report += "\n  " + std::to_string(differing) + " of " + std::to_string(want.extents.size()) + " differ";
  return report;
}

}  // namespace oracle
