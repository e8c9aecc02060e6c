/// @file
/// The version of the library; CMakeLists.txt reads it from here.
#pragma once

#define GPUARRAY_VERSION_MAJOR 0
#define GPUARRAY_VERSION_MINOR 1
#define GPUARRAY_VERSION_PATCH 0

namespace gpu {

inline constexpr int version_major = GPUARRAY_VERSION_MAJOR;
inline constexpr int version_minor = GPUARRAY_VERSION_MINOR;
inline constexpr int version_patch = GPUARRAY_VERSION_PATCH;

}  // namespace gpu
