// The block format (draft-ietf-opsawg-pcapng): sections, interfaces, packets. Blocks of other
// types are skipped.
#include <array>

#include "capture.hpp"
#include "errors.hpp"

namespace rtbwire::tool {
namespace {

enum : std::uint32_t {
  block_interface = 1,
  block_packet_obsolete = 2,
  block_simple = 3,
  block_enhanced = 6,
  block_section = 0x0a0d0d0a
};

struct interface {
  std::uint32_t link{link_ethernet}, snap{0};
  std::uint64_t units{1'000'000};  // of a time stamp per second
  std::int64_t offset_seconds{0};
};

class pcapng_reader final : public capture_reader {
 public:
  explicit pcapng_reader(input& in) : in_{in} {}

  bool next(frame& f) override {
    in_.consume(pending_);
    pending_ = 0;
    for (;;) {
      const std::uint8_t* head = in_.need(8);
      if (head == nullptr) {
        if (in_.buffered().empty() || in_.stopped()) return false;
        throw corrupt(in_, "a block header is cut off");
      }
      // The type of a section header is the same in both byte orders.
      if (order_.u32(head) == block_section) begin_section();
      else if (!in_section_) throw corrupt(in_, "no section header");
      head = in_.need(8);
      if (head == nullptr) return cut();
      const std::uint32_t type = order_.u32(head), size = order_.u32(head + 4);
      if (size < 12 || size % 4 != 0) throw corrupt(in_, "a block of impossible size");
      if (type != block_interface && type != block_packet_obsolete && type != block_simple &&
          type != block_enhanced) {
        if (!in_.skip(size)) return cut();
        continue;
      }
      if (size > record_max) throw corrupt(in_, "a block of " + std::to_string(size) + " bytes");
      head = in_.need(size);
      if (head == nullptr) return cut();
      if (order_.u32(head + size - 4) != size) throw corrupt(in_, "a block whose two sizes differ");
      const bytes body{head + 8, size - 12};
      if (type == block_interface) {
        add_interface(body);
        in_.consume(size);
        continue;
      }
      packet(type, body, f);
      pending_ = size;
      return true;
    }
  }

 private:
  bool cut() const {
    if (in_.stopped()) return false;
    throw corrupt(in_, "the last block is cut off");
  }

  void begin_section() {
    const std::uint8_t* const head = in_.need(16);
    if (head == nullptr) {
      cut();
      return;
    }
    byte_order order;
    if (order.u32(head + 8) != 0x1a2b3c4d) order.swapped = true;
    if (order.u32(head + 8) != 0x1a2b3c4d)
      throw corrupt(in_, "a section header without byte order");
    if (order.u16(head + 12) != 1) throw corrupt(in_, "unsupported version of pcapng");
    order_ = order;
    in_section_ = true;
    interfaces_ = 0;
  }

  void add_interface(bytes body) {
    if (body.size() < 8) throw corrupt(in_, "an interface block that is too short");
    if (interfaces_ == all_.size())
      throw corrupt(in_, "more than " + std::to_string(all_.size()) + " interfaces");
    interface one;
    one.link = order_.u16(body.data());
    one.snap = order_.u32(body.data() + 4);
    for (bytes rest = body.subspan(8); rest.size() >= 4;) {
      const unsigned code = order_.u16(rest.data()), size = order_.u16(rest.data() + 2);
      const std::size_t padded = 4 + ((std::size_t{size} + 3) & ~std::size_t{3});
      if (code == 0 || padded > rest.size()) break;
      const std::uint8_t* const value = rest.data() + 4;
      if (code == 9 && size >= 1) one.units = resolution(*value);
      if (code == 14 && size == 8) one.offset_seconds = static_cast<std::int64_t>(u64(value));
      rest = rest.subspan(padded);
    }
    // This is centuries away, so it is not a time, and it would overflow.
    if (one.offset_seconds > 4'000'000'000 || one.offset_seconds < -4'000'000'000)
      one.offset_seconds = 0;
    all_[interfaces_++] = one;
  }

  static std::uint64_t resolution(std::uint8_t code) {
    const unsigned power = code & 0x7f;
    if ((code & 0x80) != 0) return power < 60 ? std::uint64_t{1} << power : 1'000'000;
    std::uint64_t units = 1;
    for (unsigned i = 0; i < power && i < 18; ++i) units *= 10;
    return units;
  }

  std::uint64_t u64(const std::uint8_t* p) const {
    const std::uint64_t a = order_.u32(p), b = order_.u32(p + 4);
    const bool little = order_.swapped != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    return little ? b << 32 | a : a << 32 | b;
  }

  void packet(std::uint32_t type, bytes body, frame& f) {
    std::uint32_t which = 0, captured = 0, original = 0;
    std::size_t begin = 0;
    f.time_ns = no_time;
    if (type == block_simple) {
      if (body.size() < 4) throw corrupt(in_, "a packet block that is too short");
      original = order_.u32(body.data());
      begin = 4;
    } else {
      if (body.size() < 20) throw corrupt(in_, "a packet block that is too short");
      which = type == block_enhanced ? order_.u32(body.data()) : order_.u16(body.data());
      captured = order_.u32(body.data() + 12);
      original = order_.u32(body.data() + 16);
      begin = 20;
    }
    if (which >= interfaces_) throw corrupt(in_, "a packet of an unknown interface");
    const interface& from = all_[which];
    const std::size_t left = body.size() - begin;
    if (type == block_simple) {
      captured = original;
      if (from.snap != 0 && captured > from.snap) captured = from.snap;
    } else {
      f.time_ns = time(
          from, std::uint64_t{order_.u32(body.data() + 4)} << 32 | order_.u32(body.data() + 8));
    }
    if (captured > left) throw corrupt(in_, "a packet longer than its block");
    f.data = body.subspan(begin, captured);
    f.original = original < captured ? captured : original;
    f.link = from.link;
  }

  static std::int64_t time(const interface& from, std::uint64_t stamp) {
    const std::uint64_t seconds = stamp / from.units;
    if (seconds > 4'000'000'000) return no_time;
    const auto part = static_cast<double>(stamp % from.units) / static_cast<double>(from.units);
    // Nearly all files have powers of ten, which need no rounding.
    const std::uint64_t ns = 1'000'000'000 % from.units == 0
                                 ? stamp % from.units * (1'000'000'000 / from.units)
                                 : static_cast<std::uint64_t>(part * 1e9);
    return (static_cast<std::int64_t>(seconds) + from.offset_seconds) * 1'000'000'000 +
           static_cast<std::int64_t>(ns);
  }

  input& in_;
  byte_order order_;
  bool in_section_{false};
  std::array<interface, 256> all_;
  std::size_t interfaces_{0}, pending_{0};
};

}  // namespace

std::unique_ptr<capture_reader> open_pcapng(input& in) {
  return std::make_unique<pcapng_reader>(in);
}

}  // namespace rtbwire::tool
