// RFC 8259 for a whole document, 64 bytes at a time, as arithmetic on bit masks. Included by
// kernel-inl.hpp.
//
// JSON's grammar is almost regular: whether a token may stand where it does depends on the token
// before it, and both are bits in masks, so that one operation judges all tokens of a block. Only
// two questions need the nesting: which bracket closes which, and whether the container is an
// object, where each comma is followed by a key, or an array, where none is. The brackets alone
// are gone through one by one for that, without branches, and leave a mask as well: what is in an
// object.
//
// A bit that runs out of a word is carried into the next block.

// ---- 64 bytes as bits ----

// A byte is of a class when both its nibbles say so.
struct class_tables {
  u8 low[16], high[16];
};

constexpr u8 bit_of(int n) noexcept { return static_cast<u8>(1 << n); }

enum : int { is_open, is_close_object, is_close_array, is_colon, is_comma, is_digit, is_sign, is_point };

constexpr class_tables make_class_tables() noexcept {
  class_tables t{};
  for (int i = 0; i < 10; ++i) t.low[i] = bit_of(is_digit);  // 30 to 39
  t.high[3] = static_cast<u8>(bit_of(is_digit) | bit_of(is_colon));
  t.low[0xa] = bit_of(is_colon);                                                     // 3a
  t.low[0xb] = static_cast<u8>(bit_of(is_open) | bit_of(is_sign));                   // 5b 7b, 2b
  t.low[0xc] = bit_of(is_comma);                                                     // 2c
  t.low[0xd] = static_cast<u8>(bit_of(is_close_object) | bit_of(is_close_array) | bit_of(is_sign));  // 7d, 5d, 2d
  t.low[0xe] = bit_of(is_point);                                                     // 2e
  t.high[2] = static_cast<u8>(bit_of(is_comma) | bit_of(is_sign) | bit_of(is_point));
  t.high[5] = static_cast<u8>(bit_of(is_open) | bit_of(is_close_array));
  t.high[7] = static_cast<u8>(bit_of(is_open) | bit_of(is_close_object));
  return t;
}

constexpr class_tables classes = make_class_tables();

// Each kind of space at its own low nibble; the other places hold what their nibble is not.
constexpr u8 spaces[16] = {' ', 0, 0, 0, 0, 0, 0, 0, 0, '\t', '\n', 0, 0, '\r', 0, 0};

struct block {
  u64 quote{0}, slash{0}, control{0}, space{0}, open{0}, close_object{0}, close_array{0}, colon{0}, comma{0};
};

struct classifier {
  vec low = vec::repeat16(classes.low), high = vec::repeat16(classes.high), space = vec::repeat16(spaces);

  vec kinds(vec in, vec nibble) const noexcept { return low.shuffle(nibble) & high.shuffle(in.high_nibbles()); }

  // Also adds the bytes to seen.
  block operator()(const u8* p, vec& seen) const noexcept {
    block b;
    for (std::size_t k = 0; k < 64; k += W) {
      const vec in = vec::load(p + k), nibble = in.low_nibbles();
      const vec kind = kinds(in, nibble);
      seen = seen | in;
      b.quote |= in.eq(vec::fill('"')).mask() << k;
      b.slash |= in.eq(vec::fill('\\')).mask() << k;
      b.control |= in.below_space().mask() << k;
      b.space |= in.eq(space.shuffle(nibble)).mask() << k;
      b.open |= kind.template bit<is_open>() << k;
      b.close_object |= kind.template bit<is_close_object>() << k;
      b.close_array |= kind.template bit<is_close_array>() << k;
      b.colon |= kind.template bit<is_colon>() << k;
      b.comma |= kind.template bit<is_comma>() << k;
    }
    return b;
  }
};

// ---- bits that move on ----

// The first byte after each of bits that is no space: where the next token begins. also: places
// that already are behind what they follow. Spaces that reach the end of the word are carried on.
template <bool spaced>
inline u64 next_tokens(u64& carry, u64 bits, u64 space, u64 also = 0) noexcept {
  const u64 next = bits << 1 | carry | also;
  carry = bits >> 63;
  if (!spaced) return next;
  u64 sum;
  carry |= static_cast<u64>(__builtin_add_overflow(next, space, &sum));
  return sum & ~space;
}

// Bits at the beginning of runs, moved to the first byte behind them. A run that reaches the end
// of the word goes on at the beginning of the next.
inline u64 behind_runs(u64& carry, u64 bits, u64 runs) noexcept {
  u64 sum, more;
  const bool over = __builtin_add_overflow(bits, runs, &sum);
  const bool over2 = __builtin_add_overflow(sum, carry, &more);
  carry = static_cast<u64>(over) | static_cast<u64>(over2);
  return more & ~runs;
}

