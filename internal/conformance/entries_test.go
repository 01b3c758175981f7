package conformance

import (
	"errors"
	"fmt"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

type caseName = testkit.CaseName

var name = testkit.Name

// entry is one way to decode a document.
type entry struct {
	name     string
	mode     oracle.Mode
	response bool
	decode   func(data []byte, use func(got oracle.Outcome)) // use runs while the value is valid
}

// modes are the three modes as the oracle and as the options name them.
var modes = []struct {
	mode    oracle.Mode
	options []wire.Option
}{
	{oracle.Default, nil},
	{oracle.Strict, []wire.Option{wire.Strict()}},
	{oracle.Lenient, []wire.Option{wire.Lenient()}},
}

// entries returns every way to decode. Its decoders are used again and again, as the pools of the
// functions are, so that what one document leaves behind meets the next.
func entries() []*entry {
	list := []*entry{
		entryOf("Parse", false, openrtb.Parse, nil),
		entryOf("ParseFast", false, openrtb.ParseFast, nil),
		entryOf("ParseFastArena", false, openrtb.ParseFastArena, openrtb.ReleaseArena),
		entryOf("ParseResponse", true, openrtb.ParseResponse, nil),
		entryOf("ParseResponseFast", true, openrtb.ParseResponseFast, nil),
		entryOf("ParseResponseFastArena", true, openrtb.ParseResponseFastArena, openrtb.ReleaseResponseArena),
	}
	for _, m := range modes {
		list = append(list, decoderEntry(m.mode, m.options...), responseDecoderEntry(m.mode, m.options...))
	}
	return list
}

// requestEntries returns the ways to decode a request in default mode.
func requestEntries() (list []*entry) {
	for _, e := range entries() {
		if !e.response && e.mode == oracle.Default {
			list = append(list, e)
		}
	}
	return list
}

// entryOf is a function as an entry. release may be nil.
func entryOf[T any](name string, response bool, parse func([]byte) (*T, error), release func(*T)) *entry {
	return &entry{name: name, response: response, decode: func(data []byte, use func(oracle.Outcome)) {
		v, err := parse(data)
		use(outcome(v, nil, err))
		if release != nil {
			release(v)
		}
	}}
}

// decoderEntry is a new Decoder as an entry.
func decoderEntry(mode oracle.Mode, options ...wire.Option) *entry {
	d := openrtb.NewDecoder(options...)
	return &entry{name: "Decoder " + mode.String(), mode: mode, decode: func(data []byte, use func(oracle.Outcome)) {
		v, err := d.Decode(data)
		use(outcome(v, d.Saved(), err))
	}}
}

// responseDecoderEntry is a new ResponseDecoder as an entry.
func responseDecoderEntry(mode oracle.Mode, options ...wire.Option) *entry {
	d := openrtb.NewResponseDecoder(options...)
	return &entry{name: "ResponseDecoder " + mode.String(), mode: mode, response: true, decode: func(data []byte, use func(oracle.Outcome)) {
		v, err := d.Decode(data)
		use(outcome(v, d.Saved(), err))
	}}
}

// zero returns a pointer to a zero value of the type that the entry decodes to.
func (e *entry) zero() any {
	if e.response {
		return new(openrtb.BidResponse)
	}
	return new(openrtb.BidRequest)
}

// kind is 0 for a way to decode requests, 1 for one to decode responses.
func (e *entry) kind() int {
	if e.response {
		return 1
	}
	return 0
}

// accepts reports whether the entry accepts the document.
func (e *entry) accepts(data []byte) bool { return e.refusal(data) == nil }

// refusal returns why the entry refuses the document, nil if it accepts it.
func (e *entry) refusal(data []byte) (fault *oracle.Fault) {
	e.decode(data, func(got oracle.Outcome) { fault = got.Fault })
	return fault
}

// differs decodes the document and returns how the outcome differs from the one wanted, "" if it
// does not.
func (e *entry) differs(data []byte, want oracle.Outcome) (how string) {
	e.decode(data, func(got oracle.Outcome) { how = got.Diff(want) })
	return how
}

// outcome puts the results of a decoder into the oracle's terms.
func outcome(v any, saved []wire.Saved, err error) oracle.Outcome {
	o := oracle.Outcome{Value: v}
	if err != nil {
		var e *wire.Error
		if !errors.As(err, &e) {
			o.Fault = &oracle.Fault{Code: fmt.Sprintf("%v, which is not a *wire.Error", err)}
			return o
		}
		o.Fault = new(fault(e.Code, e.Offset, e.Path))
	}
	for _, s := range saved {
		o.Saved = append(o.Saved, fault(s.Code, s.Offset, s.Path))
	}
	return o
}

// fault is a place and a code in the oracle's terms.
func fault(code wire.Code, offset int, path string) oracle.Fault {
	return oracle.Fault{Code: code.String(), Offset: offset, Path: path}
}
