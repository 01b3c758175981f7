package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/openrtb"
)

// TestCorpus checks real traffic and compares a summary with a golden file, so that a change to a
// rule shows as a diff that people can judge.
func TestCorpus(t *testing.T) {
	var b strings.Builder
	for _, kind := range []string{"requests", "responses"} {
		docs := corpus(t, kind)
		for _, preset := range Presets() {
			c := strict(t, WithPreset(preset))
			findings, documents := map[string]int{}, map[string]int{}
			var severities [Error + 1]int
			valid, silent := 0, 0
			for _, doc := range docs {
				r := checkKind(c, kind, doc)
				for _, f := range r.Findings {
					findings[f.ID]++
					severities[f.Severity]++
				}
				for _, id := range ids(r) {
					documents[id]++
				}
				if r.Valid() {
					valid++
				}
				if len(r.Findings) == 0 {
					silent++
				}
			}
			fmt.Fprintf(&b, "%d %s, preset %s: %d without errors, %d without findings; %d errors, %d warnings, %d infos\n",
				len(docs), kind, preset, valid, silent, severities[Error], severities[Warn], severities[Info])
			fmt.Fprintf(&b, "%10s %10s  %-8s %s\n", "findings", "documents", "severity", "rule")
			for _, id := range slices.Sorted(maps.Keys(findings)) {
				fmt.Fprintf(&b, "%10d %10d  %-8v %s\n", findings[id], documents[id], c.engine.Severity(id).Level(), id)
			}
			b.WriteString("\n")
		}
	}
	golden(t, "testdata/corpus.golden", b.String())
}

func checkKind(c *Checker, kind string, doc []byte) Report {
	if kind == "responses" {
		return c.Response(doc)
	}
	return c.Request(doc)
}

// TestCorpusPlaces checks the offset of every finding in the corpus.
func TestCorpusPlaces(t *testing.T) {
	c := strict(t)
	for _, kind := range []string{"requests", "responses"} {
		for i, doc := range corpus(t, kind) {
			r := checkKind(c, kind, doc)
			checkCounts(t, r)
			if kind == "requests" {
				checkPlaces(t, r, doc, nil)
			} else {
				checkPlaces(t, r, nil, doc)
			}
			if t.Failed() {
				t.Fatalf("line %d of %s: %s", i+1, kind, doc)
			}
		}
	}
}

// inTextLayer reports whether a rule is about the text, so that decoded values don't show it.
func inTextLayer(id string) bool {
	return strings.HasPrefix(id, "any.") || strings.HasPrefix(id, "json.") || id == "Native.request.string"
}

// inPayload reports whether a finding is about the text inside a string, which the value layer
// reads.
func inPayload(f Finding) bool {
	return strings.Contains(f.Path, "/native/request#") || strings.Contains(f.Path, "/adm#")
}

func valueLayer(r Report) (out []Finding) {
	for _, f := range r.Findings {
		if !inTextLayer(f.ID) || inPayload(f) {
			out = append(out, f)
		}
	}
	return out
}

// TestCorpusValues checks that a decoded document has the same findings as its text, except for
// those about the text.
func TestCorpusValues(t *testing.T) {
	c, cv := strict(t), strict(t)
	same := 0
	for _, kind := range []string{"requests", "responses"} {
		for i, doc := range corpus(t, kind) {
			text := checkKind(c, kind, doc)
			var value, bare Report
			if kind == "requests" {
				v, err := openrtb.Parse(doc)
				if err != nil {
					continue // the text layer has said why
				}
				value = cv.RequestValue(v, doc)
				want := valueLayer(text)
				if !slices.Equal(value.Findings, want) {
					t.Fatalf("line %d of %s: of the value:%s\nof the text:%s\n%s", i+1, kind, describe(value), describe(text), doc)
				}
				bare = cv.RequestValue(v, nil)
			} else {
				v, err := openrtb.ParseResponse(doc)
				if err != nil {
					continue
				}
				value = cv.ResponseValue(v, doc)
				want := valueLayer(text)
				if !slices.Equal(value.Findings, want) {
					t.Fatalf("line %d of %s: of the value:%s\nof the text:%s\n%s", i+1, kind, describe(value), describe(text), doc)
				}
				bare = cv.ResponseValue(v, nil)
			}
			same++
			for _, f := range bare.Findings {
				if f.Offset != -1 {
					t.Fatalf("%s has the offset %d without a text", f.ID, f.Offset)
				}
			}
			if got, want := ids(bare), ids(Report{Findings: valueLayer(text)}); !slices.Equal(got, want) {
				t.Fatalf("without the text: %v, with it: %v", got, want)
			}
		}
	}
	if same < 2500 {
		t.Errorf("only %d documents were decoded", same)
	}
}
