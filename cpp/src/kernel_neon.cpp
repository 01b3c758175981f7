// The kernel for AArch64, where NEON is part of the base.
#include <arm_neon.h>

#include "kernel-inl.hpp"

namespace rtbwire {
namespace {

struct vec {
  static constexpr std::size_t width = 16;
  uint8x16_t v;

  static vec load(const u8* p) noexcept { return {vld1q_u8(p)}; }
  static vec fill(int c) noexcept { return {vdupq_n_u8(static_cast<u8>(c))}; }
  static vec repeat16(const u8* p) noexcept { return load(p); }
  void store(u8* p) const noexcept { vst1q_u8(p, v); }
  vec eq(vec o) const noexcept { return {vceqq_u8(v, o.v)}; }
  vec below_space() const noexcept { return {vcltq_u8(v, vdupq_n_u8(0x20))}; }
  vec fold() const noexcept {
    const uint8x16_t letter = vcltq_u8(vsubq_u8(v, vdupq_n_u8('A')), vdupq_n_u8(26));
    return {vorrq_u8(v, vandq_u8(letter, vdupq_n_u8(0x20)))};
  }
  vec low_nibbles() const noexcept { return {vandq_u8(v, vdupq_n_u8(15))}; }
  vec high_nibbles() const noexcept { return {vshrq_n_u8(v, 4)}; }
  vec shuffle(vec index) const noexcept { return {vqtbl1q_u8(v, index.v)}; }
  vec sub_sat(vec o) const noexcept { return {vqsubq_u8(v, o.v)}; }
  vec operator&(vec o) const noexcept { return {vandq_u8(v, o.v)}; }
  vec operator|(vec o) const noexcept { return {vorrq_u8(v, o.v)}; }
  vec operator^(vec o) const noexcept { return {veorq_u8(v, o.v)}; }
  u64 mask() const noexcept {
    // Moves the top bit of each byte to the byte's own position and adds up each half.
    static constexpr std::int8_t places[16] = {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7};
    const uint8x16_t bits = vshlq_u8(vshrq_n_u8(v, 7), vld1q_s8(places));
    return vaddv_u8(vget_low_u8(bits)) | static_cast<u64>(vaddv_u8(vget_high_u8(bits))) << 8;
  }
  u64 nonzero_mask() const noexcept { return vec{vtstq_u8(v, v)}.mask(); }
  template <int n>
  u64 bit() const noexcept {
    return vec{vtstq_u8(v, vdupq_n_u8(1 << n))}.mask();
  }
  vec set_where(vec lanes) const noexcept { return *this | lanes; }
  static u64 prefix_xor(u64 bits) noexcept {
    for (int shift = 1; shift < 64; shift <<= 1) bits ^= bits << shift;
    return bits;
  }
  static int first_bit(u64 bits) noexcept { return __builtin_ctzll(bits | u64{1} << 63); }
  bool any() const noexcept { return vmaxvq_u8(v) != 0; }
};

}  // namespace

const kernel_ops neon_ops = vector_kernel<vec>();

}  // namespace rtbwire
