package policy

import (
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/rtbwire/rtbwire/inspect/rule"
)

func TestNewEnv(t *testing.T) {
	for _, c := range []struct {
		options Options
		message string
	}{
		{Options{Rates: map[string]float64{"EUR": 0}}, "want a positive number"},
		{Options{Rates: map[string]float64{"EUR": math.NaN()}}, "want a positive number"},
		{Options{Rates: map[string]float64{"EUR": math.Inf(1)}}, "want a positive number"},
		{Options{Rates: map[string]float64{"USD": 2}}, "rates are in US dollars"},
		{Options{Rates: map[string]float64{"": 1}}, "rates are in US dollars"},
		{Options{Lists: map[string]Matcher{"a-b": set{}}}, "want a name"},
		{Options{Lists: map[string]Matcher{"in": set{}}}, "want a name"},
		{Options{Lists: map[string]Matcher{"1a": set{}}}, "want a name"},
		{Options{Lists: map[string]Matcher{"": set{}}}, "want a name"},
	} {
		if _, err := NewEnv(c.options); err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%v: %v", c.options, err)
		}
	}
	if _, err := NewEnv(Options{Rates: map[string]float64{"USD": 1}, Lists: map[string]Matcher{"_a1": set{}}}); err != nil {
		t.Error(err)
	}
}

// TestIncompleteInput evaluates without request, facts and scratch.
func TestIncompleteInput(t *testing.T) {
	e := testEnv(t)
	for _, source := range []string{
		`id == "" && !has(site) && !facts.seen && facts.peer == "" && facts.vendor["x"].score == 0`,
		`imp.all(i, i.id == "x") && site.publisher.id == "" && facts.time < timestamp("2020-01-01T00:00:00Z") && !has(facts.time)`,
	} {
		for _, options := range [][]Option{nil, {Interpreted}} {
			d := compile(t, e, source, options...)
			if d.String() != source {
				t.Errorf("String: %s", d)
			}
			for _, in := range []*rule.Input{{}, {Scratch: &rule.Scratch{}}, {Request: &noRequest}, {Facts: &rule.Facts{}}} {
				for range 2 {
					if holds, err := d.Holds(in); !holds || err != nil {
						t.Errorf("%s: %v, %v", source, holds, err)
					}
				}
			}
		}
	}
}

// TestInterpretedOnly runs what only the interpreter takes.
func TestInterpretedOnly(t *testing.T) {
	e := testEnv(t)
	in := input(t, sample)
	in.Facts = sampleFacts()
	for source, want := range map[string]bool{
		`{"a": 1}["a"] == 1`: true, `site == site && imp[0] != imp[1]`: true, `site == null`: false, `id.matches(id)`: true, `size(facts.headers) == 1 && size(facts.vendor) == 2`: true,
		`facts.time - timestamp("2026-11-22T15:00:00Z") > duration("29m")`: true, `type(tmax) == int`: true, `facts.headers == facts.headers`: false,
		`facts.headers.exists(h, true)`: false, `[imp[0]] == [imp[0]]`: true, `dyn(site).domain == "foobar.com"`: false, `timestamp(string(facts.time)) == facts.time`: true,
		`lists.bundles == lists.blocked_domains`: false, `dyn(id) in lists.bundles`: false, `dyn(1) in lists.bundles`: false, `has(lists.bundles)`: true,
		`string(site) == ""`: false, `Imp{id: "x"}.id == "x"`: false, `usd(dyn("a"), "") > 0.0`: false, `dyn(1).lowerAscii() == ""`: false,
	} {
		d, issues := e.Compile(source, Interpreted)
		if issues != nil {
			if want {
				t.Errorf("%s: %v", source, issues)
			}
			continue
		}
		if holds, err := d.Holds(in); holds != want {
			t.Errorf("%s: %v, %v", source, holds, err)
		}
	}
}

// TestConcurrency compiles and evaluates from several goroutines.
func TestConcurrency(t *testing.T) {
	e := testEnv(t)
	shared := compile(t, e, `imp.exists(i, i.ext.s == "a\"bé") && user.eids.size() == 0`)
	var wg sync.WaitGroup
	for range 4 {
		in := input(t, sample)
		in.Scratch = nil
		wg.Go(func() {
			for range 50 {
				if holds, err := shared.Holds(in); !holds || err != nil {
					t.Errorf("%v, %v", holds, err)
				}
			}
			if _, issues := e.Compile(`site.domian == ""`); len(issues) != 1 || issues[0].Suggestion != "domain" {
				t.Error(issues)
			}
		})
	}
	wg.Wait()
}
