// The byte work that is compiled once per instruction set.
//
// Two terms are used throughout src/. The packet is the scanner's own copy, with packet_front
// readable bytes before it and at least packet_back spaces after it. The text is what patterns
// are searched in: the packet with its escapes decoded, ASCII letters in lower case, and 0xff for
// each quote that is not escaped. 0xff occurs in no literal and in no valid UTF-8, so a match
// never spans two strings, and the text needs no grammar: a malformed packet is searched like a
// valid one.
#pragma once

#include "bytes.hpp"
#include "engine.hpp"
#include "layers.hpp"
#include "walk.hpp"

namespace rtbwire {

inline constexpr std::size_t packet_front = 64;
inline constexpr std::size_t packet_back = 64;
inline constexpr std::size_t text_back = 64 + literal_max;  // one vector, and one literal

struct decoded {
  std::size_t size;  // of the text; at most the size of the packet
  bool bad_escape;   // an invalid escape, or half of a surrogate pair
};

/// The functions of one kernel.
struct kernel_ops {
  /// Writes the text of a packet, and up to text_back bytes after it.
  decoded (*decode)(const u8* packet, std::size_t size, u8* text) noexcept;

  /// Adds the patterns that occur in text to every. The caller continues with
  /// find_by_automaton() at the result's undone.
  found (*find)(const rtbwire_engine& engine, const u8* text, std::size_t size,
                pattern_set& every) noexcept;

  /// Returns true if the packet is valid JSON in UTF-8, except for its escapes, which decode()
  /// has checked. False means "not known": walk() decides.
  bool (*well_formed)(const u8* packet, std::size_t size, u32 depth_max) noexcept;

  /// Returns true if the packet is valid UTF-8. False means "not known".
  bool (*utf8)(const u8* packet, std::size_t size) noexcept;

  /// Returns the first fault of the packet. frames has room for depth_max; is_utf8 says that
  /// the packet is known to be UTF-8.
  walk_fault (*walk)(const u8* packet, std::size_t size, frame* frames, u32 depth_max,
                     bool is_utf8) noexcept;

  /// Walks to the string that contains the raw offset match and describes it in verdict.
  void (*locate)(const u8* packet, std::size_t size, frame* frames, u32 depth_max,
                 std::size_t match, bool is_utf8, rtbwire_verdict* verdict) noexcept;

  /// Applies one step of every layer to text in place. A step never makes text longer.
  layered (*apply_layers)(u8* text, std::size_t size, u32 layers, squeezing how,
                          std::size_t wanted) noexcept;
};

extern const kernel_ops scalar_ops;
extern const kernel_ops sse42_ops;
extern const kernel_ops avx2_ops;
extern const kernel_ops avx512_ops;
extern const kernel_ops neon_ops;

/// Returns the functions of a kernel that this processor can run.
const kernel_ops& ops_of(rtbwire_kernel kernel) noexcept;

/// Resolves BEST for this processor; returns any other kernel unchanged.
rtbwire_kernel best_kernel(rtbwire_kernel wanted) noexcept;

}  // namespace rtbwire
