// What readers pass to scanners.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace rtbwire::tool {

using bytes = std::span<const std::uint8_t>;

inline constexpr std::int64_t no_time = INT64_MIN;

struct endpoint {
  std::array<std::uint8_t, 16> address{};  // IPv4: the first four bytes
  std::uint16_t port{0};
  std::uint8_t version{0};  // 4 or 6; 0 if unknown
  bool operator==(const endpoint&) const = default;
};

enum class transport : std::uint8_t { line, udp, tcp, http };

/// The description of a document.
struct document_head {
  std::uint64_t number{0};        // of the packet that completed it, from 1
  std::int64_t time_ns{no_time};  // since 1970
  const char* file{nullptr};      // static storage; nullptr if it is not printed
  endpoint source{}, destination{};
  transport from{transport::line};
  bool truncated{false};  // a part of it is missing
};

struct document {
  document_head head;
  const std::uint8_t* data{nullptr};  // nullptr if it is too long to be scanned
  std::uint64_t size{0};
};

/// Reports whether a payload begins like a JSON text that can contain strings: an object, an array
/// or a string, after a byte order mark and white space.
inline bool candidate(bytes payload) noexcept {
  std::size_t i = 0;
  if (payload.size() >= 3 && payload[0] == 0xef && payload[1] == 0xbb && payload[2] == 0xbf) i = 3;
  while (i < payload.size() &&
         (payload[i] == ' ' || payload[i] == '\t' || payload[i] == '\n' || payload[i] == '\r'))
    ++i;
  return i < payload.size() && (payload[i] == '{' || payload[i] == '[' || payload[i] == '"');
}

}  // namespace rtbwire::tool
