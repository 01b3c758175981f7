// Lines of output are JSON, whatever the packet contains.
#include "output.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "tool_support.hpp"

namespace rtbwire::tool::test {
namespace {

std::string escaped(std::string_view text) {
  char buffer[4096];
  text_buffer out{buffer};
  out.string(text);
  return std::string{out.text()};
}

TEST(Output, EscapesWhatHasToBe) {
  EXPECT_EQ(escaped("a\"b\\c/"), R"("a\"b\\c/")");
  EXPECT_EQ(escaped({"\0\n\x1b\x7f", 4}), R"("\u0000\u000a\u001b\u007f")");
  EXPECT_EQ(escaped("\xc2\x9b"), R"("\u009b")");  // C1 begins a control sequence on some terminals
  EXPECT_EQ(escaped("é名🙂"), "\"é名🙂\"");
  EXPECT_EQ(escaped("\xff\xc0\xaf\xed\xa0\x80\xf5"),
            R"("\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd")");
  EXPECT_EQ(escaped("\xe5\x90"), R"("\ufffd\ufffd")");
}

TEST(Output, EveryByteAndPairOfBytesIsJson) {
  for (unsigned i = 0; i < 65536; i += 1) {
    const char pair[2] = {static_cast<char>(i >> 8), static_cast<char>(i)};
    const std::string text = escaped({pair, 2});
    ASSERT_LE(text.size(), 14u);
    for (const char c : text) ASSERT_GE(static_cast<unsigned char>(c), 0x20);
  }
  std::string all;
  for (unsigned i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_TRUE(is_json(escaped(all)));
}

TEST(Output, LongestLineFits) {
  std::string name(file_max, '\1');
  const std::string data(200, '\2');
  const std::string id(id_max, '\5'), why(why_max, '\4');
  const pattern p{id.c_str(), "x", why.c_str()};
  verdict v{};
  v.outcome = RTBWIRE_MALICIOUS;
  v.error = RTBWIRE_ERROR_SURROGATE;
  v.error_offset = v.match_offset = 0;
  v.pointer_known = v.pointer_truncated = v.match_layered = v.match_in_key = 1;
  v.pattern_count = UINT32_MAX;
  std::memset(v.pointer, '\3', RTBWIRE_POINTER_MAX);
  document d;
  d.head.number = UINT64_MAX;
  d.head.time_ns = INT64_MAX;
  d.head.file = name.c_str();
  d.head.truncated = true;
  d.head.source.version = d.head.destination.version = 6;
  d.head.source.address.fill(0xff);
  d.head.destination.address.fill(0xff);
  d.data = reinterpret_cast<const std::uint8_t*>(data.data());
  d.size = data.size();
  std::vector<char> buffer(2 * line_max);
  text_buffer out{buffer};
  write_line(out, d, v, {&p, 1}, true);
  EXPECT_LE(out.text().size(), line_max);
  EXPECT_EQ(out.text().back(), '\n');
  EXPECT_TRUE(is_json(out.text())) << out.text();
}

TEST(Output, Endpoints) {
  char buffer[80];
  endpoint e;
  e.version = 4;
  e.address[0] = 192, e.address[2] = 2, e.address[3] = 1;
  e.port = 80;
  EXPECT_EQ(print_endpoint(e, buffer), "192.0.2.1:80");
  e.version = 6;
  e.address = {0x20, 1, 0xd, 0xb8};
  EXPECT_EQ(print_endpoint(e, buffer), "[2001:db8::]:80");
  EXPECT_EQ(print_time(1'767'323'045'000'000'001, buffer), "2026-01-02T03:04:05.000000001Z");
  EXPECT_EQ(print_time(-1, buffer), "1969-12-31T23:59:59.999999999Z");
}

TEST(Output, SummaryInJsonIsJson) {
  EXPECT_TRUE(is_json(summary({}, 1, summary_format::json)));
  EXPECT_TRUE(totals{}.balanced());
  totals t;
  t.values[static_cast<std::size_t>(counter::received)] = 1;
  EXPECT_FALSE(t.balanced());
}

}  // namespace
}  // namespace rtbwire::tool::test
