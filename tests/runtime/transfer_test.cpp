#include "gpu/runtime/transfer.hpp"

#include <algorithm>
#include <numeric>
#include <random>

#include "runtime_support.hpp"

namespace {

using gpu::buffer_ptr;
using gpu::device;
using gpu::stream;
using gpu::detail::strided_copy;
using runtime_test::make_ints;
using runtime_test::read_ints;

const device host = device::host();

std::vector<stream> streams_of(device d) { return {stream::default_stream(d), stream(d)}; }

/// A stream that can reach both devices.
stream between(device a, device b) { return stream(a.is_host() ? b : a); }

std::vector<int> counting(std::size_t n) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 1);
  return values;
}

TEST(transfer, there_and_back) {
  for (const device d : runtime_test::all_devices()) {
    for (const stream& s : streams_of(d)) {
      for (const std::size_t n : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 12}) {
        const std::vector<int> values = counting(n);
        EXPECT_EQ(read_ints(make_ints(values, d, s), s), values);
      }
    }
  }
}

TEST(transfer, in_several_pieces) {
  for (const device d : runtime_test::all_devices()) {
    const std::vector<int> values = counting((std::size_t{2} << 20) / sizeof(int) + 3);
    const stream s(d);
    const buffer_ptr on_device = make_ints(values, d, s);
    const buffer_ptr on_host = gpu::allocate_buffer(on_device->size(), host);
    gpu::copy_bytes(*on_host, 0, *on_device, 0, on_device->size(), s);
    EXPECT_EQ(read_ints(on_host, stream::default_stream(host)), values);
  }
}

TEST(transfer, source_may_change_at_once) {
  for (const device d : runtime_test::all_devices()) {
    for (const stream& s : streams_of(d)) {
      std::vector<int> values = counting(5000);
      const buffer_ptr b = make_ints(values, d, s);
      std::fill(values.begin(), values.end(), -1);
      EXPECT_EQ(read_ints(b, s), counting(5000));
    }
  }
}

TEST(transfer, offsets_and_fill) {
  for (const device d : runtime_test::all_devices()) {
    for (const stream& s : streams_of(d)) {
      const buffer_ptr a = make_ints(counting(8), d, s);
      const buffer_ptr b = make_ints(std::vector<int>(8, 0), d, s);
      gpu::copy_bytes(*b, 8, *a, 12, 8, s);
      gpu::fill_bytes(*b, 0, 255, 4, s);
      EXPECT_EQ(read_ints(b, s), (std::vector<int>{-1, 0, 4, 5, 0, 0, 0, 0}));
    }
  }
}

TEST(transfer, needs_a_stream_that_reaches_both_sides) {
  for (const device d : runtime_test::cuda_devices()) {
    const buffer_ptr a = make_ints({1}, d, stream::default_stream(d));
    const buffer_ptr b = make_ints({1}, host, stream::default_stream(host));
    EXPECT_THROW(gpu::copy_bytes(*a, 0, *b, 0, 4, stream::default_stream(host)), gpu::device_error);
    EXPECT_THROW(gpu::copy_bytes(*b, 0, *b, 0, 4, stream::default_stream(d)), gpu::device_error);
  }
}

struct random_layout {
  std::int64_t strides[gpu::max_rank];
  std::int64_t first = 0;
  std::int64_t bytes = 0;
};

/// A layout without overlap: axes in random order, with gaps, some of them backwards; sources may repeat elements.
random_layout make_layout(std::mt19937& random, const strided_copy& copy, bool is_source) {
  random_layout layout;
  std::vector<int> order(static_cast<std::size_t>(copy.rank));
  std::iota(order.begin(), order.end(), 0);
  if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
  auto stride = static_cast<std::int64_t>(copy.itemsize);
  if (random() % 3 == 0) stride *= 2;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
    layout.strides[*axis] = stride;
    stride *= copy.extents[*axis];
    if (random() % 4 == 0) stride *= 2;
  }
  layout.bytes = stride;
  for (int i = 0; i < copy.rank; ++i) {
    if (is_source && random() % 6 == 0) layout.strides[i] = 0;
    if (random() % 4 == 0) {
      layout.first += layout.strides[i] * (copy.extents[i] - 1);
      layout.strides[i] = -layout.strides[i];
    }
  }
  return layout;
}

