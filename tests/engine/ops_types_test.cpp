#include <gtest/gtest.h>

#include <gpu/core/types.hpp>
#include <gpu/engine/ops/arithmetic.hpp>
#include <gpu/engine/ops/bitwise.hpp>
#include <gpu/engine/ops/comparison.hpp>
#include <gpu/engine/ops/complex_parts.hpp>
#include <gpu/engine/ops/division.hpp>
#include <gpu/engine/ops/exponents.hpp>
#include <gpu/engine/ops/extrema.hpp>
#include <gpu/engine/ops/floating_point.hpp>
#include <gpu/engine/ops/hyperbolic.hpp>
#include <gpu/engine/ops/logic.hpp>
#include <gpu/engine/ops/power.hpp>
#include <gpu/engine/ops/predicates.hpp>
#include <gpu/engine/ops/rational.hpp>
#include <gpu/engine/ops/rounding.hpp>
#include <gpu/engine/ops/special.hpp>
#include <gpu/engine/ops/trigonometric.hpp>
#include <type_traits>
#include <utility>

// The loops that NumPy's ufuncs resolve to.
namespace {

namespace ops = gpu::ops;
using gpu::bfloat16;
using gpu::half;
using gpu::int16;
using gpu::int32;
using gpu::int64;
using gpu::int8;
using gpu::type_list;
using gpu::uint16;
using gpu::uint32;
using gpu::uint64;
using gpu::uint8;
using complexf = gpu::complex<float>;
using complexd = gpu::complex<double>;

template <class Op, class... A>
concept supported = requires { typename Op::template arguments<A...>; };
template <class Op, class List>
struct result_of;
template <class Op, class... X>
struct result_of<Op, type_list<X...>> {
  using type = decltype(std::declval<Op>()(std::declval<X>()...));
};
template <class Op, class... A>
using result = typename result_of<Op, typename Op::template arguments<A...>>::type;
template <class Wanted, class Op, class... A>
constexpr bool gives = std::is_same_v<result<Op, A...>, Wanted>;
static_assert(gives<half, ops::exp, int8> && gives<float, ops::exp, int16> && gives<double, ops::exp, int32>);
static_assert(gives<half, ops::sqrt, bool> && gives<float, ops::sin, uint16> && gives<double, ops::log, uint64>);
static_assert(gives<bfloat16, ops::exp, bfloat16> && gives<complexf, ops::exp, complexf>);
static_assert(gives<half, ops::arctan2, int8, uint8> && gives<float, ops::arctan2, uint16, int8>);
static_assert(gives<bfloat16, ops::hypot, int8, bfloat16> && gives<float, ops::hypot, half, bfloat16>);
static_assert(gives<double, ops::divide, int8, int8> && gives<double, ops::divide, bool, bool>);
static_assert(gives<half, ops::divide, int8, half> && gives<complexd, ops::divide, int32, complexf>);
static_assert(gives<bool, ops::add, bool, bool> && gives<int16, ops::add, int8, uint8>);
static_assert(!supported<ops::subtract, bool, bool> && gives<int8, ops::subtract, bool, int8>);
static_assert(!supported<ops::negative, bool> && !supported<ops::positive, bool> && !supported<ops::sign, bool>);
static_assert(gives<bool, ops::absolute, bool> && gives<float, ops::absolute, complexf>);
static_assert(gives<int8, ops::floor_divide, bool, bool> && !supported<ops::remainder, complexf, complexf>);
static_assert(gives<double, ops::floor_divide, int64, uint64> && !supported<ops::gcd, int64, uint64>);
static_assert(!supported<ops::bitwise_and, float, float> && !supported<ops::left_shift, int64, uint64>);
static_assert(gives<int8, ops::left_shift, bool, bool> && gives<bool, ops::bitwise_or, bool, bool>);
static_assert(gives<uint8, ops::bitwise_count, int64> && !supported<ops::gcd, bool, bool>);
static_assert(gives<int32, ops::floor, int32> && gives<half, ops::rint, int8> && gives<half, ops::round, bool>);
static_assert(gives<complexd, ops::float_power, half, complexf> && gives<double, ops::float_power, half, int8>);
static_assert(std::is_same_v<ops::less::arguments<double, int64>, type_list<double, double>>);
static_assert(std::is_same_v<ops::less::arguments<int8, uint64>, type_list<int64, uint64>>);
static_assert(std::is_same_v<ops::ldexp::arguments<int8, uint32>, type_list<half, int64>>);
static_assert(std::is_same_v<ops::where::arguments<int32, int8, float>, type_list<bool, float, float>>);
static_assert(gives<double, ops::angle, bool> && gives<half, ops::angle, int8> && gives<int8, ops::conjugate, bool>);
static_assert(gives<int32, ops::frexp_exponent, half> && gives<bool, ops::isclose, complexf, int8>);

TEST(ops_types, are_those_of_numpy) { SUCCEED() << "checked when compiled"; }

}  // namespace
