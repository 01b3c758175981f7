// The classic capture format: a header of 24 bytes, then records of 16 bytes and the frame
// (draft-ietf-opsawg-pcap).
#include "capture.hpp"
#include "errors.hpp"

namespace rtbwire::tool {
namespace {

class pcap_reader final : public capture_reader {
 public:
  explicit pcap_reader(input& in) : in_{in} {
    const std::uint8_t* const header = in_.need(24);
    if (header == nullptr) {
      if (in_.stopped()) return;
      throw corrupt(in_, "the file header is cut off");
    }
    std::uint32_t magic = order_.u32(header);
    if (magic == 0xd4c3b2a1 || magic == 0x4d3cb2a1) {
      order_.swapped = true;
      magic = order_.u32(header);
    }
    nanoseconds_ = magic == 0xa1b23c4d;
    if (order_.u16(header + 4) != 2) throw corrupt(in_, "unsupported version of pcap");
    // The upper bits are the length of the frame check sequence.
    link_ = order_.u32(header + 20) & 0x0fffffff;
    in_.consume(24);
  }

  bool next(frame& f) override {
    // The previous frame is valid until now.
    in_.consume(pending_);
    pending_ = 0;
    const std::uint8_t* record = in_.need(16);
    if (record == nullptr) {
      if (in_.buffered().empty() || in_.stopped()) return false;
      throw corrupt(in_, "a record header is cut off");
    }
    const std::int64_t seconds = order_.u32(record), part = order_.u32(record + 4);
    const std::uint32_t captured = order_.u32(record + 8), original = order_.u32(record + 12);
    if (captured > record_max)
      throw corrupt(in_, "a record of " + std::to_string(captured) + " bytes");
    record = in_.need(16 + std::size_t{captured});
    if (record == nullptr) {
      if (in_.stopped()) return false;
      throw corrupt(in_, "the last record is cut off");
    }
    f.data = {record + 16, captured};
    f.original = original < captured ? captured : original;
    f.time_ns = seconds * 1'000'000'000 + (nanoseconds_ ? part : part * 1000);
    f.link = link_;
    pending_ = 16 + std::size_t{captured};
    return true;
  }

 private:
  input& in_;
  byte_order order_;
  bool nanoseconds_{false};
  std::uint32_t link_{link_ethernet};
  std::size_t pending_{0};
};

}  // namespace

std::unique_ptr<capture_reader> open_pcap(input& in) { return std::make_unique<pcap_reader>(in); }

}  // namespace rtbwire::tool
