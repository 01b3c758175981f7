package conformance

import (
	"encoding/json"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// escapeCases: escapes and control characters in strings.
var escapeCases = []contractCase{
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
}

// unicodeCases: invalid UTF-8 and lone surrogates.
var unicodeCases = []contractCase{
	{name: name("a byte that is not UTF-8"), in: "{\"id\":\"a‸\xffb\"}", want: not(wire.CodeUTF8, "/id"),
		lenient: new(is(openrtb.BidRequest{ID: "a\ufffdb"}, saved{wire.CodeUTF8, 0, "/id"}))},
	{name: name("a sequence cut"), in: "{\"id\":\"‸\xe2‸\x82\",\"at\":1}", want: not(wire.CodeUTF8, "/id"),
		lenient: new(is(openrtb.BidRequest{ID: "\ufffd\ufffd", At: new(adcom.AuctionType(1))}, saved{wire.CodeUTF8, 0, "/id"}, saved{wire.CodeUTF8, 1, "/id"}))},
	{name: name("an overlong slash"), in: "{\"id\":\"‸\xc0‸\xaf\"}", want: not(wire.CodeUTF8, "/id"),
		lenient: new(is(openrtb.BidRequest{ID: "\ufffd\ufffd"}, saved{wire.CodeUTF8, 0, "/id"}, saved{wire.CodeUTF8, 1, "/id"}))},
	{name: name("beyond U+10FFFF, unknown"), in: "{\"x\":\"‸\xf4\x90\x80\x80\"}", want: not(wire.CodeUTF8, "/x"), lenient: new(is(absent))},
	{name: name("not UTF-8 in a key"), in: "{\"‸\xff\":1}", want: not(wire.CodeUTF8, ""), lenient: new(is(absent, saved{wire.CodeUTF8, 0, ""}))},
	{name: name("not UTF-8 before an error"), in: "{\"id\":\"‸\xff\",‸}", want: not(wire.CodeUTF8, "/id"), lenient: new(result{code: wire.CodeSyntax, at: 1})},
	{name: name("not UTF-8 after an error"), in: "{\"id\":‸.,\"x\":\"\xff\"}", want: not(wire.CodeSyntax, "/id")},
	{name: name("not UTF-8, not in a string"), in: "{\"x\":‸\xff}", want: not(wire.CodeSyntax, "/x")},
	{name: name("not UTF-8, and cut off"), in: "{\"x\":\"‸\xff\"‸", want: not(wire.CodeUTF8, "/x"), lenient: new(result{code: wire.CodeTruncated, at: 1})},
	{name: name("not UTF-8 in ext, which is kept byte for byte"), in: "{\"ext\":\"‸\xff\"}", want: not(wire.CodeUTF8, "/ext"), lenient: new(is(openrtb.BidRequest{Ext: json.RawMessage("\"\xff\"")}))},
	{name: name("a surrogate in UTF-8"), in: "{\"id\":\"‸\xed‸\xa0‸\x80\"}", want: not(wire.CodeUTF8, "/id"),
		lenient: new(is(openrtb.BidRequest{ID: "\ufffd\ufffd\ufffd"}, saved{wire.CodeUTF8, 0, "/id"}, saved{wire.CodeUTF8, 1, "/id"}, saved{wire.CodeUTF8, 2, "/id"}))},
	{name: name("a first half alone"), in: `{"id":"a‸\ud83dx"}`, want: not(wire.CodeSurrogate, "/id"), lenient: new(is(openrtb.BidRequest{ID: "a\ufffdx"}, saved{wire.CodeSurrogate, 0, "/id"}))},
	{name: name("a second half alone"), in: `{"id":"‸\ude00"}`, want: not(wire.CodeSurrogate, "/id"), lenient: new(is(openrtb.BidRequest{ID: "\ufffd"}, saved{wire.CodeSurrogate, 0, "/id"}))},
	{name: name("two first halves and a second"), in: `{"id":"‸\ud83d\ud83d\ude00"}`, want: not(wire.CodeSurrogate, "/id"), lenient: new(is(openrtb.BidRequest{ID: "\ufffd😀"}, saved{wire.CodeSurrogate, 0, "/id"}))},
	{name: name("the halves in reverse order"), in: `{"id":"‸\ude00‸\ud83d"}`, want: not(wire.CodeSurrogate, "/id"),
		lenient: new(is(openrtb.BidRequest{ID: "\ufffd\ufffd"}, saved{wire.CodeSurrogate, 0, "/id"}, saved{wire.CodeSurrogate, 1, "/id"}))},
	{name: name("a first half and another character"), in: `{"id":"‸\ud83d\u0041"}`, want: not(wire.CodeSurrogate, "/id"), lenient: new(is(openrtb.BidRequest{ID: "\ufffdA"}, saved{wire.CodeSurrogate, 0, "/id"}))},
	{name: name("a surrogate in a skipped value and in ext, both kept as they are"), in: `{"x":"‸\ud83d","ext":"\ude00"}`, want: not(wire.CodeSurrogate, "/x"), lenient: new(is(openrtb.BidRequest{Ext: json.RawMessage(`"\ude00"`)}))},
	{name: name("a surrogate in a key"), in: `{"‸\ud83d":1}`, want: not(wire.CodeSurrogate, ""), lenient: new(is(absent, saved{wire.CodeSurrogate, 0, ""}))},
	{name: name("the path after repairs"), in: "{\"x\":\"‸\xff\",\"y\":\"\\ud83d\",\"imp\":[{\"‸\xff\":0,\"instl\":‸\"1\"}]}", want: not(wire.CodeUTF8, "/x"),
		lenient: new(is(imp(openrtb.Imp{Instl: new(1)}), saved{wire.CodeUTF8, 1, "/imp/0"}, saved{wire.CodeType, 2, "/imp/0/instl"}))},
}
