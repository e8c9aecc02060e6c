/// @file
/// Random numbers on Philox 4x32-10: the value of an element depends on the seed, the number of the draw and the
/// position alone, so every device and any number of threads give the same numbers.
#pragma once

#include <atomic>
#include <cstdint>

#include "array.hpp"
#include "core/keyword.hpp"
#include "core/philox.hpp"
#include "core/random_bits.hpp"
#include "core/random_fill.hpp"
#include "engine/generate.hpp"
#include "engine/ops/floating_point.hpp"

namespace gpu::random {

namespace detail {

/// The seed of the default generator and the number of draws made from it.
struct default_state {
  std::atomic<std::uint64_t> seed{0};
  std::atomic<std::uint64_t> draws{0};
};

[[nodiscard, gnu::visibility("default")]] inline default_state& state() noexcept {
  static default_state* const shared = new default_state;
  return *shared;
}

/// The stream of the default generator's next draw.
[[nodiscard]] inline philox_stream next_stream() noexcept {
  default_state& s = state();
  return {s.seed.load(), s.draws.fetch_add(1), 0};
}

}  // namespace detail

/// Starts the default generator anew: the same calls afterwards give the same numbers. Without it the seed is 0.
inline void seed(std::uint64_t value) noexcept {
  detail::state().seed.store(value);
  detail::state().draws.store(0);
}

inline namespace GPUARRAY_ABI {

/// Keyword arguments of `uniform`.
struct uniform_options {
  keyword_only _{};
  double low = 0;
  double high = 1;
};

/// Keyword arguments of `normal`.
struct normal_options {
  keyword_only _{};
  double loc = 0;    ///< the mean
  double scale = 1;  ///< the standard deviation
};

namespace distributions {

/// `low + u * width`, never `high` even where that rounds up.
template <class T>
struct scaled_uniform {
  using working = std::conditional_t<narrow_float<T>, float, T>;
  philox_stream source;
  working low;
  working width;
  T below_high;

  [[gnu::always_inline]] constexpr T scale(T u) const noexcept {
    const T value = T(low + static_cast<working>(u) * width);
    return static_cast<working>(value) < low + width ? value : below_high;
  }
  [[gnu::always_inline]] constexpr T operator()(std::int64_t i) const noexcept {
    return scale(random_bits::uniform<T>(source, static_cast<std::uint64_t>(i)));
  }
  [[gnu::always_inline]] inline void operator()(std::int64_t first, T* out, std::int64_t n) const noexcept {
    random_bits::fill_uniform<T>(source, static_cast<std::uint64_t>(first), out, n);
    if (low == 0 && width == 1) return;
    for (std::int64_t i = 0; i < n; ++i) out[i] = scale(out[i]);
  }
};

template <class T>
struct scaled_normal {
  using working = std::conditional_t<narrow_float<T>, float, T>;
  philox_stream source;
  working loc;
  working deviation;

  [[gnu::always_inline]] constexpr T scale(T x) const noexcept { return T(loc + deviation * static_cast<working>(x)); }
  [[gnu::always_inline]] constexpr T operator()(std::int64_t i) const noexcept {
    return scale(random_bits::normal<T>(source, static_cast<std::uint64_t>(i)));
  }
  [[gnu::always_inline]] inline void operator()(std::int64_t first, T* out, std::int64_t n) const noexcept {
    random_bits::fill_normal<T>(source, static_cast<std::uint64_t>(first), out, n);
    if (loc == 0 && deviation == 1) return;
    for (std::int64_t i = 0; i < n; ++i) out[i] = scale(out[i]);
  }
};

}  // namespace distributions

/// A source of random numbers: a seed, and the number of draws made from it. Each call draws from a stream of its own.
/// Copies go on alike. Not for several threads at once; the functions without a generator are.
class generator {
 public:
  explicit generator(std::uint64_t seed = 0, std::uint64_t first_draw = 0) noexcept : seed_(seed), draws_(first_draw) {}

  /// Uniform numbers in [low, high). @throws out_of_memory
  template <floating T = double>
  [[nodiscard]] array<T> uniform(const shape& size, const uniform_options& options = {}) {
    return draw_uniform<T>({seed_, draws_++, 0}, size, options);
  }
  /// Uniform numbers in [0, 1). @throws out_of_memory
  template <floating T = double>
  [[nodiscard]] array<T> random(const shape& size) {
    return uniform<T>(size);
  }
  /// Normal numbers of mean `loc` and standard deviation `scale`. @throws type_error for a negative one; out_of_memory
  template <floating T = double>
  [[nodiscard]] array<T> normal(const shape& size, const normal_options& options = {}) {
    return draw_normal<T>({seed_, draws_++, 0}, size, options);
  }
  /// Normal numbers of mean 0 and standard deviation 1. @throws out_of_memory
  template <floating T = double>
  [[nodiscard]] array<T> standard_normal(const shape& size) {
    return normal<T>(size);
  }

  template <floating T>
  [[nodiscard]] static array<T> draw_uniform(const philox_stream& source, const shape& size,
                                             const uniform_options& options) {
    using working = typename distributions::scaled_uniform<T>::working;
    const auto low = static_cast<working>(options.low);
    const auto high = static_cast<working>(options.high);
    const T below = ops::nextafter{}(T(high), T(low));
    const distributions::scaled_uniform<T> f{source, low, high - low, below};
    return array<T>(engine::generate<T>(size, current_device(), f));
  }
  template <floating T>
  [[nodiscard]] static array<T> draw_normal(const philox_stream& source, const shape& size,
                                            const normal_options& options) {
    using working = typename distributions::scaled_normal<T>::working;
    if (options.scale < 0) gpu::detail::raise<type_error>("normal: scale < 0: ", options.scale);
    const distributions::scaled_normal<T> f{source, static_cast<working>(options.loc),
                                            static_cast<working>(options.scale)};
    return array<T>(engine::generate<T>(size, current_device(), f));
  }

 private:
  std::uint64_t seed_;
  std::uint64_t draws_;
};

/// A generator with a seed, as NumPy's default_rng.
[[nodiscard]] inline generator default_rng(std::uint64_t seed) noexcept { return generator(seed); }

/// Uniform numbers in [low, high) from the default generator; any thread may call it. @throws out_of_memory
template <floating T = double>
[[nodiscard]] array<T> uniform(const shape& size, const uniform_options& options = {}) {
  return generator::draw_uniform<T>(detail::next_stream(), size, options);
}
/// Normal numbers of mean `loc` and standard deviation `scale` from the default generator; any thread may call it.
/// @throws type_error for a negative scale; out_of_memory
template <floating T = double>
[[nodiscard]] array<T> normal(const shape& size, const normal_options& options = {}) {
  return generator::draw_normal<T>(detail::next_stream(), size, options);
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu::random
