// Matchers: what they get, and what becomes of their reports.
#include <gtest/gtest.h>

#include "support.hpp"

namespace rtbwire::test {
namespace {

// Finds '!' as pattern 1 and '?' as pattern 0, and keeps the texts.
struct toy {
  int answer = 0;
  std::size_t shift = 0;
  std::uint32_t add = 0;
  mutable std::vector<std::string> texts;
  mutable void* scratch = nullptr;

  static int search(const void* context, void* scratch, const void* text, size_t size,
                    rtbwire_report report, void* found) {
    const toy& self = *static_cast<const toy*>(context);
    const std::string_view in{static_cast<const char*>(text), size};
    self.texts.emplace_back(in);
    self.scratch = scratch;
    // Backwards, because the order does not matter.
    for (std::size_t i = size; i-- > 0;)
      if (in[i] == '!' || in[i] == '?') report(found, (in[i] == '!') + self.add, i + self.shift);
    return self.answer;
  }
  rtbwire_matcher matcher() const { return {this, 2, search}; }
};

class toy_scanner {
 public:
  explicit toy_scanner(const toy& t, rtbwire_mode mode = RTBWIRE_STRICT, unsigned layers = 0)
      : engine_{engine_memory_, t.matcher(), {RTBWIRE_KERNEL_BEST, layers}},
        scanner_{memory_, engine_, this, {mode, 0, 0}} {}
  verdict operator()(std::string_view packet) { return scanner_.scan(packet); }
  rtbwire_status status() const { return scanner_.status(); }

