// Frames to documents, for capture files and interfaces.
#pragma once

#include "capture.hpp"
#include "decode.hpp"
#include "pipeline.hpp"
#include "tcp.hpp"

namespace rtbwire::tool {

struct intake_settings {
  bool all{false};  // also scan payloads that do not begin like JSON
  tcp_limits limits{};
};

class intake {
 public:
  intake(const intake_settings& settings, document_sink& to, counters& counts)
      : all_{settings.all}, to_{to}, counts_{counts},
        streams_{settings.limits, to, counts, settings.all} {}

  /// head has number, time and file.
  void take(const frame& f, document_head head);
  void close_streams(const document_head& head) { streams_.close_all(head); }
  counters& counts() noexcept { return counts_; }

 private:
  counter take_packet(const packet& p, document_head& head);

  bool all_;
  document_sink& to_;
  counters& counts_;
  tcp_streams streams_;
};

/// Reads a whole capture.
void scan_capture(input& in, intake& to, const char* file, document_head& last);

}  // namespace rtbwire::tool
