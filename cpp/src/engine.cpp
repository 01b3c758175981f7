// Compiles patterns. Organised: checking, sizes, the automaton, the prefilter, the C calls.
#include "engine.hpp"

#include <cstring>

#include "kernel.hpp"
#include "rtbwire/arena.hpp"

namespace rtbwire {
namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t patterns_max = 4096;
constexpr std::size_t states_max = UINT16_MAX;

u8 fold(u8 c) noexcept { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; }

// The quote is text's mark for the end of a string (see kernel.hpp) and comes as 0x22 only
// when it was escaped; literals are ASCII so that folding is the whole of caselessness.
bool usable(const rtbwire_pattern& pattern, std::size_t* size) noexcept {
  if (pattern.literal == nullptr) return false;
  std::size_t n = 0;
  for (; pattern.literal[n] != '\0'; ++n)
    if (n == literal_max || static_cast<u8>(pattern.literal[n]) >= 0x80) return false;
  *size = n;
  return n > 0;
}

struct sizes {
  std::size_t bytes;    // of all literals
  std::size_t states;   // at most
  u32 class_shift;
  u8 byte_class[256];
};

bool measure(const rtbwire_pattern* patterns, std::size_t count, sizes* out) noexcept {
  if (patterns == nullptr || count == 0 || count > patterns_max) return false;
  std::memset(out, 0, sizeof *out);
  u32 classes = 1;  // class 0: every byte that is in no literal
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t n = 0;
    if (!usable(patterns[i], &n)) return false;
    out->bytes += n;
    for (std::size_t k = 0; k < n; ++k) {
      u8& c = out->byte_class[fold(static_cast<u8>(patterns[i].literal[k]))];
      if (c == 0) c = static_cast<u8>(classes++);
    }
  }
  out->states = out->bytes + 1;
  while ((1u << out->class_shift) < classes) ++out->class_shift;
  return out->states <= states_max;
}

// Everything an engine consists of, taken in one order by the size query and by init.
struct parts {
  rtbwire_engine* engine;
  literal* literals;
  u8* text;
  u16* next;
  u8* match_size;
  u16* failure;  // needed while compiling only
  u16* queue;    // likewise

  bool take(fixed_arena& arena, const sizes& s, std::size_t count) noexcept {
    return (engine = arena.take<rtbwire_engine>(1)) && (literals = arena.take<literal>(count)) &&
           (text = arena.take<u8>(s.bytes + sizeof(u64))) &&
           (next = arena.take<u16>(s.states << s.class_shift)) &&
           (match_size = arena.take<u8>(s.states)) && (failure = arena.take<u16>(s.states)) &&
           (queue = arena.take<u16>(s.states));
  }
};

// Sorted by text, so that literals that begin alike share a bucket. Insertion sort: a few
// dozen literals, once.
void sort(literal* first, std::size_t count) noexcept {
  const auto less = [](const literal& a, const literal& b) noexcept {
    const int order = std::memcmp(a.text, b.text, a.size < b.size ? a.size : b.size);
    return order != 0 ? order < 0 : a.size < b.size;
  };
  for (std::size_t i = 1; i < count; ++i)
    for (std::size_t k = i; k > 0 && less(first[k], first[k - 1]); --k) {
      const literal swapped = first[k];
      first[k] = first[k - 1];
      first[k - 1] = swapped;
    }
}

void build_literals(const rtbwire_pattern* patterns, std::size_t count, parts& p) noexcept {
  u8* at = p.text;
  for (std::size_t i = 0; i < count; ++i) {
    literal& lit = p.literals[i];
    lit = {0, 0, at, 0, static_cast<u32>(i)};
    for (const char* c = patterns[i].literal; *c != '\0'; ++c) {
      *at++ = fold(static_cast<u8>(*c));
      ++lit.size;
    }
    u8 head[8] = {}, mask[8] = {};
    for (u32 k = 0; k < lit.size && k < 8; ++k) {
      head[k] = lit.text[k];
      mask[k] = 0xff;
    }
    std::memcpy(&lit.head, head, 8);
    std::memcpy(&lit.mask, mask, 8);
  }
  std::memset(at, 0, sizeof(u64));
  sort(p.literals, count);
}

void build_prefilter(rtbwire_engine& engine, std::size_t count) noexcept {
  const literal* literals = engine.literals;
  std::size_t next = 0;
  for (std::size_t b = 0; b < bucket_count; ++b) {
    engine.bucket_begin[b] = static_cast<u32>(next);
    std::size_t end = count * (b + 1) / bucket_count;
    if (end < next) end = next;
    // Literals with the same first two bytes stay together: apart, they would make two
    // buckets fire for one position.
    while (end > next && end < count && literals[end].size > 1 && literals[end - 1].size > 1 &&
           std::memcmp(literals[end].text, literals[end - 1].text, 2) == 0)
      ++end;
    for (; next < end; ++next) {
      const literal& lit = literals[next];
      const u8 bit = static_cast<u8>(1u << b);
      for (std::size_t i = 0; i < fingerprint_size; ++i) {
        for (std::size_t x = 0; x < 16; ++x) {
          const bool any = i >= lit.size;
          if (any || x == (lit.text[i] & 15u)) engine.low[i][x] |= bit;
          if (any || x == (lit.text[i] >> 4)) engine.high[i][x] |= bit;
        }
      }
      if (lit.size > engine.literal_longest) engine.literal_longest = lit.size;
    }
  }
  engine.bucket_begin[bucket_count] = static_cast<u32>(count);
}

