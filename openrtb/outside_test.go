package openrtb_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/simd/jsonindex"
	"github.com/rtbwire/rtbwire/internal/twin"
	"github.com/rtbwire/rtbwire/openrtb"
	"github.com/rtbwire/rtbwire/wire"
)

// This file asks encoding/json, which knows nothing of our contract, about the documents that others have written.

// otherwise are the only documents of which encoding/json makes something else: they misspell "tid" or "buyeruid", which
// are unknown keys then. A document that is not listed gets the same value from both, or is refused by both.
var otherwise = map[string]string{
	"corpus/requests.ndjson:58":  `"TID"`,
	"corpus/requests.ndjson:896": `"buyerUid"`,
	"corpus/requests.ndjson:897": `"buyerUid"`,
	"corpus/requests.ndjson:898": `"buyerUid"`,
	"corpus/requests.ndjson:899": `"buyerUid"`,
	"corpus/requests.ndjson:900": `"buyerUid"`,
	"corpus/requests.ndjson:904": `"buyerUid"`,
	"corpus/requests.ndjson:905": `"buyerUid"`,
	"corpus/requests.ndjson:906": `"buyerUid"`,
}

// TestLikeEncodingJSON decodes every document of the corpus and of the specification's examples, fragments too, by every
// way in default mode, at every level, and compares with encoding/json.
func TestLikeEncodingJSON(t *testing.T) {
	list := entries()
	defer setLevel(jsonindex.Levels()[0])()
	classes := map[string]int{}
	met := map[string]bool{}
	for _, d := range append(corpus(t), fragments(t)...) {
		want := ""
		for i, l := range jsonindex.Levels() {
			setLevel(l)
			for j, e := range list {
				if e.mode != twin.Default || e.response != d.response {
					continue
				}
				if testing.Short() && j%len(jsonindex.Levels()) != i {
					continue
				}
				e.decode(d.text, func(v any, _ []wire.Saved, err error) {
					if err != nil {
						v = e.zero()
					}
					refused, _ := err.(*wire.Error) //nolint:errorlint // the decoder returns nothing else
					class, unexplained := judge(d.text, v, refused)
					if unexplained != "" || want != "" && class != want {
						t.Errorf("%s, %v, %s: %s, %s (before: %s)", d.name, l, e.name, unexplained, class, want)
					}
					want = class
				})
			}
		}
		classes[want]++
		key, listed := otherwise[d.name]
		met[d.name] = listed
		switch {
		case !listed && want != sameValue && want != bothRefuse:
			t.Errorf("%s: %s, which is not listed", d.name, want)
		case listed && (want != "both accept: keys by case" || !bytes.Contains(d.text, []byte(key))):
			t.Errorf("%s is listed for the key %s: %s", d.name, key, want)
		}
	}
	for name := range otherwise {
		if !met[name] {
			t.Errorf("%s is listed, but there is no such document", name)
		}
	}
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		t.Logf("%5d %s", classes[class], class)
	}
}

// TestSuiteLikeEncodingJSON asks encoding/json about the documents of the suite where the classes of the suite leave no
// room: what it takes as the value of ext we take, with the same bytes, unless there is a listed reason.
func TestSuiteLikeEncodingJSON(t *testing.T) {
	accepted := 0
	for _, f := range suite(t) {
		for _, wrap := range []string{`{"ext":?}`, `{"imp":[{"ext":?}]}`, `{"x":?}`} {
			data := []byte(strings.Replace(wrap, "?", string(f.text), 1))
			v, err := openrtb.Parse(data)
			refused, _ := err.(*wire.Error) //nolint:errorlint // Parse returns nothing else
			if err != nil {
				v = new(openrtb.BidRequest)
			}
			if _, unexplained := judge(data, v, refused); unexplained != "" {
				t.Errorf("%s as %s: %s", f.File, wrap, unexplained)
			}
			text := bytes.Trim(f.text, " \t\r\n")
			switch {
			case f.Class == "y" && err != nil, f.Class == "n" && err == nil:
				t.Errorf("%s, class %s, as %s: %v", f.File, f.Class, wrap, err)
			case err != nil || string(text) == "null":
				continue
			}
			accepted++
			got := v.Ext
			if len(v.Imp) == 1 {
				got = v.Imp[0].Ext
			}
			if want := json.RawMessage(text); wrap != `{"x":?}` && !bytes.Equal(got, want) {
				t.Errorf("%s as %s: ext is %q", f.File, wrap, got)
			}
		}
	}
	if accepted < 300 {
		t.Errorf("%d accepted: the suite is not what it was", accepted)
	}
}
