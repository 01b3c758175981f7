// The default patterns: each is found in its test vectors only, and verdicts list all that occur.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "corpus.hpp"
#include "support.hpp"

namespace rtbwire::test {
namespace {

enum vector_kind { found, layered, absent };

struct vector {
  std::string_view id;
  vector_kind kind;
  std::string_view text;
};

constexpr vector vectors[] = {
#include "pattern_vectors.inc"
};

bool names(const verdict& v, std::string_view id) {
  for (const auto i : matched_patterns(v))
    if (default_patterns()[i].id == id) return true;
  return false;
}

std::string in_case(std::string_view text, bool upper) {
  std::string out{text};
  for (char& c : out) {
    if (upper && c >= 'a' && c <= 'z') c -= 0x20;
    if (!upper && c >= 'A' && c <= 'Z') c += 0x20;
  }
  return out;
}

// Each text in which a pattern must be found, in the ways a packet can contain it.
TEST(Patterns, VectorsAreFound) {
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel};
    for (const vector& v : vectors) {
      if (v.kind != found) continue;
      for (const bool upper : {false, true}) {
        for (const unsigned percent : {0u, 30u, 100u}) {
          const std::string text = json_string(in_case(v.text, upper), percent, upper);
          for (const std::string& packet :
               {text, "[" + text + "]", "{" + text + ":1}", "{\"a\":[{\"b\":" + text + "}]}",
                "{\"a\":" + text, "[\"\\ud83d\\ude00\"," + text + "}"}) {
            const guarded in{packet};
            const verdict got = scan(in.view());
            ASSERT_TRUE(names(got, v.id)) << v.id << " in " << packet << ": " << describe(got);
            ASSERT_FALSE(got.match_layered) << packet;
          }
        }
      }
    }
  }
}

// Texts that are encoded once more are found with layers only.
TEST(Patterns, LayeredVectorsNeedLayers) {
  for (const auto kernel : kernels()) {
    fixture_scanner bare{kernel}, scan{kernel, {}, RTBWIRE_LAYER_ALL};
    for (const vector& v : vectors) {
      if (v.kind != layered) continue;
      const std::string packet = "{\"a\":" + json_string(v.text) + "}";
      EXPECT_FALSE(names(bare(packet), v.id)) << v.id << " in " << packet;
      const verdict got = scan(packet);
      EXPECT_TRUE(names(got, v.id)) << v.id << " in " << packet << ": " << describe(got);
    }
  }
}

// No pattern is found in the texts that must be clean, with all layers.
TEST(Patterns, AbsentVectorsAreClean) {
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel, {}, RTBWIRE_LAYER_ALL};
    for (const vector& v : vectors) {
      if (v.kind != absent) continue;
      const verdict got = scan("{\"a\":" + json_string(v.text) + "}");
      EXPECT_EQ(got.outcome, RTBWIRE_CLEAN)
          << v.text << ": " << default_patterns()[got.pattern].id << " " << describe(got);
    }
  }
}

TEST(Patterns, EachHasVectors) {
  std::map<std::string_view, int> of[3];
  for (const vector& v : vectors) ++of[v.kind][v.id];
  for (const pattern& p : default_patterns()) {
    EXPECT_GE(of[found][p.id], 1) << p.id;
    EXPECT_GE(of[layered][p.id] + of[found][p.id], 2) << p.id;
    EXPECT_GE(of[absent][p.id], 1) << p.id;
  }
}

// Compares the patterns of a verdict with a naive search.
TEST(Patterns, VerdictsNameAllThatOccur) {
  corpus::random random{5};
  std::size_t many = 0, none = 0;
  for (int round = 0; round < 400; ++round) {
    // Few letters and short literals: overlaps, literals inside literals, equal literals.
    std::vector<std::string> literals(1 + random.below(40));
    const std::size_t letters = 2 + random.below(3), longest = 1 + random.below(7);
    for (auto& literal : literals)
      for (std::size_t n = 1 + random.below(longest); n > 0; --n)
        literal += static_cast<char>('a' + random.below(letters));
    std::vector<pattern> patterns;
    for (const auto& literal : literals) patterns.push_back({"", literal.c_str(), ""});
    for (const auto kernel : kernels()) {
      fixture_scanner scan{kernel, {}, 0, patterns};
      for (int packet = 0; packet < 12; ++packet) {
        std::vector<std::string> strings(1 + random.below(4));
        std::string text = "[";
        for (auto& s : strings) {
          for (std::size_t n = random.below(20); n > 0; --n)
            s += static_cast<char>('a' + random.below(letters + 1));
          if (text.size() > 1) text += ',';
          text += json_string(in_case(s, random.percent(50)), random.percent(50) ? 40 : 0);
        }
        std::vector<std::uint16_t> want;
        for (std::size_t i = 0; i < literals.size(); ++i)
          for (const auto& s : strings)
            if (s.find(literals[i]) != s.npos) {
              want.push_back(static_cast<std::uint16_t>(i));
              break;
            }
        const verdict v = scan(text + "]");
        ASSERT_EQ(v.outcome, want.empty() ? RTBWIRE_CLEAN : RTBWIRE_MALICIOUS) << text;
        ASSERT_EQ(v.pattern_count, want.size()) << text;
        many += want.size() > RTBWIRE_PATTERNS_MAX;
        none += want.empty();
        if (!want.empty()) {
          ASSERT_TRUE(std::count(want.begin(), want.end(), v.pattern) == 1) << text;
        }
        if (want.size() > RTBWIRE_PATTERNS_MAX) want.resize(RTBWIRE_PATTERNS_MAX);
        const auto got = matched_patterns(v);
        ASSERT_TRUE(std::equal(got.begin(), got.end(), want.begin(), want.end())) << text;
      }
    }
  }
  EXPECT_GT(many, 100u);
  EXPECT_GT(none, 100u);
}

