/// @file
/// The matrix of function x dtype x rank x layout x edge value that the fixtures cover: fails on an empty cell.
///
/// A cell may be empty only for a reason that NumPy shares: the dtype has no such function (NumPy raises TypeError, and
/// the fixture says so), rank 0 has one layout, a vector is its own transpose, an array of no elements has no values.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

#include "gpu/core/types.hpp"
#include "support/oracle_compare.hpp"

namespace {

using gpu::dtype;

// Tier A and B of sections 5, 10 and 11 of the API list that are elementwise, with where, clip and astype, and the
// reductions, scans and products of the foundation. Second names (asin, radians, ...) run the cases of the first.
constexpr const char* required = R"(
  bitwise_and bitwise_or bitwise_xor invert left_shift right_shift bitwise_count
  isfinite isinf isnan logical_and logical_or logical_not logical_xor isclose greater greater_equal less less_equal equal
  not_equal isneginf isposinf iscomplex isreal
  sin cos tan arcsin arccos arctan hypot arctan2 deg2rad rad2deg sinh cosh tanh arcsinh arccosh arctanh
  round rint floor ceil trunc exp expm1 exp2 log log10 log2 log1p logaddexp logaddexp2 i0 sinc signbit copysign frexp ldexp
  nextafter lcm gcd add subtract multiply divide floor_divide power remainder fmod negative reciprocal divmod modf positive
  angle real imag conjugate maximum minimum fmax fmin clip sqrt square absolute sign nan_to_num cbrt fabs rsqrt where astype
  sum prod min max mean var std any all argmin argmax count_nonzero nansum nanprod nanmin nanmax nanmean nanvar nanstd
  nanargmin nanargmax cumsum cumprod nancumsum nancumprod
  cumulative_sum cumulative_prod matmul dot vdot inner outer tensordot getitem take take_along_axis)";

constexpr const char* topics[] = {"unary_trigonometric",
                                  "unary_exponential",
                                  "unary_arithmetic",
                                  "unary_logic",
                                  "binary_arithmetic",
                                  "binary_functions",
                                  "binary_logic",
                                  "where",
                                  "clip",
                                  "astype",
                                  "reduce_sums",
                                  "reduce_nan",
                                  "reduce_orders",
                                  "scans",
                                  "products",
                                  "indexing_layouts"};

constexpr const char* layouts[] = {"contiguous", "transposed", "stepped", "reversed", "broadcast", "zero"};

using edge_set = std::set<std::string>;

bool is_complex(dtype t) { return t == dtype::complex64 || t == dtype::complex128; }
bool is_inexact(dtype t) { return t >= dtype::float16 && t <= dtype::complex128; }

/// The edge values that every layout of a dtype must show.
edge_set edges_of(dtype t) {
  if (t == dtype::bool_) return {"false", "true"};
  if (!is_inexact(t)) return {"lowest", "largest", "0"};
  return {"nan", "inf", "-inf", "-0", "largest", "lowest", "subnormal"};
}

template <class T>
void add_edges(edge_set& found, T x) {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    found.insert(x ? "true" : "false");
  } else if constexpr (std::is_integral_v<T>) {
    if (x == limits::lowest()) found.insert("lowest");
    if (x == limits::max()) found.insert("largest");
    if (x == 0) found.insert("0");
  } else if constexpr (gpu::complex_number<T>) {
    add_edges(found, x.re);
    add_edges(found, x.im);
  } else {
    const auto v = static_cast<double>(x);
    if (std::isnan(v)) found.insert("nan");
    if (std::isinf(v)) found.insert(v > 0 ? "inf" : "-inf");
    if (v == 0 && std::signbit(v)) found.insert("-0");
    if (v == static_cast<double>(limits::max())) found.insert("largest");
    if (v == static_cast<double>(limits::lowest())) found.insert("lowest");
    if (v != 0 && std::abs(v) < static_cast<double>(limits::min())) found.insert("subnormal");
  }
}

