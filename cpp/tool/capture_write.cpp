#include "capture_write.hpp"

namespace rtbwire::tool {
namespace {

void put(std::string& out, std::uint64_t value, unsigned size, bool big) {
  for (unsigned i = 0; i < size; ++i)
    out += static_cast<char>(value >> 8 * (big ? size - 1 - i : i) & 0xff);
}

void be(std::string& out, std::uint64_t value, unsigned size) { put(out, value, size, true); }

std::string padded(std::string_view frame) {
  std::string out{frame};
  out.resize((out.size() + 3) & ~std::size_t{3});
  return out;
}

std::string block(std::uint32_t type, const std::string& body, bool big) {
  std::string out;
  put(out, type, 4, big);
  put(out, body.size() + 12, 4, big);
  out += body;
  put(out, body.size() + 12, 4, big);
  return out;
}

}  // namespace

std::string ip_packet(std::uint8_t protocol, std::string_view payload, const frame_options& o) {
  std::string out;
  if (o.ipv6) {
    be(out, 0x60000000, 4);
    be(out, payload.size(), 2);
    be(out, protocol, 1);
    be(out, 64, 1);
    for (const std::uint8_t host : {o.source_host, o.destination_host}) {
      be(out, 0x20010db8, 4);  // RFC 3849, for documentation
      be(out, 0, 8);
      be(out, host, 4);
    }
  } else {
    be(out, 0x4500, 2);
    be(out, 20 + payload.size(), 2);
    be(out, 0, 4);
    be(out, 64, 1);
    be(out, protocol, 1);
    be(out, 0, 2);
    for (const std::uint8_t host : {o.source_host, o.destination_host})
      be(out, 0xc0000200u | host, 4);  // 192.0.2.0/24, RFC 5737
  }
  out += payload;
  return out;
}

std::string udp_packet(std::string_view payload, const frame_options& o) {
  std::string out;
  be(out, o.source_port, 2);
  be(out, o.destination_port, 2);
  be(out, 8 + payload.size(), 2);
  be(out, 0, 2);
  out += payload;
  return ip_packet(17, out, o);
}

std::string tcp_packet(std::string_view payload, std::uint32_t sequence, std::uint8_t flags,
                       const frame_options& o) {
  std::string out;
  be(out, o.source_port, 2);
  be(out, o.destination_port, 2);
  be(out, sequence, 4);
  be(out, 0, 4);
  be(out, 0x50, 1);
  be(out, flags, 1);
  be(out, 0xffff, 2);
  be(out, 0, 4);
  out += payload;
  return ip_packet(6, out, o);
}

std::string ethernet(std::string_view packet, const frame_options& o) {
  std::string out;
  be(out, 0x020000000002, 6);
  be(out, 0x020000000001, 6);
  for (unsigned i = 0; i < o.vlan_tags; ++i) {
    be(out, i + 1 < o.vlan_tags ? 0x88a8 : 0x8100, 2);
    be(out, 100 + i, 2);
  }
  be(out, o.ipv6 ? 0x86dd : 0x0800, 2);
  out += packet;
  return out;
}

std::string pcap_header(const capture_options& o) {
  std::string out;
  put(out, o.nanoseconds ? 0xa1b23c4d : 0xa1b2c3d4, 4, o.big_endian);
  put(out, 2, 2, o.big_endian);
  put(out, 4, 2, o.big_endian);
  put(out, 0, 8, o.big_endian);
  put(out, 262144, 4, o.big_endian);
  put(out, o.link, 4, o.big_endian);
  return out;
}

std::string pcap_record(std::string_view frame, std::int64_t time_ns, std::uint32_t original,
                        const capture_options& o) {
  std::string out;
  const auto ns = static_cast<std::uint64_t>(time_ns);
  put(out, ns / 1'000'000'000, 4, o.big_endian);
  put(out, ns % 1'000'000'000 / (o.nanoseconds ? 1 : 1000), 4, o.big_endian);
  put(out, frame.size(), 4, o.big_endian);
  put(out, original != 0 ? original : frame.size(), 4, o.big_endian);
  out += frame;
  return out;
}

std::string pcapng_header(const capture_options& o) {
  std::string section, interface;
  put(section, 0x1a2b3c4d, 4, o.big_endian);
  put(section, 1, 2, o.big_endian);
  put(section, 0, 2, o.big_endian);
  put(section, UINT64_MAX, 8, o.big_endian);  // length unknown
  put(interface, o.link, 2, o.big_endian);
  put(interface, 0, 2, o.big_endian);
  put(interface, 262144, 4, o.big_endian);
  if (o.nanoseconds) {
    put(interface, 9, 2, o.big_endian);  // if_tsresol
    put(interface, 1, 2, o.big_endian);
    interface += std::string{"\x09\0\0\0", 4};
    put(interface, 0, 4, o.big_endian);
  }
  return block(0x0a0d0d0a, section, o.big_endian) + block(1, interface, o.big_endian);
}

std::string pcapng_record(std::string_view frame, std::int64_t time_ns, std::uint32_t original,
                          const capture_options& o) {
  std::string body;
  const auto stamp = static_cast<std::uint64_t>(time_ns) / (o.nanoseconds ? 1 : 1000);
  put(body, 0, 4, o.big_endian);
  put(body, stamp >> 32, 4, o.big_endian);
  put(body, stamp & 0xffffffff, 4, o.big_endian);
  put(body, frame.size(), 4, o.big_endian);
  put(body, original != 0 ? original : frame.size(), 4, o.big_endian);
  return block(6, body + padded(frame), o.big_endian);
}

const corpus::packet& corpus_stream::next() {
  if (place_ == packets_.size()) {
    corpus::options o;
    // SplitMix64 accepts any seed.
    o.seed = seed_ + chunk_++ * 0x9e3779b97f4a7c15;
    packets_ = corpus::make(o);
    place_ = 0;
  }
  return packets_[place_++];
}

}  // namespace rtbwire::tool
