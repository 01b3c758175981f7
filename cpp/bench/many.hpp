// The default patterns and n more, to see at what number which engine is faster.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "corpus.hpp"
#include "rtbwire/scan.hpp"

namespace rtbwire::bench {

/// The others are 8 to 16 letters and digits from a seed. They occur in no packet.
class many_patterns {
 public:
  explicit many_patterns(std::size_t more) : literals_(more) {
    corpus::random random{more};
    for (std::string& literal : literals_)
      for (std::size_t n = 8 + random.below(9); n > 0; --n)
        literal += "abcdefghijklmnopqrstuvwxyz0123456789"[random.below(36)];
    const auto first = default_patterns();
    patterns_.assign(first.begin(), first.end());
    for (const std::string& literal : literals_)
      patterns_.push_back({"generated", literal.c_str(), ""});
  }
  std::span<const pattern> get() const { return patterns_; }

 private:
  std::vector<std::string> literals_;
  std::vector<pattern> patterns_;
};

}  // namespace rtbwire::bench
