package openrtb_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/internal/guardpage"
	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/internal/twin"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// This file has the fuzz targets that look at one document at a time; fuzz_sequence_test.go has the one for several.
// scripts/fuzz.sh runs them. A seed is run by every test of the package as well.
//
// Decoders are new for each input, so that an input that fails will fail again.

// fuzzMax is how long the documents of the fuzz targets may be. Longer ones find nothing but cost more.
const fuzzMax = 32 << 10

// seeds are documents to start from: the examples of the specification, a sample of the corpus, JSONTestSuite, the cases
// of the contract, texts that end where they should not, and pieces by themselves.
func seeds(tb testing.TB) (list [][]byte) {
	docs := realDocuments(tb)
	for _, some := range []struct {
		list     [][]byte
		examples int // the last of the list
	}{{docs.requests, len(docs.requests) - 2020}, {docs.responses, len(docs.responses) - 740}} {
		for i, doc := range some.list {
			if i%60 == 0 || i >= len(some.list)-some.examples {
				list = append(list, doc)
			}
		}
	}
	for _, f := range suite(tb) {
		if bytes.HasPrefix(f.text, []byte("{")) {
			list = append(list, f.text)
		} else {
			list = append(list, fmt.Appendf(nil, `{"ext":%s}`, f.text))
		}
	}
	for _, c := range contract {
		data, _ := unmark(c.in)
		list = append(list, data)
	}
	for _, ending := range endings {
		list = append(list, []byte(ending))
	}
	for i, piece := range pieces {
		list = append(list, fmt.Appendf(nil, `{"imp":[{%s}], %s,"seatbid":[{"bid":[{%s}]}]}`, piece, pieces[(i+7)%len(pieces)], piece))
	}
	for i, token := range tokens {
		other := tokens[(i+11)%len(tokens)]
		list = append(list, fmt.Appendf(nil, `{"id":%s,"tmax":%s,"ext":%s,"imp":[{"bidfloor":%s}],"seatbid":[{"bid":[{"price":%s}]}]}`, token, other, other, token, other))
	}
	return slices.DeleteFunc(list, func(data []byte) bool { return len(data) > fuzzMax })
}

// chooseLevel makes an input choose its kernel, and returns how to undo it.
func chooseLevel(data []byte) (undo func()) {
	levels := jsonindex.Levels()
	return setLevel(levels[len(data)%len(levels)])
}

// fresh returns a new decoder for requests or responses.
func fresh(response bool, mode twin.Mode, options ...wire.Option) *entry {
	if response {
		return responseDecoderEntry(mode, options...)
	}
	return decoderEntry(mode, options...)
}

// decoding is what came of a document. The value of a new decoder that is not used again stays valid.
type decoding struct {
	value any
	saved []wire.Saved
	err   *wire.Error
}

func decodeFresh(response bool, mode int, data []byte) (d decoding) {
	fresh(response, modes[mode].mode, modes[mode].options...).decode(data, func(v any, saved []wire.Saved, err error) {
		d = decodingOf(v, saved, err)
	})
	return d
}

func decodingOf(v any, saved []wire.Saved, err error) decoding {
	var refused *wire.Error
	if err != nil && !errors.As(err, &refused) {
		panic(fmt.Sprintf("%v is no *wire.Error", err))
	}
	return decoding{v, saved, refused}
}

// diff returns how two decodings differ, "" if they don't.
func (d decoding) diff(want decoding) string {
	switch {
	case (d.err == nil) != (want.err == nil):
		return fmt.Sprintf("error %v, want %v", d.err, want.err)
	case d.err != nil && *d.err != *want.err:
		return fmt.Sprintf("error %+v, want %+v", *d.err, *want.err)
	case !slices.Equal(d.saved, want.saved):
		return fmt.Sprintf("saved %v, want %v", d.saved, want.saved)
	case d.err != nil:
		return ""
	}
	return twin.Diff(d.value, want.value)
}

// fuzzDecode holds all modes against the twin, and default mode against encoding/json.
func fuzzDecode(f *testing.F, response bool) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > fuzzMax {
			return
		}
		defer chooseLevel(data)()
		before := bytes.Clone(data)
		for _, m := range modes {
			e := fresh(response, m.mode, m.options...)
			x := expect(e, data, twin.Options{})
			e.decode(data, func(v any, saved []wire.Saved, err error) {
				if s := x.check(v, saved, err); s != "" {
					t.Errorf("%s: %s", e.name, s)
				}
				if m.mode != twin.Default {
					return
				}
				d := decodingOf(v, saved, err)
				if err != nil {
					v = e.zero()
				}
				if _, unexplained := judge(data, v, d.err); unexplained != "" {
					t.Errorf("%s and encoding/json: %s", e.name, unexplained)
				}
			})
		}
		if !bytes.Equal(data, before) {
			t.Errorf("the text was changed to %q", data)
		}
	})
}

