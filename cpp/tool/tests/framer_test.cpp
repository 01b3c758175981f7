// Streams to documents: each case is cut at every position, with the same result.
#include "framer.hpp"

#include <gtest/gtest.h>

#include "tool_support.hpp"

namespace rtbwire::tool::test {
namespace {

using namespace std::string_literals;

class stream {
 public:
  explicit stream(std::size_t buffer = 4096, bool all = false)
      : buffer_(buffer), target_{sink, counts, all, {}} {
    framer_.reset(buffer_);
  }
  bool push(std::string_view text) { return framer_.push(as_bytes(text), target_); }
  void gap(std::uint64_t n) { framer_.gap(n, target_); }
  void close() { framer_.close(target_); }

  collector sink;
  counters counts;

 private:
  std::vector<std::uint8_t> buffer_;
  framer_target target_;
  framer framer_;
};

const std::string a = R"({"a":"x}]\"\\"})", b = R"([1,{"b":[]}])";

struct framer_case {
  const char* name;
  std::string text;
  std::vector<std::string> documents;
};

const framer_case cases[] = {
    {"lines", a + "\n" + b + "\r\n", {a, b}},
    {"concatenated", a + b + a, {a, b, a}},
    {"pretty", "\n {\n \"a\" : [\n1 ]\n}\n" + b, {"{\n \"a\" : [\n1 ]\n}", b}},
    {"other lines between", a + "\n17\ntrue \n" + b, {a, "17", "true", b}},
    {"a string between", a + "\"x{\\\"\"" + b, {a, "\"x{\\\"\"", b}},
    {"content length",
     "POST /x HTTP/1.1\r\nHost: h\r\ncontent-LENGTH: " + std::to_string(a.size()) + "\r\n\r\n" + a +
         "GET / HTTP/1.1\r\n\r\n",
     {a}},
    {"two messages",
     "PUT / HTTP/1.1\nContent-Length:" + std::to_string(a.size()) + "\n\n" + a +
         "\r\nPUT / HTTP/1.1\r\nContent-Length: " + std::to_string(b.size()) + "\r\n\r\n" + b,
     {a, b}},
    {"chunked",
     "POST / HTTP/1.1\r\nTransfer-Encoding: gzip, Chunked\r\nContent-Length: 3\r\n\r\n4;x=y\r\n" +
         a.substr(0, 4) + "\r\n00" + "b\r\n"s + a.substr(4) + "\r\n0\r\nTrailer: x\r\n\r\n" + b,
     {a, b}},
    {"response to its end", "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n" + a, {a}},
    {"no content",
     "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: " +
         std::to_string(b.size()) + "\r\n\r\n" + b,
     {b}},
    {"a row of texts",
     "POST / HTTP/1.1\r\nContent-Type: application/x-ndjson\r\nContent-Length: " +
         std::to_string(a.size() + b.size() + 1) + "\r\n\r\n" + a + "\n" + b,
     {a, b}},
    {"a body that is not JSON", "POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\na=b&c" + a, {a}},
    {"a body that is encoded",
     "POST / HTTP/1.1\r\nContent-Encoding: br\r\nContent-Length: 5\r\n\r\n{abcd" + a,
     {a}},
};

TEST(Framer, EveryCutGivesTheSame) {
  for (const framer_case& c : cases)
    for (std::size_t cut = 0; cut < c.text.size(); ++cut) {
      stream s;
      s.push(std::string_view{c.text}.substr(0, cut));
      s.push(std::string_view{c.text}.substr(cut));
      s.close();
      ASSERT_EQ(s.sink.texts(), c.documents) << c.name << ", cut at " << cut;
      for (const auto& d : s.sink.items) ASSERT_FALSE(d.head.truncated) << c.name;
    }
}

TEST(Framer, ByteByByte) {
  for (const framer_case& c : cases) {
    stream s;
    for (const char one : c.text) s.push({&one, 1});
    s.close();
    EXPECT_EQ(s.sink.texts(), c.documents) << c.name;
  }
}

TEST(Framer, WhatIsNotJsonIsPassedOver) {
  stream s;
  EXPECT_FALSE(s.push("SSH-2.0-x\r\n"));
  EXPECT_FALSE(s.push("\x16\x03\x01{"));
  EXPECT_TRUE(s.push(a));  // continues at a segment that begins like JSON
  s.close();
  EXPECT_EQ(s.sink.texts(), std::vector<std::string>{a});
}

TEST(Framer, AllTakesEverySegment) {
  stream s{4096, true};
  EXPECT_TRUE(s.push("SSH-2.0-x"));
  EXPECT_EQ(s.sink.texts(), std::vector<std::string>{"SSH-2.0-x"});
}

