package conformance

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/oracle"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// otherwise lists the only documents that encoding/json reads differently: the case of "tid" or
// "buyeruid" is wrong in them, so the contract has an unknown key. Every other document gets the
// same value from both decoders, or is refused by both.
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

// TestLikeEncodingJSON compares the decoder with encoding/json, which knows nothing of the
// contract, on the corpus, the specification's examples and its fragments: in every way in default
// mode, with every kernel.
func TestLikeEncodingJSON(t *testing.T) {
	list := entries()
	classes := map[string]int{}
	met := map[string]bool{}
	for _, d := range slices.Concat(testkit.Documents(t), testkit.Fragments(t)) {
		want := ""
		for i, l := range testkit.Levels() {
			undo := testkit.SetLevel(l)
			for j, e := range list {
				if e.mode != oracle.Default || e.response != d.Response {
					continue
				}
				if testing.Short() && j%len(testkit.Levels()) != i {
					continue
				}
				e.decode(d.Text, func(got oracle.Outcome) {
					class, unexplained := judge(d.Text, e.zero(), got)
					if unexplained != "" || want != "" && class != want {
						t.Errorf("%s, %v, %s: class %q, want %q; unexplained: %s", d.Name, l, e.name, class, want, unexplained)
					}
					want = class
				})
			}
			undo()
		}
		classes[want]++
		key, listed := otherwise[d.Name]
		met[d.Name] = listed
		switch {
		case !listed && want != sameValue && want != bothRefuse:
			t.Errorf("%s: class %q, and the document is not listed", d.Name, want)
		case listed && (want != "both accept: keys by case" || !bytes.Contains(d.Text, []byte(key))):
			t.Errorf("%s is listed for the key %s, but has class %q", d.Name, key, want)
		}
	}
	for name := range otherwise {
		if !met[name] {
			t.Errorf("%s is listed, but does not exist", name)
		}
	}
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		t.Logf("%5d %s", classes[class], class)
	}
}

// TestSuiteLikeEncodingJSON compares with encoding/json on the documents of JSONTestSuite. A text
// that encoding/json accepts as ext is kept with the same bytes, unless a class gives the reason.
func TestSuiteLikeEncodingJSON(t *testing.T) {
	accepted := 0
	for _, f := range testkit.Suite(t) {
		for _, wrap := range []string{`{"ext":?}`, `{"imp":[{"ext":?}]}`, `{"x":?}`} {
			data := []byte(strings.Replace(wrap, "?", string(f.Text), 1))
			v, err := openrtb.Parse(data)
			if _, unexplained := judge(data, new(openrtb.BidRequest), outcome(v, nil, err)); unexplained != "" {
				t.Errorf("%s as %s: %s", f.File, wrap, unexplained)
			}
			text := bytes.Trim(f.Text, " \t\r\n")
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
		t.Errorf("%d accepted, want at least 300", accepted)
	}
}
