package conformance

import (
	"github.com/rtbwire/rtbwire/adcom"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// integerCases: an integer fits or is refused, and never wraps; -0 is 0.
var integerCases = []contractCase{
	{name: name("integers"), in: `{"at":1,"tmax":0,"test":-7}`, want: is(openrtb.BidRequest{At: new(adcom.AuctionType(1)), TMax: new(0), Test: new(-7)})},
	{name: name("minus zero"), in: `{"tmax":-0}`, want: is(openrtb.BidRequest{TMax: new(0)})},
	{name: name("an integer too large"), in: `{"tmax":‸99999999999999999999}`, want: not(wire.CodeRange, "/tmax")},
	{name: name("2 to the 64"), in: `{"tmax":‸18446744073709551616}`, want: not(wire.CodeRange, "/tmax")},
	{name: name("2 to the 63"), in: `{"tmax":‸9223372036854775808}`, want: not(wire.CodeRange, "/tmax")},
	{name: name("below the least"), in: `{"tmax":‸-9223372036854775809}`, want: not(wire.CodeRange, "/tmax")},
	{name: name("a whole fraction"), in: `{"tmax":‸300.0}`, want: not(wire.CodeInteger, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(300)}, saved{wire.CodeInteger, 0, "/tmax"}))},
	{name: name("a fraction"), in: `{"tmax":‸-1.9}`, want: not(wire.CodeInteger, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(-1)}, saved{wire.CodeInteger, 0, "/tmax"}))},
	{name: name("a fraction below 1"), in: `{"tmax":‸-0.5}`, want: not(wire.CodeInteger, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(0)}, saved{wire.CodeInteger, 0, "/tmax"}))},
	{name: name("an exponent"), in: `{"tmax":‸3e2}`, want: not(wire.CodeInteger, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(300)}, saved{wire.CodeInteger, 0, "/tmax"}))},
	{name: name("an exponent that divides"), in: `{"tmax":‸12345E-2}`, want: not(wire.CodeInteger, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(123)}, saved{wire.CodeInteger, 0, "/tmax"}))},
	{name: name("an exponent too large"), in: `{"tmax":‸1e400}`, want: not(wire.CodeInteger, "/tmax"), lenient: new(not(wire.CodeRange, "/tmax"))},
	{name: name("zero with an exponent too large"), in: `{"tmax":‸0e99999999999999999999}`, want: not(wire.CodeInteger, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(0)}, saved{wire.CodeInteger, 0, "/tmax"}))},
	{name: name("quoted"), in: `{"tmax":‸"300"}`, want: not(wire.CodeType, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(300)}, saved{wire.CodeType, 0, "/tmax"}))},
	{name: name("quoted and a fraction"), in: `{"tmax":‸"-3.99e1"}`, want: not(wire.CodeType, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(-39)}, saved{wire.CodeType, 0, "/tmax"}))},
	{name: name("quoted with escapes"), in: `{"tmax":‸"3\u0030"}`, want: not(wire.CodeType, "/tmax"), lenient: new(is(openrtb.BidRequest{TMax: new(30)}, saved{wire.CodeType, 0, "/tmax"}))},
	{name: name("quoted, but not a number"), in: `{"tmax":‸"30s"}`, want: not(wire.CodeType, "/tmax")},
	{name: name("quoted, but not a JSON number"), in: `{"tmax":‸"030"}`, want: not(wire.CodeType, "/tmax")},
	{name: name("quoted with a space"), in: `{"tmax":‸"30 "}`, want: not(wire.CodeType, "/tmax")},
	{name: name("an empty string"), in: `{"tmax":‸""}`, want: not(wire.CodeType, "/tmax")},
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
}

// floatCases: a float is a JSON number within float64, correctly rounded.
var floatCases = []contractCase{
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
}
