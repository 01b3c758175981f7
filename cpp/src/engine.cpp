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
  u16* longest;
  u16* failure;  // needed while compiling only
  u16* queue;    // likewise

  bool take(fixed_arena& arena, const sizes& s, std::size_t count) noexcept {
    return (engine = arena.take<rtbwire_engine>(1)) && (literals = arena.take<literal>(count)) &&
           (text = arena.take<u8>(s.bytes + sizeof(u64))) &&
           (next = arena.take<u16>(s.states << s.class_shift)) &&
           (longest = arena.take<u16>(s.states)) && (failure = arena.take<u16>(s.states)) &&
           (queue = arena.take<u16>(s.states));
  }
};

// How often a byte occurs in text, roughly, in bid requests. A guess that is wrong costs time
// only. Letters are told apart by nibbles, hence hardly, and weigh the same.
u32 frequency(u8 c) noexcept {
  if (c >= 'a' && c <= 'z') return 6;
  if (c >= '0' && c <= '9') return 4;
  if (c == ' ' || c == 0xff) return 6;
  if (c == '.' || c == '/' || c == '-' || c == '_' || c == ',' || c == ':') return 3;
  return 1;
}

// The four bytes of a literal that are the rarest in text: "aler" is like many words, "rt(1"
// like none.
u32 choose_window(const u8* text, u32 size) noexcept {
  u32 best = 0, least = UINT32_MAX;
  for (u32 w = 0; w + fingerprint_size <= size; ++w) {
    u32 product = 1;
    for (u32 i = 0; i < fingerprint_size; ++i) product *= frequency(text[w + i]);
    if (product >= least) continue;
    least = product;
    best = w;
  }
  return best;
}

u32 slot(const literal& lit) noexcept {
  if (lit.size < fingerprint_size) return slot_count;
  u32 bytes;
  std::memcpy(&bytes, lit.text + lit.window, sizeof bytes);
  return slot_of(bytes);
}

// Sorted by slot and text, so that equal literals are neighbours. Insertion sort: a few dozen
// literals, once.
void sort(literal* first, std::size_t count) noexcept {
  const auto less = [](const literal& a, const literal& b) noexcept {
    if (slot(a) != slot(b)) return slot(a) < slot(b);
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
    lit = {0, 0, at, 0, static_cast<u32>(i), 0, 0};
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
    lit.window = choose_window(lit.text, lit.size);
  }
  std::memset(at, 0, sizeof(u64));
  sort(p.literals, count);
}

// One bucket's share of the tables: a bit for each nibble that occurs in byte i.
struct nibbles {
  u16 low[fingerprint_size], high[fingerprint_size];

  void add(const literal& lit) noexcept {
    for (u32 i = 0; i < fingerprint_size; ++i) {
      const bool any = i >= lit.size;
      low[i] |= any ? u16{0xffff} : static_cast<u16>(1u << (lit.text[lit.window + i] & 15));
      high[i] |= any ? u16{0xffff} : static_cast<u16>(1u << (lit.text[lit.window + i] >> 4));
    }
  }
  void add(const nibbles& o) noexcept {
    for (u32 i = 0; i < fingerprint_size; ++i) {
      low[i] |= o.low[i];
      high[i] |= o.high[i];
    }
  }
  // In proportion to the places in text that it takes for candidates.
  u64 cost(const u8* weights) const noexcept {
    u64 product = 1;
    for (u32 i = 0; i < fingerprint_size; ++i) {
      u64 sum = 0;
      for (u32 h = high[i]; h != 0; h &= h - 1) {
        const u8* const row = weights + 16 * __builtin_ctz(h);
        for (u32 l = low[i]; l != 0; l &= l - 1) sum += row[__builtin_ctz(l)];
      }
      product *= sum;
    }
    return product;
  }
};

// The nibbles of all literals in a slot.
nibbles slot_nibbles(const rtbwire_engine& engine, std::size_t s) noexcept {
  nibbles n{};
  const u32 end = s < slot_count ? engine.slot_begin[s + 1] : engine.count;
  for (u32 i = engine.slot_begin[s]; i < end; ++i) n.add(engine.literals[i]);
  return n;
}

