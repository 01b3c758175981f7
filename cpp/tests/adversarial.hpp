// Packets made to cost as much as possible, by family. Used by the test of the bound and by
// the benchmark.
#pragma once

#include <string>
#include <vector>

namespace rtbwire::corpus {

struct adversary {
  std::string name;
  std::string text;
};

/// Each family at 1,459 bytes, a full Ethernet frame, and at 65,000; the ones about literals
/// for every default pattern. The same on every machine.
std::vector<adversary> adversarial();

}  // namespace rtbwire::corpus
