// One packet through the C++ interface.
#include <cstddef>
#include <cstdio>
#include <vector>

#include "rtbwire/scan.hpp"

int main() {
  const auto patterns = rtbwire::default_patterns();
  std::vector<std::byte> engine_memory(rtbwire::engine::memory(patterns));
  const rtbwire::engine engine{engine_memory, patterns};
  std::vector<std::byte> memory(rtbwire::scanner::memory());
  rtbwire::scanner scanner{memory, engine};
  if (scanner.status() != RTBWIRE_OK) return 1;
  const rtbwire::verdict v = scanner.scan(R"({"a":["\u003cScript"]})");
  std::printf("%s: %s at byte %u, %s\n", rtbwire_outcome_name(v.outcome), patterns[v.pattern].id,
              static_cast<unsigned>(v.match_offset), v.pointer);
}
