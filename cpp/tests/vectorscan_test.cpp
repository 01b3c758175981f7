// The Vectorscan backend: the same verdicts for literals as the built-in search, expressions, the
// borders of strings, and refused patterns. Without Vectorscan the tests are skipped.
#include <gtest/gtest.h>

#include "support.hpp"

#ifndef RTBWIRE_HAVE_VECTORSCAN

TEST(Vectorscan, IsNotBuilt) {
  GTEST_SKIP() << "libhs was not found (Debian: libvectorscan-dev and pkg-config)";
}

#else

#include <algorithm>
#include <atomic>
#include <regex>
#include <set>
#include <thread>

#include "corpus.hpp"
#include "cpu_time.hpp"
#include "heap_count.hpp"
#include "rtbwire/vectorscan.hpp"

namespace rtbwire::test {
namespace {

constexpr auto literal = RTBWIRE_PATTERN_LITERAL;
constexpr auto expression = RTBWIRE_PATTERN_EXPRESSION;

/// A scanner with the backend, and the memory that it uses.
class vs_scanner {
 public:
  explicit vs_scanner(const vectorscan& compiled, rtbwire_scanner_options options = {},
                      unsigned layers = 0)
      : scratch_{compiled}, engine_memory_(engine::memory(compiled.matcher())),
        memory_(scanner::memory(options)),
        engine_{engine_memory_, compiled.matcher(), {RTBWIRE_KERNEL_BEST, layers}},
        scanner_{memory_, engine_, scratch_.get(), options} {
    if (scratch_.status() != RTBWIRE_OK || engine_.status() != RTBWIRE_OK ||
        scanner_.status() != RTBWIRE_OK)
      throw std::runtime_error("no scanner");
  }
  verdict operator()(std::string_view packet) { return scanner_.scan(packet); }
  scanner& get() { return scanner_; }

