// Ways to hide a payload from a scanner, and ordinary text that looks like one.
#include <gtest/gtest.h>

#include <set>

#include "corpus.hpp"
#include "support.hpp"

namespace rtbwire::test {
namespace {

using namespace std::string_view_literals;

struct evasion {
  std::string_view name;
  std::string_view packet;
};

// Found in the plain text, without layers.
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
    {"after numbers", R"j([1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"<script>"])j"},
    {"empty key", R"j({"":"<script>"})j"},
    {"JavaScript URL", R"j({"a":"JaVaScRiPt:x()"})j"},
    {"SQL in upper case", R"j({"a":"1 UNION SELECT 2"})j"},
    {"SQL comparison", R"j({"a":"x' OR '1'='1"})j"},
    {"template", R"j({"a":"${jNdI:ldap://x}"})j"},
    {"path", R"j({"a":"..\/..\/etc\/passwd"})j"},
    // Malformed, but accepted by lenient parsers.
    {"trailing comma", R"j({"a":"<script>",})j"},
    {"trailing comment", R"j({"a":"<script>"}//)j"},
    {"comment before", R"j(/**/{"a":"<script>"})j"},
    {"NaN elsewhere", R"j({"n":NaN,"a":"<script>"})j"},
    {"byte order mark", "\xef\xbb\xbf{\"a\":\"<script>\"}"},
    {"truncated string", R"j({"a":"<script)j"},
    {"truncated object", R"j({"a":"<script>")j"},
    {"second document", "{}\n{\"a\":\"<script>\"}"},
    {"trailing garbage", R"j({"a":1}<script>)j"},
    {"raw tab elsewhere", "{\"b\":\"\t\",\"a\":\"<script>\"}"},
    {"raw NUL before", "{\"b\":\"\0\",\"a\":\"<script>\"}"sv},
    {"invalid UTF-8 elsewhere", "{\"b\":\"\xff\",\"a\":\"<script>\"}"},
    {"invalid UTF-8 before", "{\"a\":\"\xe2<script>\"}"},
    {"huge number elsewhere", R"j({"n":1e999,"a":"<script>"})j"},
    {"leading zero elsewhere", R"j({"n":01,"a":"<script>"})j"},
    {"single quotes", R"j({'a':'<script>'})j"},
    {"no quotes", R"j({a:<script>})j"},
    {"missing colon", R"j({"a" "<script>"})j"},
    {"missing quote before", R"j({"b":"x,"a":"<script>"})j"},
    {"bracket mismatch before", R"j([},"<script>"])j"},
    {"literal misspelt before", R"j([tru,"<script>"])j"},
    {"backslash outside of strings", R"j([\,"<script>"])j"},
    {"quote escaped outside of strings", R"j([\"<script>"])j"},
    // Case.
    {"one capital", R"j({"a":"<scripT>"})j"},
    {"capitals by escapes", R"j({"a":"<\u0053\u0043RIPT>"})j"},
    {"capitals in a key", R"j({"<SCRIPT>":1})j"},
    {"event handler, mixed case", R"j({"a":"<x oNeRrOr=y>"})j"},
    {"mixed case across an escape", R"j({"a":"jAvA\u0053cRiPt:x"})j"},
    // Escapes.
    {"every second letter escaped", R"j({"a":"<\u0073c\u0072i\u0070t"})j"},
    {"hex in both cases", R"j({"a":"\u003C\u006A\u003c\u002Fscript"})j"},
    {"colon escaped", R"j({"a":"javascript\u003ax"})j"},
    {"quote escaped as a unit", R"j({"a":"x\u0027 or \u00271\u0027=\u00271"})j"},
    {"double quote escaped", R"j({"a":"x\" or \"1\"=\"1"})j"},
    {"double quote as a unit", R"j({"a":"x\u0022 or \u00221\u0022=\u00221"})j"},
    {"double quote, one of each", R"j({"a":"x\" or \u00221\"=\u00221"})j"},
    {"backslash in a literal", R"j({"a":"c:\\windows\\system32"})j"},
    {"backslash as a unit", R"j({"a":"c:\u005cwindows\u005csystem32"})j"},
    {"dollar and brace escaped", R"j({"a":"\u0024\u007bjndi:x"})j"},
    {"brackets escaped", R"j({"a":"\u007b\u007b7*7\u007d\u007d"})j"},
    {"space escaped", R"j({"a":"1 union\u0020select 2"})j"},
    {"solidus as a unit", R"j({"a":"\u002fetc\u002fpasswd"})j"},
    {"solidus both ways", R"j({"a":"\/etc\u002Fpasswd"})j"},
    {"semicolon escaped", R"j({"a":"x\u003b drop table y"})j"},
    {"backtick escaped", R"j({"a":"\u0060id\u0060"})j"},
    {"pipe escaped", R"j({"a":"x\u007cwhoami"})j"},
    {"after a line feed", R"j({"a":"x\n<script>"})j"},
    {"after every short escape", R"j({"a":"\b\f\n\r\t\/\\\"<script>"})j"},
    {"after three backslashes and a quote", R"j({"a":"\\\"<script>"})j"},
    {"after many backslashes", R"j({"a":"\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\\<script>"})j"},
    {"after a backslash that ends a string", R"j({"b":"\\","a":"<script>"})j"},
    {"after an escaped NUL unit", R"j({"a":"\u0000\u0000<script>"})j"},
    {"after U+FFFF", R"j({"a":"\uffff<script>"})j"},
    {"after U+2028", R"j({"a":"\u2028<script>"})j"},
    {"after a byte order mark in the string", R"j({"a":"\ufeff<script>"})j"},
    {"after a zero width space", R"j({"a":"\u200b<script>"})j"},
    {"after a right-to-left override", R"j({"a":"\u202e<script>"})j"},
    // Surrogates.
    {"two first halves", R"j({"a":"\ud83d\ud83d<script>"})j"},
    {"halves the wrong way round", R"j({"a":"\ude00\ud83d<script>"})j"},
    {"half, then a payload that begins with an escape", R"j({"a":"\ud83d\u003c\u0073cript>"})j"},
    {"half, then a short escape", R"j({"a":"\ud83d\n<script>"})j"},
    {"half, then a broken escape", R"j({"a":"\ud83d\u00zz<script>"})j"},
    {"half at the end of the string before", R"j(["\ud83d","<script>"])j"},
    {"half inside a key", R"j({"\ud83d":"<script>"})j"},
    {"pair split by a quote", R"j(["\ud83d","\ude00<script>"])j"},
    {"highest code point", R"j({"a":"\udbff\udfff<script>"})j"},
    // NUL and other control characters.
    {"raw NUL before, same string", "{\"a\":\"\0<script>\"}"sv},
    {"raw NUL after", "{\"a\":\"<script\0>\"}"sv},
    {"NUL after the document", "{}\0\"<script>\""sv},
    {"NUL before the document", "\0{\"a\":\"<script>\"}"sv},
    {"escaped NUL in the key before", R"j({"\u0000":1,"a":"<script>"})j"},
    {"raw line feed in the string", "{\"a\":\"x\n<script>\"}"},
    {"raw escape character", "{\"a\":\"\x1b<script>\"}"},
    {"delete character", "{\"a\":\"\x7f<script>\"}"},
    // Keys and duplicates.
    {"in a key, value is a payload, too", R"j({"<script>":"javascript:"})j"},
    {"in the key of an empty object", R"j({"<script>":{}})j"},
    {"in a key without a value", R"j({"<script>"})j"},
    {"in a key without a colon", R"j({"<script>" 1})j"},
    {"in the last of many equal keys", R"j({"a":1,"a":2,"a":3,"a":"<script>"})j"},
    {"in the middle of equal keys", R"j({"a":1,"a":"<script>","a":2})j"},
    {"equal keys by an escape", R"j({"a":"<script>","\u0061":"x"})j"},
    {"equal keys in nested objects", R"j({"a":{"a":{"a":"<script>"}}})j"},
    {"key of 70 bytes",
     R"j({"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk":"<script>"})j"},
    {"prototype key", R"j({"__proto__":{"a":"<script>"}})j"},
    // Structure and nesting.
    {"nested arrays", R"j([[[[[[[[[["<script>"]]]]]]]]]])j"},
    {"nested objects", R"j({"a":{"b":{"c":{"d":{"e":"<script>"}}}}})j"},
    {"100 levels",
     "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
     "[[[[[[["
     "\"<script>\""},
    {"after empty containers", R"j([[],{},[[]],[{}],"<script>"])j"},
    {"after every scalar", R"j([0,-1.5e+3,true,false,null,"","<script>"])j"},
    {"white space of every kind", "\t\r\n {\t\"a\"\r\n:\t\"<script>\"\n}\r\n"},
    {"no white space between documents", R"j({"b":1}{"a":"<script>"})j"},
    {"comma between documents", R"j({"b":1},{"a":"<script>"})j"},
    {"record separator", "\x1e{\"a\":\"<script>\"}\n"},
    {"JSON in JSON", R"j({"a":"{\"b\":\"<script>\"}"})j"},
    {"JSON in JSON in JSON", R"j({"a":"{\"b\":\"{\\\"c\\\":\\\"<script>\\\"}\"}"})j"},
    {"two payloads", R"j({"a":"<script>","b":"javascript:"})j"},
    // Comments and other extensions of lenient parsers.
    {"line comment before", "// x\n{\"a\":\"<script>\"}"},
    {"line comment inside", "{// x\n\"a\":\"<script>\"}"},
    {"comment between key and value", R"j({"a":/**/"<script>"})j"},
    {"comment that holds a quote", R"j({"b":1/*"*/,"a":"<script>"})j"},
    {"comment that holds the payload", R"j({"a":1/*<script>*/})j"},
    {"hash comment", "# x\n{\"a\":\"<script>\"}"},
    {"two commas", R"j({"b":1,,"a":"<script>"})j"},
    {"comma first", R"j([,"<script>"])j"},
    {"semicolon for a comma", R"j({"b":1;"a":"<script>"})j"},
    {"equals for a colon", R"j({"a"="<script>"})j"},
    {"arrow for a colon", R"j({"a"=>"<script>"})j"},
    {"plus before a number", R"j([+1,"<script>"])j"},
    {"hex number", R"j([0x1f,"<script>"])j"},
    {"number without a digit before the point", R"j([.5,"<script>"])j"},
    {"number without a digit after the point", R"j([5.,"<script>"])j"},
    {"Infinity elsewhere", R"j([-Infinity,"<script>"])j"},
    {"undefined elsewhere", R"j([undefined,"<script>"])j"},
    {"capital True elsewhere", R"j([True,"<script>"])j"},
    {"single quotes around the key only", R"j({'a':"<script>"})j"},
    {"single quote inside double ones", R"j({"b":"'","a":"<script>"})j"},
    {"strings joined by plus", R"j({"a":"x"+"<script>"})j"},
    {"hex escape", R"j({"b":"\x41","a":"<script>"})j"},
    {"octal escape", R"j({"b":"\101","a":"<script>"})j"},
    {"capital U escape", R"j({"b":"\U00000041","a":"<script>"})j"},
    {"line continued", "{\"a\":\"x\\\n<script>\"}"},
    {"backslash at the end of a string", R"j({"b":"x\","a":"<script>"})j"},
    {"callback around", R"j(cb({"a":"<script>"});)j"},
    {"guard before", R"j()]}',{"a":"<script>"})j"},
    {"while loop before", R"j(while(1);{"a":"<script>"})j"},
    // Truncation.
    {"cut after the payload", R"j({"a":"<script)j"},
    {"cut before the closing quote", R"j({"b":[1,{"a":"<script>)j"},
    {"cut in an escape after", R"j({"a":"<script\)j"},
    {"cut in a unit after", R"j({"a":"<script\u00)j"},
    {"cut in a pair after", R"j({"a":"<script\ud83d\ud)j"},
    {"cut in a character after", "{\"a\":\"<script\xe4\xb8"},
    {"beginning cut off", R"j(b","a":"<script>"})j"},
    {"beginning cut off inside the payload's string", R"j(xx <script>","b":1})j"},
    {"beginning cut off inside an escape", R"j(03c <script>","b":1})j"},
    {"segment without any quote", "xx <script> yy"},
    // Byte order marks, also of other encodings.
    {"byte order mark twice", "\xef\xbb\xbf\xef\xbb\xbf{\"a\":\"<script>\"}"},
    {"half of a byte order mark", "\xef\xbb{\"a\":\"<script>\"}"},
    {"UTF-16 mark before bytes", "\xff\xfe{\"a\":\"<script>\"}"},
    {"byte order mark between tokens", "{\"a\":\xef\xbb\xbf\"<script>\"}"},
    {"byte order mark in front of the key", "{\xef\xbb\xbf\"a\":\"<script>\"}"},
    // Invalid UTF-8.
    {"overlong bracket elsewhere", "{\"b\":\"\xc0\xbc\",\"a\":\"<script>\"}"},
    {"continuation byte before", "{\"a\":\"\x80<script>\"}"},
    {"lead byte before", "{\"a\":\"\xf0<script>\"}"},
    {"cut character before", "{\"a\":\"\xf0\x9f\x98<script>\"}"},
    {"surrogate in UTF-8 before", "{\"a\":\"\xed\xa0\x80<script>\"}"},
    {"five byte form before", "{\"a\":\"\xf8\x88\x80\x80\x80<script>\"}"},
    {"0xfe and 0xff before", "{\"a\":\"\xfe\xff<script>\"}"},
    {"0xff after", "{\"a\":\"<script\xff\"}"},
    {"Latin-1 elsewhere", "{\"b\":\"caf\xe9\",\"a\":\"<script>\"}"},
    {"invalid UTF-8 in a key", "{\"\xff\":\"<script>\"}"},
    {"invalid UTF-8 outside of strings", "\xff{\"a\":\"<script>\"}"},
    // Trailing bytes.
    {"brace too many", R"j({"a":"<script>"}})j"},
    {"payload after a brace too many", R"j({"b":1}}"<script>")j"},
    {"payload after the document, no quotes", "{} <script>"},
    {"payload after 100 spaces",
     "{}                                                                                           "
     "         "
     "\"<script>\""},
    {"payload in the headers of a form", "a=1&b=<script>"},
    {"payload in XML", "<a><script>x</script></a>"},
    // Near-matches before the payload.
    {"prefix repeated", R"j({"a":"<<<<<script>"})j"},
    {"prefix of the literal before it", R"j({"a":"<scr<scri<scrip<script>"})j"},
    {"prefix in the string before", R"j(["<scrip","<script>"])j"},
    {"prefix of another literal", R"j({"a":"</scrip<script>"})j"},
    {"overlap of two literals", R"j({"a":"<svg/onload=x"})j"},
    {"literal inside a word", R"j({"a":"xxx<scriptxxx"})j"},
};

