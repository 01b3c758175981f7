package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
	"github.com/rtbwire/rtbwire/lab/report"
)

// preset says what a run measures, and for how long.
type preset struct {
	name, about string
	rounds      int           // of every comparison
	budget      time.Duration // of one measurement
	limit       time.Duration // for more rounds of comparisons with wide intervals
	most        int           // how many times as many rounds such a comparison may have
	engines     []string      // nil: all
	sets        []string      // nil: those of each operation below
	ops         []measure.Op
	goroutines  []int         // how many decode at once, beside one
	service     time.Duration // the length of a service; 0: none
	services    int           // how often each service runs
}

var presets = []preset{
	{
		name: "full", about: "everything, with long measurements: for publishing (an hour or two)",
		rounds: 15, budget: 100 * time.Millisecond, limit: 2 * time.Hour, most: 20,
		ops: measure.Ops, goroutines: []int{2, 10}, service: 8 * time.Second, services: 3,
	},
	{
		name: "quick", about: "everything, with short measurements: a first look (three minutes)",
		rounds: 7, budget: 6 * time.Millisecond, limit: 90 * time.Second, most: 2,
		ops: measure.Ops, goroutines: []int{2, 10}, service: 2 * time.Second, services: 1,
	},
	{
		name: "readme", about: "what the README of the repository shows: decoding and the service (five to fifteen minutes)",
		rounds: 15, budget: 50 * time.Millisecond, limit: 10 * time.Minute, most: 20,
		engines: report.READMEEngines, sets: slices.Concat(report.READMESets, []string{serviceSet}), ops: []measure.Op{measure.Decode},
		service: 4 * time.Second, services: 3,
	},
}

func findPreset(name string) (preset, error) {
	var names []string
	for _, p := range presets {
		if p.name == name {
			return p, nil
		}
		names = append(names, p.name)
	}
	return preset{}, fmt.Errorf("unknown preset %q (want %s): %w", name, strings.Join(names, ", "), errUsage)
}

// narrow is the width of an interval, as a share of its median, at which a comparison needs no more
// rounds.
const narrow = 0.1

func (o *options) effort() measure.Effort {
	rounds := o.rounds * max(o.leastOf, 1)
	return measure.Effort{Rounds: rounds, Max: o.most * rounds, Limit: o.limit, Narrow: narrow}
}

// setsOf lists the sets of operations that do not use all sets, unless --sets says otherwise.
var setsOf = map[measure.Op][]string{
	measure.Encode:   {"banner", "video", "app", "escapes", "ctv", "response_banner", "response_vast", "mixed_shuffled"},
	measure.Partial:  {"banner", "video", "app", "app_indented", "ctv", "mixed_shuffled"},
	measure.Validate: {"banner", "app", "app_indented", "escapes", "ctv", "response_vast", "large"},
}

var (
	parallelSets   = []string{"app", "mixed_shuffled"}
	serviceSet     = report.ServiceSet
	serviceEngines = []string{
		"rtbwire-arena", "rtbwire-fast", "rtbwire", "handwritten", "handwritten-fast", "gojson", "gojson-pool", "gojson-unsafe", "sonic-std",
		"sonic-fastest", "sonic-string", "jsoniter", "jx", "segmentio", "easyjson", "encoding-json", "encoding-json-v2",
	}
)

// plans returns the comparisons of the run.
func (l *lab) plans() []*measure.Plan {
	var plans []*measure.Plan
	add := func(op measure.Op, goroutines int, sets []string) {
		for i := range l.bench.Sets {
			s := &l.bench.Sets[i]
			if sets != nil && !slices.Contains(sets, s.Name) || s.Response && op == measure.Partial {
				continue
			}
			p := &measure.Plan{Set: s.Name, DocBytes: s.Bytes(), Op: op, Goroutines: goroutines, Base: report.Base, Budget: l.budget, LeastOf: l.leastOf}
			for _, e := range l.entries {
				if l.infos[e.Engine].Ops[op] {
					p.Entries = append(p.Entries, e)
				}
			}
			if p.Entries != nil {
				plans = append(plans, p)
			}
		}
	}
	for _, op := range l.ops {
		if l.sets != nil {
			add(op, 1, l.sets)
		} else {
			add(op, 1, setsOf[op])
		}
	}
	if slices.Contains(l.ops, measure.Decode) {
		for _, n := range l.goroutines {
			add(measure.Decode, n, parallelSets)
		}
	}
	return plans
}
