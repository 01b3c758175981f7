// Packet to text, one vector at a time.
#pragma once

#include "bits-inl.hpp"
#include "escape-inl.hpp"
#include "kernel.hpp"
#include "vector.hpp"

namespace rtbwire {
namespace {

template <byte_vector Vec>
inline decoded decode_text(const u8* packet, std::size_t size, u8* text) noexcept {
  const u8* p = packet;
  const u8* const end = packet + size;
  u8* out = text;
  bool bad = false;
  const Vec quote = Vec::fill('"'), slash = Vec::fill('\\');
  while (p < end) {
    // May read and write past the end by less than one vector: both buffers are padded.
    const Vec in = Vec::load(p);
    const u64 slashes = in.eq(slash).mask();
    in.fold().set_where(in.eq(quote)).store(out);
    if (slashes == 0) {
      p += Vec::width;
      out += Vec::width;
      continue;
    }
    const int skip = trailing_zeros(slashes);
    p += skip;
    out += skip;
    if (p >= end) break;
    bad |= !decode_escape(p, out);
  }
  // The last vector also copied padding.
  if (p > end) out -= p - end;
  return {static_cast<std::size_t>(out - text), bad};
}

}  // namespace
}  // namespace rtbwire
