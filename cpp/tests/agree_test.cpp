// Compares strict mode with other parsers on mutated documents. Every difference must belong to a
// class that is explained here, and is counted.
//
//   RTBWIRE_AGREE=10000000 agree_test     the number of documents; default 200,000
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>

#ifdef RTBWIRE_HAVE_SIMDJSON
#include <simdjson.h>
#endif
#ifdef RTBWIRE_HAVE_RAPIDJSON
#include <rapidjson/reader.h>
#endif
#ifdef RTBWIRE_HAVE_YYJSON
#include <yyjson.h>
#endif

#include "corpus.hpp"
#include "support.hpp"

namespace rtbwire::test {
namespace {

enum class says { yes, no, too_deep };

class rival {
 public:
  virtual ~rival() = default;
  virtual const char* name() const = 0;
  virtual says judge(const std::string& text) = 0;
};

#ifdef RTBWIRE_HAVE_SIMDJSON
class simdjson_rival final : public rival {
 public:
  const char* name() const override { return "simdjson"; }
  says judge(const std::string& text) override {
    padded_.assign(text);
    padded_.resize(text.size() + simdjson::SIMDJSON_PADDING, ' ');
    const auto error = parser_.parse(padded_.data(), text.size(), false).error();
    switch (error) {
      case simdjson::SUCCESS: return says::yes;
      case simdjson::DEPTH_ERROR: return says::too_deep;
      default: return says::no;
    }
  }

 private:
  simdjson::dom::parser parser_;
  std::string padded_;
};
#endif

#ifdef RTBWIRE_HAVE_RAPIDJSON
class rapidjson_rival final : public rival {
 public:
  const char* name() const override { return "RapidJSON"; }
  says judge(const std::string& text) override {
    rapidjson::MemoryStream in{text.data(), text.size()};
    rapidjson::BaseReaderHandler<> ignore;
    const auto result = reader_.Parse < rapidjson::kParseValidateEncodingFlag |
                        rapidjson::kParseIterativeFlag > (in, ignore);
    if (!result.IsError()) return says::yes;
    return says::no;
  }

 private:
  rapidjson::Reader reader_;
};
#endif

#ifdef RTBWIRE_HAVE_YYJSON
class yyjson_rival final : public rival {
 public:
  const char* name() const override { return "yyjson"; }
  says judge(const std::string& text) override {
    yyjson_read_err error;
    yyjson_doc* doc = yyjson_read_opts(const_cast<char*>(text.data()), text.size(),
                                       YYJSON_READ_NOFLAG, nullptr, &error);
    if (doc == nullptr) return says::no;
    yyjson_doc_free(doc);
    return says::yes;
  }
};
#endif

std::vector<std::unique_ptr<rival>> rivals() {
  std::vector<std::unique_ptr<rival>> all;
#ifdef RTBWIRE_HAVE_SIMDJSON
  all.push_back(std::make_unique<simdjson_rival>());
#endif
#ifdef RTBWIRE_HAVE_RAPIDJSON
  all.push_back(std::make_unique<rapidjson_rival>());
#endif
#ifdef RTBWIRE_HAVE_YYJSON
  all.push_back(std::make_unique<yyjson_rival>());
#endif
  return all;
}

// Reports whether a text has a number that fits neither a double nor 64 bits.
bool has_huge_number(const std::string& text) {
  bool in_string = false;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (in_string) {
      i += c == '\\' ? 2 : 1;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c != '-' && (c < '0' || c > '9')) {
      ++i;
      continue;
    }
    std::size_t end = i;
    bool fraction = false;
    while (end < text.size() && std::strchr("0123456789+-.eE", text[end]) != nullptr &&
           text[end] != '\0') {
      fraction = fraction || std::strchr(".eE", text[end]) != nullptr;
      ++end;
    }
    const double value = std::strtod(text.substr(i, end - i).c_str(), nullptr);
    if (value > 1.7e308 || value < -1.7e308) return true;
    if (!fraction && (value >= 9.2e18 || value <= -9.2e18)) return true;
    i = end;
  }
  return false;
}

// Reports whether a text has an exponent above 300, even of zero.
bool has_large_exponent(const std::string& text) {
  for (std::size_t i = 1; i + 3 < text.size(); ++i) {
    if ((text[i] | 0x20) != 'e' || text[i - 1] < '0' || text[i - 1] > '9') continue;
    if (std::strtol(text.c_str() + i + 1, nullptr, 10) > 300) return true;
  }
  return false;
}

enum class difference {
  number_range,
  zero_exponent,
  second_half,
  nul_at_the_end,
  too_deep,
  unexplained
};

const char* explanation(difference d) {
  switch (d) {
    case difference::number_range:
      return "a number beyond double or 64 bits; RFC 8259 section 6 sets no range";
    case difference::zero_exponent:
      return "zero with a large exponent, which RapidJSON considers too large";
    case difference::second_half:
      return "the second half of a surrogate pair without the first, which RapidJSON accepts";
    case difference::nul_at_the_end: return "NUL, which ends the text for the other parser";
    case difference::too_deep: return "nesting beyond the limit of one of the two";
    default: return "NOT EXPLAINED";
  }
}

difference classify(const char* name, const std::string& text, says theirs, const verdict& ours) {
  const bool we_accept = ours.outcome == RTBWIRE_CLEAN;
  if (theirs == says::too_deep || ours.outcome == RTBWIRE_TOO_DEEP) return difference::too_deep;
  // They convert numbers, and refuse those that fit neither a double nor 64 bits.
  if (we_accept && has_huge_number(text)) return difference::number_range;
  const bool rapidjson = std::strcmp(name, "RapidJSON") == 0;
  if (we_accept && rapidjson && has_large_exponent(text)) return difference::zero_exponent;
  if (ours.error == RTBWIRE_ERROR_SURROGATE && rapidjson &&
      (text[ours.error_offset + 3] | 0x20) >= 'c')
    return difference::second_half;
  if (!we_accept && ours.error_offset < text.size() && text[ours.error_offset] == '\0')
    return difference::nul_at_the_end;
  return difference::unexplained;
}

class agreement {
 public:
  agreement() : scanners_(), rivals_(rivals()) {
    // A pattern that never matches, because MALICIOUS would hide the verdict about the grammar.
    static const pattern none[] = {{"none", "\x01\x02never\x03", ""}};
    for (const auto kernel : kernels())
      scanners_.push_back(std::make_unique<fixture_scanner>(
          kernel, rtbwire_scanner_options{RTBWIRE_STRICT, 1 << 20, 1024}, 0, none));
  }
  bool has_rivals() const { return !rivals_.empty(); }