void build_automaton(const sizes& s, std::size_t count, parts& p) noexcept {
  const u32 shift = s.class_shift;
  const std::size_t width = std::size_t{1} << shift;
  std::memset(p.next, 0, (s.states << shift) * sizeof(u16));
  std::memset(p.match_size, 0, s.states);
  u16 states = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const literal& lit = p.literals[i];
    u16 state = 0;
    for (u32 k = 0; k < lit.size; ++k) {
      u16& to = p.next[(std::size_t{state} << shift) | s.byte_class[lit.text[k]]];
      if (to == 0) to = states++;
      state = to;
    }
    p.match_size[state] = static_cast<u8>(lit.size);
  }
  // Breadth first: a state's failure is complete before its children need it.
  std::size_t head = 0, tail = 0;
  for (std::size_t c = 0; c < width; ++c) {
    const u16 to = p.next[c];
    if (to == 0) continue;
    p.failure[to] = 0;
    p.queue[tail++] = to;
  }
  while (head < tail) {
    const u16 state = p.queue[head++];
    const u16 fail = p.failure[state];
    if (p.match_size[state] == 0) p.match_size[state] = p.match_size[fail];
    for (std::size_t c = 0; c < width; ++c) {
      u16& to = p.next[(std::size_t{state} << shift) | c];
      const u16 other = p.next[(std::size_t{fail} << shift) | c];
      if (to == 0) {
        to = other;
      } else {
        p.failure[to] = other;
        p.queue[tail++] = to;
      }
    }
  }
}

// The leftmost match that begins in [from, to], where one is known to begin at to.
found find_leftmost(const rtbwire_engine& engine, const u8* text, std::size_t size,
                    std::size_t from, std::size_t to) noexcept {
  for (std::size_t at = from; at <= to; ++at) {
    found best{found::none, UINT32_MAX, at};
    for (u32 i = 0; i < engine.count; ++i) {
      const literal& lit = engine.literals[i];
      if (lit.size <= size - at && lit.index < best.index &&
          std::memcmp(text + at, lit.text, lit.size) == 0)
        best = {found::match, lit.index, at};
    }
    if (best.kind == found::match) return best;
  }
  return {found::none, 0, size};
}

}  // namespace

found find_automaton(const rtbwire_engine& engine, const u8* text, std::size_t size,
                     std::size_t from) noexcept {
  const u32 shift = engine.class_shift;
  u16 state = 0;
  for (std::size_t i = from; i < size; ++i) {
    state = engine.next[(std::size_t{state} << shift) | engine.byte_class[text[i]]];
    const std::size_t n = engine.match_size[state];
    if (n == 0) continue;
    // The first match to end. One that began earlier has not ended yet, so it is longer,
    // and cannot have begun before its length allows.
    const std::size_t end = i + 1;
    const std::size_t longest = engine.literal_longest;
    const std::size_t first = end - from > longest ? end - longest : from;
    return find_leftmost(engine, text, size, first, end - n);
  }
  return {found::none, 0, size};
}

}  // namespace rtbwire

using namespace rtbwire;

size_t rtbwire_engine_memory(const rtbwire_pattern* patterns, size_t count) {
  sizes s;
  if (!measure(patterns, count, &s)) return 0;
  // The parts of struct parts, each with the most its alignment can cost.
  const std::size_t blocks = 7;
  return sizeof(rtbwire_engine) + count * sizeof(literal) + s.bytes + sizeof(u64) +
         (s.states << s.class_shift) * sizeof(u16) + s.states * (1 + 2 * sizeof(u16)) +
         blocks * alignof(rtbwire_engine);
}

rtbwire_status rtbwire_engine_init(void* memory, size_t size, const rtbwire_pattern* patterns,
                                   size_t count, const rtbwire_engine_options* options,
                                   const rtbwire_engine** out) {
  if (out == nullptr) return RTBWIRE_BAD_ARGUMENT;
  *out = nullptr;
  if (memory == nullptr || patterns == nullptr) return RTBWIRE_BAD_ARGUMENT;
  const rtbwire_engine_options wanted = options != nullptr ? *options : rtbwire_engine_options{};
  if ((wanted.layers & ~static_cast<u32>(RTBWIRE_LAYER_ALL)) != 0) return RTBWIRE_BAD_ARGUMENT;
  if (!rtbwire_kernel_usable(wanted.kernel)) return RTBWIRE_NO_KERNEL;
  sizes s;
  if (!measure(patterns, count, &s)) return RTBWIRE_BAD_PATTERN;

  fixed_arena arena{memory, size};
  parts p{};
  if (!p.take(arena, s, count)) return RTBWIRE_NO_ROOM;
  build_literals(patterns, count, p);
  build_automaton(s, count, p);
  rtbwire_engine& engine = *p.engine;
  std::memset(&engine, 0, sizeof engine);
  engine.literals = p.literals;
  engine.next = p.next;
  engine.match_size = p.match_size;
  std::memcpy(engine.byte_class, s.byte_class, sizeof s.byte_class);
  engine.class_shift = s.class_shift;
  engine.layers = wanted.layers;
  engine.count = static_cast<u32>(count);
  engine.kernel = best_kernel(wanted.kernel);
  build_prefilter(engine, count);
  *out = &engine;
  return RTBWIRE_OK;
}

rtbwire_kernel rtbwire_engine_kernel(const rtbwire_engine* engine) { return engine->kernel; }
