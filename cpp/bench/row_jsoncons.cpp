// jsoncons with the heap and with std::pmr, which it gives to values and to what it needs while it
// parses. It is told to refuse comments and commas before a bracket, which is not its default.
#include <jsoncons/config/version.hpp>
#include <jsoncons/json.hpp>
#include <memory_resource>
#include <string>

#include "contender.hpp"

namespace rtbwire::bench {
namespace {

// Recursive, bounded by the packets of the corpus.
template <class Search, class Json>
bool walk(const Json& j) {
  if (j.is_string()) return Search::find(j.as_string_view());
  if (j.is_object()) {
    for (const auto& member : j.object_range())
      if ((Search::keys && Search::find(member.key())) || walk<Search>(member.value())) return true;
  } else if (j.is_array()) {
    for (const auto& element : j.array_range())
      if (walk<Search>(element)) return true;
  }
  return false;
}

template <class Search, class Json, class Allocator>
answer parse_and_walk(std::string_view packet, const Allocator& allocator) {
  using source = jsoncons::string_source<char>;
  try {
    jsoncons::json_decoder<Json, Allocator> decoder{allocator, allocator};
    jsoncons::basic_json_reader<char, source, Allocator> reader{
        packet, decoder, jsoncons::json_options{}.allow_comments(false),
        jsoncons::strict_json_parsing{}, allocator};
    std::error_code error;
    reader.read(error);
    if (!error) reader.check_done(error);
    if (error) return answer::invalid;
    const Json root = decoder.get_result();
    return walk<Search>(root) ? answer::malicious : answer::clean;
  } catch (const std::bad_alloc&) {
    return answer::refused;
  }
}

template <class Search>
class on_heap final : public contender {
 public:
  answer judge(std::string_view packet) override {
    return parse_and_walk<Search, jsoncons::json>(packet, std::allocator<char>{});
  }
};

// What does not fit into the buffer comes from the heap: its destructors take memory too, and a
// failure there would end the program. The default resource is another row's.
template <class Search>
class on_pmr final : public contender {
 public:
  answer judge(std::string_view packet) override {
    std::pmr::monotonic_buffer_resource room{buffer_, sizeof buffer_,
                                             std::pmr::new_delete_resource()};
    return parse_and_walk<Search, jsoncons::pmr::json>(
        packet, std::pmr::polymorphic_allocator<char>{&room});
  }

 private:
  alignas(64) std::byte buffer_[arena_size];
};

template <class Row>
void add(const char* name, abilities can = {}) {
  add_row(name, []() -> contender* { return new Row; }, can);
}

}  // namespace

void add_jsoncons_rows() {
  add_note("jsoncons", std::to_string(JSONCONS_VERSION_MAJOR) + '.' +
                           std::to_string(JSONCONS_VERSION_MINOR) + '.' +
                           std::to_string(JSONCONS_VERSION_PATCH));
  constexpr abilities one{.all_payloads = false};
  add<on_heap<all_needles>>("jsoncons-malloc");
  add<on_pmr<all_needles>>("jsoncons-pmr");
  add<on_heap<one_literal>>("jsoncons-malloc-needle", one);
  add<on_pmr<one_literal>>("jsoncons-pmr-needle", one);
}

}  // namespace rtbwire::bench
