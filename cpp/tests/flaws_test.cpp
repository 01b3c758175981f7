// Flaws of packet scanners of the classic design (a parser, an arena of 4 KB, a recursive walk for
// one needle), by their numbers in README.md. Each test shows that this scanner does not have the
// flaw. The README says where the others are tested.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "bench/verify.hpp"
#include "corpus.hpp"
#include "rtbwire/arena.hpp"
#include "support.hpp"

namespace rtbwire::test {
namespace {

bool mentions(const std::string& text, std::string_view word) {
  return text.find(word) != text.npos;
}

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

TEST(Flaws, F03SizesDoNotWrap) {
  std::byte buffer[256];
  fixed_arena arena{buffer, sizeof buffer};
  EXPECT_EQ(arena.take_bytes(SIZE_MAX - 50, 1), nullptr);
  EXPECT_EQ(arena.take<std::uint64_t>((std::size_t{1} << 61) + 1), nullptr);
  EXPECT_EQ(arena.used(), 0u);
  // Sizes that the scanner computes do not wrap either: it refuses limits that are too large.
  const rtbwire_scanner_options huge{RTBWIRE_STRICT, UINT32_MAX, 0},
      deep{RTBWIRE_STRICT, 0, UINT32_MAX};
  std::vector<std::byte> engine_memory(engine::memory(default_patterns()));
  const engine e{engine_memory, default_patterns()};
  std::vector<std::byte> memory(1 << 20);
  for (const auto& options : {huge, deep})
    EXPECT_EQ((scanner{memory, e, options}.status()), RTBWIRE_BAD_ARGUMENT);
  EXPECT_EQ(rtbwire_engine_memory(default_patterns().data(), SIZE_MAX), 0u);
}

TEST(Flaws, F04BlocksGivenBackTwiceAreGivenBackOnce) {
  std::byte buffer[64];
  fixed_arena arena{buffer, sizeof buffer};
  void* const first = arena.take_bytes(16, 1);
  void* const second = arena.take_bytes(16, 1);
  arena.give_back(second);
  arena.give_back(second);
  EXPECT_EQ(arena.used(), 16u);
  EXPECT_EQ(arena.take_bytes(16, 1), second);
  EXPECT_NE(arena.take_bytes(0, 1),
            arena.take_bytes(0, 1));  // empty blocks have different addresses
  EXPECT_NE(first, second);
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

// Nothing is kept in spare bits of pointers: any memory works, at the highest addresses of the
// system and at the lowest.
TEST(Flaws, F08PointersCarryNoTags) {
  std::string sources;
  for (const auto& entry : std::filesystem::directory_iterator(RTBWIRE_SOURCE "/src"))
    sources += read_file(entry.path());
  EXPECT_EQ(sources.find("uintptr_t"), std::string::npos);
  std::vector<std::byte> engine_memory(engine::memory(default_patterns()));
  const engine e{engine_memory, default_patterns()};
  std::vector<std::byte> on_the_heap(scanner::memory({RTBWIRE_STRICT, 4096, 0}));
  std::byte on_the_stack[64 * 1024];
  ASSERT_GE(sizeof on_the_stack, on_the_heap.size());
  for (const auto memory :
       {std::span<std::byte>{on_the_heap}, std::span<std::byte>{on_the_stack}}) {
    scanner scan{memory, e, {RTBWIRE_STRICT, 4096, 0}};
    EXPECT_EQ(scan.scan(R"(["<script"])").outcome, RTBWIRE_MALICIOUS);
  }
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

TEST(Flaws, F11TheLastBlockGrowsInPlace) {
  std::byte buffer[2048];
  fixed_arena arena{buffer, sizeof buffer};
  void* const block = arena.take_bytes(1000, 1);
  EXPECT_EQ(arena.resize(block, 1000, 2000, 1), block);
  EXPECT_EQ(arena.used(), 2000u);
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

// Each needle that the rivals search occurs in some packet.
TEST(Flaws, F12EveryNeedleOfTheComparisonOccurs) {
  const auto packets = corpus::make();
  for (const std::string_view needle : bench::needles) {
    const bool occurs = std::ranges::any_of(packets, [&](const corpus::packet& p) {
      std::string text = p.text;
      for (char& c : text) c = bench::fold(c);
      return p.is == corpus::kind::malicious && mentions(text, needle);
    });
    EXPECT_TRUE(occurs) << needle;
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
  EXPECT_EQ(v.error, RTBWIRE_ERROR_SYNTAX);
  EXPECT_TRUE(rtbwire_refuse(&v, 0));
  v = scan(R"({"a":1,})");
  EXPECT_TRUE(rtbwire_refuse(&v, 1));
  EXPECT_FALSE(rtbwire_refuse(&v, 0));
}

TEST(Flaws, F15NULHidesNothing) {
  EXPECT_EQ(fixture_scanner{}(R"({"a":"\u0000","b":"<script"})").outcome, RTBWIRE_MALICIOUS);
}

TEST(Flaws, F16KeysAreSearched) {
  const verdict v = fixture_scanner{}(R"({"<script":1})");
  EXPECT_EQ(v.outcome, RTBWIRE_MALICIOUS);
  EXPECT_TRUE(v.match_in_key);
}

TEST(Flaws, F17BothOfTwoEqualKeysAreSearched) {
  for (const char* text : {R"({"a":"<script","a":1})", R"({"a":1,"a":"<script"})"})
    EXPECT_EQ(fixture_scanner{}(text).outcome, RTBWIRE_MALICIOUS) << text;
}

TEST(Flaws, F18CaseHidesNothing) {
  EXPECT_EQ(fixture_scanner{}(R"(["<ScRiPt"])").outcome, RTBWIRE_MALICIOUS);
}

TEST(Flaws, F19EscapesHideNothing) {
  for (const char* text : {R"(["\u003cscript"])", R"(["<\/script"])", R"(["<scr\u0069pt"])"})
    EXPECT_EQ(fixture_scanner{}(text).outcome, RTBWIRE_MALICIOUS) << text;
}

TEST(Flaws, F20ScalarsAtTheRootAreSearched) {
  EXPECT_EQ(fixture_scanner{}(R"("<script")").outcome, RTBWIRE_MALICIOUS);
}

TEST(Flaws, F21MalformedIsNotClean) {
  fixture_scanner scan;
  for (const char* text : {R"({"a":1,})", "tru", "01", R"("\uZZZZ")", R"({"a" 1})", "[1e]"})
    EXPECT_EQ(scan(text).outcome, RTBWIRE_MALFORMED) << text;
}

TEST(Flaws, F22InvalidUTF8IsMalformed) {
  const verdict v = fixture_scanner{}("[\"\xff\"]");
  EXPECT_EQ(v.error, RTBWIRE_ERROR_UTF8);
  // Packets need no NUL at the end: this one ends where its page does.
  const guarded in{R"(["<script"])"};
  EXPECT_EQ(fixture_scanner{}(in.view()).outcome, RTBWIRE_MALICIOUS);
}

// ---- flaws of method ----

std::string bench_source(const char* name) {
  return read_file(std::string{RTBWIRE_SOURCE "/bench/"} + name);
}

// "catch (auto const& e)" is not valid C++. The library has no catch, because nothing throws.
TEST(Flaws, F23NothingIsCaught) {
  for (const auto& entry : std::filesystem::directory_iterator(RTBWIRE_SOURCE "/src")) {
    const std::string source = read_file(entry.path());
    EXPECT_FALSE(mentions(source, "catch (") || mentions(source, "throw ")) << entry.path();
  }
}

// A C callback of the wrong type compiles with some compilers. Our functions have C types.
TEST(Flaws, F24FunctionsHaveTheirTypes) {
  static_assert(std::is_same_v<decltype(&rtbwire_scan), void (*)(rtbwire_scanner*, const void*,
                                                                 std::size_t, rtbwire_verdict*)>);
  static_assert(std::is_same_v<decltype(&rtbwire_refuse), int (*)(const rtbwire_verdict*, int)>);
  static_assert(std::is_trivially_copyable_v<rtbwire_verdict> &&
                std::is_standard_layout_v<rtbwire_verdict>);
}

// A rival that is rewritten from memory is a different program. Each row uses the header of the
// library, and this tree contains no copy of a library.
TEST(Flaws, F25RivalsAreTheLibrariesThemselves) {
  EXPECT_TRUE(mentions(bench_source("row_nlohmann.cpp"), "#include <nlohmann/json.hpp>"));
  EXPECT_TRUE(mentions(bench_source("row_yyjson.cpp"), "#include <yyjson.h>"));
  EXPECT_TRUE(mentions(bench_source("row_simdjson.cpp"), "#include <simdjson.h>"));
  EXPECT_TRUE(mentions(bench_source("row_rapidjson.cpp"), "#include <rapidjson/"));
  EXPECT_TRUE(mentions(bench_source("row_glaze.cpp"), "#include <glaze/json.hpp>"));
}

// The malformed one of the three packets has exactly one fault: with the missing quote it is JSON.
TEST(Flaws, F26TheInvalidPacketHasOneFault) {
  std::string text = corpus::classic()[1].text;
  fixture_scanner scan;
  EXPECT_EQ(scan(text).outcome, RTBWIRE_MALFORMED);
  const std::size_t at = text.find("\"filter,");
  ASSERT_NE(at, text.npos);
  text.insert(at + 7, 1, '"');
  EXPECT_EQ(scan(text).outcome, RTBWIRE_CLEAN) << text;

  text = corpus::published()[1].text;
  EXPECT_EQ(scan(text).outcome, RTBWIRE_MALFORMED);
  text.insert(text.rfind('\n'), 1, '"');
  EXPECT_EQ(scan(text).outcome, RTBWIRE_CLEAN) << text;
}

// Compile-time options have no effect on a library that is already compiled.
TEST(Flaws, F27NoSwitchesWithoutEffect) {
  for (const char* name :
       {"row_yyjson.cpp", "row_nlohmann.cpp", "row_simdjson.cpp", "row_rapidjson.cpp"}) {
    const std::string source = bench_source(name);
    EXPECT_FALSE(mentions(source, "YYJSON_DISABLE") || mentions(source, "#define")) << name;
  }
}

// All rows do the same work: libraries that do not check UTF-8 by default are told to.
TEST(Flaws, F28AllCheckUTF8) {
  EXPECT_TRUE(mentions(bench_source("row_rapidjson.cpp"), "kParseValidateEncodingFlag"));
  EXPECT_FALSE(mentions(bench_source("row_yyjson.cpp"), "ALLOW_INVALID_UNICODE"));
  EXPECT_EQ(fixture_scanner{}("[\"\xc0\xaf\"]").error, RTBWIRE_ERROR_UTF8);
}

// The peak includes temporary memory, malformed packets and packets that did not fit.
TEST(Flaws, F29PeaksCountTransientsAndFailures) {
  fixture_scanner scan;
  EXPECT_EQ(rtbwire_scanner_peak(scan.get()), 0u);
  (void)scan("[");
  const std::size_t malformed = rtbwire_scanner_peak(scan.get());
  EXPECT_GT(malformed, 0u);
  (void)scan(std::string(1000, '['));
  const std::size_t deep = rtbwire_scanner_peak(scan.get());
  EXPECT_GE(deep, malformed + 999);
  (void)scan("[]");
  EXPECT_EQ(rtbwire_scanner_peak(scan.get()), deep);
}

// Refusing early is not the same as being fast, so each class of packets has its own figures.
TEST(Flaws, F30ResultsAreByClass) {
  const auto sets = bench::make_sets();
  for (const auto& [name, kind] : {std::pair{"valid", corpus::kind::valid},
                                   {"invalid", corpus::kind::invalid},
                                   {"malicious", corpus::kind::malicious}}) {
    const auto set = std::ranges::find(sets, name, &bench::set::name);
    ASSERT_NE(set, sets.end()) << name;
    EXPECT_GE(set->packets.size(), 500u);
    for (const auto& p : set->packets) ASSERT_EQ(p.is, kind);
  }
}

// The mix is counted: 8,192 distinct packets, 80, 10 and 10 percent, in an order that a branch
// predictor cannot learn.
TEST(Flaws, F31TheMixIsWhatIsSaid) {
  const auto packets = corpus::make();
  ASSERT_EQ(packets.size(), 8192u);
  std::set<std::string_view> distinct;
  std::size_t of[3] = {}, escaped = 0, repeats = 0, backslashes = 0;
  for (std::size_t i = 0; i < packets.size(); ++i) {
    distinct.insert(packets[i].text);
    ++of[static_cast<int>(packets[i].is)];
    escaped += packets[i].escaped;
    repeats += i >= 3 && packets[i].is == packets[i - 3].is;
    backslashes += mentions(packets[i].text, "\\");
    EXPECT_GE(packets[i].text.size(), 120u);
    EXPECT_LE(packets[i].text.size(), 1459u);
  }
  EXPECT_EQ(distinct.size(), packets.size());
  EXPECT_NEAR(static_cast<double>(of[0]) / 8192, 0.8, 0.02);
  EXPECT_NEAR(static_cast<double>(of[1]) / 8192, 0.1, 0.02);
  EXPECT_NEAR(static_cast<double>(of[2]) / 8192, 0.1, 0.02);
  EXPECT_NEAR(static_cast<double>(escaped) / static_cast<double>(of[2]), 0.5, 0.1);
  EXPECT_NEAR(static_cast<double>(repeats) / 8189, 0.8 * 0.8 + 2 * 0.1 * 0.1, 0.03);
  EXPECT_GT(backslashes, 8192u / 2);
}

// Every verdict is compared with the class of the packet. A row that gives the same verdict for all
// packets, or ignores escapes or case, is not in the table.
class fixed_answer final : public bench::contender {
 public:
  bench::answer judge(std::string_view) override { return bench::answer::clean; }
};

class raw_search final : public bench::contender {
 public:
  bench::answer judge(std::string_view packet) override {
    const verdict v = scan_(packet);
    if (v.outcome == RTBWIRE_MALFORMED) return bench::answer::invalid;
    return bench::harmful(packet) ? bench::answer::malicious : bench::answer::clean;
  }

 private:
  fixture_scanner scan_;
};

class right final : public bench::contender {
 public:
  bench::answer judge(std::string_view packet) override {
    const verdict v = scan_(packet);
    if (v.outcome == RTBWIRE_MALICIOUS) return bench::answer::malicious;
    return v.outcome == RTBWIRE_CLEAN ? bench::answer::clean : bench::answer::invalid;
  }

 private:
  fixture_scanner scan_;
};

class one_literal final : public bench::contender {
 public:
  bench::answer judge(std::string_view packet) override {
    return bench::one_literal::find(packet) ? bench::answer::malicious : bench::answer::clean;
  }
};

class refuses final : public bench::contender {
 public:
  bench::answer judge(std::string_view) override { return bench::answer::refused; }
};

template <class Contender>
bench::row row(bench::abilities can = {}) {
  return {"row", []() -> bench::contender* { return new Contender; }, can};
}

TEST(Flaws, F32VerdictsAreCheckedBeforeSpeed) {
  const auto sets = bench::make_sets();
  const auto& all = sets[1];
  ASSERT_EQ(all.name, "corpus");
  testing::internal::CaptureStderr();
  EXPECT_FALSE(bench::verify(row<fixed_answer>(), all));
  EXPECT_FALSE(bench::verify(row<raw_search>(), all));
  // What a row cannot do is said, and excuses nothing else.
  EXPECT_FALSE(bench::verify(row<one_literal>({.grammar = false}), all));
  EXPECT_FALSE(bench::verify(row<one_literal>({.all_payloads = false}), all));
  EXPECT_FALSE(bench::verify(row<refuses>({.grammar = false, .all_payloads = false}), all));
  EXPECT_NE(testing::internal::GetCapturedStderr(), "");
  EXPECT_TRUE(bench::verify(row<one_literal>({.grammar = false, .all_payloads = false}), all));
  const auto scanner = row<right>({.longest = 65535});
  for (const auto& set : sets)
    if (bench::reads(scanner, set)) EXPECT_TRUE(bench::verify(scanner, set)) << set.name;
  // A document of a megabyte is for rows that are able to read it.
  const auto large = std::ranges::find(sets, "1MB", &bench::set::name);
  ASSERT_NE(large, sets.end());
  EXPECT_GT(large->packets[0].text.size(), 1'000'000u);
  EXPECT_FALSE(bench::reads(scanner, *large));
  EXPECT_TRUE(bench::reads(row<right>(), *large));
}

}  // namespace
}  // namespace rtbwire::test
