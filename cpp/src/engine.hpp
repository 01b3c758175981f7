// What patterns are compiled to: tables for the vector prefilter, literals to confirm its
// candidates, and an Aho-Corasick automaton whose cost no input can raise.
#pragma once

#include "bytes.hpp"
#include "rtbwire/scan.h"

namespace rtbwire {

inline constexpr std::size_t bucket_count = 8;  // one bit each in the prefilter's byte
inline constexpr std::size_t window_size = 4;   // bytes of a literal's window
inline constexpr std::size_t literal_max = RTBWIRE_LITERAL_MAX;  // text has this much padding
inline constexpr std::size_t patterns_max = RTBWIRE_ENGINE_PATTERNS_MAX;

// One pattern, in lower case. head and mask compare its first eight bytes at once. Its window is
// the part of it that the prefilter looks for.
struct literal {
  u64 head;
  u64 mask;
  const u8* text;
  u32 size;
  u32 index;   // the caller's number for it
  u32 window;  // the offset of the window in text
  u32 suffix;  // 1 + the position of the longest other literal that this one ends in, or 0
};

// One bit for each pattern, by index.
struct pattern_set {
  u64 words[RTBWIRE_MATCHER_PATTERNS_MAX / 64];
};

// The functions of this file are static because kernels use them; vector.hpp says why.
static inline bool has(const pattern_set& set, u32 i) noexcept {
  return (set.words[i / 64] >> i % 64 & 1) != 0;
}
static inline void add(pattern_set& set, u32 i) noexcept { set.words[i / 64] |= u64{1} << i % 64; }
static inline std::size_t word_count(u32 patterns) noexcept { return (patterns + 63) / 64; }
// Clears the words of a set of this many patterns; no others are used.
static inline void clear(pattern_set& set, u32 patterns) noexcept {
  for (std::size_t i = 0; i < word_count(patterns); ++i) set.words[i] = 0;
}

// Literals are listed in a table of slots, by the four bytes of their window.
inline constexpr std::size_t slot_count = 1024;
static inline u32 slot_of(u32 bytes) noexcept { return bytes * 0x9e3779b1u >> 22; }

// The result of a search. Of several matches the leftmost wins, then the lowest index.
inline constexpr std::size_t no_match = SIZE_MAX;
struct found {
  std::size_t at;      // where the first match begins, or no_match
  u32 index;           // its pattern
  std::size_t undone;  // matches that begin before this are all known; the size of text if all are
};
static inline void keep_first(found& so_far, std::size_t at, u32 index) noexcept {
  if (at > so_far.at || (at == so_far.at && index > so_far.index)) return;
  so_far.at = at;
  so_far.index = index;
}

}  // namespace rtbwire

struct rtbwire_engine {
  // Nibble tables: bit b of low[i][x] is set if a literal in bucket b has low nibble x in byte i
  // of its window. A position is a candidate for bucket b if all eight look-ups have the bit.
  alignas(16) rtbwire::u8 low[rtbwire::window_size][16];
  alignas(16) rtbwire::u8 high[rtbwire::window_size][16];
  // Sorted by slot, then by text. The literals of slot s are those from slot_begin[s] to
  // slot_begin[s + 1]; those shorter than a window come last and have no slot.
  const rtbwire::literal* literals;
  rtbwire::u16 slot_begin[rtbwire::slot_count + 1];
  rtbwire::u32 window_last;  // the largest offset of a window in its literal

  // Aho-Corasick, complete (no failure links at run time): next[state << shift | class].
  const rtbwire::u16* next;
  const rtbwire::u16* longest;  // by state: 1 + the longest literal that ends here, or 0
  rtbwire::u8 byte_class[256];
  rtbwire::u32 class_shift;

  rtbwire::u32 layers;
  rtbwire::u32 count;
  rtbwire_kernel kernel;
  bool bare;  // a pattern may match what valid JSON has outside strings

  rtbwire_matcher matcher;  // if its search is set, only the four members before it are used
};

namespace rtbwire {

/// Finds all matches that begin at or after from, by automaton: one step per byte, and one per
/// pattern. Adds them to every, and the first to so_far.
void find_by_automaton(const rtbwire_engine& engine, const u8* text, std::size_t size,
                       std::size_t from, found& so_far, pattern_set& every) noexcept;

}  // namespace rtbwire
