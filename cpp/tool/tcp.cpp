#include "tcp.hpp"

#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "errors.hpp"

namespace rtbwire::tool {
namespace {

// Sequence numbers wrap, so distances are compared.
std::int32_t distance(std::uint32_t from, std::uint32_t to) noexcept {
  return static_cast<std::int32_t>(to - from);
}

}  // namespace

tcp_streams::tcp_streams(const tcp_limits& limits, document_sink& sink, counters& counts, bool all)
    : window_size_{std::bit_ceil(std::max(limits.bytes, 4096u))},
      buffer_size_{std::max<std::uint32_t>(limits.document, framer::buffer_min)}, sink_{sink},
      counts_{counts}, all_{all}, seed_{0}, streams_(limits.streams),
      buckets_(std::bit_ceil(std::size_t{limits.streams} * 2), none) {
  // Senders do not know the seed, so they cannot fill one bucket on purpose.
  if (getrandom(&seed_, sizeof seed_, 0) < 0) seed_ = 0;
  const std::size_t each = std::size_t{window_size_} + buffer_size_;
  // Not initialised, so that pages no stream uses cost nothing.
  memory_.reset(new (std::nothrow) std::uint8_t[each * limits.streams]);
  if (memory_ == nullptr)
    throw input_error{"no memory for " + std::to_string(limits.streams) + " TCP streams of " +
                      std::to_string(each) + " bytes; lower --tcp-streams or --tcp-bytes"};
  for (std::uint32_t i = limits.streams; i-- > 0;) {
    streams_[i].chain = free_;
    free_ = i;
  }
}

std::uint8_t* tcp_streams::window(const stream& s) const noexcept {
  const auto i = static_cast<std::size_t>(&s - streams_.data());
  return memory_.get() + i * (std::size_t{window_size_} + buffer_size_);
}

framer_target tcp_streams::target(const stream& s, const document_head& head) {
  framer_target to{sink_, counts_, all_, head};
  to.head.source = s.source;
  to.head.destination = s.destination;
  to.head.from = transport::tcp;
  return to;
}

std::size_t tcp_streams::hash(const endpoint& a, const endpoint& b) const noexcept {
  std::uint64_t h = seed_;
  const auto mix = [&h](std::uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15;
    h ^= h >> 32;
  };
  for (const endpoint* e : {&a, &b}) {
    std::uint64_t half[2];
    std::memcpy(half, e->address.data(), sizeof half);
    mix(half[0]);
    mix(half[1]);
    mix(e->port);
  }
  return h & (buckets_.size() - 1);
}

std::uint32_t tcp_streams::find(const packet& p) const noexcept {
  std::uint32_t i = buckets_[hash(p.source, p.destination)];
  while (i != none && !(streams_[i].source == p.source && streams_[i].destination == p.destination))
    i = streams_[i].chain;
  return i;
}

void tcp_streams::unlink(std::uint32_t i) noexcept {
  stream& s = streams_[i];
  (s.newer == none ? newest_ : streams_[s.newer].older) = s.older;
  (s.older == none ? oldest_ : streams_[s.older].newer) = s.newer;
  s.newer = s.older = none;
}

void tcp_streams::touch(std::uint32_t i) noexcept {
  if (newest_ == i) return;
  stream& s = streams_[i];
  if (s.older != none || s.newer != none || oldest_ == i) unlink(i);
  s.older = newest_;
  if (newest_ != none) streams_[newest_].newer = i;
  newest_ = i;
  if (oldest_ == none) oldest_ = i;
}

std::uint32_t tcp_streams::open(const packet& p, const document_head& head) {
  if (free_ == none) {
    counts_.add(counter::streams_evicted);
    close(oldest_, head);
  }
  counts_.add(counter::streams_opened);
  const std::uint32_t i = free_;
  stream& s = streams_[i];
  free_ = s.chain;
  s = stream{};
  s.source = p.source;
  s.destination = p.destination;
  s.next = p.sequence + ((p.flags & tcp_syn) != 0 ? 1 : 0);
  s.text.reset({window(s) + window_size_, buffer_size_});
  std::uint32_t& bucket = buckets_[hash(s.source, s.destination)];
  s.chain = bucket;
  bucket = i;
  touch(i);
  return i;
}

void tcp_streams::close(std::uint32_t i, const document_head& head) {
  stream& s = streams_[i];
  framer_target to = target(s, head);
  while (s.ranges > 0) skip_gap(s, to);
  s.text.close(to);
  std::uint32_t* link = &buckets_[hash(s.source, s.destination)];
  while (*link != i) link = &streams_[*link].chain;
  *link = s.chain;
  unlink(i);
  s.chain = free_;
  free_ = i;
}

void tcp_streams::close_all(const document_head& head) {
  while (oldest_ != none) close(oldest_, head);
}

counter tcp_streams::segment(const packet& p, const document_head& head) {
  std::uint32_t i = find(p);
  if ((p.flags & tcp_rst) != 0) {
    // A reset from outside the window is forged or old (RFC 5961).
    const std::int32_t ahead = i != none ? distance(streams_[i].next, p.sequence) : -1;
    if (ahead >= 0 && ahead <= static_cast<std::int32_t>(window_size_)) close(i, head);
    return counter::skipped_empty;
  }
  const bool syn = (p.flags & tcp_syn) != 0;
  const std::uint32_t sequence = p.sequence + (syn ? 1 : 0);
  // A new connection with the same ports, unless SYN was sent twice.
  if (syn && i != none && sequence != streams_[i].next) {
    close(i, head);
    i = none;
  }
  if (i == none && !syn && p.payload.empty()) return counter::skipped_empty;
  if (i == none) i = open(p, head);
  else touch(i);

  stream& s = streams_[i];
  framer_target to = target(s, head);
  counter category = counter::skipped_empty;
  if (!p.payload.empty()) category = data(s, sequence, p.payload, to);
  if ((p.flags & tcp_fin) != 0 && !s.ending) {
    s.ending = true;
    s.end = sequence + static_cast<std::uint32_t>(p.payload.size()) + p.missing;
  }
  if (s.ending && distance(s.end, s.next) >= 0) close(i, head);
  return category;
}

counter tcp_streams::data(stream& s, std::uint32_t sequence, bytes payload, framer_target& to) {
  std::int32_t ahead = distance(s.next, sequence);
  if (ahead < 0) {
    const std::size_t old = static_cast<std::size_t>(-std::int64_t{ahead});
    if (old >= payload.size()) return counter::skipped_tcp_duplicate;
    payload = payload.subspan(old);
    sequence = s.next;
    ahead = 0;
  }
  const auto size = static_cast<std::uint32_t>(payload.size());
  if (static_cast<std::uint32_t>(ahead) > window_size_) {
    const bool follows = s.far_seen && s.far == sequence;
    s.far_seen = true;
    s.far = sequence + size;
    if (!follows) return counter::skipped_tcp_no_room;
    while (s.ranges > 0) skip_gap(s, to);
    counts_.add(counter::tcp_gaps);
    s.text.gap(static_cast<std::uint32_t>(distance(s.next, sequence)), to);
    s.next = sequence;
    s.far_seen = false;
  }
  while (distance(s.next, sequence + size) > static_cast<std::int32_t>(window_size_) &&
         s.ranges > 0)
    skip_gap(s, to);
  // Skipping gaps may have passed the beginning of this segment.
  ahead = distance(s.next, sequence);
  if (ahead < 0) {
    const std::size_t old = static_cast<std::size_t>(-std::int64_t{ahead});
    if (old >= payload.size()) return counter::skipped_tcp_duplicate;
    payload = payload.subspan(old);
    sequence = s.next;
  } else if (ahead > 0 && s.ranges == 0 &&
             distance(s.next, sequence + size) > static_cast<std::int32_t>(window_size_)) {
    counts_.add(counter::tcp_gaps);
    s.text.gap(static_cast<std::uint32_t>(ahead), to);
    s.next = sequence;
  }
  if (s.ranges == 0 && sequence == s.next) {
    s.next += static_cast<std::uint32_t>(payload.size());
    return s.text.push(payload, to) ? counter::streamed : counter::skipped_not_candidate;
  }
  if (s.ranges == ranges_max) {
    // The list of ranges is full, but the segment may extend one.
    const std::uint32_t end = sequence + static_cast<std::uint32_t>(payload.size());
    bool joins = false;
    for (unsigned i = 0; i < s.ranges; ++i)
      joins = joins ||
              (distance(s.waiting[i].begin, end) >= 0 && distance(sequence, s.waiting[i].end) >= 0);
    if (!joins) return counter::skipped_tcp_no_room;
  }
  const bool fresh = store(s, sequence, payload);
  deliver(s, to);
  return fresh ? counter::streamed : counter::skipped_tcp_duplicate;
}

// Copies the new bytes of a segment into the window. Returns false if there are none.
bool tcp_streams::store(stream& s, std::uint32_t sequence, bytes payload) {
  const std::uint32_t end = sequence + static_cast<std::uint32_t>(payload.size());
  std::uint8_t* const ring = window(s);
  const auto copy = [&](std::uint32_t from, std::uint32_t to) {
    while (from != to) {
      const std::uint32_t place = from & (window_size_ - 1);
      const std::uint32_t n = std::min(to - from, window_size_ - place);
      std::memcpy(ring + place, payload.data() + (from - sequence), n);
      from += n;
    }
  };
  const auto differs = [&](std::uint32_t from, std::uint32_t to) {
    for (; from != to; ++from)
      if (ring[from & (window_size_ - 1)] != payload[from - sequence]) return true;
    return false;
  };
  bool fresh = false;
  std::uint32_t at = sequence;
  for (unsigned i = 0; i < s.ranges && at != end; ++i) {
    const range& r = s.waiting[i];
    if (distance(at, r.end) <= 0) continue;
    if (distance(r.begin, end) <= 0) break;
    if (distance(at, r.begin) > 0) {
      copy(at, r.begin);
      at = r.begin;
      fresh = true;
    }
    const std::uint32_t both = distance(r.end, end) > 0 ? r.end : end;
    if (differs(at, both)) counts_.add(counter::tcp_conflicts);
    at = both;
  }
  if (at != end) {
    copy(at, end);
    fresh = true;
  }
  if (fresh) keep(s, sequence, end);
  return fresh;
}

// Adds a range to those that wait, and joins the ranges that it touches.
bool tcp_streams::keep(stream& s, std::uint32_t begin, std::uint32_t end) {
  unsigned first = 0;
  while (first < s.ranges && distance(s.waiting[first].end, begin) > 0) ++first;
  unsigned last = first;
  for (; last < s.ranges && distance(s.waiting[last].begin, end) >= 0; ++last) {
    if (distance(s.waiting[last].begin, begin) > 0) begin = s.waiting[last].begin;
    if (distance(end, s.waiting[last].end) > 0) end = s.waiting[last].end;
  }
  if (first == last && s.ranges == ranges_max) return false;
  std::memmove(&s.waiting[first + 1], &s.waiting[last], (s.ranges - last) * sizeof(range));
  s.waiting[first] = {begin, end};
  s.ranges = static_cast<std::uint8_t>(s.ranges + 1 - (last - first));
  return true;
}

// Passes on the bytes that are next in order.
void tcp_streams::deliver(stream& s, framer_target& to) {
  if (s.ranges == 0 || s.waiting[0].begin != s.next) return;
  const std::uint8_t* const ring = window(s);
  const std::uint32_t end = s.waiting[0].end;
  while (s.next != end) {
    const std::uint32_t place = s.next & (window_size_ - 1);
    const std::uint32_t n = std::min(end - s.next, window_size_ - place);
    s.text.push({ring + place, n}, to);
    s.next += n;
  }
  --s.ranges;
  std::memmove(&s.waiting[0], &s.waiting[1], s.ranges * sizeof(range));
}

// Skips the bytes that are missing before the first range.
void tcp_streams::skip_gap(stream& s, framer_target& to) {
  counts_.add(counter::tcp_gaps);
  s.text.gap(s.waiting[0].begin - s.next, to);
  s.next = s.waiting[0].begin;
  deliver(s, to);
}

}  // namespace rtbwire::tool
