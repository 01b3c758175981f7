// Finds documents in the bytes of one direction of a TCP connection, which come in order.
//
// A stream is a sequence of HTTP/1 messages, whose bodies are documents, and JSON texts, which end
// where their brackets close. Other bytes are skipped up to a segment that begins like one of
// these.
//
// A text longer than the buffer is scanned in pieces, each marked as truncated. Pieces overlap, so
// a payload on their border is found in one of them.
#pragma once

#include <cstdint>
#include <span>

#include "document.hpp"
#include "http.hpp"
#include "pipeline.hpp"
#include "stats.hpp"

namespace rtbwire::tool {

/// Where documents go, and their description.
struct framer_target {
  document_sink& sink;
  counters& counts;
  bool all;  // also documents that do not begin like JSON
  document_head head;
};

class framer {
 public:
  static constexpr std::size_t buffer_min = 4096, overlap = 256;

  /// Starts a stream. buffer has at least buffer_min bytes; the framer uses it until the next
  /// reset().
  void reset(std::span<std::uint8_t> buffer) noexcept;
  /// Reads one segment. Returns false if no byte of it was used.
  bool push(bytes segment, framer_target& to);
  /// Skips n missing bytes.
  void gap(std::uint64_t n, framer_target& to);
  /// Ends the stream.
  void close(framer_target& to);

 private:
  enum class state : std::uint8_t {
    start,       // of a message or text; up to 8 bytes are in the buffer
    opaque,      // until the next segment
    json,        // in texts and between them
    head,        // of an HTTP message; it is in the buffer
    body,        // left_ bytes to come
    body_close,  // to the end of the stream
    chunk_size,
    chunk_data,  // left_ bytes to come
    chunk_end,
    trailer
  };
  enum class text : std::uint8_t { between, nested, string, line };  // in a sequence of JSON texts

  std::size_t start(bytes data);
  std::size_t json(bytes data, framer_target& to);
  std::size_t head(bytes data, framer_target& to);
  std::size_t chunk_size(bytes data, framer_target& to);
  std::size_t line_end(bytes data, framer_target& to);
  void body_bytes(bytes data, framer_target& to);
  void begin_body(framer_target& to);
  void end_body(framer_target& to);
  void end_text(framer_target& to);
  void append(bytes data, framer_target& to);
  void emit(bool truncated, framer_target& to);
  void broken(framer_target& to);

  std::span<std::uint8_t> buffer_;
  std::size_t used_{0};
  std::uint64_t left_{0};
  std::uint32_t depth_{0}, line_{0};
  state state_{state::start};
  text text_{text::between};
  http_head http_{};
  bool escape_{false}, in_string_{false};
  bool partial_{false};    // the document in the buffer lacks its beginning
  bool unwanted_{false};   // a body that is not scanned
  bool used_some_{false};  // a byte of this segment was used
  bool lost_{false};       // bytes may be the rest of earlier JSON or HTTP
  bool digits_{false}, extension_{false};
};

}  // namespace rtbwire::tool
