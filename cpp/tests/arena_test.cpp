#include "rtbwire/arena.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "corpus.hpp"

namespace {

using rtbwire::fixed_arena;

TEST(Arena, AlignsWhateverTheBufferBeginsAt) {
  alignas(64) std::byte buffer[512];
  for (std::size_t shift = 0; shift < 64; ++shift) {
    fixed_arena arena{buffer + shift, sizeof buffer - shift};
    for (std::size_t align = 1; align <= 64; align *= 2) {
      void* block = arena.take_bytes(3, align);
      ASSERT_NE(block, nullptr);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % align, 0u);
    }
  }
}

TEST(Arena, SizesThatWouldWrapAreRefused) {
  std::byte buffer[256];
  fixed_arena arena{buffer, sizeof buffer};
  ASSERT_NE(arena.take_bytes(100, 1), nullptr);
  const std::size_t used = arena.used();
  EXPECT_EQ(arena.take_bytes(SIZE_MAX - 50, 1), nullptr);
  EXPECT_EQ(arena.take_bytes(SIZE_MAX, 16), nullptr);
  EXPECT_EQ(arena.take<std::uint64_t>((SIZE_MAX >> 3) + 2), nullptr);  // 8 * n is 8
  EXPECT_EQ(arena.take_bytes(65538, 1), nullptr);                      // 2, in 16 bits
  EXPECT_EQ(arena.used(), used);
}

TEST(Arena, LastBlockGrowsInPlaceAndOthersMove) {
  std::byte buffer[4096];
  fixed_arena arena{buffer, sizeof buffer};
  void* first = arena.take_bytes(1000, 8);
  EXPECT_EQ(arena.resize(first, 1000, 2000, 8), first);
  EXPECT_EQ(arena.used() - (static_cast<std::byte*>(first) - buffer), 2000u);
  void* second = arena.take_bytes(8, 8);
  std::fill_n(static_cast<unsigned char*>(first), 2000, 7);
  EXPECT_EQ(arena.resize(first, 2000, 100, 8), first);
  void* moved = arena.resize(first, 100, 200, 8);
  ASSERT_NE(moved, nullptr);
  EXPECT_GT(moved, second);
  EXPECT_EQ(*static_cast<unsigned char*>(moved), 7);
  EXPECT_EQ(arena.resize(moved, 200, sizeof buffer, 8), nullptr);
}

TEST(Arena, OnlyTheLastBlockIsGivenBackAndOnlyOnce) {
  std::byte buffer[256], foreign[16] = {};
  fixed_arena arena{buffer, sizeof buffer};
  void* first = arena.take_bytes(16, 1);
  void* second = arena.take_bytes(16, 1);
  arena.give_back(first);
  arena.give_back(foreign);
  arena.give_back(nullptr);
  EXPECT_EQ(arena.used(), 32u);
  arena.give_back(second);
  arena.give_back(second);
  EXPECT_EQ(arena.used(), 16u);
  EXPECT_EQ(arena.resize(foreign, 8, 16, 1), nullptr);
}

TEST(Arena, BlocksOfNoBytesHaveAddressesOfTheirOwn) {
  std::byte buffer[8];
  fixed_arena arena{buffer, sizeof buffer};
  EXPECT_NE(arena.take_bytes(0, 1), arena.take_bytes(0, 1));
}

TEST(Arena, ResetForgetsNothingAndPeakRemembers) {
  std::byte buffer[128];
  fixed_arena arena{buffer, sizeof buffer};
  for (int packet = 0; packet < 1000; ++packet) {
    const auto mark = arena.mark();
    ASSERT_NE(arena.take_bytes(100, 1), nullptr);
    EXPECT_EQ(arena.take_bytes(100, 1), nullptr);  // a failure uses no memory
    arena.reset(mark);
    ASSERT_EQ(arena.used(), 0u);
  }
  EXPECT_EQ(arena.peak(), 100u);
  arena.reset(64);  // a mark beyond the used bytes has no effect
  EXPECT_EQ(arena.used(), 0u);
}

TEST(Arena, NoBufferIsAnEmptyArena) {
  fixed_arena arena{nullptr, 100};
  EXPECT_EQ(arena.take_bytes(1, 1), nullptr);
}

// For any sequence of calls, live blocks do not overlap and are within the buffer.
TEST(Arena, LiveBlocksNeverOverlap) {
  rtbwire::corpus::random random{7};
  alignas(16) std::byte buffer[2048];
  for (int round = 0; round < 2000; ++round) {
    const std::size_t shift = random.below(16);
    fixed_arena arena{buffer + shift, sizeof buffer - shift};
    struct block {
      std::byte* at;
      std::size_t size;
    };
    std::vector<block> live;
    for (int step = 0; step < 40; ++step) {
      const std::size_t size = 1 + random.below(200), align = std::size_t{1} << random.below(6);
      const std::size_t which = random.below(4);
      if (which == 0 && !live.empty()) {
        const std::size_t i = random.below(live.size());
        auto* moved = static_cast<std::byte*>(arena.resize(live[i].at, live[i].size, size, 1));
        if (moved != nullptr) live[i] = {moved, size};
      } else if (which == 1 && !live.empty()) {
        arena.give_back(live.back().at);
        live.pop_back();
      } else if (auto* at = static_cast<std::byte*>(arena.take_bytes(size, align))) {
        live.push_back({at, size});
      }
      auto sorted = live;
      std::sort(sorted.begin(), sorted.end(), [](auto& a, auto& b) { return a.at < b.at; });
      for (std::size_t i = 0; i < sorted.size(); ++i) {
        ASSERT_GE(sorted[i].at, buffer + shift);
        ASSERT_LE(sorted[i].at + sorted[i].size, buffer + sizeof buffer);
        if (i + 1 == sorted.size()) break;
        ASSERT_LE(sorted[i].at + sorted[i].size, sorted[i + 1].at);
      }
    }
  }
}

}  // namespace
