// Frames out of capture files.
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
  std::uint32_t original{0};  // its length on the wire, data.size() at least
  std::int64_t time_ns{no_time};
  std::uint32_t link{link_ethernet};
};

class capture_reader {
 public:
  virtual ~capture_reader() = default;
  /// The next frame; false at the end. Throws input_error where the file is not sound.
  virtual bool next(frame& f) = 0;
};

/// Looks at the first bytes: pcap or pcapng.
std::unique_ptr<capture_reader> open_capture(input& in);
std::unique_ptr<capture_reader> open_pcap(input& in);
std::unique_ptr<capture_reader> open_pcapng(input& in);

/// Longest frame or block that is taken for real.
inline constexpr std::uint32_t record_max = 16 << 20;
static_assert(record_max <= input::need_max);

/// An input_error with the name and place of the fault.
input_error corrupt(const input& in, const std::string& what);

/// Integers in the byte order of the file.
struct byte_order {
  bool swapped{false};  // against this machine
  std::uint16_t u16(const std::uint8_t* p) const noexcept;
  std::uint32_t u32(const std::uint8_t* p) const noexcept;
};

}  // namespace rtbwire::tool
