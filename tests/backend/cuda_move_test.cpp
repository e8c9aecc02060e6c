// Kernels that move or make elements: strided copies, fills, generated values, gather, scatter, boolean masks.
#if defined(__CUDACC__)

#include <gpu/backend/cuda/generate.hpp>
#include <gpu/backend/cuda/runtime.hpp>
#include <gpu/backend/cuda/select.hpp>
#include <gpu/backend/cuda/strided_copy.hpp>

#include "cuda_support.hpp"

namespace {

template <std::size_t Size>
struct bytes {
  unsigned char values[Size];
  bool operator==(const bytes&) const = default;
};

template <class T>
std::vector<T> patterns(std::size_t n, unsigned seed) {
  const std::vector<std::uint8_t> raw = numbers<std::uint8_t>(n * sizeof(T), seed);
  std::vector<T> values(n);
  for (std::size_t i = 0; i < n; ++i) {
    unsigned char* const at = reinterpret_cast<unsigned char*>(&values[i]);
    for (std::size_t b = 0; b < sizeof(T); ++b) at[b] = static_cast<unsigned char>(raw[i * sizeof(T) + b] + i + b);
  }
  return values;
}

class cuda_move : public cuda_test {
 protected:
  template <class T>
  void check_copy(const part& to, const part& from) {
    const std::vector<T> source = patterns<T>(reach(from), 1);
    std::vector<T> expected = patterns<T>(reach(to) + 4, 2);
    const device_elements<T> in(source, stream_);
    const device_elements<T> out(expected, stream_);
    const gpu::shape& extents = to.where.extents;
    for (std::int64_t i = 0; i < extents.size(); ++i) {
      expected[static_cast<std::size_t>(to.at(i, extents))] = source[static_cast<std::size_t>(from.at(i, extents))];
    }
    const auto before = gpu::cuda::launch_count();
    gpu::cuda::copy_strided(request<T>(out.get(), to, in.get(), from), stream_);
    EXPECT_EQ(gpu::cuda::launch_count() - before, extents.size() == 0 ? 0u : 1u);
    ASSERT_TRUE(out.read() == expected) << "elements of " << sizeof(T) << " bytes, shape " << extents.to_string();
  }

  template <class T>
  void check_fill(const part& to, const T& value) {
    std::vector<T> expected = patterns<T>(reach(to) + 4, 2);
    const device_elements<T> out(expected, stream_);
    const gpu::shape& extents = to.where.extents;
    for (std::int64_t i = 0; i < extents.size(); ++i) expected[static_cast<std::size_t>(to.at(i, extents))] = value;
    gpu::detail::strided_copy fill = request<T>(out.get(), to, out.get(), to);
    fill.src = &value;
    gpu::cuda::fill_strided(fill, stream_);
    ASSERT_TRUE(out.read() == expected) << "elements of " << sizeof(T) << " bytes, shape " << extents.to_string();
  }

  template <class T>
  void check_all_copies() {
    check_copy<T>(part({0}), part({0}));
    check_copy<T>(part(gpu::shape{}), part(gpu::shape{}));
    check_copy<T>(part({1031}), part({1031}));
    check_copy<T>(part(1, {1031}, {1}), part(2, {1031}, {1}));
    check_copy<T>(part(1030, {1031}, {-1}), part(0, {1031}, {3}));
    check_copy<T>(part({45, 70}), part(0, {45, 70}, {1, 45}));
    check_copy<T>(part(0, {45, 70}, {1, 45}), part({45, 70}));
    check_copy<T>(part({5, 6, 7, 8}), part(0, {5, 6, 7, 8}, {1, 5, 30, 210}));
    check_copy<T>(part({40, 64}), part(3, {40, 64}, {80, 1}));
    check_copy<T>(part({40, 64}), part({64}));
    check_copy<T>(part({40, 64}), part({40, 1}));
  }