  void look(const std::string& text) {
    ++documents_;
    const verdict ours = (*scanners_.back())(text);
    for (std::size_t k = 0; k + 1 < scanners_.size(); ++k) {
      const verdict other = (*scanners_[k])(text);
      ASSERT_TRUE(same(ours, other)) << text << describe(ours) << " / " << describe(other);
    }
    accepted_ += ours.outcome == RTBWIRE_CLEAN;
    for (const auto& r : rivals_) {
      const says theirs = r->judge(text);
      if ((theirs == says::yes) == (ours.outcome == RTBWIRE_CLEAN)) continue;
      const difference d = classify(r->name(), text, theirs, ours);
      ++differences_[{r->name(), d}];
      ASSERT_NE(d, difference::unexplained)
          << r->name() << (theirs == says::yes ? " accepts" : " refuses") << ", we say "
          << describe(ours) << ":\n"
          << text;
    }
  }

  void report(const char* what) const {
    std::printf("%s: %zu documents, %zu of them accepted, by", what, documents_, accepted_);
    for (const auto& r : rivals_) std::printf(" %s", r->name());
    std::printf("\n");
    for (const auto& [key, count] : differences_)
      std::printf("  %s, %zu: %s\n", key.first.c_str(), count, explanation(key.second));
  }
  std::size_t accepted() const { return accepted_; }
  std::size_t documents() const { return documents_; }

