/// @file
/// Every public function has a test: the headers are read, and the tests. A function of the mathematical topics, or
/// of those that move elements, must be called by the tests against NumPy (whose matrix of dtypes, ranks, layouts and
/// edge values oracle/coverage_matrix_test.cpp checks), any other by some test.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// The functions that a header of include/gpu declares at namespace scope, engine and the like aside.
std::set<std::string> functions_of(const fs::path& header) {
  static const std::regex attributes(R"(\[\[.*?\]\])");
  static const std::regex declaration(
      R"(^\s*(?!template|requires|using|struct|class|namespace|return)[a-z][\w:<>,&* ]*[ &*]([a-z]\w*)\()");
  static const std::regex inner(R"(^namespace (?!gpu\b|random\b|memory\b))");
  std::set<std::string> names;
  bool is_inner = false;
  std::ifstream in(header);
  for (std::string line; std::getline(in, line);) {
    if (std::regex_search(line, inner)) is_inner = true;
    if (line.rfind("}  // namespace", 0) == 0) is_inner = false;
    if (is_inner || line.empty() || line[0] == ' ') continue;
    const std::string bare = std::regex_replace(line, attributes, "");
    std::smatch found;
    if (std::regex_search(bare, found, declaration)) names.insert(found[1]);
  }
  names.erase("operator");
  names.erase("decltype");
  return names;
}

/// Everything that the tests call as `gpu::name`.
std::set<std::string> called_in(const fs::path& folder) {
  static const std::regex call(R"(\bgpu::(?:random::|memory::)?([a-z]\w*))");
  std::set<std::string> names;
  for (const fs::directory_entry& e : fs::recursive_directory_iterator(folder)) {
    const std::string path = e.path().generic_string();
    // Those only have to compile.
    if (path.find("compile_fail") != std::string::npos || path.find("docs_snippets") != std::string::npos) continue;
    if (e.path().extension() != ".cpp") continue;
    const std::string text = text_of(e.path());
    for (std::sregex_iterator at(text.begin(), text.end(), call), end; at != end; ++at) names.insert((*at)[1]);
  }
  return names;
}

TEST(every_function, has_a_test) {
  const std::set<std::string> anywhere = called_in(".");
  const std::set<std::string> against_numpy = called_in("oracle");
  const std::set<std::string> mathematics{
      "arithmetic", "bitwise", "complex_numbers", "editing",  "exponents",    "extrema",     "floating_point",
      "joining",    "linalg",  "logic",           "matrices", "padding",      "rearranging", "reduce",
      "rounding",   "scan",    "splitting",       "tiling",   "trigonometric"};
  // Compared by hand in engine/ops_test.cpp and api/: results of one bool, questions about types, and compositions.
  const std::set<std::string> by_hand{"allclose",    "array_equal", "array_equiv", "iscomplexobj", "isrealobj",
                                      "float_power", "heaviside",   "amax",        "amin",         "concat"};
  int count = 0;
  for (const fs::directory_entry& e : fs::directory_iterator("../include/gpu")) {
    if (e.path().extension() != ".hpp") continue;
    const std::string topic = e.path().stem();
    for (const std::string& name : functions_of(e.path())) {
      ++count;
      const bool numpy = mathematics.count(topic) > 0 && by_hand.count(name) == 0;
      EXPECT_TRUE((numpy ? against_numpy : anywhere).count(name) > 0)
          << topic << ".hpp: no test " << (numpy ? "against NumPy " : "") << "calls gpu::" << name;
    }
  }
  EXPECT_GT(count, 150) << "the headers are written in a way that this test no longer reads";
}

}  // namespace
