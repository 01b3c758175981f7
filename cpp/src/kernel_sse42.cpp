// The kernel for x86-64-v2.
#include <immintrin.h>

#include "kernel-inl.hpp"

namespace rtbwire {
namespace {

struct vec {
  static constexpr std::size_t width = 16;
  __m128i v;

  static vec load(const u8* p) noexcept {
    return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(p))};
  }
  static vec fill(int c) noexcept { return {_mm_set1_epi8(static_cast<char>(c))}; }
  static vec repeat16(const u8* p) noexcept { return load(p); }
  void store(u8* p) const noexcept { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v); }
  vec eq(vec o) const noexcept { return {_mm_cmpeq_epi8(v, o.v)}; }
  vec below_space() const noexcept { return {_mm_cmpeq_epi8(_mm_min_epu8(v, fill(0x1f).v), v)}; }
  vec fold() const noexcept {  // signed comparison: a byte above 0x7f is negative
    const __m128i letter =
        _mm_and_si128(_mm_cmpgt_epi8(v, fill('A' - 1).v), _mm_cmpgt_epi8(fill('Z' + 1).v, v));
    return {_mm_or_si128(v, _mm_and_si128(letter, fill(0x20).v))};
  }
  vec low_nibbles() const noexcept { return {_mm_and_si128(v, fill(15).v)}; }
  vec high_nibbles() const noexcept { return {_mm_and_si128(_mm_srli_epi16(v, 4), fill(15).v)}; }
  vec shuffle(vec index) const noexcept { return {_mm_shuffle_epi8(v, index.v)}; }
  vec sub_sat(vec o) const noexcept { return {_mm_subs_epu8(v, o.v)}; }
  vec operator&(vec o) const noexcept { return {_mm_and_si128(v, o.v)}; }
  vec operator|(vec o) const noexcept { return {_mm_or_si128(v, o.v)}; }
  vec operator^(vec o) const noexcept { return {_mm_xor_si128(v, o.v)}; }
  u64 mask() const noexcept { return static_cast<u32>(_mm_movemask_epi8(v)); }
  u64 nonzero_mask() const noexcept {
    return 0xffffu ^ static_cast<u32>(_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_setzero_si128())));
  }
  template <int n>
  u64 bit() const noexcept {
    return static_cast<u32>(_mm_movemask_epi8(_mm_slli_epi16(v, 7 - n)));
  }
  vec set_where(vec lanes) const noexcept { return *this | lanes; }
  static u64 prefix_xor(u64 bits) noexcept {
    for (int shift = 1; shift < 64; shift <<= 1) bits ^= bits << shift;
    return bits;
  }
  static int first_bit(u64 bits) noexcept { return __builtin_ctzll(bits | u64{1} << 63); }
  bool any() const noexcept { return _mm_testz_si128(v, v) == 0; }
};

}  // namespace

const kernel_ops sse42_ops = vector_kernel<vec>();

}  // namespace rtbwire
