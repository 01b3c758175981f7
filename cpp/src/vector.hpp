// What the vector kernels require of an instruction set.
//
// Each kernel_*.cpp is compiled with its own flags. If the linker merged an inline function of
// two of them, the portable kernel could run instructions that the processor does not have. So
// everything in the headers named *-inl.hpp has internal linkage: it is in an unnamed namespace,
// and the vector type that templates are instantiated with is in one too. For the same reason
// these headers call no function of the standard library. tests/no_global_state.sh checks that
// the object file of a kernel exports its table of functions and nothing else.
#pragma once

#include <concepts>

#include "bytes.hpp"

namespace rtbwire {

/// A vector of V::width bytes, 16, 32 or 64.
///
///   load, store, fill, repeat16     memory and constants
///   eq, below_space                 comparisons; the result has mask(), a bit per byte, and |
///   bit<n>, nonzero_mask, any       bit n of each byte; which bytes are not zero; whether one is
///   fold, set_where                 ASCII letters in lower case; 0xff where a comparison holds
///   low_nibbles, high_nibbles       for shuffle, which looks up 16 bytes at a time
///   sub_sat                         saturating subtraction
///   prefix_xor                      of a word: bit i is the parity of bits 0 to i
///   first_bit                       of a word: the index of its lowest bit; of 0 any index
template <class V>
concept byte_vector = requires(const V v, const u8* from, u8* to, u64 word) {
  requires V::width == 16 || V::width == 32 || V::width == 64;
  { V::load(from) } -> std::same_as<V>;
  { V::fill(0) } -> std::same_as<V>;
  { V::repeat16(from) } -> std::same_as<V>;
  { v.store(to) } -> std::same_as<void>;
  { (v.eq(v) | v.below_space()).mask() } -> std::same_as<u64>;
  { v.template bit<7>() } -> std::same_as<u64>;
  { v.nonzero_mask() } -> std::same_as<u64>;
  { v.any() } -> std::same_as<bool>;
  { v.fold() } -> std::same_as<V>;
  { v.set_where(v.eq(v)) } -> std::same_as<V>;
  { v.low_nibbles() } -> std::same_as<V>;
  { v.high_nibbles() } -> std::same_as<V>;
  { v.shuffle(v) } -> std::same_as<V>;
  { v.sub_sat(v) } -> std::same_as<V>;
  { v& v } -> std::same_as<V>;
  { v | v } -> std::same_as<V>;
  { v ^ v } -> std::same_as<V>;
  { V::prefix_xor(word) } -> std::same_as<u64>;
  { V::first_bit(word) } -> std::same_as<int>;
};

}  // namespace rtbwire