void build_slots(rtbwire_engine& engine) noexcept {
  u32 next = 0;
  for (std::size_t s = 0; s <= slot_count; ++s) {
    engine.slot_begin[s] = static_cast<u16>(next);
    while (next < engine.count && slot(engine.literals[next]) == s) ++next;
  }
  for (u32 i = 0; i < engine.count; ++i) {
    const literal& lit = engine.literals[i];
    if (lit.size > engine.literal_longest) engine.literal_longest = lit.size;
    if (lit.window > engine.window_last) engine.window_last = lit.window;
  }
}

// Each slot's literals go to the bucket in which they make the fewest new candidates. The
// first ones choose among buckets that are still empty, so all choose again, a few times.
void build_prefilter(rtbwire_engine& engine) noexcept {
  constexpr u8 no_bucket = bucket_count;
  constexpr int rounds = 4;
  u8 weights[256];
  for (u32 c = 0; c < 256; ++c) weights[c] = static_cast<u8>(frequency(static_cast<u8>(c)));
  u8 bucket_of[slot_count + 1];
  std::memset(bucket_of, no_bucket, sizeof bucket_of);
  nibbles buckets[bucket_count] = {};
  u64 costs[bucket_count] = {};
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t s = 0; s <= slot_count; ++s) {
      const nibbles mine = slot_nibbles(engine, s);
      if (mine.low[0] == 0) continue;
      const u8 old = bucket_of[s];
      if (old != no_bucket) {
        buckets[old] = {};
        for (std::size_t other = 0; other <= slot_count; ++other)
          if (other != s && bucket_of[other] == old) buckets[old].add(slot_nibbles(engine, other));
        costs[old] = buckets[old].cost(weights);
      }
      u64 best_cost = 0, least = UINT64_MAX;
      for (u8 b = 0; b < bucket_count; ++b) {
        nibbles with = buckets[b];
        with.add(mine);
        const u64 cost = with.cost(weights);
        if (cost - costs[b] >= least) continue;
        least = cost - costs[b];
        bucket_of[s] = b;
        best_cost = cost;
      }
      buckets[bucket_of[s]].add(mine);
      costs[bucket_of[s]] = best_cost;
    }
  }
  for (std::size_t b = 0; b < bucket_count; ++b)
    for (u32 i = 0; i < fingerprint_size; ++i)
      for (u32 x = 0; x < 16; ++x) {
        engine.low[i][x] |= static_cast<u8>((buckets[b].low[i] >> x & 1) << b);
        engine.high[i][x] |= static_cast<u8>((buckets[b].high[i] >> x & 1) << b);
      }
}

void build_automaton(const sizes& s, std::size_t count, parts& p) noexcept {
  const u32 shift = s.class_shift;
  const std::size_t width = std::size_t{1} << shift;
  std::memset(p.next, 0, (s.states << shift) * sizeof(u16));
  std::memset(p.longest, 0, s.states * sizeof(u16));
  u16 states = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const literal& lit = p.literals[i];
    u16 state = 0;
    for (u32 k = 0; k < lit.size; ++k) {
      u16& to = p.next[(std::size_t{state} << shift) | s.byte_class[lit.text[k]]];
      if (to == 0) to = states++;
      state = to;
    }
    // Of equal literals the first stands for all; they are neighbours.
    if (p.longest[state] == 0) p.longest[state] = static_cast<u16>(i + 1);
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
    u16& longest = p.longest[state];
    if (longest == 0) longest = p.longest[fail];
    else p.literals[longest - 1].suffix = p.longest[fail];
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

// The lowest index of a literal at text + at, where there is one.
u32 lowest_index(const rtbwire_engine& engine, const u8* text, std::size_t size, std::size_t at) noexcept {
  u64 head;
  std::memcpy(&head, text + at, sizeof head);
  u32 best = UINT32_MAX;
  for (u32 i = 0; i < engine.count; ++i) {
    const literal& lit = engine.literals[i];
    if ((head & lit.mask) == lit.head && lit.index < best && lit.size <= size - at &&
        std::memcmp(text + at, lit.text, lit.size) == 0)
      best = lit.index;
  }
  return best;
}

// Whether a literal consists of what JSON has outside of strings: structure, white space, numbers,
// true, false and null.
bool occurs_bare(const literal& lit) noexcept {
  constexpr char bare[] = "{}[]:, \t\r\n+-.0123456789truefalsn";
  for (u32 i = 0; i < lit.size; ++i)
    if (std::memchr(bare, lit.text[i], sizeof bare - 1) == nullptr) return false;
  return true;
}

}  // namespace

