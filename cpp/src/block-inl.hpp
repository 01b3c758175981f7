// 64 bytes of a packet as bits, and the arithmetic on them.
//
// A bit that leaves a word is carried into the word of the next block.
#pragma once

#include "vector.hpp"

namespace rtbwire {
namespace {

// A byte is of a class if the tables of both its nibbles have the bit of the class.
struct class_tables {
  u8 low[16], high[16];
};

constexpr u8 bit_of(int n) noexcept { return static_cast<u8>(1 << n); }

enum : int {
  is_open,
  is_close_object,
  is_close_array,
  is_colon,
  is_comma,
  is_digit,
  is_sign,
  is_point
};

constexpr class_tables make_class_tables() noexcept {
  class_tables t{};
  for (int i = 0; i < 10; ++i) t.low[i] = bit_of(is_digit);  // 30 to 39
  t.high[3] = static_cast<u8>(bit_of(is_digit) | bit_of(is_colon));
  t.low[0xa] = bit_of(is_colon);                                    // 3a
  t.low[0xb] = static_cast<u8>(bit_of(is_open) | bit_of(is_sign));  // 5b 7b, 2b
  t.low[0xc] = bit_of(is_comma);                                    // 2c
  t.low[0xd] = static_cast<u8>(bit_of(is_close_object) | bit_of(is_close_array) |
                               bit_of(is_sign));  // 7d, 5d, 2d
  t.low[0xe] = bit_of(is_point);                  // 2e
  t.high[2] = static_cast<u8>(bit_of(is_comma) | bit_of(is_sign) | bit_of(is_point));
  t.high[5] = static_cast<u8>(bit_of(is_open) | bit_of(is_close_array));
  t.high[7] = static_cast<u8>(bit_of(is_open) | bit_of(is_close_object));
  return t;
}

constexpr class_tables classes = make_class_tables();

// White space by its low nibble. The other entries are bytes with a different low nibble, so
// they never compare equal.
constexpr u8 spaces[16] = {' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0};

// 64 bytes: a bit for each byte of a class.
struct block {
  u64 quote{0}, slash{0}, control{0}, space{0}, open{0}, close_object{0}, close_array{0}, colon{0},
      comma{0};
};

template <byte_vector Vec>
struct classifier {
  Vec low = Vec::repeat16(classes.low), high = Vec::repeat16(classes.high),
      space = Vec::repeat16(spaces);

  Vec kinds(Vec in, Vec nibble) const noexcept {
    return low.shuffle(nibble) & high.shuffle(in.high_nibbles());
  }

  // Also ORs the bytes into seen.
  block operator()(const u8* p, Vec& seen) const noexcept {
    block b;
    for (std::size_t k = 0; k < 64; k += Vec::width) {
      const Vec in = Vec::load(p + k), nibble = in.low_nibbles();
      const Vec kind = kinds(in, nibble);
      seen = seen | in;
      b.quote |= in.eq(Vec::fill('"')).mask() << k;
      b.slash |= in.eq(Vec::fill('\\')).mask() << k;
      b.control |= in.below_space().mask() << k;
      b.space |= in.eq(space.shuffle(nibble)).mask() << k;
      b.open |= kind.template bit<is_open>() << k;
      b.close_object |= kind.template bit<is_close_object>() << k;
      b.close_array |= kind.template bit<is_close_array>() << k;
      b.colon |= kind.template bit<is_colon>() << k;
      b.comma |= kind.template bit<is_comma>() << k;
    }
    return b;
  }
};

// ---- bits that move to the next token ----

// Returns the first byte after each of bits that is not a space: where the next token begins.
// also holds bits that are already one byte further. Spaces that reach the end of the word are
// carried into the next one.
template <bool spaced>
inline u64 next_tokens(u64& carry, u64 bits, u64 space, u64 also = 0) noexcept {
  const u64 next = bits << 1 | carry | also;
  carry = bits >> 63;
  if (!spaced) return next;
  u64 sum;
  carry |= static_cast<u64>(__builtin_add_overflow(next, space, &sum));
  return sum & ~space;
}

// Moves bits at the beginning of runs to the first byte after the run. A run that reaches the end
// of the word continues at the beginning of the next.
inline u64 after_runs(u64& carry, u64 bits, u64 runs) noexcept {
  u64 sum, more;
  const bool over = __builtin_add_overflow(bits, runs, &sum);
  const bool over2 = __builtin_add_overflow(sum, carry, &more);
  carry = static_cast<u64>(over) | static_cast<u64>(over2);
  return more & ~runs;
}

// Returns the bytes that a backslash escapes (Langdale and Lemire, "Parsing gigabytes of JSON per
// second", 2019, section 3.1.1). A run of backslashes escapes the byte after it if its length is
// odd; carry says that the previous block ended in such a run.
inline u64 escaped_bytes(u64 slash, u64* carry) noexcept {
  constexpr u64 odd = 0xaaaaaaaaaaaaaaaa, even = ~odd;
  const u64 free = slash & ~*carry;  // without one that the previous block escapes
  // Adding the starts of runs to the runs leaves a carry after each run. Comparing the parity of
  // its position with that of the start gives the parity of the run's length.
  const u64 follows = free << 1 | *carry;
  const u64 odd_starts = free & odd & ~follows;
  u64 even_carries;
  *carry = static_cast<u64>(__builtin_add_overflow(odd_starts, free, &even_carries));
  return (even ^ even_carries << 1) & follows;
}

}  // namespace
}  // namespace rtbwire
