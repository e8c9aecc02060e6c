/// @file
/// check_outputs FOLDER SHEET.png FIXTURES: compares what examples/image_filter has written with SciPy's answers (see
/// generate.py).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "gpu/gpu.hpp"
#include "image.hpp"

namespace {

/// Values lie between -4 and 6, and come from sums of at most 27 products in float.
constexpr double tolerance = 2e-6;

/// As `sampled` in generate.py: two at each border, and every 18th between.
std::vector<std::int64_t> sampled(std::int64_t extent) {
  std::vector<std::int64_t> chosen{0, 1};
  for (std::int64_t i = 2; i < extent - 2; i += 18) chosen.push_back(i);
  chosen.insert(chosen.end(), {extent - 2, extent - 1});
  return chosen;
}

/// A picture of shape (channels, height, width) on the host.
struct planes {
  gpu::array<double> values;

  [[nodiscard]] gpu::array<double> samples() const {
    const auto rows = sampled(values.shape()[1]), columns = sampled(values.shape()[2]);
    auto result = gpu::empty<double>({values.shape()[0], rows.size(), columns.size()});
    for (std::size_t y = 0; y < rows.size(); ++y) {
      for (std::size_t x = 0; x < columns.size(); ++x) {
        result(gpu::slice(), y, x) = values(gpu::slice(), rows[y], columns[x]);
      }
    }
    return result;
  }
  [[nodiscard]] gpu::array<double> blocks() const {
    const gpu::shape& s = values.shape();
    return gpu::mean(gpu::reshape(values, {s[0], s[1] / 16, 16, s[2] / 16, 16}), {.axis = {2, 4}});
  }
};

bool check(const std::string& name, const gpu::array<double>& got, const gpu::array<double>& expected, double most) {
  if (got.shape() != expected.shape()) {
    std::printf("%s: the shape is %s, SciPy's %s\n", name.c_str(), got.shape().to_string().c_str(),
                expected.shape().to_string().c_str());
    return false;
  }
  const double distance = gpu::max(gpu::abs(got - expected)).item();
  std::printf("%-18s differs from SciPy by at most %.2g\n", name.c_str(), distance);
  return distance <= most;  // false for NaN
}

bool check(const std::string& name, const planes& image, const std::string& fixtures, double most, double most_blocks) {
  const auto expected = [&](const char* kind) {
    return gpu::load<double>(fixtures + "/" + name + "_" + kind + ".npy", {.cast = true});
  };
  const bool samples = check(name + " samples", image.samples(), expected("samples"), most);
  return check(name + " blocks", image.blocks(), expected("blocks"), most_blocks) && samples;
}

bool run(const std::string& folder, const std::string& sheet, const std::string& fixtures) {
  const gpu::device_guard on(gpu::device::host());
  bool good = true;
  for (const char* name : {"resized", "features", "blurred", "edges"}) {
    const planes image{gpu::load<double>(folder + "/" + name + ".npy", {.cast = true})};
    good = check(name, image, fixtures, tolerance, tolerance) && good;
  }
  // Where SciPy's value lies between two bytes, ours may be the other one; that happens to few pixels of a block.
  const picture p = read_picture(sheet);
  const auto bytes = gpu::reshape(gpu::asarray(p.pixels), {p.height, p.width, 3});
  const planes picture_planes{gpu::astype<double>(gpu::moveaxis(bytes, -1, 0))};
  return check("sheet", picture_planes, fixtures, 1, 0.1) && good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "check_outputs FOLDER SHEET.png FIXTURES\n");
    return 2;
  }
  try {
    return run(argv[1], argv[2], argv[3]) ? 0 : 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "check_outputs: %s\n", e.what());
    return 1;
  }
}