 private:
  template <class T>
  static gpu::detail::strided_copy request(T* to, const part& target, const T* from, const part& source) {
    gpu::detail::strided_copy copy;
    const gpu::layout read = gpu::broadcast_layout(source.where, target.where.extents);
    copy.dst = to + target.offset;
    copy.src = from + source.offset;
    copy.itemsize = sizeof(T);
    copy.rank = read.rank();
    for (int i = 0; i < copy.rank; ++i) {
      copy.extents[i] = read.extents[i];
      copy.dst_strides[i] = target.where.strides[i] * static_cast<std::int64_t>(sizeof(T));
      copy.src_strides[i] = read.strides[i] * static_cast<std::int64_t>(sizeof(T));
    }
    return copy;
  }
};

TEST_F(cuda_move, copies_of_every_size) {
  check_all_copies<std::uint8_t>();
  check_all_copies<std::uint16_t>();
  check_all_copies<std::uint32_t>();
  check_all_copies<std::uint64_t>();
  check_all_copies<bytes<16>>();
  check_all_copies<bytes<3>>();
  check_all_copies<bytes<12>>();
  check_all_copies<bytes<40>>();
}

TEST_F(cuda_move, fills) {
  check_fill<std::uint8_t>(part({1000}), 200);
  check_fill<std::uint16_t>(part(3, {30, 40}, {50, 1}), 12345);
  check_fill<float>(part(0, {30, 40}, {1, 30}), 1.5f);
  check_fill<double>(part(999, {500}, {-2}), -2.5);
  check_fill<bytes<16>>(part({10, 30}), bytes<16>{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}});
}

struct ramp {
  double step;
  constexpr float operator()(std::int64_t i) const { return static_cast<float>(static_cast<double>(i) * step); }
};
struct groups_of_five {
  static constexpr int width = 5;
  constexpr void operator()(std::int64_t group, std::int32_t (&values)[5]) const {
    for (int j = 0; j < 5; ++j) values[j] = static_cast<std::int32_t>(group * 100) + j;
  }
};
struct is_odd {
  constexpr bool operator()(std::int64_t i) const { return i % 2 != 0; }
};

TEST_F(cuda_move, generates) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{3001}}) {
    const device_elements<float> out(n + 1, stream_);
    gpu::cuda::generate(out.get() + 1, static_cast<std::int64_t>(n), ramp{0.25}, stream_);
    const std::vector<float> got = out.read();
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(got[i + 1], static_cast<float>(i) * 0.25f);
    const device_elements<std::int32_t> grouped(n, stream_);
    gpu::cuda::generate(grouped.get(), static_cast<std::int64_t>(n), groups_of_five{}, stream_);
    const std::vector<std::int32_t> values = grouped.read();
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(values[i], static_cast<std::int32_t>(i / 5 * 100 + i % 5));
    const device_elements<bool> odd(n, stream_);
    gpu::cuda::generate(odd.get(), static_cast<std::int64_t>(n), is_odd{}, stream_);
    const std::vector<bool> flags = odd.read();
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(flags[i], i % 2 != 0);
  }
}

template <class T>
void check_indexed(const part& array, cudaStream_t stream) {
  const gpu::shape& extents = array.where.extents;
  const std::vector<T> host = patterns<T>(reach(array), 1);
  std::vector<std::int64_t> positions;
  for (std::int64_t i = 0; i < extents.size(); i += 3) positions.push_back((i * 7 + 5) % extents.size());
  const auto n = static_cast<std::int64_t>(positions.size());
  const device_elements<T> source(host, stream);
  const device_elements<std::int64_t> at(positions, stream);
  const device_elements<T> gathered(positions.size(), stream);
  const gpu::cuda::indexed_array from(source.get() + array.offset, array.where, sizeof(T));
  gpu::cuda::gather(gathered.get(), from, at.get(), n, sizeof(T), stream);
  const std::vector<T> got = gathered.read();
  for (std::size_t i = 0; i < positions.size(); ++i) {
    ASSERT_TRUE(got[i] == host[static_cast<std::size_t>(array.at(positions[i], extents))]) << i;
  }
  std::vector<T> expected = patterns<T>(reach(array), 2);
  const device_elements<T> target(expected, stream);
  const gpu::cuda::indexed_array to(target.get() + array.offset, array.where, sizeof(T));
  gpu::cuda::scatter(to, at.get(), n, gathered.get(), sizeof(T), sizeof(T), stream);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    expected[static_cast<std::size_t>(array.at(positions[i], extents))] = got[i];
  }
  ASSERT_TRUE(target.read() == expected);
  gpu::cuda::scatter(to, at.get(), n, gathered.get(), 0, sizeof(T), stream);
  for (const std::int64_t p : positions) expected[static_cast<std::size_t>(array.at(p, extents))] = got[0];
  ASSERT_TRUE(target.read() == expected);
}

