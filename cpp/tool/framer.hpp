// Documents out of the bytes of one TCP direction, which come in order.
//
// What a stream begins with decides: an HTTP/1 message, whose body is a document, or a JSON
// text, which ends where its brackets close; then the same again. Anything else is passed
// over up to a segment that begins like one of the two.
//
// A text longer than the room is scanned in pieces, each marked as truncated; pieces overlap,
// so that a payload across the border is in one of them.
#pragma once

#include <cstdint>
#include <span>

#include "document.hpp"
#include "http.hpp"
#include "pipeline.hpp"
#include "stats.hpp"

namespace rtbwire::tool {

/// Where documents go, and what they are called.
struct framer_target {
  document_sink& sink;
  counters& counts;
  bool all;  // also what does not begin like JSON
  document_head head;
};

class framer {
 public:
  static constexpr std::size_t room_min = 4096, overlap = 256;

  /// room has room_min bytes at least and is the framer's until reset() gives it another.
  void reset(std::span<std::uint8_t> room) noexcept;
  /// One segment. False when nothing in it could be used.
  bool push(bytes segment, framer_target& to);
  /// n bytes are missing here.
  void gap(std::uint64_t n, framer_target& to);
  /// The stream is over.
  void close(framer_target& to);

 private:
  enum class state : std::uint8_t {
    start,      // of a message or text; up to 8 bytes are in the room
    opaque,     // until the next segment
    json,       // inside of texts, and between them
    head,       // of an HTTP message; it is in the room
    body,       // left_ bytes to come
    body_close, // to the end of the stream
    chunk_size,
    chunk_data, // left_ bytes to come
    chunk_end,
    trailer
  };
  enum class text : std::uint8_t { between, nested, string, line };  // JSON texts in a row

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

  std::span<std::uint8_t> room_;
  std::size_t used_{0};
  std::uint64_t left_{0};
  std::uint32_t depth_{0}, line_{0};
  state state_{state::start};
  text text_{text::between};
  http_head http_{};
  bool escape_{false}, in_string_{false};
  bool partial_{false};   // the document in the room lacks its beginning
  bool unwanted_{false};  // a body that is not for the scanner
  bool used_some_{false}; // of the segment at hand
  bool lost_{false};      // JSON or HTTP went before: what comes now may be the rest of it
  bool digits_{false}, extension_{false};
};

}  // namespace rtbwire::tool
