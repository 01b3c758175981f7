// One packet, start to end: copy, decode, search, and in strict mode the grammar. The fast
// path never knows where something is; the slow path, taken for matches and broken packets,
// works it out again from the start.
#include <cstring>
#include <new>

#include "engine.hpp"
#include "kernel.hpp"
#include "rtbwire/arena.hpp"

using namespace rtbwire;

struct rtbwire_scanner {
  const rtbwire_engine* engine;
  rtbwire_mode mode;
  std::uint32_t packet_max;
  std::uint32_t depth_max;
  fixed_arena arena;
  void* scratch;  // the matcher's
};

namespace rtbwire {
namespace {

namespace portable {
#include "escape-inl.hpp"
}

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t packet_align = 64;
constexpr u32 packet_limit = UINT32_MAX / 16;  // offsets are 32 bits, and sizes below do not wrap
constexpr u32 depth_limit = 1u << 20;

// ---- the kernels, by value ----

#if defined(__x86_64__)
#define RTBWIRE_CALL(function, ...)                                        \
  switch (kernel) {                                                        \
    case RTBWIRE_KERNEL_AVX512: return avx512::function(__VA_ARGS__);      \
    case RTBWIRE_KERNEL_AVX2: return avx2::function(__VA_ARGS__);          \
    case RTBWIRE_KERNEL_SSE42: return sse42::function(__VA_ARGS__);        \
    default: return scalar::function(__VA_ARGS__);                         \
  }
#elif defined(__aarch64__)
#define RTBWIRE_CALL(function, ...)                                        \
  switch (kernel) {                                                        \
    case RTBWIRE_KERNEL_NEON: return neon::function(__VA_ARGS__);          \
    default: return scalar::function(__VA_ARGS__);                         \
  }
#else
#define RTBWIRE_CALL(function, ...) \
  (void)kernel;                     \
  return scalar::function(__VA_ARGS__);
#endif

decoded decode(rtbwire_kernel kernel, const u8* packet, std::size_t size, u8* text) noexcept {
  RTBWIRE_CALL(decode, packet, size, text)
}
found find_fast(const rtbwire_engine& engine, const u8* text, std::size_t size, pattern_set& every) noexcept {
  const rtbwire_kernel kernel = engine.kernel;
  RTBWIRE_CALL(find, engine, text, size, every)
}
bool well_formed(rtbwire_kernel kernel, const u8* packet, std::size_t size, u32 depth_max) noexcept {
  RTBWIRE_CALL(well_formed, packet, size, depth_max)
}
bool utf8(rtbwire_kernel kernel, const u8* packet, std::size_t size) noexcept {
  RTBWIRE_CALL(utf8, packet, size)
}
layered apply_layers(rtbwire_kernel kernel, u8* text, std::size_t size, u32 layers, squeezing how,
                     std::size_t wanted) noexcept {
  RTBWIRE_CALL(apply_layers, text, size, layers, how, wanted)
}
walk_fault walk(rtbwire_kernel kernel, const u8* packet, std::size_t size, frame* frames, u32 depth_max) noexcept {
  const bool is_utf8 = utf8(kernel, packet, size);
  RTBWIRE_CALL(walk, packet, size, frames, depth_max, is_utf8)
}
void locate(rtbwire_kernel kernel, const u8* packet, std::size_t size, frame* frames, u32 depth_max,
            std::size_t match, rtbwire_verdict* v) noexcept {
  const bool is_utf8 = utf8(kernel, packet, size);
  RTBWIRE_CALL(locate, packet, size, frames, depth_max, match, is_utf8, v)
}
#undef RTBWIRE_CALL

// ---- searching ----

// One scanner's search. failed is set by a matcher that gives up, and stays set.
struct searcher {
  const rtbwire_engine& engine;
  void* scratch;
  bool failed;
};

// What a matcher reports is added up here. It is code of others: numbers are checked.
struct reports {
  found first;
  pattern_set& every;
  std::size_t size;
  u32 count;
  bool sound;