TEST_F(cuda_move, gathers_and_scatters) {
  check_indexed<std::uint8_t>(part({1000}), stream_);
  check_indexed<std::uint32_t>(part(0, {20, 41}, {1, 20}), stream_);
  check_indexed<std::uint64_t>(part(1600, {20, 40}, {-80, 2}), stream_);
  check_indexed<bytes<16>>(part({7, 8, 9}), stream_);
  check_indexed<bytes<12>>(part(1, {300}, {2}), stream_);
}

TEST_F(cuda_move, masks) {
  for (const std::size_t n :
       {std::size_t{1}, std::size_t{31}, std::size_t{512}, std::size_t{4096}, std::size_t{10001}}) {
    for (const unsigned modulus : {1u, 2u, 7u, 5000u}) {
      std::vector<std::uint8_t> mask(n);
      std::vector<std::int64_t> chosen;
      for (std::size_t i = 0; i < n; ++i) {
        mask[i] = (i * i + i / 3) % modulus == 0 ? static_cast<std::uint8_t>(1 + i % 200) : std::uint8_t{0};
        if (mask[i] != 0) chosen.push_back(static_cast<std::int64_t>(i));
      }
      const auto size = static_cast<std::int64_t>(n);
      const device_elements<std::uint8_t> on_device(mask, stream_);
      const device_elements<std::int64_t> offsets(static_cast<std::size_t>(gpu::cuda::selection_offsets(size)),
                                                  stream_);
      gpu::cuda::count_selected(on_device.get(), size, offsets.get(), stream_);
      ASSERT_EQ(offsets.read().back(), static_cast<std::int64_t>(chosen.size()));
      const device_elements<std::int64_t> positions(chosen.size(), stream_);
      gpu::cuda::mask_positions(on_device.get(), size, offsets.get(), positions.get(), stream_);
      ASSERT_EQ(positions.read(), chosen);
      // Every second element of an array twice as long.
      const std::vector<float> host = numbers<float>(2 * n);
      const device_elements<float> elements(host, stream_);
      const gpu::layout stepped{gpu::shape{size}, gpu::index_vector{2}};
      const gpu::cuda::indexed_array array(elements.get(), stepped, sizeof(float));
      const device_elements<float> selected(chosen.size(), stream_);
      gpu::cuda::compress_elements(on_device.get(), size, offsets.get(), array, selected.get(), sizeof(float), stream_);
      const std::vector<float> got = selected.read();
      for (std::size_t i = 0; i < chosen.size(); ++i) ASSERT_EQ(got[i], host[static_cast<std::size_t>(2 * chosen[i])]);
      std::vector<float> expected = host;
      const std::vector<float> values = numbers<float>(chosen.size(), 5);
      const device_elements<float> replacement(values, stream_);
      gpu::cuda::expand_elements(on_device.get(), size, offsets.get(), array, replacement.get(), sizeof(float),
                                 stream_);
      for (std::size_t i = 0; i < chosen.size(); ++i) expected[static_cast<std::size_t>(2 * chosen[i])] = values[i];
      ASSERT_EQ(elements.read(), expected);
    }
  }
}

}  // namespace

#endif
