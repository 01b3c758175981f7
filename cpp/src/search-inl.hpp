// All literals in one pass over the text.
#pragma once

#include "bits-inl.hpp"
#include "engine.hpp"
#include "vector.hpp"

namespace rtbwire {
namespace {

// Adds the literals from first to last whose window is at text + at.
inline void confirm(const rtbwire_engine& engine, const u8* text, std::size_t at, std::size_t size,
                    u32 first, u32 last, found& so_far, pattern_set& every) noexcept {
  for (u32 i = first; i < last; ++i) {
    const literal& lit = engine.literals[i];
    if (lit.window > at) continue;
    const std::size_t begin = at - lit.window;
    const u8* const p = text + begin;
    u64 head;
    __builtin_memcpy(&head, p, 8);
    if ((head & lit.mask) != lit.head || lit.size > size - begin) continue;
    if (lit.size > 8 && __builtin_memcmp(p + 8, lit.text + 8, lit.size - 8) != 0) continue;
    add(every, lit.index);
    keep_first(so_far, begin, lit.index);
  }
}

// Returns for each byte at p the buckets that may have a window there.
template <byte_vector Vec>
inline Vec candidates(const Vec* low, const Vec* high, const u8* p) noexcept {
  Vec hit = Vec::fill(0xff);
  for (std::size_t i = 0; i < window_size; ++i) {
    const Vec in = Vec::load(p + i);
    hit = hit & low[i].shuffle(in.low_nibbles()) & high[i].shuffle(in.high_nibbles());
  }
  return hit;
}

// Bytes of text that are searched for candidates before the candidates are compared.
constexpr std::size_t stretch = 1024;

template <byte_vector Vec>
inline found find_literals(const rtbwire_engine& engine, const u8* text, std::size_t size,
                           pattern_set& every) noexcept {
  Vec low[window_size], high[window_size];
  for (std::size_t i = 0; i < window_size; ++i) {
    low[i] = Vec::repeat16(engine.low[i]);
    high[i] = Vec::repeat16(engine.high[i]);
  }
  // A text of near-matches would need a comparison per byte. When the budget is used up the
  // automaton continues, whose cost is one step per byte of any text.
  std::size_t budget = 64 + size / 4;
  const u32 shorts = engine.slot_begin[slot_count];
  const std::size_t short_count = engine.count - shorts;
  found so_far{no_match, 0, size};
  u16 places[stretch + 2];
  for (std::size_t begin = 0; begin < size; begin += stretch) {
    const u8* const part = text + begin;
    const std::size_t part_size = size - begin < stretch ? size - begin : stretch;
    u16* end = places;
    for (std::size_t i = 0; i < part_size; i += 64) {
      u64 lanes = 0;
      for (std::size_t k = 0; k < 64; k += Vec::width)
        lanes |= candidates<Vec>(low, high, part + i + k).nonzero_mask() << k;
      end = put_places<Vec, 2>(end, lanes, i);
    }
    // Keep the candidates that are within the text and whose window matches a literal.
    u16* real = places;
    for (const u16* place = places; place != end; ++place) {
      u32 window;
      __builtin_memcpy(&window, part + *place, 4);
      const u32 slot = slot_of(window);
      *real = *place;
      real += (engine.slot_begin[slot + 1] - engine.slot_begin[slot] + short_count != 0) &
              (*place < part_size);
    }
    for (const u16* place = places; place != real; ++place) {
      const std::size_t at = begin + *place;
      u32 window;
      __builtin_memcpy(&window, text + at, 4);
      const u32 slot = slot_of(window), first = engine.slot_begin[slot],
                last = engine.slot_begin[slot + 1];
      const std::size_t compared = last - first + short_count;
      if (budget < compared) {
        // A literal that begins before this one may have a window that has not been reached yet.
        so_far.undone = at > engine.window_last ? at - engine.window_last : 0;
        return so_far;
      }
      budget -= compared;
      confirm(engine, text, at, size, first, last, so_far, every);
      confirm(engine, text, at, size, shorts, engine.count, so_far, every);
    }
  }
  return so_far;
}

}  // namespace
}  // namespace rtbwire
