#include "stats.hpp"

#include <cstdio>

namespace rtbwire::tool {
namespace {

struct description {
  std::string_view name, meaning;
};

constexpr std::array<description, counters_count> descriptions = {{
    {"received", "packets read"},
    {"scanned", "packets whose payload is one document"},
    {"streamed", "packets whose payload belongs to a TCP stream"},
    {"skipped_link", "unsupported link type"},
    {"skipped_not_ip", "neither IPv4 nor IPv6"},
    {"skipped_header", "inconsistent header"},
    {"skipped_snapped", "cut by the capture before the payload"},
    {"skipped_fragment", "IP fragment; fragments are not reassembled"},
    {"skipped_protocol", "neither UDP nor TCP"},
    {"skipped_empty", "no payload"},
    {"skipped_not_candidate", "the payload does not begin like JSON"},
    {"skipped_tcp_duplicate", "all bytes were received before"},
    {"skipped_tcp_no_room", "too far ahead in its stream, or after too many gaps"},
    {"skipped_loopback_copy", "second copy of a packet on the loopback interface"},
    {"dropped", "dropped by the kernel before they could be read"},
    {"documents", "documents scanned"},
    {"document_bytes", "bytes of all documents"},
    {"stream_documents", "documents from TCP streams"},
    {"truncated", "documents with a part missing: cut by the capture or a gap"},
    {"clean", "no pattern was found"},
    {"malicious", "a pattern was found"},
    {"malformed", "not RFC 8259 JSON in UTF-8"},
    {"too_deep", "nested deeper than --depth"},
    {"too_large", "longer than --packet-max, or in a stream than --tcp-bytes"},
    {"exhausted", "does not fit in the scanner's memory"},
    {"failed", "the search of --regex failed"},
    {"refused", "documents that a gateway would drop"},
    {"streams_opened", "TCP directions followed"},
    {"streams_evicted", "TCP directions dropped for a newer one; raise --tcp-streams"},
    {"tcp_gaps", "gaps where segments are missing"},
    {"tcp_conflicts", "bytes sent again with other content; the first are kept"},
    {"http_messages", "HTTP/1 messages in streams"},
    {"http_broken", "HTTP/1 messages that could not be followed"},
    {"bodies_not_candidate", "HTTP bodies that do not begin like JSON"},
    {"bodies_encoded", "HTTP bodies with a content encoding, which are not decoded"},
}};

unsigned long long print(std::uint64_t n) { return n; }

}  // namespace

std::uint64_t totals::skipped() const noexcept {
  std::uint64_t sum = 0;
  for (std::size_t i = skipped_first; i <= skipped_last; ++i) sum += values[i];
  return sum;
}

bool totals::balanced() const noexcept {
  const totals& t = *this;
  std::uint64_t verdicts = 0;
  for (auto c : {counter::clean, counter::malicious, counter::malformed, counter::too_deep,
                 counter::too_large, counter::exhausted, counter::failed})
    verdicts += t[c];
  return t[counter::received] == t[counter::scanned] + t[counter::streamed] + skipped() &&
         t[counter::documents] == t[counter::scanned] + t[counter::stream_documents] &&
         t[counter::documents] == verdicts;
}

std::string stats_line(const totals& now, const totals& before, double seconds) {
  if (seconds <= 0) seconds = 1e-9;
  const auto per_second = [&](counter c) {
    return static_cast<double>(now[c] - before[c]) / seconds;
  };
  char line[512];
  std::snprintf(line, sizeof line,
                "rtbwire-scan: packets %llu (%.0f/s) documents %llu %.3f GB/s dropped %llu "
                "skipped %llu clean %llu malicious %llu malformed %llu other %llu refused %llu\n",
                print(now.packets()),
                static_cast<double>(now.packets() - before.packets()) / seconds,
                print(now[counter::documents]), per_second(counter::document_bytes) / 1e9,
                print(now[counter::dropped]), print(now.skipped()), print(now[counter::clean]),
                print(now[counter::malicious]), print(now[counter::malformed]),
                print(now[counter::too_deep] + now[counter::too_large] + now[counter::exhausted] +
                      now[counter::failed]),
                print(now[counter::refused]));
  return line;
}

std::string summary(const totals& t, double seconds, summary_format format) {
  std::string out;
  char line[256];
  const double bytes = static_cast<double>(t[counter::document_bytes]);
  const double rate = seconds > 0 ? bytes / seconds / 1e9 : 0;
  if (format == summary_format::none) return out;
  if (format == summary_format::json) {
    std::snprintf(line, sizeof line, "{\"packets\":%llu,\"skipped\":%llu", print(t.packets()),
                  print(t.skipped()));
    out += line;
    for (std::size_t i = 0; i < counters_count; ++i) {
      std::snprintf(line, sizeof line, ",\"%.*s\":%llu",
                    static_cast<int>(descriptions[i].name.size()), descriptions[i].name.data(),
                    print(t.values[i]));
      out += line;
    }
    std::snprintf(line, sizeof line, ",\"balanced\":%s,\"seconds\":%.6f,\"gb_per_second\":%.6f}\n",
                  t.balanced() ? "true" : "false", seconds, rate);
    return out += line;
  }
  std::snprintf(line, sizeof line,
                "rtbwire-scan: %llu packets = %llu scanned + %llu streamed + %llu skipped + %llu "
                "dropped; %.3f s, %.3f GB/s of documents\n",
                print(t.packets()), print(t[counter::scanned]), print(t[counter::streamed]),
                print(t.skipped()), print(t[counter::dropped]), seconds, rate);
  out += line;
  for (std::size_t i = 0; i < counters_count; ++i) {
    if (t.values[i] == 0 || i <= static_cast<std::size_t>(counter::streamed)) continue;
    std::snprintf(line, sizeof line, "  %14llu %-22.*s %.*s\n", print(t.values[i]),
                  static_cast<int>(descriptions[i].name.size()), descriptions[i].name.data(),
                  static_cast<int>(descriptions[i].meaning.size()), descriptions[i].meaning.data());
    out += line;
  }
  return out;
}

}  // namespace rtbwire::tool
