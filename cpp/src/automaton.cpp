// The Aho-Corasick automaton.
#include <cstring>

#include "compile.hpp"

namespace rtbwire {
namespace {

// Returns the lowest index of the literals at text + at.
u32 lowest_index(const rtbwire_engine& engine, const u8* text, std::size_t size,
                 std::size_t at) noexcept {
  u64 head;
  std::memcpy(&head, text + at, sizeof head);
  u32 best = UINT32_MAX;
  for (u32 i = 0; i < engine.count; ++i) {
    const literal& lit = engine.literals[i];
    if ((head & lit.mask) == lit.head && lit.index < best && lit.size <= size - at &&
        std::memcmp(text + at, lit.text, lit.size) == 0)
      best = lit.index;
  }
  return best;
}

}  // namespace

void build_automaton(const pattern_sizes& s, std::size_t count, engine_parts& p) noexcept {
  const u32 shift = s.class_shift;
  const std::size_t width = std::size_t{1} << shift;
  std::memset(p.next, 0, (s.states << shift) * sizeof(u16));
  std::memset(p.longest, 0, s.states * sizeof(u16));
  u16 states = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const literal& lit = p.literals[i];
    u16 state = 0;
    for (u32 k = 0; k < lit.size; ++k) {
      u16& to = p.next[(std::size_t{state} << shift) | s.byte_class[lit.text[k]]];
      if (to == 0) to = states++;
      state = to;
    }
    // The first of several equal literals represents all of them; they are neighbours.
    if (p.longest[state] == 0) p.longest[state] = static_cast<u16>(i + 1);
  }
  // Breadth first, so that the failure link of a state is known before its children need it.
  std::size_t head = 0, tail = 0;
  for (std::size_t c = 0; c < width; ++c) {
    const u16 to = p.next[c];
    if (to == 0) continue;
    p.failure[to] = 0;
    p.queue[tail++] = to;
  }
  while (head < tail) {
    const u16 state = p.queue[head++];
    const u16 fail = p.failure[state];
    u16& longest = p.longest[state];
    if (longest == 0) longest = p.longest[fail];
    else p.literals[longest - 1].suffix = p.longest[fail];
    for (std::size_t c = 0; c < width; ++c) {
      u16& to = p.next[(std::size_t{state} << shift) | c];
      const u16 other = p.next[(std::size_t{fail} << shift) | c];
      if (to == 0) {
        to = other;
      } else {
        p.failure[to] = other;
        p.queue[tail++] = to;
      }
    }
  }
}

void find_by_automaton(const rtbwire_engine& engine, const u8* text, std::size_t size,
                       std::size_t from, found& so_far, pattern_set& every) noexcept {
  const u32 shift = engine.class_shift;
  pattern_set seen;
  clear(seen, engine.count);
  u16 state = 0;
  std::size_t first = no_match;
  for (std::size_t i = from; i < size; ++i) {
    state = engine.next[(std::size_t{state} << shift) | engine.byte_class[text[i]]];
    u32 place = engine.longest[state];
    if (place == 0) continue;
    const std::size_t begin = i + 1 - engine.literals[place - 1].size;
    if (begin < first) first = begin;
    // The literals that a literal ends in are added with it, so each is visited only once.
    while (place != 0) {
      const literal& lit = engine.literals[place - 1];
      if (has(seen, lit.index)) break;
      for (u32 k = place - 1; k < engine.count; ++k) {
        const literal& equal = engine.literals[k];
        if (equal.size != lit.size || std::memcmp(equal.text, lit.text, lit.size) != 0) break;
        add(seen, equal.index);
      }
      place = lit.suffix;
    }
  }
  if (first == no_match) return;
  keep_first(so_far, first, lowest_index(engine, text, size, first));
  for (std::size_t i = 0; i < word_count(engine.count); ++i) every.words[i] |= seen.words[i];
}

}  // namespace rtbwire
