/// @file
/// The reductions' arithmetic: what one element contributes, how contributions combine, what the result is.
///
/// A reducer is a small value that both backends inline: `identity()`, `lift(value, index)`, `combine(lower, higher)`
/// and `finish(accumulator, count)`. `index` counts within the reduced axes in C order.
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "../core/promotion.hpp"
#include "../core/types.hpp"
#include "ops/exponents.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {
namespace engine {

template <class T>
[[gnu::always_inline]] constexpr bool is_nan(const T& v) {
  if constexpr (complex_number<T>) {
    return (v.re != v.re) | (v.im != v.im);
  } else if constexpr (floating<T>) {
    return v != v;
  } else {
    return false;
  }
}

/// The lowest value of a type in the order of `maximum`, the highest for `minimum`: never taken for a result.
template <class T, bool Highest>
[[gnu::always_inline]] constexpr T extreme() {
  if constexpr (complex_number<T>) {
    using part = typename T::value_type;
    return T(extreme<part, Highest>(), extreme<part, Highest>());
  } else if constexpr (floating<T>) {
    return Highest ? std::numeric_limits<T>::infinity() : -std::numeric_limits<T>::infinity();
  } else {
    return Highest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
  }
}

/// Lexicographic for complex numbers, as NumPy orders them.
template <class T>
[[gnu::always_inline]] constexpr bool is_less(const T& a, const T& b) {
  if constexpr (complex_number<T>) {
    return a.re < b.re || (a.re == b.re && a.im < b.im);
  } else {
    return a < b;
  }
}

/// Sum in the accumulator of the result type `R`: float for half, 64 bits for integers.
template <class T, class R>
struct sum_reducer {
  using input = T;
  using accumulator = accumulator_t<R>;
  using result = R;
  static constexpr const char* name = "sum";
  accumulator initial = accumulator();

  [[gnu::always_inline]] constexpr accumulator identity() const { return accumulator(); }
  [[gnu::always_inline]] constexpr accumulator lift(T value, std::int64_t) const {
    return detail::cast<accumulator>(value);
  }
  [[gnu::always_inline]] constexpr accumulator combine(accumulator a, accumulator b) const {
    if constexpr (std::signed_integral<accumulator>) {
      using wrap = std::make_unsigned_t<accumulator>;
      return static_cast<accumulator>(static_cast<wrap>(a) + static_cast<wrap>(b));
    } else if constexpr (boolean<accumulator>) {
      return a | b;
    } else {
      return a + b;
    }
  }
  [[gnu::always_inline]] constexpr R finish(accumulator a, std::int64_t) const {
    return detail::cast<R>(combine(initial, a));
  }
};

/// Sum divided by the number of elements, at the accumulator's precision; for an integer result the sum as that type,
/// which may wrap, divided as a real number and truncated.
template <class T, class R>
struct mean_reducer : sum_reducer<T, R> {
  static constexpr const char* name = "mean";
  using accumulator = typename sum_reducer<T, R>::accumulator;

  [[gnu::always_inline]] constexpr R finish(accumulator a, std::int64_t count) const { return quotient(a, count); }
  [[gnu::always_inline]] static constexpr R quotient(accumulator a, std::int64_t count) {
    if constexpr (std::integral<R>) {
      return detail::cast<R>(static_cast<double>(detail::cast<R>(a)) / static_cast<double>(count));
    } else {
      return detail::cast<R>(a / static_cast<real_t<accumulator>>(count));
    }
  }
};

template <class T, class R>
struct product_reducer {
  using input = T;
  using accumulator = accumulator_t<R>;
  using result = R;
  static constexpr const char* name = "prod";
  accumulator initial = accumulator(1);

