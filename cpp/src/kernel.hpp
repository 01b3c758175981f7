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
#include "layers.hpp"
#include "walk.hpp"

namespace rtbwire {

inline constexpr std::size_t packet_front = 64;
inline constexpr std::size_t packet_back = 64;
inline constexpr std::size_t text_back = 64 + literal_max;  // one vector, and one literal

struct byte_set {
  std::uint8_t has[256];
};

struct decoded {
  std::size_t size;  // of the text, <= size of the packet
  bool bad_escape;   // or half of a surrogate pair
};

#define RTBWIRE_KERNEL(name)                                                                 \
  namespace name {                                                                           \
  /* Packet to text; writes up to text_back bytes behind it. */                              \
  decoded decode(const std::uint8_t* packet, std::size_t size, std::uint8_t* text) noexcept; \
  /* Adds what occurs to every. find_by_automaton() goes on at undone. */                     \
  found find(const rtbwire_engine& engine, const std::uint8_t* text, std::size_t size,       \
             pattern_set& every) noexcept;                                                   \
  /* True: RFC 8259 and UTF-8, escapes aside (decode saw those). False: maybe; ask walk(). */ \
  bool well_formed(const std::uint8_t* packet, std::size_t size,                             \
                   std::uint32_t depth_max) noexcept;                                        \
  /* The first fault of the whole packet. frames has room for depth_max; utf8: it is known to */ \
  /* be UTF-8. */                                                                            \
  walk_fault walk(const std::uint8_t* packet, std::size_t size, frame* frames,               \
                  std::uint32_t depth_max, bool utf8) noexcept;                              \
  /* Walks until the string that holds the raw offset match, and describes it in verdict. */ \
  void locate(const std::uint8_t* packet, std::size_t size, frame* frames,                   \
              std::uint32_t depth_max, std::size_t match, bool utf8,                         \
              rtbwire_verdict* verdict) noexcept;                                            \
  /* Decodes text in place by one step of every layer; no step makes it longer. With        */ \
  /* squeeze on, how says what becomes of white space and comments.                          */ \
  layered apply_layers(std::uint8_t* text, std::size_t size, std::uint32_t layers,             \
                       squeezing how, std::size_t wanted) noexcept;                          \
  /* False: maybe not UTF-8. */                                                              \
  bool utf8(const std::uint8_t* packet, std::size_t size) noexcept;                          \
  }

RTBWIRE_KERNEL(scalar)
RTBWIRE_KERNEL(sse42)
RTBWIRE_KERNEL(avx2)
RTBWIRE_KERNEL(avx512)
RTBWIRE_KERNEL(neon)
#undef RTBWIRE_KERNEL

/// What BEST stands for on this processor; any other kernel is returned as it is.
rtbwire_kernel best_kernel(rtbwire_kernel wanted) noexcept;

}  // namespace rtbwire
