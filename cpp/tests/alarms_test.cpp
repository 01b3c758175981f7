// False alarms of the default patterns on real traffic and on ordinary sentences in many languages.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>

#include "corpus.hpp"
#include "support.hpp"

namespace rtbwire::test {
namespace {

std::vector<std::vector<std::string>> read_table(const std::string& name) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : read_lines(RTBWIRE_TESTDATA "/payload/" + name)) {
    std::vector<std::string> row;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, '\t');) row.push_back(field);
    rows.push_back(row);
  }
  return rows;
}

constexpr unsigned layer_sets[] = {0, RTBWIRE_LAYER_ALL};

std::string ids(const verdict& v) {
  std::string all;
  for (const auto i : matched_patterns(v)) all += std::string{" "} + default_patterns()[i].id;
  return all;
}

TEST(Alarms, NoneInRealBidRequests) {
  for (const auto kernel : kernels()) {
    for (const unsigned layers : layer_sets) {
      fixture_scanner scan{kernel, {}, layers};
      std::size_t requests = 0;
      for (const std::string& line : read_lines(RTBWIRE_TESTDATA "/corpus/requests.ndjson")) {
        const verdict v = scan(line);
        EXPECT_EQ(v.outcome, RTBWIRE_CLEAN) << ids(v) << " in " << line;
        ++requests;
      }
      EXPECT_EQ(requests, 2020u);
    }
  }
}

// A bid response contains markup in adm: a script element there is the advertisement. So the
// default patterns are not for responses. This is what they find in 740 of them.
TEST(Alarms, MarkupInRealBidResponses) {
  for (const auto kernel : kernels()) {
    for (const unsigned layers : layer_sets) {
      std::map<std::string, int> want, got;
      for (const auto& row : read_table("responses.tsv"))
        want[row[0]] = std::stoi(row[layers == 0 ? 1 : 2]);
      std::erase_if(want, [](const auto& w) { return w.second == 0; });
      fixture_scanner scan{kernel, {RTBWIRE_STRICT, 1 << 20, 0}, layers};
      for (const std::string& line : read_lines(RTBWIRE_TESTDATA "/corpus/responses.ndjson")) {
        const verdict v = scan(line);
        ASSERT_LE(v.pattern_count, std::uint32_t{RTBWIRE_PATTERNS_MAX});
        for (const auto i : matched_patterns(v)) ++got[default_patterns()[i].id];
      }
      EXPECT_EQ(got, want);
    }
  }
}

// Each sentence as a value, as a key, with escapes for all non-ASCII characters, and in upper case.
TEST(Alarms, NoneInOrdinarySentences) {
  const auto rows = read_table("harmless.tsv");
  std::set<std::string> languages;
  for (const auto& row : rows) languages.insert(row[0]);
  EXPECT_GE(languages.size(), 40u);
  EXPECT_GE(rows.size(), 100u);
  for (const auto kernel : kernels()) {
    for (const unsigned layers : layer_sets) {
      fixture_scanner scan{kernel, {}, layers};
      for (const auto& row : rows) {
        std::string upper = row[1];
        for (char& c : upper)
          if (c >= 'a' && c <= 'z') c -= 0x20;
        for (const std::string& text :
             {json_string(row[1]), json_string(upper), json_string(row[1], 50)}) {
          for (const std::string& packet : {text, "{" + text + ":1}", "{\"a\":[" + text + "]}"}) {
            const verdict v = scan(packet);
            EXPECT_EQ(v.outcome, RTBWIRE_CLEAN) << ids(v) << " in " << packet << describe(v);
          }
        }
      }
    }
  }
}

// No two sentences make an alarm where one ends and the next begins.
TEST(Alarms, NoneBetweenNeighbours) {
  const auto rows = read_table("harmless.tsv");
  corpus::random random{21};
  fixture_scanner scan{RTBWIRE_KERNEL_BEST, {}, RTBWIRE_LAYER_ALL};
  for (int round = 0; round < 20000; ++round) {
    const std::string& a = rows[random.below(rows.size())][1];
    const std::string& b = rows[random.below(rows.size())][1];
    const std::string packet = random.percent(50)
                                   ? "[" + json_string(a) + "," + json_string(b) + "]"
                                   : "{" + json_string(a) + ":" + json_string(b) + "}";
    const verdict v = scan(packet);
    ASSERT_EQ(v.outcome, RTBWIRE_CLEAN) << ids(v) << " in " << packet;
  }
}

// These ordinary texts do cause alarms, because a literal does not know the meaning of a text.
TEST(Alarms, KnownOnes) {
  fixture_scanner scan;
  for (const auto& row : read_table("alarming.tsv")) {
    ASSERT_EQ(row.size(), 3u) << row[0];
    const verdict v = scan(json_string(row[1]));
    EXPECT_EQ(ids(v), " " + row[0]) << row[1];
  }
}

}  // namespace
}  // namespace rtbwire::test