void find_by_automaton(const rtbwire_engine& engine, const u8* text, std::size_t size, std::size_t from,
                       found& so_far, pattern_set& every) noexcept {
  const u32 shift = engine.class_shift;
  pattern_set seen;
  clear(seen, engine.count);
  u16 state = 0;
  std::size_t first = no_match;
  for (std::size_t i = from; i < size; ++i) {
    state = engine.next[(std::size_t{state} << shift) | engine.byte_class[text[i]]];
    u32 place = engine.longest[state];
    if (place == 0) continue;
    const std::size_t begin = i + 1 - engine.literals[place - 1].size;
    if (begin < first) first = begin;
    // What a literal ends in was added with it, so each literal is gone through only once.
    while (place != 0) {
      const literal& lit = engine.literals[place - 1];
      if (has(seen, lit.index)) break;
      for (u32 k = place - 1; k < engine.count; ++k) {
        const literal& equal = engine.literals[k];
        if (equal.size != lit.size || std::memcmp(equal.text, lit.text, lit.size) != 0) break;
        add(seen, equal.index);
      }
      place = lit.suffix;
    }
  }
  if (first == no_match) return;
  keep_first(so_far, first, lowest_index(engine, text, size, first));
  for (std::size_t i = 0; i < word_count(engine.count); ++i) every.words[i] |= seen.words[i];
}

}  // namespace rtbwire

using namespace rtbwire;

size_t rtbwire_engine_memory(const rtbwire_pattern* patterns, size_t count) {
  sizes s;
  if (!measure(patterns, count, &s)) return 0;
  // The parts of struct parts, each with the most its alignment can cost.
  const std::size_t blocks = 7;
  return sizeof(rtbwire_engine) + count * sizeof(literal) + s.bytes + sizeof(u64) +
         (s.states << s.class_shift) * sizeof(u16) + s.states * 3 * sizeof(u16) +
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
  engine.longest = p.longest;
  std::memcpy(engine.byte_class, s.byte_class, sizeof s.byte_class);
  engine.class_shift = s.class_shift;
  engine.layers = wanted.layers;
  engine.count = static_cast<u32>(count);
  for (std::size_t i = 0; i < count; ++i) engine.bare |= occurs_bare(p.literals[i]);
  engine.kernel = best_kernel(wanted.kernel);
  build_slots(engine);
  build_prefilter(engine);
  *out = &engine;
  return RTBWIRE_OK;
}

size_t rtbwire_matcher_engine_memory(void) { return sizeof(rtbwire_engine) + alignof(rtbwire_engine); }

rtbwire_status rtbwire_matcher_engine_init(void* memory, size_t size, const rtbwire_matcher* matcher,
                                           const rtbwire_engine_options* options, const rtbwire_engine** out) {
  if (out == nullptr) return RTBWIRE_BAD_ARGUMENT;
  *out = nullptr;
  if (memory == nullptr || matcher == nullptr || matcher->search == nullptr) return RTBWIRE_BAD_ARGUMENT;
  const rtbwire_engine_options wanted = options != nullptr ? *options : rtbwire_engine_options{};
  if ((wanted.layers & ~static_cast<u32>(RTBWIRE_LAYER_ALL)) != 0) return RTBWIRE_BAD_ARGUMENT;
  if (matcher->pattern_count == 0 || matcher->pattern_count > RTBWIRE_MATCHER_PATTERNS_MAX) return RTBWIRE_BAD_PATTERN;
  if (!rtbwire_kernel_usable(wanted.kernel)) return RTBWIRE_NO_KERNEL;
  fixed_arena arena{memory, size};
  rtbwire_engine* const engine = arena.take<rtbwire_engine>(1);
  if (engine == nullptr) return RTBWIRE_NO_ROOM;
  std::memset(engine, 0, sizeof *engine);
  engine->layers = wanted.layers;
  engine->count = matcher->pattern_count;
  engine->bare = true;
  engine->kernel = best_kernel(wanted.kernel);  // it decodes, and judges the grammar
  engine->matcher = *matcher;
  *out = engine;
  return RTBWIRE_OK;
}

rtbwire_kernel rtbwire_engine_kernel(const rtbwire_engine* engine) { return engine->kernel; }
