#include "output.hpp"

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace rtbwire::tool {
namespace {

// Returns the length of the UTF-8 sequence at the start of text, or 0 (RFC 3629).
std::size_t sequence(std::string_view text) noexcept {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto tail = [&](std::size_t i, unsigned low, unsigned high) {
    return i < text.size() && at(i) >= low && at(i) <= high;
  };
  const unsigned first = at(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  if (first < 0xe0) return tail(1, 0x80, 0xbf) ? 2 : 0;
  if (first < 0xf0) {
    const unsigned low = first == 0xe0 ? 0xa0 : 0x80, high = first == 0xed ? 0x9f : 0xbf;
    return tail(1, low, high) && tail(2, 0x80, 0xbf) ? 3 : 0;
  }
  const unsigned low = first == 0xf0 ? 0x90 : 0x80, high = first == 0xf4 ? 0x8f : 0xbf;
  return tail(1, low, high) && tail(2, 0x80, 0xbf) && tail(3, 0x80, 0xbf) ? 4 : 0;
}

std::string_view name(transport t) noexcept {
  switch (t) {
    case transport::line: return "line";
    case transport::udp: return "udp";
    case transport::tcp: return "tcp";
    case transport::http: return "http";
  }
  return "unknown";
}

std::string_view cut(std::string_view text, std::size_t n) noexcept { return text.substr(0, n); }

void write_reason(text_buffer& out, const verdict& v, std::span<const pattern> patterns) noexcept {
  out.raw(",\"reason\":");
  switch (v.outcome) {
    case RTBWIRE_CLEAN: out.string("no pattern was found"); break;
    case RTBWIRE_MALICIOUS: out.string(cut(patterns[v.pattern].why, why_max)); break;
    case RTBWIRE_MALFORMED: out.string("not RFC 8259 JSON in UTF-8"); break;
    case RTBWIRE_TOO_DEEP: out.string("nested deeper than --depth"); break;
    case RTBWIRE_TOO_LARGE: out.string("longer than --packet-max"); break;
    case RTBWIRE_EXHAUSTED: out.string("does not fit in the scanner's memory"); break;
    case RTBWIRE_FAILED: out.string("the search failed"); break;
  }
}

}  // namespace

void text_buffer::raw(std::string_view text) noexcept {
  const std::size_t n = std::min(text.size(), left());
  std::memcpy(buffer_.data() + used_, text.data(), n);
  used_ += n;
}

void text_buffer::number(std::uint64_t n) noexcept {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, n).ptr;
  raw({digits, static_cast<std::size_t>(end - digits)});
}

void text_buffer::string(std::string_view text) noexcept {
  raw("\"");
  while (!text.empty()) {
    const std::size_t n = sequence(text);
    const auto c = static_cast<unsigned char>(text[0]);
    if (n == 0) {
      raw("\\ufffd");
      text.remove_prefix(1);
      continue;
    }
    const bool c1 = n == 2 && c == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0;
    if (c == '"' || c == '\\') {
      raw("\\");
      raw(text.substr(0, 1));
    } else if (c < 0x20 || c == 0x7f || c1) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x",
                    static_cast<unsigned>(c1 ? static_cast<unsigned char>(text[1]) : c));
      raw(escaped);
    } else {
      raw(text.substr(0, n));
    }
    text.remove_prefix(n);
  }
  raw("\"");
}

std::string_view print_endpoint(const endpoint& e, std::span<char> buffer) noexcept {
  char address[INET6_ADDRSTRLEN] = "";
  inet_ntop(e.version == 6 ? AF_INET6 : AF_INET, e.address.data(), address, sizeof address);
  const int n = std::snprintf(buffer.data(), buffer.size(), e.version == 6 ? "[%s]:%u" : "%s:%u",
                              address, unsigned{e.port});
  return {buffer.data(), std::min(static_cast<std::size_t>(n), buffer.size() - 1)};
}

