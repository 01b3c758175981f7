// Frames from capture files.
#pragma once

#include <cstdint>
#include <memory>

#include "document.hpp"
#include "input.hpp"

namespace rtbwire::tool {

/// Link types by the numbers that both file formats use.
enum : std::uint32_t {
  link_null = 0,
  link_ethernet = 1,
  link_raw_bsd = 12,
  link_raw_openbsd = 14,
  link_raw = 101,
  link_loop = 108,
  link_sll = 113,
  link_ipv4 = 228,
  link_ipv6 = 229,
  link_sll2 = 276
};

struct frame {
  bytes data;                 // valid until the next call
  std::uint32_t original{0};  // its length on the wire, at least data.size()
  std::int64_t time_ns{no_time};
  std::uint32_t link{link_ethernet};
};

class capture_reader {
 public:
  virtual ~capture_reader() = default;
  /// Reads the next frame. Returns false at the end. Throws input_error if the file is not valid.
  virtual bool next(frame& f) = 0;
};

/// Opens pcap or pcapng, by the first bytes.
std::unique_ptr<capture_reader> open_capture(input& in);
std::unique_ptr<capture_reader> open_pcap(input& in);
std::unique_ptr<capture_reader> open_pcapng(input& in);

/// The longest frame or block that is accepted.
inline constexpr std::uint32_t record_max = 16 << 20;
static_assert(record_max <= input::need_max);

/// Returns an input_error with the name of the input and the offset.
input_error corrupt(const input& in, const std::string& what);

/// Integers in the byte order of the file.
struct byte_order {
  bool swapped{false};  // relative to this machine
  std::uint16_t u16(const std::uint8_t* p) const noexcept;
  std::uint32_t u32(const std::uint8_t* p) const noexcept;
};

}  // namespace rtbwire::tool
