// A row of the comparison: it does the whole work, from a packet to a verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "corpus.hpp"
#include "rtbwire/arena.hpp"

namespace rtbwire::bench {

/// refused: the packet does not fit into the memory of the row.
enum class answer { clean, invalid, malicious, refused };
inline constexpr std::size_t answers = 4;

/// The patterns that the rivals search in each key and value, ignoring case: one for each payload
/// of the corpus. Our scanner searches all of its patterns.
inline constexpr std::string_view needles[] = {
    "<script", "onerror=", "javascript:", "union select", "${jndi:", "/etc/passwd"};

inline char fold(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

/// The pairs of bytes that may begin a needle, in either case. The rivals have no pattern search,
/// and a slow one would be unfair.
struct pair_table {
  std::uint8_t begins[1 << 16] = {};
  constexpr pair_table() {
    for (const std::string_view needle : needles)
      for (unsigned a = 0; a < 128; ++a)
        for (unsigned b = 0; b < 128; ++b) {
          const auto lower = [](unsigned c) { return c >= 'A' && c <= 'Z' ? c | 0x20u : c; };
          if (lower(a) == static_cast<unsigned char>(needle[0]) &&
              lower(b) == static_cast<unsigned char>(needle[1]))
            begins[a << 8 | b] = 1;
        }
  }
};
inline constexpr pair_table pairs;

/// Searches all needles in a string, ignoring case.
inline bool harmful(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const unsigned a = static_cast<unsigned char>(text[i]),
                   b = static_cast<unsigned char>(text[i + 1]);
    if (pairs.begins[a << 8 | b] == 0) continue;
    for (const std::string_view needle : needles) {
      if (needle.size() > text.size() - i) continue;
      std::size_t k = 0;
      while (k < needle.size() && fold(text[i + k]) == needle[k]) ++k;
      if (k == needle.size()) return true;
    }
  }
  return false;
}

/// The search of most rows: all needles, in keys and values.
struct all_needles {
  static constexpr bool keys = true;
  static bool find(std::string_view text) { return harmful(text); }
};

/// What most people would write: one literal, in values, as it is. It misses most payloads.
inline constexpr std::string_view literal = "<script>";
struct one_literal {
  static constexpr bool keys = false;
  static bool find(std::string_view text) { return text.find(literal) != text.npos; }
};

/// Each thread has its own. Derived classes keep what is reused.
class contender {
 public:
  virtual ~contender() = default;
  virtual answer judge(std::string_view packet) = 0;
  /// Returns the peak use of a fixed arena in bytes, or 0 without one.
  virtual std::size_t arena_peak() const { return 0; }
};

using factory = contender* (*)();

/// What a row is able to see. All other answers must be right.
struct abilities {
  bool grammar = true;       // malformed packets; otherwise they are clean
  bool all_payloads = true;  // otherwise some malicious packets are clean
  bool any_size = true;      // otherwise some packets are refused
  std::size_t longest = SIZE_MAX;  // sets with longer packets are left out
};

/// Adds a row. Each row_*.cpp calls it from main.
void add_row(const char* name, factory make, abilities can = {});
/// Adds a line to what describes the run, such as the version of a library.
void add_note(const char* key, std::string value);
void add_find_rows();
void add_scanner_rows();
void add_nlohmann_rows();
void add_simdjson_rows();
void add_rapidjson_rows();
void add_yyjson_rows();
void add_glaze_rows();
void add_vectorscan_rows();
void add_boostjson_rows();
void add_jsoncons_rows();
void add_daw_rows();

/// The longest packet of all sets, with room.
inline constexpr std::size_t longest_packet = 2 << 20;

/// Large enough for every packet of all sets: refusing a packet would be fast and look like speed.
/// Memory that no packet needs is never touched.
inline constexpr std::size_t arena_size = 16 * longest_packet;

/// What the published comparison has. Some packets of the corpus don't fit.
inline constexpr std::size_t arena_size_small = 4096;

/// A row that parses each packet in a fixed arena.
template <std::size_t Size = arena_size>
class arena_contender : public contender {
 public:
  answer judge(std::string_view packet) final {
    const auto mark = arena_.mark();
    const answer a = judge_in(arena_, packet);
    arena_.reset(mark);
    return a;
  }
  std::size_t arena_peak() const final { return arena_.peak(); }

 private:
  virtual answer judge_in(fixed_arena& arena, std::string_view packet) = 0;

  alignas(64) std::byte buffer_[Size];
  fixed_arena arena_{buffer_, sizeof buffer_};
};

}  // namespace rtbwire::bench