edge_set edges_in(const gpu::const_strided_ref& a) {
  edge_set found;
  if (a.extents.size() == 0) return found;
  gpu::visit_dtype(a.type, [&]<class T>(std::type_identity<T>) {
    gpu::index_vector index(a.extents.rank(), 0);
    for (std::int64_t n = a.extents.size(); n > 0; --n) {
      const char* at = static_cast<const char*>(a.data);
      for (int i = 0; i < index.rank(); ++i) at += index[i] * a.strides[i];
      T element;
      std::memcpy(&element, at, sizeof element);
      add_edges(found, element);
      for (int i = index.rank() - 1; i >= 0 && ++index[i] == a.extents[i]; --i) index[i] = 0;
    }
  });
  return found;
}

class matrix {
 public:
  explicit matrix(const char* topic)
      : fixture_(oracle::fixture::load(topic)), is_product_(std::strcmp(topic, "products") == 0) {
    for (const oracle::test_case& c : fixture_.cases) add(c);
  }

  /// Says which cells are empty, of the functions of this topic.
  void check() {
    for (const std::string& function : functions) {
      for (int i = 0; i < gpu::detail::dtype_count; ++i) {
        const auto type = static_cast<dtype>(i);
        const bool no_such =
            rejected_.count({function, type}) > 0 || (function == "rsqrt" && is_complex(type));  // CuPy's is real
        if (!no_such) check(function, type);
      }
    }
  }

  std::set<std::string> functions;

 private:
  using cell = std::tuple<std::string, dtype, std::string>;  // function, dtype, "rank/layout"

  void add(const oracle::test_case& c) {
    functions.insert(c.function);
    const std::size_t first = c.function == "where" ? 1 : 0;  // the condition is no value
    bool same_types = true;
    for (std::size_t i = first; i < c.operands.size(); ++i) {
      if (c.operands[first].weak || c.operands[i].weak) return;
      same_types &= fixture_.type_of(c.operands[i]) == fixture_.type_of(c.operands[first]);
    }
    if (c.raises && c.error == "TypeError") {
      if (same_types) rejected_.insert({c.function, fixture_.type_of(c.operands[first])});
      return;
    }
    for (const oracle::variant& v : fixture_.families[c.operands[first].family]) {
      const dtype type = fixture_.arrays[v.array].type;
      const edge_set& found = edges(v);
      for (const std::string& label : {v.label, std::string("any")})
        cells_[{c.function, type, label}].insert(found.begin(), found.end());
    }
  }

  /// The edge values of one layout of an array; many cases share it.
  const edge_set& edges(const oracle::variant& v) {
    const auto [at, is_new] = seen_.try_emplace({v.array, v.recipe});
    if (is_new) at->second = edges_in(oracle::apply(fixture_.recipes[v.recipe], fixture_.arrays[v.array]));
    return at->second;
  }

  void check(const std::string& function, dtype type) {
    for (int rank = function == "matmul" ? 1 : 0; rank <= 5; ++rank) {  // NumPy's matmul rejects rank 0
      for (const std::string layout : layouts) {
        if (rank == 0 && layout != "contiguous") continue;
        if (rank == 1 && layout == "transposed") continue;
        const std::string label = std::to_string(rank) + "/" + layout;
        const auto at = cells_.find({function, type, label});
        if (at == cells_.end()) {
          ADD_FAILURE() << function << " of " << gpu::name(type) << ": no case of " << label;
        } else if (!is_product_ && layout != "zero") {
          expect_all(edges_of(type), at->second, function, type, label);
        }
      }
    }
    // What products make of edge values does not depend on layouts: BLAS or a kernel sees a matrix.
    if (is_product_ && is_inexact(type)) {
      expect_all({"nan", "inf", "-inf", "-0", "largest", "subnormal"}, cells_[{function, type, "any"}], function, type,
                 "any layout");
    }
  }

  static void expect_all(const edge_set& wanted, const edge_set& found, const std::string& function, dtype type,
                         const std::string& where) {
    for (const std::string& edge : wanted) {
      if (found.count(edge) == 0)
        ADD_FAILURE() << function << " of " << gpu::name(type) << ", " << where << ": no " << edge;
    }
  }

  const oracle::fixture& fixture_;
  bool is_product_;
  std::map<cell, edge_set> cells_;
  std::set<std::pair<std::string, dtype>> rejected_;
  std::map<std::pair<std::size_t, std::size_t>, edge_set> seen_;
};

