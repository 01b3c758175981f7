// One packet through the backend, by an expression.
#include "rtbwire/vectorscan.hpp"

#include <cstddef>
#include <cstdio>
#include <vector>

int main() {
  const rtbwire::pattern patterns[] = {{"xss.script-tag", "<\\s*script", "a script"}};
  const rtbwire_pattern_kind kinds[] = {RTBWIRE_PATTERN_EXPRESSION};
  const rtbwire::vectorscan compiled{patterns, kinds};
  if (compiled.status() != RTBWIRE_OK) return 1;
  std::vector<std::byte> engine_memory(rtbwire::engine::memory(compiled.matcher()));
  const rtbwire::engine engine{engine_memory, compiled.matcher()};
  const rtbwire::vectorscan_scratch scratch{compiled};
  std::vector<std::byte> memory(rtbwire::scanner::memory());
  rtbwire::scanner scanner{memory, engine, scratch.get(), {}};
  if (scanner.status() != RTBWIRE_OK) return 2;
  const rtbwire::verdict v = scanner.scan(R"({"a":["\u003cScript"]})");
  std::printf("%s: %s at byte %u, %s\n", rtbwire_outcome_name(v.outcome), patterns[v.pattern].id,
              static_cast<unsigned>(v.match_offset), v.pointer);
}
