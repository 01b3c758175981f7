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
bool walk(const document::ValueType& v) {
  if (v.IsString()) return harmful({v.GetString(), v.GetStringLength()});
  if (v.IsObject()) {
    for (const auto& m : v.GetObject())
      if (harmful({m.name.GetString(), m.name.GetStringLength()}) || walk(m.value)) return true;
  } else if (v.IsArray()) {
    for (const auto& e : v.GetArray())
      if (walk(e)) return true;
  }
  return false;
}

template <bool InSitu>
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
    const answer a = doc.HasParseError() ? answer::invalid
                     : walk(doc)         ? answer::malicious
                                         : answer::clean;
    if (values.Size() + stack.Size() > peak_) peak_ = values.Size() + stack.Size();
    return a;
  }
  std::size_t arena_peak() const override { return peak_; }

 private:
  alignas(64) char values_[arena_size];
  alignas(64) char stack_[arena_size];
  char copy_[arena_size];
  std::size_t peak_{0};
};

}  // namespace

void add_rapidjson_rows() {
  add_note("RapidJSON", RAPIDJSON_VERSION_STRING);
  add_row(
      "rapidjson-pool", []() -> contender* { return new rapid<false>; }, {.large = true});
  add_row("rapidjson-insitu", []() -> contender* { return new rapid<true>; });
}

}  // namespace rtbwire::bench
