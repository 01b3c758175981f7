// Flaws that packet scanners of the classic design have (a parser, an arena of 4 KB, a
// recursive walk for one needle), by the number of the list in README.md. Each test shows
// that this one does not have it. Those not here are tested where the README says.
#include <gtest/gtest.h>

#include <cstring>

#include "corpus.hpp"
#include "rtbwire/arena.hpp"
#include "support.hpp"

namespace rtbwire::test {
namespace {

TEST(Flaws, F01LargePacketsAreNotCutTo16Bits) {
  fixture_scanner scan{RTBWIRE_KERNEL_BEST, {RTBWIRE_STRICT, 70000, 0}};
  for (const std::size_t n : {65533u, 65534u, 65535u, 65536u, 65537u, 65538u, 70000u}) {
    std::string text = "\"" + std::string(n - 9, 'a') + "<script\"";
    ASSERT_EQ(text.size(), n);
    const verdict v = scan(text);
    EXPECT_EQ(v.outcome, RTBWIRE_MALICIOUS) << n;
    EXPECT_EQ(v.match_offset, n - 8);
  }
  EXPECT_EQ(scan(std::string(70001, ' ')).outcome, RTBWIRE_TOO_LARGE);
}

TEST(Flaws, F02ScannerMemoryMayBeMisaligned) {
  std::vector<std::byte> engine_memory(engine::memory(default_patterns()) + 64);
  std::vector<std::byte> memory(scanner::memory() + 64);
  for (std::size_t shift = 0; shift < 64; ++shift) {
    const engine e{std::span{engine_memory}.subspan(shift), default_patterns()};
    scanner scan{std::span{memory}.subspan(shift), e};
    ASSERT_EQ(scan.scan(R"(["<script"])").outcome, RTBWIRE_MALICIOUS);
  }
}

TEST(Flaws, F05ScannersShareNothing) {
  fixture_scanner one, other;
  const verdict first = one(R"({"a":1})");
  for (int i = 0; i < 100; ++i) {
    (void)other(R"({"a":"<script)");
    ASSERT_TRUE(same(one(R"({"a":1})"), first));
  }
}

TEST(Flaws, F06DeepNestingIsAnAnswer) {
  fixture_scanner scan{RTBWIRE_KERNEL_BEST, {RTBWIRE_STRICT, 1 << 20, 0}};
  EXPECT_EQ(scan(std::string(500000, '[')).outcome, RTBWIRE_TOO_DEEP);
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"\":";
  EXPECT_EQ(scan(objects).outcome, RTBWIRE_TOO_DEEP);
}

TEST(Flaws, F07InputIsNeverWritten) {
  const guarded in{R"({"a":"\u003cscript"})"};  // on a read-only page
  EXPECT_EQ(fixture_scanner{}(in.view()).outcome, RTBWIRE_MALICIOUS);
}

TEST(Flaws, F09ArraysOfOnesDoNotExhaust) {
  std::string text = "[1";
  while (text.size() < 65000) text += ",1";
  EXPECT_EQ(fixture_scanner{}(text + "]").outcome, RTBWIRE_CLEAN);
}

TEST(Flaws, F10NoPacketPoisonsTheNext) {
  fixture_scanner scan;
  for (std::size_t n = 0; n < 2000; ++n) {
    (void)scan("\"" + std::string(n, 'a') + "\"");
    (void)scan(std::string(n, '['));
    ASSERT_EQ(scan("[1]").outcome, RTBWIRE_CLEAN) << n;
  }
}

TEST(Flaws, F12TheClassicPacketsAreToldApart) {
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel};
    for (const auto& packet : corpus::classic()) {
      const verdict v = scan(packet.text);
      EXPECT_EQ(v.outcome, packet.is == corpus::kind::valid     ? RTBWIRE_CLEAN
                           : packet.is == corpus::kind::invalid ? RTBWIRE_MALFORMED
                                                                : RTBWIRE_MALICIOUS)
          << packet.text << describe(v);
    }
  }
}

TEST(Flaws, F13ExhaustionIsNotClean) {
  std::vector<std::byte> engine_memory(engine::memory(default_patterns()));
  const engine e{engine_memory, default_patterns()};
  std::vector<std::byte> memory(8192);
  scanner scan{memory, e};
  const verdict v = scan.scan("\"" + std::string(4000, 'a') + "<script\"");
  EXPECT_EQ(v.outcome, RTBWIRE_EXHAUSTED);
  EXPECT_TRUE(rtbwire_refuse(&v, 1));
}

TEST(Flaws, F14MalformedPacketsAreSearchedAndRefused) {
  fixture_scanner scan;
  verdict v = scan(R"({"a":"<script",})");
  EXPECT_EQ(v.outcome, RTBWIRE_MALICIOUS);
  EXPECT_EQ(v.error, RTBWIRE_ERROR_UNEXPECTED_BYTE);
  EXPECT_TRUE(rtbwire_refuse(&v, 0));
  v = scan(R"({"a":1,})");
  EXPECT_TRUE(rtbwire_refuse(&v, 1));
  EXPECT_FALSE(rtbwire_refuse(&v, 0));
}

TEST(Flaws, F15NULHidesNothing) {
  EXPECT_EQ(fixture_scanner{}(R"({"a":"\u0000","b":"<script"})").outcome, RTBWIRE_MALICIOUS);
}

TEST(Flaws, F16To20KeysDuplicatesCaseEscapesRoot) {
  fixture_scanner scan;
  for (const char* text : {R"({"<script":1})", R"({"a":"<script","a":1})", R"(["<ScRiPt"])",
                           R"(["\u003cscript"])", R"("<script")"})
    EXPECT_EQ(scan(text).outcome, RTBWIRE_MALICIOUS) << text;
}

TEST(Flaws, F21MalformedIsNotClean) {
  fixture_scanner scan;
  for (const char* text : {R"({"a":1,})", "tru", "01", R"("\uZZZZ")", R"({"a" 1})"})
    EXPECT_EQ(scan(text).outcome, RTBWIRE_MALFORMED) << text;
}

TEST(Flaws, F22InvalidUTF8IsMalformed) {
  const verdict v = fixture_scanner{}("[\"\xff\"]");
  EXPECT_EQ(v.error, RTBWIRE_ERROR_UTF8);
}

}  // namespace
}  // namespace rtbwire::test
