// The packets of the comparison, and the check that a row must pass before it is timed. Not in
// main.cpp, so that tests can use it.
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "contender.hpp"

namespace rtbwire::bench {

struct row {
  std::string name;
  factory make;
  abilities can;
};

struct set {
  std::string name;
  std::vector<corpus::packet> packets;
};

inline bool right(const abilities& can, const corpus::packet& p, answer got) {
  if (got == answer::refused) return !can.any_size;
  switch (p.is) {
    case corpus::kind::valid: return got == answer::clean;
    case corpus::kind::invalid: return got == (can.grammar ? answer::invalid : answer::clean);
    default: return got == answer::malicious || (got == answer::clean && !can.all_payloads);
  }
}

/// Reports whether a row is right about all packets; otherwise it is not timed.
inline bool verify(const row& row, const set& set) {
  std::unique_ptr<contender> c{row.make()};
  for (const auto& p : set.packets) {
    const answer got = c->judge(p.text);
    if (right(row.can, p, got)) continue;
    std::fprintf(stderr, "%s is wrong about a packet of %s (%d):\n%s\n", row.name.c_str(),
                 set.name.c_str(), static_cast<int>(got), p.text.c_str());
    return false;
  }
  return true;
}

inline std::vector<corpus::packet> only(const std::vector<corpus::packet>& all, corpus::kind kind) {
  std::vector<corpus::packet> some;
  for (const auto& p : all)
    if (p.is == kind) some.push_back(p);
  return some;
}

inline std::size_t longest(const set& set) {
  std::size_t most = 0;
  for (const auto& p : set.packets) most = p.text.size() > most ? p.text.size() : most;
  return most;
}

/// Reports whether a row is able to read the packets of a set.
inline bool reads(const row& row, const set& set) { return longest(set) <= row.can.longest; }

/// Arrays of valid packets of the corpus, each about so long; the shortest is one packet. There are
/// enough parts even if all of them are of the least size.
inline std::vector<corpus::packet> sized(std::size_t bytes, std::size_t count) {
  const bool one = bytes < 1024;
  auto parts = corpus::make({.seed = bytes,
                             .count = one ? count : count * (bytes / 400 + 1),
                             .size_min = one ? bytes - 100 : 400,
                             .size_max = one ? bytes + 100 : 1000,
                             .invalid_percent = 0,
                             .malicious_percent = 0});
  if (one) return parts;
  std::vector<corpus::packet> all;
  for (auto part = parts.begin(); all.size() < count && part != parts.end();) {
    std::string text = "[" + part->text;
    while (++part != parts.end() && text.size() + part->text.size() + 2 <= bytes)
      text += "," + part->text;
    all.push_back({text + "]", corpus::kind::valid, false});
  }
  return all;
}

/// The three packets of the published comparison, which a branch predictor can learn; the corpus,
/// which it cannot; and the corpus by class, because malformed packets may be refused early.
inline std::vector<set> make_sets() {
  const auto diverse = corpus::make();
  return {
      {"packets", corpus::published()},
      {"corpus", diverse},
      {"valid", only(diverse, corpus::kind::valid)},
      {"invalid", only(diverse, corpus::kind::invalid)},
      {"malicious", only(diverse, corpus::kind::malicious)},
      {"0.5KB", sized(512, 256)},
      {"4KB", sized(4096, 64)},
      {"64KB", sized(65000, 8)},  // the scanner's rows take packets of up to 65,535 bytes
      {"1MB", sized(1 << 20, 1)},
  };
}

}  // namespace rtbwire::bench