// What the table must contain at least.
TEST(Evasion, TheTableIsLargeAndNamesAreUnique) {
  std::set<std::string_view> names;
  for (const evasion& e : plain) EXPECT_TRUE(names.insert(e.name).second) << e.name;
  EXPECT_GE(names.size(), 150u);
}

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

// The same after every amount of padding, so that every byte of the payload is once on each side
// of every border of a vector and block.
TEST(Evasion, AtEveryOffset) {
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel};
    for (const evasion& e : plain) {
      for (std::size_t pad = 0; pad < 136; ++pad) {
        const guarded in{std::string(pad, ' ') + std::string{e.packet}};
        ASSERT_EQ(scan(in.view()).outcome, RTBWIRE_MALICIOUS) << e.name << " after " << pad;
      }
    }
  }
}

// Padding inside the string, of bytes that kernels treat differently.
TEST(Evasion, AtEveryOffsetOfAString) {
  for (const auto kernel : kernels()) {
    fixture_scanner scan{kernel};
    for (const std::string_view unit :
         {"a", "\\\\", "\\n", "\\u00e9", "\\ud83d\\ude00", "é", "日", "<", "\\"}) {
      std::string pad;
      for (int n = 0; n < 140; ++n, pad += unit) {
        const guarded in{"{\"a\":\"" + pad + "<script>\"}"};
        const verdict v = scan(in.view());
        ASSERT_EQ(v.outcome, RTBWIRE_MALICIOUS) << in.view();
        // A backslash at the end of the padding does not escape "<".
        ASSERT_EQ(v.match_offset, 6 + pad.size()) << in.view();
      }
    }
  }
}

