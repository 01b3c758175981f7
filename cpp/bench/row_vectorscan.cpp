// Our scanner with Vectorscan, with the default patterns and with more, and the built-in search
// with the same numbers of patterns.
#include <hs.h>

#include <vector>

#include "contender.hpp"
#include "many.hpp"
#include "rtbwire/vectorscan.hpp"

namespace rtbwire::bench {
namespace {

answer judge_with(scanner& s, std::string_view packet, verdict& v) {
  rtbwire_scan(s.get(), packet.data(), packet.size(), &v);
  if (v.outcome == RTBWIRE_MALICIOUS) return answer::malicious;
  return v.outcome == RTBWIRE_CLEAN ? answer::clean : answer::invalid;
}

constexpr rtbwire_scanner_options options{RTBWIRE_DETECT, 65535, 0};

// Similar to literals such as onerror= and union select. They match nothing but payloads in the
// corpus.
constexpr const char* expressions[] = {R"(\bon[a-z]{3,20}\s*=)", R"(\$\{\s*jndi\s*:)",
                                       R"(union\s+(all\s+|distinct\s+)?select\b)",
                                       R"(<\s*script\b)"};

struct set_of_patterns {
  explicit set_of_patterns(std::size_t more, bool with_expressions) : many{more} {
    patterns.assign(many.get().begin(), many.get().end());
    kinds.resize(patterns.size(), RTBWIRE_PATTERN_LITERAL);
    if (!with_expressions) return;
    for (const char* e : expressions) {
      patterns.push_back({e, e, ""});
      kinds.push_back(RTBWIRE_PATTERN_EXPRESSION);
    }
  }
  many_patterns many;
  std::vector<pattern> patterns;
  std::vector<rtbwire_pattern_kind> kinds;
};

vectorscan compile(const set_of_patterns& set) { return vectorscan{set.patterns, set.kinds}; }

template <std::size_t More, bool Expressions = false>
class by_vectorscan final : public contender {
 public:
  answer judge(std::string_view packet) override { return judge_with(scanner_, packet, verdict_); }
  std::size_t arena_peak() const override { return rtbwire_scanner_peak(scanner_.get()); }

 private:
  vectorscan compiled_ = compile(set_of_patterns{More, Expressions});
  vectorscan_scratch scratch_{compiled_};
  std::vector<std::byte> engine_memory_ =
      std::vector<std::byte>(engine::memory(compiled_.matcher()));
  std::vector<std::byte> memory_ = std::vector<std::byte>(scanner::memory(options));
  engine engine_{engine_memory_, compiled_.matcher()};
  scanner scanner_{memory_, engine_, scratch_.get(), options};
  verdict verdict_{};
};

template <std::size_t More>
class built_in final : public contender {
 public:
  answer judge(std::string_view packet) override { return judge_with(scanner_, packet, verdict_); }
  std::size_t arena_peak() const override { return rtbwire_scanner_peak(scanner_.get()); }

 private:
  many_patterns patterns_{More};
  std::vector<std::byte> engine_memory_ = std::vector<std::byte>(engine::memory(patterns_.get()));
  std::vector<std::byte> memory_ = std::vector<std::byte>(scanner::memory(options));
  engine engine_{engine_memory_, patterns_.get()};
  scanner scanner_{memory_, engine_, options};
  verdict verdict_{};
};

template <class Row>
void add(const char* name) {
  add_row(name, []() -> contender* { return new Row; }, {.grammar = false, .longest = 65535});
}

}  // namespace

// best: the kernel that is chosen by default.
void add_vectorscan_rows() {
  const std::string version = hs_version();  // "5.4.9 2023-...", or the number and a space
  add_note("Vectorscan", version.substr(0, version.find(' ')));
  add<by_vectorscan<0>>("scanner-detect-vectorscan");
  add<by_vectorscan<0, true>>("scanner-detect-vectorscan-expressions");
  add<built_in<250>>("scanner-detect-best-250-more");
  add<by_vectorscan<250>>("scanner-detect-vectorscan-250-more");
  add<built_in<1000>>("scanner-detect-best-1000-more");
  add<by_vectorscan<1000>>("scanner-detect-vectorscan-1000-more");
  add<built_in<3000>>("scanner-detect-best-3000-more");
  add<by_vectorscan<3000>>("scanner-detect-vectorscan-3000-more");
}

}  // namespace rtbwire::bench
