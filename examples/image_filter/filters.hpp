/// @file
/// Image operations, each written as NumPy would write it. Images are float arrays of shape (channels, height, width).
#pragma once

#include <cmath>
#include <gpu/gpu.hpp>

/// Weights of bilinear interpolation from `from` samples to `to`, as a (to, from) matrix: pixel centres are mapped onto
/// pixel centres, and what lies beyond the edge repeats it.
inline gpu::array<float> interpolation(std::int64_t to, std::int64_t from) {
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const auto position = gpu::clip((gpu::arange<float>(to) + 0.5) * scale - 0.5, 0, from - 1);
  return gpu::maximum(1 - gpu::abs(gpu::expand_dims(position, 1) - gpu::arange<float>(from)), 0);
}

/// Bilinear resampling: two products with interpolation matrices.
inline gpu::array<float> resize(const gpu::array<float>& image, std::int64_t height, std::int64_t width) {
  const auto rows = interpolation(height, image.shape()[1]);
  const auto columns = interpolation(width, image.shape()[2]);
  return gpu::matmul(gpu::matmul(rows, image), gpu::transpose(columns));
}

/// The image with `border` zeros on each side of its last two axes.
inline gpu::array<float> pad(const gpu::array<float>& image, std::int64_t border) {
  const gpu::shape& s = image.shape();
  auto padded = gpu::zeros<float>({s[0], s[1] + 2 * border, s[2] + 2 * border});
  padded(gpu::slice(), gpu::slice(border, -border), gpu::slice(border, -border)) = image;
  return padded;
}

/// Correlation with a bank of 3x3 kernels of shape (out, in, 3, 3), stride 1, padding 1: one matrix product.
inline gpu::array<float> convolve3x3(const gpu::array<float>& image, const gpu::array<float>& kernels) {
  const std::int64_t channels = image.shape()[0], height = image.shape()[1], width = image.shape()[2];
  const auto padded = pad(image, 1);
  auto neighbours = gpu::empty<float>({channels, 3, 3, height, width});
  for (int y = 0; y < 3; ++y) {
    for (int x = 0; x < 3; ++x) {
      neighbours(gpu::slice(), y, x) = padded(gpu::slice(), gpu::slice(y, y + height), gpu::slice(x, x + width));
    }
  }
  const auto weights = gpu::reshape(kernels, {kernels.shape()[0], -1});
  return gpu::reshape(gpu::matmul(weights, gpu::reshape(neighbours, {channels * 9, -1})),
                      {kernels.shape()[0], height, width});
}

/// `count` oriented edge detectors: the slope of a Gaussian in as many directions, the same in every input channel.
inline gpu::array<float> oriented_kernels(std::int64_t count, std::int64_t channels) {
  const auto angle = gpu::reshape(gpu::arange<float>(count) * (gpu::pi / static_cast<double>(count)), {-1, 1, 1, 1});
  const auto y = gpu::reshape(gpu::arange<float>(-1, 2), {-1, 1});
  const auto x = gpu::arange<float>(-1, 2);
  const auto slope = (gpu::cos(angle) * x + gpu::sin(angle) * y) * gpu::exp((x * x + y * y) / -2);
  return gpu::broadcast_to(slope / static_cast<double>(channels), {count, channels, 3, 3});
}

/// One pass of a separable filter along an axis, zeros beyond the edges of `image`.
inline gpu::array<float> filter_along(const gpu::array<float>& image, const gpu::array<float>& kernel, int axis) {
  const std::int64_t radius = kernel.size() / 2;
  const auto padded = pad(image, radius);
  const std::int64_t height = image.shape()[1], width = image.shape()[2];
  auto result = gpu::zeros_like(image);
  for (std::int64_t i = 0; i < kernel.size(); ++i) {
    const std::int64_t y = axis == 1 ? i : radius, x = axis == 2 ? i : radius;
    result += kernel(i) * padded(gpu::slice(), gpu::slice(y, y + height), gpu::slice(x, x + width));
  }
  return result;
}

/// Gaussian blur, cut off at three standard deviations.
inline gpu::array<float> gaussian_blur(const gpu::array<float>& image, double sigma) {
  const std::int64_t radius = std::llround(3 * sigma);
  const gpu::array<float> bell = gpu::exp(gpu::square(gpu::arange<float>(-radius, radius + 1)) / (-2 * sigma * sigma));
  const gpu::array<float> kernel = bell / gpu::sum(bell);
  return filter_along(filter_along(image, kernel, 1), kernel, 2);
}

/// Sobel's gradient magnitude.
inline gpu::array<float> sobel_edges(const gpu::array<float>& image) {
  const gpu::array<float> smooth{1, 2, 1};
  const gpu::array<float> slope{-1, 0, 1};
  return gpu::hypot(filter_along(filter_along(image, smooth, 1), slope, 2),
                    filter_along(filter_along(image, slope, 1), smooth, 2));
}