TEST(Framer, CutOffTextsAreTruncated) {
  for (const std::string& head : {""s, "POST / HTTP/1.1\r\nContent-Length: 500\r\n\r\n"s,
                                  "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n"s}) {
    stream s;
    s.push(head + R"({"a":)");
    s.close();
    ASSERT_EQ(s.sink.texts(), std::vector<std::string>{R"({"a":)"});
    EXPECT_TRUE(s.sink.items[0].head.truncated);
  }
}

TEST(Framer, LongTextsAreScannedInPiecesThatOverlap) {
  const std::string text =
      "[\"" + std::string(10000, 'x') + "<script>" + std::string(3000, 'y') + "\"]";
  const std::string post =
      "POST / HTTP/1.1\r\nContent-Length: " + std::to_string(text.size()) + "\r\n\r\n";
  for (const std::string& before : {""s, post}) {
    stream s;
    s.push(before + text + b);
    s.close();
    ASSERT_GE(s.sink.items.size(), 5u);
    EXPECT_EQ(s.sink.items.back().text, b);
    EXPECT_FALSE(s.sink.items.back().head.truncated);
    std::string joined = s.sink.items[0].text;
    for (std::size_t i = 1; i + 1 < s.sink.items.size(); ++i) {
      EXPECT_TRUE(s.sink.items[i].head.truncated);
      EXPECT_EQ(joined.substr(joined.size() - framer::overlap),
                s.sink.items[i].text.substr(0, framer::overlap));
      joined += s.sink.items[i].text.substr(framer::overlap);
    }
    EXPECT_EQ(joined, text);
  }
}

TEST(Framer, AGapInsideOfABodyKeepsThePlace) {
  stream s;
  s.push("POST / HTTP/1.1\r\nContent-Length: 20\r\n\r\n{\"a\":");
  s.gap(5);
  s.push("<script>}]" + a);
  s.close();
  EXPECT_EQ(s.sink.texts(), (std::vector<std::string>{R"({"a":)", "<script>}]", a}));
  EXPECT_TRUE(s.sink.items[0].head.truncated);
  EXPECT_TRUE(s.sink.items[1].head.truncated);
  EXPECT_FALSE(s.sink.items[2].head.truncated);
}

TEST(Framer, AfterAGapSegmentsAreScannedAsTheyAre) {
  stream s;
  s.push(R"({"a":"b)");
  s.gap(100);
  s.push("c<script>\"}");
  s.push(a);
  s.push("GET / HTTP/1.1\r\n\r\n");
  s.close();
  EXPECT_EQ(s.sink.texts(), (std::vector<std::string>{R"({"a":"b)", "c<script>\"}", a}));
}

TEST(Framer, BrokenChunksDoNotHideWhatFollows) {
  stream s;
  s.push("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\nzz\r\n");
  s.push("x<script>");
  s.close();
  EXPECT_EQ(count(s.counts, counter::http_broken), 1u);
  EXPECT_EQ(s.sink.texts(), (std::vector<std::string>{R"({"a":)", "zz\r\n", "x<script>"}));
}

TEST(Framer, TwoLengthsThatDifferAreBroken) {
  stream s;
  s.push(
      "POST / HTTP/1.1\r\nContent-Length: 2\r\nContent-Length: 30\r\n\r\n{}{\"x\":\"<script>\"}");
  s.close();
  EXPECT_EQ(count(s.counts, counter::http_broken), 1u);
  ASSERT_EQ(s.sink.items.size(), 1u);
  EXPECT_EQ(s.sink.items[0].text, "{}{\"x\":\"<script>\"}");
}

TEST(Framer, TheAnswerToHeadHasNoBody) {
  stream s;
  s.push("HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n");
  s.push("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(a.size()) + "\r\n\r\n" + a);
  s.close();
  EXPECT_EQ(s.sink.texts(), std::vector<std::string>{a});
}

TEST(Framer, RandomBytesNeverCrash) {
  corpus::random r{7};
  for (int round = 0; round < 3000; ++round) {
    stream s{4096, r.percent(20)};
    for (int part = 0; part < 6; ++part) {
      const framer_case& c = cases[r.below(std::size(cases))];
      std::string text = c.text.substr(r.below(c.text.size()));
      for (std::size_t n = r.below(5); n > 0; --n)
        text[r.below(text.size())] = static_cast<char>(r.next());
      s.push(text);
      if (r.percent(20)) s.gap(1 + r.below(60));
    }
    s.close();
    ASSERT_EQ(count(s.counts, counter::documents), s.sink.items.size());
  }
}

}  // namespace
}  // namespace rtbwire::tool::test
