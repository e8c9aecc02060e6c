/// @file
/// The reader of tests/oracle/fixture.py's format.
#include "oracle_fixture.hpp"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>

namespace oracle {
namespace {

class reader {
 public:
  explicit reader(const std::string& path) : path_(path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("no fixture " + path + " (GPUARRAY_FIXTURES names another folder)");
    data_.assign(std::istreambuf_iterator<char>(file), {});
    if (data_.size() < 8 || std::memcmp(data_.data(), "gpuorcl1", 8) != 0) fail("not a fixture of this version");
    at_ = 8;
  }

  void read(fixture& f) {
    list(strings_, [&] { return text(number()); });
    list(f.arrays, [&] { return array(); });
    list(f.recipes, [&] { return read_recipe(); });
    list(f.families, [&] {
      std::vector<variant> family;
      list(family, [&] { return variant{string(), number(), number()}; });
      return family;
    });
    list(f.cases, [&] { return read_case(); });
    if (at_ != data_.size()) fail("bytes left over");
  }

 private:
  [[noreturn]] void fail(const char* what) const { throw std::runtime_error("fixture " + path_ + ": " + what); }

  const char* take(std::size_t bytes) {
    if (bytes > data_.size() - at_) fail("truncated");
    at_ += bytes;
    return data_.data() + at_ - bytes;
  }
  std::uint8_t byte() { return static_cast<std::uint8_t>(*take(1)); }
  std::size_t number() {
    std::size_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint8_t b = byte();
      value |= static_cast<std::size_t>(b & 0x7F) << shift;
      if (b < 0x80) return value;
    }
  }
  std::int64_t signed_number() {
    const std::uint64_t coded = number();
    return static_cast<std::int64_t>(coded >> 1) ^ -static_cast<std::int64_t>(coded & 1);
  }
  double real() {
    double value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string text(std::size_t length) {
    const char* first = take(length);
    return {first, first + length};
  }
  std::string string() { return strings_.at(number()); }

  template <class T, class Read>
  void list(std::vector<T>& out, Read read_one) {
    const std::size_t count = number();
    out.reserve(count);
    for (std::size_t i = 0; i < count; ++i) out.push_back(read_one());
  }

  pool_array array() {
    pool_array a;
    a.type = static_cast<gpu::dtype>(byte());
    list(a.extents, [&] { return static_cast<std::int64_t>(number()); });
    for (const std::int64_t extent : a.extents) a.size *= extent;
    const std::size_t bytes = static_cast<std::size_t>(a.size) * gpu::itemsize(a.type);
    a.storage.resize(bytes / sizeof(std::max_align_t) + 1);
    std::memcpy(a.storage.data(), take(bytes), bytes);
    return a;
  }

  recipe read_recipe() {
    recipe steps;
    list(steps, [&] {
      step s;
      s.what = static_cast<step::kind>(byte());
      if (s.what == step::kind::index) {
        list(s.entries, [&] { return entry(); });
      } else {
        list(s.numbers, [&] { return signed_number(); });
      }
      return s;
    });
    return steps;
  }

  index_entry entry() {
    index_entry e;
    e.what = static_cast<index_entry::kind>(byte());
    if (e.what == index_entry::kind::integer) {
      e.integer = signed_number();
    } else if (e.what == index_entry::kind::slice) {
      const std::uint8_t flags = byte();
      e.has_start = (flags & 1) != 0;
      e.has_stop = (flags & 2) != 0;
      e.has_step = (flags & 4) != 0;
      if (e.has_start) e.start = signed_number();
      if (e.has_stop) e.stop = signed_number();
      if (e.has_step) e.step = signed_number();
    }
    return e;
  }

  value read_value() {
    value v;
    v.what = static_cast<value::kind>(byte());
    switch (v.what) {
      case value::kind::none: break;
      case value::kind::boolean: v.integer = byte(); break;
      case value::kind::integer: v.integer = signed_number(); break;
      case value::kind::real: v.real = real(); break;
      case value::kind::complex:
        v.real = real();
        v.imag = real();
        break;
      case value::kind::text: v.text = string(); break;
      case value::kind::integers: list(v.integers, [&] { return signed_number(); }); break;
    }
    return v;
  }

  test_case read_case() {
    test_case c;
    c.function = string();
    list(c.options, [&] {
      std::string key = string();
      return option{key, read_value()};
    });
    list(c.operands, [&] {
      operand o;
      o.weak = byte() != 0;
      if (o.weak) {
        o.scalar = read_value();
      } else {
        o.family = number();
      }
      return o;
    });
    c.raises = byte() != 0;
    if (c.raises) {
      c.error = string();
      c.message = string();
    } else {
      list(c.results, [&] { return read_result(); });
    }
    return c;
  }

  result read_result() {
    result r;
    r.array = number();
    r.tolerance.what = static_cast<tolerance::kind>(byte());
    if (r.tolerance.what == tolerance::kind::bounds) {
      r.tolerance.bounds = number();
    } else if (r.tolerance.what != tolerance::kind::exact) {
      r.tolerance.amount = real();
    }
    list(r.recipes, [&] { return number(); });
    return r;
  }

  std::string path_;
  std::vector<char> data_;
  std::size_t at_ = 0;
  std::vector<std::string> strings_;
};

std::string folder() {
  if (const char* given = std::getenv("GPUARRAY_FIXTURES")) return given;
  if (std::ifstream("fixtures/oracle_unary_logic.bin")) return "fixtures";
  const std::string here = __FILE__;  // tests/support/oracle_fixture.cpp
  return here.substr(0, here.rfind("support")) + "fixtures";
}

std::string to_text(const value& v) {
  switch (v.what) {
    case value::kind::none: return "None";
    case value::kind::boolean: return v.integer != 0 ? "True" : "False";
    case value::kind::integer: return std::to_string(v.integer);
    case value::kind::real: return std::to_string(v.real);
    case value::kind::complex: return std::to_string(v.real) + "+" + std::to_string(v.imag) + "j";
    case value::kind::text: return v.text;
    case value::kind::integers: break;
  }
  std::string text = "(";
  for (const std::int64_t n : v.integers) text += std::to_string(n) + ",";
  return text + ")";
}

std::string to_text(const index_entry& e) {
  switch (e.what) {
    case index_entry::kind::integer: return std::to_string(e.integer);
    case index_entry::kind::newaxis: return "newaxis";
    case index_entry::kind::ellipsis: return "...";
    case index_entry::kind::slice: break;
  }
  std::string text = e.has_start ? std::to_string(e.start) + ":" : ":";
  if (e.has_stop) text += std::to_string(e.stop);
  return e.has_step ? text + ":" + std::to_string(e.step) : text;
}

std::string to_text(const recipe& steps) {
  constexpr const char* names[] = {".reshape(", ".transpose(", "[", ".broadcast_to("};
  std::string text;
  for (const step& s : steps) {
    text += names[static_cast<int>(s.what)];
    for (const std::int64_t n : s.numbers) text += std::to_string(n) + ",";
    for (const index_entry& e : s.entries) text += to_text(e) + ",";
    if (text.back() == ',') text.pop_back();
    text += s.what == step::kind::index ? "]" : ")";
  }
  return text;
}

}  // namespace

const value* test_case::find(const char* key) const noexcept {
  for (const option& o : options) {
    if (o.key == key) return &o.value;
  }
  return nullptr;
}

bool test_case::flag(const char* key) const noexcept { return integer(key, 0) != 0; }

std::int64_t test_case::integer(const char* key, std::int64_t otherwise) const noexcept {
  const value* v = find(key);
  return v != nullptr ? v->integer : otherwise;
}

double test_case::real(const char* key, double otherwise) const noexcept {
  const value* v = find(key);
  if (v == nullptr) return otherwise;
  return v->what == value::kind::real ? v->real : static_cast<double>(v->integer);
}

const fixture& fixture::load(const std::string& name) {
  static auto& loaded = *new std::map<std::string, std::unique_ptr<fixture>>;
  std::unique_ptr<fixture>& slot = loaded[name];
  if (!slot) {
    auto f = std::make_unique<fixture>();
    f->name = name;
    reader(folder() + "/oracle_" + name + ".bin").read(*f);
    slot = std::move(f);
  }
  return *slot;
}

gpu::dtype fixture::type_of(const operand& o) const noexcept {
  return o.weak ? gpu::dtype::other : arrays[families[o.family].front().array].type;
}

std::size_t fixture::variants(const test_case& c) const noexcept {
  std::size_t count = 1;
  for (const operand& o : c.operands) {
    if (!o.weak && families[o.family].size() > count) count = families[o.family].size();
  }
  return count;
}

const variant& fixture::variant_of(const operand& o, std::size_t index) const noexcept {
  const std::vector<variant>& family = families[o.family];
  return family[family.size() == 1 ? 0 : index];
}

std::string fixture::describe(const test_case& c, std::size_t variant_index) const {
  std::string text = name + " case " + std::to_string(&c - cases.data()) + ", layout " + std::to_string(variant_index) +
                     ": " + c.function + "(";
  for (const operand& o : c.operands) {
    if (o.weak) {
      text += to_text(o.scalar) + ", ";
      continue;
    }
    const variant& v = variant_of(o, variant_index);
    text += std::string(gpu::name(arrays[v.array].type)) + "[" + v.label + "]" + to_text(recipes[v.recipe]) + ", ";
  }
  for (const option& o : c.options) text += o.key + "=" + to_text(o.value) + ", ";
  if (text.size() > 2 && text[text.size() - 2] == ',') text.resize(text.size() - 2);
  return text + ")";
}

}  // namespace oracle
