// Compiles patterns.
#include "engine.hpp"

#include <cstring>

#include "compile.hpp"
#include "kernel.hpp"
#include "rtbwire/arena.hpp"

namespace rtbwire {
namespace {

constexpr std::size_t states_max = UINT16_MAX;

u8 fold(u8 c) noexcept { return c >= 'A' && c <= 'Z' ? c | 0x20 : c; }

// A literal is ASCII, so that folding ASCII letters is all that matching without case needs. It
// may contain a quote: in text, 0x22 is a quote that was escaped (see kernel.hpp).
bool usable(const rtbwire_pattern& pattern, std::size_t* size) noexcept {
  if (pattern.literal == nullptr) return false;
  std::size_t n = 0;
  for (; pattern.literal[n] != '\0'; ++n)
    if (n == literal_max || static_cast<u8>(pattern.literal[n]) >= 0x80) return false;
  *size = n;
  return n > 0;
}

bool measure(const rtbwire_pattern* patterns, std::size_t count, pattern_sizes* out) noexcept {
  if (patterns == nullptr || count == 0 || count > patterns_max) return false;
  std::memset(out, 0, sizeof *out);
  u32 classes = 1;
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t n = 0;
    if (!usable(patterns[i], &n)) return false;
    out->bytes += n;
    for (std::size_t k = 0; k < n; ++k) {
      u8& c = out->byte_class[fold(static_cast<u8>(patterns[i].literal[k]))];
      if (c == 0) c = static_cast<u8>(classes++);
    }
  }
  out->states = out->bytes + 1;
  while ((1u << out->class_shift) < classes) ++out->class_shift;
  return out->states <= states_max;
}

void build_literals(const rtbwire_pattern* patterns, std::size_t count, engine_parts& p) noexcept {
  u8* at = p.text;
  for (std::size_t i = 0; i < count; ++i) {
    literal& lit = p.literals[i];
    lit = {0, 0, at, 0, static_cast<u32>(i), 0, 0};
    for (const char* c = patterns[i].literal; *c != '\0'; ++c) {
      *at++ = fold(static_cast<u8>(*c));
      ++lit.size;
    }
    u8 head[8] = {}, mask[8] = {};
    for (u32 k = 0; k < lit.size && k < 8; ++k) {
      head[k] = lit.text[k];
      mask[k] = 0xff;
    }
    std::memcpy(&lit.head, head, 8);
    std::memcpy(&lit.mask, mask, 8);
    lit.window = choose_window(lit.text, lit.size);
  }
  std::memset(at, 0, sizeof(u64));
  sort_literals(p.literals, count);
}

// Reports whether a literal consists of bytes that JSON has outside strings: structure, white
// space, numbers, true, false and null.
bool occurs_bare(const literal& lit) noexcept {
  constexpr char bare[] = "{}[]:, \t\r\n+-.0123456789truefalsn";
  for (u32 i = 0; i < lit.size; ++i)
    if (std::memchr(bare, lit.text[i], sizeof bare - 1) == nullptr) return false;
  return true;
}

}  // namespace
}  // namespace rtbwire

using namespace rtbwire;

size_t rtbwire_engine_memory(const rtbwire_pattern* patterns, size_t count) {
  pattern_sizes s;
  if (!measure(patterns, count, &s)) return 0;
  // The parts of engine_parts, and the most that aligning each can cost.
  return sizeof(rtbwire_engine) + count * sizeof(literal) + s.bytes + sizeof(u64) +
         (s.states << s.class_shift) * sizeof(u16) + s.states * 3 * sizeof(u16) +
         engine_parts::blocks * alignof(rtbwire_engine);
}

rtbwire_status rtbwire_engine_init(void* memory, size_t size, const rtbwire_pattern* patterns,
                                   size_t count, const rtbwire_engine_options* options,
                                   const rtbwire_engine** out) {
  if (out == nullptr) return RTBWIRE_BAD_ARGUMENT;
  *out = nullptr;
  if (memory == nullptr || patterns == nullptr) return RTBWIRE_BAD_ARGUMENT;
  const rtbwire_engine_options wanted = options != nullptr ? *options : rtbwire_engine_options{};
  if ((wanted.layers & ~static_cast<u32>(RTBWIRE_LAYER_ALL)) != 0) return RTBWIRE_BAD_ARGUMENT;
  if (!rtbwire_kernel_usable(wanted.kernel)) return RTBWIRE_NO_KERNEL;
  pattern_sizes s;
  if (!measure(patterns, count, &s)) return RTBWIRE_BAD_PATTERN;

  fixed_arena arena{memory, size};
  engine_parts p{};
  if (!p.take(arena, s, count)) return RTBWIRE_NO_ROOM;
  build_literals(patterns, count, p);
  build_automaton(s, count, p);
  rtbwire_engine& engine = *p.engine;
  std::memset(&engine, 0, sizeof engine);
  engine.literals = p.literals;
  engine.next = p.next;
  engine.longest = p.longest;
  std::memcpy(engine.byte_class, s.byte_class, sizeof s.byte_class);
  engine.class_shift = s.class_shift;
  engine.layers = wanted.layers;
  engine.count = static_cast<u32>(count);
  for (std::size_t i = 0; i < count; ++i) engine.bare |= occurs_bare(p.literals[i]);
  engine.kernel = best_kernel(wanted.kernel);
  build_prefilter(engine);
  *out = &engine;
  return RTBWIRE_OK;
}

size_t rtbwire_matcher_engine_memory(void) {
  return sizeof(rtbwire_engine) + alignof(rtbwire_engine);
}

rtbwire_status rtbwire_matcher_engine_init(void* memory, size_t size,
                                           const rtbwire_matcher* matcher,
                                           const rtbwire_engine_options* options,
                                           const rtbwire_engine** out) {
  if (out == nullptr) return RTBWIRE_BAD_ARGUMENT;
  *out = nullptr;
  if (memory == nullptr || matcher == nullptr || matcher->search == nullptr)
    return RTBWIRE_BAD_ARGUMENT;
  const rtbwire_engine_options wanted = options != nullptr ? *options : rtbwire_engine_options{};
  if ((wanted.layers & ~static_cast<u32>(RTBWIRE_LAYER_ALL)) != 0) return RTBWIRE_BAD_ARGUMENT;
  if (matcher->pattern_count == 0 || matcher->pattern_count > RTBWIRE_MATCHER_PATTERNS_MAX)
    return RTBWIRE_BAD_PATTERN;
  if (!rtbwire_kernel_usable(wanted.kernel)) return RTBWIRE_NO_KERNEL;
  fixed_arena arena{memory, size};
  rtbwire_engine* const engine = arena.take<rtbwire_engine>(1);
  if (engine == nullptr) return RTBWIRE_NO_ROOM;
  std::memset(engine, 0, sizeof *engine);
  engine->layers = wanted.layers;
  engine->count = matcher->pattern_count;
  engine->bare = true;
  engine->kernel = best_kernel(wanted.kernel);  // for everything but the search
  engine->matcher = *matcher;
  *out = engine;
  return RTBWIRE_OK;
}

rtbwire_kernel rtbwire_engine_kernel(const rtbwire_engine* engine) { return engine->kernel; }
