package policy

import (
	"errors"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
	"github.com/rtbwire/rtbwire/internal/mem"
	"github.com/rtbwire/rtbwire/internal/testkit"
)

// TestAllocations evaluates every condition of the other tests, and the rules of the benchmark.
func TestAllocations(t *testing.T) {
	if !mem.ZeroCopy || testkit.Race {
		t.Skip("this build copies texts")
	}
	e := testEnv(t)
	check := func(d *Condition, in *rule.Input) {
		t.Helper()
		if _, err := d.Holds(in); errors.Is(err, ErrConversion) {
			return // the error of package strconv needs memory
		}
		if n := testing.AllocsPerRun(20, func() { d.Holds(in) }); n != 0 {
			t.Errorf("%s: %v allocations", d, n)
		}
	}
	in := input(t, sample)
	in.Facts = sampleFacts()
	n := 0
	for _, c := range languageCases {
		if c.want != "issue" {
			check(compile(t, e, c.source), in)
			n++
		}
	}
	for _, cases := range legacyCases {
		for _, c := range cases {
			check(compile(t, e, c.holds), input(t, c.doc))
			n++
		}
	}
	banner := bannerInput(t)
	for _, source := range ruleSet {
		check(compile(t, e, source), banner)
		n++
	}
	// Without scratch of the caller the memory comes from a pool.
	banner.Scratch = nil
	check(compile(t, e, ruleSet[0]), banner)
	if n < 150 {
		t.Errorf("only %d conditions", n)
	}
}
