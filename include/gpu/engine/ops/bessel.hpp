/// @file
/// i0: the modified Bessel function of the first kind of order 0.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "rules.hpp"
#include "vector_math.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace ops {

/// As NumPy computes it: Chebyshev series of `exp(-x) i0(x)` in `x / 2 - 2` up to 8, and of `exp(-x) sqrt(x) i0(x)` in
/// `32 / x - 2` beyond, both from Cephes (S. L. Moshier, Methods and Programs for Mathematical Functions, 1989).
/// Infinite, or NaN, where `exp` overflows. Integers compute in double.
struct i0 : detail::widened<i0> {
  static constexpr const char* name = "i0";
  static constexpr bool uses_vector_math = true;
  template <class A>
  using arguments = std::enable_if_t<real_number<A>, type_list<std::conditional_t<floating<A>, A, double>>>;
  template <class T>
  [[gnu::always_inline]] static constexpr T compute(T x) noexcept {
    const T size = math::fabs(x);
    const bool near = size <= T{8};
    const T at = math::select(near, size / 2 - 2, T{32} / size - 2);
    const T root = math::sqrt(math::select(near, T{1}, size));
    return math::exp(size) * chebyshev_series(near, at, std::make_index_sequence<terms>{}) / root;
  }

 private:
  static constexpr int terms = 30;
  static constexpr double near_zero[terms] = {
      -4.4153416464793395e-18, 3.3307945188222384e-17, -2.431279846547955e-16, 1.715391285555133e-15,
      -1.1685332877993451e-14, 7.676185498604936e-14,  -4.856446783111929e-13, 2.95505266312964e-12,
      -1.726826291441556e-11,  9.675809035373237e-11,  -5.189795601635263e-10, 2.6598237246823866e-09,
      -1.300025009986248e-08,  6.046995022541919e-08,  -2.670793853940612e-07, 1.1173875391201037e-06,
      -4.4167383584587505e-06, 1.6448448070728896e-05, -5.754195010082104e-05, 0.00018850288509584165,
      -0.0005763755745385824,  0.0016394756169413357,  -0.004324309995050576,  0.010546460394594998,
      -0.02373741480589947,    0.04930528423967071,    -0.09490109704804764,   0.17162090152220877,
      -0.3046826723431984,     0.6767952744094761};
  /// Padded in front, where zeros change nothing: one recurrence serves both series, without a branch.
  static constexpr double beyond[terms] = {0,
                                           0,
                                           0,
                                           0,
                                           0,
                                           -7.233180487874754e-18,
                                           -4.830504485944182e-18,
                                           4.46562142029676e-17,
                                           3.461222867697461e-17,
                                           -2.8276239805165836e-16,
                                           -3.425485619677219e-16,
                                           1.7725601330565263e-15,
                                           3.8116806693526224e-15,
                                           -9.554846698828307e-15,
                                           -4.150569347287222e-14,
                                           1.54008621752141e-14,
                                           3.8527783827421426e-13,
                                           7.180124451383666e-13,
                                           -1.7941785315068062e-12,
                                           -1.3215811840447713e-11,
                                           -3.1499165279632416e-11,
                                           1.1889147107846439e-11,
                                           4.94060238822497e-10,
                                           3.3962320257083865e-09,
                                           2.266668990498178e-08,
                                           2.0489185894690638e-07,
                                           2.8913705208347567e-06,
                                           6.889758346916825e-05,
                                           0.0033691164782556943,
                                           0.8044904110141088};

  /// Clenshaw's recurrence, unrolled, since only innermost loops become vector loops.
  template <class T, std::size_t... I>
  [[gnu::always_inline]] static constexpr T chebyshev_series(bool near, T x, std::index_sequence<I...>) noexcept {
    T b0{}, b1{}, b2{};
    ((b2 = b1, b1 = b0, b0 = x * b1 - b2 + coefficient<I, T>(near)), ...);
    return T(0.5) * (b0 - b2);
  }
  /// As constants, since device code has no arrays of the host's.
  template <std::size_t I, class T>
  [[gnu::always_inline]] static constexpr T coefficient(bool near) noexcept {
    constexpr T first = static_cast<T>(near_zero[I]);
    constexpr T second = static_cast<T>(beyond[I]);
    return math::select(near, first, second);
  }
};

}  // namespace ops
}  // namespace GPUARRAY_ABI
}  // namespace gpu
