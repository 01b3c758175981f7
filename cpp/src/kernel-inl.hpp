// The vector kernel, written once and compiled per instruction set. The including file
// defines struct vec (W bytes: load, store, fill, eq, below_space, fold, shuffle,
// nibbles, operators & | ^, sub_sat, mask, nonzero_mask, any) in an unnamed namespace of its own.
//
// In order: decode, find, then well_formed with its three parts (tokens, grammar, scalars)
// and UTF-8.

#include "escape-inl.hpp"

using u8 = std::uint8_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t W = vec::width;

inline int trailing_zeros(u64 bits) noexcept { return __builtin_ctzll(bits); }

// ---- decode ----

inline decoded decode_text(const u8* packet, std::size_t size, u8* text) noexcept {
  const u8* p = packet;
  const u8* const end = packet + size;
  u8* out = text;
  bool bad = false;
  const vec quote = vec::fill('"'), slash = vec::fill('\\'), mark = vec::fill(0xff);
  while (p < end) {
    // May read and write past the end by less than one vector: both sides are padded.
    const vec in = vec::load(p);
    const u64 slashes = in.eq(slash).mask();
    (in.fold() | (in.eq(quote) & mark)).store(out);
    if (slashes == 0) {
      p += W;
      out += W;
      continue;
    }
    const int skip = trailing_zeros(slashes);
    p += skip;
    out += skip;
    if (p >= end) break;
    bad |= !decode_escape(p, out);
  }
  // The last vector took padding along.
  if (p > end) out -= p - end;
  return {static_cast<std::size_t>(out - text), bad};
}

// ---- find ----

// Whether one of the literals in [first, last) has its window at text + at. With every, those
// that do are added to it, and the answer is false.
inline bool confirm(const rtbwire_engine& engine, const u8* text, std::size_t at, std::size_t size,
                    u32 first, u32 last, pattern_set* every) noexcept {
  for (u32 i = first; i < last; ++i) {
    const literal& lit = engine.literals[i];
    if (lit.window > at) continue;
    const u8* const p = text + at - lit.window;
    u64 head;
    __builtin_memcpy(&head, p, 8);
    if ((head & lit.mask) != lit.head || lit.size > size - at + lit.window) continue;
    if (lit.size > 8 && __builtin_memcmp(p + 8, lit.text + 8, lit.size - 8) != 0) continue;
    if (every == nullptr) return true;
    add(*every, lit.index);
  }
  return false;
}

inline vec candidates(const vec* low, const vec* high, const u8* p) noexcept {
  vec hit = vec::fill(0xff);
  for (std::size_t i = 0; i < fingerprint_size; ++i) {
    const vec in = vec::load(p + i);
    hit = hit & low[i].shuffle(in.low_nibbles()) & high[i].shuffle(in.high_nibbles());
  }
  return hit;
}

inline found find_literal(const rtbwire_engine& engine, const u8* text, std::size_t size,
                          pattern_set* every) noexcept {
  vec low[fingerprint_size], high[fingerprint_size];
  for (std::size_t i = 0; i < fingerprint_size; ++i) {
    low[i] = vec::repeat16(engine.low[i]);
    high[i] = vec::repeat16(engine.high[i]);
  }
  // Text made of near-matches would make comparing the cost of every byte. Past the budget
  // the automaton goes on, one step a byte whatever the text.
  std::size_t budget = 64 + size / 4;
  const u32 shorts = engine.slot_begin[slot_count];
  for (std::size_t i = 0; i < size; i += W) {
    u64 lanes = candidates(low, high, text + i).nonzero_mask();
    for (; lanes != 0; lanes &= lanes - 1) {
      const std::size_t at = i + static_cast<std::size_t>(trailing_zeros(lanes));
      if (at >= size) break;
      u32 window;
      __builtin_memcpy(&window, text + at, 4);
      const u32 slot = slot_of(window);
      const u32 first = engine.slot_begin[slot], last = engine.slot_begin[slot + 1];
      const std::size_t compared = last - first + (engine.count - shorts);
      if (compared == 0) continue;
      if (budget < compared || confirm(engine, text, at, size, first, last, every) ||
          confirm(engine, text, at, size, shorts, engine.count, every)) {
        // All windows before this one were in vain. One that is still to come may belong to a
        // literal that begins earlier.
        return {found::maybe, 0, at > engine.window_last ? at - engine.window_last : 0};
      }
      budget -= compared;
    }
  }
  return {found::none, 0, size};
}

// ---- tokens ----

