package main

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/lab/data"
	"github.com/rtbwire/rtbwire/lab/engine"
	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/report"
)

// planned returns the comparisons of a run with these options, of the engines in this binary.
func planned(t *testing.T, o *options) []*measure.Plan {
	t.Helper()
	l := &lab{options: o, infos: map[string]measure.Info{}}
	var err error
	if l.bench, err = load(o); err != nil {
		t.Fatal(err)
	}
	if err := l.chooseSets(); err != nil {
		t.Fatal(err)
	}
	for _, e := range l.bench.Engines {
		if l.wanted(e.Name) {
			l.addEngine(measure.Info{Name: e.Name, Ops: map[measure.Op]bool{measure.Decode: e.Request.Decode != nil, measure.Validate: e.Validate != nil}}, nil)
		}
	}
	return l.plans()
}

// The preset readme measures what the README shows and nothing else.
func TestPresetREADME(t *testing.T) {
	o := &options{presetText: "readme", withService: true}
	if err := o.complete(0, 0, 0); err != nil {
		t.Fatal(err)
	}
	plans := planned(t, o)
	shown := append(slices.Clone(report.READMESets), report.ServiceSet)
	if len(plans) != len(shown) || o.service == 0 {
		t.Errorf("%d comparisons, services of %v", len(plans), o.service)
	}
	var own []string
	for _, p := range ownPrograms {
		own = append(own, p.engines...)
	}
	for _, e := range report.READMEEngines {
		if _, ok := engine.Find(engine.All(), e); !ok && !slices.Contains(own, e) {
			t.Errorf("the README shows %s, which no program measures", e)
		}
	}
	for _, p := range plans {
		if p.Op != measure.Decode || p.Goroutines > 1 || !slices.Contains(shown, p.Set) {
			t.Errorf("%s %s by %d", p.Op, p.Set, p.Goroutines)
		}
		for _, e := range p.Entries {
			if !slices.Contains(report.READMEEngines, e.Engine) {
				t.Errorf("%s takes part", e.Engine)
			}
		}
	}
}

// Flags change what a preset says.
func TestFlags(t *testing.T) {
	o := &options{presetText: "quick", engineText: "gojson$|rtbwire", setText: "app, traffic", opText: "decode,validate", coreText: "any"}
	if err := o.complete(9, 3*time.Millisecond, time.Minute); err != nil {
		t.Fatal(err)
	}
	if o.rounds != 9 || o.budget != 3*time.Millisecond || o.limit != time.Minute || o.core != anyCore || o.service != 0 {
		t.Errorf("%+v", o)
	}
	var names []string
	for _, p := range planned(t, o) {
		names = append(names, string(p.Op)+" "+p.Set)
		if p.Goroutines > 1 {
			names[len(names)-1] += " together"
		}
		for _, e := range p.Entries {
			if !slices.Contains([]string{"gojson", "rtbwire", "rtbwire-fast", "rtbwire-arena", report.Base}, e.Engine) {
				t.Errorf("%s takes part", e.Engine)
			}
		}
	}
	want := []string{"decode app", "decode traffic", "validate app", "validate traffic", "decode app together", "decode app together"}
	if !slices.Equal(names, want) {
		t.Errorf("comparisons %v, want %v", names, want)
	}
	for _, wrong := range []*options{
		{presetText: "slow"}, {presetText: "full", engineText: "("}, {presetText: "full", opText: "decode,sing"}, {presetText: "full", coreText: "first"},
	} {
		if err := wrong.complete(0, 0, 0); !errors.Is(err, errUsage) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
	if err := (&options{presetText: "full"}).complete(-1, 0, 0); !errors.Is(err, errUsage) {
		t.Errorf("-1 rounds: %v", err)
	}
}

// The report explains every engine, and no engine that there is not.
func TestExplained(t *testing.T) {
	names := []string{cppName}
	for _, e := range engine.All() {
		names = append(names, e.Name)
	}
	for _, p := range ownPrograms {
		names = append(names, p.engines...)
	}
	for _, name := range names {
		if !slices.Contains(report.Explained(), name) {
			t.Errorf("package report does not explain %s", name)
		}
	}
	for _, m := range notMeasured {
		names = append(names, m.Name) // ffjson is in earlier runs
	}
	for _, name := range report.Explained() {
		if !slices.Contains(names, name) {
			t.Errorf("package report explains %s, which no program measures", name)
		}
	}
	for _, name := range serviceEngines {
		if !slices.Contains(names, name) {
			t.Errorf("no program measures %s in the service", name)
		}
	}
}

// Names in presets are names of sets.
func TestPresetSets(t *testing.T) {
	sets, err := data.Load("")
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Concat(report.READMESets, parallelSets, []string{serviceSet})
	for _, of := range setsOf {
		names = append(names, of...)
	}
	for _, name := range names {
		if _, ok := data.Find(sets, name); !ok {
			t.Errorf("no data set %s", name)
		}
	}
}

// What a run lacks is said before it measures.
func TestMissingIsAnnounced(t *testing.T) {
	l := &lab{options: &options{}}
	l.results.Missing = notMeasured
	b := new(strings.Builder)
	l.announceMissing(b)
	for _, m := range notMeasured {
		if !strings.Contains(b.String(), "not measured: "+m.Name+": "+m.Reason+"\n") {
			t.Errorf("nothing about %s in\n%s", m.Name, b)
		}
	}
}
