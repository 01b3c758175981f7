// JSON Pointer (RFC 6901) of a place in a packet.
#pragma once

#include "bytes.hpp"
#include "walk.hpp"

namespace rtbwire {
namespace {

// Writes the pointer to the value or key that depth frames lead to. Keys are copied with their
// escapes, so a pointer needs no room for decoding; only ~ and / are replaced.
inline void write_pointer(const u8* packet, const frame* frames, u32 depth,
                          rtbwire_verdict* verdict) noexcept {
  u32 used = 0;
  bool cut = false;
  const auto put = [&](char c) noexcept {
    if (used < RTBWIRE_POINTER_MAX) verdict->pointer[used++] = c;
    else cut = true;
  };
  const auto put_index = [&](u32 index) noexcept {
    char text[10];
    int n = 0;
    do text[n++] = static_cast<char>('0' + index % 10);
    while ((index /= 10) != 0);
    while (n > 0) put(text[--n]);
  };
  const auto put_escaped = [&](u8 c) noexcept {
    if (c == '~' || c == '/') {
      put('~');
      put(c == '~' ? '0' : '1');
    } else {
      put(static_cast<char>(c));
    }
  };
  for (u32 i = 0; i < depth && !cut; ++i) {
    const frame& f = frames[i];
    put('/');
    if (f.key_begin == frame::array) put_index(f.key_end);
    else
      for (u32 k = f.key_begin; k < f.key_end && !cut; ++k) put_escaped(packet[k]);
  }
  verdict->pointer[used] = '\0';
  verdict->pointer_known = 1;
  verdict->pointer_truncated = cut;
}

}  // namespace
}  // namespace rtbwire
