// Heads of HTTP/1 messages (RFC 9112).
#pragma once

#include <cstdint>
#include <string_view>

namespace rtbwire::tool {

struct http_head {
  std::uint64_t length{0};  // Content-Length
  bool has_length{false};
  bool chunked{false};
  bool encoded{false};  // Content-Encoding other than identity
  bool lines{false};    // the body is a sequence of JSON texts
  bool response{false};
  bool no_body{false};  // because of its status
};

enum class http_start { yes, no, undecided };

/// Reports whether text is the beginning of an HTTP/1 message.
http_start begins_http(std::string_view text) noexcept;
/// Reads a head including its empty line. Returns false if the length of the body is unknown.
bool parse_http_head(std::string_view text, http_head& head) noexcept;

}  // namespace rtbwire::tool