// 64 bytes of packet as one bit each.
struct block {
  u64 slash, quote, control, space, structure, high;
};

inline block classify(const u8* p) noexcept {
  block b{};
  for (std::size_t k = 0; k < 64; k += W) {
    const vec in = vec::load(p + k);
    const vec up = in | vec::fill(0x20);  // [ and {, ] and } differ in this bit only
    const vec structure = up.eq(vec::fill('{')) | up.eq(vec::fill('}')) | in.eq(vec::fill(':')) |
                          in.eq(vec::fill(','));
    const vec space = in.eq(vec::fill(' ')) | in.eq(vec::fill('\t')) | in.eq(vec::fill('\n')) |
                      in.eq(vec::fill('\r'));
    b.slash |= in.eq(vec::fill('\\')).mask() << k;
    b.quote |= in.eq(vec::fill('"')).mask() << k;
    b.control |= in.below_space().mask() << k;
    b.space |= space.mask() << k;
    b.structure |= structure.mask() << k;
    b.high |= in.mask() << k;
  }
  return b;
}

// The bytes whose meaning a backslash takes away (Langdale and Lemire, "Parsing gigabytes of
// JSON per second", 2019, section 3.1.1). A run of backslashes escapes what follows it if its
// length is odd; carry says that the block before ended in such a run.
inline u64 escaped_bytes(u64 slash, u64* carry) noexcept {
  constexpr u64 odd = 0xaaaaaaaaaaaaaaaa, even = ~odd;
  if (slash == 0) {
    const u64 escaped = *carry;
    *carry = 0;
    return escaped;
  }
  const u64 free = slash & ~*carry;  // backslashes that are not themselves escaped from before
  // Adding the starts of runs to the runs carries out behind each run; the parity of the
  // place it comes out at, compared with that of the start, is the parity of the run.
  const u64 follows = free << 1 | *carry;
  const u64 odd_starts = free & odd & ~follows;
  u64 even_carries;
  const bool over = __builtin_add_overflow(odd_starts, free, &even_carries);
  *carry = over;
  const u64 invert = even_carries << 1;
  return (even ^ invert) & follows;
}

// Bit i of the result: an odd number of bits up to i. That is, from each opening quote up to
// the byte before the closing one.
inline u64 prefix_xor(u64 bits) noexcept {
  for (int shift = 1; shift < 64; shift <<= 1) bits ^= bits << shift;
  return bits;
}

// Writes the positions of bits; eight at a time, because the loop's exit is what costs.
inline u32* put_positions(u32* out, u64 bits, u32 base) noexcept {
  if (bits == 0) return out;
  u32* const end = out + __builtin_popcountll(bits);
  do {
    for (int i = 0; i < 8; ++i) {
      // ctz of 0 is undefined; what is written past end is never read.
      out[i] = base + static_cast<u32>(trailing_zeros(bits | u64{1} << 63));
      bits &= bits - 1;
    }
    out += 8;
  } while (out < end);
  return end;
}

struct tokenised {
  u32* end;
  bool sound;  // strings are closed and hold no control characters
  bool high;   // there are bytes above 0x7f
};

// Token: a structural character, an opening quote, or the first byte of anything else.
inline tokenised tokenise(const u8* packet, std::size_t size, u32* out) noexcept {
  u64 carry = 0, in_string = 0, prior = 0, wrong = 0, high = 0;
  for (std::size_t i = 0; i < size; i += 64) {
    const block b = classify(packet + i);
    const u64 quote = b.quote & ~escaped_bytes(b.slash, &carry);
    const u64 inside = prefix_xor(quote) ^ in_string;
    in_string = static_cast<u64>(static_cast<std::int64_t>(inside) >> 63);
    wrong |= b.control & inside;
    high |= b.high;
    const u64 other = ~(inside | quote | b.structure | b.space);
    const u64 starts = other & ~(other << 1 | prior);
    prior = other >> 63;
    out = put_positions(out, (b.structure & ~inside) | (quote & inside) | starts,
                        static_cast<u32>(i));
  }
  return {out, wrong == 0 && in_string == 0, high != 0};
}

// ---- grammar ----

enum token : u8 { tok_object, tok_object_end, tok_array, tok_array_end, tok_colon, tok_comma,
                  tok_string, tok_scalar };

struct grammar {
  u8 entry[256];      // by byte: the token in the low bits, and the flags below
  u8 forbidden[32];   // by token << 2 | in object << 1 | is key: the tokens that may not follow
};

// What a token does, as places of bits in its entry.
enum : unsigned { does_open = 3, does_close = 4, is_object = 5, is_comma = 6, is_string = 7 };