  static void add_one(void* self, u32 pattern, std::size_t begin) noexcept {
    reports& r = *static_cast<reports*>(self);
    if (pattern >= r.count || begin >= r.size) {
      r.sound = false;
      return;
    }
    add(r.every, pattern);
    keep_first(r.first, begin, pattern);
  }
};

found find_by_matcher(searcher& s, const u8* text, std::size_t size, pattern_set& every) noexcept {
  const rtbwire_matcher& matcher = s.engine.matcher;
  reports r{{no_match, 0, size}, every, size, s.engine.count, true};
  const int error = matcher.search(matcher.context, s.scratch, text, size, reports::add_one, &r);
  if (error != 0 || !r.sound) s.failed = true;
  return r.first;
}

// The first match, and all of them.
found find(searcher& s, u8* text, std::size_t size, pattern_set& every) noexcept {
  const rtbwire_engine& engine = s.engine;
  if (engine.matcher.search != nullptr) return find_by_matcher(s, text, size, every);
  std::memset(text + size, 0xff, literal_max);  // vectors read past the end
  found match = find_fast(engine, text, size, every);
  if (match.undone < size) find_by_automaton(engine, text, size, match.undone, match, every);
  return match;
}

// The raw offset of what became text[position].
std::size_t raw_offset(const u8* packet, std::size_t size, u8* text, std::size_t position) noexcept {
  const u8* p = packet;
  const u8* const end = packet + size;
  u8* out = text;
  for (;;) {
    // Up to the next backslash, bytes became as many.
    const void* const slash = std::memchr(p, '\\', static_cast<std::size_t>(end - p));
    const std::size_t plain = static_cast<std::size_t>((slash != nullptr ? static_cast<const u8*>(slash) : end) - p);
    const std::size_t left = position - static_cast<std::size_t>(out - text);
    if (left < plain || slash == nullptr) return static_cast<std::size_t>(p - packet) + (left < plain ? left : plain);
    p += plain;
    out += plain;
    const u8* const item = p;
    (void)portable::decode_escape(p, out);
    if (static_cast<std::size_t>(out - text) > position) return static_cast<std::size_t>(item - packet);
  }
}

struct text_match {
  found match;
  int stage;  // 0: the plain text
};

// Stages of decoding further. Each of the first three is one more step of every layer, on top of
// the one before. The others all start from the third: white space, control characters and
// comments become one space ("union/**/select") or vanish ("java\tscript:"); and the same with
// the comments' signs alone, for what only looks like a comment or is carried out in one.
constexpr int stage_decoded = 3, stage_squeezed = 4, stage_dropped = 5, stage_signs_squeezed = 6,
              stage_signs_dropped = 7;

constexpr squeezing squeezing_of(int stage) noexcept {
  return {stage == stage_dropped || stage == stage_signs_dropped, stage >= stage_signs_squeezed};
}

// A packet, and how its plain text is made.
struct source {
  const rtbwire_engine& engine;
  const u8* packet;
  std::size_t size;
  u8* text;
  bool strings_only;  // what is in no string is blanked; only where it is known what is in one
};

std::size_t plain_text(const source& s) noexcept {
  const std::size_t n = decode(s.engine.kernel, s.packet, s.size, s.text).size;
  bool inside = false;
  for (std::size_t i = 0; s.strings_only && i < n; ++i) {
    if (s.text[i] == 0xff) inside = !inside;
    else if (!inside) s.text[i] = 0xff;
  }
  return n;
}

layered apply_stage(const source& s, std::size_t size, int stage, std::size_t wanted) noexcept {
  const u32 squeeze = RTBWIRE_LAYER_SQUEEZE;
  const u32 layers = stage <= stage_decoded ? s.engine.layers & ~squeeze : s.engine.layers & squeeze;
  return apply_layers(s.engine.kernel, s.text, size, layers, squeezing_of(stage), wanted);
}

// Makes the text that a stage starts from.
std::size_t rebuild(const source& s, int stage) noexcept {
  std::size_t n = plain_text(s);
  for (int k = 1; k < stage && k <= stage_decoded; ++k) n = apply_stage(s, n, k, SIZE_MAX).size;
  return n;
}

// Calls look(size, stage) for the plain text, which is there, and for that of each further stage,
// until it answers true.
template <class Look>
void each_text(const source& s, std::size_t size, const Look& look) noexcept {
  if (look(size, 0) || s.engine.layers == 0) return;
  bool more = true;  // the steps that decode still change something
  for (int stage = 1; stage <= stage_decoded && more; ++stage) {
    const layered step = apply_stage(s, size, stage, SIZE_MAX);
    size = step.size;
    more = step.changed;
    if (more && look(size, stage)) return;
  }
  if ((s.engine.layers & RTBWIRE_LAYER_SQUEEZE) == 0) return;
  const layered squeezed = apply_stage(s, size, stage_squeezed, SIZE_MAX);
  if (squeezed.changed && look(squeezed.size, stage_squeezed)) return;
  for (int stage = stage_dropped; stage <= stage_signs_dropped; ++stage) {
    if (!(stage == stage_dropped ? squeezed.droppable : squeezed.commented)) continue;
    const layered step = apply_stage(s, rebuild(s, stage), stage, SIZE_MAX);
    if (step.changed && look(step.size, stage)) return;
  }
}

// The first match in the first text that has one. every gets what occurs in that text.
text_match find_first(searcher& search, const source& s, std::size_t size, pattern_set& every) noexcept {
  text_match answer{};
  each_text(s, size, [&](std::size_t n, int stage) noexcept {
    answer = {find(search, s.text, n, every), stage};
    return answer.match.at != no_match;
  });
  return answer;
}

// Adds what occurs in any text.
void find_in_all(searcher& search, const source& s, pattern_set& every) noexcept {
  each_text(s, plain_text(s), [&](std::size_t n, int) noexcept {
    (void)find(search, s.text, n, every);
    return false;
  });
}

void name_patterns(const rtbwire_engine& engine, const pattern_set& every, rtbwire_verdict* v) noexcept {
  for (std::size_t w = 0; w < word_count(engine.count); ++w) {
    for (u64 bits = every.words[w]; bits != 0; bits &= bits - 1) {
      const std::size_t i = 64 * w + static_cast<std::size_t>(__builtin_ctzll(bits));
      if (v->pattern_count < RTBWIRE_PATTERNS_MAX) v->patterns[v->pattern_count] = static_cast<std::uint16_t>(i);
      ++v->pattern_count;
    }
  }
}

// Where in the plain text a match began: the stages undone one by one.
std::size_t plain_position(const source& s, text_match hit) noexcept {
  std::size_t position = hit.match.at;
  for (int stage = hit.stage; stage > 0; stage = stage > stage_decoded ? stage_decoded : stage - 1)
    position = apply_stage(s, rebuild(s, stage), stage, position).origin;
  return position;
}

// ---- one packet ----

void clear(rtbwire_verdict* v) noexcept {
  // Not the whole pointer: a batch of clean packets would write little else.
  std::memset(v, 0, offsetof(rtbwire_verdict, pointer) + 1);
}

void scan(rtbwire_scanner& s, const u8* bytes, std::size_t size, rtbwire_verdict* v) noexcept {
  const rtbwire_engine& engine = *s.engine;
  u8* const copy = s.arena.take<u8>(packet_front + size + packet_back);
  u8* const text = s.arena.take<u8>(size + text_back);
  frame* const frames = s.arena.take<frame>(s.depth_max);
  if (copy == nullptr || text == nullptr || frames == nullptr) {
    v->outcome = RTBWIRE_EXHAUSTED;
    return;
  }
  // A copy, because kernels read in vectors, and because packets that lie in memory shared
  // with a network card or another process may change while they are being judged.
  u8* const packet = copy + packet_front;
  std::memset(copy, ' ', packet_front);
  if (size > 0) std::memcpy(packet, bytes, size);
  std::memset(packet + size, ' ', packet_back);

  const decoded plain = decode(engine.kernel, packet, size, text);
  pattern_set every;
  clear(every, engine.count);
  searcher search{engine, s.scratch, false};
  source source{engine, packet, size, text, false};
  text_match hit = find_first(search, source, plain.size, every);

  // Whether it is sound JSON: asked for in strict mode, and of a match that may be in no string.
  const bool unsure = hit.match.at != no_match && engine.bare;
  walk_fault fault{RTBWIRE_ERROR_NONE, 0};
  if ((s.mode == RTBWIRE_STRICT || unsure) &&
      (plain.bad_escape || !well_formed(engine.kernel, packet, size, s.depth_max)))
    fault = walk(engine.kernel, packet, size, frames, s.depth_max);
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
    // Above malformed: what was not searched may be worse than that.
    if (search.failed) v->outcome = RTBWIRE_FAILED;
    return;
  }
  v->outcome = RTBWIRE_MALICIOUS;
  v->pattern = hit.match.index;
  v->match_layered = hit.stage > 0;
  const std::size_t raw = raw_offset(packet, size, text, plain_position(source, hit));
  v->match_offset = static_cast<u32>(raw);
  locate(engine.kernel, packet, size, frames, s.depth_max, raw, v);
  if (engine.layers != 0) find_in_all(search, source, every);
  name_patterns(engine, every, v);
}

rtbwire_scanner_options complete(const rtbwire_scanner_options* options) noexcept {
  rtbwire_scanner_options o = options != nullptr ? *options : rtbwire_scanner_options{};
  if (o.packet_max == 0) o.packet_max = 65535;
  if (o.depth_max == 0) o.depth_max = 256;
  return o;
}

rtbwire_status init_scanner(void* memory, std::size_t size, const rtbwire_engine* engine, bool matched, void* scratch,
                            const rtbwire_scanner_options* options, rtbwire_scanner** out) noexcept {
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
      engine, o.mode, o.packet_max, o.depth_max,
      fixed_arena{static_cast<std::byte*>(memory) + whole.used(), size - whole.used()}, scratch};
  return RTBWIRE_OK;
}

}  // namespace
}  // namespace rtbwire

size_t rtbwire_scanner_memory(const rtbwire_scanner_options* options) {
  const rtbwire_scanner_options o = complete(options);
  // The blocks that scan() takes, the scanner, and what alignment can cost each.
  const std::size_t n = o.packet_max;
  return sizeof(rtbwire_scanner) + packet_front + n + packet_back + n + text_back +
         sizeof(frame) * std::size_t{o.depth_max} + 3 * packet_align;
}

rtbwire_status rtbwire_scanner_init(void* memory, size_t size, const rtbwire_engine* engine,
                                    const rtbwire_scanner_options* options, rtbwire_scanner** out) {
  return init_scanner(memory, size, engine, false, nullptr, options, out);
}

rtbwire_status rtbwire_matcher_scanner_init(void* memory, size_t size, const rtbwire_engine* engine, void* scratch,
                                            const rtbwire_scanner_options* options, rtbwire_scanner** out) {
  return init_scanner(memory, size, engine, true, scratch, options, out);
}

void rtbwire_scan(rtbwire_scanner* scanner, const void* packet, size_t size, rtbwire_verdict* verdict) {
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
