// Counters. Each thread has its own set; a report adds them up.
//
// When all threads are done, these equations hold:
//
//   received  = scanned + streamed + all skipped_*
//   documents = scanned + stream_documents = clean + malicious + ... + failed
//
// A packet is a unit of the input: a frame, a datagram or a line. A document is a unit of
// scanning: the payload of one packet, or a text from a TCP stream.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace rtbwire::tool {

enum class counter : unsigned {
  received,  // packets read; each is in one of the categories up to the last skipped_
  scanned,   // its payload was one document
  streamed,  // its payload went into a TCP stream
  skipped_link,
  skipped_not_ip,
  skipped_header,
  skipped_snapped,
  skipped_fragment,
  skipped_protocol,
  skipped_empty,
  skipped_not_candidate,
  skipped_tcp_duplicate,
  skipped_tcp_no_room,
  skipped_loopback_copy,
  dropped,  // by the kernel; never received

  documents,
  document_bytes,
  stream_documents,
  truncated,  // documents with a part missing from the capture or the stream
  clean,
  malicious,
  malformed,
  too_deep,
  too_large,
  exhausted,
  failed,
  refused,

  streams_opened,
  streams_evicted,
  tcp_gaps,
  tcp_conflicts,
  http_messages,
  http_broken,
  bodies_not_candidate,
  bodies_encoded,
  count
};

inline constexpr std::size_t counters_count = static_cast<std::size_t>(counter::count);
inline constexpr auto skipped_first = static_cast<std::size_t>(counter::skipped_link);
inline constexpr auto skipped_last = static_cast<std::size_t>(counter::skipped_loopback_copy);

class alignas(64) counters {
 public:
  /// Called by the owning thread only. Other threads may read at any time.
  void add(counter c, std::uint64_t n = 1) noexcept {
    auto& value = values_[static_cast<std::size_t>(c)];
    value.store(value.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  std::uint64_t get(std::size_t i) const noexcept {
    return values_[i].load(std::memory_order_relaxed);
  }

 private:
  std::array<std::atomic<std::uint64_t>, counters_count> values_{};
};

struct totals {
  std::array<std::uint64_t, counters_count> values{};

  std::uint64_t operator[](counter c) const noexcept { return values[static_cast<std::size_t>(c)]; }
  void add(const counters& one) noexcept {
    for (std::size_t i = 0; i < counters_count; ++i) values[i] += one.get(i);
  }
  std::uint64_t skipped() const noexcept;
  /// Returns the packets that reached this machine: received and dropped.
  std::uint64_t packets() const noexcept {
    return (*this)[counter::received] + (*this)[counter::dropped];
  }
  /// Reports whether the equations above hold.
  bool balanced() const noexcept;
};

enum class summary_format { text, json, none };

/// Returns the line of --stats, with the rates since before, which was seconds ago.
std::string stats_line(const totals& now, const totals& before, double seconds);
std::string summary(const totals& t, double seconds, summary_format format);

}  // namespace rtbwire::tool
