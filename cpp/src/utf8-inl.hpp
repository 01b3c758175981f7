// UTF-8 by table look-up.
#pragma once

#include "vector.hpp"

namespace rtbwire {
namespace {

// The check of Keiser and Lemire, "Validating UTF-8 in less than one instruction per byte"
// (2021): three look-ups on two adjacent bytes give a bit per kind of fault.
namespace fault {
constexpr u8 too_short = 1 << 0;   // lead byte, then no continuation
constexpr u8 too_long = 1 << 1;    // ASCII, then a continuation
constexpr u8 overlong3 = 1 << 2;   // E0 80..9F
constexpr u8 too_large = 1 << 3;   // F4 90 and above
constexpr u8 surrogate = 1 << 4;   // ED A0 and above
constexpr u8 overlong2 = 1 << 5;   // C0, C1
constexpr u8 too_large4 = 1 << 6;  // F5 and above; with the next, F0 80..8F
constexpr u8 overlong4 = 1 << 6;
constexpr u8 two_conts =
    1 << 7;  // continuation after continuation: valid only if a lead byte asks for it
constexpr u8 carry = too_short | too_long | two_conts;  // whatever the low nibble
}  // namespace fault

struct utf8_tables {
  u8 lead_high[16], lead_low[16], next_high[16];
};

constexpr utf8_tables make_utf8_tables() noexcept {
  using namespace fault;
  utf8_tables t{};
  for (int i = 0; i < 8; ++i) t.lead_high[i] = too_long;
  for (int i = 8; i < 12; ++i) t.lead_high[i] = two_conts;
  t.lead_high[12] = too_short | overlong2;
  t.lead_high[13] = too_short;
  t.lead_high[14] = too_short | overlong3 | surrogate;
  t.lead_high[15] = too_short | too_large | too_large4 | overlong4;

  for (int i = 0; i < 16; ++i)
    t.lead_low[i] = static_cast<u8>(carry | (i >= 4 ? too_large : 0) | (i >= 5 ? too_large4 : 0));
  t.lead_low[0] |= overlong3 | overlong2 | overlong4;
  t.lead_low[1] |= overlong2;
  t.lead_low[13] |= surrogate;

  for (int i = 0; i < 16; ++i) t.next_high[i] = too_short;
  t.next_high[8] = too_long | overlong2 | two_conts | overlong3 | too_large4 | overlong4;
  t.next_high[9] = too_long | overlong2 | two_conts | overlong3 | too_large;
  t.next_high[10] = t.next_high[11] = too_long | overlong2 | two_conts | surrogate | too_large;
  return t;
}

constexpr utf8_tables utf8_rules = make_utf8_tables();

// Reads up to three bytes before the packet. They are spaces, like those after it.
template <byte_vector Vec>
inline bool is_utf8(const u8* packet, std::size_t size) noexcept {
  const Vec lead_high = Vec::repeat16(utf8_rules.lead_high);
  const Vec lead_low = Vec::repeat16(utf8_rules.lead_low);
  const Vec next_high = Vec::repeat16(utf8_rules.next_high);
  Vec wrong = Vec::fill(0);
  // One byte more than the packet, so that the padding ends its last character.
  for (std::size_t i = 0; i <= size; i += Vec::width) {
    const u8* p = packet + i;
    const Vec in = Vec::load(p), prev1 = Vec::load(p - 1);
    const Vec kinds = lead_high.shuffle(prev1.high_nibbles()) &
                      lead_low.shuffle(prev1.low_nibbles()) & next_high.shuffle(in.high_nibbles());
    // The third byte of three and the third and fourth of four must be continuations after
    // continuations, and no other byte may be.
    const Vec third = Vec::load(p - 2).sub_sat(Vec::fill(0xe0 - 0x80));
    const Vec fourth = Vec::load(p - 3).sub_sat(Vec::fill(0xf0 - 0x80));
    wrong = wrong | (((third | fourth) & Vec::fill(0x80)) ^ kinds);
  }
  return !wrong.any();
}

}  // namespace
}  // namespace rtbwire
