// Organised: the search of one text, the stages, offsets.
#include "texts.hpp"

#include <cstring>

#include "escape-inl.hpp"

namespace rtbwire {
namespace {

// What a matcher reports. Matchers are third-party code, so the numbers are checked.
struct reports {
  found first;
  pattern_set& every;
  std::size_t size;
  u32 count;
  bool valid;

  static void add_one(void* self, u32 pattern, std::size_t begin) noexcept {
    reports& r = *static_cast<reports*>(self);
    if (pattern >= r.count || begin >= r.size) {
      r.valid = false;
      return;
    }
    add(r.every, pattern);
    keep_first(r.first, begin, pattern);
  }
};

found find_by_matcher(searcher& s, const u8* text, std::size_t size, pattern_set& every) noexcept {
  const rtbwire_matcher& matcher = s.engine.matcher;
  reports r{{no_match, 0, size}, every, size, s.engine.count, true};
  const int error = matcher.search(matcher.context, s.scratch, text, size, reports::add_one, &r);
  if (error != 0 || !r.valid) s.failed = true;
  return r.first;
}

// Finds the first match in a text, and adds all patterns that occur in it to every.
found find(searcher& search, const text_source& s, std::size_t size, pattern_set& every) noexcept {
  if (s.engine.matcher.search != nullptr) return find_by_matcher(search, s.text, size, every);
  std::memset(s.text + size, 0xff, literal_max);  // vectors read past the end
  found match = s.ops.find(s.engine, s.text, size, every);
  if (match.undone < size) find_by_automaton(s.engine, s.text, size, match.undone, match, every);
  return match;
}

// ---- stages ----

// The first three stages apply one more step of every layer to the text before them. All others
// start from the third. They replace white space, control characters and comments by one space
// ("union/**/select") or remove them ("java\tscript:"), and then do the same with the signs of
// comments only, because what looks like a comment may not be one, or may be executed.
constexpr int stage_decoded = 3, stage_squeezed = 4, stage_dropped = 5, stage_signs_squeezed = 6,
              stage_signs_dropped = 7;

constexpr squeezing squeezing_of(int stage) noexcept {
  return {stage == stage_dropped || stage == stage_signs_dropped, stage >= stage_signs_squeezed};
}

layered apply_stage(const text_source& s, std::size_t size, int stage,
                    std::size_t wanted) noexcept {
  constexpr u32 squeeze = RTBWIRE_LAYER_SQUEEZE;
  const u32 layers =
      stage <= stage_decoded ? s.engine.layers & ~squeeze : s.engine.layers & squeeze;
  return s.ops.apply_layers(s.text, size, layers, squeezing_of(stage), wanted);
}

// Makes the text that a stage starts from.
std::size_t rebuild(const text_source& s, int stage) noexcept {
  std::size_t n = plain_text(s);
  for (int k = 1; k < stage && k <= stage_decoded; ++k) n = apply_stage(s, n, k, SIZE_MAX).size;
  return n;
}

// Calls look(size, stage) for the plain text, which has been made, and for the text of each
// further stage that changes something, until look returns true.
template <class Look>
void each_text(const text_source& s, std::size_t size, const Look& look) noexcept {
  if (look(size, 0) || s.engine.layers == 0) return;
  bool changed = true;
  for (int stage = 1; stage <= stage_decoded && changed; ++stage) {
    const layered step = apply_stage(s, size, stage, SIZE_MAX);
    size = step.size;
    changed = step.changed;
    if (changed && look(size, stage)) return;
  }
  if ((s.engine.layers & RTBWIRE_LAYER_SQUEEZE) == 0) return;
  const layered squeezed = apply_stage(s, size, stage_squeezed, SIZE_MAX);
  if (squeezed.changed && look(squeezed.size, stage_squeezed)) return;
  for (int stage = stage_dropped; stage <= stage_signs_dropped; ++stage) {
    if (!(stage == stage_dropped ? squeezed.droppable : squeezed.commented)) continue;
    const layered step = apply_stage(s, rebuild(s, stage), stage, SIZE_MAX);
    if (step.changed && look(step.size, stage)) return;
  }
}

// ---- offsets ----

// Undoes the stages one by one, and returns where in the plain text a match begins.
std::size_t plain_position(const text_source& s, const text_match& hit) noexcept {
  std::size_t position = hit.match.at;
  for (int stage = hit.stage; stage > 0; stage = stage > stage_decoded ? stage_decoded : stage - 1)
    position = apply_stage(s, rebuild(s, stage), stage, position).origin;
  return position;
}

// Returns the offset of the byte or escape that became text[position]. Overwrites text.
std::size_t packet_position(const text_source& s, std::size_t position) noexcept {
  const u8* p = s.packet;
  const u8* const end = p + s.size;
  u8* out = s.text;
  for (;;) {
    // Up to the next backslash, each byte became one byte.
    const void* const slash = std::memchr(p, '\\', static_cast<std::size_t>(end - p));
    const u8* const stop = slash != nullptr ? static_cast<const u8*>(slash) : end;
    const std::size_t plain = static_cast<std::size_t>(stop - p);
    const std::size_t left = position - static_cast<std::size_t>(out - s.text);
    if (left < plain) return static_cast<std::size_t>(p - s.packet) + left;
    if (slash == nullptr) return s.size;
    p += plain;
    out += plain;
    (void)decode_escape(p, out);
    if (static_cast<std::size_t>(out - s.text) > position)
      return static_cast<std::size_t>(stop - s.packet);
  }
}

}  // namespace

std::size_t plain_text(const text_source& s) noexcept {
  const std::size_t n = s.ops.decode(s.packet, s.size, s.text).size;
  bool inside = false;
  for (std::size_t i = 0; s.strings_only && i < n; ++i) {
    if (s.text[i] == 0xff) inside = !inside;
    else if (!inside) s.text[i] = 0xff;
  }
  return n;
}

text_match find_first(searcher& search, const text_source& s, std::size_t size,
                      pattern_set& every) noexcept {
  text_match first{};
  each_text(s, size, [&](std::size_t n, int stage) noexcept {
    first = {find(search, s, n, every), stage};
    return first.match.at != no_match;
  });
  return first;
}

void find_in_all(searcher& search, const text_source& s, pattern_set& every) noexcept {
  each_text(s, plain_text(s), [&](std::size_t n, int) noexcept {
    (void)find(search, s, n, every);
    return false;
  });
}

std::size_t raw_offset(const text_source& s, const text_match& hit) noexcept {
  return packet_position(s, plain_position(s, hit));
}

}  // namespace rtbwire
