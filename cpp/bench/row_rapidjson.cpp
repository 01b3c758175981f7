// RapidJSON: with its pool on a fixed buffer, and in situ on a copy. It is told to check UTF-8,
// which is not its default, because the others check it.
#include <rapidjson/document.h>

#include <cstring>

#include "contender.hpp"

namespace rtbwire::bench {
namespace {

using pool = rapidjson::MemoryPoolAllocator<>;
using document = rapidjson::GenericDocument<rapidjson::UTF8<>, pool, pool>;
constexpr unsigned flags = rapidjson::kParseValidateEncodingFlag | rapidjson::kParseIterativeFlag;

// The recursion is bounded by the packets of the corpus.
template <class Search>
bool walk(const document::ValueType& v) {
  if (v.IsString()) return Search::find({v.GetString(), v.GetStringLength()});
  if (v.IsObject()) {
    for (const auto& m : v.GetObject())
      if ((Search::keys && Search::find({m.name.GetString(), m.name.GetStringLength()})) ||
          walk<Search>(m.value))
        return true;
  } else if (v.IsArray()) {
    for (const auto& e : v.GetArray())
      if (walk<Search>(e)) return true;
  }
  return false;
}

template <class Search, bool InSitu>
class rapid final : public contender {
 public:
  answer judge(std::string_view packet) override {
    pool values{values_, sizeof values_}, stack{stack_, sizeof stack_};
    document doc{&values, 1024, &stack};
    if constexpr (InSitu) {
      std::memcpy(copy_, packet.data(), packet.size());
      copy_[packet.size()] = '\0';
      doc.ParseInsitu<flags>(copy_);
    } else {
      doc.Parse<flags>(packet.data(), packet.size());
    }
    const answer a = doc.HasParseError()   ? answer::invalid
                     : walk<Search>(doc)   ? answer::malicious
                                           : answer::clean;
    if (values.Size() + stack.Size() > peak_) peak_ = values.Size() + stack.Size();
    return a;
  }
  std::size_t arena_peak() const override { return peak_; }

 private:
  alignas(64) char values_[arena_size];
  alignas(64) char stack_[arena_size];
  char copy_[longest_packet];
  std::size_t peak_{0};
};

}  // namespace

void add_rapidjson_rows() {
  add_note("RapidJSON", RAPIDJSON_VERSION_STRING);
  add_row("rapidjson-pool", []() -> contender* { return new rapid<all_needles, false>; });
  add_row("rapidjson-insitu", []() -> contender* { return new rapid<all_needles, true>; });
  constexpr abilities one{.all_payloads = false};
  add_row("rapidjson-pool-needle", []() -> contender* { return new rapid<one_literal, false>; },
          one);
  add_row("rapidjson-insitu-needle", []() -> contender* { return new rapid<one_literal, true>; },
          one);
}

}  // namespace rtbwire::bench
