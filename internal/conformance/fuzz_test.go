package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/rtbwire/rtbwire/internal/guardpage"
	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// fuzzDecode compares all modes with the oracle, and default mode with encoding/json.
func fuzzDecode(f *testing.F, response bool) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > fuzzMax {
			return
		}
		defer chooseKernel(data)()
		before := bytes.Clone(data)
		for mode := range modes {
			e := fresh(response, mode)
			want := expect(e, data, oracle.Options{})
			e.decode(data, func(got oracle.Outcome) {
				if s := got.Diff(want); s != "" {
					t.Errorf("%s: %s", e.name, s)
				}
				if e.mode != oracle.Default {
					return
				}
				if _, unexplained := judge(data, e.zero(), got); unexplained != "" {
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

// FuzzModes compares the modes with each other. What strict mode accepts, default mode accepts with
// the same value; what default mode accepts, lenient mode does.
func FuzzModes(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > fuzzMax {
			return
		}
		defer chooseKernel(data)()
		for _, response := range []bool{false, true} {
			normal, strict, lenient := decodeFresh(response, 0, data), decodeFresh(response, 1, data), decodeFresh(response, 2, data)
			compareStrict(t, normal, strict)
			compareLenient(t, normal, lenient)
		}
	})
}

func compareStrict(t *testing.T, normal, strict oracle.Outcome) {
	t.Helper()
	switch {
	case strict.Fault == nil && normal.Fault != nil:
		t.Errorf("strict mode accepts, default mode refuses for %v", *normal.Fault)
	case strict.Fault == nil:
		if s := decodersDiffer(normal, strict); s != "" {
			t.Errorf("default mode differs from strict mode: %s", s)
		}
	case normal.Fault == nil && strict.Fault.Code != wire.CodeDuplicate.String():
		t.Errorf("default mode accepts, strict mode refuses for %v", *strict.Fault)
	case normal.Fault != nil && *normal.Fault != *strict.Fault:
		t.Errorf("default mode refuses for %v, strict mode for %v", *normal.Fault, *strict.Fault)
	}
}

func compareLenient(t *testing.T, normal, lenient oracle.Outcome) {
	t.Helper()
	switch {
	case normal.Fault == nil && (lenient.Fault != nil || len(lenient.Saved) > 0):
		t.Errorf("default mode accepts, lenient mode has the fault %v and the repairs %v", lenient.Fault, lenient.Saved)
	case normal.Fault == nil:
		if s := decodersDiffer(lenient, normal); s != "" {
			t.Errorf("lenient mode differs from default mode: %s", s)
		}
	case lenient.Fault == nil:
		// The first repair of lenient mode is the fault of default mode, unless that is in a
		// skipped value.
		switch first := *normal.Fault; first.Code {
		case wire.CodeUTF8.String(), wire.CodeSurrogate.String():
		case wire.CodeType.String(), wire.CodeInteger.String(), wire.CodeBOM.String():
			if len(lenient.Saved) == 0 || lenient.Saved[0] != first {
				t.Errorf("default mode refuses for %v, lenient mode repairs %v", first, lenient.Saved)
			}
		default:
			t.Errorf("default mode refuses for %v, lenient mode accepts", first)
		}
	}
}

// FuzzEntryPoints compares all ways to decode and all kernels with each other: the same value, or
// the same fault. The text is beside an unreadable page.
func FuzzEntryPoints(f *testing.F) {
	for _, seed := range seeds(f) {
		f.Add(seed)
	}
	buffer := guardpage.New(f, fuzzMax)
	levels := testkit.Levels()
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > fuzzMax {
			return
		}
		defer testkit.SetLevel(levels[0])()
		var want [2][3]oracle.Outcome // by type and mode
		for mode := range modes {
			want[0][mode], want[1][mode] = decodeFresh(false, mode, data), decodeFresh(true, mode, data)
		}
		_, err := openrtb.NewDecoder().Decode(data)
		var e *wire.Error
		if errors.As(err, &e) && (e.Offset < 0 || e.Offset > len(data) || e.Error() == "" || len(e.Path) > wire.PathMax) {
			t.Errorf("%+v of %d bytes", *e, len(data))
		}
		for i, l := range levels {
			testkit.SetLevel(l)
			guarded := buffer.Back(data)
			if (i+len(data))%2 == 0 {
				guarded = buffer.Front(data)
			}
			for _, e := range entries() {
				e.decode(guarded, func(got oracle.Outcome) {
					if s := decodersDiffer(got, want[e.kind()][e.mode]); s != "" {
						t.Errorf("%v: %s: %s", l, e.name, s)
					}
				})
			}
		}
		if want[0][0].Fault != nil {
			return
		}
		clone := want[0][0].Value.(*openrtb.BidRequest).Clone()
		if s := oracle.Diff(clone, want[0][0].Value); s != "" {
			t.Errorf("a clone differs: %s", s)
		}
		if clone.Ext != nil && !json.Valid(clone.Ext) {
			t.Errorf("ext is not JSON: %s", clone.Ext)
		}
	})
}
