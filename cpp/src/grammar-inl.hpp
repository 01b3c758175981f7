// RFC 8259 for a whole document, 64 bytes at a time, as arithmetic on bit masks.
//
// The grammar of JSON is almost regular: whether a token is allowed depends on the token before
// it, and both are bits in masks, so one operation checks all tokens of a block. Only two
// questions depend on nesting: which bracket closes which, and whether the container is an
// object, where a key follows each comma, or an array. So only the brackets are processed one by
// one, without branches, and they leave a mask of the bytes that are in objects.
#pragma once

#include "block-inl.hpp"
#include "scalar-inl.hpp"
#include "utf8-inl.hpp"
#include "vector.hpp"

namespace rtbwire {
namespace {

// Blocks that are checked together. One loop goes through the brackets of all of them and one
// through the scalars: a loop per block would mispredict its end once per block.
constexpr std::size_t chunk_blocks = 16, chunk = 64 * chunk_blocks;

// What the tokens of a chunk leave to check.
struct pending {
  u64 in_object[chunk_blocks];    // bytes that must be in an object
  u64 in_array[chunk_blocks];     // bytes that must be in an array
  u64 toggles[chunk_blocks + 1];  // bytes where an object replaces an array, or the reverse
  u16 brackets[chunk + 4];
  u16 scalars[chunk + 4];
};

template <byte_vector Vec>
class tokens final {
 public:
  // Checks one block, at position place of its chunk. Adds brackets and scalars at *brackets and
  // *scalars.
  void check(const block& b, std::size_t place, pending& todo, u16** brackets,
             u16** scalars) noexcept {
    const u64 quote = b.quote & ~escaped_bytes(b.slash, &escape_carry_);
    const u64 inside =
        Vec::prefix_xor(quote) ^ in_string_;  // opening quote to before the closing one
    in_string_ = static_cast<u64>(static_cast<std::int64_t>(inside) >> 63);
    wrong_ |= b.control & inside;
    const u64 outside = ~(inside | quote);
    if ((b.space & outside) == 0) check<false>(b, place, quote, inside, todo, brackets, scalars);
    else check<true>(b, place, quote, inside, todo, brackets, scalars);
  }
  bool valid() const noexcept { return wrong_ == 0; }
  bool closed() const noexcept { return in_string_ == 0; }

 private:
  template <bool spaced>
  void check(const block& b, std::size_t place, u64 quote, u64 inside, pending& todo,
             u16** brackets, u16** scalars) noexcept {
    const u64 outside = ~(inside | quote), space = spaced ? b.space & outside : 0;
    const auto next = [space](u64& carry, u64 bits, u64 also = 0) noexcept {
      return next_tokens<spaced>(carry, bits, space, also);
    };
    const u64 open = b.open & outside, colon = b.colon & outside, comma = b.comma & outside;
    const u64 close_object = b.close_object & outside, close_array = b.close_array & outside;
    const u64 close = close_object | close_array;
    const u64 scalar = outside & ~(space | open | close | colon | comma);
    const u64 scalar_before = scalar << 1 | scalar_before_;
    scalar_before_ = scalar >> 63;
    const u64 start = scalar & ~scalar_before;
    const u64 open_quote = quote & inside, close_quote = quote & ~inside;
    const u64 value = open_quote | start | open;  // where a value may begin

    // A string after a bracket or a comma may be a key. Adding its opening quote to the runs of
    // bytes inside strings gives its closing quote. If a colon follows, the string is a key and
    // must be in an object; if a comma follows, it must be in an array.
    const u64 after_comma = next(after_comma_, comma), after_open = next(after_open_, open);
    const u64 first = after_comma | after_open;
    const u64 perhaps_key = after_runs(perhaps_key_, open_quote & first, inside);
    const u64 after_perhaps_key = next(after_perhaps_key_, perhaps_key & close_quote);
    const u64 after_value =
        next(after_value_, close | (close_quote & ~perhaps_key), scalar_before & ~scalar);
    const u64 after_colon = next(after_colon_, colon);

    wrong_ |= ((after_comma | after_colon) & ~value) | (after_open & ~(value | close));
    wrong_ |= after_perhaps_key & ~(colon | comma | close_array);
    wrong_ |= after_value & ~(comma | close);
    wrong_ |= colon & ~after_perhaps_key;

    todo.toggles[place / 64 + 1] = 0;
    todo.in_object[place / 64] = colon | close_object;
    todo.in_array[place / 64] =
        (first & ~(open_quote | close)) | (after_perhaps_key & comma) | close_array;
    *brackets = put_places<Vec, 4>(*brackets, open | close, place);
    *scalars = put_places<Vec, 4>(*scalars, start, place);
  }

