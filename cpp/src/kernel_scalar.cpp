// The portable kernel, and the twin the others are tested against: one byte at a time.
#include "kernel.hpp"

namespace rtbwire::scalar {
namespace {

using u8 = std::uint8_t;
using u32 = std::uint32_t;

#include "escape-inl.hpp"
#include "layers-inl.hpp"
#include "walk-inl.hpp"

struct skip {
  static std::size_t plain(const u8*, bool) noexcept { return 0; }
  static std::size_t unlayered(const u8*, std::size_t, u32, squeezing) noexcept { return 0; }
};

}  // namespace

decoded decode(const std::uint8_t* packet, std::size_t size, std::uint8_t* text) noexcept {
  const std::uint8_t* p = packet;
  const std::uint8_t* const end = packet + size;
  std::uint8_t* out = text;
  bool bad = false;
  while (p < end) {
    const std::uint8_t c = *p;
    if (c == '\\') {
      bad |= !decode_escape(p, out);
      continue;
    }
    if (c == '"') *out++ = 0xff;
    else *out++ = c >= 'A' && c <= 'Z' ? c | 0x20 : c;
    ++p;
  }
  return {static_cast<std::size_t>(out - text), bad};
}

found find(const rtbwire_engine&, const std::uint8_t*, std::size_t, pattern_set&) noexcept {
  return {no_match, 0, 0};  // the automaton does it
}

bool well_formed(const std::uint8_t*, std::size_t, std::uint32_t) noexcept {
  return false;  // walk() does it
}

bool utf8(const std::uint8_t*, std::size_t) noexcept { return false; }

#include "reference-inl.hpp"

}  // namespace rtbwire::scalar
