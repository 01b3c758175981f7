// Further decodings. Included by every kernel, like escape-inl.hpp; they differ only in how they skip
// what no layer changes.

// A character that was encoded at p: its code point and the bytes it took; 0 bytes if none.
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

// HTML's names for the characters that patterns consist of; text is in lower case already. By
// first letter. Without a semicolon are those that browsers know without.
struct entity {
  char name[10];
  u8 size, point;
};
constexpr entity entities[] = {
    {"apos;", 5, '\''}, {"amp", 3, '&'}, {"ast;", 4, '*'}, {"bsol;", 5, '\\'}, {"colon;", 6, ':'},
    {"comma;", 6, ','}, {"commat;", 7, '@'}, {"dollar;", 7, '$'}, {"equals;", 7, '='},
    {"excl;", 5, '!'}, {"grave;", 6, '`'}, {"gt", 2, '>'}, {"lbrace;", 7, '{'}, {"lbrack;", 7, '['},
    {"lcub;", 5, '{'}, {"lowbar;", 7, '_'}, {"lpar;", 5, '('}, {"lsqb;", 5, '['}, {"lt", 2, '<'},
    {"newline;", 8, '\n'}, {"num;", 4, '#'}, {"percnt;", 7, '%'}, {"period;", 7, '.'},
    {"plus;", 5, '+'}, {"quest;", 6, '?'}, {"quot", 4, '"'}, {"rbrace;", 7, '}'},
    {"rbrack;", 7, ']'}, {"rcub;", 5, '}'}, {"rpar;", 5, ')'}, {"rsqb;", 5, ']'}, {"semi;", 5, ';'},
    {"sol;", 4, '/'}, {"tab;", 4, '\t'}, {"underbar;", 9, '_'}, {"verbar;", 7, '|'},
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
static_assert(entities_of.begin['z' - 'a' + 1] == entity_count, "entities are not by first letter");

inline coded named_entity(const u8* p, std::size_t room) noexcept {
  if (room < 3 || p[1] < 'a' || p[1] > 'z') return {0, 0};
  const std::size_t letter = p[1] - std::size_t{'a'};
  for (std::size_t i = entities_of.begin[letter]; i < entities_of.begin[letter + 1]; ++i) {
    const entity& e = entities[i];
    if (e.size >= room || __builtin_memcmp(p + 1, e.name, e.size) != 0) continue;
    const bool semicolon = e.name[e.size - 1] == ';';
    return {e.point, 1 + std::size_t{e.size} + (!semicolon && e.size + 1u < room && p[e.size + 1] == ';')};
  }
  return {0, 0};
}

// &#60; and &#x3c; with any number of leading zeros and, as browsers have it, the semicolon
// left out.
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

// U+FF01 to U+FF5E stand for ! to ~.
inline coded fullwidth(const u8* p, std::size_t room) noexcept {
  if (room < 3 || p[1] < 0xbc || p[1] > 0xbd || (p[2] & 0xc0) != 0x80) return {0, 0};
  const unsigned point = 0xf000u | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
  if (point < 0xff01 || point > 0xff5e) return {0, 0};
  return {point - 0xff00 + 0x20, 3};
}

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

inline bool is_blank(u8 c) noexcept { return c <= 0x20 || c == 0x7f; }

// The bytes of the comment at p, or 0; *unclosed is then how far none can end.
inline std::size_t skip_comment(const u8* p, std::size_t room, std::size_t* unclosed) noexcept {
  *unclosed = 0;
  if (room < 4 || p[0] != '/' || p[1] != '*') return 0;
  std::size_t n = 2;
  for (; n + 1 < room && p[n] != 0xff; ++n)  // a comment ends within its string
    if (p[n] == '*' && p[n + 1] == '/') return n + 2;
  *unclosed = n;
  return 0;
}

// Bytes that a layer may begin at: looking for the next one of them does not pay here.
constexpr byte_set make_layer_leads() noexcept {
  byte_set set{};
  for (int c = 0; c <= 0x20; ++c) set.has[c] = 1;
  for (const int c : "%&/\\\x7f\xef") set.has[static_cast<u8>(c)] = 1;
  return set;
}
constexpr byte_set layer_leads = make_layer_leads();

// The bytes of a sign that begins or ends a comment at p, or 0. "/*!50000" begins what MySQL runs.
inline std::size_t comment_sign(const u8* p, std::size_t room) noexcept {
  if (room < 2) return 0;
  if (p[0] == '*' && p[1] == '/') return 2;
  if (p[0] != '/' || p[1] != '*') return 0;
  std::size_t n = 2;
  if (n < room && p[n] == '!')
    do ++n;
    while (n < room && p[n] >= '0' && p[n] <= '9');
  return n;
}

// Skip::unlayered says how many bytes from p on no layer changes, or fewer.
template <class Skip>
layered decode_layers(u8* text, std::size_t size, u32 layers, squeezing how, std::size_t wanted) noexcept {
  std::size_t from = 0, to = 0, origin = size;
  layered done{0, false, false, false, 0};
  const bool drop = how.drop;
  const bool squeeze = (layers & RTBWIRE_LAYER_SQUEEZE) != 0;
  // A comment that does not end in its string would be looked for again at each "/*" of it.
  std::size_t comments_from = 0;
  while (from < size) {
    const std::size_t plain =
        layer_leads.has[text[from]] != 0 ? 0 : Skip::unlayered(text + from, size - from, layers, how);
    if (plain > 0) {
      if (to != from) __builtin_memmove(text + to, text + from, plain);
      if (wanted - to < plain) origin = from + (wanted - to);
      from += plain;
      to += plain;
      if (from == size) break;
      // A space before a comment is squeezed with it. It is plain as long as only its neighbour is seen.
      if (squeeze && !drop && (text[from] == '/' || text[from] == '*') && text[to - 1] == ' ') --from, --to;
    }
    const u8* const p = text + from;
    const std::size_t room = size - from;
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
      done.changed = true;
      continue;
    }
    if (squeeze && (is_blank(*p) || *p == '/' || (how.signs && *p == '*'))) {
      std::size_t n = 0;
      while (n < room) {
        if (is_blank(p[n]) && !(drop && p[n] == ' ')) {
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
      if (n > 0) {
        done.changed |= n > 1 || drop || *p != ' ';
        if (!drop) text[to++] = ' ';
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
