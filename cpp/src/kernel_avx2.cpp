// The kernel for x86-64-v3.
#include <immintrin.h>

#include "kernel-inl.hpp"

namespace rtbwire {
namespace {

struct vec {
  static constexpr std::size_t width = 32;
  __m256i v;

  static vec load(const u8* p) noexcept {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
  }
  static vec fill(int c) noexcept { return {_mm256_set1_epi8(static_cast<char>(c))}; }
  static vec repeat16(const u8* p) noexcept {
    return {_mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  void store(u8* p) const noexcept { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
  vec eq(vec o) const noexcept { return {_mm256_cmpeq_epi8(v, o.v)}; }
  vec below_space() const noexcept {
    return {_mm256_cmpeq_epi8(_mm256_min_epu8(v, fill(0x1f).v), v)};
  }
  vec fold() const noexcept {  // signed comparison: a byte above 0x7f is negative
    const __m256i letter = _mm256_and_si256(_mm256_cmpgt_epi8(v, fill('A' - 1).v),
                                            _mm256_cmpgt_epi8(fill('Z' + 1).v, v));
    return {_mm256_or_si256(v, _mm256_and_si256(letter, fill(0x20).v))};
  }
  vec low_nibbles() const noexcept { return {_mm256_and_si256(v, fill(15).v)}; }
  vec high_nibbles() const noexcept {
    return {_mm256_and_si256(_mm256_srli_epi16(v, 4), fill(15).v)};
  }
  vec shuffle(vec index) const noexcept { return {_mm256_shuffle_epi8(v, index.v)}; }
  vec sub_sat(vec o) const noexcept { return {_mm256_subs_epu8(v, o.v)}; }
  vec operator&(vec o) const noexcept { return {_mm256_and_si256(v, o.v)}; }
  vec operator|(vec o) const noexcept { return {_mm256_or_si256(v, o.v)}; }
  vec operator^(vec o) const noexcept { return {_mm256_xor_si256(v, o.v)}; }
  u64 mask() const noexcept { return static_cast<u32>(_mm256_movemask_epi8(v)); }
  u64 nonzero_mask() const noexcept {
    return static_cast<u32>(~_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256())));
  }
  template <int n>
  u64 bit() const noexcept {
    return static_cast<u32>(_mm256_movemask_epi8(_mm256_slli_epi16(v, 7 - n)));
  }
  vec set_where(vec lanes) const noexcept { return *this | lanes; }
  static u64 prefix_xor(u64 bits) noexcept {  // a product with all ones, without carries
    const __m128i product =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, static_cast<long long>(bits)), _mm_set1_epi8(-1), 0);
    return static_cast<u64>(_mm_cvtsi128_si64(product));
  }
  static int first_bit(u64 bits) noexcept { return static_cast<int>(_tzcnt_u64(bits)); }
  bool any() const noexcept { return _mm256_testz_si256(v, v) == 0; }
};

}  // namespace

const kernel_ops avx2_ops = vector_kernel<vec>();

}  // namespace rtbwire
