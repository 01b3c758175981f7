#include "expressions.hpp"

#include "errors.hpp"

#ifdef RTBWIRE_HAVE_VECTORSCAN

#include <deque>
#include <fstream>
#include <new>
#include <vector>

#include "rtbwire/vectorscan.hpp"

namespace rtbwire::tool {

struct expression_set::parts {
  struct line {
    std::size_t number;
    std::string id, expression, why;
  };
  std::deque<line> lines;  // patterns point into it
  std::vector<pattern> patterns;
  std::vector<rtbwire_pattern_kind> kinds;
  std::unique_ptr<vectorscan> compiled;

  void read(const std::string& file) {
    std::ifstream in{file, std::ios::binary};
    if (!in) throw usage_error{"cannot read " + file + " of --regex"};
    std::string text;
    for (std::size_t number = 1; std::getline(in, text); ++number) {
      if (!text.empty() && text.back() == '\r') text.pop_back();
      if (text.empty() || text[0] == '#') continue;
      const std::size_t one = text.find('\t'),
                        two = one == text.npos ? one : text.find('\t', one + 1);
      if (two == text.npos || one == 0)
        throw usage_error{file + ":" + std::to_string(number) +
                          ": write id, tab, expression, tab, why"};
      if (text.find('\0') != text.npos)
        throw usage_error{file + ":" + std::to_string(number) + ": write \\x00 for NUL"};
      lines.push_back(
          {number, text.substr(0, one), text.substr(one + 1, two - one - 1), text.substr(two + 1)});
    }
    if (in.bad() || lines.empty()) throw usage_error{"no expressions in " + file + " of --regex"};
  }
};

expression_set::expression_set(const std::string& file) : parts_{std::make_unique<parts>()} {
  parts& p = *parts_;
  p.read(file);
  const auto first = default_patterns();
  p.patterns.assign(first.begin(), first.end());
  p.kinds.resize(first.size(), RTBWIRE_PATTERN_LITERAL);
  for (const parts::line& line : p.lines) {
    p.patterns.push_back({line.id.c_str(), line.expression.c_str(), line.why.c_str()});
    p.kinds.push_back(RTBWIRE_PATTERN_EXPRESSION);
  }
  p.compiled = std::make_unique<vectorscan>(p.patterns, p.kinds);
  switch (p.compiled->status()) {
    case RTBWIRE_OK: return;
    case RTBWIRE_BAD_PATTERN: {
      const rtbwire_vectorscan_error& e = p.compiled->error();
      const std::string place = e.pattern_known != 0 && e.pattern >= first.size()
                                    ? ":" + std::to_string(p.lines[e.pattern - first.size()].number)
                                    : "";
      throw usage_error{file + place + ": " + e.reason};
    }
    case RTBWIRE_NO_KERNEL:
      throw usage_error{"Vectorscan does not run on this processor; remove --regex"};
    case RTBWIRE_NO_ROOM: throw std::bad_alloc{};
    default: throw usage_error{"too many expressions in " + file};
  }
}

expression_set::~expression_set() = default;

std::span<const pattern> expression_set::patterns() const noexcept { return parts_->patterns; }
const rtbwire_matcher& expression_set::matcher() const noexcept {
  return parts_->compiled->matcher();
}

std::shared_ptr<void> expression_set::scratch() const {
  auto one = std::make_shared<vectorscan_scratch>(*parts_->compiled);
  if (one->status() != RTBWIRE_OK) throw std::bad_alloc{};
  return {one, one->get()};
}

}  // namespace rtbwire::tool

#else

namespace rtbwire::tool {

struct expression_set::parts {};

expression_set::expression_set(const std::string&) {
  throw usage_error{
      "--regex needs Vectorscan, and this rtbwire-scan was built without Vectorscan; install "
      "libvectorscan-dev and pkg-config and build it again"};
}
expression_set::~expression_set() = default;
std::span<const pattern> expression_set::patterns() const noexcept { return {}; }
const rtbwire_matcher& expression_set::matcher() const noexcept {
  static constexpr rtbwire_matcher none{};
  return none;
}
std::shared_ptr<void> expression_set::scratch() const { return {}; }

}  // namespace rtbwire::tool

#endif
