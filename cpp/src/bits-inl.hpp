// Bits of words, and the positions that they mean.
#pragma once

#include "vector.hpp"

namespace rtbwire {
namespace {

inline int trailing_zeros(u64 bits) noexcept { return __builtin_ctzll(bits); }  // not of 0

// Writes the positions of the set bits, n at a time, and returns the end of the list. The number
// of bits is not predictable, so a loop that ends after each bit would mispredict; more than n
// are rare. Up to n values after the end are written and never read.
template <byte_vector Vec, int n>
inline u16* put_places(u16* out, u64 bits, std::size_t base) noexcept {
  u16* const end = out + __builtin_popcountll(bits);
  do {
    for (int i = 0; i < n; ++i) {
      out[i] = static_cast<u16>(base + static_cast<std::size_t>(Vec::first_bit(bits)));
      bits &= bits - 1;
    }
    out += n;
  } while (out < end);
  return end;
}

}  // namespace
}  // namespace rtbwire
