// The kernel for x86-64-v3. Compiled with its own flags: nothing but kernel.hpp's functions
// may leave this file (see escape-inl.hpp).
#include <immintrin.h>

#include "kernel.hpp"

namespace rtbwire::avx2 {
namespace {

struct vec {
  static constexpr std::size_t width = 32;
  __m256i v;

  static vec load(const std::uint8_t* p) noexcept {
    return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p))};
  }
  static vec fill(int c) noexcept { return {_mm256_set1_epi8(static_cast<char>(c))}; }
  static vec repeat16(const std::uint8_t* p) noexcept {
    return {_mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)))};
  }
  void store(std::uint8_t* p) const noexcept {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v);
  }
  vec eq(vec o) const noexcept { return {_mm256_cmpeq_epi8(v, o.v)}; }
  vec below_space() const noexcept { return {_mm256_cmpeq_epi8(_mm256_min_epu8(v, fill(0x1f).v), v)}; }
  vec fold() const noexcept {  // signed comparison: bytes above 0x7f are negative, never letters
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
  std::uint64_t mask() const noexcept {
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(v));
  }
  std::uint64_t nonzero_mask() const noexcept {
    return static_cast<std::uint32_t>(~_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_setzero_si256())));
  }
  bool any() const noexcept { return _mm256_testz_si256(v, v) == 0; }
};

#include "kernel-inl.hpp"

}  // namespace

decoded decode(const std::uint8_t* packet, std::size_t size, std::uint8_t* text) noexcept {
  return decode_text(packet, size, text);
}

found find(const rtbwire_engine& engine, const std::uint8_t* text, std::size_t size) noexcept {
  return find_literal(engine, text, size, nullptr);
}

found find_every(const rtbwire_engine& engine, const std::uint8_t* text, std::size_t size,
                 pattern_set* every) noexcept {
  return find_literal(engine, text, size, every);
}

bool well_formed(const std::uint8_t* packet, std::size_t size, std::uint32_t* tokens) noexcept {
  return packet_well_formed(packet, size, tokens);
}

}  // namespace rtbwire::avx2
