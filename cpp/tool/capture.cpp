#include "capture.hpp"

#include <cstring>

#include "errors.hpp"

namespace rtbwire::tool {

std::uint16_t byte_order::u16(const std::uint8_t* p) const noexcept {
  std::uint16_t v;
  std::memcpy(&v, p, sizeof v);
  return swapped ? __builtin_bswap16(v) : v;
}

std::uint32_t byte_order::u32(const std::uint8_t* p) const noexcept {
  std::uint32_t v;
  std::memcpy(&v, p, sizeof v);
  return swapped ? __builtin_bswap32(v) : v;
}

input_error corrupt(const input& in, const std::string& what) {
  return input_error{in.name() + ": " + what + " at byte " + std::to_string(in.offset()) +
                     "; the packets before it were scanned"};
}

std::unique_ptr<capture_reader> open_capture(input& in) {
  const std::uint8_t* const magic = in.need(4);
  if (magic == nullptr) {
    if (in.stopped()) return nullptr;
    throw input_error{in.name() + ": too short for a capture file"};
  }
  const std::uint32_t first = byte_order{}.u32(magic);
  switch (first) {
    case 0xa1b2c3d4:
    case 0xd4c3b2a1:
    case 0xa1b23c4d:
    case 0x4d3cb2a1: return open_pcap(in);
    case 0x0a0d0d0a: return open_pcapng(in);
    default: break;
  }
  if (magic[0] == 0x1f && magic[1] == 0x8b)
    throw input_error{in.name() + ": compressed with gzip; use gunzip -c FILE | rtbwire-scan -"};
  if (magic[0] == '{' || magic[0] == '[')
    throw input_error{in.name() + ": not a capture; for JSON lines add --ndjson"};
  throw input_error{in.name() + ": neither pcap nor pcapng; for JSON lines add --ndjson"};
}

}  // namespace rtbwire::tool
