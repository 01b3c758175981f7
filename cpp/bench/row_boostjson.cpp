// Boost.JSON with the heap, and with a memory resource of the document's own: what its manual
// recommends for documents that live shortly. The parser is made once and reset for each packet.
#include <boost/json/src.hpp>
#include <boost/version.hpp>
#include <string>

#include "contender.hpp"

namespace rtbwire::bench {
namespace {

namespace json = boost::json;

std::string_view view(json::string_view s) { return {s.data(), s.size()}; }

// Recursive, bounded by the depth that the parser allows.
template <class Search>
bool walk(const json::value& v) {
  if (const auto* text = v.if_string()) return Search::find({text->data(), text->size()});
  if (const auto* object = v.if_object()) {
    for (const auto& member : *object)
      if ((Search::keys && Search::find(view(member.key()))) || walk<Search>(member.value()))
        return true;
  } else if (const auto* array = v.if_array()) {
    for (const auto& element : *array)
      if (walk<Search>(element)) return true;
  }
  return false;
}

class reused_parser {
 public:
  template <class Search>
  answer judge(std::string_view packet, json::storage_ptr storage) {
    parser_.reset(storage);
    boost::system::error_code error;
    try {
      parser_.write(packet.data(), packet.size(), error);
      if (error) return answer::invalid;
      return walk<Search>(parser_.release()) ? answer::malicious : answer::clean;
    } catch (const std::bad_alloc&) {
      return answer::refused;
    }
  }

 private:
  static json::parse_options deep() {
    json::parse_options options;
    options.max_depth = 1000;
    return options;
  }

  unsigned char temporary_[4096];
  json::parser parser_{json::storage_ptr{}, deep(), temporary_};
};

template <class Search>
class on_heap final : public contender {
 public:
  answer judge(std::string_view packet) override {
    return parser_.judge<Search>(packet, json::storage_ptr{});
  }

 private:
  reused_parser parser_;
};

// Nothing of a document is freed alone: the resource forgets all of it.
template <class Search>
class on_resource final : public contender {
 public:
  answer judge(std::string_view packet) override {
    json::static_resource room{buffer_, sizeof buffer_};
    return parser_.judge<Search>(packet, &room);
  }

 private:
  alignas(64) unsigned char buffer_[arena_size];
  reused_parser parser_;
};

template <class Row>
void add(const char* name, abilities can = {}) {
  add_row(name, []() -> contender* { return new Row; }, can);
}

}  // namespace

void add_boostjson_rows() {
  add_note("Boost.JSON", std::to_string(BOOST_VERSION / 100000) + '.' +
                             std::to_string(BOOST_VERSION / 100 % 1000) + '.' +
                             std::to_string(BOOST_VERSION % 100));
  constexpr abilities one{.all_payloads = false};
  add<on_heap<all_needles>>("boostjson-malloc");
  add<on_resource<all_needles>>("boostjson-resource");
  add<on_heap<one_literal>>("boostjson-malloc-needle", one);
  add<on_resource<one_literal>>("boostjson-resource-needle", one);
}

}  // namespace rtbwire::bench