// The words of the evasions in ordinary text: in sentences of many languages, quoted, cut by a
// space, a full stop or a bracket, as keys and values, escaped. No layer finds any.
TEST(Evasion, HarmlesslyQuotedIsNot) {
  constexpr std::string_view words[] = {
      "script",      "< script >",    "/script",        "<scrip",   "java script:",
      "javascript;", "union, select", "union - select", "' or '",   "1 = 1",
      "$ {jndi}",    "{{7}}",         "etc/passwd",     "drop in",  "drop the table",
      "on error",    "onerror",       "on load",        "alert(s)", "eval",
      "iframe",      "cmd",           "wget",           "bin sh"};
  constexpr std::string_view frames[][2] = {{"Das Wort „", "“ steht im Text."},
                                            {"Le mot « ", " » est dans le texte."},
                                            {"The word \"", "\" is in the text."},
                                            {"La palabra «", "» está en el texto."},
                                            {"Слово «", "» есть в тексте."},
                                            {"単語「", "」は本文にあります。"},
                                            {"단어 ‘", "’가 글에 있습니다."},
                                            {"文中有“", "”一词。"},
                                            {"الكلمة «", "» في النص."},
                                            {"המילה ”", "“ נמצאת בטקסט."},
                                            {"शब्द '", "' पाठ में है।"},
                                            {"Kelime (", ") metinde var."},
                                            {"Słowo „", "” jest w tekście."},
                                            {"คำว่า [", "] อยู่ในข้อความ"},
                                            {"Η λέξη *", "* είναι στο κείμενο."}};
  for (const auto kernel : kernels()) {
    for (const unsigned layers : {0u, unsigned{RTBWIRE_LAYER_ALL}}) {
      fixture_scanner scan{kernel, {}, layers};
      for (const auto& frame : frames)
        for (const std::string_view word : words)
          for (const unsigned percent : {0u, 40u}) {
            const std::string text = json_string(
                std::string{frame[0]} + std::string{word} + std::string{frame[1]}, percent);
            for (const std::string& packet : {text, "{" + text + ":" + text + "}"}) {
              const verdict v = scan(packet);
              ASSERT_EQ(v.outcome, RTBWIRE_CLEAN) << packet << describe(v);
            }
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
    {"payload after what only looks like a comment", R"j({"a":"x/*' union/**/select 1"})j"},
    {"payload inside what looks like a comment", R"j({"a":"/*<a href=java\tscript:x>*/"})j"},
    {"spaces inside a comment", R"j({"a":"/*  union  select */"})j"},
    {"comments that MySQL runs", R"j({"a":"1 /*!UNION*/ /*!SELECT*/ 1"})j"},
    {"comment that MySQL runs, with a version", R"j({"a":"1 union/*!50000 select*/ 1"})j"},
    {"comment that begins twice", R"j({"a":"1 union/*/**/select 1"})j"},
    {"decimal entity, many zeros", R"j({"a":"&#000000000000000000000060;script"})j"},
    {"hex entity, many zeros", R"j({"a":"&#x000000000000000000003c;script"})j"},
    {"entity without its semicolon", R"j({"a":"&ltscript"})j"},
    {"period entity", R"j({"a":"document&period;cookie"})j"},
    {"dollar and brace entities", R"j({"a":"&dollar;&lcub;jndi:x"})j"},
    {"comment that does not end, in an earlier string", R"j({"b":"/*","a":"1 union/**/select"})j"},
    {"comment that does not end, in a key", R"j({"/* x":0,"a":"1 union/**/select"})j"},
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