// Patterns of the plain text and of layers, in keys and after a fault.
TEST(Patterns, VerdictsNameThoseOfAllLayers) {
  const std::string packet =
      R"({"<iframe":"&lt;script","a":"1 union/**/select","b":tru,"c":"java\tscript:"})";
  for (const auto kernel : kernels()) {
    const verdict bare = fixture_scanner{kernel}(packet);
    EXPECT_EQ(bare.pattern_count, 1u);
    EXPECT_TRUE(names(bare, "xss.iframe-tag"));
    const verdict all = fixture_scanner{kernel, {}, RTBWIRE_LAYER_ALL}(packet);
    EXPECT_EQ(all.pattern_count, 4u) << describe(all);
    for (const char* id :
         {"xss.iframe-tag", "xss.script-tag", "sqli.union-select", "url.javascript"})
      EXPECT_TRUE(names(all, id)) << id;
    EXPECT_STREQ(default_patterns()[all.pattern].id, "xss.iframe-tag");
    EXPECT_FALSE(all.match_layered);
  }
  const verdict clean = fixture_scanner{}("{}");
  EXPECT_EQ(clean.pattern_count, 0u);
  EXPECT_TRUE(matched_patterns(clean).empty());
}

TEST(Patterns, IdsAreUnique) {
  std::map<std::string_view, int> seen;
  for (const pattern& p : default_patterns()) EXPECT_EQ(++seen[p.id], 1) << p.id;
  EXPECT_GE(default_patterns().size(), 40u);
}

// Each pattern alone at every offset: only the pattern or an earlier one inside it is found.
TEST(Patterns, EachIsFoundAtEveryOffset) {
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel};
    for (const pattern& p : default_patterns()) {
      for (std::size_t pad = 0; pad < 70; ++pad) {
        const std::string text = "[" + json_string(std::string(pad, 'z') + p.literal) + "]";
        const guarded in{text};
        const verdict v = scan(in.view());
        ASSERT_EQ(v.outcome, RTBWIRE_MALICIOUS) << text;
        ASSERT_EQ(v.match_offset, pad + 2) << text << describe(v);
        ASSERT_STREQ(v.pointer, "/0");
      }
    }
  }
}

// The leftmost match wins, then the lowest index.
TEST(Patterns, OverlapsAreDecidedTheSameWay) {
  const pattern patterns[] = {
      {"0", "bcd", ""}, {"1", "abcdefghij", ""}, {"2", "ab", ""}, {"3", "abc", ""}, {"4", "q", ""}};
  const struct {
    const char* text;
    unsigned pattern, offset;
  } cases[] = {{"[\"xabcdefghij\"]", 1, 3},
               {"[\"xabcdx\"]", 2, 3},
               {"[\"xbcd\"]", 0, 3},
               {"[\"qab\"]", 4, 2},
               {"[\"a q\"]", 4, 4}};
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel, {}, 0, patterns};
    for (const auto& c : cases) {
      const verdict v = scan(c.text);
      EXPECT_EQ(v.pattern, c.pattern) << c.text;
      EXPECT_EQ(v.match_offset, c.offset) << c.text;
    }
  }
}

// Near-matches use up the budget of the prefilter, and the automaton must find what follows.
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

// Patterns that could match outside strings do not match there if the packet is valid JSON.
TEST(Patterns, OnlyKeysAndValuesOfSoundPackets) {
  constexpr pattern patterns[] = {{"null", "null", ""},
                                  {"number", "999", ""},
                                  {"structure", "},{", ""},
                                  {"space", " ", ""},
                                  {"mixed", "a", ""}};
  for (const auto kernel : kernels())
    for (const auto mode : {RTBWIRE_STRICT, RTBWIRE_DETECT})
      for (const unsigned layers : {0u, unsigned{RTBWIRE_LAYER_ALL}}) {
        fixture_scanner scan{kernel, {mode, 0, 0}, layers, patterns};
        for (const char* text :
             {R"({"b":null})", R"({"b":1999})", "[{},{}]", R"({"b": 1})", "[1 ,\t2]"})
          EXPECT_EQ(scan(text).outcome, RTBWIRE_CLEAN) << text;
        const verdict v = scan(R"({ "b" : [ null, 999, {},{} ], "c": "x },{ null" })");
        EXPECT_EQ(v.outcome, RTBWIRE_MALICIOUS) << describe(v);
        EXPECT_EQ(v.pattern, 3u);  // the space in "x },{"
        EXPECT_STREQ(v.pointer, "/c");
        EXPECT_EQ(v.pattern_count, 3u);
        EXPECT_EQ(scan(R"({"null":1})").match_in_key, 1);
        // In a malformed packet it is not known what is a string.
        EXPECT_EQ(scan(R"({"b":null)").outcome, RTBWIRE_MALICIOUS);
      }
}

TEST(Patterns, AScannerThatIsNoneRefuses) {
  const std::string longer(RTBWIRE_LITERAL_MAX + 1, 'x');
  const pattern patterns[] = {{"long", longer.c_str(), ""}};
  std::vector<std::byte> memory(1 << 16);
  const engine engine{memory, patterns};
  EXPECT_EQ(engine.status(), RTBWIRE_BAD_PATTERN);
  scanner scan{memory, engine};
  EXPECT_EQ(scan.status(), RTBWIRE_BAD_ARGUMENT);
  const verdict v = scan.scan("{}");
  EXPECT_EQ(v.outcome, RTBWIRE_EXHAUSTED);
  EXPECT_TRUE(rtbwire_refuse(&v, 1));
}

}  // namespace
}  // namespace rtbwire::test
