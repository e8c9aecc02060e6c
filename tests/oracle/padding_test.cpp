/// @file
/// `pad` against NumPy, in all its modes.
#include "gpu/padding.hpp"

#include "support/oracle_manipulation.hpp"

namespace {

using oracle::call;
using oracle::view_of;

/// One number, a pair, or pairs, as a flat list.
template <class T, class Pairs>
Pairs pairs_of(const call& c, const char* key) {
  const std::vector<std::int64_t> flat = oracle::list_of(c, key);
  if (flat.size() == 1) return Pairs(flat[0]);
  if (flat.size() == 2) return Pairs(flat[0], flat[1]);
  std::vector<gpu::axis_pair<T>> list;
  for (std::size_t i = 0; i + 1 < flat.size(); i += 2) {
    list.push_back({gpu::detail::cast<T>(flat[i]), gpu::detail::cast<T>(flat[i + 1])});
  }
  return Pairs(list);
}

constexpr auto padded = []<class T>(std::type_identity<T>, const call& c) -> gpu::array<T> {
  namespace mode = gpu::pad_mode;
  const auto a = view_of<T>(c, 0);
  const auto widths = pairs_of<std::int64_t, gpu::pad_widths>(c, "widths");
  const std::string& name = oracle::text_of(c, "mode");
  const bool odd = c.numbers.find("reflect_type") != nullptr;
  const gpu::pad_reflect_options how{.reflect_type = odd ? gpu::reflect_type::odd : gpu::reflect_type::even};
  gpu::pad_statistic_options statistic;
  if (c.numbers.find("stat_length") != nullptr) {
    statistic.stat_length = pairs_of<std::int64_t, gpu::pad_widths>(c, "stat_length");
  }
  if (name == "constant") {
    if (c.numbers.find("constant_values") == nullptr) return gpu::pad(a, widths);
    return gpu::pad(a, widths, mode::constant,
                    {.constant_values = pairs_of<T, gpu::axis_pairs<T>>(c, "constant_values")});
  }
  if (name == "linear_ramp") {
    using end = gpu::engine::ramp_t<T>;
    if (c.numbers.find("end_values") == nullptr) return gpu::pad(a, widths, mode::linear_ramp);
    return gpu::pad(a, widths, mode::linear_ramp, {.end_values = pairs_of<end, gpu::axis_pairs<end>>(c, "end_values")});
  }
  if (name == "edge") return gpu::pad(a, widths, mode::edge);
  if (name == "wrap") return gpu::pad(a, widths, mode::wrap);
  if (name == "reflect") return gpu::pad(a, widths, mode::reflect, how);
  if (name == "symmetric") return gpu::pad(a, widths, mode::symmetric, how);
  if (name == "maximum") return gpu::pad(a, widths, mode::maximum, statistic);
  if (name == "minimum") return gpu::pad(a, widths, mode::minimum, statistic);
  return gpu::pad(a, widths, mode::mean, statistic);
};

const oracle::suite tests{"padding", {oracle::manipulation("pad", padded)}};

}  // namespace
