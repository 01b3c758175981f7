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
  bool large = false;  // for rows that are able to read it
};

/// Reports whether a row is able to read the packets of a set.
inline bool reads(const row& row, const set& set) { return row.can.large || !set.large; }

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

/// A clean document of a megabyte: an array of packets.
inline corpus::packet large_document(const std::vector<corpus::packet>& valid) {
  constexpr std::size_t size = 1 << 20;
  std::string text = "[";
  for (std::size_t i = 0; text.size() < size; i = (i + 1) % valid.size())
    text += (text.size() > 1 ? "," : "") + valid[i].text;
  return {text + "]", corpus::kind::valid, false};
}

/// The three packets of the published comparison, which a branch predictor can learn; the corpus,
/// which it cannot; the corpus by class, because malformed packets may be refused early; and a
/// large document, because the published comparison says which library is the fastest there.
inline std::vector<set> make_sets() {
  const auto diverse = corpus::make();
  return {
      {"packets", corpus::published()},
      {"corpus", diverse},
      {"valid", only(diverse, corpus::kind::valid)},
      {"invalid", only(diverse, corpus::kind::invalid)},
      {"malicious", only(diverse, corpus::kind::malicious)},
      {"large", {large_document(only(diverse, corpus::kind::valid))}, true},
  };
}

}  // namespace rtbwire::bench
