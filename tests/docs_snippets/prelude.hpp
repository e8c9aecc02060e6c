/// @file
/// The arrays that a block of the documentation may use without declaring them.
#pragma once

#include <cmath>
#include <cstdint>
#include <gpu/gpu.hpp>
#include <iostream>
#include <span>
#include <string>
#include <vector>

inline gpu::array<float> a = gpu::ones<float>({4, 4});
inline gpu::array<float> b = gpu::ones<float>({4, 4});
inline gpu::array<float> c = gpu::ones<float>({4, 4});
inline gpu::array<float> x = gpu::ones<float>({4});
inline gpu::array<float> y = gpu::ones<float>({4});
