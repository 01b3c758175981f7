package conformance

import (
	"errors"
	"reflect"
	"runtime"
	"testing"

	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// TestBugStringsChangeWithTheBuffer: a parser returned strings that pointed into the caller's
// buffer as if they were copies, so they changed when the caller reused it.
func TestBugStringsChangeWithTheBuffer(t *testing.T) {
	data := []byte(`{"id":"request","imp":[{"id":"impression","ext":{"k":"v"}}],"cur":["USD","E\u0055R"]}`)
	owned, err := openrtb.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	arena, err := openrtb.ParseFastArena(data)
	if err != nil {
		t.Fatal(err)
	}
	clone := arena.Clone()
	openrtb.ReleaseArena(arena)

	bad := []byte(`{"imp":[{"unknown key":{"another":[1,}]}}]}`)
	_, refused := openrtb.Parse(bad)
	lenient := openrtb.NewDecoder(wire.Lenient())
	repaired := []byte(`{"imp":[{"bidfloor":"1"}]}`)
	if _, err := lenient.Decode(repaired); err != nil {
		t.Fatal(err)
	}
	for _, text := range [][]byte{data, bad, repaired} {
		for i := range text {
			text[i] = '#'
		}
	}
	for name, v := range map[string]*openrtb.BidRequest{"Parse": owned, "Clone": clone} {
		if v.ID != "request" || v.Imp[0].ID != "impression" || string(v.Imp[0].Ext) != `{"k":"v"}` || v.Cur[0] != "USD" || v.Cur[1] != "EUR" {
			t.Errorf("%s has changed with the buffer: %+v", name, v)
		}
	}
	var e *wire.Error
	if !errors.As(refused, &e) || e.Path != "/imp/0/unknown key/another/1" {
		t.Errorf("an error has changed with the buffer: %v", refused)
	}
	if s := lenient.Saved(); len(s) != 1 || s[0].Path != "/imp/0/bidfloor" {
		t.Errorf("the list of repairs has changed with the buffer: %v", s)
	}
}

// TestBugTwoResultsShareMemory: two values came out of one allocation, or of one arena, so a change
// of one showed in the other.
func TestBugTwoResultsShareMemory(t *testing.T) {
	for _, n := range []int{0, 1, 3, 20} {
		var values, arenas []*openrtb.BidRequest
		var texts [][]byte
		add := func(v *openrtb.BidRequest, err error) *openrtb.BidRequest {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
			values = append(values, v)
			return v
		}
		text := func() []byte { // a new one for each value
			texts = append(texts, testkit.TaggedRequest(1000+len(values), n))
			return texts[len(texts)-1]
		}
		for range 3 {
			arenas = append(arenas, add(openrtb.ParseFastArena(text())))
			add(openrtb.ParseFast(text()))
			add(openrtb.Parse(text()))
			add(openrtb.NewDecoder().Decode(text()))
			other := openrtb.NewDecoder() // its first result ends with the second
			if _, err := other.Decode(testkit.TaggedRequest(1, n)); err != nil {
				t.Fatal(err)
			}
			add(other.Decode(text()))
			first, err := openrtb.ParseFastArena(text())
			if err != nil {
				t.Fatal(err)
			}
			add(first.Clone(), nil)
			openrtb.ReleaseArena(first)
		}
		all := make([][]testkit.Span, len(values))
		for i, v := range values {
			all[i] = testkit.Spans(v)
			for j := range i {
				if s := testkit.Shared(all[j], all[i]); s != "" {
					t.Errorf("%d impressions: values %d and %d share memory: %s", n, j, i, s)
				}
			}
		}
		// Appending to a slice of a value must not write to memory that is in use.
		for _, v := range values {
			growAll(reflect.ValueOf(v))
		}
		for i, v := range values {
			if s := testkit.CheckTagged(v, 1000+i, testkit.TaggedLeaves(n)); s != "" {
				t.Errorf("%d impressions: value %d has changed: %s", n, i, s)
			}
			if string(texts[i]) != string(testkit.TaggedRequest(1000+i, n)) {
				t.Errorf("%d impressions: the text of value %d has changed", n, i)
			}
		}
		for _, v := range arenas {
			openrtb.ReleaseArena(v)
		}
	}
}

// growAll appends to every slice of a value, and drops the result.
func growAll(v reflect.Value) {
	switch v.Kind() { //nolint:exhaustive // the others have no slices
	case reflect.Pointer:
		if !v.IsNil() {
			growAll(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				growAll(v.Field(i))
			}
		}
	case reflect.Slice:
		grown := reflect.New(v.Type().Elem()).Elem()
		if grown.Kind() == reflect.Uint8 {
			grown.SetUint('#')
		}
		reflect.Append(v, grown)
		if v.Type().Elem().Kind() != reflect.Uint8 {
			for i := range v.Len() {
				growAll(v.Index(i))
			}
		}
	}
}

// TestBugPointersInUnscannedMemory: objects were in memory that the collector does not scan, so it
// freed what they pointed to. TestCollectorSeesEverything has more of this.
func TestBugPointersInUnscannedMemory(t *testing.T) {
	var values []*openrtb.BidRequest
	for i := range 30 {
		v, err := openrtb.NewDecoder().Decode(testkit.TaggedRequest(i, i))
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, v)
		runtime.GC()
		litter()
	}
	for i, v := range values {
		if s := testkit.CheckTagged(v, i, testkit.TaggedLeaves(i)); s != "" {
			t.Errorf("after collections: %s", s)
		}
	}
}
