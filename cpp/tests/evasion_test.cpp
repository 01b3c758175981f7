// Ways to hide a payload from a scanner, and honest text that looks like one.
#include <gtest/gtest.h>

#include "support.hpp"

namespace rtbwire::test {
namespace {

using namespace std::string_view_literals;

struct evasion {
  std::string_view name;
  std::string_view packet;
};

// Found in the plain decoded text, no layer needed.
const evasion plain[] = {
    {"as it is", R"j({"a":"<script>"})j"},
    {"upper case", R"j({"a":"<SCRIPT>"})j"},
    {"mixed case", R"j({"a":"<ScRiPt>"})j"},
    {"first byte escaped", R"j({"a":"\u003cscript>"})j"},
    {"first byte escaped, upper hex", R"j({"a":"\u003Cscript>"})j"},
    {"letter escaped", R"j({"a":"<\u0073cript>"})j"},
    {"upper letter escaped", R"j({"a":"<\u0053cript>"})j"},
    {"last letter escaped", R"j({"a":"<scrip\u0074"})j"},
    {"every letter escaped", R"j({"a":"\u003c\u0073\u0063\u0072\u0069\u0070\u0074"})j"},
    {"solidus escaped", R"j({"a":"<\/script>"})j"},
    {"after an escaped quote", R"j({"a":"\"<script>"})j"},
    {"after an escaped backslash", R"j({"a":"\\<script>"})j"},
    {"after two escaped backslashes", R"j({"a":"\\\\<script>"})j"},
    {"after NUL", R"j({"a":"x\u0000<script>"})j"},
    {"after a surrogate pair", R"j({"a":"\ud83d\ude00<script>"})j"},
    {"between two surrogate pairs", R"j({"a":"\ud83d\ude00<script\ud83d\ude00"})j"},
    {"after half of a surrogate pair", R"j({"a":"\ud83d<script>"})j"},
    {"after the other half", R"j({"a":"\ude00<script>"})j"},
    {"half of a pair, then an escape", R"j({"a":"\ud83d\u003cscript>"})j"},
    {"after an unknown escape", R"j({"a":"\q<script>"})j"},
    {"after a broken escape", R"j({"a":"\u00<script>"})j"},
    {"after a broken hex digit", R"j({"a":"\uZZZZ<script>"})j"},
    {"in a key", R"j({"<script>":1})j"},
    {"in an escaped key", R"j({"\u003cscript>":1})j"},
    {"in a nested key", R"j({"a":[{"b":{"<script>":{}}}]})j"},
    {"in the first of two equal keys", R"j({"a":"<script>","a":"x"})j"},
    {"in the second of two equal keys", R"j({"a":"x","a":"<script>"})j"},
    {"root string", R"j("<script>")j"},
    {"array element", R"j([1,2,"<script>"])j"},
    {"behind numbers", R"j([1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"<script>"])j"},
    {"empty key", R"j({"":"<script>"})j"},
    {"JavaScript URL", R"j({"a":"JaVaScRiPt:x()"})j"},
    {"SQL in upper case", R"j({"a":"1 UNION SELECT 2"})j"},
    {"SQL comparison", R"j({"a":"x' OR '1'='1"})j"},
    {"template", R"j({"a":"${jNdI:ldap://x}"})j"},
    {"path", R"j({"a":"..\/..\/etc\/passwd"})j"},
    // Malformed: what a lenient reader behind us would still accept.
    {"trailing comma", R"j({"a":"<script>",})j"},
    {"trailing comment", R"j({"a":"<script>"}//)j"},
    {"comment before", R"j(/**/{"a":"<script>"})j"},
    {"NaN beside", R"j({"n":NaN,"a":"<script>"})j"},
    {"byte order mark", "\xef\xbb\xbf{\"a\":\"<script>\"}"},
    {"truncated string", R"j({"a":"<script)j"},
    {"truncated object", R"j({"a":"<script>")j"},
    {"second document", "{}\n{\"a\":\"<script>\"}"},
    {"trailing garbage", R"j({"a":1}<script>)j"},
    {"raw tab beside", "{\"b\":\"\t\",\"a\":\"<script>\"}"},
    {"raw NUL before", "{\"b\":\"\0\",\"a\":\"<script>\"}"sv},
    {"invalid UTF-8 beside", "{\"b\":\"\xff\",\"a\":\"<script>\"}"},
    {"invalid UTF-8 before", "{\"a\":\"\xe2<script>\"}"},
    {"huge number beside", R"j({"n":1e999,"a":"<script>"})j"},
    {"leading zero beside", R"j({"n":01,"a":"<script>"})j"},
    {"single quotes", R"j({'a':'<script>'})j"},
    {"no quotes", R"j({a:<script>})j"},
    {"missing colon", R"j({"a" "<script>"})j"},
    {"missing quote before", R"j({"b":"x,"a":"<script>"})j"},
    {"bracket mismatch before", R"j([},"<script>"])j"},
    {"literal misspelt before", R"j([tru,"<script>"])j"},
    {"backslash outside of strings", R"j([\,"<script>"])j"},
    {"quote escaped outside of strings", R"j([\"<script>"])j"},
};

TEST(Evasion, PlainTextIsEnough) {
  for (const auto kernel : kernels()) {
    for (const auto mode : {RTBWIRE_STRICT, RTBWIRE_DETECT}) {
      fixture_scanner scan{kernel, {mode, 0, 0}};
      for (const evasion& e : plain) {
        const guarded in{e.packet};
        const verdict v = scan(in.view());
        EXPECT_EQ(v.outcome, RTBWIRE_MALICIOUS) << e.name << ": " << describe(v);
        EXPECT_FALSE(v.match_layered) << e.name;
      }
    }
  }
}

// The same behind every amount of padding, so that every byte of the payload comes to lie on
// each side of every border of a vector and block.
TEST(Evasion, AtEveryOffset) {
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel};
    for (const evasion& e : plain) {
      for (std::size_t pad = 0; pad < 136; ++pad) {
        const guarded in{std::string(pad, ' ') + std::string{e.packet}};
        ASSERT_EQ(scan(in.view()).outcome, RTBWIRE_MALICIOUS) << e.name << " behind " << pad;
      }
    }
  }
}

