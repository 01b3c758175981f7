// What patterns are compiled into: tables for the vector prefilter, literals to confirm its
// candidates, and an Aho-Corasick automaton whose cost no input can raise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rtbwire/scan.h"

namespace rtbwire {

inline constexpr std::size_t bucket_count = 8;      // one bit each in the prefilter's byte
inline constexpr std::size_t fingerprint_size = 4;  // bytes of a literal the prefilter looks at: its window
inline constexpr std::size_t literal_max = RTBWIRE_LITERAL_MAX;  // text buffers are padded by as much
inline constexpr std::size_t patterns_max = RTBWIRE_ENGINE_PATTERNS_MAX;  // of the built-in search: its tables and its time to compile

// One pattern, folded to lower case. head and mask compare its first eight bytes at once.
struct literal {
  std::uint64_t head;
  std::uint64_t mask;
  const std::uint8_t* text;
  std::uint32_t size;
  std::uint32_t index;  // the caller's number for it
  std::uint32_t window; // where in it the window begins
  std::uint32_t suffix; // 1 + the place of the longest other literal that this one ends in, or 0
};

// One bit for each pattern, by index.
struct pattern_set {
  std::uint64_t words[RTBWIRE_MATCHER_PATTERNS_MAX / 64];
};

// Static, like all functions here: kernels with instructions of their own include this file,
// and the linker must not merge their copies (see escape-inl.hpp).
static inline bool has(const pattern_set& set, std::uint32_t i) noexcept {
  return (set.words[i / 64] >> i % 64 & 1) != 0;
}
static inline void add(pattern_set& set, std::uint32_t i) noexcept {
  set.words[i / 64] |= std::uint64_t{1} << i % 64;
}
static inline std::size_t word_count(std::uint32_t patterns) noexcept { return (patterns + 63) / 64; }
// Of a set of so many patterns; only those words of it are ever looked at.
static inline void clear(pattern_set& set, std::uint32_t patterns) noexcept {
  for (std::size_t i = 0; i < word_count(patterns); ++i) set.words[i] = 0;
}

// Where literals with these four bytes in their window are listed.
inline constexpr std::size_t slot_count = 1024;
static inline std::uint32_t slot_of(std::uint32_t bytes) noexcept {
  return bytes * 0x9e3779b1u >> 22;
}

// What a search knows. Among matches the leftmost wins, then the lowest index.
inline constexpr std::size_t no_match = SIZE_MAX;
struct found {
  std::size_t at;       // where the first match begins, or no_match
  std::uint32_t index;  // its pattern's
  std::size_t undone;   // of matches that begin here or later only some are known; the text's size if all are
};
static inline void keep_first(found& so_far, std::size_t at, std::uint32_t index) noexcept {
  if (at > so_far.at || (at == so_far.at && index > so_far.index)) return;
  so_far.at = at;
  so_far.index = index;
}

}  // namespace rtbwire

struct rtbwire_engine {
  // Nibble tables: bit b of low[i][x] is set when a literal in bucket b has low nibble x in
  // byte i of its window. A position is a candidate for bucket b if all eight look-ups have
  // the bit.
  alignas(16) std::uint8_t low[rtbwire::fingerprint_size][16];
  alignas(16) std::uint8_t high[rtbwire::fingerprint_size][16];
  // Sorted by slot, then text. Literals of slot s are those from slot_begin[s] to
  // slot_begin[s + 1]; those of fewer than four bytes come last and are in no slot.
  const rtbwire::literal* literals;
  std::uint16_t slot_begin[rtbwire::slot_count + 1];
  std::uint32_t literal_longest;
  std::uint32_t window_last;  // the furthest that a window begins in its literal

  // Aho-Corasick, complete (no failure links at run time): next[state << shift | class].
  const std::uint16_t* next;
  const std::uint16_t* longest;  // by state: 1 + the place of the longest literal that ends here, or 0
  std::uint8_t byte_class[256];
  std::uint32_t class_shift;

  std::uint32_t layers;
  std::uint32_t count;
  rtbwire_kernel kernel;
  bool bare;  // a pattern may match what stands between the strings of sound JSON

  rtbwire_matcher matcher;  // where its search is set, all of the above but the last four is unused
};

namespace rtbwire {

/// All matches that begin at or after from, by automaton: one step a byte, and one a pattern.
/// Adds them to every, and the first to so_far.
void find_by_automaton(const rtbwire_engine& engine, const std::uint8_t* text, std::size_t size,
                       std::size_t from, found& so_far, pattern_set& every) noexcept;

}  // namespace rtbwire
