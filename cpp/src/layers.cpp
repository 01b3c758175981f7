#include "layers.hpp"

#include <cstring>

#include "rtbwire/scan.h"

namespace rtbwire {
namespace {

#include "escape-inl.hpp"

using u8 = std::uint8_t;

// A character that was encoded at p: its code point and the bytes it took; 0 bytes if none.
struct coded {
  unsigned point;
  std::size_t size;
};

coded percent(const u8* p, std::size_t room) noexcept {
  if (room < 3) return {0, 0};
  const int high = hex_value(p[1]), low = hex_value(p[2]);
  if ((high | low) < 0) return {0, 0};
  const unsigned byte = static_cast<unsigned>(high << 4 | low);
  return byte < 0x80 ? coded{byte, 3} : coded{0, 0};
}

coded named_entity(const u8* p, std::size_t room) noexcept {
  struct entity {
    const char* name;
    unsigned size, point;
  };
  // HTML's names for the characters that patterns consist of; text is in lower case already.
  constexpr entity entities[] = {{"&lt;", 4, '<'},      {"&gt;", 4, '>'},     {"&amp;", 5, '&'},
                                 {"&quot;", 6, '"'},    {"&apos;", 6, '\''},  {"&lpar;", 6, '('},
                                 {"&rpar;", 6, ')'},    {"&colon;", 7, ':'},  {"&equals;", 8, '='},
                                 {"&sol;", 5, '/'},     {"&tab;", 5, '\t'},   {"&newline;", 9, '\n'}};
  // Texts made of ampersands would have each of them compared with all names.
  if (room < 4 || p[1] < 'a') return {0, 0};
  for (const entity& e : entities)
    if (e.name[1] == static_cast<char>(p[1]) && e.size <= room && std::memcmp(p, e.name, e.size) == 0)
      return {e.point, e.size};
  return {0, 0};
}

// &#60; and &#x3c; with any number of leading zeros and, as browsers have it, the semicolon
// left out.
coded numeric_entity(const u8* p, std::size_t room) noexcept {
  std::size_t n = 2;
  if (room < 3 || p[1] != '#') return {0, 0};
  const bool hex = p[2] == 'x';
  if (hex) ++n;
  unsigned point = 0;
  const std::size_t first = n;
  for (; n < room && n < first + 10; ++n) {
    const int digit = hex_value(p[n]);
    if (digit < 0 || (!hex && digit > 9)) break;
    point = point * (hex ? 16 : 10) + static_cast<unsigned>(digit);
    if (point >= 0x80) return {0, 0};
  }
  if (n == first) return {0, 0};
  if (n < room && p[n] == ';') ++n;
  return {point, n};
}

// U+FF01 to U+FF5E stand for ! to ~.
coded fullwidth(const u8* p, std::size_t room) noexcept {
  if (room < 3 || p[1] < 0xbc || p[1] > 0xbd || (p[2] & 0xc0) != 0x80) return {0, 0};
  const unsigned point = 0xf000u | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
  if (point < 0xff01 || point > 0xff5e) return {0, 0};
  return {point - 0xff00 + 0x20, 3};
}

coded twice(const u8* p, std::size_t room) noexcept {
  if (room >= 6 && p[1] == 'u') {
    const int unit = hex4(p + 2);
    if (unit >= 0 && unit < 0x80) return {static_cast<unsigned>(unit), 6};
  }
  if (room >= 4 && p[1] == 'x') {
    const int high = hex_value(p[2]), low = hex_value(p[3]);
    if ((high | low) >= 0 && high < 8) return {static_cast<unsigned>(high << 4 | low), 4};
  }
  if (room >= 2 && (p[1] == '/' || p[1] == '"' || p[1] == '\'')) return {p[1], 2};
  return {0, 0};
}

bool is_space(u8 c) noexcept { return c <= 0x20 || c == 0x7f; }

std::size_t skip_comment(const u8* p, std::size_t room) noexcept {
  if (room < 4 || p[0] != '/' || p[1] != '*') return 0;
  for (std::size_t n = 2; n + 1 < room; ++n) {
    if (p[n] == 0xff) return 0;  // a comment ends within its string
    if (p[n] == '*' && p[n + 1] == '/') return n + 2;
  }
  return 0;
}

}  // namespace

layered apply_layers(u8* text, std::size_t size, std::uint32_t layers, bool drop,
                     std::size_t wanted) noexcept {
  std::size_t from = 0, to = 0, origin = size;
  bool changed = false;
  const bool squeeze = (layers & RTBWIRE_LAYER_SQUEEZE) != 0;
  // A comment that does not end in its string would be looked for again at each "/*" of it.
  bool comments = true;
  while (from < size) {
    const u8* p = text + from;
    const std::size_t room = size - from;
    if (*p == 0xff) comments = true;
    coded c{0, 0};
    if (*p == '%' && (layers & RTBWIRE_LAYER_PERCENT)) c = percent(p, room);
    else if (*p == '&' && (layers & RTBWIRE_LAYER_ENTITY)) {
      c = numeric_entity(p, room);
      if (c.size == 0) c = named_entity(p, room);
    } else if (*p == 0xef && (layers & RTBWIRE_LAYER_FULLWIDTH)) c = fullwidth(p, room);
    else if (*p == '\\' && (layers & RTBWIRE_LAYER_TWICE)) c = twice(p, room);
    if (to == wanted) origin = from;
    if (c.size != 0) {
      (void)put_utf8(text + to, c.point);
      ++to;
      from += c.size;
      changed = true;
      continue;
    }
    if (squeeze && (is_space(*p) || *p == '/')) {
      std::size_t n = 0;
      while (n < room) {
        if (is_space(p[n]) && !(drop && p[n] == ' ')) { ++n; continue; }
        const std::size_t comment = comments ? skip_comment(p + n, room - n) : 0;
        if (comment == 0) {
          if (p[n] == '/' && n + 1 < room && p[n + 1] == '*') comments = false;
          break;
        }
        n += comment;
      }
      if (n > 0) {
        changed |= n > 1 || drop || *p != ' ';
        if (!drop) text[to++] = ' ';
        from += n;
        continue;
      }
    }
    text[to++] = *p;
    ++from;
  }
  return {to, changed, origin};
}

}  // namespace rtbwire
