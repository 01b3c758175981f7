// The prefilter: which four bytes of a literal it looks for, and the tables that find them.
#include <cstring>

#include "compile.hpp"

namespace rtbwire {
namespace {

// Returns roughly how often a byte occurs in the text of bid requests. A wrong guess only costs
// time. Nibbles hardly distinguish letters, so all letters weigh the same.
u32 frequency(u8 c) noexcept {
  if (c >= 'a' && c <= 'z') return 6;
  if (c >= '0' && c <= '9') return 4;
  if (c == ' ' || c == 0xff) return 6;
  if (c == '.' || c == '/' || c == '-' || c == '_' || c == ',' || c == ':') return 3;
  return 1;
}

u32 slot(const literal& lit) noexcept {
  if (lit.size < window_size) return slot_count;
  u32 bytes;
  std::memcpy(&bytes, lit.text + lit.window, sizeof bytes);
  return slot_of(bytes);
}

// The nibbles of some literals: a bit for each that occurs in byte i of their windows.
struct nibbles {
  u16 low[window_size], high[window_size];

  void add(const literal& lit) noexcept {
    for (u32 i = 0; i < window_size; ++i) {
      const bool any = i >= lit.size;
      low[i] |= any ? u16{0xffff} : static_cast<u16>(1u << (lit.text[lit.window + i] & 15));
      high[i] |= any ? u16{0xffff} : static_cast<u16>(1u << (lit.text[lit.window + i] >> 4));
    }
  }
  void add(const nibbles& o) noexcept {
    for (u32 i = 0; i < window_size; ++i) {
      low[i] |= o.low[i];
      high[i] |= o.high[i];
    }
  }
  // Proportional to the number of candidates that these nibbles produce in text.
  u64 cost(const u8* weights) const noexcept {
    u64 product = 1;
    for (u32 i = 0; i < window_size; ++i) {
      u64 sum = 0;
      for (u32 h = high[i]; h != 0; h &= h - 1) {
        const u8* const row = weights + 16 * __builtin_ctz(h);
        for (u32 l = low[i]; l != 0; l &= l - 1) sum += row[__builtin_ctz(l)];
      }
      product *= sum;
    }
    return product;
  }
};

// Returns the nibbles of all literals in a slot.
nibbles slot_nibbles(const rtbwire_engine& engine, std::size_t s) noexcept {
  nibbles n{};
  const u32 end = s < slot_count ? engine.slot_begin[s + 1] : engine.count;
  for (u32 i = engine.slot_begin[s]; i < end; ++i) n.add(engine.literals[i]);
  return n;
}

void build_slots(rtbwire_engine& engine) noexcept {
  u32 next = 0;
  for (std::size_t s = 0; s <= slot_count; ++s) {
    engine.slot_begin[s] = static_cast<u16>(next);
    while (next < engine.count && slot(engine.literals[next]) == s) ++next;
  }
  for (u32 i = 0; i < engine.count; ++i)
    if (engine.literals[i].window > engine.window_last)
      engine.window_last = engine.literals[i].window;
}

// The buckets that slots are assigned to, and what they cost.
class bucket_choice final {
 public:
  explicit bucket_choice(const rtbwire_engine& engine) noexcept : engine_{engine} {
    for (u32 c = 0; c < 256; ++c) weights_[c] = static_cast<u8>(frequency(static_cast<u8>(c)));
    std::memset(bucket_of_, no_bucket, sizeof bucket_of_);
  }

  // Assigns the literals of a slot to the bucket in which they add the fewest candidates.
  void choose(std::size_t slot) noexcept {
    const nibbles mine = slot_nibbles(engine_, slot);
    if (mine.low[0] == 0) return;
    leave(slot);
    u64 best_cost = 0, least = UINT64_MAX;
    for (u8 b = 0; b < bucket_count; ++b) {
      nibbles with = buckets_[b];
      with.add(mine);
      const u64 cost = with.cost(weights_);
      if (cost - costs_[b] >= least) continue;
      least = cost - costs_[b];
      bucket_of_[slot] = b;
      best_cost = cost;
    }
    buckets_[bucket_of_[slot]].add(mine);
    costs_[bucket_of_[slot]] = best_cost;
  }

  const nibbles& bucket(std::size_t b) const noexcept { return buckets_[b]; }

 private:
  static constexpr u8 no_bucket = bucket_count;

  void leave(std::size_t slot) noexcept {
    const u8 old = bucket_of_[slot];
    if (old == no_bucket) return;
    buckets_[old] = {};
    for (std::size_t other = 0; other <= slot_count; ++other)
      if (other != slot && bucket_of_[other] == old)
        buckets_[old].add(slot_nibbles(engine_, other));
    costs_[old] = buckets_[old].cost(weights_);
  }

  const rtbwire_engine& engine_;
  u8 weights_[256];
  u8 bucket_of_[slot_count + 1];
  nibbles buckets_[bucket_count] = {};
  u64 costs_[bucket_count] = {};
};

}  // namespace

u32 choose_window(const u8* text, u32 size) noexcept {
  u32 best = 0, least = UINT32_MAX;
  for (u32 w = 0; w + window_size <= size; ++w) {
    u32 product = 1;
    for (u32 i = 0; i < window_size; ++i) product *= frequency(text[w + i]);
    if (product >= least) continue;
    least = product;
    best = w;
  }
  return best;
}

// Insertion sort: it runs once, and sets are small.
void sort_literals(literal* first, std::size_t count) noexcept {
  const auto less = [](const literal& a, const literal& b) noexcept {
    if (slot(a) != slot(b)) return slot(a) < slot(b);
    const int order = std::memcmp(a.text, b.text, a.size < b.size ? a.size : b.size);
    return order != 0 ? order < 0 : a.size < b.size;
  };
  for (std::size_t i = 1; i < count; ++i)
    for (std::size_t k = i; k > 0 && less(first[k], first[k - 1]); --k) {
      const literal swapped = first[k];
      first[k] = first[k - 1];
      first[k - 1] = swapped;
    }
}

void build_prefilter(rtbwire_engine& engine) noexcept {
  build_slots(engine);
  // The first slots choose among buckets that are still empty, so all choose again.
  constexpr int rounds = 4;
  bucket_choice choice{engine};
  for (int round = 0; round < rounds; ++round)
    for (std::size_t s = 0; s <= slot_count; ++s) choice.choose(s);
  for (std::size_t b = 0; b < bucket_count; ++b) {
    const nibbles& bucket = choice.bucket(b);
    for (u32 i = 0; i < window_size; ++i)
      for (u32 x = 0; x < 16; ++x) {
        engine.low[i][x] |= static_cast<u8>((bucket.low[i] >> x & 1) << b);
        engine.high[i][x] |= static_cast<u8>((bucket.high[i] >> x & 1) << b);
      }
  }
}

}  // namespace rtbwire
