// The byte work that exists once per instruction set. Kernels are told apart by namespace
// and chosen by a value in the engine, never by a variable of the process.
//
// Packet, here, is the scanner's own copy: packet_front readable bytes before it, at least
// packet_back spaces behind it. Text is what patterns are searched in: the packet with its
// escapes decoded, ASCII letters in lower case, and 0xff, which is in no literal and no
// UTF-8, for each quote that is not escaped. A match therefore never spans two strings, and
// text needs no grammar: broken packets are searched like sound ones.
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine.hpp"

namespace rtbwire {

inline constexpr std::size_t packet_front = 64;
inline constexpr std::size_t packet_back = 64;
inline constexpr std::size_t text_back = 64 + literal_max;  // one vector, and one literal
inline constexpr std::size_t index_back = 72;  // slots a kernel may write past the last token

struct decoded {
  std::size_t size;  // of the text, <= size of the packet
  bool bad_escape;   // or half of a surrogate pair
};

#define RTBWIRE_KERNEL(name)                                                                 \
  namespace name {                                                                           \
  /* Packet to text; writes up to text_back bytes behind it. */                              \
  decoded decode(const std::uint8_t* packet, std::size_t size, std::uint8_t* text) noexcept; \
  /* None, or maybe: find_automaton() goes on. */                                            \
  found find(const rtbwire_engine& engine, const std::uint8_t* text,                         \
             std::size_t size) noexcept;                                                     \
  /* Adds all patterns that occur to every; none, or maybe: find_every_automaton() goes on. */ \
  found find_every(const rtbwire_engine& engine, const std::uint8_t* text,                   \
                   std::size_t size, pattern_set* every) noexcept;                           \
  /* True: RFC 8259 and UTF-8, escapes aside (decode saw those). False: maybe not; ask    */ \
  /* walk(). tokens has room for size + index_back.                                       */ \
  bool well_formed(const std::uint8_t* packet, std::size_t size,                             \
                   std::uint32_t* tokens) noexcept;                                          \
  }

RTBWIRE_KERNEL(scalar)
RTBWIRE_KERNEL(sse42)
RTBWIRE_KERNEL(avx2)
RTBWIRE_KERNEL(neon)
#undef RTBWIRE_KERNEL

/// What BEST stands for on this processor; any other kernel is returned as it is.
rtbwire_kernel best_kernel(rtbwire_kernel wanted) noexcept;

}  // namespace rtbwire
