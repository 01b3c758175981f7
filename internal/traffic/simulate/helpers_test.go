package simulate

import (
	"testing"
)

// faulty is a configuration with all classes of faults.
func faulty(seed uint64, s Shape) Config {
	return Config{Seed: seed, Shape: s, Defects: Percent(20), Payloads: Percent(10), Fraud: Percent(20)}
}

// mustNew is New of a configuration that is right.
func mustNew(tb testing.TB, c Config) *Generator {
	tb.Helper()
	g, err := New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// each makes requests and calls f with each. The text is valid during the call.
func each(g *Generator, count uint64, f func(text []byte, l Label)) {
	var text []byte
	for n := range count {
		var l Label
		text, l = g.AppendRequest(text[:0], n)
		f(text, l)
	}
}

// Config returns the configuration that the generator was made with.
func (g *Generator) Config() Config { return g.config }
