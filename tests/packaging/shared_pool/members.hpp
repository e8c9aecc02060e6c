/// @file
/// What each of the two shared objects exports.
#pragma once

#include <gpu/gpu.hpp>

/// The functions of one shared object, which alone of all its symbols are visible.
struct member {
  const void* (*resource)();                  ///< the memory resource of the current device, as this object sees it
  gpu::memory_statistics (*statistics)();     ///< what that resource has given out
  gpu::array<float> (*make)(int size);        ///< ones
  double (*sum)(const gpu::array<float>& a);  ///< evaluated with the object's own code
  void (*drop)(gpu::array<float> a);          ///< frees the array
};

[[gnu::visibility("default")]] member first();
[[gnu::visibility("default")]] member second();
