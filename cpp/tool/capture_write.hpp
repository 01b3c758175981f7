// Writes captures for tests and load: frames, and the two file formats.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "corpus.hpp"

namespace rtbwire::tool {

struct frame_options {
  bool ipv6{false};
  unsigned vlan_tags{0};
  std::uint16_t source_port{40000}, destination_port{9000};
  std::uint8_t source_host{1}, destination_host{2};  // last byte of the addresses
};

/// Returns a network packet without link header. Checksums are 0.
std::string udp_packet(std::string_view payload, const frame_options& o = {});
std::string tcp_packet(std::string_view payload, std::uint32_t sequence, std::uint8_t flags,
                       const frame_options& o = {});
std::string ip_packet(std::uint8_t protocol, std::string_view payload, const frame_options& o = {});
/// Returns an Ethernet frame with the packet.
std::string ethernet(std::string_view packet, const frame_options& o = {});

struct capture_options {
  bool big_endian{false}, nanoseconds{true};
  std::uint32_t link{1};
};

/// original is the length on the wire; 0 means the size of the frame.
std::string pcap_header(const capture_options& o = {});
std::string pcap_record(std::string_view frame, std::int64_t time_ns, std::uint32_t original = 0,
                        const capture_options& o = {});
std::string pcapng_header(const capture_options& o = {});
std::string pcapng_record(std::string_view frame, std::int64_t time_ns, std::uint32_t original = 0,
                          const capture_options& o = {});

/// Packets of the corpus, one chunk at a time, so that a million packets need little memory. Chunk
/// n of a seed does not depend on the count.
class corpus_stream {
 public:
  explicit corpus_stream(std::uint64_t seed) : seed_{seed} {}
  const corpus::packet& next();

 private:
  std::uint64_t seed_, chunk_{0};
  std::vector<corpus::packet> packets_;
  std::size_t place_{0};
};

}  // namespace rtbwire::tool
