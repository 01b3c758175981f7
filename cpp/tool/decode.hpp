// Decodes a frame to its UDP or TCP payload. Checksums are not verified, because network cards
// compute them after a capture.
#pragma once

#include "capture.hpp"
#include "document.hpp"
#include "stats.hpp"

namespace rtbwire::tool {

enum tcp_flag : std::uint8_t { tcp_fin = 1, tcp_syn = 2, tcp_rst = 4 };

struct packet {
  endpoint source{}, destination{};
  bytes payload;
  std::uint32_t missing{0};  // bytes of the payload that are not in the capture
  bool is_tcp{false};
  std::uint8_t flags{0};      // TCP
  std::uint32_t sequence{0};  // TCP, of the first byte of payload, or of SYN
};

/// Sets p and returns counter::scanned, or returns why the frame is skipped.
counter decode(const frame& f, packet& p) noexcept;

}  // namespace rtbwire::tool