constexpr grammar make_grammar() noexcept {
  constexpr auto bit = [](unsigned n) constexpr { return static_cast<u8>(1u << n); };
  grammar g{};
  for (auto& e : g.entry) e = tok_scalar;
  g.entry[u8{'{'}] = tok_object | bit(does_open) | bit(is_object);
  g.entry[u8{'}'}] = tok_object_end | bit(does_close);
  g.entry[u8{'['}] = tok_array | bit(does_open);
  g.entry[u8{']'}] = tok_array_end | bit(does_close);
  g.entry[u8{':'}] = tok_colon;
  g.entry[u8{','}] = tok_comma | bit(is_comma);
  g.entry[u8{'"'}] = tok_string | bit(is_string);
  constexpr u8 value = bit(tok_object) | bit(tok_array) | bit(tok_string) | bit(tok_scalar);
  for (unsigned t = 0; t < 8; ++t) {
    for (unsigned context = 0; context < 4; ++context) {
      const bool object = (context & 2) != 0, key = (context & 1) != 0;
      const u8 end =
          static_cast<u8>(bit(tok_comma) | (object ? bit(tok_object_end) : bit(tok_array_end)));
      u8 next = 0;
      switch (t) {
        case tok_object: next = bit(tok_string) | bit(tok_object_end); break;
        case tok_array: next = value | bit(tok_array_end); break;
        case tok_colon: next = value; break;
        case tok_comma: next = object ? bit(tok_string) : value; break;
        case tok_string: next = key ? bit(tok_colon) : end; break;
        default: next = end; break;
      }
      g.forbidden[t << 2 | context] = static_cast<u8>(~next);
    }
  }
  return g;
}

constexpr grammar rules = make_grammar();

// Checks each token against the one before, without branches: tokens of real packets are
// too irregular to predict. Only the stack is a chain from token to token: one bit a level,
// 1 for an object, below them a 1 for the outermost. Positions of scalars are gathered at
// the front of tokens. False when wrong, or deeper than the word.
inline bool check_tokens(const u8* packet, u32* tokens, u32* end, u32** scalars_end) noexcept {
  u64 stack = 1, deep = 0;
  u32 wrong = 0;
  u32* scalars = tokens;
  // Any value may come first.
  u32 forbidden = ~(1u << tok_object | 1u << tok_array | 1u << tok_string | 1u << tok_scalar);
  u32 opens_key = 0;  // the token before was {, or a comma in an object
  u32 outside = 0;    // the token before was the end of the outermost value
  for (const u32* t = tokens; t != end;) {
    // What went wrong early is not followed to the end: the walk has to start again anyway.
    if (((wrong & 1) | deep >> 63) != 0) return false;
    const u32* const stop = end - t > 256 ? t + 256 : end;
    for (; t != stop; ++t) {
      const u32 at = *t;
      const u32 entry = rules.entry[packet[at]];
      wrong |= forbidden >> (entry & 7) | outside;
      const u32 key = opens_key & entry >> is_string;
      stack = (stack << (entry >> does_open & 1) | (entry >> is_object & 1)) >> (entry >> does_close & 1);
      deep |= stack;
      outside = stack == 1;
      const u32 object = stack & 1;
      opens_key = (entry >> is_object & 1) | (entry >> is_comma & object);
      forbidden = rules.forbidden[(entry & 7) << 2 | object << 1 | key];
      *scalars = at;
      scalars += (entry & 7) == tok_scalar;
    }
  }
  *scalars_end = scalars;
  return (wrong & 1) == 0 && stack == 1 && deep >> 63 == 0;
}

// ---- scalars ----

inline bool is_digit(u8 c) noexcept { return static_cast<unsigned>(c - '0') < 10; }