const evasion layered[] = {
    {"percent", R"j({"a":"%3cscript%3e"})j"},
    {"percent, upper hex", R"j({"a":"%3Cscript%3E"})j"},
    {"percent of letters", R"j({"a":"<%73cript"})j"},
    {"percent twice", R"j({"a":"%253cscript"})j"},
    {"percent three times", R"j({"a":"%25253cscript"})j"},
    {"percent, itself escaped", R"j({"a":"\u00253cscript"})j"},
    {"named entity", R"j({"a":"&lt;script&gt;"})j"},
    {"named entity, upper case", R"j({"a":"&LT;script"})j"},
    {"decimal entity", R"j({"a":"&#60;script"})j"},
    {"decimal entity, zeros", R"j({"a":"&#0000060;script"})j"},
    {"decimal entity, no semicolon", R"j({"a":"&#60script"})j"},
    {"hex entity", R"j({"a":"&#x3c;script"})j"},
    {"hex entity, upper case", R"j({"a":"&#X3C;script"})j"},
    {"entity of an ampersand", R"j({"a":"&amp;lt;script"})j"},
    {"entity of a letter", R"j({"a":"java&#115;cript:x"})j"},
    {"colon entity", R"j({"a":"javascript&colon;x"})j"},
    {"entity in percent", R"j({"a":"%26lt;script"})j"},
    {"fullwidth bracket", R"j({"a":"＜script＞"})j"},
    {"fullwidth letters", R"j({"a":"＜ｓｃｒｉｐｔ"})j"},
    {"fullwidth escaped", R"j({"a":"\uff1cscript"})j"},
    {"twice escaped", R"j({"a":"\\u003cscript"})j"},
    {"three times escaped", R"j({"a":"\\\\u003cscript"})j"},
    {"JavaScript escape", R"j({"a":"\\x3cscript"})j"},
    {"JSON in JSON", R"j({"a":"{\"b\":\"\\u003cscript\"}"})j"},
    {"tab in a URL", R"j({"a":"java\tscript:x"})j"},
    {"line break in a URL", R"j({"a":"java\nscript:x"})j"},
    {"tab entity in a URL", R"j({"a":"java&#9;script:x"})j"},
    {"NUL in a tag", R"j({"a":"<scr\u0000ipt"})j"},
    {"comment for a space", R"j({"a":"1 union/**/select 2"})j"},
    {"comment with text for a space", R"j({"a":"1 UNION/*x*/SELECT 2"})j"},
    {"many spaces", R"j({"a":"1 union    select 2"})j"},
    {"line break for a space", R"j({"a":"1 union\nselect 2"})j"},
    {"tab and comment", R"j({"a":"1 union\t/**/\tselect 2"})j"},
    {"percent space", R"j({"a":"1%20union%20select%202"})j"},
    {"comment inside a word", R"j({"a":"1 un/**/ion select"})j"},
};

TEST(Evasion, FurtherLayers) {
  for (const auto kernel : kernels()) {
    fixture_scanner bare{kernel}, scan{kernel, {}, RTBWIRE_LAYER_ALL};
    for (const evasion& e : layered) {
      const guarded in{e.packet};
      EXPECT_EQ(bare(in.view()).outcome, RTBWIRE_CLEAN) << e.name;
      const verdict v = scan(in.view());
      EXPECT_EQ(v.outcome, RTBWIRE_MALICIOUS) << e.name << ": " << describe(v);
      EXPECT_TRUE(v.match_layered) << e.name;
      EXPECT_STREQ(v.pointer, "/a") << e.name << ": " << describe(v);
    }
  }
}

const evasion honest[] = {
    {"word", R"j({"a":"script"})j"},
    {"across two strings", R"j(["<scr","ipt>"])j"},
    {"across key and value", R"j({"<scr":"ipt"})j"},
    {"bracket apart", R"j({"a":"< script"})j"},
    {"Japanese", R"j({"a":"スクリプトを選択してください <東京>"})j"},
    {"Russian", R"j({"a":"объединение выбрать скрипт"})j"},
    {"Arabic", R"j({"a":"مرحبا <نص برمجي>"})j"},
    {"comparison", R"j({"a":"1 < 2 and 3 > 2; select your union"})j"},
    {"percent sign", R"j({"a":"100% sure, 5%3 off"})j"},
    {"ampersand", R"j({"a":"AT&T; a&b; &#20013;"})j"},
    {"fullwidth", R"j({"a":"ＡＢＣ＜中文＞"})j"},
    {"comment", R"j({"a":"/* <b>hi</b> */"})j"},
    {"SQL words", R"j({"a":"the union will select a delegate; drop the table off"})j"},
};

TEST(Evasion, HonestTextIsClean) {
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel, {}, RTBWIRE_LAYER_ALL};
    for (const evasion& e : honest) EXPECT_EQ(scan(e.packet).outcome, RTBWIRE_CLEAN) << e.name;
  }
}

struct place {
  std::string_view packet;
  unsigned offset;
  bool in_key, known;
  std::string_view pointer;
};

const place places[] = {
    {R"({"imp":[{},{"banner":{"w":"<script"}}]})", 27, false, true, "/imp/1/banner/w"},
    {R"({"a/b~c":["x",["<script"]]})", 16, false, true, "/a~1b~0c/1/0"},
    {R"({"a":{"<script":1}})", 7, true, true, "/a/<script"},
    {R"({"a":"\ud83d\ude00\u003cscript"})", 18, false, true, "/a"},
    {R"("<script")", 1, false, true, ""},
    {R"({"a":1,"b":"<script)", 12, false, true, "/b"},
    {R"({"a":tru,"b":"<script"})", 14, false, false, ""},
    {R"({"a":1}<script)", 7, false, false, ""},
    {R"({"":{"":"<script"}})", 9, false, true, "//"},
};

TEST(Evasion, PlacesAreExact) {
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel};
    for (const place& p : places) {
      const verdict v = scan(p.packet);
      ASSERT_EQ(v.outcome, RTBWIRE_MALICIOUS) << p.packet;
      EXPECT_EQ(v.match_offset, p.offset) << p.packet;
      EXPECT_EQ(v.match_in_key != 0, p.in_key) << p.packet;
      EXPECT_EQ(v.pointer_known != 0, p.known) << p.packet;
      EXPECT_EQ(v.pointer, p.pointer) << p.packet;
    }
  }
}

TEST(Evasion, LongPointersAreCut) {
  fixture_scanner scan;
  const verdict v = scan("{\"" + std::string(500, 'k') + "\":\"<script\"}");
  EXPECT_TRUE(v.pointer_truncated);
  EXPECT_EQ(std::string_view{v.pointer}.size(), std::size_t{RTBWIRE_POINTER_MAX});
}

}  // namespace
}  // namespace rtbwire::test
