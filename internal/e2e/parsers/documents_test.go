package parsers

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rtbwire/rtbwire/inspect"
	"github.com/rtbwire/rtbwire/internal/testkit"
	"github.com/rtbwire/rtbwire/internal/traffic/simulate"
)

// generator makes documents. The same seed makes the same ones.
type generator struct {
	seed, n   uint64
	corpus    [][]byte // what the engine forwards of it
	simulated *simulate.Generator
	made      map[string]int // by mutation
	forwarded map[string]int // of these
}

func newGenerator(t *testing.T) *generator {
	t.Helper()
	g := &generator{seed: testkit.Seed(t), made: map[string]int{}, forwarded: map[string]int{}}
	w := engine(t, "").NewWorker()
	for _, text := range testkit.Requests(t) {
		if w.Inspect(text, inspect.Facts{}).Action == inspect.ActionForward {
			g.corpus = append(g.corpus, text)
		}
	}
	if len(g.corpus) < 1000 {
		t.Fatalf("the engine forwards only %d requests of the corpus", len(g.corpus))
	}
	var err error
	g.simulated, err = simulate.New(simulate.Config{Seed: g.seed, Shape: simulate.Mixed})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// faultShare is one of so many documents that has a fault for which it must be refused.
const faultShare = 8

// document is a document with the mutations that made it.
type document struct {
	n         uint64 // the number of the document, for the seed
	text      []byte
	mutations []string
	fault     bool
}

// next makes a document: of the corpus or simulated, with one to three mutations, and some with a
// fault after these.
func (g *generator) next(t *testing.T) (made document) {
	t.Helper()
	r := rand.New(rand.NewPCG(g.seed, g.n))
	d := &draft{Rand: r}
	made.n = g.n
	if r.IntN(2) == 0 {
		d.text = slices.Clone(oneOf(d, g.corpus))
	} else {
		d.text, _ = g.simulated.AppendRequest(nil, g.n)
	}
	g.n++
	mutate := func(m mutation) bool {
		before := d.text
		d.scan()
		if !m.apply(d) {
			d.text = before
			return false
		}
		made.mutations = append(made.mutations, m.name)
		return true
	}
	for count := 1 + r.IntN(3); len(made.mutations) < count; {
		if m := oneOf(d, mutations); mutate(m) && !json.Valid(d.text) {
			t.Fatalf("mutation %s made invalid JSON: %s", m.name, testkit.Abridged(d.text))
		}
	}
	for r.IntN(faultShare) == 0 {
		if mutate(oneOf(d, faults)) {
			made.fault = true
			break
		}
	}
	made.text = d.text
	for _, name := range made.mutations {
		g.made[name]++
	}
	return made
}
