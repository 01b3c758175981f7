// RFC 8259 and UTF-8: each fault with its error and offset, and JSONTestSuite.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "support.hpp"

namespace rtbwire::test {
namespace {

struct fault {
  std::string_view in;
  rtbwire_error error;
  unsigned offset;
};

using namespace std::string_view_literals;

const fault faults[] = {
    {R"({"id":"1","imp":[{"id":"1"}]})", RTBWIRE_ERROR_NONE, 0},
    {" [ ] ", RTBWIRE_ERROR_NONE, 0},
    {"0", RTBWIRE_ERROR_NONE, 0},
    {"-0.5E+10", RTBWIRE_ERROR_NONE, 0},
    {"\"\\ud83d\\ude00\\u0000\"", RTBWIRE_ERROR_NONE, 0},
    {"1e999", RTBWIRE_ERROR_NONE, 0},  // section 6 sets no range
    {"", RTBWIRE_ERROR_EMPTY, 0},
    {" ", RTBWIRE_ERROR_EMPTY, 1},
    {"{", RTBWIRE_ERROR_TRUNCATED, 1},
    {"[1", RTBWIRE_ERROR_TRUNCATED, 2},
    {R"({"a")", RTBWIRE_ERROR_TRUNCATED, 4},
    {R"({"a":)", RTBWIRE_ERROR_TRUNCATED, 5},
    {R"("a)", RTBWIRE_ERROR_TRUNCATED, 2},
    {R"("\)", RTBWIRE_ERROR_TRUNCATED, 2},
    {R"("\u00)", RTBWIRE_ERROR_TRUNCATED, 5},
    {R"("\ud800)", RTBWIRE_ERROR_TRUNCATED, 7},
    {"tru", RTBWIRE_ERROR_TRUNCATED, 3},
    {"-", RTBWIRE_ERROR_TRUNCATED, 1},
    {"1.", RTBWIRE_ERROR_TRUNCATED, 2},
    {"1e", RTBWIRE_ERROR_TRUNCATED, 2},
    {"\"\xe4\xb8", RTBWIRE_ERROR_TRUNCATED, 3},
    {R"({"a":1,})", RTBWIRE_ERROR_SYNTAX, 7},
    {R"({"a" 1})", RTBWIRE_ERROR_SYNTAX, 5},
    {R"({a:1})", RTBWIRE_ERROR_SYNTAX, 1},
    {R"([1 2])", RTBWIRE_ERROR_SYNTAX, 3},
    {R"([1}])", RTBWIRE_ERROR_SYNTAX, 2},
    {R"([,1])", RTBWIRE_ERROR_SYNTAX, 1},
    {R"({"a":]})", RTBWIRE_ERROR_SYNTAX, 5},
    {"\xef\xbb\xbf{}", RTBWIRE_ERROR_BOM, 0},
    {"'a'", RTBWIRE_ERROR_SYNTAX, 0},
    {"]", RTBWIRE_ERROR_SYNTAX, 0},
    {"1 1", RTBWIRE_ERROR_TRAILING, 2},
    {"{}{}", RTBWIRE_ERROR_TRAILING, 2},
    {"[]]", RTBWIRE_ERROR_TRAILING, 2},
    {"1\0"sv, RTBWIRE_ERROR_TRAILING, 1},
    {"01", RTBWIRE_ERROR_NUMBER, 1},
    {"[-a]", RTBWIRE_ERROR_NUMBER, 2},
    {"[1.]", RTBWIRE_ERROR_NUMBER, 3},
    {"[1e+]", RTBWIRE_ERROR_NUMBER, 4},
    {"trux", RTBWIRE_ERROR_SYNTAX, 3},
    {"[nul]", RTBWIRE_ERROR_SYNTAX, 4},
    {"\"a\tb\"", RTBWIRE_ERROR_CONTROL, 2},
    {"\"\0\""sv, RTBWIRE_ERROR_CONTROL, 1},
    {R"("\q")", RTBWIRE_ERROR_ESCAPE, 2},
    {R"("\uZZZZ")", RTBWIRE_ERROR_ESCAPE, 3},
    {R"("\U0041")", RTBWIRE_ERROR_ESCAPE, 2},
    {R"("\ud800")", RTBWIRE_ERROR_SURROGATE, 1},
    {R"("\udc00\ud800")", RTBWIRE_ERROR_SURROGATE, 1},
    {R"("\ud800\n")", RTBWIRE_ERROR_SURROGATE, 1},
    {R"("\ud800\ud800")", RTBWIRE_ERROR_SURROGATE, 1},
    {"\"\x80\"", RTBWIRE_ERROR_UTF8, 1},
    {"\"\xc0\xaf\"", RTBWIRE_ERROR_UTF8, 1},
    {"\"\xe0\x80\x80\"", RTBWIRE_ERROR_UTF8, 1},
    {"\"\xed\xa0\x80\"", RTBWIRE_ERROR_UTF8, 1},
    {"\"\xf4\x90\x80\x80\"", RTBWIRE_ERROR_UTF8, 1},
    {"\"\xf8\x88\x80\x80\x80\"", RTBWIRE_ERROR_UTF8, 1},
    {"\"\xe4\xb8\"", RTBWIRE_ERROR_UTF8, 1},
};

TEST(Strict, EachFaultHasItsCodeAndPlace) {
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel};
    for (const fault& f : faults) {
      const guarded in{f.in};
      const verdict v = scan(in.view());
      EXPECT_EQ(v.error, f.error) << f.in << ": " << describe(v);
      EXPECT_EQ(v.error_offset, f.offset) << f.in;
      EXPECT_EQ(v.outcome, f.error == RTBWIRE_ERROR_NONE ? RTBWIRE_CLEAN : RTBWIRE_MALFORMED)
          << f.in;
    }
  }
}

