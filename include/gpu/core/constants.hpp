/// @file
/// NumPy's constants. They are C++ scalars, so weak: `array<float> * gpu::pi` stays float.
#pragma once

namespace gpu {

inline constexpr double pi = 3.14159265358979323846;
inline constexpr double e = 2.71828182845904523536;
inline constexpr double euler_gamma = 0.57721566490153286061;
inline constexpr double inf = __builtin_inf();
inline constexpr double nan = __builtin_nan("");

}  // namespace gpu
