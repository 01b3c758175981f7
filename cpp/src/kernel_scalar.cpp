// The portable kernel, and the twin the others are tested against: one byte at a time.
#include "kernel.hpp"

namespace rtbwire::scalar {
namespace {
#include "escape-inl.hpp"
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

found find(const rtbwire_engine&, const std::uint8_t*, std::size_t) noexcept {
  return {found::maybe, 0, 0};  // the automaton does it
}

found find_every(const rtbwire_engine&, const std::uint8_t*, std::size_t, pattern_set*) noexcept {
  return {found::maybe, 0, 0};
}

bool well_formed(const std::uint8_t*, std::size_t, std::uint32_t*) noexcept {
  return false;  // walk() is the scalar kernel
}

}  // namespace rtbwire::scalar
