#include <gtest/gtest.h>

#include <cstdint>
#include <gpu/core/philox.hpp>

namespace {

using gpu::philox_block;
using gpu::philox_stream;

// The known answers that Random123 1.14 ships (tests/kat_vectors, "philox4x32 10").
static_assert(gpu::philox({{0, 0}}, {{0, 0, 0, 0}}) == philox_block{{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
static_assert(gpu::philox({{0xffffffff, 0xffffffff}}, {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}) ==
              philox_block{{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
static_assert(gpu::philox({{0xa4093822, 0x299f31d0}}, {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}) ==
              philox_block{{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});

TEST(philox, known_answers_hold_at_run_time) {
  volatile std::uint32_t zero = 0;
  const philox_block got = gpu::philox({{zero, zero}}, {{zero, zero, zero, zero}});
  EXPECT_EQ(got, (philox_block{{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}));
}

TEST(philox_stream, has_the_documented_layout) {
  // The seed and stream that make key and counter those of the third known answer.
  const philox_stream s{0x299f31d0a4093822u, 0x0370734413198a2eu, 0};
  const std::uint64_t block = 0x85a308d3243f6a88u;
  EXPECT_EQ(s.block(block), (philox_block{{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}));
  for (const std::uint64_t b : {std::uint64_t{0}, std::uint64_t{77}, std::uint64_t{1} << 40}) {
    const philox_block words = s.block(b);
    for (std::uint64_t k = 0; k < 4; ++k) EXPECT_EQ(s.bits32(4 * b + k), words.words[k]);
    EXPECT_EQ(s.bits64(2 * b), std::uint64_t{words.words[1]} << 32 | words.words[0]);
    EXPECT_EQ(s.bits64(2 * b + 1), std::uint64_t{words.words[3]} << 32 | words.words[2]);
  }
}

TEST(philox_stream, offset_moves_the_index_and_streams_differ) {
  const philox_stream s{1, 2, 0}, moved{1, 2, 1000}, other{1, 3, 0}, reseeded{2, 2, 0};
  for (std::uint64_t i = 0; i < 10; ++i) {
    EXPECT_EQ(moved.bits32(i), s.bits32(1000 + i));
    EXPECT_EQ(moved.bits64(i), s.bits64(1000 + i));
    EXPECT_NE(other.bits32(i), s.bits32(i));
    EXPECT_NE(reseeded.bits32(i), s.bits32(i));
  }
}

}  // namespace
