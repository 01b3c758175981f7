// The vector kernel, written once and compiled per instruction set. The including file is in
// the kernel's namespace and has defined, in an unnamed one, struct vec: W bytes, with
//
//   load, store, fill, repeat16     memory and constants
//   eq, below_space, equal_table    comparisons, as lanes; lanes have mask() and |
//   bit<n>, nonzero_mask, any       bits of bytes as one word, bytes that are not zero
//   fold, set_where                 ASCII letters in lower case; 0xff where the lanes say
//   low_nibbles, high_nibbles, shuffle, sub_sat, & | ^
//   prefix_xor                      of a word: bit i is the parity of bits 0 to i
//   first_bit                       of a word: the number of zeros before it; of 0 any number

namespace {

#include "escape-inl.hpp"

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

constexpr std::size_t W = vec::width;

inline int trailing_zeros(u64 bits) noexcept { return __builtin_ctzll(bits); }  // not of 0

// Writes the places of bits, n at a time, where more are rare: how many there are can not be
// predicted. Up to n are written behind the last, and never read.
template <int n>
inline u16* put_places(u16* out, u64 bits, std::size_t base) noexcept {
  u16* const end = out + __builtin_popcountll(bits);
  do {
    for (int i = 0; i < n; ++i) {
      out[i] = static_cast<u16>(base + static_cast<std::size_t>(vec::first_bit(bits)));
      bits &= bits - 1;
    }
    out += n;
  } while (out < end);
  return end;
}

#include "decode-inl.hpp"
#include "search-inl.hpp"
#include "utf8-inl.hpp"
#include "grammar-inl.hpp"
#include "layers-inl.hpp"
#include "walk-inl.hpp"

struct skip {
  // Up to the first quote, backslash, control character or, where asked for, byte above 0x7f.
  static std::size_t plain(const u8* p, bool only_ascii) noexcept {
    const vec in = vec::load(p);
    u64 stop = (in.eq(vec::fill('"')) | in.eq(vec::fill('\\')) | in.below_space()).mask();
    if (only_ascii) stop |= in.template bit<7>();
    return stop != 0 ? static_cast<std::size_t>(trailing_zeros(stop)) : W;
  }

  static std::size_t unlayered(const u8* p, std::size_t size, u32 layers, squeezing how) noexcept {
    const auto lead = [layers](u32 layer, int byte) noexcept {
      return vec::fill((layers & layer) != 0 ? byte : 0xfe);  // which no UTF-8 has, and no quote became
    };
    const vec percent = lead(RTBWIRE_LAYER_PERCENT, '%'), entity = lead(RTBWIRE_LAYER_ENTITY, '&');
    const vec wide = lead(RTBWIRE_LAYER_FULLWIDTH, 0xef), slash = lead(RTBWIRE_LAYER_TWICE, '\\');
    const bool squeeze = (layers & RTBWIRE_LAYER_SQUEEZE) != 0;
    for (std::size_t n = 0; n < size; n += W) {
      const vec in = vec::load(p + n), next = vec::load(p + n + 1);
      u64 stop = (in.eq(percent) | in.eq(entity) | in.eq(wide) | in.eq(slash)).mask();
      if (squeeze) {
        const u64 space = in.eq(vec::fill(' ')).mask(), slash_star = in.eq(vec::fill('/')).mask() & next.eq(vec::fill('*')).mask();
        const u64 control = (in.below_space() | in.eq(vec::fill(0x7f))).mask();
        stop |= control | slash_star;
        if (how.signs) stop |= in.eq(vec::fill('*')).mask() & next.eq(vec::fill('/')).mask();
        if (!how.drop) stop |= space & (next.below_space() | next.eq(vec::fill(' ')) | next.eq(vec::fill(0x7f))).mask();
      }
      if (stop == 0) continue;
      n += static_cast<std::size_t>(trailing_zeros(stop));
      return n < size ? n : size;
    }
    return size;
  }
};

}  // namespace

decoded decode(const std::uint8_t* packet, std::size_t size, std::uint8_t* text) noexcept {
  return decode_text(packet, size, text);
}

found find(const rtbwire_engine& engine, const std::uint8_t* text, std::size_t size,
           pattern_set& every) noexcept {
  return find_literals(engine, text, size, every);
}

bool well_formed(const std::uint8_t* packet, std::size_t size, std::uint32_t depth_max) noexcept {
  return check_grammar(packet, size, depth_max);
}

bool utf8(const std::uint8_t* packet, std::size_t size) noexcept { return utf8_sound(packet, size); }

#include "reference-inl.hpp"
