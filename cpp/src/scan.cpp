// One packet, start to end: copy, decode, search and, in strict mode, check the grammar. The fast
// path does not know where anything is. Matches and malformed packets take the slow path, which
// walks the packet again from its start.
#include <cstring>
#include <new>

#include "kernel.hpp"
#include "rtbwire/arena.hpp"
#include "texts.hpp"

using namespace rtbwire;

struct rtbwire_scanner {
  const rtbwire_engine* engine;
  rtbwire_mode mode;
  u32 packet_max;
  u32 depth_max;
  fixed_arena arena;
  void* scratch;  // the matcher's
};

namespace rtbwire {
namespace {

constexpr std::size_t packet_align = 64;
constexpr u32 packet_limit = UINT32_MAX / 16;  // offsets are 32 bits, and sizes must not wrap
constexpr u32 depth_limit = 1u << 20;

void clear(rtbwire_verdict* v) noexcept {
  // Not all of pointer, which is most of a verdict: most packets have none.
  std::memset(v, 0, offsetof(rtbwire_verdict, pointer) + 1);
}

void list_patterns(const rtbwire_engine& engine, const pattern_set& every,
                   rtbwire_verdict* v) noexcept {
  for (std::size_t w = 0; w < word_count(engine.count); ++w) {
    for (u64 bits = every.words[w]; bits != 0; bits &= bits - 1) {
      const std::size_t i = 64 * w + static_cast<std::size_t>(__builtin_ctzll(bits));
      if (v->pattern_count < RTBWIRE_PATTERNS_MAX)
        v->patterns[v->pattern_count] = static_cast<u16>(i);
      ++v->pattern_count;
    }
  }
}

// The memory of one packet. The packet is copied because kernels read whole vectors, and because
// another process or a network card may change it while it is scanned.
struct packet_memory {
  u8* packet;
  u8* text;
  frame* frames;

  bool take(fixed_arena& arena, const u8* bytes, std::size_t size, u32 depth_max) noexcept {
    u8* const copy = arena.take<u8>(packet_front + size + packet_back);
    text = arena.take<u8>(size + text_back);
    frames = arena.take<frame>(depth_max);
    if (copy == nullptr || text == nullptr || frames == nullptr) return false;
    packet = copy + packet_front;
    std::memset(copy, ' ', packet_front);
    if (size > 0) std::memcpy(packet, bytes, size);
    std::memset(packet + size, ' ', packet_back);
    return true;
  }
};

void scan(rtbwire_scanner& s, const u8* bytes, std::size_t size, rtbwire_verdict* v) noexcept {
  const rtbwire_engine& engine = *s.engine;
  const kernel_ops& ops = ops_of(engine.kernel);
  packet_memory memory;
  if (!memory.take(s.arena, bytes, size, s.depth_max)) {
    v->outcome = RTBWIRE_EXHAUSTED;
    return;
  }
  const u8* const packet = memory.packet;
  frame* const frames = memory.frames;

  const decoded plain = ops.decode(packet, size, memory.text);
  pattern_set every;
  clear(every, engine.count);
  searcher search{engine, s.scratch, false};
  text_source source{engine, ops, packet, size, memory.text, false};
  text_match hit = find_first(search, source, plain.size, every);

  // Strict mode needs to know whether this is JSON, and so does a match that may be outside
  // strings.
  const bool unsure = hit.match.at != no_match && engine.bare;
  walk_fault fault{RTBWIRE_ERROR_NONE, 0};
  if ((s.mode == RTBWIRE_STRICT || unsure) &&
      (plain.bad_escape || !ops.well_formed(packet, size, s.depth_max)))
    fault = ops.walk(packet, size, frames, s.depth_max, ops.utf8(packet, size));
  if (unsure && fault.error == RTBWIRE_ERROR_NONE) {
    source.strings_only = true;
    clear(every, engine.count);
    hit = find_first(search, source, plain_text(source), every);
  }
  if (s.mode == RTBWIRE_STRICT && fault.error != RTBWIRE_ERROR_NONE) {
    v->error = fault.error;
    v->error_offset = fault.offset;
    v->outcome = fault.error == RTBWIRE_ERROR_DEPTH ? RTBWIRE_TOO_DEEP : RTBWIRE_MALFORMED;
  }
  if (hit.match.at == no_match) {
    // This replaces MALFORMED: what was not searched may be worse.
    if (search.failed) v->outcome = RTBWIRE_FAILED;
    return;
  }
  v->outcome = RTBWIRE_MALICIOUS;
  v->pattern = hit.match.index;
  v->match_layered = hit.stage > 0;
  const std::size_t raw = raw_offset(source, hit);
  v->match_offset = static_cast<u32>(raw);
  ops.locate(packet, size, frames, s.depth_max, raw, ops.utf8(packet, size), v);
  if (engine.layers != 0) find_in_all(search, source, every);
  list_patterns(engine, every, v);
}

rtbwire_scanner_options complete(const rtbwire_scanner_options* options) noexcept {
  rtbwire_scanner_options o = options != nullptr ? *options : rtbwire_scanner_options{};
  if (o.packet_max == 0) o.packet_max = 65535;
  if (o.depth_max == 0) o.depth_max = 256;
  return o;
}

rtbwire_status init_scanner(void* memory, std::size_t size, const rtbwire_engine* engine,
                            bool matched, void* scratch, const rtbwire_scanner_options* options,
                            rtbwire_scanner** out) noexcept {
  if (out == nullptr) return RTBWIRE_BAD_ARGUMENT;
  *out = nullptr;
  const rtbwire_scanner_options o = complete(options);
  if (memory == nullptr || engine == nullptr || o.packet_max > packet_limit ||
      o.depth_max > depth_limit || (o.mode != RTBWIRE_STRICT && o.mode != RTBWIRE_DETECT) ||
      matched != (engine->matcher.search != nullptr))
    return RTBWIRE_BAD_ARGUMENT;
  fixed_arena whole{memory, size};
  void* const self = whole.take_bytes(sizeof(rtbwire_scanner), alignof(rtbwire_scanner));
  if (self == nullptr) return RTBWIRE_NO_ROOM;
  *out = new (self) rtbwire_scanner{
      engine,
      o.mode,
      o.packet_max,
      o.depth_max,
      fixed_arena{static_cast<std::byte*>(memory) + whole.used(), size - whole.used()},
      scratch};
  return RTBWIRE_OK;
}

}  // namespace
}  // namespace rtbwire

