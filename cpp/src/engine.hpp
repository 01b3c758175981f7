// What patterns are compiled into: tables for the vector prefilter, literals to confirm its
// candidates, and an Aho-Corasick automaton whose cost no input can raise.
#pragma once

#include <cstddef>
#include <cstdint>

#include "rtbwire/scan.h"

namespace rtbwire {

inline constexpr std::size_t bucket_count = 8;      // one bit each in the prefilter's byte
inline constexpr std::size_t fingerprint_size = 4;  // bytes of a literal the prefilter looks at
inline constexpr std::size_t literal_max = 64;      // text buffers are padded by as much

// One pattern, folded to lower case. head and mask compare its first eight bytes at once.
struct literal {
  std::uint64_t head;
  std::uint64_t mask;
  const std::uint8_t* text;
  std::uint32_t size;
  std::uint32_t index;  // the caller's number for it
};

// What a search answers. Among matches the leftmost wins, then the lowest index.
struct found {
  enum kind_type : std::uint32_t { none, match, over_budget };
  kind_type kind;
  std::uint32_t index;
  std::size_t at;
};

}  // namespace rtbwire

struct rtbwire_engine {
  // Nibble tables: bit b of low[i][x] is set when a literal in bucket b has low nibble x in
  // byte i. A position is a candidate for bucket b if all eight look-ups have the bit.
  alignas(16) std::uint8_t low[rtbwire::fingerprint_size][16];
  alignas(16) std::uint8_t high[rtbwire::fingerprint_size][16];
  const rtbwire::literal* literals;  // by bucket
  std::uint32_t bucket_begin[rtbwire::bucket_count + 1];
  std::uint32_t literal_longest;

  // Aho-Corasick, complete (no failure links at run time): next[state << shift | class].
  const std::uint16_t* next;
  const std::uint8_t* match_size;  // by state: the longest literal that ends here, or 0
  std::uint8_t byte_class[256];
  std::uint32_t class_shift;

  std::uint32_t layers;
  std::uint32_t count;
  rtbwire_kernel kernel;
};

namespace rtbwire {

/// The first match at or after from, by automaton: at most one step a byte.
found find_automaton(const rtbwire_engine& engine, const std::uint8_t* text, std::size_t size,
                     std::size_t from) noexcept;

}  // namespace rtbwire
