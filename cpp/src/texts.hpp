// The texts of a packet, and what occurs in them: the plain text first, then one for each stage of
// the further decodings.
#pragma once

#include "kernel.hpp"

namespace rtbwire {

/// A packet, and how its texts are made. text is room for one of them at a time.
struct text_source {
  const rtbwire_engine& engine;
  const kernel_ops& ops;
  const u8* packet;
  std::size_t size;
  u8* text;
  bool strings_only;  // blank what is outside strings; only for a packet that is valid JSON
};

/// The search of one scanner. failed is set when a matcher fails, and stays set.
struct searcher {
  const rtbwire_engine& engine;
  void* scratch;  // the matcher's
  bool failed;
};

struct text_match {
  found match;
  int stage;  // 0 is the plain text
};

/// Makes the plain text and returns its size.
std::size_t plain_text(const text_source& s) noexcept;

/// Finds the first match in the first text that has one, and adds all patterns of that text to
/// every. The plain text, of that size, has been made.
text_match find_first(searcher& search, const text_source& s, std::size_t size,
                      pattern_set& every) noexcept;

/// Adds the patterns of all texts to every.
void find_in_all(searcher& search, const text_source& s, pattern_set& every) noexcept;

/// Returns the offset in the packet at which a match begins.
std::size_t raw_offset(const text_source& s, const text_match& hit) noexcept;

}  // namespace rtbwire
