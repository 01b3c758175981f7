#include "intake.hpp"

namespace rtbwire::tool {

void intake::take(const frame& f, document_head head) {
  counts_.add(counter::received);
  packet p;
  counter category = decode(f, p);
  if (category == counter::scanned) category = take_packet(p, head);
  // The scanning threads count the packets that are scanned.
  if (category != counter::scanned) counts_.add(category);
}

counter intake::take_packet(const packet& p, document_head& head) {
  if (p.is_tcp) return streams_.segment(p, head);
  if (p.payload.empty()) return p.missing > 0 ? counter::skipped_snapped : counter::skipped_empty;
  if (!all_ && !candidate(p.payload)) return counter::skipped_not_candidate;
  head.source = p.source;
  head.destination = p.destination;
  head.from = transport::udp;
  head.truncated = p.missing > 0;
  counts_.add(counter::documents);
  to_.document(head, p.payload);
  return counter::scanned;
}

void scan_capture(input& in, intake& to, const char* file, document_head& last) {
  const auto reader = open_capture(in);
  if (reader == nullptr) return;
  last.number = 0;
  last.file = file;
  for (frame f; !in.stopped() && reader->next(f);) {
    ++last.number;
    last.time_ns = f.time_ns;
    to.take(f, last);
  }
}

}  // namespace rtbwire::tool
