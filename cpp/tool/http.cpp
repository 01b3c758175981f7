#include "http.hpp"

#include <algorithm>
#include <array>

namespace rtbwire::tool {
namespace {

using namespace std::string_view_literals;

constexpr std::array starts = {"HTTP/1."sv, "GET "sv,  "POST "sv,    "PUT "sv,   "PATCH "sv,
                               "DELETE "sv, "HEAD "sv, "OPTIONS "sv, "TRACE "sv, "CONNECT "sv};

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool same(std::string_view a, std::string_view b) noexcept {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool contains(std::string_view text, std::string_view what) noexcept {
  return std::search(text.begin(), text.end(), what.begin(), what.end(),
                     [](char x, char y) { return lower(x) == lower(y); }) != text.end();
}

std::string_view trim(std::string_view text) noexcept {
  const auto space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!text.empty() && space(text.front())) text.remove_prefix(1);
  while (!text.empty() && space(text.back())) text.remove_suffix(1);
  return text;
}

bool parse_length(std::string_view text, http_head& head) noexcept {
  std::uint64_t n = 0;
  if (text.empty() || text.size() > 15) return false;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    n = n * 10 + static_cast<std::uint64_t>(c - '0');
  }
  // Section 6.3: with two different lengths the end of the message is unknown.
  if (head.has_length && head.length != n) return false;
  head.has_length = true;
  head.length = n;
  return true;
}

}  // namespace

http_start begins_http(std::string_view text) noexcept {
  bool undecided = false;
  for (const auto start : starts) {
    if (text.starts_with(start)) return http_start::yes;
    undecided = undecided || start.starts_with(text);
  }
  return undecided ? http_start::undecided : http_start::no;
}

bool parse_http_head(std::string_view text, http_head& head) noexcept {
  head = {};
  head.response = text.starts_with("HTTP/1.");
  bool first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    const std::string_view line = trim(text.substr(0, end));
    text.remove_prefix(end + 1);
    if (first) {
      first = false;
      if (!head.response) continue;
      const std::size_t space = line.find(' ');
      if (space == line.npos || line.size() < space + 4) return false;
      const std::string_view status = line.substr(space + 1, 3);
      // Section 6.3: these have no body, whatever the fields say.
      head.no_body = status[0] == '1' || status == "204" || status == "304";
      continue;
    }
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    const std::string_view name = trim(line.substr(0, colon)), value = trim(line.substr(colon + 1));
    if (same(name, "content-length")) {
      if (!parse_length(value, head)) return false;
    } else if (same(name, "transfer-encoding")) {
      if (contains(value, "chunked")) head.chunked = true;
    } else if (same(name, "content-encoding")) {
      if (!value.empty() && !same(value, "identity")) head.encoded = true;
    } else if (same(name, "content-type")) {
      head.lines =
          contains(value, "ndjson") || contains(value, "jsonl") || contains(value, "json-seq");
    }
  }
  return true;
}

}  // namespace rtbwire::tool