 private:
  vectorscan_scratch scratch_;
  std::vector<std::byte> engine_memory_, memory_;
  engine engine_;
  scanner scanner_;
};

/// Compiles expressions, with their texts as ids.
vectorscan compile(std::initializer_list<const char*> expressions) {
  std::vector<pattern> patterns;
  for (const char* e : expressions) patterns.push_back({e, e, "a test"});
  const std::vector<rtbwire_pattern_kind> kinds(patterns.size(), expression);
  return vectorscan{patterns, kinds};
}

std::vector<unsigned> all(const verdict& v) {
  const auto some = matched_patterns(v);
  return {some.begin(), some.end()};
}

constexpr std::string_view bytes = "\"\"\"\\{}[]:,019.-+eE \t\n\x01/ud8cA<\x80\xbf\xe2\xed\xf4\xff";

std::string mutate(corpus::random& random, std::string text) {
  test::mutate(random, text, bytes, 3);
  return text;
}

// ---- literals: the same verdicts as the built-in search ----

class VectorscanAgrees : public testing::TestWithParam<unsigned> {};

TEST_P(VectorscanAgrees, OnMutatedPackets) {
  const vectorscan compiled{default_patterns()};
  ASSERT_EQ(compiled.status(), RTBWIRE_OK) << compiled.reason();
  const auto packets = corpus::make({.seed = 12, .count = 1500, .malicious_percent = 40});
  for (const auto mode : {RTBWIRE_STRICT, RTBWIRE_DETECT}) {
    fixture_scanner built_in{RTBWIRE_KERNEL_BEST, {mode, 0, 0}, GetParam()};
    vs_scanner scan{compiled, {mode, 0, 0}, GetParam()};
    corpus::random random{7};
    std::size_t malicious = 0, other = 0;
    for (int round = 0; round < 6; ++round)
      for (const auto& packet : packets) {
        const std::string text = round == 0 ? packet.text : mutate(random, packet.text);
        const verdict want = built_in(text), got = scan(text);
        ASSERT_TRUE(same(want, got))
            << text << "\nbuilt in: " << describe(want) << "\nhere: " << describe(got);
        ++(want.outcome == RTBWIRE_MALICIOUS ? malicious : other);
      }
    EXPECT_GT(malicious, 1000u);
    EXPECT_GT(other, 1000u);
  }
}

// Each pattern alone, partly escaped, in several layers, in keys, and next to others.
TEST_P(VectorscanAgrees, OnHiddenPatterns) {
  const vectorscan compiled{default_patterns()};
  fixture_scanner built_in{RTBWIRE_KERNEL_BEST, {}, GetParam()};
  vs_scanner scan{compiled, {}, GetParam()};
  std::size_t malicious = 0;
  for (const std::string& line : read_lines(RTBWIRE_TESTDATA "/payload/harmless.tsv")) {
    const std::string text = "{\"a\":" + json_string(line) + "}";
    ASSERT_TRUE(same(built_in(text), scan(text))) << text;
  }
  for (const pattern& p : default_patterns()) {
    std::string percent, entity, twice;
    for (const char* c = p.literal; *c != '\0'; ++c) {
      char hex[16];
      std::snprintf(hex, sizeof hex, "%%%02x", *c);
      percent += hex;
      std::snprintf(hex, sizeof hex, "&#%d;", *c);
      entity += hex;
      std::snprintf(hex, sizeof hex, "\\u%04x", *c);
      twice += hex;
    }
    for (const std::string& hidden : {std::string{p.literal}, percent, entity, twice})
      for (const unsigned escaped : {0u, 50u, 100u}) {
        const std::string value = json_string("x " + hidden + hidden, escaped);
        for (const std::string& text :
             {"[" + value + "]", "{" + value + ":1}", "{\"a\":" + value, value + value}) {
          const verdict want = built_in(text), got = scan(text);
          ASSERT_TRUE(same(want, got))
              << text << "\nbuilt in: " << describe(want) << "\nhere: " << describe(got);
          malicious += want.outcome == RTBWIRE_MALICIOUS;
        }
      }
  }
  EXPECT_GT(malicious, 1000u);
}

INSTANTIATE_TEST_SUITE_P(Layers, VectorscanAgrees,
                         testing::Values(0u, unsigned{RTBWIRE_LAYER_ALL}));

TEST(Vectorscan, ManyLiterals) {
  std::vector<std::string> words(5000);
  corpus::random random{3};
  for (auto& word : words)
    for (std::size_t n = 6 + random.below(100); n > 0; --n)
      word += static_cast<char>('!' + random.below(90));
  std::vector<pattern> patterns;
  for (const auto& word : words) patterns.push_back({"", word.c_str(), ""});
  const vectorscan compiled{patterns};
  ASSERT_EQ(compiled.status(), RTBWIRE_OK) << compiled.reason();
  vs_scanner scan{compiled};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string text =
        "[1,\"ab\",\"= " + json_string(words[i] + " =", i % 3 == 0 ? 30 : 0).substr(1) + "]";
    const verdict v = scan(text);
    ASSERT_EQ(v.outcome, RTBWIRE_MALICIOUS) << text;
    ASSERT_EQ(v.pattern, i) << text;
    ASSERT_EQ(v.match_offset, 11u);
    ASSERT_STREQ(v.pointer, "/2");
  }
  for (const auto& packet : corpus::make({.count = 500, .malicious_percent = 0}))
    ASSERT_NE(scan(packet.text).outcome, RTBWIRE_MALICIOUS) << packet.text;
}

// ---- expressions ----

TEST(Vectorscan, Expressions) {
  const vectorscan compiled = compile({R"(on\w+\s*=)", R"(\$\{jndi:)", R"(union\s+(all\s+)?select)",
                                       R"([a-z0-9+/]{40,}={0,2})", R"(<!--.*-->)", R"(\bexec\b)"});
  ASSERT_EQ(compiled.status(), RTBWIRE_OK) << compiled.reason();
  vs_scanner scan{compiled}, layered{compiled, {}, RTBWIRE_LAYER_ALL};
  const std::string blob = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2w9";
  const struct {
    std::string text;
    std::vector<unsigned> patterns;
    unsigned offset;
    const char* pointer;
  } cases[] = {
      {R"({"a":"<b ONCLICK = x"})", {0}, 9, "/a"},
      {R"({"a":"<b on\u0063lick\t=x"})", {0}, 9, "/a"},
      {R"({"a":["x","${JNDI:ldap"]})", {1}, 11, "/a/1"},
      {R"({"a":"1 union\n all  select 2"})", {2}, 8, "/a"},
      {R"({"a":"1 Union Select 2"})", {2}, 8, "/a"},
      {R"({"1 union select 2":1})", {2}, 4, "/1 union select 2"},
      {"[\"" + blob + "\"]", {3}, 2, "/0"},
      {R"(["a <!-- \n --> b"])", {4}, 4, "/0"},
      {R"(["exec"])", {5}, 2, "/0"},
      {R"(["x exec"])", {5}, 4, "/0"},
      {R"(["exec union  select ${jndi:"])", {1, 2, 5}, 2, "/0"},
      {R"({"a":"executive union-select ${ jndi: one two = 1 onx"})", {0}, 33, ""},
  };
  for (const auto& c : cases) {
    const verdict v = scan(c.text);
    if (c.text.find("executive") != c.text.npos) {
      EXPECT_EQ(v.outcome, RTBWIRE_CLEAN) << describe(v);
      continue;
    }
    EXPECT_EQ(v.outcome, RTBWIRE_MALICIOUS) << c.text;
    EXPECT_EQ(all(v), c.patterns) << c.text;
    EXPECT_EQ(v.match_offset, c.offset) << c.text;
    EXPECT_STREQ(v.pointer, c.pointer) << c.text;
    EXPECT_EQ(v.match_in_key, c.text.starts_with("{\"1")) << c.text;
    EXPECT_FALSE(v.match_layered);
  }
  const verdict v = layered(R"({"a":"1 %75nion/**/ %73elect"})");
  EXPECT_EQ(v.outcome, RTBWIRE_MALICIOUS);
  EXPECT_TRUE(v.match_layered);
  EXPECT_EQ(v.match_offset, 8u) << describe(v);
}

// Literals and expressions in one set, and their order.
TEST(Vectorscan, LeftmostThenLowestIndex) {
  const pattern patterns[] = {
      {"0", "bcd", ""}, {"1", "ab?c", ""}, {"2", "ABC", ""}, {"3", "b.d", ""}, {"4", "a.c", ""}};
  const rtbwire_pattern_kind kinds[] = {literal, expression, literal, expression, expression};
  const vectorscan compiled{patterns, kinds};
  ASSERT_EQ(compiled.status(), RTBWIRE_OK) << compiled.reason();
  vs_scanner scan{compiled};
  const verdict one = scan(R"(["xabcd"])");
  EXPECT_EQ(one.pattern, 1u);
  EXPECT_EQ(one.match_offset, 3u);
  EXPECT_EQ(all(one), (std::vector<unsigned>{0, 1, 2, 3, 4}));
  EXPECT_EQ(scan(R"(["xbcd"])").pattern, 0u);
  EXPECT_EQ(scan(R"(["xbxd","abc"])").pattern, 3u);
  EXPECT_EQ(all(scan(R"(["xaxc"])")), std::vector<unsigned>{4});
}

// A match that spans two strings does not count, but a match inside it does.
TEST(Vectorscan, BordersOfStrings) {
  const vectorscan compiled = compile({"abc.*xyz", "[^<]{6}q", R"(p\W+r)"});
  ASSERT_EQ(compiled.status(), RTBWIRE_OK) << compiled.reason();
  vs_scanner scan{compiled};
  for (const char* clean :
       {R"(["abc","xyz"])", R"({"abc":"xyz"})", R"(["123","456q"])", R"(["p","r"])",
        R"(["abc\"","\"xyz"])", R"("abc" "xyz")", "[\"abc\xff xyz\"]"})
    EXPECT_EQ(all(scan(clean)), std::vector<unsigned>{}) << clean;
  const struct {
    const char* text;
    unsigned pattern, offset;
  } cases[] = {
      {R"(["abc xyz"])", 0, 2},
      {R"(["abc","abc xyz"])", 0, 8},  // the match from the first string ends at the same byte
      {R"(["abc","x","abcxyz","xyz"])", 0, 12},
      {R"(["abc","x","abcxyz","xyz",1,"xyz"])", 0, 12},
      {R"(["abc\"xyz"])", 0, 2},       // an escaped quote is not a border
      {R"(["12","3456789q"])", 1, 8},  // leftmost in its string
      {R"(["1","12345","123456q"])", 1, 14},
      {R"(["p","p ! r"])", 2, 6},
  };
  for (const auto& c : cases) {
    const verdict v = scan(c.text);
    EXPECT_EQ(v.outcome, RTBWIRE_MALICIOUS) << c.text;
    EXPECT_EQ(v.pattern, c.pattern) << c.text;
    EXPECT_EQ(v.match_offset, c.offset) << c.text;
  }
}

// Compares with std::regex, string by string, on texts of few letters.
TEST(Vectorscan, AgreesWithASearchOfEachString) {
  const std::vector<const char*> expressions = {
      "a.*b", "a.?b", "ab+c", "(a|bc)[^a]c", "b.{2,4}c", "a[^b]*c", R"(\bab)", "c{3}", "a.*c.*b"};
  std::vector<std::regex> reference;
  std::vector<pattern> patterns;
  for (const char* e : expressions) {
    reference.emplace_back(e);
    patterns.push_back({e, e, ""});
  }
  const std::vector<rtbwire_pattern_kind> kinds(patterns.size(), expression);
  const vectorscan compiled{patterns, kinds};
  ASSERT_EQ(compiled.status(), RTBWIRE_OK) << compiled.reason();
  vs_scanner scan{compiled};
  corpus::random random{21};
  std::size_t clean = 0, malicious = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string text = "[";
    std::set<unsigned> want;
    std::size_t first = SIZE_MAX;
    unsigned pattern = 0;
    for (std::size_t n = 1 + random.below(5); n > 0; --n) {
      std::string s;
      for (std::size_t k = random.below(9); k > 0; --k) s += "abcab "[random.below(6)];
      if (text.size() > 1) text += ',';
      for (unsigned i = 0; i < reference.size(); ++i) {
        std::smatch m;
        if (!std::regex_search(s, m, reference[i])) continue;
        want.insert(i);
        const std::size_t at = text.size() + 1 + static_cast<std::size_t>(m.position());
        if (at < first) {
          first = at;
          pattern = i;
        }
      }
      text += '"' + s + '"';
    }
    text += ']';
    const verdict v = scan(text);
    ASSERT_EQ(all(v), (std::vector<unsigned>{want.begin(), want.end()})) << text << describe(v);
    ++(want.empty() ? clean : malicious);
    if (want.empty()) continue;
    ASSERT_EQ(v.match_offset, first) << text << describe(v);
    ASSERT_EQ(v.pattern, pattern) << text << describe(v);
  }
  EXPECT_GT(clean, 1000u);
  EXPECT_GT(malicious, 1000u);
}

// CPU time is proportional to size, even if every byte ends a match or every string contains one.
// The factor is large because caches differ; a quadratic search would still exceed it.
TEST(Vectorscan, TimeIsBounded) {
  const vectorscan compiled = compile({"a.*", "a.*b", R"(\ba.*\b)"});
  ASSERT_EQ(compiled.status(), RTBWIRE_OK) << compiled.reason();
  vs_scanner scan{compiled, {RTBWIRE_DETECT, 1 << 21, 0}};
  const auto time = [&](std::size_t n, std::string_view unit) {
    std::string text = "\"";
    while (text.size() < n) text += unit;
    double best = 1e9;
    for (int run = 0; run < 3; ++run) {
      const double begin = cpu_seconds();
      const verdict v = scan(text);
      EXPECT_EQ(v.outcome, RTBWIRE_MALICIOUS);
      best = std::min(best, cpu_seconds() - begin);
    }
    return best;
  };
  for (const std::string_view unit : {"aa ", "a\"", "a b\",\""}) {
    const double small = time(1 << 14, unit), large = time(1 << 20, unit);
    EXPECT_LT(large, 64 * 8 * small) << unit;  // 64 times the size
  }
}

// ---- refused patterns ----

TEST(Vectorscan, BadPatternsAreNamed) {
  const struct {
    const char* text;
    std::string_view says;
  } cases[] = {
      {"(", "Missing close parenthesis"},
      {"a(?=b)", "Zero-width"},
      {"(a)\\1", "Back-ref"},
      {"x*", "empty string"},
      {"", "empty string"},
      {"^abc", "anchor"},
      {"abc$", "anchor"},
      {"a\\z", "anchor"},
      {"${jndi:", "anchor"},
      {"(*UTF8)a", "the text is bytes"},
      {"(?-i)abc", "no capital letters"},
      {"(?s-i:abc)", "no capital letters"},
      {"(?x)a #$", "(?x)"},
      {"\\Q$\\E", "escape each byte"},
      {"a\\bq", "never match"},
  };
  for (const auto& c : cases) {
    const pattern patterns[] = {{"good", "a+b", ""}, {"the.bad-one", c.text, ""}};
    const rtbwire_pattern_kind kinds[] = {expression, expression};
    const vectorscan compiled{patterns, kinds};
    EXPECT_EQ(compiled.status(), RTBWIRE_BAD_PATTERN) << c.text;
    EXPECT_TRUE(compiled.reason().starts_with("the.bad-one: ")) << compiled.reason();
    EXPECT_NE(compiled.reason().find(c.says), std::string_view::npos)
        << c.text << ": " << compiled.reason();
    EXPECT_EQ(compiled.get(), nullptr);
  }
  for (const char* good : {"[$^]a", "\\$a\\^", "[]^$]a", "[^]$]a", "[[:alpha:]^$]a", "(?i)a",
                           "(?#^$)a", "(?:a|b)", "\\\\a"})
    EXPECT_EQ(compile({good}).status(), RTBWIRE_OK) << good << ": " << compile({good}).reason();
  for (const char* bad : {"", "caf\xc3\xa9"}) {
    const pattern patterns[] = {{"bad", bad, ""}};
    EXPECT_EQ(vectorscan{patterns}.status(), RTBWIRE_BAD_PATTERN);
  }
  rtbwire_vectorscan* created = nullptr;
  rtbwire_vectorscan_error error;
  const pattern none{"none", nullptr, ""};
  EXPECT_EQ(rtbwire_vectorscan_create(&none, nullptr, 1, &error, &created), RTBWIRE_BAD_PATTERN);
  EXPECT_EQ(error.pattern, 0u);
  EXPECT_EQ(rtbwire_vectorscan_create(&none, nullptr, 0, &error, &created), RTBWIRE_BAD_ARGUMENT);
  EXPECT_EQ(rtbwire_vectorscan_create(nullptr, nullptr, 1, nullptr, &created),
            RTBWIRE_BAD_ARGUMENT);
  EXPECT_EQ(rtbwire_vectorscan_create(&none, nullptr, 1, nullptr, nullptr), RTBWIRE_BAD_ARGUMENT);
  rtbwire_vectorscan_destroy(nullptr);
  rtbwire_vectorscan_scratch_destroy(nullptr);
}

// ---- failure, heap, threads ----

// A scanner without scratch reports a failure.
TEST(Vectorscan, ScratchHasToBeItsOwn) {
  const vectorscan compiled{default_patterns()};
  std::vector<std::byte> engine_memory(engine::memory(compiled.matcher())),
      memory(scanner::memory());
  const engine e{engine_memory, compiled.matcher()};
  scanner scan{memory, e, nullptr, {}};
  ASSERT_EQ(scan.status(), RTBWIRE_OK);
  for (const char* packet : {"{}", R"({"a":"<script>"})", "{"}) {
    const verdict v = scan.scan(packet);
    EXPECT_EQ(v.outcome, RTBWIRE_FAILED) << packet;
    EXPECT_TRUE(rtbwire_refuse(&v, 1));
  }
  // Scratch of another database, which hs_scan would accept.
  const pattern one{"a", "a", ""};
  const vectorscan small{{&one, 1}};
  vectorscan_scratch wrong{small};
  std::vector<std::byte> other(scanner::memory());
  scanner odd{other, e, wrong.get(), {}};
  EXPECT_EQ(odd.scan(R"({"a":"<script>"})").outcome, RTBWIRE_FAILED);
}

// hs_scan refuses scratch that is in use, here by the search that is reporting. This makes it fail
// for literals and, in the second search, for expressions.
TEST(Vectorscan, ErrorsOfHsScanAreReturned) {
  struct nested {
    const rtbwire_matcher& matcher;
    void* scratch;
    int answer;
  };
  const pattern patterns[] = {{"0", "abc", ""}, {"1", "x+y", ""}};
  const rtbwire_pattern_kind kinds[] = {literal, expression};
  const vectorscan compiled{patterns, kinds};
  const vectorscan_scratch scratch{compiled};
  for (const std::string_view text : {"abc", "xxy"}) {
    nested n{compiled.matcher(), scratch.get(), 0};
    const auto search = [](const nested& in, std::string_view what, rtbwire_report report,
                           void* to) {
      return in.matcher.search(in.matcher.context, in.scratch, what.data(), what.size(), report,
                               to);
    };
    const auto again = [](void* to, std::uint32_t, std::size_t) {
      nested& in = *static_cast<nested*>(to);
      in.answer = in.matcher.search(
          in.matcher.context, in.scratch, "abc", 3, [](void*, std::uint32_t, std::size_t) {},
          nullptr);
    };
    EXPECT_EQ(search(n, text, again, &n), 0);
    EXPECT_NE(n.answer, 0) << text;
    EXPECT_EQ(search(
                  n, text, [](void*, std::uint32_t, std::size_t) {}, nullptr),
              0)
        << "free again";
  }
}

#ifdef RTBWIRE_COUNT_HEAP
TEST(Vectorscan, ScanningTakesNoHeap) {
  std::vector<pattern> patterns(default_patterns().begin(), default_patterns().end());
  std::vector<rtbwire_pattern_kind> kinds(patterns.size(), literal);
  for (const char* e : {R"(on\w+\s*=)", "a.*b", R"(union\s+(all\s+)?select)"}) {
    patterns.push_back({e, e, ""});
    kinds.push_back(expression);
  }
  const vectorscan compiled{patterns, kinds};
  ASSERT_EQ(compiled.status(), RTBWIRE_OK) << compiled.reason();
  const auto packets = corpus::make({.count = 1000});
  for (const unsigned layers : {0u, unsigned{RTBWIRE_LAYER_ALL}}) {
    vs_scanner scan{compiled, {}, layers};
    std::size_t malicious = 0;
    const std::size_t before = heap_calls();
    for (const auto& packet : packets) malicious += scan(packet.text).outcome == RTBWIRE_MALICIOUS;
    EXPECT_EQ(heap_calls(), before);
    EXPECT_GT(malicious, 50u);
  }
  const std::size_t before = heap_calls();
  vs_scanner another{compiled};
  EXPECT_GT(heap_calls(), before);  // the count works
}
#endif

// One database and one engine for all threads, and one scratch each.
TEST(Vectorscan, ThreadsShareADatabase) {
  const vectorscan compiled{default_patterns()};
  std::vector<std::byte> engine_memory(engine::memory(compiled.matcher()));
  const engine shared{engine_memory, compiled.matcher(), {RTBWIRE_KERNEL_BEST, RTBWIRE_LAYER_ALL}};
  const auto packets = corpus::make({.count = 500});
  std::vector<std::thread> threads;
  std::atomic<std::size_t> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      const vectorscan_scratch scratch{compiled};
      std::vector<std::byte> own(scanner::memory());
      scanner scan{own, shared, scratch.get(), {}};
      for (int round = 0; round < 4; ++round) wrong += count_wrong(scan, packets);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace rtbwire::test

#endif
