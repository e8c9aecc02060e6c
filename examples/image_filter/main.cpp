// Filters on a photograph: resize, a 3-to-16 channel convolution, Gaussian blur, Sobel edges.
//
//   image_filter [PICTURE [OUTPUT.png [FOLDER]]]
//
// With a FOLDER the results are saved there as .npy files as well.
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

#include "filters.hpp"
#include "image.hpp"

namespace {

/// Runs a step and prints its time and the bandwidth of the bytes that it must at least read and write.
template <class F>
auto timed(const char* name, std::int64_t bytes, const F& step) {
  const gpu::device d = gpu::current_device();
  auto result = step();  // once before the clock starts: memory and library handles are set up
  d.synchronize();
  const auto start = std::chrono::steady_clock::now();
  constexpr int repeats = 10;
  for (int i = 0; i < repeats; ++i) result = step();
  d.synchronize();
  const std::chrono::duration<double> elapsed = (std::chrono::steady_clock::now() - start) / repeats;
  std::printf("  %-28s %8.3f ms %8.2f GB/s\n", name, elapsed.count() * 1e3,
              static_cast<double>(bytes) / elapsed.count() / 1e9);
  return result;
}

/// The grey or RGB image, stretched to 0..255, as (height, width, 3) bytes.
gpu::array<gpu::uint8> to_pixels(const gpu::array<float>& image) {
  const auto low = gpu::min(image);
  const auto range = gpu::maximum(gpu::max(image) - low, 1e-6);
  const auto scaled = gpu::moveaxis(gpu::round((image - low) / range * 255), 0, -1);
  return gpu::astype<gpu::uint8>(gpu::broadcast_to(scaled, {image.shape()[1], image.shape()[2], 3}));
}

void run(const std::string& input, const std::string& output, const std::string& folder) {
  const gpu::device_guard on{gpu::device::best()};
  const picture photo = read_picture(input);
  std::printf("%s: %d x %d, on %s (%s)\n", input.c_str(), photo.width, photo.height,
              gpu::current_device().to_string().c_str(), gpu::current_device().name().c_str());

  const auto bytes = gpu::reshape(gpu::asarray(photo.pixels), {photo.height, photo.width, 3});
  const std::int64_t pixels = std::int64_t{3} * photo.height * photo.width;
  constexpr std::int64_t size = 256, resized_bytes = 3 * size * size * 4;

  const auto image =
      timed("to float planes", pixels * 5, [&] { return gpu::array<float>(gpu::moveaxis(bytes, -1, 0) / 255.0f); });
  const auto resized =
      timed("resize to 256x256", pixels * 4 + resized_bytes, [&] { return resize(image, size, size); });
  const auto kernels = oriented_kernels(16, 3);
  const auto features = timed("convolution 3x3, 3 to 16", resized_bytes + 16 * size * size * 4,
                              [&] { return gpu::array<float>(convolve3x3(resized, kernels)); });
  const auto blurred = timed("Gaussian blur, sigma 2", 2 * resized_bytes, [&] { return gaussian_blur(resized, 2); });
  const auto edges = timed("Sobel edges", 2 * resized_bytes, [&] { return sobel_edges(resized); });

  // Two rows of three: the picture, blurred, its edges; three of the sixteen directions.
  auto sheet = gpu::zeros<gpu::uint8>({2 * size, 3 * size, 3});
  const auto place = [&](int row, int column, const gpu::array<float>& tile) {
    sheet(gpu::slice(row * size, (row + 1) * size), gpu::slice(column * size, (column + 1) * size)) = to_pixels(tile);
  };
  place(0, 0, resized);
  place(0, 1, blurred);
  place(0, 2, gpu::clip(edges, 0, 2));
  for (int i = 0; i < 3; ++i) place(1, i, features(gpu::slice(5 * i, 5 * i + 1)));
  write_png(output, {static_cast<int>(2 * size), static_cast<int>(3 * size), 3, gpu::to_host(sheet)});
  std::printf("wrote %s: the picture, blurred, its edges; three of the 16 channels of the convolution\n",
              output.c_str());

  if (folder.empty()) return;
  gpu::save(folder + "/resized.npy", resized);
  gpu::save(folder + "/features.npy", features);
  gpu::save(folder + "/blurred.npy", blurred);
  gpu::save(folder + "/edges.npy", edges);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(argc > 1 ? argv[1] : EXAMPLE_DATA "/coffee.png", argc > 2 ? argv[2] : "image_filter.png",
        argc > 3 ? argv[3] : "");
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "image_filter: %s\n", e.what());
    return 1;
  }
}
