// Packets that are made to be slow, by family, for the test of the bound and the benchmark.
#pragma once

#include <string>
#include <vector>

namespace rtbwire::corpus {

struct adversary {
  std::string name;
  std::string text;
};

/// Returns each family at 1,459 bytes, a full Ethernet frame, and at 65,000; those about literals
/// for every default pattern. The same on every machine.
std::vector<adversary> adversarial();

}  // namespace rtbwire::corpus
