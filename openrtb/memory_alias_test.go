package openrtb_test

import (
	"bytes"
	"reflect"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/openrtb"
)

// This file is about whose memory strings and exts are in, on real documents.

// TestParseIsIndependent overwrites the text after Parse, and after the release of what was cloned.
func TestParseIsIndependent(t *testing.T) {
	for i, original := range realDocuments(t).requests {
		if i%7 != 0 && (raceEnabled || testing.Short()) {
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
		text := span{from: addressOf(bytesInPlace(data)), to: addressOf(bytesInPlace(data)) + uintptr(len(data)), path: "the text"}
		for name, own := range map[string]*openrtb.BidRequest{"Parse": owned, "Clone": clone} {
			all := spans(own, true)
			if s := shared(all, []span{text}); s != "" {
				t.Errorf("document %d, %s: %s", i, name, s)
			}
			if s := shared(all, spans(v, true)); s != "" {
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

// TestParseIsIndependentResponse is the same for responses.
func TestParseIsIndependentResponse(t *testing.T) {
	for i, original := range realDocuments(t).responses {
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

// TestFastResultsAlias checks that the ways in that do not copy do not, on real documents: each string and ext points
// into the text, but for strings that had an escape.
func TestFastResultsAlias(t *testing.T) {
	d := openrtb.NewDecoder()
	for i, data := range realDocuments(t).requests {
		if i%7 != 0 && (raceEnabled || testing.Short()) {
			continue
		}
		for name, parse := range map[string]func([]byte) (*openrtb.BidRequest, error){"ParseFast": openrtb.ParseFast, "Decode": d.Decode} {
			v, err := parse(data)
			if err != nil {
				continue
			}
			copied := 0
			walkValue(reflect.ValueOf(v), "", func(path string, v reflect.Value) {
				switch {
				case v.Kind() == reflect.Slice: // in every build
					ext := v.Bytes()
					if !inside(data, bytesInPlace(ext)) {
						t.Errorf("document %d, %s: %s was copied", i, name, path)
					}
					if cap(ext) != len(ext) {
						t.Errorf("document %d, %s: appending to %s would change the text", i, name, path)
					}
				case v.Kind() == reflect.String && mem.ZeroCopy && !inside(data, v.String()):
					copied++
				}
			})
			if copied > bytes.Count(data, []byte(`\`)) {
				t.Errorf("document %d, %s: %d strings were copied", i, name, copied)
			}
		}
	}
}

// TestFastResultChangesWithTheText shows what the documentation warns of: whoever changes the text changes the strings.
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
		t.Errorf("a string with an escape reads %q", v.Cur[0])
	}
	if clone.ID != "plain" || string(clone.Ext) != `"text"` || clone.Cur[0] != "a\tb" {
		t.Errorf("the clone reads %+v", clone)
	}
}

// TestCloneIsDeep changes every part of a value and looks at its clone, and the other way round.
func TestCloneIsDeep(t *testing.T) {
	v, err := openrtb.Parse(tagged(5, 4))
	if err != nil {
		t.Fatal(err)
	}
	clone := v.Clone()
	spoilValue(reflect.ValueOf(v))
	if s := checkTagged(clone, 5, leaves(4)); s != "" {
		t.Errorf("changing a value has changed its clone: %s", s)
	}
	second := clone.Clone()
	spoilValue(reflect.ValueOf(clone))
	if s := checkTagged(second, 5, leaves(4)); s != "" {
		t.Errorf("changing a clone has changed its clone: %s", s)
	}
}

// spoilValue overwrites every string, number and ext of a value in place.
func spoilValue(v reflect.Value) {
	walkValue(v, "", func(_ string, v reflect.Value) {
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
