/// @file
/// `map`: a function of the user's, fused like the library's own; `astype`: conversion of every element.
#pragma once

#include <type_traits>
#include <utility>

#include "array.hpp"
#include "engine/ops/astype.hpp"

namespace gpu {
inline namespace GPUARRAY_ABI {

namespace ops {

/// A function of the user's as an operation.
template <class F>
struct mapped {
  static constexpr const char* name = "map";
  F function;

  template <class... T>
  using arguments = std::enable_if_t<std::is_invocable_v<const F&, T...>, type_list<T...>>;
  template <class... T>
  [[nodiscard]] [[gnu::always_inline]] constexpr auto operator()(T... values) const {
    return function(values...);
  }
};

}  // namespace ops

namespace engine {

template <class F, class... Operands>
inline constexpr bool may_throw<expression<ops::mapped<F>, Operands...>> =
    !std::is_nothrow_invocable_v<const F&, typename Operands::value_type...> || (may_throw<Operands> || ...);

}  // namespace engine

/// `f` of the elements of the operands, which broadcast: `map(GPU_LAMBDA(float x, float y) { return x * y; }, a, b)`.
/// It fuses with the rest of the expression. `f` is copied; it is a GPU_LAMBDA or an object with a `constexpr
/// operator()`, takes the element types as they are and returns a value of any trivially copyable type. On the host it
/// may throw: then what was assigned to stays as it was. On a host stream other than the default one it throws later,
/// in the next call that waits: `a(gpu::ellipsis) = map(f, a)` and `a += map(f, a)` keep the old values, but a new
/// array, also that of `a = map(f, a)`, is then all zeros. Work that reads a new array finds these zeros;
/// that is also how `a(0) = sum(map(f, b))` and expressions of more than 32 arrays (16 under nvcc) write in place.
/// A function that cannot throw is faster if it is declared noexcept.
template <class F, operand_like... Operands>
  requires(array_like<Operands> || ...)
[[nodiscard]] auto map(F f, Operands&&... operands) {
#if defined(__CUDACC__)
  // A GPU_LAMBDA is bytes on the device; on the host nvcc keeps a pointer to the lambda itself beside what it captures.
  static_assert(std::is_trivially_copyable_v<F> || __nv_is_extended_host_device_lambda_closure_type(F),
                "gpuarray: where nvcc compiles, a function given to map must be trivially copyable or a GPU_LAMBDA: it "
                "travels to the GPU as bytes");
#endif
  return engine::apply(ops::mapped<F>{std::move(f)}, std::forward<Operands>(operands)...);
}

/// Every element converted to `T` as NumPy's astype does: floating to integer truncates and saturates, complex to real
/// takes the real part. An expression; assign it to an array for a copy.
template <class T, array_like A>
[[nodiscard]] auto astype(A&& x) {
  return engine::apply(ops::astype<T>{}, std::forward<A>(x));
}

}  // namespace GPUARRAY_ABI
}  // namespace gpu
