#include <gtest/gtest.h>

#include <gpu/core/constants.hpp>
#include <string>

#include "core_tables.hpp"

namespace {

namespace tables = core_tables;
using gpu::casting;
using gpu::dtype;

constexpr int dtypes = 15;

TEST(promotion, equals_numpy_for_every_pair) {
  for (const auto& row : tables::promotion_rows) {
    EXPECT_EQ(gpu::promote_types(tables::type(row.from), tables::type(row.to)), tables::type(row.result))
        << gpu::name(tables::type(row.from)) << " with " << gpu::name(tables::type(row.to));
  }
}

TEST(promotion, of_three_types_equals_numpy_result_type) {
  for (const auto& row : tables::triple_rows) {
    EXPECT_EQ(gpu::result_type(tables::type(row.first), tables::type(row.second), tables::type(row.third)),
              tables::type(row.result));
  }
}

TEST(promotion, is_commutative_and_keeps_a_single_type) {
  for (int a = 0; a < dtypes; ++a) {
    EXPECT_EQ(gpu::promote_types(tables::type(a), tables::type(a)), tables::type(a));
    EXPECT_EQ(gpu::result_type(tables::type(a)), tables::type(a));
    for (int b = 0; b < dtypes; ++b) {
      EXPECT_EQ(gpu::promote_types(tables::type(a), tables::type(b)),
                gpu::promote_types(tables::type(b), tables::type(a)));
    }
  }
}

TEST(promotion, of_bfloat16_is_that_of_float16_except_between_the_two) {
  for (int other = 0; other < dtypes; ++other) {
    const dtype with_half = gpu::promote_types(tables::type(other), dtype::float16);
    const dtype got = gpu::promote_types(tables::type(other), dtype::bfloat16);
    if (other == static_cast<int>(dtype::float16)) {
      EXPECT_EQ(got, dtype::float32);
    } else if (with_half == dtype::float16) {
      EXPECT_EQ(got, dtype::bfloat16);
    } else if (other != static_cast<int>(dtype::bfloat16)) {
      EXPECT_EQ(got, with_half);
    }
  }
}

TEST(promotion, of_types_agrees_with_that_of_dtypes) {
  for (int a = 0; a < dtypes; ++a) {
    gpu::visit_dtype(tables::type(a), [&]<class A>(std::type_identity<A>) {
      for (int b = 0; b < dtypes; ++b) {
        gpu::visit_dtype(tables::type(b), [&]<class B>(std::type_identity<B>) {
          EXPECT_EQ((gpu::dtype_of<gpu::result_type_t<A, B>>), gpu::promote_types(tables::type(a), tables::type(b)));
        });
      }
    });
  }
}

struct point {
  float x, y;
};

template <class A, class B>
concept has_result_type = requires { typename gpu::result_type_t<A, B>; };

static_assert(std::same_as<gpu::result_type_t<gpu::int16, gpu::uint16, float>, float>);
static_assert(std::same_as<gpu::result_type_t<long long, const long>, gpu::int64>);
static_assert(std::same_as<gpu::result_type_t<point, point>, point> && !has_result_type<point, float>);

TEST(promotion, of_a_users_type_with_another_type_throws) {
  EXPECT_THROW((void)gpu::promote_types(dtype::other, dtype::float32), gpu::type_error);
}

template <class T, class Scalar>
dtype weak() {
  return gpu::dtype_of<gpu::weak_result_t<T, Scalar>>;
}

TEST(weak_scalars, keep_the_dtypes_that_numpy_keeps) {
  for (const auto& row : tables::weak_rows) {
    gpu::visit_dtype(tables::type(row.type), [&]<class T>(std::type_identity<T>) {
      EXPECT_EQ((weak<T, bool>()), tables::type(row.with_bool));
      EXPECT_EQ((weak<T, unsigned long long>()), tables::type(row.with_int));
      EXPECT_EQ((weak<T, signed char>()), tables::type(row.with_int));
      EXPECT_EQ((weak<T, double>()), tables::type(row.with_float));
      EXPECT_EQ((weak<T, gpu::half>()), tables::type(row.with_float));
      EXPECT_EQ((weak<T, gpu::complex<double>>()), tables::type(row.with_complex));
      EXPECT_EQ(gpu::dtype_of<gpu::sum_result_t<T>>, tables::type(row.sum));
    });
  }
  static_assert(std::same_as<gpu::weak_result_t<gpu::bfloat16, double>, gpu::bfloat16>);
  static_assert(std::same_as<gpu::weak_result_t<gpu::bfloat16, gpu::complex<double>>, gpu::complex<float>>);
  static_assert(std::same_as<gpu::weak_result_t<gpu::uint8, decltype(gpu::pi)>, double>);
}

template <class T, class Scalar>
std::string weak_error(Scalar scalar) {
  try {
    gpu::check_weak<T>(scalar);
  } catch (const gpu::type_error& error) {
    return error.what();
  }
  return "";
}

TEST(weak_scalars, that_do_not_fit_an_integer_type_throw_as_numpy) {
  EXPECT_EQ(weak_error<gpu::int8>(300), "integer 300 out of bounds for int8");
  EXPECT_EQ(weak_error<gpu::int8>(128), "integer 128 out of bounds for int8");
  EXPECT_EQ(weak_error<gpu::int8>(-128), "");
  EXPECT_EQ(weak_error<gpu::int8>(-129L), "integer -129 out of bounds for int8");
  EXPECT_EQ(weak_error<gpu::uint64>(-1), "integer -1 out of bounds for uint64");
  EXPECT_EQ(weak_error<gpu::uint64>(~0ull), "");
  EXPECT_EQ(weak_error<gpu::int64>(~0ull), "integer 18446744073709551615 out of bounds for int64");
  EXPECT_EQ(weak_error<gpu::uint8>(255u), "");
  EXPECT_EQ(weak_error<gpu::uint8>(true), "");
  EXPECT_EQ(weak_error<gpu::half>(1 << 30), "");
  EXPECT_EQ(weak_error<gpu::int8>(1e10), "");
}

TEST(can_cast, equals_numpy_for_every_pair_and_rule) {
  for (const auto& row : tables::promotion_rows) {
    for (int rule = 0; rule <= static_cast<int>(casting::unsafe); ++rule) {
      EXPECT_EQ(gpu::can_cast(tables::type(row.from), tables::type(row.to), static_cast<casting>(rule)),
                rule >= row.strictest)
          << gpu::name(tables::type(row.from)) << " to " << gpu::name(tables::type(row.to)) << " by rule " << rule;
    }
  }
}

TEST(can_cast, of_bfloat16_and_of_a_users_type) {
  EXPECT_TRUE(gpu::can_cast(dtype::bfloat16, dtype::float32));
  EXPECT_TRUE(gpu::can_cast(dtype::uint8, dtype::bfloat16));
  EXPECT_FALSE(gpu::can_cast(dtype::int16, dtype::bfloat16));
  EXPECT_FALSE(gpu::can_cast(dtype::float16, dtype::bfloat16));
  EXPECT_TRUE(gpu::can_cast(dtype::float16, dtype::bfloat16, casting::same_kind));
  EXPECT_TRUE(gpu::can_cast(dtype::bfloat16, dtype::float16, casting::same_kind));
  EXPECT_FALSE(gpu::can_cast(dtype::bfloat16, dtype::int64, casting::same_kind));
  EXPECT_FALSE(gpu::can_cast(dtype::other, dtype::float32, casting::same_kind));
  EXPECT_TRUE((gpu::can_cast<point, point>(casting::no)));
  static_assert(gpu::same_kind_castable<double, gpu::half> && gpu::same_kind_castable<int, float>);
  static_assert(!gpu::same_kind_castable<float, int> && !gpu::same_kind_castable<int, unsigned>);
  static_assert(!gpu::same_kind_castable<gpu::complex<float>, double>);
}

static_assert(std::same_as<gpu::accumulator_t<bool>, gpu::int64> &&
              std::same_as<gpu::accumulator_t<gpu::int8>, gpu::int64>);
static_assert(std::same_as<gpu::accumulator_t<gpu::uint16>, gpu::uint64> &&
              std::same_as<gpu::accumulator_t<double>, double>);
static_assert(std::same_as<gpu::accumulator_t<gpu::half>, float> &&
              std::same_as<gpu::accumulator_t<gpu::bfloat16>, float>);
static_assert(std::same_as<gpu::sum_result_t<gpu::bfloat16>, gpu::bfloat16>);
static_assert(std::same_as<gpu::real_t<gpu::complex<double>>, double> && std::same_as<gpu::real_t<int>, int>);
static_assert(std::same_as<gpu::complex_t<gpu::bfloat16>, gpu::complex<float>>);
static_assert(std::same_as<gpu::common_type_t<int, float>, double>);
static_assert(std::same_as<gpu::common_type_t<gpu::half, float>, float> &&
              std::same_as<gpu::common_type_t<bool>, double>);
static_assert(std::same_as<gpu::complex_t<gpu::int8>, gpu::complex<double>>);

TEST(isdtype, sorts_the_dtypes_into_numpys_kinds) {
  using gpu::kind;
  for (int id = 0; id < dtypes; ++id) {
    const dtype t = tables::type(id);
    const std::string text = gpu::name(t);
    const bool is_int = text.starts_with("int"), is_uint = text.starts_with("uint");
    const bool is_real = text.find("float") != std::string::npos, is_complex = text.starts_with("complex");
    EXPECT_EQ(gpu::isdtype(t, kind::boolean_type), text == "bool");
    EXPECT_EQ(gpu::isdtype(t, kind::signed_integer), is_int);
    EXPECT_EQ(gpu::isdtype(t, kind::unsigned_integer), is_uint);
    EXPECT_EQ(gpu::isdtype(t, kind::integral), is_int || is_uint);
    EXPECT_EQ(gpu::isdtype(t, kind::real_floating), is_real);
    EXPECT_EQ(gpu::isdtype(t, kind::complex_floating), is_complex);
    EXPECT_EQ(gpu::issubdtype(t, kind::inexact), is_real || is_complex);
    EXPECT_EQ(gpu::issubdtype(t, kind::numeric), text != "bool");
    EXPECT_TRUE(gpu::issubdtype(t, t));
  }
  EXPECT_FALSE(gpu::isdtype(dtype::other, kind::numeric));
}

TEST(finfo, equals_numpy) {
  for (const auto& row : tables::finfo_rows) {
    gpu::visit_dtype(tables::type(row.type), [&]<class T>(std::type_identity<T>) {
      if constexpr (gpu::floating<T>) {
        using info = gpu::finfo<T>;
        EXPECT_EQ(info::bits, row.bits);
        EXPECT_EQ(info::nmant, row.nmant);
        EXPECT_EQ(info::nexp, row.nexp);
        EXPECT_EQ(info::iexp, row.iexp);
        EXPECT_EQ(info::machep, row.machep);
        EXPECT_EQ(info::negep, row.negep);
        EXPECT_EQ(info::minexp, row.minexp);
        EXPECT_EQ(info::maxexp, row.maxexp);
        EXPECT_EQ(info::precision, row.precision);
        EXPECT_EQ(double(info::eps), tables::number(row.eps));
        EXPECT_EQ(double(info::epsneg), tables::number(row.epsneg));
        EXPECT_EQ(double(info::max), tables::number(row.max));
        EXPECT_EQ(double(info::min), tables::number(row.min));
        EXPECT_EQ(double(info::smallest_normal), tables::number(row.smallest_normal));
        EXPECT_EQ(double(info::smallest_subnormal), tables::number(row.smallest_subnormal));
        EXPECT_EQ(double(info::resolution), tables::number(row.resolution));
      }
    });
  }
}

TEST(finfo, of_bfloat16_and_complex) {
  EXPECT_EQ(double(gpu::finfo<gpu::bfloat16>::eps), 0.0078125);
  EXPECT_EQ(double(gpu::finfo<gpu::bfloat16>::smallest_subnormal), 0x1p-133);
  EXPECT_EQ(gpu::finfo<gpu::bfloat16>::precision, 2);
  EXPECT_EQ(gpu::finfo<gpu::complex<float>>::eps, gpu::finfo<float>::eps);
  EXPECT_EQ(gpu::finfo<gpu::complex<float>>::dtype, dtype::float32);
}

TEST(iinfo, has_numpys_fields) {
  EXPECT_EQ(gpu::iinfo<gpu::int8>::min, -128);
  EXPECT_EQ(gpu::iinfo<gpu::uint64>::max, ~std::uint64_t{0});
  EXPECT_EQ(gpu::iinfo<gpu::int32>::bits, 32);
  EXPECT_EQ(gpu::iinfo<gpu::uint16>::kind, 'u');
}

}  // namespace
