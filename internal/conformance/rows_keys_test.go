package conformance

import (
	"encoding/json"
	"strings"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// keyCases: keys are compared byte for byte after unescaping, never by case.
var keyCases = []contractCase{
	{name: name("other case"), in: `{"ID":"1","Imp":[],"SITE":5}`, want: is(absent)},
	{name: name("a key escaped"), in: `{"\u0069d":"1"}`, want: is(id1)},
	{name: name("a key escaped to another case"), in: `{"\u0049d":"1"}`, want: is(absent)},
	{name: name("a key with more"), in: `{"idd":"2","id":"1","i":"3","id ":"4"}`, want: is(id1)},
	{name: name("a key with NUL"), in: `{"id\u0000":"2"}`, want: is(absent)},
	{name: name("lookalike letters: the Kelvin sign, a Cyrillic a"), in: "{\"\u212aey\":1,\"bc\u0430t\":1}", want: is(absent)},
	{name: name("the empty key"), in: `{"":1,"id":"1"}`, want: is(id1)},
	{name: name("keys in any order"), in: `{"ext":1,"regs":{"gdpr":1,"coppa":0},"at":2,"id":"1"}`,
		want: is(openrtb.BidRequest{ID: "1", At: new(adcom.AuctionType(2)), Regs: &openrtb.Regs{COPPA: new(0), GDPR: new(1)}, Ext: json.RawMessage("1")})},
	{name: name("a key of 201 bytes"), in: `{"` + strings.Repeat("k", 201) + `":1,"id":"1"}`, want: is(id1)},
	{name: name("a key of 100,000 bytes"), in: `{"` + strings.Repeat("k", 100_000) + `":1,"id":"1"}`, want: is(id1)},
	{name: name("a long key in a path"), in: `{"` + strings.Repeat("k", 2000) + `":‸x}`, want: not(wire.CodeSyntax, "/"+strings.Repeat("k", 1019)+"/...")},
	{name: name("a long key of wide characters in a path"), in: `{"` + strings.Repeat("€", 2000) + `":‸x}`, want: not(wire.CodeSyntax, "/"+strings.Repeat("€", 339)+"/...")},
	{name: name("a long key of escapes in a path"), in: `{"` + strings.Repeat(`\u007e`, 2000) + `":‸x}`, want: not(wire.CodeSyntax, "/"+strings.Repeat("~0", 509)+"/...")},
	{name: name("a path of escapes"), in: `{"a/b":{"~\ud83d\ude00\\/":[0,‸x]}}`, want: not(wire.CodeSyntax, "/a~1b/~0😀\\~1/1")},
}

// unknownCases: the values of unknown keys are skipped, and their grammar is checked.
var unknownCases = []contractCase{
	{name: name("unknown values"), in: `{"a":1.5e-3,"b":"\u00e9","c":[true,false,null,{}],"d":{"e":{"f":[]}},"id":"1"}`, want: is(id1)},
	{name: name("a leading zero, unknown"), in: `{"x":0‸1}`, want: not(wire.CodeNumber, "/x")},
	{name: name("a minus and a leading zero, unknown"), in: `{"x":-0‸1}`, want: not(wire.CodeNumber, "/x")},
	{name: name("no digit after the dot, unknown"), in: `{"x":1.‸}`, want: not(wire.CodeNumber, "/x")},
	{name: name("no digit before the dot, unknown"), in: `{"x":-‸.1}`, want: not(wire.CodeNumber, "/x")},
	{name: name("no digit in the exponent, unknown"), in: `{"x":1e+‸}`, want: not(wire.CodeNumber, "/x")},
	{name: name("a plus sign, unknown"), in: `{"x":‸+1}`, want: not(wire.CodeSyntax, "/x")},
	{name: name("two numbers, unknown"), in: `{"x":1 ‸2}`, want: not(wire.CodeSyntax, "")},
	{name: name("numbers beyond float64, unknown"), in: `{"x":1e999999,"y":123456789012345678901234567890}`, want: is(absent)},
	{name: name("an error deep in an unknown value"), in: `{"x":[{"y":[[{"z":‸,}]]}]}`, want: not(wire.CodeSyntax, "/x/0/y/0/0/z")},
}

// duplicateCases: of a key that comes twice, the last value wins, whole and never merged.
var duplicateCases = []contractCase{
	{name: name("a string twice"), in: `{"id":"2",‸"id":"1"}`, want: is(id1), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("an object twice"), in: `{"site":{"id":"1","name":"a"},‸"site":{"name":"b"}}`, want: is(openrtb.BidRequest{Site: &openrtb.Site{Name: "b"}}), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("an array twice"), in: `{"imp":[{"id":"1","instl":1},{"id":"2"}],‸"imp":[{"tagid":"3"}]}`, want: is(imp(openrtb.Imp{TagID: "3"})), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("a number and null"), in: `{"at":1,‸"at":null}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("a string and null"), in: `{"id":"1",‸"id":null}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("an array and null"), in: `{"cur":["USD"],‸"cur":null}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("an object and null"), in: `{"site":{},‸"site":null}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("ext and null"), in: `{"ext":{},‸"ext":null}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("null and a number"), in: `{"at":null,‸"at":2}`, want: is(openrtb.BidRequest{At: new(adcom.AuctionType(2))}), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("both values must have the right type"), in: `{"at":‸"x","at":2}`, want: not(wire.CodeType, "/at")},
	{name: name("in other objects"), in: `{"id":"1","imp":[{"id":"1"},{"id":"2"}]}`, want: is(openrtb.BidRequest{ID: "1", Imp: []openrtb.Imp{{ID: "1"}, {ID: "2"}}})},
	{name: name("an unknown key twice"), in: `{"x":1,"y":2,‸"x":3}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("twice, deep in an unknown value"), in: `{"x":[{"y":{"a":1,"b":[{"a":1}],‸"a":2}}]}`, want: is(absent), strict: new(not(wire.CodeDuplicate, "/x/0/y"))},
	{name: name("twice in ext"), in: `{"imp":[{"ext":{"a":{},‸"a":{}}}]}`, want: is(imp(openrtb.Imp{Ext: json.RawMessage(`{"a":{},"a":{}}`)})), strict: new(not(wire.CodeDuplicate, "/imp/0/ext"))},
	{name: name("twice in an inner object"), in: `{"imp":[{"banner":{"w":1,‸"w":2}}]}`, want: is(imp(openrtb.Imp{Banner: &openrtb.Banner{W: new(2)}})), strict: new(not(wire.CodeDuplicate, "/imp/0/banner"))},
	{name: name("twice, once escaped"), in: `{"id":"2",‸"\u0069d":"1"}`, want: is(id1), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("twice, escaped in two ways"), in: `{"\/\ud83d\ude00\\/":1,‸"/😀\u005c\u002f":2}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("not twice, only nearly"), in: `{"\\/":1,"/":2,"\\\\/":3,"\u00e9":4,"e\u0301":5,"a":6,"A":7,"":8,"\u0000":9}`, want: is(absent)},
	{name: name("twice, the slash escaped and not"), in: `{"\\/":1,‸"\\\/":2}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("twice with many between"), in: `{"k":0,` + manyKeys(100) + `,‸"k":1}`, want: is(absent), strict: new(not(wire.CodeDuplicate, ""))},
	{name: name("many keys, none twice"), in: `{"k":0,` + manyKeys(100) + `,"x":{` + manyKeys(100) + `}}`, want: is(absent)},
	{name: name("twice, and an error after"), in: `{"id":"1","id":"2",‸}`, want: not(wire.CodeSyntax, "")},
}

// manyKeys returns n members with different keys.
func manyKeys(n int) string {
	var list []string
	for i := range n {
		list = append(list, `"`+strings.Repeat("a", i+1)+`":0`)
	}
	return strings.Join(list, ",")
}