  [[gnu::always_inline]] constexpr accumulator identity() const { return accumulator(1); }
  [[gnu::always_inline]] constexpr accumulator lift(T value, std::int64_t) const {
    return detail::cast<accumulator>(value);
  }
  [[gnu::always_inline]] constexpr accumulator combine(accumulator a, accumulator b) const {
    if constexpr (std::signed_integral<accumulator>) {
      using wrap = std::make_unsigned_t<accumulator>;
      return static_cast<accumulator>(static_cast<wrap>(a) * static_cast<wrap>(b));
    } else if constexpr (boolean<accumulator>) {
      return a & b;
    } else if constexpr (complex_number<accumulator>) {
      // Multiplying by 1 + 0i would make NaN of infinities.
      return ops::detail::choose(is_one(a), b, ops::detail::choose(is_one(b), a, a * b));
    } else {
      return a * b;
    }
  }
  [[gnu::always_inline]] constexpr R finish(accumulator a, std::int64_t) const {
    return detail::cast<R>(combine(initial, a));
  }

 private:
  [[gnu::always_inline]] static constexpr bool is_one(accumulator a) { return (a.re == 1) & (a.im == 0); }
};

/// A sum and the number of its terms.
template <class A>
struct counted {
  A sum;
  std::int64_t count;
};

/// The mean of the elements that are not NaN; NaN if there are none.
template <class T, class R>
struct nanmean_reducer {
  using input = T;
  using accumulator = counted<accumulator_t<R>>;
  using result = R;
  static constexpr const char* name = "nanmean";

  [[gnu::always_inline]] constexpr accumulator identity() const { return {accumulator_t<R>(), 0}; }
  [[gnu::always_inline]] constexpr accumulator lift(T value, std::int64_t) const {
    return is_nan(value) ? identity() : accumulator{detail::cast<accumulator_t<R>>(value), 1};
  }
  [[gnu::always_inline]] constexpr accumulator combine(accumulator a, accumulator b) const {
    return {a.sum + b.sum, a.count + b.count};
  }
  [[gnu::always_inline]] constexpr R finish(accumulator a, std::int64_t) const {
    return detail::cast<R>(a.sum / static_cast<real_t<accumulator_t<R>>>(a.count));
  }
};

/// Squared deviations summed and divided by their number less `ddof`; the root of that if `Root`. If `Partial`,
/// negative ones stand for elements that are left out.
template <class T, class R, bool Root, bool Partial>
struct variance_reducer {
  using input = T;
  using accumulator = counted<T>;
  using result = R;
  static constexpr const char* name = Root ? "std" : "var";
  double ddof = 0;
  bool nan_if_too_few = false;  ///< no more elements than `ddof`: NumPy's nanvar gives NaN, its var infinity or NaN

  [[gnu::always_inline]] constexpr accumulator identity() const { return {T(), 0}; }
  [[gnu::always_inline]] constexpr accumulator lift(T value, std::int64_t) const {
    if constexpr (Partial) {
      if (value < 0) return identity();
    }
    return {value, 1};
  }
  [[gnu::always_inline]] constexpr accumulator combine(accumulator a, accumulator b) const {
    return {a.sum + b.sum, a.count + b.count};
  }
  [[gnu::always_inline]] constexpr R finish(accumulator a, std::int64_t) const {
    const double left = static_cast<double>(a.count) - ddof;
    T value = a.sum / static_cast<T>(left > 0 ? left : 0.0);
    if (nan_if_too_few && left <= 0) value = std::numeric_limits<T>::quiet_NaN();
    if constexpr (Root) value = ops::sqrt{}(value);
    return detail::cast<R>(value);
  }
};

/// The greatest element, or the least; a NaN wins, or with `SkipNan` wins over nothing.
template <class T, bool Least, bool SkipNan = false>
struct extremum_reducer {
  using input = T;
  using accumulator = T;
  using result = T;
  static constexpr const char* name = SkipNan ? (Least ? "fmin" : "fmax") : (Least ? "minimum" : "maximum");
  T initial = nothing();

