// The steps of compiling patterns to an engine, and what they share.
#pragma once

#include "engine.hpp"
#include "rtbwire/arena.hpp"

namespace rtbwire {

struct pattern_sizes {
  std::size_t bytes;   // of all literals
  std::size_t states;  // at most
  u32 class_shift;
  u8 byte_class[256];  // class 0: bytes that occur in no literal
};

/// The memory of an engine. rtbwire_engine_memory() adds up what take() takes.
struct engine_parts {
  static constexpr std::size_t blocks = 7;

  rtbwire_engine* engine;
  literal* literals;
  u8* text;
  u16* next;
  u16* longest;
  u16* failure;  // used only while compiling
  u16* queue;    // likewise

  bool take(fixed_arena& arena, const pattern_sizes& s, std::size_t count) noexcept {
    return (engine = arena.take<rtbwire_engine>(1)) && (literals = arena.take<literal>(count)) &&
           (text = arena.take<u8>(s.bytes + sizeof(u64))) &&
           (next = arena.take<u16>(s.states << s.class_shift)) &&
           (longest = arena.take<u16>(s.states)) && (failure = arena.take<u16>(s.states)) &&
           (queue = arena.take<u16>(s.states));
  }
};

/// Returns the offset of the four bytes of a literal that are the rarest in text: many words
/// contain "aler", hardly any contains "rt(1".
u32 choose_window(const u8* text, u32 size) noexcept;

/// Sorts literals by slot and text, so that equal literals are neighbours.
void sort_literals(literal* first, std::size_t count) noexcept;

/// Fills the tables of slots and nibbles. Literals are sorted.
void build_prefilter(rtbwire_engine& engine) noexcept;

/// Fills next and longest, and each literal's suffix. Literals are sorted.
void build_automaton(const pattern_sizes& s, std::size_t count, engine_parts& p) noexcept;

}  // namespace rtbwire
