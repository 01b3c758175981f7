// simdjson, DOM and On-Demand, with parser and padded buffer reused. On-Demand checks only what is
// read, so its walk also reads numbers and literals.
#include <simdjson.h>

#include <cstring>
#include <memory>
#include <memory_resource>
#include <string>
#include <type_traits>
#include <vector>

#include "contender.hpp"
#include "simdjson_build.hpp"

namespace rtbwire::bench {
namespace {

class padded {
 public:
  simdjson::padded_string_view of(std::string_view packet) {
    std::memcpy(buffer_.data(), packet.data(), packet.size());
    return simdjson::padded_string_view{buffer_.data(), packet.size(), buffer_.size()};
  }

 private:
  std::vector<char> buffer_ = std::vector<char>(longest_packet + simdjson::SIMDJSON_PADDING);
};

// No parser or document takes an allocator. What can be chosen is when memory is allocated: a
// parser keeps what it has, and allocate() asks for it early.
template <class Parser>
constexpr bool takes_allocator = std::is_constructible_v<Parser, std::pmr::memory_resource*> ||
                                 std::is_constructible_v<Parser, std::allocator<char>> ||
                                 std::uses_allocator_v<Parser, std::allocator<char>>;
static_assert(!takes_allocator<simdjson::dom::parser> &&
              !takes_allocator<simdjson::ondemand::parser>);

template <class Search>
class dom final : public contender {
 public:
  answer judge(std::string_view packet) override {
    const auto in = padded_.of(packet);
    simdjson::dom::element root;
    if (parser_.parse(in.data(), in.size(), false).get(root) != simdjson::SUCCESS)
      return answer::invalid;
    return walk(root) ? answer::malicious : answer::clean;
  }

 private:
  // The recursion is bounded by the depth limit of the parser.
  static bool walk(simdjson::dom::element e) {
    switch (e.type()) {
      case simdjson::dom::element_type::STRING: return Search::find(std::string_view{e});
      case simdjson::dom::element_type::OBJECT:
        for (auto field : simdjson::dom::object(e))
          if ((Search::keys && Search::find(field.key)) || walk(field.value)) return true;
        return false;
      case simdjson::dom::element_type::ARRAY:
        for (auto v : simdjson::dom::array(e))
          if (walk(v)) return true;
        return false;
      default: return false;
    }
  }

  padded padded_;
  simdjson::dom::parser parser_;
};

template <class Search>
class ondemand final : public contender {
 public:
  answer judge(std::string_view packet) override {
    simdjson::ondemand::document doc;
    if (parser_.iterate(padded_.of(packet)).get(doc) != simdjson::SUCCESS) return answer::invalid;
    bool hit = false;
    const char* rest = nullptr;
    // Nothing may follow. The version in Debian has no at_end().
    const bool valid =
        walk(doc, hit) && doc.current_location().get(rest) == simdjson::OUT_OF_BOUNDS;
    if (!valid && !hit) return answer::invalid;
    return hit ? answer::malicious : answer::clean;
  }

 private:
  // Returns false if the packet is malformed. Sets hit at the first harmful string and continues,
  // because the rest must be checked.
  template <class Value>
  static bool walk(Value& value, bool& hit) {
    simdjson::ondemand::json_type type;
    if (value.type().get(type) != simdjson::SUCCESS) return false;
    switch (type) {
      case simdjson::ondemand::json_type::object: {
        simdjson::ondemand::object object;
        if (value.get_object().get(object) != simdjson::SUCCESS) return false;
        for (auto field : object) {
          std::string_view key;
          simdjson::ondemand::value child;
          if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
          hit = hit || (Search::keys && Search::find(key));
          if (field.value().get(child) != simdjson::SUCCESS || !walk(child, hit)) return false;
        }
        return true;
      }
      case simdjson::ondemand::json_type::array: {
        simdjson::ondemand::array array;
        if (value.get_array().get(array) != simdjson::SUCCESS) return false;
        for (auto element : array) {
          simdjson::ondemand::value child;
          if (element.get(child) != simdjson::SUCCESS || !walk(child, hit)) return false;
        }
        return true;
      }
      case simdjson::ondemand::json_type::string: {
        std::string_view text;
        if (value.get_string().get(text) != simdjson::SUCCESS) return false;
        hit = hit || Search::find(text);
        return true;
      }
      case simdjson::ondemand::json_type::number: {
        double number;
        return value.get_double().get(number) == simdjson::SUCCESS;
      }
      case simdjson::ondemand::json_type::boolean: {
        bool flag;
        return value.get_bool().get(flag) == simdjson::SUCCESS;
      }
      default: return value.is_null();
    }
  }

  padded padded_;
  simdjson::ondemand::parser parser_;
};

}  // namespace

void add_simdjson_rows() {
  add_note("simdjson", std::to_string(simdjson::SIMDJSON_VERSION_MAJOR) + '.' +
                           std::to_string(simdjson::SIMDJSON_VERSION_MINOR) + '.' +
                           std::to_string(simdjson::SIMDJSON_VERSION_REVISION));
  add_note("simdjson DOM for", std::string{simdjson::get_active_implementation()->name()});
  add_note("simdjson On-Demand for",
           std::string{ondemand_built_for} +
               (ondemand_is_the_best() ? "" : ": left out, build with -march=native"));
  constexpr abilities one{.all_payloads = false};
  if (ondemand_is_the_best()) {
    add_row("simdjson-ondemand", []() -> contender* { return new ondemand<all_needles>; });
    add_row(
        "simdjson-ondemand-needle", []() -> contender* { return new ondemand<one_literal>; }, one);
  }
  add_row("simdjson-dom", []() -> contender* { return new dom<all_needles>; });
  add_row("simdjson-dom-needle", []() -> contender* { return new dom<one_literal>; }, one);
}

}  // namespace rtbwire::bench