// The bytes whose meaning a backslash takes away (Langdale and Lemire, "Parsing gigabytes of
// JSON per second", 2019, section 3.1.1). A run of backslashes escapes what follows it if its
// length is odd; carry says that the block before ended in such a run.
inline u64 escaped_bytes(u64 slash, u64* carry) noexcept {
  constexpr u64 odd = 0xaaaaaaaaaaaaaaaa, even = ~odd;
  const u64 free = slash & ~*carry;  // backslashes that are not themselves escaped from before
  // Adding the starts of runs to the runs carries out behind each run; the parity of the
  // place it comes out at, compared with that of the start, is the parity of the run.
  const u64 follows = free << 1 | *carry;
  const u64 odd_starts = free & odd & ~follows;
  u64 even_carries;
  *carry = static_cast<u64>(__builtin_add_overflow(odd_starts, free, &even_carries));
  return (even ^ even_carries << 1) & follows;
}

// ---- scalars ----

inline bool is_space(u8 c) noexcept { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr byte_set make_scalar_ends() noexcept {
  byte_set set{};
  constexpr char ends[] = ",}] \t\n\r";
  for (const char* c = ends; *c != '\0'; ++c) set.has[static_cast<u8>(*c)] = 1;
  return set;
}
constexpr byte_set ends_scalar = make_scalar_ends();

// A number (section 6) that is too long for a vector, byte by byte.
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

// 1 for true, false or null.
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

// 0 for a number, true, false or null. What it is and what a number is made of can not be
// predicted, so there are no branches: bytes become bits that are judged by their neighbours.
inline u64 scalar_fault(const classifier& classify, const u8* p) noexcept {
  const vec in = vec::load(p);
  const vec kind = classify.kinds(in, in.low_nibbles());
  u64 digit = kind.template bit<is_digit>(), sign = kind.template bit<is_sign>();
  u64 point = kind.template bit<is_point>(), exponent = (in | vec::fill(0x20)).eq(vec::fill('e')).mask();
  const u64 all = digit | sign | point | exponent;
  if (all == ~u64{0} >> (64 - W)) return is_long_number(p) ? 0 : 1;
  const int length = trailing_zeros(~all);
  const u64 number = (u64{1} << length) - 1;
  digit &= number;
  sign &= number;
  point &= number;
  exponent &= number;
  const u64 minus = *p == '-', zero = p[minus] == '0';

  u64 wrong = (digit >> minus & 1) ^ 1;   // a number begins with - or a digit
  wrong |= digit >> 1 >> minus & zero;    // and has no more digits in front if that is 0
  wrong |= sign & ~(exponent << 1 | minus);
  wrong |= (sign | point) << 1 & ~digit;
  wrong |= (point | exponent) >> 1 & ~digit;
  wrong |= exponent << 1 & ~(digit | sign);
  wrong |= (point & (point - 1)) | (exponent & (exponent - 1));
  wrong |= point & (0 - exponent) & ~exponent;  // a point after the exponent
  wrong |= u64{ends_scalar.has[p[length]]} ^ 1;
  return wrong & (is_word(p) - 1);
}

// ---- tokens ----

// Blocks that are judged together. Their brackets are gone through in one loop, and so are
// their scalars: a loop a block would cost a mispredicted end of it each.
constexpr std::size_t chunk_blocks = 16, chunk = 64 * chunk_blocks;

// What is left to do for a chunk.
struct pending {
  u64 in_object[chunk_blocks];  // has to be in an object
  u64 in_array[chunk_blocks];
  u64 toggles[chunk_blocks + 1];  // where the container becomes one of the other kind; zeros at first
  u16 brackets[chunk + 4];
  u16 scalars[chunk + 4];
};

class tokens final {
 public:
  // Judges one block, the one at place of its chunk. Brackets and scalars are added behind
  // *brackets and *scalars.
  void judge(const block& b, std::size_t place, pending& todo, u16** brackets, u16** scalars) noexcept {
    const u64 quote = b.quote & ~escaped_bytes(b.slash, &escape_carry_);
    const u64 inside = vec::prefix_xor(quote) ^ in_string_;  // opening quote to before the closing one
    in_string_ = static_cast<u64>(static_cast<std::int64_t>(inside) >> 63);
    wrong_ |= b.control & inside;
    const u64 outside = ~(inside | quote);
    if ((b.space & outside) == 0) judge<false>(b, place, quote, inside, todo, brackets, scalars);
    else judge<true>(b, place, quote, inside, todo, brackets, scalars);
  }
  bool sound() const noexcept { return wrong_ == 0; }
  bool closed() const noexcept { return in_string_ == 0; }

 private:
  template <bool spaced>
  void judge(const block& b, std::size_t place, u64 quote, u64 inside, pending& todo, u16** brackets,
             u16** scalars) noexcept {
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

    // A string after a bracket or a comma may be a key. Its closing quote is found by adding the
    // opening one to the runs of bytes inside of strings. A key if a colon follows, and that is
    // right in an object; if anything else does, in an array.
    const u64 after_comma = next(after_comma_, comma), after_open = next(after_open_, open);
    const u64 first = after_comma | after_open;
    const u64 perhaps_key = behind_runs(perhaps_key_, open_quote & first, inside);
    const u64 after_perhaps_key = next(after_perhaps_key_, perhaps_key & close_quote);
    const u64 after_value = next(after_value_, close | (close_quote & ~perhaps_key), scalar_before & ~scalar);
    const u64 after_colon = next(after_colon_, colon);

    wrong_ |= ((after_comma | after_colon) & ~value) | (after_open & ~(value | close));
    wrong_ |= after_perhaps_key & ~(colon | comma | close_array);
    wrong_ |= after_value & ~(comma | close);
    wrong_ |= colon & ~after_perhaps_key;

    todo.toggles[place / 64 + 1] = 0;
    todo.in_object[place / 64] = colon | close_object;
    todo.in_array[place / 64] = (first & ~(open_quote | close)) | (after_perhaps_key & comma) | close_array;
    *brackets = put_places<4>(*brackets, open | close, place);
    *scalars = put_places<4>(*scalars, start, place);
  }

  u64 wrong_{0};
  // What is carried from block to block; those named after_ are bits of what comes next.
  u64 escape_carry_{0}, in_string_{0};
  u64 after_comma_{0}, after_open_{0}, after_perhaps_key_{0}, after_value_{0};
  u64 after_colon_{1};  // what may follow a colon may begin a document
  u64 scalar_before_{0}, perhaps_key_{0};
};

// ---- nesting ----

class nesting final {
 public:
  explicit nesting(u32 depth_max) noexcept : too_deep_{depth_max < 62 ? static_cast<int>(depth_max) + 1 : 63} {}

  // False when a bracket of this chunk, or what is between two, is in the wrong container.
  bool judge(const u8* chunk_begin, pending& todo, const u16* brackets_end, std::size_t blocks) noexcept {
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
      const u64 in_object = vec::prefix_xor(todo.toggles[i]) ^ in_outer;
      in_outer = static_cast<u64>(static_cast<std::int64_t>(in_object) >> 63);
      bad |= (todo.in_object[i] & ~in_object) | (todo.in_array[i] & in_object);
    }
    return bad == 0;
  }
  bool done() const noexcept { return done_ != 0; }

 private:
  u64 stack_{1};  // a bit a level, 1 for an object; the first one is below the outermost value
  u64 done_{0};   // that value is complete
  int too_deep_;
};

