package openrtb_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"unsafe"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/internal/simd/utf8check"
	"github.com/rtbwire/rtbwire/internal/twin"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// This file is what the tests of decoding share: every way into the decoder, every kernel under it, and the comparison
// with the contract's slow twin.

// caseName is the name of a case in a table and the line where it stands, which failures print.
type caseName struct{ text, where string }

func name(text string) caseName {
	_, file, line, _ := runtime.Caller(1)
	return caseName{text, fmt.Sprintf("%s:%d", filepath.Base(file), line)}
}

func (n caseName) String() string { return n.text + " (" + n.where + ")" }

// entry is one way to decode a document. use is called while the value is valid.
type entry struct {
	name     string
	mode     twin.Mode
	response bool
	decode   func(data []byte, use func(v any, saved []wire.Saved, err error))
}

// zero returns a pointer to a zero value of the type that the entry decodes to.
func (e *entry) zero() any {
	if e.response {
		return new(openrtb.BidResponse)
	}
	return new(openrtb.BidRequest)
}

// accepts reports whether the entry takes the document.
func (e *entry) accepts(data []byte) (ok bool) {
	e.decode(data, func(_ any, _ []wire.Saved, err error) { ok = err == nil })
	return ok
}

// refusal returns the error that the entry has for the document, nil if it takes it.
func (e *entry) refusal(data []byte) (refused *wire.Error) {
	e.decode(data, func(_ any, _ []wire.Saved, err error) {
		if err != nil && !errors.As(err, &refused) {
			panic(fmt.Sprintf("%s: %v is no *wire.Error", e.name, err))
		}
	})
	return refused
}

var modes = []struct {
	mode    twin.Mode
	options []wire.Option
}{
	{twin.Default, nil},
	{twin.Strict, []wire.Option{wire.Strict()}},
	{twin.Lenient, []wire.Option{wire.Lenient()}},
}

// entries returns every way into the decoder. The decoders among them are used again and again, as the pools behind the
// others are, so that what one document leaves behind meets the next.
func entries() (list []*entry) {
	plain := func(name string, parse func([]byte) (*openrtb.BidRequest, error), release func(*openrtb.BidRequest)) *entry {
		return &entry{name: name, decode: func(data []byte, use func(any, []wire.Saved, error)) {
			v, err := parse(data)
			use(v, nil, err)
			release(v)
		}}
	}
	plainResponse := func(name string, parse func([]byte) (*openrtb.BidResponse, error), release func(*openrtb.BidResponse)) *entry {
		return &entry{name: name, response: true, decode: func(data []byte, use func(any, []wire.Saved, error)) {
			v, err := parse(data)
			use(v, nil, err)
			release(v)
		}}
	}
	list = []*entry{
		plain("Parse", openrtb.Parse, func(*openrtb.BidRequest) {}),
		plain("ParseFast", openrtb.ParseFast, func(*openrtb.BidRequest) {}),
		plain("ParseFastArena", openrtb.ParseFastArena, openrtb.ReleaseArena),
		plainResponse("ParseResponse", openrtb.ParseResponse, func(*openrtb.BidResponse) {}),
		plainResponse("ParseResponseFast", openrtb.ParseResponseFast, func(*openrtb.BidResponse) {}),
		plainResponse("ParseResponseFastArena", openrtb.ParseResponseFastArena, openrtb.ReleaseResponseArena),
	}
	for _, m := range modes {
		list = append(list, decoderEntry(m.mode, m.options...), responseDecoderEntry(m.mode, m.options...))
	}
	return list
}

func decoderEntry(mode twin.Mode, options ...wire.Option) *entry {
	d := openrtb.NewDecoder(options...)
	return &entry{name: "Decoder " + mode.String(), mode: mode, decode: func(data []byte, use func(any, []wire.Saved, error)) {
		v, err := d.Decode(data)
		use(v, d.Saved(), err)
	}}
}

func responseDecoderEntry(mode twin.Mode, options ...wire.Option) *entry {
	d := openrtb.NewResponseDecoder(options...)
	return &entry{name: "ResponseDecoder " + mode.String(), mode: mode, response: true, decode: func(data []byte, use func(any, []wire.Saved, error)) {
		v, err := d.Decode(data)
		use(v, d.Saved(), err)
	}}
}

// setLevel chooses a kernel and returns how to undo it.
func setLevel(l jsonindex.Level) (undo func()) {
	index := jsonindex.SetLevel(l)
	levels := utf8check.Levels()
	if !slices.Contains(levels, l) {
		l = levels[0]
	}
	check := utf8check.SetLevel(l)
	return func() {
		jsonindex.SetLevel(index)
		utf8check.SetLevel(check)
	}
}

