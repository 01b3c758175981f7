// Segments in any order to the documents of the stream.
#include "tcp.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tool_support.hpp"

namespace rtbwire::tool::test {
namespace {

constexpr std::uint32_t isn = 0xffffff00;  // sequence numbers wrap soon

class reassembly {
 public:
  explicit reassembly(tcp_limits limits = {.streams = 4, .bytes = 4096, .document = 4096})
      : streams_{limits, sink, counts, false} {}

  counter send(std::string_view text, std::uint32_t offset, std::uint8_t flags = 0,
               std::uint16_t port = 1000, std::uint32_t missing = 0) {
    packet p;
    p.source.version = p.destination.version = 4;
    p.source.port = port;
    p.destination.port = 80;
    p.is_tcp = true;
    p.payload = as_bytes(text);
    p.sequence = isn + offset;
    p.flags = flags;
    p.missing = missing;
    ++sent;
    return streams_.segment(p, {});
  }
  std::vector<std::string> end() {
    streams_.close_all({});
    return sink.texts();
  }

  collector sink;
  counters counts;
  std::uint64_t sent{0};

 private:
  tcp_streams streams_;
};

const std::string first = R"({"a":"one"})", second = R"({"b":[1,2,{"c":"two"}]})";
const std::string both = first + "\n" + second;
const std::vector<std::string> documents{first, second};

TEST(Tcp, InOrder) {
  reassembly r;
  EXPECT_EQ(r.send("", 0, tcp_syn), counter::skipped_empty);
  EXPECT_EQ(r.send(first, 1), counter::streamed);
  EXPECT_EQ(r.send(second, 1 + first.size()), counter::streamed);
  EXPECT_EQ(r.send("", 1 + first.size() + second.size(), tcp_fin), counter::skipped_empty);
  EXPECT_EQ(r.sink.texts(), documents);
  EXPECT_EQ(r.end(), documents);
}

TEST(Tcp, FirstSegmentLate) {
  reassembly r;
  r.send("", 0, tcp_syn);
  r.send(second, 1 + first.size(), tcp_fin);
  EXPECT_TRUE(r.sink.items.empty());
  r.send(first, 1);
  EXPECT_EQ(r.sink.texts(), documents);
}

TEST(Tcp, RetransmittedIsDuplicate) {
  reassembly r;
  r.send("", 0, tcp_syn);
  EXPECT_EQ(r.send(first, 1), counter::streamed);
  EXPECT_EQ(r.send(first, 1), counter::skipped_tcp_duplicate);
  EXPECT_EQ(r.send(first.substr(3), 4), counter::skipped_tcp_duplicate);
  EXPECT_EQ(r.send(second.substr(4), 1 + first.size() + 4), counter::streamed);
  EXPECT_EQ(r.send(second.substr(4), 1 + first.size() + 4), counter::skipped_tcp_duplicate);
  EXPECT_EQ(r.send(first + second.substr(0, 6), 1), counter::streamed);
  EXPECT_EQ(r.end(), documents);
  EXPECT_EQ(count(r.counts, counter::tcp_gaps), 0u);
}

TEST(Tcp, FirstSeenStaysAndConflictsAreCounted) {
  reassembly r;
  r.send("", 0, tcp_syn);
  r.send("456", 5);
  r.send("xxx", 5);
  EXPECT_EQ(count(r.counts, counter::tcp_conflicts), 1u);
  r.send("{\"12xxx7\"}", 1);
  EXPECT_EQ(count(r.counts, counter::tcp_conflicts), 2u);
  EXPECT_EQ(r.end(), std::vector<std::string>{"{\"124567\"}"});
}

TEST(Tcp, MissingSegmentIsAGap) {
  reassembly r;
  r.send("", 0, tcp_syn);
  r.send(R"({"a":")", 1);
  r.send("<script>\"}", 100);
  r.send("", 110, tcp_fin);
  EXPECT_TRUE(r.sink.items.empty());
  EXPECT_EQ(r.end(), (std::vector<std::string>{R"({"a":")", "<script>\"}"}));
  EXPECT_EQ(count(r.counts, counter::tcp_gaps), 1u);
  for (const auto& d : r.sink.items) EXPECT_TRUE(d.head.truncated);
}

TEST(Tcp, AHoleIsGivenUpWhenTheWindowIsFull) {
  reassembly r;
  r.send("", 0, tcp_syn);
  r.send("[", 1);
  const std::string line = "[" + std::string(498, '1') + "]";
  for (std::uint32_t i = 0; i < 20; ++i) r.send(line, 100 + i * 500);
  EXPECT_EQ(count(r.counts, counter::tcp_gaps), 1u);
  const auto all = r.end();
  EXPECT_EQ(all.front(), "[");
  EXPECT_EQ(std::count(all.begin(), all.end(), line), 20);
}

TEST(Tcp, OneForgedSegmentFarAheadEndsNothing) {
  reassembly r;
  r.send("", 0, tcp_syn);
  r.send(first, 1);
  EXPECT_EQ(r.send("forged", 900000), counter::skipped_tcp_no_room);
  EXPECT_EQ(r.send("", 900000, tcp_rst), counter::skipped_empty);
  r.send(second, 1 + first.size());
  EXPECT_EQ(r.sink.texts(), documents);
  // Two consecutive segments move the window.
  EXPECT_EQ(r.send("[", 800000), counter::skipped_tcp_no_room);
  EXPECT_EQ(r.send(first, 800001), counter::streamed);
  EXPECT_EQ(r.end().back(), first);
}

TEST(Tcp, SnappedSegmentsLeaveAGap) {
  reassembly r;
  r.send("", 0, tcp_syn);
  r.send(first.substr(0, 5), 1, 0, 1000, 6);
  r.send(second, 12);
  EXPECT_EQ(r.end(), (std::vector<std::string>{first.substr(0, 5), second}));
}

TEST(Tcp, TooManyHolesAreRefusedAndCounted) {
  reassembly r;
  r.send("", 0, tcp_syn);
  unsigned refused = 0;
  for (std::uint32_t i = 0; i < 30; ++i)
    refused += r.send("xx", 10 + 4 * i) == counter::skipped_tcp_no_room;
  EXPECT_EQ(refused, 14u);
  EXPECT_EQ(r.send("yyyy", 8), counter::streamed);  // joins the first
  r.end();
}

TEST(Tcp, OldestStreamIsEvictedAndScanned) {
  reassembly r;
  for (std::uint16_t port = 1; port <= 6; ++port) {
    r.send("", 0, tcp_syn, port);
    r.send("{\"port\":", 1, 0, port);
  }
  EXPECT_EQ(count(r.counts, counter::streams_evicted), 2u);
  ASSERT_EQ(r.sink.items.size(), 2u);
  EXPECT_EQ(r.sink.items[0].head.source.port, 1);
  EXPECT_EQ(r.sink.items[1].head.source.port, 2);
  EXPECT_EQ(r.end().size(), 6u);
}

TEST(Tcp, PortsUsedAgainAreANewStream) {
  reassembly r;
  r.send("", 0, tcp_syn);
  r.send("{", 1);
  r.send("", 5000, tcp_syn);
  r.send(first, 5001);
  EXPECT_EQ(r.end(), (std::vector<std::string>{"{", first}));
}

// Any order, with overlaps and repetitions: if every byte arrives and fits in the window, the
// documents belong to the stream.
TEST(Tcp, RandomOrderGivesTheSameDocuments) {
  corpus::random random{42};
  for (int round = 0; round < 2000; ++round) {
    reassembly r;
    std::string text;
    std::vector<std::string> expected;
    for (std::size_t n = 1 + random.below(8); n > 0; --n) {
      expected.push_back("{\"n\":\"" + std::string(random.below(300), 'a') + "\"}");
      text += expected.back() + (random.percent(50) ? "\n" : "");
    }
    struct piece {
      std::size_t begin, size;
    };
    std::vector<piece> pieces;
    const std::size_t step = std::max<std::size_t>(text.size() / 12, 20);
    for (std::size_t at = 0; at < text.size(); at += step)
      pieces.push_back({at, std::min(step + random.below(30), text.size() - at)});
    for (std::size_t n = random.below(5); n > 0; --n)
      pieces.push_back(pieces[random.below(pieces.size())]);
    for (std::size_t i = pieces.size(); i > 1; --i)
      std::swap(pieces[i - 1], pieces[random.below(i)]);
    r.send("", 0, tcp_syn);
    std::uint64_t counted = 0;
    for (const piece& p : pieces) {
      const counter c = r.send(
          std::string_view{text}.substr(p.begin, p.size), static_cast<std::uint32_t>(1 + p.begin),
          p.begin + p.size == text.size() ? std::uint8_t{tcp_fin} : std::uint8_t{0});
      // After the last byte the stream is closed, and a repetition opens another.
      counted += c == counter::streamed || c == counter::skipped_tcp_duplicate ||
                 c == counter::skipped_not_candidate;
      if (r.sink.items.size() == expected.size()) break;
    }
    ASSERT_EQ(r.sink.texts(), expected) << "round " << round;
    ASSERT_EQ(counted + 1, r.sent);
  }
}

TEST(Tcp, RandomSegmentsNeverCrash) {
  corpus::random random{43};
  reassembly r;
  std::string noise(9000, 'x');
  for (int i = 0; i < 60000; ++i) {
    for (int n = 0; n < 4; ++n) noise[random.below(noise.size())] = "{}[]\"\\\n a"[random.below(9)];
    const std::size_t size = random.percent(5) ? random.below(noise.size()) : random.below(600);
    r.send(std::string_view{noise}.substr(random.below(noise.size() - size), size),
           static_cast<std::uint32_t>(random.percent(2) ? random.next() : random.below(12000)),
           random.percent(3) ? static_cast<std::uint8_t>(random.below(8)) : std::uint8_t{0},
           static_cast<std::uint16_t>(random.below(6)));
  }
  r.end();
  EXPECT_EQ(count(r.counts, counter::documents), r.sink.items.size());
}

}  // namespace
}  // namespace rtbwire::tool::test
