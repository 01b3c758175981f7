package openrtb_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/internal/twin"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// This file is the decoding contract, docs/design.md section 3, row by row. Each case says what the three modes make of
// one document. The table also feeds the fuzz targets, and the contract's twin is held against it.

// In the texts of the cases ‸ marks the places that an outcome speaks of; it is not part of the document.
const mark = "‸"

// outcome is what a mode makes of a document: a value, or an error with its code, its place and its path.
type outcome struct {
	value *openrtb.BidRequest
	code  wire.Code
	at    int // which mark, from 0
	path  string
	saved []saved
}

// saved is one thing that lenient mode puts right.
type saved struct {
	code wire.Code
	at   int
	path string
}

func is(v openrtb.BidRequest, s ...saved) outcome { return outcome{value: &v, saved: s} }

func not(code wire.Code, path string) outcome { return outcome{code: code, path: path} }

type contractCase struct {
	name    caseName
	in      string
	want    outcome  // in default mode
	strict  *outcome // where it differs
	lenient *outcome
}

// outcomeIn returns the outcome in one of the three modes.
func (c *contractCase) outcomeIn(m twin.Mode) *outcome {
	switch {
	case m == twin.Strict && c.strict != nil:
		return c.strict
	case m == twin.Lenient && c.lenient != nil:
		return c.lenient
	}
	return &c.want
}

func imp(i openrtb.Imp) openrtb.BidRequest { return openrtb.BidRequest{Imp: []openrtb.Imp{i}} }

var (
	absent = openrtb.BidRequest{}
	id1    = openrtb.BidRequest{ID: "1"}
)

