// Both file formats in both byte orders, and invalid files.
#include "capture.hpp"

#include <gtest/gtest.h>

#include "errors.hpp"
#include "intake.hpp"
#include "tool_support.hpp"

namespace rtbwire::tool::test {
namespace {

constexpr std::int64_t when = 1'767'323'045'123'456'789;

struct outcome {
  std::vector<std::string> texts;
  std::vector<std::int64_t> times;
  totals counts;
  std::string error;
};

outcome read_capture(const std::string& content) {
  const temporary_file file{content};
  stopper stop;
  counters counts;
  collector documents;
  outcome o;
  {
    intake frames{{.limits = {.streams = 4, .bytes = 4096, .document = 4096}}, documents, counts};
    document_head last;
    try {
      input in{file.path(), stop, nullptr};
      scan_capture(in, frames, nullptr, last);
    } catch (const input_error& e) {
      o.error = e.what();
    }
    frames.close_streams(last);
  }
  o.texts = documents.texts();
  for (const auto& d : documents.items) {
    o.times.push_back(d.head.time_ns);
    // The scanning threads count these.
    counts.add(d.head.from == transport::udp ? counter::scanned : counter::stream_documents);
    counts.add(counter::clean);
  }
  o.counts.add(counts);
  return o;
}

std::string make_capture(bool ng, const capture_options& options, int packets = 3) {
  std::string content = ng ? pcapng_header(options) : pcap_header(options);
  for (int i = 0; i < packets; ++i) {
    const std::string frame = ethernet(udp_packet("{\"n\":" + std::to_string(i) + "}"));
    content += ng ? pcapng_record(frame, when, 0, options) : pcap_record(frame, when, 0, options);
  }
  return content;
}

TEST(Capture, FormatsOrdersAndResolutions) {
  for (const bool ng : {false, true})
    for (const bool big : {false, true})
      for (const bool ns : {false, true}) {
        const outcome o = read_capture(make_capture(ng, {.big_endian = big, .nanoseconds = ns}));
        EXPECT_EQ(o.error, "");
        EXPECT_EQ(o.texts, (std::vector<std::string>{R"({"n":0})", R"({"n":1})", R"({"n":2})"}));
        for (const auto t : o.times) EXPECT_EQ(t, ns ? when : when / 1000 * 1000);
        EXPECT_TRUE(o.counts.balanced());
      }
}

TEST(Capture, SectionsOfDifferentOrderAndUnknownBlocks) {
  const std::string unknown{"\x0b\0\0\0\x10\0\0\0what\x10\0\0\0", 16};
  const std::string little = make_capture(true, {}), big = make_capture(true, {.big_endian = true});
  const outcome o = read_capture(little + unknown + big);
  EXPECT_EQ(o.error, "");
  EXPECT_EQ(o.texts.size(), 6u);
}

TEST(Capture, SimplePacketBlocksHaveNoTime) {
  const std::string frame = ethernet(udp_packet("{}"));
  std::string body{static_cast<char>(frame.size()), 0, 0, 0};
  body += frame;
  body.resize((body.size() + 3) & ~std::size_t{3});
  const char size = static_cast<char>(body.size() + 12);
  const std::string block =
      std::string{3, 0, 0, 0, size, 0, 0, 0} + body + std::string{size, 0, 0, 0};
  const outcome o = read_capture(pcapng_header() + block);
  EXPECT_EQ(o.error, "");
  ASSERT_EQ(o.texts, std::vector<std::string>{"{}"});
  EXPECT_EQ(o.times[0], no_time);
}

TEST(Capture, SnappedPacketsAreScannedAsTruncated) {
  const std::string frame = ethernet(udp_packet(R"({"a":"a long value"})"));
  const auto original = static_cast<std::uint32_t>(frame.size());
  for (const bool ng : {false, true}) {
    const std::string cut = frame.substr(0, frame.size() - 5);
    const outcome o = read_capture(ng ? pcapng_header() + pcapng_record(cut, when, original)
                                      : pcap_header() + pcap_record(cut, when, original));
    EXPECT_EQ(o.texts, std::vector<std::string>{R"({"a":"a long va)"});
  }
}

TEST(Capture, CutAtEveryByteIsAnErrorOrTheEnd) {
  for (const bool ng : {false, true}) {
    const std::string whole = make_capture(ng, {});
    const std::size_t header = (ng ? pcapng_header() : pcap_header()).size();
    const std::size_t record = (whole.size() - header) / 3;
    for (std::size_t n = 0; n <= whole.size(); ++n) {
      const outcome o = read_capture(whole.substr(0, n));
      const bool between = n >= header ? (n - header) % record == 0 : ng && n == 28;
      EXPECT_EQ(o.error.empty(), between) << n << " " << o.error;
      EXPECT_EQ(o.texts.size(), n < header ? 0 : (n - header) / record) << n;
      EXPECT_TRUE(o.counts.balanced());
    }
  }
}

TEST(Capture, ErrorsNameTheNextStep) {
  EXPECT_NE(read_capture("{\"a\":1}\n").error.find("--ndjson"), std::string::npos);
  EXPECT_NE(read_capture("\x1f\x8b\x08zip").error.find("gunzip"), std::string::npos);
  EXPECT_NE(read_capture("nonsense").error.find("neither pcap nor pcapng"), std::string::npos);
}

// Random changes of bytes give an error or other packets, never a crash, and the packets are
// counted.
TEST(Capture, MutatedFilesNeverCrash) {
  std::string tcp = pcap_header();
  const std::string post =
      "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"a\":\r\n2\r\n1}\r\n0\r\n\r\n";
  std::uint32_t sequence = 100;
  for (std::size_t i = 0; i < post.size(); i += 20) {
    const std::string part = post.substr(i, 20);
    tcp += pcap_record(ethernet(tcp_packet(part, sequence, 0)), when);
    sequence += static_cast<std::uint32_t>(part.size());
  }
  tcp += pcap_record(ethernet(tcp_packet("", sequence, tcp_fin)), when);
  const std::string seeds[] = {make_capture(false, {}), make_capture(true, {}),
                               make_capture(true, {.big_endian = true}), tcp};
  corpus::random r{20260102};
  const char* const wanted = std::getenv("RTBWIRE_TOOL_MUTATIONS");
  const int rounds = wanted != nullptr ? std::atoi(wanted) : 2000;
  for (int i = 0; i < rounds; ++i) {
    std::string content = seeds[r.below(std::size(seeds))];
    for (std::size_t n = 1 + r.below(4); n > 0; --n) {
      const std::size_t at = r.below(content.size());
      switch (r.below(4)) {
        case 0: content[at] = static_cast<char>(r.next()); break;
        case 1: content[at] = static_cast<char>(r.percent(50) ? 0 : 0xff); break;
        case 2: content.erase(at, 1 + r.below(8)); break;
        default:
          content.insert(at, content.substr(r.below(content.size()), 1 + r.below(40)));
          break;
      }
      if (content.empty()) break;
    }
    const outcome o = read_capture(content);
    ASSERT_TRUE(o.counts.balanced()) << "round " << i;
  }
}

}  // namespace
}  // namespace rtbwire::tool::test