// FuzzDecode decodes requests; see fuzzDecode.
func FuzzDecode(f *testing.F) { fuzzDecode(f, false) }

// FuzzResponse decodes responses; see fuzzDecode.
func FuzzResponse(f *testing.F) { fuzzDecode(f, true) }

// FuzzModes holds the modes against each other: what strict mode accepts is accepted by default mode, and what default
// mode accepts by lenient mode, with the same value.
func FuzzModes(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > fuzzMax {
			return
		}
		defer chooseLevel(data)()
		for _, response := range []bool{false, true} {
			normal, strict, lenient := decodeFresh(response, 0, data), decodeFresh(response, 1, data), decodeFresh(response, 2, data)
			switch {
			case strict.err == nil && normal.err != nil:
				t.Errorf("strict mode accepts, default mode says %v", normal.err)
			case strict.err == nil:
				if s := normal.diff(strict); s != "" {
					t.Errorf("default mode differs from strict: %s", s)
				}
			case normal.err == nil && strict.err.Code != wire.CodeDuplicate:
				t.Errorf("default mode accepts, strict mode says %v", strict.err)
			case normal.err != nil && *normal.err != *strict.err:
				t.Errorf("default mode says %v, strict mode %v", normal.err, strict.err)
			}
			switch {
			case normal.err == nil && (lenient.err != nil || len(lenient.saved) > 0):
				t.Errorf("default mode accepts, lenient mode says %v and has put right %v", lenient.err, lenient.saved)
			case normal.err == nil:
				if s := lenient.diff(normal); s != "" {
					t.Errorf("lenient mode differs from default: %s", s)
				}
			case lenient.err == nil:
				// The first thing that lenient mode has put right is what default mode stumbles on, unless that is
				// somewhere in what nobody asked for.
				first := wire.Saved{Code: normal.err.Code, Offset: normal.err.Offset, Path: normal.err.Path}
				switch first.Code {
				case wire.CodeUTF8, wire.CodeSurrogate:
				case wire.CodeType, wire.CodeInteger, wire.CodeBOM:
					if len(lenient.saved) == 0 || lenient.saved[0] != first {
						t.Errorf("default mode says %v, lenient mode has put right %v", normal.err, lenient.saved)
					}
				default:
					t.Errorf("default mode says %v, lenient mode accepts", normal.err)
				}
			}
		}
	})
}

// FuzzEntryPoints holds all ways in and all kernels against each other: the same value, or the same error at the same
// place. The text lies against unreadable pages meanwhile.
func FuzzEntryPoints(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	buffer := guardpage.New(f, fuzzMax)
	levels := jsonindex.Levels()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > fuzzMax {
			return
		}
		defer setLevel(levels[0])()
		var want [2][3]decoding // by type and mode
		for mode := range modes {
			want[0][mode], want[1][mode] = decodeFresh(false, mode, data), decodeFresh(true, mode, data)
		}
		if err := want[0][0].err; err != nil && (err.Offset < 0 || err.Offset > len(data) || err.Error() == "" || len(err.Path) > wire.PathMax) {
			t.Errorf("%+v of %d bytes", *err, len(data))
		}
		for i, l := range levels {
			setLevel(l)
			guarded := buffer.Back(data)
			if (i+len(data))%2 == 0 {
				guarded = buffer.Front(data)
			}
			for _, e := range entries() {
				e.decode(guarded, func(v any, saved []wire.Saved, err error) {
					if s := decodingOf(v, saved, err).diff(want[kindOf(e)][e.mode]); s != "" {
						t.Errorf("%v: %s: %s", l, e.name, s)
					}
				})
			}
		}
		if want[0][0].err != nil {
			return
		}
		clone := want[0][0].value.(*openrtb.BidRequest).Clone()
		if s := twin.Diff(clone, want[0][0].value); s != "" {
			t.Errorf("a clone differs: %s", s)
		}
		if clone.Ext != nil && !json.Valid(clone.Ext) {
			t.Errorf("ext is no JSON: %s", clone.Ext)
		}
	})
}
