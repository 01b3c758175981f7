// One literal in the bytes of the packet, as most people would write it. It does not parse: it
// misses what is escaped or written in another case, and does not see malformed packets.
#include <cstring>

#include "contender.hpp"

namespace rtbwire::bench {
namespace {

class by_find final : public contender {
 public:
  answer judge(std::string_view packet) override {
    return one_literal::find(packet) ? answer::malicious : answer::clean;
  }
};

// Packets of the comparison have a NUL after their end, and none inside.
class by_strstr final : public contender {
 public:
  answer judge(std::string_view packet) override {
    return std::strstr(packet.data(), literal.data()) != nullptr ? answer::malicious
                                                                 : answer::clean;
  }
};

}  // namespace

void add_find_rows() {
  constexpr abilities can{.grammar = false, .all_payloads = false};
  add_row("find-needle", []() -> contender* { return new by_find; }, can);
  add_row("strstr-needle", []() -> contender* { return new by_strstr; }, can);
}

}  // namespace rtbwire::bench
