package schema

import (
	"errors"
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/wire"
)

// TestJudge compares the two steps with [Checker.Request], by every preset, on the corpus, on
// documents that can't be decoded and on ones whose text has findings.
func TestJudge(t *testing.T) {
	docs := corpus(t, "requests")
	for _, seed := range fuzzSeeds {
		docs = append(docs, []byte(seed))
	}
	for _, base := range bases {
		docs = append(docs, clean(t, base), clean(t, base)[:100])
	}
	steps := strict(t)
	var engines []*Engine
	var checkers []*Checker
	for _, p := range Presets() {
		c := strict(t, WithPreset(p))
		engines, checkers = append(engines, c.engine), append(checkers, c)
	}
	refused := 0
	for _, doc := range docs {
		r, err := steps.Decode(doc)
		if (r == nil) != (err != nil) {
			t.Fatalf("a request %v with the error %v", r, err)
		}
		if err != nil {
			refused++
		}
		for i, e := range engines {
			want := checkers[i].Request(doc)
			got := steps.Judge(e)
			if !slices.Equal(got.Findings, want.Findings) || got.Counts != want.Counts || got.Dropped != want.Dropped {
				t.Fatalf("preset %s: two steps find%s\none finds%s\nin %s", Presets()[i], describe(got), describe(want), doc)
			}
		}
		if got, want := steps.Judge(nil), checkers[0].Request(doc); got.Counts != want.Counts { // strict is the default
			t.Fatalf("the checker's own engine finds%s\nwant%s", describe(got), describe(want))
		}
	}
	if refused < 5 {
		t.Fatalf("only %d documents were refused", refused)
	}
}

// TestJudgeLifetime checks that the decoded request outlives Judge, and ends with Release.
func TestJudgeLifetime(t *testing.T) {
	c := new(Checker)
	site, app := clean(t, "site"), clean(t, "app")
	r, err := c.Decode(site)
	if err != nil {
		t.Fatal(err)
	}
	id := r.ID
	c.Judge(nil)
	c.Request(app)
	if r.ID != id || r.Site == nil {
		t.Error("another call has changed the decoded request")
	}
	c.Release()
	if c.two.data != nil || c.two.request != nil {
		t.Error("the checker keeps the document")
	}
	if report := c.Judge(nil); !has(report, "json.syntax") {
		t.Errorf("after Release:%s", describe(report))
	}
}

func TestSetDecoding(t *testing.T) {
	c := new(Checker)
	site := clean(t, "site")
	c.SetDecoding(wire.MaxSize(10))
	if _, err := c.Decode(site); !errors.Is(err, wire.CodeSize) {
		t.Errorf("got %v, want the code size", err)
	}
	c.SetDecoding()
	if _, err := c.Decode(site); err != nil {
		t.Error(err)
	}
}

func TestJudgeAllocations(t *testing.T) {
	if !mem.ZeroCopy {
		t.Skip("the decoder copies strings")
	}
	c := strict(t)
	data := clean(t, "app")
	allocs(t, "Decode and Judge", func() Report {
		if _, err := c.Decode(data); err != nil {
			t.Fatal(err)
		}
		return c.Judge(nil)
	})
}