// The same faults further into a packet, at every position in a vector.
TEST(Strict, FaultsAreFoundAtEveryOffset) {
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel};
    for (const fault& f : faults) {
      // Spaces are not part of a value, and after one a byte order mark is just another byte.
      if (f.error == RTBWIRE_ERROR_EMPTY || f.error == RTBWIRE_ERROR_BOM) continue;
      for (std::size_t pad = 0; pad < 130; ++pad) {
        const std::string spaces(pad, ' ');
        const guarded in{spaces + std::string{f.in}};
        const verdict v = scan(in.view());
        ASSERT_EQ(v.error, f.error) << f.in << " after " << pad << " spaces";
        ASSERT_EQ(v.error_offset, f.error == RTBWIRE_ERROR_NONE ? 0 : f.offset + pad) << f.in;
      }
    }
  }
}

// RFC 8259 leaves these open, and we accept them. All others named i_ are refused.
const std::set<std::string> open_and_accepted = {
    "i_number_double_huge_neg_exp.json", "i_number_huge_exp.json",
    "i_number_neg_int_huge_exp.json",    "i_number_pos_double_huge_exp.json",
    "i_number_real_neg_overflow.json",   "i_number_real_pos_overflow.json",
    "i_number_real_underflow.json",      "i_number_too_big_neg_int.json",
    "i_number_too_big_pos_int.json",     "i_number_very_big_negative_int.json",
};

TEST(Strict, JSONTestSuite) {
  int files = 0;
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel, {RTBWIRE_STRICT, 1 << 20, 0}};
    for (const auto& entry :
         std::filesystem::directory_iterator(RTBWIRE_TESTDATA "/jsontestsuite")) {
      const std::string name = entry.path().filename();
      if (!name.ends_with(".json") || name[1] != '_') continue;
      const guarded in{read_file(entry.path())};
      const verdict v = scan(in.view());
      const bool accept = name[0] == 'y' || (name[0] == 'i' && open_and_accepted.count(name) != 0);
      EXPECT_EQ(v.outcome == RTBWIRE_CLEAN, accept) << name << ": " << describe(v);
      ++files;
    }
  }
  EXPECT_GT(files, 300);
}

TEST(Strict, DepthIsLimitedAndNothingRecurses) {
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel, {RTBWIRE_STRICT, 1 << 21, 300}};
    const auto nested = [](std::size_t n) { return std::string(n, '[') + std::string(n, ']'); };
    for (const std::size_t depth : {1, 61, 62, 63, 64, 65, 299, 300})
      EXPECT_EQ(scan(nested(depth)).outcome, RTBWIRE_CLEAN) << depth;
    const verdict deep = scan(nested(301));
    EXPECT_EQ(deep.outcome, RTBWIRE_TOO_DEEP);
    EXPECT_EQ(deep.error_offset, 300u);
    EXPECT_EQ(scan(std::string(500000, '[')).outcome, RTBWIRE_TOO_DEEP);
    // Not all of it is checked, but all of it is searched.
    EXPECT_EQ(scan(std::string(500000, '[') + "\"<script").outcome, RTBWIRE_MALICIOUS);
  }
}

// Limits below the most that the vector kernels count.
TEST(Strict, SmallDepthLimits) {
  for (const auto kernel : kernels())
    for (const std::uint32_t limit : {1u, 2u, 7u, 61u, 62u, 63u, 64u}) {
      fixture_scanner scan{kernel, {RTBWIRE_STRICT, 0, limit}};
      for (std::size_t depth = 1; depth <= limit + 3u; ++depth) {
        const auto want = depth <= limit ? RTBWIRE_CLEAN : RTBWIRE_TOO_DEEP;
        EXPECT_EQ(scan(std::string(depth, '[') + std::string(depth, ']')).outcome, want)
            << limit << ' ' << depth;
      }
    }
}

TEST(Strict, TruncatedAnywhereIsTruncated) {
  const std::string whole = R"({"id":"é\u00e9\ud83d\ude00","n":[-1.5e3,true,null,{}],"x":"日本"} )";
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel};
    ASSERT_EQ(scan(whole).outcome, RTBWIRE_CLEAN);
    for (std::size_t n = 1; n + 2 <= whole.size(); ++n) {
      const guarded in{whole.substr(0, n)};
      const verdict v = scan(in.view());
      ASSERT_EQ(v.error, RTBWIRE_ERROR_TRUNCATED) << n << ": " << describe(v);
      ASSERT_EQ(v.error_offset, n);
    }
  }
}

}  // namespace
}  // namespace rtbwire::test