// expectation is what the twin says about a document.
type expectation struct {
	value any
	fault *twin.Fault
	saved []twin.Fault
}

func expect(e *entry, data []byte, o twin.Options) expectation {
	o.Mode = e.mode
	x := expectation{value: e.zero()}
	x.fault, x.saved = twin.Decode(data, x.value, o)
	return x
}

// check returns how a decoding differs from what is expected; "" if it does not. Only lenient mode has anything saved.
func (x *expectation) check(v any, saved []wire.Saved, err error) string {
	if x.fault != nil || err != nil {
		return diffError(err, x.fault)
	}
	if s := twin.Diff(v, x.value); s != "" {
		return s
	}
	want := x.saved[:min(len(x.saved), 1000)]
	for i, s := range saved {
		if i >= len(want) || want[i] != (twin.Fault{Code: s.Code.String(), Offset: s.Offset, Path: s.Path}) {
			return fmt.Sprintf("saved %v, want %v", saved, want)
		}
	}
	if len(saved) < len(want) {
		return fmt.Sprintf("saved %v, want %v", saved, want)
	}
	return ""
}

// diffError compares an error with a fault, either of which may be nil.
func diffError(err error, want *twin.Fault) string {
	var e *wire.Error
	switch {
	case err == nil:
		return fmt.Sprintf("accepted, want %+v", *want)
	case !errors.As(err, &e):
		return fmt.Sprintf("%v is no *wire.Error", err)
	case want == nil:
		return fmt.Sprintf("refused: %s at %d in %q, want no error", e.Code.String(), e.Offset, e.Path)
	case *want != twin.Fault{Code: e.Code.String(), Offset: e.Offset, Path: e.Path}:
		return fmt.Sprintf("refused: %s at %d in %q, want %s at %d in %q", e.Code.String(), e.Offset, e.Path, want.Code, want.Offset, want.Path)
	}
	return ""
}

// against holds one decoding against the twin.
func against(tb testing.TB, e *entry, data []byte, o twin.Options) {
	tb.Helper()
	x := expect(e, data, o)
	e.decode(data, func(v any, saved []wire.Saved, err error) {
		if s := x.check(v, saved, err); s != "" {
			tb.Errorf("%s of %s: %s", e.name, abridged(data), s)
		}
	})
}

// everywhere holds every way into the decoder, at every level, against the twin.
func everywhere(tb testing.TB, list []*entry, data []byte) {
	tb.Helper()
	var known [2][3]*expectation // by type and mode
	defer setLevel(jsonindex.Levels()[0])()
	for _, l := range jsonindex.Levels() {
		setLevel(l)
		for _, e := range list {
			kind := 0
			if e.response {
				kind = 1
			}
			x := known[kind][e.mode]
			if x == nil {
				one := expect(e, data, twin.Options{})
				x = &one
				known[kind][e.mode] = x
			}
			e.decode(data, func(v any, saved []wire.Saved, err error) {
				if s := x.check(v, saved, err); s != "" {
					tb.Errorf("%v: %s of %s: %s", l, e.name, abridged(data), s)
				}
			})
		}
	}
}

func abridged(data []byte) string {
	if len(data) <= 400 {
		return fmt.Sprintf("%q", data)
	}
	return fmt.Sprintf("%q...(%d bytes)...%q", data[:200], len(data), data[len(data)-100:])
}

// real has the documents of the corpus and the specification's examples.
type real struct{ requests, responses [][]byte }

var realOnce = sync.OnceValues(func() (real, error) {
	var r real
	for kind, list := range map[string]*[][]byte{"requests": &r.requests, "responses": &r.responses} {
		text, err := os.ReadFile("../testdata/corpus/" + kind + ".ndjson")
		if err != nil {
			return r, err
		}
		for line := range bytes.Lines(text) {
			*list = append(*list, bytes.TrimSpace(line))
		}
		names, err := filepath.Glob("../testdata/spec-examples/" + kind + "/*.json")
		if err != nil {
			return r, err
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return r, err
			}
			*list = append(*list, text)
		}
	}
	if len(r.requests) < 2000 || len(r.responses) < 700 {
		return r, errors.New("the corpus is not whole")
	}
	return r, nil
})

// realDocuments returns real traffic. The slices are shared: nobody may write to them.
func realDocuments(tb testing.TB) real {
	tb.Helper()
	r, err := realOnce()
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// newRand returns random numbers that are the same in every run.
func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

// inside reports whether s points into data.
func inside(data []byte, s string) bool {
	from, at := uintptr(unsafe.Pointer(unsafe.SliceData(data))), uintptr(unsafe.Pointer(unsafe.StringData(s)))
	return len(s) > 0 && from <= at && at < from+uintptr(len(data))
}