// False also for what is rare: a scalar alone, and more than 62 levels.
inline bool check_grammar(const u8* packet, std::size_t size, u32 depth_max) noexcept {
  std::size_t begin = 0, end = size;
  while (begin < size && is_space(packet[begin])) ++begin;
  if (begin == size || (packet[begin] != '{' && packet[begin] != '[')) return false;
  while (is_space(packet[end - 1])) --end;
  if (packet[end - 1] != '}' && packet[end - 1] != ']') return false;

  const classifier classify;
  tokens all;
  nesting containers{depth_max};
  pending todo;
  vec seen = vec::fill(0);
  for (std::size_t i = 0; i < end;) {
    const u8* const chunk_begin = packet + i;
    u16 *brackets = todo.brackets, *scalars = todo.scalars;
    std::size_t blocks = 0;
    todo.toggles[0] = 0;
    for (; i < end && blocks < chunk_blocks; i += 64, ++blocks)
      all.judge(classify(packet + i, seen), 64 * blocks, todo, &brackets, &scalars);
    if (!all.sound() || !containers.judge(chunk_begin, todo, brackets, blocks)) return false;
    u64 bad = 0;
    for (const u16* s = todo.scalars; s != scalars; ++s) bad |= scalar_fault(classify, chunk_begin + *s);
    if (bad != 0) return false;
  }
  if (!all.closed() || !containers.done()) return false;
  return seen.template bit<7>() == 0 || utf8_sound(packet, size);
}
