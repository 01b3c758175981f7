#include "json.hpp"

#include <algorithm>
#include <charconv>

namespace rtbwire::test::json {
namespace {

class parser {
 public:
  explicit parser(std::string_view text) : rest_{text} {}

  value document() {
    value v = any();
    space();
    if (!rest_.empty()) fail();
    return v;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::logic_error{"not JSON: " + std::string{rest_.substr(0, 40)}};
  }
  void space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size())); }
  char next() {
    if (rest_.empty()) fail();
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool accept(std::string_view token) {
    space();
    if (!rest_.starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail();
  }

  value any() {
    value v;
    if (accept("null")) return v;
    if (accept("true") || accept("false")) {
      v.is = value::kind::boolean;
    } else if (accept("\"")) {
      v.is = value::kind::string;
      v.string = string();
    } else if (accept("[")) {
      v.is = value::kind::array;
      if (accept("]")) return v;
      do v.items.push_back(any());
      while (accept(","));
      expect("]");
    } else if (accept("{")) {
      v.is = value::kind::object;
      if (accept("}")) return v;
      do {
        expect("\"");
        v.keys.push_back(string());
        expect(":");
        v.items.push_back(any());
      } while (accept(","));
      expect("}");
    } else {
      v.is = value::kind::number;
      const auto [end, error] =
          std::from_chars(rest_.data(), rest_.data() + rest_.size(), v.number);
      if (error != std::errc{}) fail();
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    }
    return v;
  }

  // After the opening quote.
  std::string string() {
    std::string out;
    for (char c = next(); c != '"'; c = next()) {
      if (c != '\\') {
        out += c;
        continue;
      }
      c = next();
      switch (c) {
        case 'b': out += '\b'; break;
        case 'f': out += '\f'; break;
        case 'n': out += '\n'; break;
        case 'r': out += '\r'; break;
        case 't': out += '\t'; break;
        case 'u': put_utf8(out, code_point()); break;
        default: out += c;
      }
    }
    return out;
  }

  unsigned hex4() {
    unsigned unit = 0;
    const std::string_view digits = rest_.substr(0, 4);
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), unit, 16);
    if (error != std::errc{} || end != digits.data() + 4) fail();
    rest_.remove_prefix(4);
    return unit;
  }

  unsigned code_point() {
    const unsigned unit = hex4();
    if (unit < 0xd800 || unit > 0xdbff) return unit;
    expect("\\u");
    return 0x10000 + ((unit - 0xd800) << 10) + (hex4() - 0xdc00);
  }

  static void put_utf8(std::string& out, unsigned c) {
    const auto put = [&](unsigned byte) { out += static_cast<char>(byte); };
    const auto tail = [&](unsigned shift) { put(0x80 | (c >> shift & 0x3f)); };
    if (c < 0x80) return put(c);
    if (c < 0x800) put(0xc0 | c >> 6);
    else {
      if (c < 0x10000) put(0xe0 | c >> 12);
      else {
        put(0xf0 | c >> 18);
        tail(12);
      }
      tail(6);
    }
    tail(0);
  }

  std::string_view rest_;
};

}  // namespace

value parse(std::string_view text) { return parser{text}.document(); }

}  // namespace rtbwire::test::json
