// Decoding of one JSON escape (RFC 8259 section 7).
#pragma once

#include "bytes.hpp"

namespace rtbwire {
namespace {

inline int hex_value(u8 c) noexcept {
  const unsigned digit = c - unsigned{'0'};
  const unsigned letter = (c | 0x20u) - unsigned{'a'};
  if (digit < 10) return static_cast<int>(digit);
  return letter < 6 ? static_cast<int>(letter + 10) : -1;
}

// Returns the value of four hex digits, or -1. The spaces after the packet are not digits, so
// nothing is read across its end.
inline int hex4(const u8* p) noexcept {
  const int a = hex_value(p[0]), b = hex_value(p[1]), c = hex_value(p[2]), d = hex_value(p[3]);
  if ((a | b | c | d) < 0) return -1;
  return a << 12 | b << 8 | c << 4 | d;
}

// Appends code point c in UTF-8, ASCII letters in lower case.
inline u8* put_utf8(u8* out, unsigned c) noexcept {
  if (c < 0x80) {
    *out++ = static_cast<u8>(c >= 'A' && c <= 'Z' ? c | 0x20 : c);
  } else if (c < 0x800) {
    *out++ = static_cast<u8>(0xc0 | c >> 6);
    *out++ = static_cast<u8>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    *out++ = static_cast<u8>(0xe0 | c >> 12);
    *out++ = static_cast<u8>(0x80 | (c >> 6 & 0x3f));
    *out++ = static_cast<u8>(0x80 | (c & 0x3f));
  } else {
    *out++ = static_cast<u8>(0xf0 | c >> 18);
    *out++ = static_cast<u8>(0x80 | (c >> 12 & 0x3f));
    *out++ = static_cast<u8>(0x80 | (c >> 6 & 0x3f));
    *out++ = static_cast<u8>(0x80 | (c & 0x3f));
  }
  return out;
}

// Decodes the escape at p. Both pointers advance past what was read and written; what is written
// is never longer. Returns false for an invalid escape, which stays a backslash so that the bytes
// after it are read as text, and for half of a surrogate pair, which becomes U+FFFD.
inline bool decode_escape(const u8*& p, u8*& out) noexcept {
  u8 c = 0;
  switch (p[1]) {
    case '"': c = '"'; break;
    case '\\': c = '\\'; break;
    case '/': c = '/'; break;
    case 'b': c = '\b'; break;
    case 'f': c = '\f'; break;
    case 'n': c = '\n'; break;
    case 'r': c = '\r'; break;
    case 't': c = '\t'; break;
    case 'u': {
      const int unit = hex4(p + 2);
      if (unit < 0) break;
      p += 6;
      if (unit < 0xd800 || unit > 0xdfff) {
        out = put_utf8(out, static_cast<unsigned>(unit));
        return true;
      }
      if (unit < 0xdc00 && p[0] == '\\' && p[1] == 'u') {
        const int low = hex4(p + 2);
        if (low >= 0xdc00 && low <= 0xdfff) {
          p += 6;
          out = put_utf8(out, 0x10000u + (static_cast<unsigned>(unit - 0xd800) << 10) +
                                  static_cast<unsigned>(low - 0xdc00));
          return true;
        }
      }
      out = put_utf8(out, 0xfffd);
      return false;
    }
    default: break;
  }
  if (c == 0) {
    *out++ = '\\';
    ++p;
    return false;
  }
  *out++ = c;
  p += 2;
  return true;
}

}  // namespace
}  // namespace rtbwire