TEST(oracle_coverage, has_no_empty_cell) {
  std::set<std::string> functions;
  for (const char* topic : topics) {
    matrix m(topic);
    m.check();
    functions.insert(m.functions.begin(), m.functions.end());
  }
  std::istringstream names(required);
  for (std::string name; names >> name;) EXPECT_EQ(functions.count(name), 1u) << "no case of " << name;
}

// What moves elements as they are: every dtype, layout and rank from the first to the last that the function takes.
struct moving_function {
  const char* topic;
  const char* name;
  int first_rank;
  int last_rank;
};

constexpr moving_function moving[] = {{"joining", "concatenate", 0, 5},
                                      {"joining", "stack", 0, 5},
                                      {"joining", "vstack", 0, 5},
                                      {"joining", "hstack", 0, 5},
                                      {"joining", "dstack", 0, 5},
                                      {"joining", "column_stack", 0, 5},
                                      {"joining", "append", 0, 5},
                                      {"joining", "block", 0, 5},
                                      {"splitting", "split", 1, 5},
                                      {"splitting", "array_split", 1, 5},
                                      {"splitting", "hsplit", 1, 5},
                                      {"splitting", "vsplit", 2, 5},
                                      {"splitting", "dsplit", 3, 5},
                                      {"splitting", "unstack", 1, 5},
                                      {"tiling", "tile", 0, 5},
                                      {"tiling", "repeat", 0, 5},
                                      {"tiling", "resize", 0, 5},
                                      {"rearranging", "roll", 0, 5},
                                      {"rearranging", "rot90", 2, 5},
                                      {"rearranging", "flipud", 1, 5},
                                      {"rearranging", "fliplr", 2, 5},
                                      {"rearranging", "rollaxis", 1, 5},
                                      {"rearranging", "atleast_1d", 0, 5},
                                      {"rearranging", "atleast_2d", 0, 5},
                                      {"rearranging", "atleast_3d", 0, 5},
                                      {"rearranging", "broadcast_arrays", 0, 5},
                                      {"rearranging", "copyto", 0, 5},
                                      {"editing", "delete", 0, 5},
                                      {"editing", "insert", 0, 5},
                                      {"editing", "trim_zeros", 0, 5},
                                      {"padding", "pad", 0, 5},
                                      {"building", "diag", 1, 2},
                                      {"building", "diagflat", 0, 5},
                                      {"building", "tril", 1, 5},
                                      {"building", "triu", 1, 5},
                                      {"building", "vander", 1, 1},
                                      {"building", "meshgrid", 0, 2},
                                      {"building", "asfortranarray", 0, 5},
                                      {"building", "ascontiguousarray", 0, 5},
                                      {"building", "sliding_window_view", 1, 5}};

TEST(oracle_coverage, of_moved_elements_has_no_empty_cell) {
  std::map<std::string, std::set<std::string>> labels;  // "function dtype": the layouts, and the ranks, of its operands
  for (const char* topic : {"joining", "splitting", "tiling", "rearranging", "editing", "padding", "building"}) {
    const oracle::fixture& f = oracle::fixture::load(topic);
    for (const oracle::test_case& c : f.cases) {
      for (const oracle::operand& o : c.operands) {
        if (c.raises || o.weak) continue;
        for (const oracle::variant& v : f.families[o.family]) {
          std::set<std::string>& found = labels[c.function + " " + gpu::name(f.arrays[v.array].type)];
          found.insert(v.label.substr(0, 1));
          found.insert(v.label.substr(2));
        }
      }
    }
  }
  for (const moving_function& m : moving) {
    for (int i = 0; i < gpu::detail::dtype_count; ++i) {
      const auto type = static_cast<dtype>(i);
      const std::string function = m.name;
      if (function == "vander" && type == dtype::bfloat16) continue;  // NumPy has no float64 powers of it
      const std::set<std::string>& found = labels[function + " " + gpu::name(type)];
      std::set<std::string> wanted(std::begin(layouts), std::end(layouts));
      if (m.last_rank == 1) wanted.erase("transposed");
      if (function == "trim_zeros") wanted.erase("broadcast");
      for (int rank = m.first_rank; rank <= m.last_rank; ++rank) wanted.insert(std::to_string(rank));
      for (const std::string& label : wanted) {
        EXPECT_EQ(found.count(label), 1u) << function << " of " << gpu::name(type) << ": no case of " << label;
      }
    }
  }
}

}  // namespace