var contract = []contractCase{
	// Grammar: RFC 8259, one object, white space around it, nothing after it, no byte order mark.
	{name: name("smallest"), in: `{}`, want: is(absent)},
	{name: name("white space around"), in: " \t\r\n{ \t\r\n} \t\r\n", want: is(absent)},
	{name: name("white space everywhere"), in: " { \"id\" : \"1\" , \"imp\" : [ { } , { \"instl\" : 1 } ] , \"x\" : [ 1 , { \"y\" : [ ] } ] } ",
		want: is(openrtb.BidRequest{ID: "1", Imp: []openrtb.Imp{{}, {Instl: new(1)}}})},
	{name: name("nothing"), in: `‸`, want: not(wire.CodeEmpty, "")},
	{name: name("white space only"), in: " \n‸", want: not(wire.CodeEmpty, "")},
	{name: name("one byte, a brace"), in: `{‸`, want: not(wire.CodeTruncated, "")},
	{name: name("one byte, the other brace"), in: `‸}`, want: not(wire.CodeSyntax, "")},
	{name: name("one byte, a quote"), in: `"‸`, want: not(wire.CodeTruncated, "")},
	{name: name("one byte, a digit"), in: `‸1`, want: not(wire.CodeType, "")},
	{name: name("one byte, NUL"), in: "‸\x00", want: not(wire.CodeSyntax, "")},
	{name: name("one byte, no UTF-8"), in: "‸\xff", want: not(wire.CodeSyntax, "")},
	{name: name("two braces the wrong way round"), in: `‸}{`, want: not(wire.CodeSyntax, "")},
	{name: name("two opening braces"), in: `{‸{`, want: not(wire.CodeSyntax, "")},
	{name: name("two closing braces"), in: `‸}}`, want: not(wire.CodeSyntax, "")},
	{name: name("three bytes"), in: `{‸,}`, want: not(wire.CodeSyntax, "")},
	{name: name("a lone quote in braces"), in: `{"}‸`, want: not(wire.CodeTruncated, "")},
	{name: name("an array"), in: `‸[]`, want: not(wire.CodeType, "")},
	{name: name("a string"), in: ` ‸"id"`, want: not(wire.CodeType, "")},
	{name: name("null"), in: `‸null`, want: not(wire.CodeType, "")},
	{name: name("a string that ends in a brace"), in: `"}‸`, want: not(wire.CodeTruncated, "")},
	{name: name("an array that ends in a brace"), in: `[{}‸`, want: not(wire.CodeTruncated, "")},
	{name: name("two documents"), in: `{} ‸{}`, want: not(wire.CodeTrailing, "")},
	{name: name("one brace too many"), in: `{}‸}`, want: not(wire.CodeTrailing, "")},
	{name: name("something after it"), in: `{"id":"1"}‸,`, want: not(wire.CodeTrailing, "")},
	{name: name("NUL after it"), in: "{}‸\x00", want: not(wire.CodeTrailing, "")},
	{name: name("NUL before it"), in: "‸\x00{}", want: not(wire.CodeSyntax, "")},
	{name: name("a byte order mark"), in: "‸" + bom + `{"id":"1"}`, want: not(wire.CodeBOM, ""), lenient: new(is(id1, saved{wire.CodeBOM, 0, ""}))},
	{name: name("a byte order mark and an error"), in: "‸" + bom + `{"id":‸x}`, want: not(wire.CodeBOM, ""), lenient: new(outcome{code: wire.CodeSyntax, at: 1, path: "/id"})},
	{name: name("a byte order mark alone"), in: "‸" + bom + "‸", want: not(wire.CodeBOM, ""), lenient: new(outcome{code: wire.CodeEmpty, at: 1})},
	{name: name("a byte order mark before what is not UTF-8"), in: "‸" + bom + "{\"id\":\"‸\xff\"}", want: not(wire.CodeBOM, ""),
		lenient: new(is(openrtb.BidRequest{ID: "\ufffd"}, saved{wire.CodeBOM, 0, ""}, saved{wire.CodeUTF8, 1, "/id"}))},
	{name: name("two byte order marks"), in: "‸" + bom + "‸" + bom + "{}", want: not(wire.CodeBOM, ""), lenient: new(outcome{code: wire.CodeSyntax, at: 1})},
	{name: name("a byte order mark after white space"), in: " ‸" + bom + "{}", want: not(wire.CodeSyntax, "")},
	{name: name("other white space"), in: "{‸\u00a0}", want: not(wire.CodeSyntax, "")},
	{name: name("vertical tab"), in: "{‸\v}", want: not(wire.CodeSyntax, "")},
	{name: name("form feed between values"), in: "{\"id\":\"1\"‸\f}", want: not(wire.CodeSyntax, "")},
	{name: name("a comma too many"), in: `{"id":"1",‸}`, want: not(wire.CodeSyntax, "")},
	{name: name("a comma too many in an array"), in: `{"cur":["USD",‸]}`, want: not(wire.CodeSyntax, "/cur/1")},
	{name: name("a comma too many in an array of objects"), in: `{"imp":[{},‸]}`, want: not(wire.CodeSyntax, "/imp/1")},
	{name: name("a comma too many, unknown"), in: `{"x":{"y":[1,‸]}}`, want: not(wire.CodeSyntax, "/x/y/1")},
	{name: name("no comma"), in: `{"id":"1" ‸"at":1}`, want: not(wire.CodeSyntax, "")},
	{name: name("no comma in an array"), in: `{"cur":["USD" ‸"EUR"]}`, want: not(wire.CodeSyntax, "/cur")},
	{name: name("no colon"), in: `{"id" ‸"1"}`, want: not(wire.CodeSyntax, "")},
	{name: name("no value"), in: `{"id":‸}`, want: not(wire.CodeSyntax, "/id")},
	{name: name("no value, unknown"), in: `{"x":‸}`, want: not(wire.CodeSyntax, "/x")},
	{name: name("no key"), in: `{‸:1}`, want: not(wire.CodeSyntax, "")},
	{name: name("a key without quotes"), in: `{‸id:"1"}`, want: not(wire.CodeSyntax, "")},
	{name: name("single quotes"), in: `{"id":‸'1'}`, want: not(wire.CodeSyntax, "/id")},
	{name: name("a comment"), in: `{‸/**/}`, want: not(wire.CodeSyntax, "")},
	{name: name("brackets that do not match"), in: `{"x":[1‸}}`, want: not(wire.CodeSyntax, "/x")},
	{name: name("brackets that do not match, known"), in: `{"cur":["USD"‸}}`, want: not(wire.CodeSyntax, "/cur")},
	{name: name("cut in a string"), in: `{"id":"1}‸`, want: not(wire.CodeTruncated, "/id")},
	{name: name("cut in a key"), in: `{"id}‸`, want: not(wire.CodeTruncated, "")},
	{name: name("cut in a string, white space after"), in: "{\"id\":\"1}  ‸", want: not(wire.CodeTruncated, "/id")},
	{name: name("cut in a string, a line feed after"), in: "{\"id\":\"1} ‸\n", want: not(wire.CodeControl, "/id")},
	{name: name("cut in an unknown string, a line feed after"), in: "{\"x\":\"1}‸\n", want: not(wire.CodeControl, "/x")},
	{name: name("cut after an inner object"), in: `{"site":{"id":"1"}‸`, want: not(wire.CodeTruncated, "")},
	{name: name("cut after an inner object, white space after"), in: "{\"site\":{} \n‸", want: not(wire.CodeTruncated, "")},
	{name: name("cut after an element"), in: `{"imp":[{"id":"1"}‸`, want: not(wire.CodeTruncated, "/imp")},
	{name: name("cut after an unknown object"), in: `{"x":{"y":{}}‸`, want: not(wire.CodeTruncated, "")},
	{name: name("cut in an unknown array"), in: `{"x":[{}‸`, want: not(wire.CodeTruncated, "/x")},
	{name: name("cut in ext"), in: `{"ext":{"a":{}‸`, want: not(wire.CodeTruncated, "/ext")},
	{name: name("a word cut"), in: `{"x":tru‸}`, want: not(wire.CodeSyntax, "/x")},
	{name: name("a word with a capital"), in: `{"x":t‸RUE}`, want: not(wire.CodeSyntax, "/x")},
	{name: name("a word that goes on"), in: `{"x":true‸e}`, want: not(wire.CodeSyntax, "")},

	// Escapes and control characters in strings.
	{name: name("every escape"), in: `{"id":"\"\\\/\b\f\n\r\t\u0041\u00e9\u20ac\ud83d\ude00"}`, want: is(openrtb.BidRequest{ID: "\"\\/\b\f\n\r\tAé€😀"})},
	{name: name("hex digits of either case"), in: `{"id":"\u00Ff\uABCD\uabcd"}`, want: is(openrtb.BidRequest{ID: "\u00ff\uabcd\uabcd"})},
	{name: name("NUL escaped"), in: `{"id":"a\u0000b"}`, want: is(openrtb.BidRequest{ID: "a\x00b"})},
	{name: name("DEL needs no escape"), in: "{\"id\":\"\x7f\"}", want: is(openrtb.BidRequest{ID: "\x7f"})},
	{name: name("NUL"), in: "{\"id\":\"a‸\x00\"}", want: not(wire.CodeControl, "/id")},
	{name: name("a line feed"), in: "{\"id\":\"a‸\n\"}", want: not(wire.CodeControl, "/id")},
	{name: name("a tab in a key"), in: "{\"i‸\td\":1}", want: not(wire.CodeControl, "")},
	{name: name("0x1f, unknown"), in: "{\"x\":[\"‸\x1f\"]}", want: not(wire.CodeControl, "/x/0")},
	{name: name("no such escape"), in: `{"id":"\‸x41"}`, want: not(wire.CodeEscape, "/id")},
	{name: name("no such escape, unknown"), in: `{"x":"\‸a"}`, want: not(wire.CodeEscape, "/x")},
	{name: name("an escape that ends in the last brace"), in: `{"id":"\‸}`, want: not(wire.CodeEscape, "/id")},
	{name: name("hex digits that end in the last brace"), in: `{"id":"\u1‸}`, want: not(wire.CodeEscape, "/id")},
	{name: name("hex digits that end in the quote"), in: `{"id":"\u1‸"}`, want: not(wire.CodeEscape, "/id")},
	{name: name("hex digits of the second half"), in: `{"id":"\ud83d\u12‸"}`, want: not(wire.CodeEscape, "/id")},
	{name: name("a hex digit too high"), in: `{"id":"\u00‸g0"}`, want: not(wire.CodeEscape, "/id")},
	{name: name("a backslash escaped before the quote"), in: `{"id":"\\"}`, want: is(openrtb.BidRequest{ID: `\`})},
	{name: name("a quote escaped at the end"), in: `{"id":"\"}‸`, want: not(wire.CodeTruncated, "/id")},

	// Invalid UTF-8 and lone surrogates.
	{name: name("a byte that is not UTF-8"), in: "{\"id\":\"a‸\xffb\"}", want: not(wire.CodeUTF8, "/id"),
		lenient: new(is(openrtb.BidRequest{ID: "a\ufffdb"}, saved{wire.CodeUTF8, 0, "/id"}))},
	{name: name("a sequence cut"), in: "{\"id\":\"‸\xe2‸\x82\",\"at\":1}", want: not(wire.CodeUTF8, "/id"),
		lenient: new(is(openrtb.BidRequest{ID: "\ufffd\ufffd", At: new(adcom.AuctionType(1))}, saved{wire.CodeUTF8, 0, "/id"}, saved{wire.CodeUTF8, 1, "/id"}))},
	{name: name("an overlong slash"), in: "{\"id\":\"‸\xc0‸\xaf\"}", want: not(wire.CodeUTF8, "/id"),
		lenient: new(is(openrtb.BidRequest{ID: "\ufffd\ufffd"}, saved{wire.CodeUTF8, 0, "/id"}, saved{wire.CodeUTF8, 1, "/id"}))},
	{name: name("beyond U+10FFFF, unknown"), in: "{\"x\":\"‸\xf4\x90\x80\x80\"}", want: not(wire.CodeUTF8, "/x"), lenient: new(is(absent))},
	{name: name("not UTF-8 in a key"), in: "{\"‸\xff\":1}", want: not(wire.CodeUTF8, ""), lenient: new(is(absent, saved{wire.CodeUTF8, 0, ""}))},
	{name: name("not UTF-8 before an error"), in: "{\"id\":\"‸\xff\",‸}", want: not(wire.CodeUTF8, "/id"), lenient: new(outcome{code: wire.CodeSyntax, at: 1})},
	{name: name("not UTF-8 after an error"), in: "{\"id\":‸.,\"x\":\"\xff\"}", want: not(wire.CodeSyntax, "/id")},
	{name: name("not UTF-8 outside of strings"), in: "{\"x\":‸\xff}", want: not(wire.CodeSyntax, "/x")},
	{name: name("not UTF-8, and cut off"), in: "{\"x\":\"‸\xff\"‸", want: not(wire.CodeUTF8, "/x"), lenient: new(outcome{code: wire.CodeTruncated, at: 1})},
	{name: name("not UTF-8 in ext, which stays as it is"), in: "{\"ext\":\"‸\xff\"}", want: not(wire.CodeUTF8, "/ext"), lenient: new(is(openrtb.BidRequest{Ext: json.RawMessage("\"\xff\"")}))},
	{name: name("a surrogate in UTF-8"), in: "{\"id\":\"‸\xed‸\xa0‸\x80\"}", want: not(wire.CodeUTF8, "/id"),
		lenient: new(is(openrtb.BidRequest{ID: "\ufffd\ufffd\ufffd"}, saved{wire.CodeUTF8, 0, "/id"}, saved{wire.CodeUTF8, 1, "/id"}, saved{wire.CodeUTF8, 2, "/id"}))},
	{name: name("a first half alone"), in: `{"id":"a‸\ud83dx"}`, want: not(wire.CodeSurrogate, "/id"), lenient: new(is(openrtb.BidRequest{ID: "a\ufffdx"}, saved{wire.CodeSurrogate, 0, "/id"}))},
	{name: name("a second half alone"), in: `{"id":"‸\ude00"}`, want: not(wire.CodeSurrogate, "/id"), lenient: new(is(openrtb.BidRequest{ID: "\ufffd"}, saved{wire.CodeSurrogate, 0, "/id"}))},
	{name: name("two first halves and a second"), in: `{"id":"‸\ud83d\ud83d\ude00"}`, want: not(wire.CodeSurrogate, "/id"), lenient: new(is(openrtb.BidRequest{ID: "\ufffd😀"}, saved{wire.CodeSurrogate, 0, "/id"}))},
	{name: name("the halves the wrong way round"), in: `{"id":"‸\ude00‸\ud83d"}`, want: not(wire.CodeSurrogate, "/id"),
		lenient: new(is(openrtb.BidRequest{ID: "\ufffd\ufffd"}, saved{wire.CodeSurrogate, 0, "/id"}, saved{wire.CodeSurrogate, 1, "/id"}))},
	{name: name("a first half and another character"), in: `{"id":"‸\ud83d\u0041"}`, want: not(wire.CodeSurrogate, "/id"), lenient: new(is(openrtb.BidRequest{ID: "\ufffdA"}, saved{wire.CodeSurrogate, 0, "/id"}))},
	{name: name("a surrogate in what is skipped, which stays as it is"), in: `{"x":"‸\ud83d","ext":"\ude00"}`, want: not(wire.CodeSurrogate, "/x"), lenient: new(is(openrtb.BidRequest{Ext: json.RawMessage(`"\ude00"`)}))},
	{name: name("a surrogate in a key"), in: `{"‸\ud83d":1}`, want: not(wire.CodeSurrogate, ""), lenient: new(is(absent, saved{wire.CodeSurrogate, 0, ""}))},
	{name: name("the path behind what was put right"), in: "{\"x\":\"‸\xff\",\"y\":\"\\ud83d\",\"imp\":[{\"‸\xff\":0,\"instl\":‸\"1\"}]}", want: not(wire.CodeUTF8, "/x"),
		lenient: new(is(imp(openrtb.Imp{Instl: new(1)}), saved{wire.CodeUTF8, 1, "/imp/0"}, saved{wire.CodeType, 2, "/imp/0/instl"}))},

	// Keys: byte for byte after unescaping, never by case.
	{name: name("other case"), in: `{"ID":"1","Imp":[],"SITE":5}`, want: is(absent)},
	{name: name("a key escaped"), in: `{"\u0069d":"1"}`, want: is(id1)},
	{name: name("a key escaped to another case"), in: `{"\u0049d":"1"}`, want: is(absent)},
	{name: name("a key with more"), in: `{"idd":"2","id":"1","i":"3","id ":"4"}`, want: is(id1)},
	{name: name("a key with NUL"), in: `{"id\u0000":"2"}`, want: is(absent)},
	{name: name("the Kelvin sign is no k"), in: "{\"\u212aey\":1,\"bc\u0430t\":1}", want: is(absent)},
	{name: name("the empty key"), in: `{"":1,"id":"1"}`, want: is(id1)},
	{name: name("keys in any order"), in: `{"ext":1,"regs":{"gdpr":1,"coppa":0},"at":2,"id":"1"}`,
		want: is(openrtb.BidRequest{ID: "1", At: new(adcom.AuctionType(2)), Regs: &openrtb.Regs{COPPA: new(0), GDPR: new(1)}, Ext: json.RawMessage("1")})},
	{name: name("a key of 201 bytes"), in: `{"` + strings.Repeat("k", 201) + `":1,"id":"1"}`, want: is(id1)},
	{name: name("a key of 100,000 bytes"), in: `{"` + strings.Repeat("k", 100_000) + `":1,"id":"1"}`, want: is(id1)},
	{name: name("a long key in a path"), in: `{"` + strings.Repeat("k", 2000) + `":‸x}`, want: not(wire.CodeSyntax, "/"+strings.Repeat("k", 1019)+"/...")},
	{name: name("a long key of wide characters in a path"), in: `{"` + strings.Repeat("€", 2000) + `":‸x}`, want: not(wire.CodeSyntax, "/"+strings.Repeat("€", 339)+"/...")},
	{name: name("a long key of escapes in a path"), in: `{"` + strings.Repeat(`\u007e`, 2000) + `":‸x}`, want: not(wire.CodeSyntax, "/"+strings.Repeat("~0", 509)+"/...")},
	{name: name("a path of escapes"), in: `{"a/b":{"~\ud83d\ude00\\/":[0,‸x]}}`, want: not(wire.CodeSyntax, "/a~1b/~0😀\\~1/1")},

	// Unknown keys: skipped, their grammar checked all the same.
	{name: name("unknown values"), in: `{"a":1.5e-3,"b":"\u00e9","c":[true,false,null,{}],"d":{"e":{"f":[]}},"id":"1"}`, want: is(id1)},
	{name: name("a leading zero, unknown"), in: `{"x":0‸1}`, want: not(wire.CodeNumber, "/x")},
	{name: name("a minus and a leading zero, unknown"), in: `{"x":-0‸1}`, want: not(wire.CodeNumber, "/x")},
	{name: name("no digit after the dot, unknown"), in: `{"x":1.‸}`, want: not(wire.CodeNumber, "/x")},
	{name: name("no digit before the dot, unknown"), in: `{"x":-‸.1}`, want: not(wire.CodeNumber, "/x")},
	{name: name("no digit in the exponent, unknown"), in: `{"x":1e+‸}`, want: not(wire.CodeNumber, "/x")},
	{name: name("a plus sign, unknown"), in: `{"x":‸+1}`, want: not(wire.CodeSyntax, "/x")},
	{name: name("two numbers, unknown"), in: `{"x":1 ‸2}`, want: not(wire.CodeSyntax, "")},
	{name: name("any number will do, unknown"), in: `{"x":1e999999,"y":123456789012345678901234567890}`, want: is(absent)},
	{name: name("an error deep in what is unknown"), in: `{"x":[{"y":[[{"z":‸,}]]}]}`, want: not(wire.CodeSyntax, "/x/0/y/0/0/z")},

	// A key twice: the last wins, whole, never merged.
	{name: name("a string twice"), in: `{"id":"2",‸"id":"1"}`, want: is(id1), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("an object twice"), in: `{"site":{"id":"1","name":"a"},‸"site":{"name":"b"}}`, want: is(openrtb.BidRequest{Site: &openrtb.Site{Name: "b"}}), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("an array twice"), in: `{"imp":[{"id":"1","instl":1},{"id":"2"}],‸"imp":[{"tagid":"3"}]}`, want: is(imp(openrtb.Imp{TagID: "3"})), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("a number and null"), in: `{"at":1,‸"at":null}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("a string and null"), in: `{"id":"1",‸"id":null}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("an array and null"), in: `{"cur":["USD"],‸"cur":null}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("an object and null"), in: `{"site":{},‸"site":null}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("ext and null"), in: `{"ext":{},‸"ext":null}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("null and a number"), in: `{"at":null,‸"at":2}`, want: is(openrtb.BidRequest{At: new(adcom.AuctionType(2))}), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("both have to be right"), in: `{"at":‸"x","at":2}`, want: not(wire.CodeType, "/at")},
	{name: name("in other objects"), in: `{"id":"1","imp":[{"id":"1"},{"id":"2"}]}`, want: is(openrtb.BidRequest{ID: "1", Imp: []openrtb.Imp{{ID: "1"}, {ID: "2"}}})},
	{name: name("an unknown key twice"), in: `{"x":1,"y":2,‸"x":3}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("twice deep in what is unknown"), in: `{"x":[{"y":{"a":1,"b":[{"a":1}],‸"a":2}}]}`, want: is(absent), strict: new(not(wire.CodeDuplicate, "/x/0/y"))},
	{name: name("twice in ext"), in: `{"imp":[{"ext":{"a":{},‸"a":{}}}]}`, want: is(imp(openrtb.Imp{Ext: json.RawMessage(`{"a":{},"a":{}}`)})), strict: new(not(wire.CodeDuplicate, "/imp/0/ext"))},
	{name: name("twice in an inner object"), in: `{"imp":[{"banner":{"w":1,‸"w":2}}]}`, want: is(imp(openrtb.Imp{Banner: &openrtb.Banner{W: new(2)}})), strict: new(not(wire.CodeDuplicate, "/imp/0/banner"))},
	{name: name("twice, once escaped"), in: `{"id":"2",‸"\u0069d":"1"}`, want: is(id1), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("twice, escaped in two ways"), in: `{"\/\ud83d\ude00\\/":1,‸"/😀\u005c\u002f":2}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("not twice, only nearly"), in: `{"\\/":1,"/":2,"\\\\/":3,"\u00e9":4,"e\u0301":5,"a":6,"A":7,"":8,"\u0000":9}`, want: is(absent)},
	{name: name("twice, the slash escaped and not"), in: `{"\\/":1,‸"\\\/":2}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("twice with many between"), in: `{"k":0,` + manyKeys(100) + `,‸"k":1}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("many keys, none twice"), in: `{"k":0,` + manyKeys(100) + `,"x":{` + manyKeys(100) + `}}`, want: is(absent)},
	{name: name("twice, and an error after"), in: `{"id":"1","id":"2",‸}`, want: not(wire.CodeSyntax, "")},

	// null: the field stays absent; as an array's element it is the type's zero value.
	{name: name("null everywhere"), in: `{"id":null,"at":null,"imp":null,"cur":null,"site":null,"ext":null,"x":null}`, want: is(absent)},
	{name: name("null in inner objects"), in: `{"imp":[{"id":null,"bidfloor":null,"banner":null,"ext":null,"metric":null,"iframebuster":null}]}`, want: is(imp(openrtb.Imp{}))},
	{name: name("null elements"), in: `{"imp":[null,{"id":"1"},null],"cur":[null,"USD",null]}`,
		want: is(openrtb.BidRequest{Imp: []openrtb.Imp{{}, {ID: "1"}, {}}, Cur: []string{"", "USD", ""}})},
	{name: name("null elements, numbers"), in: `{"imp":[{"banner":{"api":[null,5,null]},"video":{"poddedupe":[null]}}]}`,
		want: is(imp(openrtb.Imp{Banner: &openrtb.Banner{API: []adcom.APIFramework{0, 5, 0}}, Video: &openrtb.Video{PodDedupe: []adcom.PodDedupe{0}}}))},
	{name: name("null cut"), in: `{"id":nul‸}`, want: not(wire.CodeSyntax, "/id")},
	{name: name("null misspelt for an object"), in: `{"site":n‸il}`, want: not(wire.CodeSyntax, "/site")},
	{name: name("ext of null misspelt"), in: `{"ext":nul‸}`, want: not(wire.CodeSyntax, "/ext")},

	// Integers: one that fits, never wraps, -0 is 0.
	{name: name("integers"), in: `{"at":1,"tmax":0,"test":-7}`, want: is(openrtb.BidRequest{At: new(adcom.AuctionType(1)), TMax: new(0), Test: new(-7)})},
	{name: name("minus zero"), in: `{"tmax":-0}`, want: is(openrtb.BidRequest{TMax: new(0)})},
	{name: name("an integer too large"), in: `{"tmax":‸99999999999999999999}`, want: not(wire.CodeRange, "/tmax")},
	{name: name("2 to the 64"), in: `{"tmax":‸18446744073709551616}`, want: not(wire.CodeRange, "/tmax")},
	{name: name("2 to the 63"), in: `{"tmax":‸9223372036854775808}`, want: not(wire.CodeRange, "/tmax")},
	{name: name("below the least"), in: `{"tmax":‸-9223372036854775809}`, want: not(wire.CodeRange, "/tmax")},
	{name: name("a whole fraction"), in: `{"tmax":‸300.0}`, want: not(wire.CodeInteger, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(300)}, saved{wire.CodeInteger, 0, "/tmax"}))},
	{name: name("a fraction"), in: `{"tmax":‸-1.9}`, want: not(wire.CodeInteger, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(-1)}, saved{wire.CodeInteger, 0, "/tmax"}))},
	{name: name("a fraction of nothing"), in: `{"tmax":‸-0.5}`, want: not(wire.CodeInteger, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(0)}, saved{wire.CodeInteger, 0, "/tmax"}))},
	{name: name("an exponent"), in: `{"tmax":‸3e2}`, want: not(wire.CodeInteger, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(300)}, saved{wire.CodeInteger, 0, "/tmax"}))},
	{name: name("an exponent that divides"), in: `{"tmax":‸12345E-2}`, want: not(wire.CodeInteger, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(123)}, saved{wire.CodeInteger, 0, "/tmax"}))},
	{name: name("an exponent too large"), in: `{"tmax":‸1e400}`, want: not(wire.CodeInteger, "/tmax"), lenient: new(not(wire.CodeRange, "/tmax"))},
	{name: name("zero with an exponent too large"), in: `{"tmax":‸0e99999999999999999999}`, want: not(wire.CodeInteger, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(0)}, saved{wire.CodeInteger, 0, "/tmax"}))},
	{name: name("quoted"), in: `{"tmax":‸"300"}`, want: not(wire.CodeType, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(300)}, saved{wire.CodeType, 0, "/tmax"}))},
	{name: name("quoted and a fraction"), in: `{"tmax":‸"-3.99e1"}`, want: not(wire.CodeType, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(-39)}, saved{wire.CodeType, 0, "/tmax"}))},
	{name: name("quoted with escapes"), in: `{"tmax":‸"3\u0030"}`, want: not(wire.CodeType, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(30)}, saved{wire.CodeType, 0, "/tmax"}))},
	{name: name("quoted, but no number"), in: `{"tmax":‸"30s"}`, want: not(wire.CodeType, "/tmax")},
	{name: name("quoted, but no JSON number"), in: `{"tmax":‸"030"}`, want: not(wire.CodeType, "/tmax")},
	{name: name("quoted with a space"), in: `{"tmax":‸"30 "}`, want: not(wire.CodeType, "/tmax")},
	{name: name("quoted, nothing in it"), in: `{"tmax":‸""}`, want: not(wire.CodeType, "/tmax")},
	{name: name("quoted and too large"), in: `{"tmax":‸"9223372036854775808"}`, want: not(wire.CodeType, "/tmax"), lenient: new(not(wire.CodeRange, "/tmax"))},
	{name: name("true"), in: `{"tmax":‸true,"test":‸false}`, want: not(wire.CodeType, "/tmax"),
		lenient: new(is(openrtb.BidRequest{TMax: new(1), Test: new(0)}, saved{wire.CodeType, 0, "/tmax"}, saved{wire.CodeType, 1, "/test"}))},
	{name: name("true cut"), in: `{"tmax":tru‸}`, want: not(wire.CodeSyntax, "/tmax")},
	{name: name("an object"), in: `{"tmax":‸{}}`, want: not(wire.CodeType, "/tmax")},
	{name: name("an array for an integer"), in: `{"tmax":‸[1]}`, want: not(wire.CodeType, "/tmax")},
	{name: name("a leading zero"), in: `{"tmax":0‸1}`, want: not(wire.CodeNumber, "/tmax")},
	{name: name("a minus alone"), in: `{"tmax":-‸}`, want: not(wire.CodeNumber, "/tmax")},
	{name: name("a dot alone"), in: `{"tmax":1.‸}`, want: not(wire.CodeNumber, "/tmax")},
	{name: name("hex"), in: `{"tmax":0‸x10}`, want: not(wire.CodeSyntax, "")},
	{name: name("NaN"), in: `{"tmax":‸NaN}`, want: not(wire.CodeSyntax, "/tmax")},
	{name: name("an element"), in: `{"imp":[{"banner":{"api":[1,‸2.0]}}]}`, want: not(wire.CodeInteger, "/imp/0/banner/api/1"),
		lenient: new(is(imp(openrtb.Imp{Banner: &openrtb.Banner{API: []adcom.APIFramework{1, 2}}}), saved{wire.CodeInteger, 0, "/imp/0/banner/api/1"}))},

	// Floats: a JSON number within float64, correctly rounded.
	{name: name("floats"), in: `{"imp":[{"bidfloor":0.1},{"bidfloor":5e-324},{"bidfloor":1.7976931348623157e308},{"bidfloor":-2}]}`,
		want: is(openrtb.BidRequest{Imp: []openrtb.Imp{{BidFloor: new(0.1)}, {BidFloor: new(5e-324)}, {BidFloor: new(1.7976931348623157e308)}, {BidFloor: new(-2.0)}}})},
	{name: name("underflow"), in: `{"imp":[{"bidfloor":1e-999}]}`, want: is(imp(openrtb.Imp{BidFloor: new(0.0)}))},
	{name: name("overflow"), in: `{"imp":[{"bidfloor":‸1e309}]}`, want: not(wire.CodeRange, "/imp/0/bidfloor")},
	{name: name("overflow, negative"), in: `{"imp":[{"bidfloor":‸-1.8e308}]}`, want: not(wire.CodeRange, "/imp/0/bidfloor")},
	{name: name("a float quoted"), in: `{"imp":[{"bidfloor":‸"0.5"}]}`, want: not(wire.CodeType, "/imp/0/bidfloor"), lenient: new(is(imp(openrtb.Imp{BidFloor: new(0.5)}), saved{wire.CodeType, 0, "/imp/0/bidfloor"}))},
	{name: name("overflow quoted"), in: `{"imp":[{"bidfloor":‸"1e309"}]}`, want: not(wire.CodeType, "/imp/0/bidfloor"), lenient: new(not(wire.CodeRange, "/imp/0/bidfloor"))},
	{name: name("a word quoted"), in: `{"imp":[{"bidfloor":‸"NaN"}]}`, want: not(wire.CodeType, "/imp/0/bidfloor")},
	{name: name("a boolean for a float"), in: `{"imp":[{"bidfloor":‸true}]}`, want: not(wire.CodeType, "/imp/0/bidfloor")},
	{name: name("a float with a leading zero"), in: `{"imp":[{"bidfloor":0‸0.5}]}`, want: not(wire.CodeNumber, "/imp/0/bidfloor")},

	// Strings.
	{name: name("a number for a string"), in: `{"id":‸1.50}`, want: not(wire.CodeType, "/id"), lenient: new(is(openrtb.BidRequest{ID: "1.50"}, saved{wire.CodeType, 0, "/id"}))},
	{name: name("a boolean for a string"), in: `{"id":‸false}`, want: not(wire.CodeType, "/id"), lenient: new(is(openrtb.BidRequest{ID: "false"}, saved{wire.CodeType, 0, "/id"}))},
	{name: name("a number with a leading zero for a string"), in: `{"id":0‸1}`, want: not(wire.CodeNumber, "/id")},
	{name: name("an object for a string"), in: `{"id":‸{}}`, want: not(wire.CodeType, "/id")},
	{name: name("an array for a string"), in: `{"id":‸["1"]}`, want: not(wire.CodeType, "/id")},
	{name: name("a number as an element"), in: `{"cur":["a",‸1]}`, want: not(wire.CodeType, "/cur/1"), lenient: new(is(openrtb.BidRequest{Cur: []string{"a", "1"}}, saved{wire.CodeType, 0, "/cur/1"}))},

	// Arrays.
	{name: name("empty arrays are not nil"), in: `{"imp":[],"cur":[ ]}`, want: is(openrtb.BidRequest{Imp: []openrtb.Imp{}, Cur: []string{}})},
	{name: name("a bare string for an array"), in: `{"cur":‸"USD"}`, want: not(wire.CodeType, "/cur"), lenient: new(is(openrtb.BidRequest{Cur: []string{"USD"}}, saved{wire.CodeType, 0, "/cur"}))},
	{name: name("a bare number for an array of strings"), in: `{"cur":‸5}`, want: not(wire.CodeType, "/cur"),
		lenient: new(is(openrtb.BidRequest{Cur: []string{"5"}}, saved{wire.CodeType, 0, "/cur"}, saved{wire.CodeType, 0, "/cur"}))},
	{name: name("a bare object for an array"), in: `{"imp":‸{"id":"1"}}`, want: not(wire.CodeType, "/imp"), lenient: new(is(imp(openrtb.Imp{ID: "1"}), saved{wire.CodeType, 0, "/imp"}))},
	{name: name("a bare number for an array of objects"), in: `{"imp":‸5}`, want: not(wire.CodeType, "/imp")},
	{name: name("arrays in an array"), in: `{"cur":[‸["USD"]]}`, want: not(wire.CodeType, "/cur/0")},
	{name: name("an array for an element"), in: `{"imp":[‸[]]}`, want: not(wire.CodeType, "/imp/0")},
	{name: name("a string for an element"), in: `{"imp":[{},‸"a"]}`, want: not(wire.CodeType, "/imp/1")},

	// Any other type.
	{name: name("an array for an object"), in: `{"site":‸[]}`, want: not(wire.CodeType, "/site")},
	{name: name("a string for an object"), in: `{"site":‸""}`, want: not(wire.CodeType, "/site")},
	{name: name("a number for an object"), in: `{"imp":[{"banner":‸0}]}`, want: not(wire.CodeType, "/imp/0/banner")},

	// ext: any JSON value, its exact bytes.
	{name: name("ext is kept as it is"), in: "{\"ext\": { \"a\" : [ 1.0 , \"\\u0041\" ] ,\n ‸\"a\":1e2 } }", want: is(openrtb.BidRequest{Ext: json.RawMessage("{ \"a\" : [ 1.0 , \"\\u0041\" ] ,\n \"a\":1e2 }")}),
		strict: new(not(wire.CodeDuplicate, "/ext"))},
	{name: name("ext may be anything"), in: `{"ext":"x","imp":[{"ext":-0.0e1},{"ext":true},{"ext":[]}]}`,
		want: is(openrtb.BidRequest{Ext: json.RawMessage(`"x"`), Imp: []openrtb.Imp{{Ext: json.RawMessage(`-0.0e1`)}, {Ext: json.RawMessage(`true`)}, {Ext: json.RawMessage(`[]`)}}})},
	{name: name("ext is checked"), in: `{"ext":{"a":[1,‸]}}`, want: not(wire.CodeSyntax, "/ext/a/1")},
	{name: name("ext ends where it ends"), in: `{"ext":1 ‸2}`, want: not(wire.CodeSyntax, "")},
	{name: name("ext is no key"), in: `{"ext":‸}`, want: not(wire.CodeSyntax, "/ext")},
}

// manyKeys returns n members with keys of their own.
func manyKeys(n int) string {
	var list []string
	for i := range n {
		list = append(list, `"`+strings.Repeat("a", i+1)+`":0`)
	}
	return strings.Join(list, ",")
}

// unmark takes the marks out of a text and returns their offsets.
func unmark(text string) (data []byte, marks []int) {
	parts := strings.Split(text, mark)
	for i, part := range parts {
		data = append(data, part...)
		if i < len(parts)-1 {
			marks = append(marks, len(data))
		}
	}
	return data, marks
}

// expectation turns an outcome into what the tests compare with.
func (o *outcome) expectation(marks []int) expectation {
	if o.value == nil {
		return expectation{fault: &twin.Fault{Code: o.code.String(), Offset: marks[o.at], Path: o.path}}
	}
	x := expectation{value: o.value}
	for _, s := range o.saved {
		x.saved = append(x.saved, twin.Fault{Code: s.code.String(), Offset: marks[s.at], Path: s.path})
	}
	return x
}

// TestContract decodes every case by every way in, and holds the twin against it as well.
func TestContract(t *testing.T) {
	list := entries()
	for _, c := range contract {
		data, marks := unmark(c.in)
		for _, e := range list {
			if e.response {
				continue
			}
			x := c.outcomeIn(e.mode).expectation(marks)
			e.decode(data, func(v any, saved []wire.Saved, err error) {
				if s := x.check(v, saved, err); s != "" {
					t.Errorf("%v: %s of %s: %s", c.name, e.name, abridged(data), s)
				}
			})
		}
		everywhere(t, list, data)
	}
}

// TestContractResponse has the rows once more where responses have fields of their own.
func TestContractResponse(t *testing.T) {
	bid := func(b openrtb.Bid) *openrtb.BidResponse {
		return &openrtb.BidResponse{SeatBid: []openrtb.SeatBid{{Bid: []openrtb.Bid{b}}}}
	}
	for _, c := range []struct {
		name caseName
		in   string
		want *openrtb.BidResponse // nil: refused
		code wire.Code
		path string
	}{
		{name: name("empty"), in: `{}`, want: &openrtb.BidResponse{}},
		{name: name("a bid"), in: `{"id":"1","cur":"USD","seatbid":[{"seat":"s","group":0,"bid":[{"id":"1","impid":"1","price":1.25,"mtype":1,"cat":["IAB1"],"attr":[3]}]}]}`,
			want: &openrtb.BidResponse{ID: "1", Cur: "USD", SeatBid: []openrtb.SeatBid{{Seat: "s", Group: new(adcom.SeatBidGrouping(0)), Bid: []openrtb.Bid{{ID: "1", ImpID: "1", Price: new(1.25),
				MType: new(adcom.MarkupTypeBanner), Cat: []string{"IAB1"}, Attr: []adcom.CreativeAttribute{3}}}}}}},
		{name: name("markup with escapes"), in: `{"seatbid":[{"bid":[{"adm":"<a href=\"x\">\u00e9<\/a>"}]}]}`, want: bid(openrtb.Bid{AdM: `<a href="x">é</a>`})},
		{name: name("a price of zero"), in: `{"seatbid":[{"bid":[{"price":0}]}]}`, want: bid(openrtb.Bid{Price: new(0.0)})},
		{name: name("null"), in: `{"seatbid":[{"bid":[{"price":null,"ext":null}]}],"nbr":null,"ext":null}`, want: bid(openrtb.Bid{})},
		{name: name("a price quoted"), in: `{"seatbid":[{"bid":[{"price":‸"1"}]}]}`, code: wire.CodeType, path: "/seatbid/0/bid/0/price"},
		{name: name("one bare bid"), in: `{"seatbid":[{"bid":‸{"price":1}}]}`, code: wire.CodeType, path: "/seatbid/0/bid"},
		{name: name("cut off"), in: `{"seatbid":[{"bid":[{"price":1}‸`, code: wire.CodeTruncated, path: "/seatbid/0/bid"},
	} {
		data, marks := unmark(c.in)
		x := expectation{value: c.want}
		if c.want == nil {
			x.fault = &twin.Fault{Code: c.code.String(), Offset: marks[0], Path: c.path}
		}
		for _, e := range entries() {
			if !e.response || e.mode == twin.Lenient {
				continue
			}
			e.decode(data, func(v any, _ []wire.Saved, err error) {
				if s := x.check(v, nil, err); s != "" {
					t.Errorf("%v: %s of %s: %s", c.name, e.name, data, s)
				}
			})
		}
		everywhere(t, entries(), data)
	}
}
