package coder

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/wire"
)

// The tests of this package decode objects of one field in the way that generated code does, and
// compare with the oracle. The tests of internal/conformance, openrtb and gen decode whole types.

type caseName = testkit.CaseName

var name = testkit.Name

// holder is the object that most tests decode: its only field is "v", all other keys are unknown.
type holder[T any] struct {
	V T `json:"v"`
}

var holderKeys = NewKeySet(1, 3, "v")

// reading reads the value of a field. It returns what the methods of Reader return.
type reading[T any] func(r *Reader, p, depth int) (T, int)

// scalar is the reading of a function that needs no depth.
func scalar[T any](read func(r *Reader, p int) (T, int)) reading[T] {
	return func(r *Reader, p, _ int) (T, int) { return read(r, p) }
}

// plainInt reads an int as generated code does: with Int, and with SlowInt if Int asks for it.
func plainInt(r *Reader, p int) (int, int) {
	v, q := r.Int(p)
	if q < 0 {
		return r.SlowInt(p)
	}
	return v, q
}

// decodeHolder is what the generator writes for a holder, without guesses of keys.
func decodeHolder[T any](r *Reader, data []byte, read reading[T]) (h holder[T], err error) {
	p := r.Begin(data)
	if p != 0 {
		p = h.members(r, p, r.Depth(), read)
	}
	return h, r.End(p)
}

func (h *holder[T]) members(r *Reader, p, depth int, read reading[T]) int {
	if depth == 0 {
		return r.TooDeep(p)
	}
	p, more := r.First(p)
	for more {
		var f uint8
		if f, p = r.FindKey(p, holderKeys); p == 0 {
			return 0
		}
		r.Repeated() // a field of any type may not show that it was set before
		if f == 0 {
			p = r.Skip(p, depth-1)
		} else if h.V, p = read(r, p, depth-1); p < 0 {
			p = -p
		}
		if p == 0 {
			return 0
		}
		p, more = r.Member(p)
	}
	if p == 0 {
		return 0
	}
	return r.Closed(p, depth)
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

// readers returns one Reader for each mode. Tests use them again and again, so that what one
// document leaves behind meets the next.
func readers(options ...wire.Option) (list [3]*Reader) {
	for i, m := range modes {
		list[i] = new(Reader)
		list[i].Configure(slices.Concat(m.options, options)...)
	}
	return list
}

// against decodes a document in each mode and compares with the oracle: value, error, repairs.
func against[T any](t *testing.T, rs [3]*Reader, data []byte, read reading[T]) {
	t.Helper()
	for i, m := range modes {
		againstMode(t, rs[i], m.mode, data, oracle.Options{}, read)
	}
}

// againstMode is against for one mode and limits.
func againstMode[T any](t *testing.T, r *Reader, mode oracle.Mode, data []byte, o oracle.Options, read reading[T]) {
	t.Helper()
	var value holder[T]
	o.Mode = mode
	fault, saved := oracle.Decode(data, &value, o)
	want := oracle.Outcome{Value: value, Fault: fault, Saved: saved[:min(len(saved), wire.SavedMax)]}
	h, err := decodeHolder(r, data, read)
	if s := outcome(h, r.Saved(), err).Diff(want); s != "" {
		t.Errorf("%v of %T: %s: %s", mode, value.V, testkit.Abridged(data), s)
	}
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
		o.Fault = &oracle.Fault{Code: e.Code.String(), Offset: e.Offset, Path: e.Path}
	}
	for _, s := range saved {
		o.Saved = append(o.Saved, oracle.Fault{Code: s.Code.String(), Offset: s.Offset, Path: s.Path})
	}
	return o
}

// refused decodes {"v":value} and returns the value, and the code of the refusal or 0.
func refused[T any](r *Reader, value string, read reading[T]) (T, wire.Code) {
	h, err := decodeHolder(r, []byte(`{"v":`+value+`}`), read)
	return h.V, codeOf(err)
}

// codeOf returns the code of an error, 0 for nil.
func codeOf(err error) wire.Code {
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return e.Code
	}
	return 0
}
