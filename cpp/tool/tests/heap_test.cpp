// Packets need no heap: ten times as many packets make the same number of allocations.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "capture_write.hpp"
#include "heap_count.hpp"
#include "intake.hpp"
#include "ndjson.hpp"

namespace rtbwire::tool::test {
namespace {

// Returns the allocations made while a file of n packets is read, scanned and reported.
std::uint64_t allocations_of(int n, bool lines, bool tcp) {
  const std::string path = "/tmp/rtbwire-heap-" + std::to_string(getpid());
  {
    std::ofstream file{path, std::ios::binary};
    corpus_stream packets{9};
    if (!lines) file << pcap_header();
    std::uint32_t sequence = 0;
    for (int i = 0; i < n; ++i) {
      const std::string& text = packets.next().text;
      if (lines) {
        file << text << '\n';
        continue;
      }
      // Every third TCP segment is missing and ports change, so there are gaps and dropped streams.
      frame_options o;
      if (tcp) o.source_port = static_cast<std::uint16_t>(i / 50);
      const std::string packet = tcp ? tcp_packet(text, sequence, 0, o) : udp_packet(text);
      sequence += static_cast<std::uint32_t>(text.size());
      if (!tcp || i % 3 != 2) file << pcap_record(ethernet(packet), 0);
    }
  }
  const std::uint64_t before = heap_calls();
  {
    stopper stop;
    ledger all;
    line_sink out{open("/dev/null", O_WRONLY)};
    scan_settings settings;
    settings.show = show::all;
    const shared_engine engine{settings};
    counters& counts = all.open();
    pipeline documents{engine, settings, 2, all, out, stop};
    intake frames{{.limits = {.streams = 8, .bytes = 4096, .document = 4096}}, documents, counts};
    document_head last;
    input in{path, stop, nullptr};
    if (lines) scan_lines(in, documents, counts, 65535, nullptr);
    else scan_capture(in, frames, nullptr, last);
    frames.close_streams(last);
    documents.finish();
    EXPECT_TRUE(all.sum().balanced());
    EXPECT_GT(all.sum()[counter::documents], static_cast<std::uint64_t>(n) / 4);
  }
  const std::uint64_t after = heap_calls();
  unlink(path.c_str());
  return after - before;
}

TEST(ToolHeap, PacketsDoNotAllocate) {
  (void)allocations_of(
      10, false, false);  // the first threads of a process allocate memory that later threads reuse
  for (const auto& [lines, tcp] : {std::pair{false, false}, {false, true}, {true, false}})
    EXPECT_EQ(allocations_of(2000, lines, tcp), allocations_of(20000, lines, tcp))
        << (lines ? "lines"
            : tcp ? "tcp"
                  : "udp");
}

}  // namespace
}  // namespace rtbwire::tool::test
