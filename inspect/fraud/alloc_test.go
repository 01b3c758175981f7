package fraud

import (
	"strings"
	"testing"

	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/openrtb"
)

// TestAllocations: once warm, a score allocates nothing, with or without signals. The exceptions
// are paths of impressions beyond those that are ready.
func TestAllocations(t *testing.T) {
	if !mem.ZeroCopy || testkit.Race {
		t.Skip("this build copies texts, or notes accesses")
	}
	var scratch Scratch
	var hits []Hit
	check := func(m *Model, in Input, doc []byte) {
		t.Helper()
		score := func() {
			_, hits = m.Score(in, &scratch, hits[:0])
			scratch.Release()
		}
		score()
		if n := testkit.Allocs(score); n != 0 && len(in.Request.Imp) <= pathsKept {
			t.Errorf("%v allocations for %s", n, testkit.Abridged(doc))
		}
	}
	for _, s := range samples() {
		if strings.Contains(s.doc, `[5,`) || strings.Contains(s.doc, `"hp":[]`) {
			continue // the decoder's error about a chain in an ext takes memory
		}
		config, f := (&cases{with: s.with}).input()
		check(mustNew(t, config), Input{parse(t, []byte(s.doc)), f}, []byte(s.doc))
	}
	models := []*Model{mustNew(t, Config{}), mustNew(t, fullConfig())}
	for i, doc := range corpus(t) {
		if r, err := openrtb.Parse(doc); err == nil {
			check(models[i%2], Input{r, fullFacts()}, doc)
		}
	}
}
