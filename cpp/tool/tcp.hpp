// Reassembles TCP streams in memory that is allocated at start. A stream is one direction of a
// connection.
//
// - If a byte is sent twice, the first copy is kept. Copies that differ are counted.
// - Segments ahead of their turn wait in a window. If one does not fit, the bytes missing before it
//   are skipped as a gap. A segment beyond the window moves the window only if the next segment
//   follows it, so that one forged segment does not end a stream.
// - If the table of streams is full, the one that has been idle longest is closed.
// - When a stream is closed, for any reason, the bytes it holds are scanned.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "decode.hpp"
#include "framer.hpp"

namespace rtbwire::tool {

struct tcp_limits {
  std::uint32_t streams{1024};
  std::uint32_t bytes{65536};     // window of each stream; rounded up to a power of two
  std::uint32_t document{65536};  // longest text that is scanned in one piece
};

class tcp_streams {
 public:
  tcp_streams(const tcp_limits& limits, document_sink& sink, counters& counts, bool all);
  tcp_streams(const tcp_streams&) = delete;
  tcp_streams& operator=(const tcp_streams&) = delete;

  /// Reads one TCP packet and returns its category.
  counter segment(const packet& p, const document_head& head);
  /// Closes all streams, at the end of the input.
  void close_all(const document_head& head);

 private:
  static constexpr std::uint32_t none = UINT32_MAX;
  static constexpr unsigned ranges_max = 16;
  struct range {
    std::uint32_t begin, end;  // sequence numbers
  };
  struct stream {
    endpoint source, destination;
    std::uint32_t next{0};  // first byte that has not been passed on
    std::uint32_t end{0};   // sequence of FIN
    std::uint32_t far{0};   // end of a segment beyond the window
    bool ending{false}, far_seen{false};
    std::uint8_t ranges{0};
    range waiting[ranges_max];  // in order, not adjacent
    framer text;
    std::uint32_t chain{none};  // next stream with the same hash
    std::uint32_t newer{none}, older{none};
  };

  std::size_t hash(const endpoint& a, const endpoint& b) const noexcept;
  std::uint32_t find(const packet& p) const noexcept;
  std::uint32_t open(const packet& p, const document_head& head);
  void close(std::uint32_t i, const document_head& head);
  void touch(std::uint32_t i) noexcept;
  void unlink(std::uint32_t i) noexcept;
  counter data(stream& s, std::uint32_t sequence, bytes payload, framer_target& to);
  bool store(stream& s, std::uint32_t sequence, bytes payload);
  bool keep(stream& s, std::uint32_t begin, std::uint32_t end);
  void deliver(stream& s, framer_target& to);
  void skip_gap(stream& s, framer_target& to);
  framer_target target(const stream& s, const document_head& head);
  std::uint8_t* window(const stream& s) const noexcept;

  std::uint32_t window_size_, buffer_size_;
  document_sink& sink_;
  counters& counts_;
  bool all_;
  std::uint64_t seed_;
  std::vector<stream> streams_;
  std::vector<std::uint32_t> buckets_;
  std::unique_ptr<std::uint8_t[]>
      memory_;  // for each stream its window, then the buffer of its framer
  std::uint32_t free_{none}, newest_{none}, oldest_{none};
};

}  // namespace rtbwire::tool
