// Memory: too little of it, guard pages, and sizes that hold.
#include <gtest/gtest.h>

#include "corpus.hpp"
#include "engine.hpp"
#include "support.hpp"

namespace rtbwire::test {
namespace {

TEST(Memory, EveryScannerSizeIsAnAnswer) {
  std::vector<std::byte> engine_memory(engine::memory(default_patterns()));
  const engine engine{engine_memory, default_patterns()};
  const std::string packet = R"({"a":["<script>"]})";
  const rtbwire_scanner_options options{RTBWIRE_STRICT, 64, 8};
  const std::size_t enough = scanner::memory(options);
  bool scanned = false;
  for (std::size_t n = 0; n <= enough; ++n) {
    // Of exactly this size, so that the address sanitizer sees a byte too far.
    std::vector<std::byte> memory(n);
    scanner scan{memory, engine, options};
    if (scan.status() != RTBWIRE_OK) {
      // A span of nothing has no address.
      ASSERT_EQ(scan.status(), n == 0 ? RTBWIRE_BAD_ARGUMENT : RTBWIRE_NO_ROOM);
      continue;
    }
    const verdict v = scan.scan(packet);
    if (v.outcome == RTBWIRE_EXHAUSTED) {
      ASSERT_FALSE(scanned) << "more memory has to be enough if less was";
      ASSERT_TRUE(rtbwire_refuse(&v, 1));
    } else {
      ASSERT_EQ(v.outcome, RTBWIRE_MALICIOUS);
      scanned = true;
    }
  }
  EXPECT_TRUE(scanned);
}

TEST(Memory, TheStatedSizeHoldsTheLargestPacket) {
  std::vector<std::byte> engine_memory(engine::memory(default_patterns()));
  const engine engine{engine_memory, default_patterns()};
  for (const unsigned packet_max : {1u, 63u, 64u, 1459u, 65535u}) {
    const rtbwire_scanner_options options{RTBWIRE_STRICT, packet_max, 300};
    std::vector<std::byte> memory(scanner::memory(options) + 63);
    for (const std::size_t shift : {0, 1, 63}) {
      scanner scan{std::span{memory}.subspan(shift, scanner::memory(options)), engine, options};
      for (const char fill : {'[', '\\', '"', 'a', ' ', '1'}) {
        const verdict v = scan.scan(std::string(packet_max, fill));
        EXPECT_NE(v.outcome, RTBWIRE_EXHAUSTED) << packet_max;
        EXPECT_NE(v.outcome, RTBWIRE_TOO_LARGE);
      }
      EXPECT_EQ(scan.scan(std::string(packet_max + 1, ' ')).outcome, RTBWIRE_TOO_LARGE);
      EXPECT_LE(rtbwire_scanner_peak(scan.get()), memory.size());
    }
  }
}

TEST(Memory, EveryEngineSizeIsAnAnswer) {
  const pattern patterns[] = {{"a", "<script", ""}, {"b", "javascript:", ""}};
  const std::size_t enough = engine::memory(patterns);
  for (std::size_t n = 1; n <= enough; ++n) {
    std::vector<std::byte> memory(n);
    const engine e{memory, patterns};
    ASSERT_TRUE(e.status() == RTBWIRE_OK || (n < enough && e.status() == RTBWIRE_NO_ROOM));
  }
}

TEST(Memory, BadArgumentsAreRefused) {
  const pattern no_text[] = {{"a", "", ""}}, high[] = {{"a", "\xc3\xa9", ""}};
  const std::string long_text(literal_max + 1, 'a');
  const pattern too_long[] = {{"a", long_text.c_str(), ""}};
  EXPECT_EQ(engine::memory(no_text), 0u);
  EXPECT_EQ(engine::memory(high), 0u);
  EXPECT_EQ(engine::memory(too_long), 0u);
  EXPECT_EQ(rtbwire_engine_memory(nullptr, 3), 0u);
  std::vector<std::byte> memory(1 << 20);
  rtbwire_engine_options other{};
  other.layers = 1u << 20;
  EXPECT_EQ((engine{memory, default_patterns(), other}.status()), RTBWIRE_BAD_ARGUMENT);
#if defined(__x86_64__)
  EXPECT_EQ((engine{memory, default_patterns(), {RTBWIRE_KERNEL_NEON, 0}}.status()), RTBWIRE_NO_KERNEL);
#endif
  rtbwire_scanner* scanner = nullptr;
  EXPECT_EQ(rtbwire_scanner_init(memory.data(), memory.size(), nullptr, nullptr, &scanner), RTBWIRE_BAD_ARGUMENT);
}

// Packets of every short length, flush against an unreadable page, in read-only memory, cut
// from a real one at every byte.
TEST(Memory, NothingIsReadBehindThePacket) {
  const auto packets = corpus::make({.seed = 5, .count = 6});
  for (const auto kernel : kernels()) {
    for (const auto mode : {RTBWIRE_STRICT, RTBWIRE_DETECT}) {
      fixture_scanner scan{kernel, {mode, 0, 0}, RTBWIRE_LAYER_ALL};
      for (const auto& packet : packets)
        for (std::size_t n = 0; n <= packet.text.size(); ++n) {
          const guarded in{std::string_view{packet.text}.substr(0, n)};
          (void)scan(in.view());
        }
    }
  }
}

TEST(Memory, PacketsLeaveNothingBehind) {
  fixture_scanner scan;
  const std::string bad = R"({"a":"<script)", good = R"({"a":1})";
  const verdict first = scan(good);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(scan(bad).outcome, RTBWIRE_MALICIOUS);
    ASSERT_TRUE(same(scan(good), first));
  }
}

}  // namespace
}  // namespace rtbwire::test