  /// What any element replaces: never a real result, except of nothing at all.
  [[gnu::always_inline]] static constexpr T nothing() {
    if constexpr (SkipNan && complex_number<T>) {
      constexpr auto nan = std::numeric_limits<real_t<T>>::quiet_NaN();
      return T(nan, nan);
    } else if constexpr (SkipNan && floating<T>) {
      return std::numeric_limits<T>::quiet_NaN();
    } else {
      return extreme<T, Least>();
    }
  }
  [[gnu::always_inline]] constexpr T identity() const { return nothing(); }
  [[gnu::always_inline]] constexpr T lift(T value, std::int64_t) const { return value; }
  [[gnu::always_inline]] constexpr T combine(T a, T b) const {
    if constexpr (floating<T> || complex_number<T>) {
      const bool better = Least ? is_less(b, a) : is_less(a, b);
      const bool a_is_nan = is_nan(a);
      const bool b_is_nan = is_nan(b);
      const bool take = SkipNan ? ((better | a_is_nan) & !b_is_nan) | is_nothing(a) : (better | b_is_nan) & !a_is_nan;
      return take ? b : a;
    } else {
      return (Least ? b < a : a < b) ? b : a;
    }
  }
  [[gnu::always_inline]] constexpr T finish(T a, std::int64_t) const { return combine(initial, a); }

 private:
  /// NaN in all parts: of complex numbers with NaN the others come before that.
  [[gnu::always_inline]] static constexpr bool is_nothing(T a) {
    if constexpr (complex_number<T>) {
      return (a.re != a.re) & (a.im != a.im);
    } else {
      return is_nan(a);
    }
  }
};

/// Logical or (`any`) or and (`all`) of `value != 0`; NaN is true.
template <class T, bool All>
struct logical_reducer {
  using input = T;
  using accumulator = std::uint8_t;
  using result = bool;
  static constexpr const char* name = All ? "all" : "any";

  [[gnu::always_inline]] constexpr std::uint8_t identity() const { return All ? 1 : 0; }
  [[gnu::always_inline]] constexpr std::uint8_t lift(T value, std::int64_t) const { return detail::cast<bool>(value); }
  [[gnu::always_inline]] constexpr std::uint8_t combine(std::uint8_t a, std::uint8_t b) const {
    return static_cast<std::uint8_t>(All ? a & b : a | b);
  }
  [[gnu::always_inline]] constexpr bool finish(std::uint8_t a, std::int64_t) const { return a != 0; }
};

template <class T>
struct count_reducer {
  using input = T;
  using accumulator = std::int64_t;
  using result = std::int64_t;
  static constexpr const char* name = "count_nonzero";

  [[gnu::always_inline]] constexpr std::int64_t identity() const { return 0; }
  [[gnu::always_inline]] constexpr std::int64_t lift(T value, std::int64_t) const { return detail::cast<bool>(value); }
  [[gnu::always_inline]] constexpr std::int64_t combine(std::int64_t a, std::int64_t b) const { return a + b; }
  [[gnu::always_inline]] constexpr std::int64_t finish(std::int64_t a, std::int64_t) const { return a; }
};

/// A value and where it is; index -1: none yet.
template <class T>
struct indexed {
  T value;
  std::int64_t index;
};

/// The index of the first greatest or least element; the first NaN wins.
template <class T, bool Least>
struct argument_reducer {
  using input = T;
  using accumulator = indexed<T>;
  using result = std::int64_t;
  static constexpr const char* name = Least ? "argmin" : "argmax";

  [[gnu::always_inline]] constexpr accumulator identity() const { return {T(), -1}; }
  [[gnu::always_inline]] constexpr accumulator lift(T value, std::int64_t index) const { return {value, index}; }
  /// `a` holds the lower indices; on a tie it stays.
  [[gnu::always_inline]] constexpr accumulator combine(accumulator a, accumulator b) const {
    if (a.index < 0) return b;
    if (b.index < 0) return a;
    const bool better = Least ? is_less(b.value, a.value) : is_less(a.value, b.value);
    const bool a_is_nan = is_nan(a.value);
    const bool b_is_nan = is_nan(b.value);
    return ((better | b_is_nan) & !a_is_nan) ? b : a;
  }
  [[gnu::always_inline]] constexpr std::int64_t finish(accumulator a, std::int64_t) const { return a.index; }
};

}  // namespace engine
}  // namespace GPUARRAY_ABI
}  // namespace gpu
