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
  bool judges_grammar() const { return name.find("_detect_") == std::string::npos; }
};

struct set {
  std::string name;
  std::vector<corpus::packet> packets;
};

inline answer expected(const row& row, const corpus::packet& p) {
  switch (p.is) {
    case corpus::kind::valid: return answer::clean;
    case corpus::kind::invalid: return row.judges_grammar() ? answer::invalid : answer::clean;
    default: return answer::malicious;
  }
}

/// Reports whether a row is right about all packets; otherwise it is not timed.
inline bool verify(const row& row, const set& set) {
  std::unique_ptr<contender> c{row.make()};
  for (const auto& p : set.packets) {
    const answer got = c->judge(p.text);
    if (got == expected(row, p)) continue;
    std::fprintf(stderr, "%s is wrong about a packet of %s (%d for %d):\n%s\n", row.name.c_str(),
                 set.name.c_str(), static_cast<int>(got), static_cast<int>(expected(row, p)),
                 p.text.c_str());
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

/// The three classic packets, which a branch predictor can learn; the corpus, which it cannot; and
/// the corpus by class, because malformed packets may be refused early.
inline std::vector<set> make_sets() {
  const auto classic = corpus::classic();
  const auto diverse = corpus::make();
  return {
      {"three", {classic.begin(), classic.begin() + 3}},
      {"corpus", diverse},
      {"corpus_valid", only(diverse, corpus::kind::valid)},
      {"corpus_invalid", only(diverse, corpus::kind::invalid)},
      {"corpus_malicious", only(diverse, corpus::kind::malicious)},
      {"three_escaped", {classic[0], classic[1], classic[3]}},
  };
}

}  // namespace rtbwire::bench
