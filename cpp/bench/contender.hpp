// What every row of the comparison does: the whole job, one packet in, one verdict out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "corpus.hpp"

namespace rtbwire::bench {

enum class answer { clean, invalid, malicious };

/// Patterns that the rivals' walk looks for in each key and value, without regard to case:
/// one for each payload the corpus has. Our scanner looks for its whole set.
inline constexpr std::string_view needles[] = {"<script", "onerror=", "javascript:",
                                               "union select", "${jndi:", "/etc/passwd"};

inline char fold(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

/// Which pairs of bytes, in either case, may begin a needle: the rivals have no pattern
/// engine, but are not to be slowed down by a bad search either.
struct pair_table {
  std::uint8_t begins[1 << 16] = {};
  constexpr pair_table() {
    for (const std::string_view needle : needles)
      for (unsigned a = 0; a < 128; ++a)
        for (unsigned b = 0; b < 128; ++b) {
          const auto lower = [](unsigned c) { return c >= 'A' && c <= 'Z' ? c | 0x20u : c; };
          if (lower(a) == static_cast<unsigned char>(needle[0]) && lower(b) == static_cast<unsigned char>(needle[1]))
            begins[a << 8 | b] = 1;
        }
  }
};
inline constexpr pair_table pairs;

/// Caseless search for all needles in one string.
inline bool harmful(std::string_view text) {
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const unsigned a = static_cast<unsigned char>(text[i]), b = static_cast<unsigned char>(text[i + 1]);
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

/// One per thread. Derived classes hold what is made once.
class contender {
 public:
  virtual ~contender() = default;
  virtual answer judge(std::string_view packet) = 0;
  /// Most bytes of a fixed arena in use, transients and failures included; 0 if there is none.
  virtual std::size_t arena_peak() const { return 0; }
};

using factory = contender* (*)();

/// Called once by each row_*.cpp, from main: no work before main.
void add_row(const char* name, factory make);
void add_scanner_rows();
void add_nlohmann_rows();
void add_simdjson_rows();
void add_rapidjson_rows();
void add_yyjson_rows();
void add_glaze_rows();
void add_vectorscan_rows();

/// Large enough for every packet of the corpus; refusals for lack of room would otherwise be
/// counted as speed.
inline constexpr std::size_t arena_size = 64 * 1024;

}  // namespace rtbwire::bench