size_t rtbwire_scanner_memory(const rtbwire_scanner_options* options) {
  const rtbwire_scanner_options o = complete(options);
  // The scanner, the blocks of packet_memory, and the most that aligning each can cost.
  const std::size_t n = o.packet_max;
  return sizeof(rtbwire_scanner) + packet_front + n + packet_back + n + text_back +
         sizeof(frame) * std::size_t{o.depth_max} + 3 * packet_align;
}

rtbwire_status rtbwire_scanner_init(void* memory, size_t size, const rtbwire_engine* engine,
                                    const rtbwire_scanner_options* options, rtbwire_scanner** out) {
  return init_scanner(memory, size, engine, false, nullptr, options, out);
}

rtbwire_status rtbwire_matcher_scanner_init(void* memory, size_t size, const rtbwire_engine* engine,
                                            void* scratch, const rtbwire_scanner_options* options,
                                            rtbwire_scanner** out) {
  return init_scanner(memory, size, engine, true, scratch, options, out);
}

void rtbwire_scan(rtbwire_scanner* scanner, const void* packet, size_t size,
                  rtbwire_verdict* verdict) {
  clear(verdict);
  if (scanner == nullptr) {
    verdict->outcome = RTBWIRE_EXHAUSTED;
    return;
  }
  if (size > scanner->packet_max) {
    verdict->outcome = RTBWIRE_TOO_LARGE;
    return;
  }
  const fixed_arena::mark_type mark = scanner->arena.mark();
  scan(*scanner, static_cast<const u8*>(packet), size, verdict);
  scanner->arena.reset(mark);
}

void rtbwire_scan_batch(rtbwire_scanner* scanner, const rtbwire_bytes* packets, size_t count,
                        rtbwire_verdict* verdicts) {
  for (size_t i = 0; i < count; ++i) {
    if (i + 1 < count) __builtin_prefetch(packets[i + 1].data);
    rtbwire_scan(scanner, packets[i].data, packets[i].size, &verdicts[i]);
  }
}

int rtbwire_refuse(const rtbwire_verdict* verdict, int fail_closed) {
  if (verdict->outcome == RTBWIRE_MALICIOUS) return 1;
  return fail_closed != 0 && verdict->outcome != RTBWIRE_CLEAN;
}

size_t rtbwire_scanner_peak(const rtbwire_scanner* scanner) { return scanner->arena.peak(); }