void copy_by_element(char* dst, const char* src, const strided_copy& copy, int axis) {
  if (axis == copy.rank) {
    std::memcpy(dst, src, copy.itemsize);
    return;
  }
  for (std::int64_t i = 0; i < copy.extents[axis]; ++i) {
    copy_by_element(dst + i * copy.dst_strides[axis], src + i * copy.src_strides[axis], copy, axis + 1);
  }
}

void test_strided_copies(device from, device to, unsigned seed, int cases) {
  std::mt19937 random(seed);
  const stream s = between(from, to);
  for (int k = 0; k < cases; ++k) {
    strided_copy copy;
    copy.itemsize = std::vector<std::size_t>{1, 2, 4, 8, 16, 3, 12, 24}[random() % 8];
    copy.rank = static_cast<int>(random() % 6);
    for (int i = 0; i < copy.rank; ++i) {
      copy.extents[i] =
          copy.rank <= 2 ? 1 + static_cast<std::int64_t>(random() % 70) : 1 + static_cast<std::int64_t>(random() % 5);
    }
    const random_layout dst_layout = make_layout(random, copy, false);
    const random_layout src_layout = make_layout(random, copy, true);
    std::copy_n(dst_layout.strides, gpu::max_rank, copy.dst_strides);
    std::copy_n(src_layout.strides, gpu::max_rank, copy.src_strides);
    std::vector<char> src(static_cast<std::size_t>(src_layout.bytes));
    std::vector<char> dst(static_cast<std::size_t>(dst_layout.bytes), 'x');
    for (char& c : src) c = static_cast<char>(random());

    const stream on_src = from == s.device() ? s : stream::default_stream(from);
    const stream on_dst = to == s.device() ? s : stream::default_stream(to);
    const buffer_ptr src_buffer = gpu::allocate_buffer(src.size(), from, on_src);
    const buffer_ptr dst_buffer = gpu::allocate_buffer(dst.size(), to, on_dst);
    gpu::copy_from_host(*src_buffer, 0, src.data(), src.size(), on_src);
    gpu::copy_from_host(*dst_buffer, 0, dst.data(), dst.size(), on_dst);
    copy.src = static_cast<char*>(src_buffer->data()) + src_layout.first;
    copy.dst = static_cast<char*>(dst_buffer->data()) + dst_layout.first;
    gpu::copy_strided(copy, *dst_buffer, *src_buffer, s);

    copy_by_element(dst.data() + dst_layout.first, src.data() + src_layout.first, copy, 0);
    std::vector<char> result(dst.size());
    gpu::copy_to_host(result.data(), *dst_buffer, 0, result.size(), on_dst, nullptr);
    ASSERT_EQ(result, dst) << "case " << k << " of seed " << seed << " from " << from.to_string() << " to "
                           << to.to_string();
  }
}

TEST(transfer, strided_copies) {
  for (const device from : runtime_test::all_devices()) {
    for (const device to : runtime_test::all_devices()) {
      test_strided_copies(from, to, 7, from.is_host() && to.is_host() ? 500 : 25);
    }
  }
}

TEST(transfer, empty_strided_copy) {
  for (const device d : runtime_test::all_devices()) {
    const stream s = stream::default_stream(d);
    const buffer_ptr b = gpu::allocate_buffer(0, d, s);
    strided_copy copy;
    copy.itemsize = 4;
    copy.rank = 1;
    gpu::copy_strided(copy, *b, *b, s);
  }
}

}  // namespace
