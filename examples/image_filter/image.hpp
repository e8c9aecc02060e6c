/// @file
/// Pictures in PNG or JPEG files, by stb. No array types here, so that the C++ compiler builds it whatever the device.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

/// 8-bit pixels, row by row, channels interleaved.
struct picture {
  int height = 0;
  int width = 0;
  int channels = 0;
  std::vector<std::uint8_t> pixels;
};

/// Reads a PNG or JPEG file as RGB. @throws std::runtime_error that says why it cannot be read.
[[nodiscard]] picture read_picture(const std::string& path);
/// Writes a PNG file. @throws std::runtime_error if that fails.
void write_png(const std::string& path, const picture& p);
