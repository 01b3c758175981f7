package conformance

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// TestZeroCopy checks by address that strings point into the text, unless they had escapes or Parse
// copied the text.
func TestZeroCopy(t *testing.T) {
	if !mem.ZeroCopy {
		t.Skip("this build copies strings")
	}
	data := []byte(`{"id":"plain","cur":["USD","a\nb"],"ext":{"a":1},"site":{"name":"\u00e9","page":"p"}}`)
	v, err := openrtb.ParseFast(data)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]bool{
		"id":        testkit.Inside(data, v.ID),
		"cur/0":     testkit.Inside(data, v.Cur[0]),
		"site/page": testkit.Inside(data, v.Site.Page),
		"ext":       testkit.Inside(data, v.Ext),
	} {
		if !got {
			t.Errorf("%s was copied", name)
		}
	}
	if testkit.Inside(data, v.Cur[1]) || testkit.Inside(data, v.Site.Name) {
		t.Error("a string with an escape points into the text")
	}
	if cap(v.Ext) != len(v.Ext) {
		t.Errorf("ext has room for %d bytes more: appending to it would change the text", cap(v.Ext)-len(v.Ext))
	}
	if cap(v.Cur) != len(v.Cur) {
		t.Error("cur has room: appending to it would change what comes after it in the arena")
	}
	v, err = openrtb.Parse(data)
	if err != nil || testkit.Inside(data, v.ID) || testkit.Inside(data, v.Ext) {
		t.Errorf("the result of Parse points into the caller's text, or %v", err)
	}
}

// TestParseIsIndependent overwrites the text: results of Parse and clones must not change.
func TestParseIsIndependent(t *testing.T) {
	for i, original := range testkit.Requests(t) {
		if i%7 != 0 && (testkit.Race || testing.Short()) {
			continue
		}
		want, err := openrtb.ParseFast(original)
		if err != nil {
			continue
		}
		data := bytes.Clone(original)
		owned, err := openrtb.Parse(data)
		if err != nil {
			t.Fatal(err)
		}
		v, err := openrtb.ParseFastArena(data)
		if err != nil {
			t.Fatal(err)
		}
		clone := v.Clone()
		text := testkit.SpanOf(data, "the text")
		for name, own := range map[string]*openrtb.BidRequest{"Parse": owned, "Clone": clone} {
			all := testkit.Spans(own)
			if s := testkit.Shared(all, []testkit.Span{text}); s != "" {
				t.Errorf("document %d, %s: %s", i, name, s)
			}
			if s := testkit.Shared(all, testkit.Spans(v)); s != "" {
				t.Errorf("document %d, %s and the arena: %s", i, name, s)
			}
		}
		openrtb.ReleaseArena(v)
		for j := range data {
			data[j] = '#'
		}
		if !reflect.DeepEqual(owned, want) {
			t.Errorf("document %d: the result of Parse has changed with the text", i)
		}
		if !reflect.DeepEqual(clone, want) {
			t.Errorf("document %d: the clone has changed with the text", i)
		}
	}
}

// TestParseIsIndependentResponse is TestParseIsIndependent for responses.
func TestParseIsIndependentResponse(t *testing.T) {
	for i, original := range testkit.Responses(t) {
		want, err := openrtb.ParseResponseFast(original)
		if err != nil {
			continue
		}
		data := bytes.Clone(original)
		owned, err := openrtb.ParseResponse(data)
		if err != nil {
			t.Fatal(err)
		}
		v, err := openrtb.ParseResponseFastArena(data)
		if err != nil {
			t.Fatal(err)
		}
		clone := v.Clone()
		openrtb.ReleaseResponseArena(v)
		clear(data)
		if !reflect.DeepEqual(owned, want) || !reflect.DeepEqual(clone, want) {
			t.Errorf("document %d: a value that owns its memory has changed with the text", i)
		}
	}
}

// TestFastResultsAlias checks on real documents that ParseFast and Decode do not copy: each string
// and ext points into the text, except strings that had an escape.
func TestFastResultsAlias(t *testing.T) {
	d := openrtb.NewDecoder()
	for i, data := range testkit.Requests(t) {
		if i%7 != 0 && (testkit.Race || testing.Short()) {
			continue
		}
		for name, parse := range map[string]func([]byte) (*openrtb.BidRequest, error){"ParseFast": openrtb.ParseFast, "Decode": d.Decode} {
			v, err := parse(data)
			if err != nil {
				continue
			}
			copied := 0
			testkit.Walk(v, func(path string, v reflect.Value) {
				switch {
				case v.Kind() == reflect.Slice: // in every build
					ext := v.Bytes()
					if !testkit.Inside(data, ext) {
						t.Errorf("document %d, %s: %s was copied", i, name, path)
					}
					if cap(ext) != len(ext) {
						t.Errorf("document %d, %s: %s has spare capacity: appending would change the text", i, name, path)
					}
				case v.Kind() == reflect.String && mem.ZeroCopy && !testkit.Inside(data, v.String()):
					copied++
				}
			})
			if copied > bytes.Count(data, []byte(`\`)) {
				t.Errorf("document %d, %s: %d strings were copied", i, name, copied)
			}
		}
	}
}

// TestFastResultChangesWithTheText shows what the documentation warns of: a change of the text
// changes the strings.
func TestFastResultChangesWithTheText(t *testing.T) {
	if !mem.ZeroCopy {
		t.Skip("this build copies strings")
	}
	data := []byte(`{"id":"plain","cur":["a\tb"],"ext":"text"}`)
	v, err := openrtb.ParseFast(data)
	if err != nil {
		t.Fatal(err)
	}
	clone := v.Clone()
	for i := range data {
		data[i] = '#'
	}
	if v.ID != "#####" || string(v.Ext) != "######" {
		t.Errorf("id is %q, ext %s: they were copied", v.ID, v.Ext)
	}
	if v.Cur[0] != "a\tb" {
		t.Errorf("a string with an escape has become %q", v.Cur[0])
	}
	if clone.ID != "plain" || string(clone.Ext) != `"text"` || clone.Cur[0] != "a\tb" {
		t.Errorf("the clone has become %+v", clone)
	}
}

// TestCloneIsDeep changes every part of a value: its clone must not change. Then it changes the
// clone, and looks at the clone's clone.
func TestCloneIsDeep(t *testing.T) {
	v, err := openrtb.Parse(testkit.TaggedRequest(5, 4))
	if err != nil {
		t.Fatal(err)
	}
	clone := v.Clone()
	spoilValue(v)
	if s := testkit.CheckTagged(clone, 5, testkit.TaggedLeaves(4)); s != "" {
		t.Errorf("changing a value has changed its clone: %s", s)
	}
	second := clone.Clone()
	spoilValue(clone)
	if s := testkit.CheckTagged(second, 5, testkit.TaggedLeaves(4)); s != "" {
		t.Errorf("changing a clone has changed its clone: %s", s)
	}
}

// spoilValue overwrites every string, number and ext of a value in place.
func spoilValue(v any) {
	testkit.Walk(v, func(_ string, v reflect.Value) {
		switch v.Kind() { //nolint:exhaustive // there are no others
		case reflect.String:
			v.SetString("spoilt")
		case reflect.Int:
			v.SetInt(-1)
		case reflect.Float64:
			v.SetFloat(-1)
		case reflect.Slice:
			clear(v.Bytes())
		}
	})
}
