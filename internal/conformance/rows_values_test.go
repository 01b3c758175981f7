package conformance

import (
	"encoding/json"

	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// nullCases: a field that is null stays absent; an array element that is null is the type's zero
// value.
var nullCases = []contractCase{
	{name: name("null everywhere"), in: `{"id":null,"at":null,"imp":null,"cur":null,"site":null,"ext":null,"x":null}`, want: is(absent)},
	{name: name("null in inner objects"), in: `{"imp":[{"id":null,"bidfloor":null,"banner":null,"ext":null,"metric":null,"iframebuster":null}]}`, want: is(imp(openrtb.Imp{}))},
	{name: name("null elements"), in: `{"imp":[null,{"id":"1"},null],"cur":[null,"USD",null]}`,
		want: is(openrtb.BidRequest{Imp: []openrtb.Imp{{}, {ID: "1"}, {}}, Cur: []string{"", "USD", ""}})},
	{name: name("null elements, numbers"), in: `{"imp":[{"banner":{"api":[null,5,null]},"video":{"poddedupe":[null]}}]}`,
		want: is(imp(openrtb.Imp{Banner: &openrtb.Banner{API: []adcom.APIFramework{0, 5, 0}}, Video: &openrtb.Video{PodDedupe: []adcom.PodDedupe{0}}}))},
	{name: name("null cut"), in: `{"id":nul‸}`, want: not(wire.CodeSyntax, "/id")},
	{name: name("null misspelt for an object"), in: `{"site":n‸il}`, want: not(wire.CodeSyntax, "/site")},
	{name: name("ext of null misspelt"), in: `{"ext":nul‸}`, want: not(wire.CodeSyntax, "/ext")},
}

// stringCases: what a string field takes.
var stringCases = []contractCase{
	{name: name("a number for a string"), in: `{"id":‸1.50}`, want: not(wire.CodeType, "/id"), lenient: new(is(openrtb.BidRequest{ID: "1.50"}, saved{wire.CodeType, 0, "/id"}))},
	{name: name("a boolean for a string"), in: `{"id":‸false}`, want: not(wire.CodeType, "/id"), lenient: new(is(openrtb.BidRequest{ID: "false"}, saved{wire.CodeType, 0, "/id"}))},
	{name: name("a number with a leading zero for a string"), in: `{"id":0‸1}`, want: not(wire.CodeNumber, "/id")},
	{name: name("an object for a string"), in: `{"id":‸{}}`, want: not(wire.CodeType, "/id")},
	{name: name("an array for a string"), in: `{"id":‸["1"]}`, want: not(wire.CodeType, "/id")},
	{name: name("a number as an element"), in: `{"cur":["a",‸1]}`, want: not(wire.CodeType, "/cur/1"), lenient: new(is(openrtb.BidRequest{Cur: []string{"a", "1"}}, saved{wire.CodeType, 0, "/cur/1"}))},
}

// arrayCases: what an array takes.
var arrayCases = []contractCase{
	{name: name("empty arrays are not nil"), in: `{"imp":[],"cur":[ ]}`, want: is(openrtb.BidRequest{Imp: []openrtb.Imp{}, Cur: []string{}})},
	{name: name("a bare string for an array"), in: `{"cur":‸"USD"}`, want: not(wire.CodeType, "/cur"), lenient: new(is(openrtb.BidRequest{Cur: []string{"USD"}}, saved{wire.CodeType, 0, "/cur"}))},
	{name: name("a bare number for an array of strings"), in: `{"cur":‸5}`, want: not(wire.CodeType, "/cur"),
		lenient: new(is(openrtb.BidRequest{Cur: []string{"5"}}, saved{wire.CodeType, 0, "/cur"}, saved{wire.CodeType, 0, "/cur"}))},
	{name: name("a bare object for an array"), in: `{"imp":‸{"id":"1"}}`, want: not(wire.CodeType, "/imp"), lenient: new(is(imp(openrtb.Imp{ID: "1"}), saved{wire.CodeType, 0, "/imp"}))},
	{name: name("a bare number for an array of objects"), in: `{"imp":‸5}`, want: not(wire.CodeType, "/imp")},
	{name: name("arrays in an array"), in: `{"cur":[‸["USD"]]}`, want: not(wire.CodeType, "/cur/0")},
	{name: name("an array for an element"), in: `{"imp":[‸[]]}`, want: not(wire.CodeType, "/imp/0")},
	{name: name("a string for an element"), in: `{"imp":[{},‸"a"]}`, want: not(wire.CodeType, "/imp/1")},
}

// objectCases: what an object takes.
var objectCases = []contractCase{
	{name: name("an array for an object"), in: `{"site":‸[]}`, want: not(wire.CodeType, "/site")},
	{name: name("a string for an object"), in: `{"site":‸""}`, want: not(wire.CodeType, "/site")},
	{name: name("a number for an object"), in: `{"imp":[{"banner":‸0}]}`, want: not(wire.CodeType, "/imp/0/banner")},
}

// extCases: ext may be any JSON value, and keeps its exact bytes.
var extCases = []contractCase{
	{name: name("ext is kept byte for byte"), in: "{\"ext\": { \"a\" : [ 1.0 , \"\\u0041\" ] ,\n ‸\"a\":1e2 } }", want: is(openrtb.BidRequest{Ext: json.RawMessage("{ \"a\" : [ 1.0 , \"\\u0041\" ] ,\n \"a\":1e2 }")}),
		strict: new(not(wire.CodeDuplicate, "/ext"))},
	{name: name("ext may be anything"), in: `{"ext":"x","imp":[{"ext":-0.0e1},{"ext":true},{"ext":[]}]}`,
		want: is(openrtb.BidRequest{Ext: json.RawMessage(`"x"`), Imp: []openrtb.Imp{{Ext: json.RawMessage(`-0.0e1`)}, {Ext: json.RawMessage(`true`)}, {Ext: json.RawMessage(`[]`)}}})},
	{name: name("ext is checked"), in: `{"ext":{"a":[1,‸]}}`, want: not(wire.CodeSyntax, "/ext/a/1")},
	{name: name("ext is one value"), in: `{"ext":1 ‸2}`, want: not(wire.CodeSyntax, "")},
	{name: name("no ext value"), in: `{"ext":‸}`, want: not(wire.CodeSyntax, "/ext")},
}
