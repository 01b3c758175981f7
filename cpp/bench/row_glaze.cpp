// Glaze into its generic value, a new one for each packet, because a reused one keeps the keys of
// earlier packets. The walk is recursive; Glaze limits the depth.
#include <glaze/json.hpp>
#include <glaze/version.hpp>
#include <string>
#include <variant>

#include "contender.hpp"

namespace rtbwire::bench {
namespace {

// All checks are on.
struct strict : glz::opts {
  bool validate_skipped = true;
  bool validate_trailing_whitespace = true;
};

template <class Search>
bool walk(const glz::generic& value) {
  if (const auto* text = std::get_if<std::string>(&value.data)) return Search::find(*text);
  if (const auto* array = std::get_if<glz::generic::array_t>(&value.data)) {
    for (const auto& element : *array)
      if (walk<Search>(element)) return true;
  } else if (const auto* object = std::get_if<glz::generic::object_t>(&value.data)) {
    for (const auto& [key, child] : *object)
      if ((Search::keys && Search::find(key)) || walk<Search>(child)) return true;
  }
  return false;
}

template <class Search>
class generic final : public contender {
 public:
  answer judge(std::string_view packet) override {
    buffer_ = packet;  // it needs a NUL after the text; the memory is reused
    glz::generic value;
    if (glz::read<strict{}>(value, buffer_)) return answer::invalid;
    return walk<Search>(value) ? answer::malicious : answer::clean;
  }

 private:
  std::string buffer_;
};

}  // namespace

void add_glaze_rows() {
  constexpr glz::version_t v;
  add_note("Glaze", std::to_string(v.major) + '.' + std::to_string(v.minor) + '.' +
                        std::to_string(v.patch));
  add_row("glaze-generic", []() -> contender* { return new generic<all_needles>; });
  add_row("glaze-generic-needle", []() -> contender* { return new generic<one_literal>; },
          {.all_payloads = false});
}

}  // namespace rtbwire::bench
