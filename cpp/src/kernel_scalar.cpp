// The portable kernel, one byte at a time. The vector kernels are tested against it.
#include "escape-inl.hpp"
#include "kernel.hpp"
#include "layers-inl.hpp"
#include "walk-inl.hpp"

namespace rtbwire {
namespace {

struct no_skip {
  static std::size_t plain(const u8*, bool) noexcept { return 0; }
  static std::size_t unlayered(const u8*, std::size_t, u32, squeezing) noexcept { return 0; }
};

decoded decode_text(const u8* packet, std::size_t size, u8* text) noexcept {
  const u8* p = packet;
  const u8* const end = packet + size;
  u8* out = text;
  bool bad = false;
  while (p < end) {
    const u8 c = *p;
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

// The automaton searches all of the text, and walk() checks all of the packet.
found find_nothing(const rtbwire_engine&, const u8*, std::size_t, pattern_set&) noexcept {
  return {no_match, 0, 0};
}
bool never_well_formed(const u8*, std::size_t, u32) noexcept { return false; }
bool never_utf8(const u8*, std::size_t) noexcept { return false; }

}  // namespace

const kernel_ops scalar_ops = {decode_text,   find_nothing,    never_well_formed,     never_utf8,
                               walk<no_skip>, locate<no_skip>, decode_layers<no_skip>};

}  // namespace rtbwire
