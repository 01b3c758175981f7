// Encodings of ASCII characters that attackers use inside strings: percent, HTML entities,
// fullwidth forms, and escapes inside escapes.
#pragma once

#include "escape-inl.hpp"
#include "rtbwire/scan.h"

namespace rtbwire {
namespace {

// An encoded ASCII character: its code point, and how many bytes encode it, or 0.
struct coded {
  unsigned point;
  std::size_t size;
};

inline coded percent(const u8* p, std::size_t room) noexcept {
  if (room < 3) return {0, 0};
  const int high = hex_value(p[1]), low = hex_value(p[2]);
  if ((high | low) < 0) return {0, 0};
  const unsigned byte = static_cast<unsigned>(high << 4 | low);
  return byte < 0x80 ? coded{byte, 3} : coded{0, 0};
}

// HTML names of the characters that patterns consist of, sorted by first letter. The text is in
// lower case already. Names without a semicolon are those that browsers accept without one.
struct entity {
  char name[10];
  u8 size, point;
};
constexpr entity entities[] = {
    {"apos;", 5, '\''},  {"amp", 3, '&'},     {"ast;", 4, '*'},      {"bsol;", 5, '\\'},
    {"colon;", 6, ':'},  {"comma;", 6, ','},  {"commat;", 7, '@'},   {"dollar;", 7, '$'},
    {"equals;", 7, '='}, {"excl;", 5, '!'},   {"grave;", 6, '`'},    {"gt", 2, '>'},
    {"lbrace;", 7, '{'}, {"lbrack;", 7, '['}, {"lcub;", 5, '{'},     {"lowbar;", 7, '_'},
    {"lpar;", 5, '('},   {"lsqb;", 5, '['},   {"lt", 2, '<'},        {"newline;", 8, '\n'},
    {"num;", 4, '#'},    {"percnt;", 7, '%'}, {"period;", 7, '.'},   {"plus;", 5, '+'},
    {"quest;", 6, '?'},  {"quot", 4, '"'},    {"rbrace;", 7, '}'},   {"rbrack;", 7, ']'},
    {"rcub;", 5, '}'},   {"rpar;", 5, ')'},   {"rsqb;", 5, ']'},     {"semi;", 5, ';'},
    {"sol;", 4, '/'},    {"tab;", 4, '\t'},   {"underbar;", 9, '_'}, {"verbar;", 7, '|'},
    {"vert;", 5, '|'},
};
constexpr std::size_t entity_count = sizeof entities / sizeof *entities;

struct entity_index {
  u8 begin['z' - 'a' + 2];
};
constexpr entity_index make_entity_index() noexcept {
  entity_index index{};
  std::size_t next = 0;
  for (int letter = 'a'; letter <= 'z' + 1; ++letter) {
    index.begin[letter - 'a'] = static_cast<u8>(next);
    while (next < entity_count && entities[next].name[0] == letter) ++next;
  }
  return index;
}
constexpr entity_index entities_of = make_entity_index();
static_assert(entities_of.begin['z' - 'a' + 1] == entity_count,
              "entities are not sorted by first letter");

inline coded named_entity(const u8* p, std::size_t room) noexcept {
  if (room < 3 || p[1] < 'a' || p[1] > 'z') return {0, 0};
  const std::size_t letter = p[1] - std::size_t{'a'};
  for (std::size_t i = entities_of.begin[letter]; i < entities_of.begin[letter + 1]; ++i) {
    const entity& e = entities[i];
    if (e.size >= room || __builtin_memcmp(p + 1, e.name, e.size) != 0) continue;
    const bool semicolon = e.name[e.size - 1] == ';';
    return {e.point,
            1 + std::size_t{e.size} + (!semicolon && e.size + 1u < room && p[e.size + 1] == ';')};
  }
  return {0, 0};
}

// &#60; and &#x3c; with any number of leading zeros. As in browsers, the semicolon is optional.
inline coded numeric_entity(const u8* p, std::size_t room) noexcept {
  std::size_t n = 2;
  if (room < 3 || p[1] != '#') return {0, 0};
  const bool hex = p[2] == 'x';
  if (hex) ++n;
  unsigned point = 0;
  const std::size_t first = n;
  while (n < room && p[n] == '0') ++n;
  for (; n < room; ++n) {
    const int digit = hex_value(p[n]);
    if (digit < 0 || (!hex && digit > 9)) break;
    point = point * (hex ? 16 : 10) + static_cast<unsigned>(digit);
    if (point >= 0x80) return {0, 0};
  }
  if (n == first) return {0, 0};
  if (n < room && p[n] == ';') ++n;
  return {point, n};
}

// U+FF01 to U+FF5E are the fullwidth forms of ! to ~.
inline coded fullwidth(const u8* p, std::size_t room) noexcept {
  if (room < 3 || p[1] < 0xbc || p[1] > 0xbd || (p[2] & 0xc0) != 0x80) return {0, 0};
  const unsigned point = 0xf000u | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
  if (point < 0xff01 || point > 0xff5e) return {0, 0};
  return {point - 0xff00 + 0x20, 3};
}

// Escapes that JSON decoding left: \\u003c, \\x3c, \\/, and quotes after a backslash.
inline coded twice(const u8* p, std::size_t room) noexcept {
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

// Decodes the character at p by the layers that are on.
inline coded decode_character(const u8* p, std::size_t room, u32 layers) noexcept {
  switch (*p) {
    case '%': return (layers & RTBWIRE_LAYER_PERCENT) != 0 ? percent(p, room) : coded{0, 0};
    case '&': {
      if ((layers & RTBWIRE_LAYER_ENTITY) == 0) return {0, 0};
      const coded c = numeric_entity(p, room);
      return c.size != 0 ? c : named_entity(p, room);
    }
    case 0xef: return (layers & RTBWIRE_LAYER_FULLWIDTH) != 0 ? fullwidth(p, room) : coded{0, 0};
    case '\\': return (layers & RTBWIRE_LAYER_TWICE) != 0 ? twice(p, room) : coded{0, 0};
    default: return {0, 0};
  }
}

}  // namespace
}  // namespace rtbwire
