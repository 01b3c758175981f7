#include "adversarial.hpp"

#include <string_view>

#include "corpus.hpp"
#include "rtbwire/scan.hpp"

namespace rtbwire::corpus {
namespace {

using namespace std::string_view_literals;

std::string json_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string fill(std::string_view begin, std::string_view unit, std::string_view end,
                 std::size_t size) {
  std::string text{begin};
  while (text.size() + unit.size() + end.size() <= size) text += unit;
  return text.append(end);
}

struct repeated {
  std::string_view name, begin, unit, end;
};

const repeated families[] = {
    {"opening brackets", "", "[", ""},
    {"opening braces", "", "{\"\":", ""},
    {"closing brackets", "", "]", ""},
    {"empty arrays", "[0", ",[]", "]"},
    {"empty objects", "[0", ",{}", "]"},
    {"empty strings", "[\"\"", ",\"\"", "]"},
    {"strings of one byte", "[\"\"", ",\"a\"", "]"},
    {"keys", "{\"\":0", ",\"a\":0", "}"},
    {"digits", "[", "1", "]"},
    {"ones", "[1", ",1", "]"},
    {"fractions", "[1", ",-1.5e-3", "]"},
    {"literals", "[null", ",true,false", "]"},
    {"commas", "[", ",", "]"},
    {"colons", "{", ":", "}"},
    {"quotes", "", "\"", ""},
    {"escaped quotes", "\"", "\\\"", "\""},
    {"backslashes", "\"", "\\\\", "\""},
    {"backslashes outside of strings", "", "\\", ""},
    {"escape in every third byte", "\"", "a\\n", "\""},
    {"unicode escapes", "\"", "\\u0041", "\""},
    {"unicode escapes of two bytes", "\"", "\\u00e9", "\""},
    {"unicode escapes of three bytes", "\"", "\\u4e2d", "\""},
    {"surrogate pairs", "\"", "\\ud83d\\ude00", "\""},
    {"first halves of surrogate pairs", "\"", "\\ud83d", "\""},
    {"second halves of surrogate pairs", "\"", "\\ude00", "\""},
    {"broken escapes", "\"", "\\q", "\""},
    {"broken unicode escapes", "\"", "\\u00", "\""},
    {"spaces", "", " ", "1"},
    {"line feeds", "", "\n", "1"},
    {"spaces between tokens", "[0", " , 0", " ]"},
    {"control characters in a string", "\"", "\x01", "\""},
    {"NUL", "", "\0"sv, ""},
    {"0xff", "", "\xff", ""},
    {"continuation bytes", "\"", "\x80", "\""},
    {"lead bytes", "\"", "\xf0", "\""},
    {"overlong sequences", "\"", "\xc0\xaf", "\""},
    {"two-byte characters", "\"", "\xc3\xa9", "\""},
    {"three-byte characters", "\"", "\xe4\xb8\xad", "\""},
    {"four-byte characters", "\"", "\xf0\x9f\x98\x80", "\""},
    {"cut characters", "\"", "\xe4\xb8", "\""},
    {"fullwidth characters", "\"", "\xef\xbc\x9c", "\""},
    {"percent signs", "\"", "%", "\""},
    {"percent encoding", "\"", "%25", "\""},
    {"percent encoding of letters", "\"", "%2525253c", "\""},
    {"ampersands", "\"", "&", "\""},
    {"entities", "\"", "&amp;", "\""},
    {"zeros in an entity", "\"", "&#0000000", "\""},
    {"entities of ampersands", "\"", "&amp;amp;amp;lt;", "\""},
    {"comments that do not end", "\"", "/*", "\""},
    {"comments that do not end, in strings", "[\"\"", ",\"/*\"", "]"},
    {"comments that do not end, after one that does", "[\"/**/\"", ",\"/**/ /*a\"", "]"},
    {"comments", "\"", "/**/", "\""},
    {"stars and slashes", "\"", "*/", "\""},
    {"slashes", "\"", "/", "\""},
    {"tabs", "\"", "\\t", "\""},
    {"long pointer", "{\"", "~", "\":\"<script\"}"},
    {"match at the end", "\"", "a", "<script\""},
};

}  // namespace

std::vector<adversary> adversarial() {
  std::vector<adversary> all;
  const auto add = [&](std::string_view name, std::string_view begin, std::string_view unit,
                       std::string_view end) {
    for (const std::size_t size : {1459u, 65000u})
      all.push_back({std::string{name}, fill(begin, unit, end, size)});
  };
  for (const repeated& r : families) add(r.name, r.begin, r.unit, r.end);

  add("arrays in arrays, 60 deep", "[0", "," + std::string(60, '[') + std::string(60, ']'), "]");
  add("arrays in arrays, 250 deep", "[0", "," + std::string(250, '[') + std::string(250, ']'), "]");

  // Near-matches of literals. The nearest to all of them is each without its last byte.
  std::string near, first, last;
  for (const pattern& p : default_patterns()) {
    const std::string_view literal = p.literal;
    const std::string cut = json_text(literal.substr(0, literal.size() - 1));
    near += cut + '!';
    first += json_text(literal.substr(0, 1));
    last += json_text(literal.substr(1)) + '!';
    if (literal.size() == 1) continue;
    add("near " + std::string{p.id}, "\"", cut, "\"");
    add("window of " + std::string{p.id}, "\"", json_text(literal.substr(literal.size() / 2)),
        "\"");
    add("first bytes of " + std::string{p.id}, "\"", json_text(literal.substr(0, 4)), "\"");
    add("first byte of " + std::string{p.id}, "\"", json_text(literal.substr(0, 1)), "\"");
    add("last bytes of " + std::string{p.id}, "\"", json_text(literal.substr(literal.size() - 4)),
        "\"");
    add("many " + std::string{p.id}, "\"", json_text(literal), "\"");
  }
  add("near all", "\"", near, "\"");
  add("first bytes of all", "\"", first, "\"");
  add("all without their first byte", "\"", last, "\"");
  std::string every;
  for (const pattern& p : default_patterns()) every += json_text(p.literal);
  add("all", "\"", every, "\"");
  random r{77};
  std::string noise;
  for (int i = 0; i < 64000; ++i) noise += static_cast<char>(r.below(256));
  add("noise", "\"", noise.substr(0, 1400), "\"");
  std::string letters;
  for (int i = 0; i < 1400; ++i) letters += static_cast<char>('a' + r.below(26));
  add("letters", "\"", letters, "\"");
  return all;
}

}  // namespace rtbwire::corpus
