// One step of the further decodings, in place.
#pragma once

#include "bytes.hpp"
#include "encodings-inl.hpp"
#include "escape-inl.hpp"
#include "layers.hpp"
#include "rtbwire/scan.h"

namespace rtbwire {
namespace {

inline bool is_blank(u8 c) noexcept { return c <= 0x20 || c == 0x7f; }

// Returns the size of the comment at p, or 0; then no comment can end within *unclosed bytes.
inline std::size_t skip_comment(const u8* p, std::size_t room, std::size_t* unclosed) noexcept {
  *unclosed = 0;
  if (room < 4 || p[0] != '/' || p[1] != '*') return 0;
  std::size_t n = 2;
  for (; n + 1 < room && p[n] != 0xff; ++n)  // a comment ends within its string
    if (p[n] == '*' && p[n + 1] == '/') return n + 2;
  *unclosed = n;
  return 0;
}

// Returns the size of a sign that begins or ends a comment at p, or 0. "/*!50000" begins a
// comment that MySQL executes.
inline std::size_t comment_sign(const u8* p, std::size_t room) noexcept {
  if (room < 2) return 0;
  if (p[0] == '*' && p[1] == '/') return 2;
  if (p[0] != '/' || p[1] != '*') return 0;
  std::size_t n = 2;
  if (n < room && p[n] == '!') do
      ++n;
    while (n < room && p[n] >= '0' && p[n] <= '9');
  return n;
}

// Returns the size of the run of white space and comments at text + from. An unclosed comment
// would be searched for its end again at each "/*" in it, so comments_from skips those.
inline std::size_t blank_run(const u8* text, std::size_t from, std::size_t size, squeezing how,
                             std::size_t& comments_from, layered& done) noexcept {
  const u8* const p = text + from;
  const std::size_t room = size - from;
  std::size_t n = 0;
  while (n < room) {
    if (is_blank(p[n]) && !(how.drop && p[n] == ' ')) {
      done.droppable |= p[n] != ' ';
      ++n;
      continue;
    }
    if (how.signs) {
      const std::size_t sign = comment_sign(p + n, room - n);
      if (sign == 0) break;
      n += sign;
      continue;
    }
    done.commented |= p[n] == '/' && n + 1 < room && p[n + 1] == '*';
    if (from + n < comments_from) break;
    std::size_t unclosed = 0;
    const std::size_t comment = skip_comment(p + n, room - n, &unclosed);
    if (comment == 0) {
      if (unclosed != 0) comments_from = from + n + unclosed;
      break;
    }
    done.droppable = true;
    n += comment;
  }
  return n;
}

// Bytes at which a layer may begin. At these a vector would find nothing to skip.
constexpr byte_set make_layer_leads() noexcept {
  byte_set set{};
  for (int c = 0; c <= 0x20; ++c) set.has[c] = 1;
  for (const int c : "%&/\\\x7f\xef") set.has[static_cast<u8>(c)] = 1;
  return set;
}
constexpr byte_set layer_leads = make_layer_leads();

// Skip::unlayered(p, size, layers, how) returns how many bytes from p on no layer changes, or
// fewer.
template <class Skip>
layered decode_layers(u8* text, std::size_t size, u32 layers, squeezing how,
                      std::size_t wanted) noexcept {
  std::size_t from = 0, to = 0, origin = size;
  layered done{0, false, false, false, 0};
  const bool squeeze = (layers & RTBWIRE_LAYER_SQUEEZE) != 0;
  std::size_t comments_from = 0;
  while (from < size) {
    const std::size_t plain = layer_leads.has[text[from]] != 0
                                  ? 0
                                  : Skip::unlayered(text + from, size - from, layers, how);
    if (plain > 0) {
      if (to != from) __builtin_memmove(text + to, text + from, plain);
      if (wanted - to < plain) origin = from + (wanted - to);
      from += plain;
      to += plain;
      if (from == size) break;
      // A space before a comment belongs to the run, but unlayered() looks at one byte more only.
      const bool sign = text[from] == '/' || text[from] == '*';
      if (squeeze && !how.drop && sign && text[to - 1] == ' ') --from, --to;
    }
    const u8* const p = text + from;
    if (to == wanted) origin = from;
    if (const coded c = decode_character(p, size - from, layers); c.size != 0) {
      (void)put_utf8(text + to, c.point);
      ++to;
      from += c.size;
      done.changed = true;
      continue;
    }
    if (squeeze && (is_blank(*p) || *p == '/' || (how.signs && *p == '*'))) {
      const std::size_t n = blank_run(text, from, size, how, comments_from, done);
      if (n > 0) {
        done.changed |= n > 1 || how.drop || *p != ' ';
        if (!how.drop) text[to++] = ' ';
        from += n;
        continue;
      }
    }
    text[to++] = *p;
    ++from;
  }
  done.size = to;
  done.origin = origin;
  return done;
}

}  // namespace
}  // namespace rtbwire
