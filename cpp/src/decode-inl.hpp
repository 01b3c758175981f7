// Packet to text, by vectors. Included by kernel-inl.hpp.

inline decoded decode_text(const u8* packet, std::size_t size, u8* text) noexcept {
  const u8* p = packet;
  const u8* const end = packet + size;
  u8* out = text;
  bool bad = false;
  const vec quote = vec::fill('"'), slash = vec::fill('\\');
  while (p < end) {
    // May read and write past the end by less than one vector: both sides are padded.
    const vec in = vec::load(p);
    const u64 slashes = in.eq(slash).mask();
    in.fold().set_where(in.eq(quote)).store(out);
    if (slashes == 0) {
      p += W;
      out += W;
      continue;
    }
    const int skip = trailing_zeros(slashes);
    p += skip;
    out += skip;
    if (p >= end) break;
    bad |= !decode_escape(p, out);
  }
  // The last vector took padding along.
  if (p > end) out -= p - end;
  return {static_cast<std::size_t>(out - text), bad};
}
