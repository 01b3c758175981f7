package coder

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/internal/simd/utf8check"
	"github.com/rtbwire/rtbwire/internal/twin"
	"github.com/rtbwire/rtbwire/wire"
)

// This file is what the tests of the runtime share: an object of one field, decoded as generated code does it, and the
// comparison with the contract's slow twin. Whole types are tested where there are some: in openrtb and in gen.

// caseName is the name of a case in a table and the line where it stands, which failures print.
type caseName struct{ text, where string }

func name(text string) caseName {
	_, file, line, _ := runtime.Caller(1)
	return caseName{text, fmt.Sprintf("%s:%d", filepath.Base(file), line)}
}

func (n caseName) String() string { return n.text + " (" + n.where + ")" }

// holder is the object that most documents here are: its one field is "v", all other keys are unknown.
type holder[T any] struct {
	V T `json:"v"`
}

var holderKeys = NewKeySet(1, 3, "v")

// reading reads the value of a field. It returns as the methods of Reader do.
type reading[T any] func(r *Reader, p, depth int) (T, int)

// scalar is the reading of a function that needs no depth.
func scalar[T any](read func(r *Reader, p int) (T, int)) reading[T] {
	return func(r *Reader, p, _ int) (T, int) { return read(r, p) }
}

// plainInt reads an int as generated code does: the quick way, and the slow one for what that leaves.
func plainInt(r *Reader, p int) (int, int) {
	v, q := r.Int(p)
	if q < 0 {
		return r.SlowInt(p)
	}
	return v, q
}

// decodeHolder is what the generator writes for a holder, less the guessing of keys.
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

// modes are the three modes, as the twin and as the options call them.
var modes = []struct {
	mode    twin.Mode
	options []wire.Option
}{
	{twin.Default, nil},
	{twin.Strict, []wire.Option{wire.Strict()}},
	{twin.Lenient, []wire.Option{wire.Lenient()}},
}

// readers are one Reader for each mode. They are used again and again, so that what one document leaves behind meets
// the next.
func readers(options ...wire.Option) (list [3]*Reader) {
	for i, m := range modes {
		list[i] = new(Reader)
		list[i].Configure(slices.Concat(m.options, options)...)
	}
	return list
}

// against decodes a document in each mode and holds value, error and what was saved against the twin.
func against[T any](t *testing.T, rs [3]*Reader, data []byte, read reading[T]) {
	t.Helper()
	for i, m := range modes {
		againstMode(t, rs[i], m.mode, data, twin.Options{}, read)
	}
}

func againstMode[T any](t *testing.T, r *Reader, mode twin.Mode, data []byte, o twin.Options, read reading[T]) {
	t.Helper()
	var want holder[T]
	o.Mode = mode
	fault, saved := twin.Decode(data, &want, o)
	got, err := decodeHolder(r, data, read)
	if s := difference(got, want, r.Saved(), saved, err, fault); s != "" {
		t.Errorf("%v of %T: %s: %s", mode, want.V, abridged(data), s)
	}
}

// difference says how a decoding differs from the twin's; "" if it does not.
func difference(got, want any, saved []wire.Saved, wantSaved []twin.Fault, err error, fault *twin.Fault) string {
	if err != nil || fault != nil {
		return refusalDifference(err, fault)
	}
	if s := twin.Diff(got, want); s != "" {
		return s
	}
	wantSaved = wantSaved[:min(len(wantSaved), wire.SavedMax)]
	if !slices.EqualFunc(saved, wantSaved, func(a wire.Saved, b twin.Fault) bool {
		return b == twin.Fault{Code: a.Code.String(), Offset: a.Offset, Path: a.Path}
	}) {
		return fmt.Sprintf("saved %v, want %v", saved, wantSaved)
	}
	return ""
}

func refusalDifference(err error, fault *twin.Fault) string {
	var e *wire.Error
	switch {
	case err == nil:
		return fmt.Sprintf("accepted, want %+v", *fault)
	case !errors.As(err, &e):
		return fmt.Sprintf("%v is no *wire.Error", err)
	case fault == nil:
		return fmt.Sprintf("refused: %v, want no error", err)
	case *fault != twin.Fault{Code: e.Code.String(), Offset: e.Offset, Path: e.Path}:
		return fmt.Sprintf("refused: %s at %d in %q, want %+v", e.Code.String(), e.Offset, e.Path, *fault)
	}
	return ""
}

// refused decodes {"v":value} and returns the code of the refusal, 0 for none.
func refused[T any](r *Reader, value string, read reading[T]) (T, wire.Code) {
	h, err := decodeHolder(r, []byte(`{"v":`+value+`}`), read)
	return h.V, codeOf(err)
}

func codeOf(err error) wire.Code {
	if e, ok := errors.AsType[*wire.Error](err); ok {
		return e.Code
	}
	return 0
}

func abridged(data []byte) string {
	if len(data) <= 400 {
		return fmt.Sprintf("%q", data)
	}
	return fmt.Sprintf("%q...(%d bytes)...%q", data[:200], len(data), data[len(data)-100:])
}

// eachLevel runs a test once for each kernel that this machine and build have.
func eachLevel(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	defer setLevel(setLevel(jsonindex.Levels()[0]))
	for _, l := range jsonindex.Levels() {
		setLevel(l)
		t.Run(l.String(), test)
	}
}

// setLevel chooses the kernels and returns the level before.
func setLevel(l jsonindex.Level) jsonindex.Level {
	before := jsonindex.SetLevel(l)
	if slices.Contains(utf8check.Levels(), l) {
		utf8check.SetLevel(l)
	} else {
		utf8check.SetLevel(utf8check.Levels()[0])
	}
	return before
}

// newRand returns random numbers that are the same in every run, unless RTBWIRE_SEED says otherwise.
func newRand(t *testing.T) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(uint64(fromEnvironment(t, "RTBWIRE_SEED", 1)), 0))
}

// fromEnvironment is the number in an environment variable, or the default without it.
func fromEnvironment(t *testing.T, variable string, value int) int {
	t.Helper()
	if s := os.Getenv(variable); s != "" {
		var err error
		if value, err = strconv.Atoi(s); err != nil {
			t.Fatalf("%s: %v", variable, err)
		}
	}
	return value
}