  u64 wrong_{0};
  // Carried from block to block. Those named after_ hold one bit, for the next byte.
  u64 escape_carry_{0}, in_string_{0};
  u64 after_comma_{0}, after_open_{0}, after_perhaps_key_{0}, after_value_{0};
  u64 after_colon_{1};  // a document may begin with what may follow a colon
  u64 scalar_before_{0}, perhaps_key_{0};
};

// ---- nesting ----

template <byte_vector Vec>
class nesting final {
 public:
  explicit nesting(u32 depth_max) noexcept
      : too_deep_{depth_max < 62 ? static_cast<int>(depth_max) + 1 : 63} {}

  // Returns false if a bracket of this chunk, or a token between two, is in the wrong container.
  bool check(const u8* chunk_begin, pending& todo, const u16* brackets_end,
             std::size_t blocks) noexcept {
    u64 in_outer = 0 - (stack_ & 1);
    u64 stack = stack_, done = done_, bad = 0;
    for (const u16* k = todo.brackets; k != brackets_end; ++k) {
      const u8 c = chunk_begin[*k];
      const u64 opens = c >> 1 & 1, object = c >> 5 & opens;  // [ and { have bit 1, { has bit 5
      const u64 before = stack;
      bad |= done;
      stack = (stack << opens | object) >> (opens ^ 1);
      bad |= stack >> too_deep_;
      done = stack == 1;
      const std::size_t next = std::size_t{*k} + 1;
      todo.toggles[next / 64] ^= ((before ^ stack) & 1) << next % 64;
    }
    stack_ = stack;
    done_ = done;
    for (std::size_t i = 0; i < blocks; ++i) {
      const u64 in_object = Vec::prefix_xor(todo.toggles[i]) ^ in_outer;
      in_outer = static_cast<u64>(static_cast<std::int64_t>(in_object) >> 63);
      bad |= (todo.in_object[i] & ~in_object) | (todo.in_array[i] & in_object);
    }
    return bad == 0;
  }
  bool done() const noexcept { return done_ != 0; }

 private:
  u64 stack_{1};  // a bit per level, 1 for an object; the highest 1 is below the outermost value
  u64 done_{0};   // the outermost value is complete
  int too_deep_;
};

// Also returns false for two rare cases: a scalar alone, and more than 62 levels.
template <byte_vector Vec>
inline bool is_well_formed(const u8* packet, std::size_t size, u32 depth_max) noexcept {
  std::size_t begin = 0, end = size;
  while (begin < size && is_space(packet[begin])) ++begin;
  if (begin == size || (packet[begin] != '{' && packet[begin] != '[')) return false;
  while (is_space(packet[end - 1])) --end;
  if (packet[end - 1] != '}' && packet[end - 1] != ']') return false;

  const classifier<Vec> classify;
  tokens<Vec> all;
  nesting<Vec> containers{depth_max};
  pending todo;
  Vec seen = Vec::fill(0);
  for (std::size_t i = 0; i < end;) {
    const u8* const chunk_begin = packet + i;
    u16 *brackets = todo.brackets, *scalars = todo.scalars;
    std::size_t blocks = 0;
    todo.toggles[0] = 0;
    for (; i < end && blocks < chunk_blocks; i += 64, ++blocks)
      all.check(classify(packet + i, seen), 64 * blocks, todo, &brackets, &scalars);
    if (!all.valid() || !containers.check(chunk_begin, todo, brackets, blocks)) return false;
    u64 bad = 0;
    for (const u16* s = todo.scalars; s != scalars; ++s)
      bad |= scalar_fault(classify, chunk_begin + *s);
    if (bad != 0) return false;
  }
  if (!all.closed() || !containers.done()) return false;
  return seen.template bit<7>() == 0 || is_utf8<Vec>(packet, size);
}

}  // namespace
}  // namespace rtbwire
