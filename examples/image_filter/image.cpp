#include "image.hpp"

#include <stdexcept>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_PNG
#define STBI_ONLY_JPEG
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb_image.h>
#include <stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

picture read_picture(const std::string& path) {
  picture p;
  p.channels = 3;
  int stored_channels = 0;
  stbi_uc* const data = stbi_load(path.c_str(), &p.width, &p.height, &stored_channels, p.channels);
  if (data == nullptr)
    throw std::runtime_error(path + ": cannot be opened or is no picture (" + stbi_failure_reason() + ")");
  p.pixels.assign(data, data + std::size_t{3} * static_cast<std::size_t>(p.width) * static_cast<std::size_t>(p.height));
  stbi_image_free(data);
  return p;
}

void write_png(const std::string& path, const picture& p) {
  if (stbi_write_png(path.c_str(), p.width, p.height, p.channels, p.pixels.data(), p.width * p.channels) == 0) {
    throw std::runtime_error(path + ": cannot be written");
  }
}