std::string_view print_time(std::int64_t ns, std::span<char> buffer) noexcept {
  std::int64_t seconds = ns / 1'000'000'000, rest = ns % 1'000'000'000;
  if (rest < 0) {
    rest += 1'000'000'000;
    --seconds;
  }
  const auto when = static_cast<std::time_t>(seconds);
  std::tm parts{};
  gmtime_r(&when, &parts);
  const int n = std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%09lldZ",
                              parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
                              parts.tm_min, parts.tm_sec, static_cast<long long>(rest));
  return {buffer.data(), std::min(static_cast<std::size_t>(n), buffer.size() - 1)};
}

void write_line(text_buffer& out, const document& d, const verdict& v,
                std::span<const pattern> patterns, bool refused) noexcept {
  char buffer[80];
  out.raw("{\"packet\":");
  out.number(d.head.number);
  if (d.head.file != nullptr) {
    out.raw(",\"file\":");
    out.string(cut(d.head.file, file_max));
  }
  if (d.head.time_ns != no_time) {
    out.raw(",\"time\":");
    out.string(print_time(d.head.time_ns, buffer));
  }
  out.raw(",\"from\":");
  out.string(name(d.head.from));
  if (d.head.source.version != 0) {
    out.raw(",\"source\":");
    out.string(print_endpoint(d.head.source, buffer));
  }
  if (d.head.destination.version != 0) {
    out.raw(",\"destination\":");
    out.string(print_endpoint(d.head.destination, buffer));
  }
  out.raw(",\"length\":");
  out.number(d.size);
  if (d.head.truncated) out.raw(",\"truncated\":true");
  out.raw(",\"verdict\":");
  out.string(rtbwire_outcome_name(v.outcome));
  out.raw(refused ? ",\"refused\":true" : ",\"refused\":false");
  if (v.outcome == RTBWIRE_MALICIOUS) {
    out.raw(",\"pattern\":");
    out.string(cut(patterns[v.pattern].id, id_max));
    out.raw(",\"patterns\":[");
    bool first = true;
    for (const std::uint16_t i : matched_patterns(v)) {
      if (!first) out.raw(",");
      first = false;
      out.string(cut(patterns[i].id, id_max));
    }
    out.raw("]");
    if (v.pattern_count > RTBWIRE_PATTERNS_MAX) {
      out.raw(",\"pattern_count\":");
      out.number(v.pattern_count);
    }
    if (v.pointer_known) {
      out.raw(",\"pointer\":");
      out.string(v.pointer);
      if (v.pointer_truncated) out.raw(",\"pointer_truncated\":true");
    }
    out.raw(",\"offset\":");
    out.number(v.match_offset);
    // If the document is not JSON up to the match, key and value cannot be distinguished.
    if (v.pointer_known) out.raw(v.match_in_key ? ",\"in\":\"key\"" : ",\"in\":\"value\"");
    if (v.match_layered) out.raw(",\"layered\":true");
    if (d.data != nullptr && v.match_offset < d.size) {
      out.raw(",\"text\":");
      out.string({reinterpret_cast<const char*>(d.data) + v.match_offset,
                  std::min<std::size_t>(excerpt_max, d.size - v.match_offset)});
    }
  }
  if (v.error != RTBWIRE_ERROR_NONE) {
    out.raw(",\"error\":");
    out.string(rtbwire_error_name(v.error));
    out.raw(",\"error_offset\":");
    out.number(v.error_offset);
  }
  write_reason(out, v, patterns);
  out.raw("}\n");
}

bool line_sink::write(std::string_view lines) noexcept {
  const std::lock_guard lock{mutex_};
  while (!lines.empty() && error_ == 0) {
    const ssize_t n = ::write(fd_, lines.data(), lines.size());
    if (n >= 0) lines.remove_prefix(static_cast<std::size_t>(n));
    else if (errno != EINTR) error_ = errno;
  }
  return error_ == 0;
}

int line_sink::error() const noexcept {
  const std::lock_guard lock{mutex_};
  return error_;
}

}  // namespace rtbwire::tool
