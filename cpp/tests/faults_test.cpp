// testdata/faults.json: the scanner names each fault like the Go decoder, and finds it at the same
// byte. A test of the Go decoder reads the same file.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "json.hpp"
#include "support.hpp"

namespace rtbwire::test {
namespace {

// The default of the Go decoder (wire.DepthDefault).
constexpr std::uint32_t depth_max = 1024;

const std::map<std::string, rtbwire_error> errors = {
    {"RTBWIRE_ERROR_EMPTY", RTBWIRE_ERROR_EMPTY},
    {"RTBWIRE_ERROR_SYNTAX", RTBWIRE_ERROR_SYNTAX},
    {"RTBWIRE_ERROR_TRUNCATED", RTBWIRE_ERROR_TRUNCATED},
    {"RTBWIRE_ERROR_TRAILING", RTBWIRE_ERROR_TRAILING},
    {"RTBWIRE_ERROR_BOM", RTBWIRE_ERROR_BOM},
    {"RTBWIRE_ERROR_CONTROL", RTBWIRE_ERROR_CONTROL},
    {"RTBWIRE_ERROR_ESCAPE", RTBWIRE_ERROR_ESCAPE},
    {"RTBWIRE_ERROR_UTF8", RTBWIRE_ERROR_UTF8},
    {"RTBWIRE_ERROR_SURROGATE", RTBWIRE_ERROR_SURROGATE},
    {"RTBWIRE_ERROR_NUMBER", RTBWIRE_ERROR_NUMBER},
    {"RTBWIRE_ERROR_DEPTH", RTBWIRE_ERROR_DEPTH},
};

json::value table() { return json::parse(read_file(RTBWIRE_TESTDATA "/faults.json")); }

std::string document(const json::value& example) {
  if (example.has("text")) return example["text"].string;
  std::string bytes;
  const std::string& hex = example["hex"].string;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

rtbwire_outcome outcome_of(rtbwire_error error) {
  if (error == RTBWIRE_ERROR_NONE) return RTBWIRE_CLEAN;
  return error == RTBWIRE_ERROR_DEPTH ? RTBWIRE_TOO_DEEP : RTBWIRE_MALFORMED;
}

TEST(Faults, TheTableHasEveryErrorOnce) {
  std::set<rtbwire_error> seen;
  for (const json::value& row : table().items) {
    if (row["scanner"].is_null()) continue;
    const auto error = errors.find(row["scanner"].string);
    ASSERT_NE(error, errors.end()) << row["scanner"].string;
    EXPECT_TRUE(seen.insert(error->second).second) << error->first;
    EXPECT_EQ(rtbwire_error_name(error->second), row["fault"].string);
    EXPECT_GE(row["examples"].items.size(), 3u) << error->first;
  }
  EXPECT_EQ(seen.size(), errors.size());
  // The numbers have no gap, and there is no error after the last one.
  for (int n = 1; n <= static_cast<int>(errors.size()); ++n)
    EXPECT_EQ(seen.count(static_cast<rtbwire_error>(n)), 1u) << n;
  EXPECT_STREQ(rtbwire_error_name(static_cast<rtbwire_error>(errors.size() + 1)), "unknown");
}

TEST(Faults, EveryExampleHasItsErrorAndOffset) {
  const json::value faults = table();
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel, {RTBWIRE_STRICT, 0, depth_max}};
    for (const json::value& row : faults.items) {
      // What only a decoder of OpenRTB refuses is valid JSON.
      const bool valid = row["scanner"].is_null();
      const rtbwire_error want = valid ? RTBWIRE_ERROR_NONE : errors.at(row["scanner"].string);
      for (const json::value& example : row["examples"].items) {
        const std::string text = document(example);
        const guarded in{text};
        const verdict v = scan(in.view());
        EXPECT_EQ(v.error, want) << text << ": " << describe(v);
        EXPECT_EQ(v.error_offset, valid ? 0 : example["offset"].number) << text;
        EXPECT_EQ(v.outcome, outcome_of(want)) << text;
      }
    }
  }
}

}  // namespace
}  // namespace rtbwire::test