// What may stand behind a scalar. Spaces behind the packet end the last one.
inline bool ends_scalar(u8 c) noexcept {
  return c == ',' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

inline bool scalar_sound(const u8* p) noexcept {
  u32 word;
  __builtin_memcpy(&word, p, 4);
  const auto is = [&](const char* text) noexcept {
    u32 other;
    __builtin_memcpy(&other, text, 4);
    return word == other;
  };
  if (*p >= 'a') {
    if (is("true") || is("null")) return ends_scalar(p[4]);
    return is("fals") && p[4] == 'e' && ends_scalar(p[5]);
  }
  p += *p == '-';
  if (*p == '0') {
    ++p;
  } else {
    if (!is_digit(*p)) return false;
    while (is_digit(*p)) ++p;
  }
  if (*p == '.') {
    if (!is_digit(*++p)) return false;
    while (is_digit(*p)) ++p;
  }
  if ((*p | 0x20) == 'e') {
    ++p;
    p += *p == '+' || *p == '-';
    if (!is_digit(*p)) return false;
    while (is_digit(*p)) ++p;
  }
  return ends_scalar(*p);
}

// ---- UTF-8 ----

// The check of Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte"
// (2021): three look-ups on two neighbouring bytes leave a bit per kind of fault.
namespace fault {
constexpr u8 too_short = 1 << 0;    // lead byte, then no continuation
constexpr u8 too_long = 1 << 1;     // ASCII, then a continuation
constexpr u8 overlong3 = 1 << 2;    // E0 80..9F
constexpr u8 too_large = 1 << 3;    // F4 90 and above
constexpr u8 surrogate = 1 << 4;    // ED A0 and above
constexpr u8 overlong2 = 1 << 5;    // C0, C1
constexpr u8 too_large4 = 1 << 6;   // F5 and above; with the next, F0 80..8F
constexpr u8 overlong4 = 1 << 6;
constexpr u8 two_conts = 1 << 7;    // continuation after continuation: sound only where counted
constexpr u8 carry = too_short | too_long | two_conts;  // of any low nibble
}  // namespace fault

struct utf8_tables {
  u8 lead_high[16], lead_low[16], next_high[16];
};

constexpr utf8_tables make_utf8_tables() noexcept {
  using namespace fault;
  utf8_tables t{};
  for (int i = 0; i < 8; ++i) t.lead_high[i] = too_long;
  for (int i = 8; i < 12; ++i) t.lead_high[i] = two_conts;
  t.lead_high[12] = too_short | overlong2;
  t.lead_high[13] = too_short;
  t.lead_high[14] = too_short | overlong3 | surrogate;
  t.lead_high[15] = too_short | too_large | too_large4 | overlong4;

  for (int i = 0; i < 16; ++i)
    t.lead_low[i] = static_cast<u8>(carry | (i >= 4 ? too_large : 0) | (i >= 5 ? too_large4 : 0));
  t.lead_low[0] |= overlong3 | overlong2 | overlong4;
  t.lead_low[1] |= overlong2;
  t.lead_low[13] |= surrogate;

  for (int i = 0; i < 16; ++i) t.next_high[i] = too_short;
  t.next_high[8] = too_long | overlong2 | two_conts | overlong3 | too_large4 | overlong4;
  t.next_high[9] = too_long | overlong2 | two_conts | overlong3 | too_large;
  t.next_high[10] = t.next_high[11] = too_long | overlong2 | two_conts | surrogate | too_large;
  return t;
}

constexpr utf8_tables utf8_rules = make_utf8_tables();

// Reads up to three bytes before the packet: spaces, like those behind it.
inline bool utf8_sound(const u8* packet, std::size_t size) noexcept {
  const vec lead_high = vec::repeat16(utf8_rules.lead_high);
  const vec lead_low = vec::repeat16(utf8_rules.lead_low);
  const vec next_high = vec::repeat16(utf8_rules.next_high);
  vec wrong = vec::fill(0);
  // One byte further than the packet, so that the padding ends its last character.
  for (std::size_t i = 0; i <= size; i += W) {
    const u8* p = packet + i;
    const vec in = vec::load(p), prev1 = vec::load(p - 1);
    const vec kinds = lead_high.shuffle(prev1.high_nibbles()) & lead_low.shuffle(prev1.low_nibbles()) &
                      next_high.shuffle(in.high_nibbles());
    // The third byte of three and the third and fourth of four have to be continuations
    // after continuations, and nothing else may be.
    const vec third = vec::load(p - 2).sub_sat(vec::fill(0xe0 - 0x80));
    const vec fourth = vec::load(p - 3).sub_sat(vec::fill(0xf0 - 0x80));
    wrong = wrong | (((third | fourth) & vec::fill(0x80)) ^ kinds);
  }
  return !wrong.any();
}

inline bool packet_well_formed(const u8* packet, std::size_t size, u32* tokens) noexcept {
  const tokenised found = tokenise(packet, size, tokens);
  if (!found.sound || found.end == tokens) return false;
  if (found.high && !utf8_sound(packet, size)) return false;
  u32* scalars_end = tokens;
  if (!check_tokens(packet, tokens, found.end, &scalars_end)) return false;
  for (const u32* t = tokens; t != scalars_end; ++t)
    if (!scalar_sound(packet + *t)) return false;
  return true;
}
