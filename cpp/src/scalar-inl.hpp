// Numbers (RFC 8259 section 6), true, false and null (section 3).
#pragma once

#include "bits-inl.hpp"
#include "block-inl.hpp"

namespace rtbwire {
namespace {

inline bool is_space(u8 c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr byte_set make_scalar_ends() noexcept {
  byte_set set{};
  constexpr char ends[] = ",}] \t\n\r";
  for (const char* c = ends; *c != '\0'; ++c) set.has[static_cast<u8>(*c)] = 1;
  return set;
}
constexpr byte_set ends_scalar = make_scalar_ends();

// Checks byte by byte a number that is too long for a vector.
inline bool is_long_number(const u8* p) noexcept {
  const auto digits = [&]() noexcept {
    const u8* const begin = p;
    while (static_cast<unsigned>(*p - '0') < 10) ++p;
    return p != begin;
  };
  p += *p == '-';
  if (*p == '0') ++p;
  else if (!digits()) return false;
  if (*p == '.' && (++p, !digits())) return false;
  if ((*p | 0x20) == 'e') {
    ++p;
    p += *p == '+' || *p == '-';
    if (!digits()) return false;
  }
  return ends_scalar.has[*p] != 0;
}

// Returns 1 for true, false or null.
inline u64 is_word(const u8* p) noexcept {
  const auto is = [&](const char* text) noexcept {
    u32 a, b;
    __builtin_memcpy(&a, p, 4);
    __builtin_memcpy(&b, text, 4);
    return static_cast<u64>(a == b);
  };
  const u64 five = is("fals") & static_cast<u64>(p[4] == 'e');
  return (is("true") | is("null") | five) & ends_scalar.has[p[4 + five]];
}

// Returns 0 for a number, true, false or null. Which of them it is and what a number consists of
// are not predictable, so there are no branches: bytes become bits, and each bit is checked
// against its neighbours.
template <byte_vector Vec>
inline u64 scalar_fault(const classifier<Vec>& classify, const u8* p) noexcept {
  const Vec in = Vec::load(p);
  const Vec kind = classify.kinds(in, in.low_nibbles());
  u64 digit = kind.template bit<is_digit>(), sign = kind.template bit<is_sign>();
  u64 point = kind.template bit<is_point>(),
      exponent = (in | Vec::fill(0x20)).eq(Vec::fill('e')).mask();
  const u64 all = digit | sign | point | exponent;
  if (all == ~u64{0} >> (64 - Vec::width)) return is_long_number(p) ? 0 : 1;
  const int length = trailing_zeros(~all);
  const u64 number = (u64{1} << length) - 1;
  digit &= number;
  sign &= number;
  point &= number;
  exponent &= number;
  const u64 minus = *p == '-', zero = p[minus] == '0';

  u64 wrong = (digit >> minus & 1) ^ 1;  // a number begins with a digit, perhaps after a minus
  wrong |= digit >> 1 >> minus & zero;   // and a leading 0 is not followed by a digit
  wrong |= sign & ~(exponent << 1 | minus);
  wrong |= (sign | point) << 1 & ~digit;
  wrong |= (point | exponent) >> 1 & ~digit;
  wrong |= exponent << 1 & ~(digit | sign);
  wrong |= (point & (point - 1)) | (exponent & (exponent - 1));
  wrong |= point & (0 - exponent) & ~exponent;  // no point after the exponent
  wrong |= u64{ends_scalar.has[p[length]]} ^ 1;
  return wrong & (is_word(p) - 1);
}

}  // namespace
}  // namespace rtbwire
