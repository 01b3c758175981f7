#include "decode.hpp"

#include <algorithm>
#include <cstring>

namespace rtbwire::tool {
namespace {

std::uint16_t be16(const std::uint8_t* p) noexcept {
  return static_cast<std::uint16_t>(p[0] << 8 | p[1]);
}
std::uint32_t be32(const std::uint8_t* p) noexcept {
  return std::uint32_t{be16(p)} << 16 | be16(p + 2);
}

// The rest of a frame: the captured bytes, and the number of bytes on the wire.
struct cursor {
  bytes data;
  std::uint64_t missing;

  // Returns why a header of n bytes cannot be read.
  counter lack() const noexcept {
    return missing > 0 ? counter::skipped_snapped : counter::skipped_header;
  }
  void drop(std::size_t n) noexcept { data = data.subspan(n); }
  // Cuts to the length that a header states. The rest is padding.
  void limit(std::uint64_t n) noexcept {
    if (n <= data.size()) {
      data = data.first(n);
      missing = 0;
    } else {
      missing = std::min(missing, n - data.size());
    }
  }
};

enum : unsigned { ether_ipv4 = 0x0800, ether_ipv6 = 0x86dd };

counter transport_layer(unsigned protocol, cursor c, packet& p) noexcept {
  if (protocol == 17) {
    if (c.data.size() < 8) return c.lack();
    const unsigned length = be16(&c.data[4]);
    p.source.port = be16(&c.data[0]);
    p.destination.port = be16(&c.data[2]);
    // 0: a jumbogram; use the length of the network layer (RFC 2675).
    if (length != 0 && (length < 8 || length > c.data.size() + c.missing))
      return counter::skipped_header;
    if (length != 0) c.limit(length);
    c.drop(8);
    p.is_tcp = false;
  } else if (protocol == 6) {
    if (c.data.size() < 20) return c.lack();
    const unsigned header = (c.data[12] >> 4) * 4u;
    if (header < 20) return counter::skipped_header;
    if (header > c.data.size()) return c.lack();
    p.source.port = be16(&c.data[0]);
    p.destination.port = be16(&c.data[2]);
    p.sequence = be32(&c.data[4]);
    p.flags = c.data[13];
    c.drop(header);
    p.is_tcp = true;
  } else {
    return counter::skipped_protocol;
  }
  p.payload = c.data;
  p.missing = static_cast<std::uint32_t>(c.missing);
  return counter::scanned;
}

counter ipv4(cursor c, packet& p) noexcept {
  if (c.data.size() < 20) return c.lack();
  const std::uint8_t* const h = c.data.data();
  const std::size_t header = (h[0] & 15) * 4u;
  const unsigned length = be16(h + 2);
  if (h[0] >> 4 != 4 || header < 20) return counter::skipped_header;
  if (length != 0 && length < header) return counter::skipped_header;
  if (header > c.data.size()) return c.lack();
  // 0: a packet larger than the field, before the network card segments it.
  if (length != 0) {
    if (length > c.data.size() + c.missing) return counter::skipped_header;
    c.limit(length);
  }
  p.source.version = p.destination.version = 4;
  std::memcpy(p.source.address.data(), h + 12, 4);
  std::memcpy(p.destination.address.data(), h + 16, 4);
  if ((be16(h + 6) & 0x3fff) != 0)
    return counter::skipped_fragment;  // an offset, or more fragments
  const unsigned protocol = h[9];
  c.drop(header);
  return transport_layer(protocol, c, p);
}

counter ipv6(cursor c, packet& p) noexcept {
  if (c.data.size() < 40) return c.lack();
  const std::uint8_t* const h = c.data.data();
  if (h[0] >> 4 != 6) return counter::skipped_header;
  const unsigned length = be16(h + 4);
  unsigned next = h[6];
  p.source.version = p.destination.version = 6;
  std::memcpy(p.source.address.data(), h + 8, 16);
  std::memcpy(p.destination.address.data(), h + 24, 16);
  c.drop(40);
  if (length != 0) {
    if (length > c.data.size() + c.missing) return counter::skipped_header;
    c.limit(length);
  }
  for (int i = 0; i < 16; ++i) {
    std::size_t size = 0;
    switch (next) {
      case 0:
      case 43:
      case 60:
      case 135:
      case 139:
      case 140:  // options, routing, mobility, HIP, shim6
        if (c.data.size() < 8) return c.lack();
        size = (c.data[1] + 1u) * 8;
        break;
      case 51:  // authentication
        if (c.data.size() < 8) return c.lack();
        size = (c.data[1] + 2u) * 4;
        break;
      case 44:  // fragment, unless it is the whole packet (RFC 6946)
        if (c.data.size() < 8) return c.lack();
        if ((be16(&c.data[2]) & 0xfff9) != 0) return counter::skipped_fragment;
        size = 8;
        break;
      default: return transport_layer(next, c, p);
    }
    if (size > c.data.size()) return c.lack();
    next = c.data[0];
    c.drop(size);
  }
  return counter::skipped_header;
}

counter network_layer(unsigned type, cursor c, packet& p) noexcept {
  // Nested VLAN tags.
  for (int i = 0; i < 4 && (type == 0x8100 || type == 0x88a8 || type == 0x9100); ++i) {
    if (c.data.size() < 4) return c.lack();
    type = be16(&c.data[2]);
    c.drop(4);
  }
  if (type == ether_ipv4) return ipv4(c, p);
  if (type == ether_ipv6) return ipv6(c, p);
  return counter::skipped_not_ip;
}

counter by_version(cursor c, packet& p) noexcept {
  if (c.data.empty()) return c.lack();
  switch (c.data[0] >> 4) {
    case 4: return ipv4(c, p);
    case 6: return ipv6(c, p);
    default: return counter::skipped_not_ip;
  }
}

// Skips a link header of n bytes with the EtherType at place.
counter after_link_header(std::size_t n, std::size_t place, cursor c, packet& p) noexcept {
  if (c.data.size() < n) return c.lack();
  const unsigned type = be16(&c.data[place]);
  c.drop(n);
  return network_layer(type, c, p);
}

// The address family in four bytes, in the byte order of the machine that wrote the file.
counter loopback(cursor c, packet& p) noexcept {
  if (c.data.size() < 4) return c.lack();
  std::uint32_t family = be32(c.data.data());
  if (family > 0xffff) family = __builtin_bswap32(family);
  c.drop(4);
  if (family == 2) return ipv4(c, p);
  if (family == 10 || family == 24 || family == 28 || family == 30) return ipv6(c, p);
  return counter::skipped_not_ip;
}

}  // namespace

counter decode(const frame& f, packet& p) noexcept {
  const cursor c{f.data, f.original > f.data.size() ? f.original - f.data.size() : 0};
  switch (f.link) {
    case link_ethernet: return after_link_header(14, 12, c, p);
    case link_sll: return after_link_header(16, 14, c, p);
    case link_sll2: return after_link_header(20, 0, c, p);
    case link_raw:
    case link_raw_bsd:
    case link_raw_openbsd: return by_version(c, p);
    case link_ipv4: return ipv4(c, p);
    case link_ipv6: return ipv6(c, p);
    case link_null:
    case link_loop: return loopback(c, p);
    default: return counter::skipped_link;
  }
}

}  // namespace rtbwire::tool