 private:
  std::vector<std::unique_ptr<fixture_scanner>> scanners_;
  std::vector<std::unique_ptr<rival>> rivals_;
  std::size_t documents_{0}, accepted_{0};
  std::map<std::pair<std::string, difference>, std::size_t> differences_;
};

// Changes a document by tokens and bytes that matter to a parser, so that the result is often
// still JSON.
void mutate(corpus::random& random, std::string& text) {
  static const std::string_view tokens[] = {"\"",
                                            "\\",
                                            "{",
                                            "}",
                                            "[",
                                            "]",
                                            ":",
                                            ",",
                                            "0",
                                            "1",
                                            "-",
                                            ".",
                                            "e",
                                            "E",
                                            "+",
                                            "true",
                                            "false",
                                            "null",
                                            " ",
                                            "\n",
                                            "\t",
                                            "\\n",
                                            "\\u0041",
                                            "\\ud83d\\ude00",
                                            "\\ud83d",
                                            "\\ude00",
                                            "\\u",
                                            "\\x",
                                            "\x01",
                                            "\x7f",
                                            "\x80",
                                            "\xc3\xa9",
                                            "\xc0\xaf",
                                            "\xe4\xb8\xad",
                                            "\xed\xa0\x80",
                                            "\xf0\x9f\x98\x80",
                                            "\xf4\x90\x80\x80",
                                            "\xff",
                                            "[]",
                                            "{}",
                                            "\"\"",
                                            "\"a\":1",
                                            "1e400",
                                            "-0",
                                            "00",
                                            "12345678901234567890123",
                                            "/",
                                            "\\/",
                                            "'",
                                            "//",
                                            "1.5",
                                            "\xef\xbb\xbf",
                                            "[[[[",
                                            "]]]]",
                                            std::string_view{"\0", 1}};
  const auto token = [&] { return tokens[random.below(sizeof tokens / sizeof *tokens)]; };
  for (std::size_t n = random.below(4); n > 0 && !text.empty(); --n) {
    const std::size_t at = random.below(text.size());
    switch (random.below(7)) {
      case 0: text.replace(at, 1, token()); break;
      case 1: text.erase(at, 1 + random.below(3)); break;
      case 2: text.insert(at, token()); break;
      case 3: text[at] = static_cast<char>(random.below(256)); break;
      case 4: text.insert(at, text.substr(random.below(text.size()), random.below(12))); break;
      case 5: text[at] ^= static_cast<char>(1 << random.below(8)); break;
      default:
        if (random.percent(20)) text.resize(at);
        break;
    }
  }
}

TEST(Agree, OnMutatedDocuments) {
  agreement all;
  if (!all.has_rivals()) GTEST_SKIP() << "no headers of simdjson, RapidJSON or yyjson";
  const char* count_text = std::getenv("RTBWIRE_AGREE");
  const std::size_t count = count_text != nullptr ? std::strtoull(count_text, nullptr, 10) : 200000;
  auto seeds = corpus::make({.seed = 31, .count = 3000, .size_min = 20, .size_max = 400});
  for (const auto& p : corpus::make({.seed = 32, .count = 300, .size_max = 1459}))
    seeds.push_back(p);
  for (const char* small :
       {"[]", "{}", "0", "-1.5e+3", "\"\"", "true", "null", "[1,2]", "{\"a\":{\"b\":[]}}",
        " [ 1 , \"\\u00e9\" ] ", "[[[[]]]]", "\"\\ud83d\\ude00\""})
    for (int i = 0; i < 40; ++i) seeds.push_back({small, corpus::kind::valid, false});
  corpus::random random{static_cast<std::uint64_t>(count)};
  for (std::size_t i = 0; i < count && !HasFatalFailure(); ++i) {
    std::string text = seeds[random.below(seeds.size())].text;
    mutate(random, text);
    all.look(text);
  }
  all.report("mutated documents");
  EXPECT_GT(all.accepted(), all.documents() / 5);
  EXPECT_GT(all.documents() - all.accepted(), all.documents() / 5);
}

TEST(Agree, OnJSONTestSuite) {
  agreement all;
  if (!all.has_rivals()) GTEST_SKIP() << "no headers of simdjson, RapidJSON or yyjson";
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(RTBWIRE_TESTDATA "/jsontestsuite")) {
    if (entry.path().extension() != ".json") continue;
    all.look(read_file(entry.path()));
    ASSERT_FALSE(HasFatalFailure()) << entry.path();
  }
  all.report("JSONTestSuite");
  EXPECT_GT(all.documents(), 300u);
}

TEST(Agree, OnTheCorpora) {
  agreement all;
  if (!all.has_rivals()) GTEST_SKIP() << "no headers of simdjson, RapidJSON or yyjson";
  for (const char* name : {"requests", "responses"})
    for (const std::string& line :
         read_lines(std::string{RTBWIRE_TESTDATA "/corpus/"} + name + ".ndjson"))
      all.look(line);
  all.report("bid requests and responses");
  EXPECT_EQ(all.accepted(), all.documents());
}

}  // namespace
}  // namespace rtbwire::test
