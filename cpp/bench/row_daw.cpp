// daw_json_link. It is made for known types; packets have none, so this walks its json_value, which
// parses a value when it is asked for. Release 3.29.1 takes a bracket for the end of an object, so
// that its verdict on malformed packets is wrong and it is not timed.
#include <daw/json/daw_json_link.h>

#include <string>

#include "contender.hpp"

namespace rtbwire::bench {
namespace {

namespace json = daw::json;

// Recursive, bounded by the packets of the corpus. It continues after the first harmful string,
// because the rest must be checked. Malformed text throws.
template <class Search>
void walk(const json::json_value& v, bool& hit) {
  switch (v.type()) {
    case json::JsonBaseParseTypes::String:
      hit = Search::find(json::from_json<std::string>(v)) || hit;  // get_string keeps escapes
      return;
    case json::JsonBaseParseTypes::Number: (void)json::from_json<double>(v); return;
    case json::JsonBaseParseTypes::Bool: (void)json::from_json<bool>(v); return;
    case json::JsonBaseParseTypes::Class:
      for (const auto& member : v) {
        if constexpr (Search::keys) hit = Search::find(std::string_view{*member.name}) || hit;
        walk<Search>(member.value, hit);
      }
      return;
    case json::JsonBaseParseTypes::Array:
      for (const auto& element : v) walk<Search>(element.value, hit);
      return;
    default: return;
  }
}

template <class Search>
class by_value final : public contender {
 public:
  answer judge(std::string_view packet) override {
    try {
      bool hit = false;
      walk<Search>(json::json_value{packet}, hit);
      return hit ? answer::malicious : answer::clean;
    } catch (const json::json_exception&) {
      return answer::invalid;
    }
  }
};

}  // namespace

void add_daw_rows() {
  add_note("daw_json_link", RTBWIRE_DAW_VERSION);
  add_row("daw-value", []() -> contender* { return new by_value<all_needles>; });
  add_row("daw-value-needle", []() -> contender* { return new by_value<one_literal>; },
          {.all_payloads = false});
}

}  // namespace rtbwire::bench
