// How the vector kernels skip bytes that need no work.
#pragma once

#include "bits-inl.hpp"
#include "layers.hpp"
#include "rtbwire/scan.h"
#include "vector.hpp"

namespace rtbwire {
namespace {

template <byte_vector Vec>
struct vector_skip {
  // Up to the first quote, backslash, control character or, with only_ascii, byte above 0x7f.
  static std::size_t plain(const u8* p, bool only_ascii) noexcept {
    const Vec in = Vec::load(p);
    u64 stop = (in.eq(Vec::fill('"')) | in.eq(Vec::fill('\\')) | in.below_space()).mask();
    if (only_ascii) stop |= in.template bit<7>();
    return stop != 0 ? static_cast<std::size_t>(trailing_zeros(stop)) : Vec::width;
  }

  static std::size_t unlayered(const u8* p, std::size_t size, u32 layers, squeezing how) noexcept {
    // A layer that is off stops at 0xfe, which is harmless and does not occur in UTF-8.
    const auto lead = [layers](u32 layer, int byte) noexcept {
      return Vec::fill((layers & layer) != 0 ? byte : 0xfe);
    };
    const Vec percent = lead(RTBWIRE_LAYER_PERCENT, '%');
    const Vec entity = lead(RTBWIRE_LAYER_ENTITY, '&');
    const Vec wide = lead(RTBWIRE_LAYER_FULLWIDTH, 0xef);
    const Vec slash = lead(RTBWIRE_LAYER_TWICE, '\\');
    const bool squeeze = (layers & RTBWIRE_LAYER_SQUEEZE) != 0;
    for (std::size_t n = 0; n < size; n += Vec::width) {
      const Vec in = Vec::load(p + n), next = Vec::load(p + n + 1);
      u64 stop = (in.eq(percent) | in.eq(entity) | in.eq(wide) | in.eq(slash)).mask();
      if (squeeze) stop |= squeezable(in, next, how);
      if (stop == 0) continue;
      n += static_cast<std::size_t>(trailing_zeros(stop));
      return n < size ? n : size;
    }
    return size;
  }

 private:
  // Where a run of white space or a comment may begin. next holds the byte after each of in.
  static u64 squeezable(Vec in, Vec next, squeezing how) noexcept {
    const auto is = [](Vec v, int byte) noexcept { return v.eq(Vec::fill(byte)); };
    const u64 control = (in.below_space() | is(in, 0x7f)).mask();
    u64 stop = control | (is(in, '/').mask() & is(next, '*').mask());
    if (how.signs) stop |= is(in, '*').mask() & is(next, '/').mask();
    if (!how.drop)
      stop |= is(in, ' ').mask() & (next.below_space() | is(next, ' ') | is(next, 0x7f)).mask();
    return stop;
  }
};

}  // namespace
}  // namespace rtbwire
