// The kernel for processors with AVX-512 F and BW: servers since Skylake and Zen 4.
#include <immintrin.h>

#include "kernel-inl.hpp"

namespace rtbwire {
namespace {

// A comparison gives one bit per byte.
struct bits {
  u64 v;
  u64 mask() const noexcept { return v; }
  bits operator|(bits o) const noexcept { return {v | o.v}; }
};

struct vec {
  static constexpr std::size_t width = 64;
  __m512i v;

  static vec load(const u8* p) noexcept { return {_mm512_loadu_si512(p)}; }
  static vec fill(int c) noexcept { return {_mm512_set1_epi8(static_cast<char>(c))}; }
  static vec repeat16(const u8* p) noexcept {
    // With a mask, because gcc 12 warns that the form without one reads an uninitialised value.
    return {
        _mm512_maskz_broadcast_i32x4(0xffff, _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  void store(u8* p) const noexcept { _mm512_storeu_si512(p, v); }
  bits eq(vec o) const noexcept { return {_mm512_cmpeq_epi8_mask(v, o.v)}; }
  bits below_space() const noexcept { return {_mm512_cmplt_epu8_mask(v, fill(0x20).v)}; }
  vec fold() const noexcept {
    const __mmask64 letter =
        _mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, fill('A').v), _mm512_set1_epi8(26));
    return {_mm512_mask_add_epi8(v, letter, v, fill(0x20).v)};
  }
  vec low_nibbles() const noexcept { return {_mm512_and_si512(v, fill(15).v)}; }
  vec high_nibbles() const noexcept {
    return {_mm512_and_si512(_mm512_srli_epi16(v, 4), fill(15).v)};
  }
  vec shuffle(vec index) const noexcept { return {_mm512_shuffle_epi8(v, index.v)}; }
  vec sub_sat(vec o) const noexcept { return {_mm512_subs_epu8(v, o.v)}; }
  vec operator&(vec o) const noexcept { return {_mm512_and_si512(v, o.v)}; }
  vec operator|(vec o) const noexcept { return {_mm512_or_si512(v, o.v)}; }
  vec operator^(vec o) const noexcept { return {_mm512_xor_si512(v, o.v)}; }
  u64 nonzero_mask() const noexcept { return _mm512_test_epi8_mask(v, v); }
  template <int n>
  u64 bit() const noexcept {
    return _mm512_test_epi8_mask(v, fill(1 << n).v);
  }
  vec set_where(bits lanes) const noexcept {
    return {_mm512_mask_mov_epi8(v, lanes.v, fill(0xff).v)};
  }
  static u64 prefix_xor(u64 word) noexcept {  // a product with all ones, without carries
    const __m128i product =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(word)), _mm_set1_epi8(-1), 0);
    return static_cast<u64>(_mm_cvtsi128_si64(product));
  }
  static int first_bit(u64 word) noexcept { return static_cast<int>(_tzcnt_u64(word)); }
  bool any() const noexcept { return nonzero_mask() != 0; }
};

}  // namespace

const kernel_ops avx512_ops = vector_kernel<vec>();

}  // namespace rtbwire
