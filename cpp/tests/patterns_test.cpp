// The default patterns: the file agrees with the table, each is found, and honest text is not.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "corpus.hpp"
#include "support.hpp"

namespace rtbwire::test {
namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

TEST(Patterns, FileAgreesWithTheTable) {
  std::ostringstream want;
  want << "[\n";
  const auto patterns = default_patterns();
  for (std::size_t i = 0; i < patterns.size(); ++i)
    want << "  {\"id\": " << quoted(patterns[i].id) << ", \"literal\": " << quoted(patterns[i].literal)
         << ", \"why\": " << quoted(patterns[i].why) << (i + 1 < patterns.size() ? "},\n" : "}\n");
  want << "]\n";
  const std::string path = RTBWIRE_PAYLOAD "/patterns.json";
  if (std::getenv("RTBWIRE_UPDATE") != nullptr) std::ofstream(path) << want.str();
  EXPECT_EQ(read_file(path), want.str()) << "stale: run scan_test once with RTBWIRE_UPDATE=1";
}

TEST(Patterns, IdsAreUnique) {
  std::map<std::string_view, int> seen;
  for (const pattern& p : default_patterns()) EXPECT_EQ(++seen[p.id], 1) << p.id;
  EXPECT_GE(default_patterns().size(), 40u);
}

// Alone at every offset: nothing but the pattern itself or an earlier one inside of it.
TEST(Patterns, EachIsFoundAtEveryOffset) {
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel};
    for (const pattern& p : default_patterns()) {
      for (std::size_t pad = 0; pad < 70; ++pad) {
        const std::string text = "[\"" + std::string(pad, 'z') + p.literal + "\"]";
        const guarded in{text};
        const verdict v = scan(in.view());
        ASSERT_EQ(v.outcome, RTBWIRE_MALICIOUS) << text;
        ASSERT_EQ(v.match_offset, pad + 2) << text << describe(v);
        ASSERT_STREQ(v.pointer, "/0");
      }
    }
  }
}

// The leftmost match wins, then the lowest index, whatever finds it.
TEST(Patterns, OverlapsAreDecidedTheSameWay) {
  const pattern patterns[] = {{"0", "bcd", ""}, {"1", "abcdefghij", ""}, {"2", "ab", ""},
                              {"3", "abc", ""}, {"4", "q", ""}};
  const struct { const char* text; unsigned pattern, offset; } cases[] = {
      {"[\"xabcdefghij\"]", 1, 3}, {"[\"xabcdx\"]", 2, 3}, {"[\"xbcd\"]", 0, 3}, {"[\"qab\"]", 4, 2}, {"[\"a q\"]", 4, 4}};
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel, {}, 0, patterns};
    for (const auto& c : cases) {
      const verdict v = scan(c.text);
      EXPECT_EQ(v.pattern, c.pattern) << c.text;
      EXPECT_EQ(v.match_offset, c.offset) << c.text;
    }
  }
}

// Near-matches use up the prefilter's budget; the automaton has to find what follows.
TEST(Patterns, NearMatchesDoNotHideOne) {
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel};
    std::string text = "[\"";
    for (int i = 0; i < 4000; ++i) text += "<scrip";
    EXPECT_EQ(scan(text + "\"]").outcome, RTBWIRE_CLEAN);
    const verdict v = scan(text + "<script\"]");
    EXPECT_EQ(v.outcome, RTBWIRE_MALICIOUS);
    EXPECT_EQ(v.match_offset, text.size());
  }
}

TEST(Patterns, RealBidRequestsAreClean) {
  for (const unsigned layers : {0u, unsigned{RTBWIRE_LAYER_ALL}}) {
    fixture_scanner scan{RTBWIRE_KERNEL_BEST, {}, layers};
    std::size_t requests = 0, matches = 0;
    for (const std::string& line : read_lines(RTBWIRE_TESTDATA "/corpus/requests.ndjson")) {
      const verdict v = scan(line);
      ++requests;
      if (v.outcome == RTBWIRE_MALICIOUS) {
        ++matches;
        ADD_FAILURE() << describe(v) << " " << default_patterns()[v.pattern].id;
      }
      EXPECT_NE(v.outcome, RTBWIRE_MALFORMED) << line;
    }
    EXPECT_GT(requests, 100u);
    EXPECT_EQ(matches, 0u);
  }
}

TEST(Patterns, CorpusVerdicts) {
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel};
    for (const auto& packet : corpus::make({.seed = 9, .count = 4000})) {
      const verdict v = scan(packet.text);
      const auto want = packet.is == corpus::kind::valid     ? RTBWIRE_CLEAN
                        : packet.is == corpus::kind::invalid ? RTBWIRE_MALFORMED
                                                             : RTBWIRE_MALICIOUS;
      ASSERT_EQ(v.outcome, want) << packet.text << describe(v);
      ASSERT_EQ(v.pointer_known != 0, packet.is == corpus::kind::malicious);
    }
  }
}

}  // namespace
}  // namespace rtbwire::test