 private:
  std::vector<std::byte> engine_memory_ = std::vector<std::byte>(rtbwire_matcher_engine_memory());
  std::vector<std::byte> memory_ = std::vector<std::byte>(scanner::memory());
  engine engine_;
  scanner scanner_;
};

TEST(Matcher, GetsTheDecodedTextAndItsScratch) {
  const toy t;
  toy_scanner scan{t};
  ASSERT_EQ(scan.status(), RTBWIRE_OK);
  EXPECT_EQ(scan(R"({"Ab":"\u0041\"\n"})").outcome, RTBWIRE_CLEAN);
  ASSERT_EQ(t.texts.size(), 1u);
  EXPECT_EQ(t.texts[0],
            "{\xff"
            "ab\xff:\xff"
            "a\"\n\xff}");
  EXPECT_EQ(t.scratch, &scan);
}

TEST(Matcher, DecidesTheVerdict) {
  const toy t;
  toy_scanner scan{t};
  const verdict v = scan(R"({"a":["x","\u0021 ? !"]})");
  EXPECT_EQ(v.outcome, RTBWIRE_MALICIOUS);
  EXPECT_EQ(v.pattern, 1u);
  EXPECT_EQ(v.match_offset, 11u);
  EXPECT_STREQ(v.pointer, "/a/1");
  EXPECT_EQ(v.pattern_count, 2u);
  EXPECT_EQ(scan("[").outcome, RTBWIRE_MALFORMED);
  EXPECT_EQ(scan("[\"?\"").error, RTBWIRE_ERROR_TRUNCATED);
}

TEST(Matcher, GetsTheTextsOfLayers) {
  const toy t;
  toy_scanner scan{t, RTBWIRE_STRICT, RTBWIRE_LAYER_PERCENT};
  const verdict v = scan(R"(["a%21"])");
  EXPECT_EQ(v.outcome, RTBWIRE_MALICIOUS);
  EXPECT_TRUE(v.match_layered);
  EXPECT_EQ(v.match_offset, 3u);
}

// A failure is not clean, but a match that was reported before it counts.
TEST(Matcher, FailureIsAnAnswer) {
  for (const auto mode : {RTBWIRE_STRICT, RTBWIRE_DETECT}) {
    toy t;
    t.answer = -3;
    toy_scanner scan{t, mode};
    for (const char* packet : {"[]", "[", "\"a\""}) {
      const verdict v = scan(packet);
      EXPECT_EQ(v.outcome, RTBWIRE_FAILED) << packet;
      EXPECT_TRUE(rtbwire_refuse(&v, 1));
      EXPECT_FALSE(rtbwire_refuse(&v, 0));
    }
    EXPECT_EQ(scan("[\"?\"]").outcome, RTBWIRE_MALICIOUS);
    t.answer = 0;
    EXPECT_EQ(scan("[]").outcome, RTBWIRE_CLEAN) << "a failure does not affect the next packet";
  }
  EXPECT_STREQ(rtbwire_outcome_name(RTBWIRE_FAILED), "failed");
}

// A matcher that reports impossible values has failed; nothing is written out of bounds.
TEST(Matcher, ImpossibleReportsAreAFailure) {
  for (const bool pattern : {true, false}) {
    toy t;
    t.add = pattern ? 0xffffff00u : 0;
    t.shift = pattern ? 0 : 1u << 30;
    toy_scanner scan{t};
    EXPECT_EQ(scan("[\"!\"]").outcome, RTBWIRE_FAILED);
    EXPECT_EQ(scan("[\"a\"]").outcome, RTBWIRE_CLEAN);
  }
}

TEST(Matcher, BadArguments) {
  const toy t;
  std::vector<std::byte> memory(rtbwire_matcher_engine_memory());
  const rtbwire_engine* e = nullptr;
  rtbwire_matcher m = t.matcher();
  EXPECT_EQ(rtbwire_matcher_engine_init(memory.data(), memory.size(), &m, nullptr, nullptr),
            RTBWIRE_BAD_ARGUMENT);
  EXPECT_EQ(rtbwire_matcher_engine_init(nullptr, memory.size(), &m, nullptr, &e),
            RTBWIRE_BAD_ARGUMENT);
  EXPECT_EQ(rtbwire_matcher_engine_init(memory.data(), memory.size(), nullptr, nullptr, &e),
            RTBWIRE_BAD_ARGUMENT);
  EXPECT_EQ(rtbwire_matcher_engine_init(memory.data(), 100, &m, nullptr, &e), RTBWIRE_NO_ROOM);
  for (const std::uint32_t count : {0u, RTBWIRE_MATCHER_PATTERNS_MAX + 1u}) {
    m.pattern_count = count;
    EXPECT_EQ(rtbwire_matcher_engine_init(memory.data(), memory.size(), &m, nullptr, &e),
              RTBWIRE_BAD_PATTERN);
  }
  m = {nullptr, 1, nullptr};
  EXPECT_EQ(rtbwire_matcher_engine_init(memory.data(), memory.size(), &m, nullptr, &e),
            RTBWIRE_BAD_ARGUMENT);
  EXPECT_EQ(e, nullptr);

  // Each kind of engine has its own call for scanners, so scratch cannot be forgotten.
  const engine with{memory, t.matcher()};
  std::vector<std::byte> room(scanner::memory());
  EXPECT_EQ((scanner{room, with}).status(), RTBWIRE_BAD_ARGUMENT);
  std::vector<std::byte> plain_memory(engine::memory(default_patterns()));
  const engine plain{plain_memory, default_patterns()};
  EXPECT_EQ((scanner{room, plain, nullptr, {}}).status(), RTBWIRE_BAD_ARGUMENT);
}

// The largest number of patterns, all found.
TEST(Matcher, ManyPatterns) {
  const rtbwire_matcher m{
      nullptr, RTBWIRE_MATCHER_PATTERNS_MAX,
      [](const void*, void*, const void*, size_t, rtbwire_report report, void* found) {
        for (std::uint32_t i = RTBWIRE_MATCHER_PATTERNS_MAX; i-- > 0;) report(found, i, 0);
        return 0;
      }};
  std::vector<std::byte> memory(rtbwire_matcher_engine_memory()), room(scanner::memory());
  const engine e{memory, m};
  scanner scan{room, e, nullptr, {}};
  const verdict v = scan.scan("[]");
  EXPECT_EQ(v.pattern_count, unsigned{RTBWIRE_MATCHER_PATTERNS_MAX});
  EXPECT_EQ(v.pattern, 0u);
  EXPECT_EQ(matched_patterns(v)[15], 15u);
}

}  // namespace
}  // namespace rtbwire::test
