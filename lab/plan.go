package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// The comparisons. Decoding is done with every set, the rest with those that show something.
var (
	encodeSets   = []string{"banner", "video", "app", "escapes", "ctv", "response_banner", "response_vast", "mixed_shuffled"}
	partialSets  = []string{"banner", "video", "app", "app_indented", "ctv", "mixed_shuffled"}
	validateSets = []string{"banner", "app", "app_indented", "escapes", "ctv", "response_vast", "large"}
	parallelSets = []string{"app", "mixed_shuffled"}

	parallel = []int{2, 10}

	serviceSets    = []string{"traffic"}
	serviceEngines = []string{
		"rtbwire-arena", "rtbwire-fast", "rtbwire", "handwritten", "gojson", "gojson-pool", "sonic-std", "sonic-fastest",
		"jsoniter", "segmentio", "easyjson", "encoding-json", "encoding-json-v2",
	}
)

func (l *lab) plans() []measure.Plan {
	var plans []measure.Plan
	add := func(op measure.Op, goroutines int, only []string) {
		if l.o.ops != "" && !slices.Contains(strings.Split(l.o.ops, ","), string(op)) {
			return
		}
		for i := range l.bench.Sets {
			s := &l.bench.Sets[i]
			if only != nil && !slices.Contains(only, s.Name) && l.o.sets == "" {
				continue
			}
			if s.Response && op == measure.Partial {
				continue
			}
			p := measure.Plan{
				Set: s.Name, DocBytes: s.Bytes(), Op: op, Goroutines: goroutines, Rounds: l.o.rounds, Budget: l.o.budget,
			}
			for _, e := range l.entries {
				if l.infos[e.Engine].Ops[op] {
					p.Entries = append(p.Entries, e)
				}
			}
			plans = append(plans, p)
		}
	}
	add(measure.Decode, 1, nil)
	add(measure.Encode, 1, encodeSets)
	add(measure.Partial, 1, partialSets)
	add(measure.Validate, 1, validateSets)
	for _, g := range parallel {
		add(measure.Decode, g, parallelSets)
	}
	return plans
}

func (l *lab) measure() error {
	plans := l.plans()
	// A unit is the time of one measurement; a service counts by its length.
	for _, p := range plans {
		l.allUnits += float64(len(p.Entries) * (p.Rounds + 1))
	}
	length, rounds := 8*time.Second, serviceRounds
	if l.o.quick {
		length, rounds = 2*time.Second, 1
	}
	var services []measure.ServiceTask
	if l.o.service && (l.o.ops == "" || strings.Contains(l.o.ops, "decode")) {
		for _, set := range serviceSets {
			for _, e := range l.entries {
				if slices.Contains(serviceEngines, e.Engine) {
					services = append(services, measure.ServiceTask{Engine: e.Engine, Set: set, Workers: 2, For: length, BallastMB: 64})
				}
			}
		}
	}
	unit := 2 * float64(l.o.budget) // with what is around it
	l.allUnits += float64(rounds*len(services)) * float64(length+time.Second) / unit
	l.began = time.Now()

	for _, p := range plans {
		rows, err := p.Run(func(engine string) {
			l.say(fmt.Sprintf("%s %s: %s", p.Op, p.Set, engine))
			l.doneUnits++
		})
		if err != nil {
			return err
		}
		l.results.Rows = append(l.results.Rows, rows...)
	}
	return l.services(services, unit)
}

// serviceRounds is how often each service runs, in an order that changes.
const serviceRounds = 3

// services runs each service in processes of its own, all at the rate that keeps the workers of
// the slowest engine busy for half of the time.
func (l *lab) services(tasks []measure.ServiceTask, unit float64) error {
	rate := 0.0
	for _, t := range tasks {
		for _, r := range l.results.Rows {
			if r.Engine == t.Engine && r.Set == t.Set && r.Op == measure.Decode && r.Goroutines == 1 && r.NS > 0 {
				if most := 0.5 * float64(t.Workers) * 1e9 / r.NS; rate == 0 || most < rate {
					rate = most
				}
			}
		}
	}
	if rate == 0 {
		return nil
	}
	rounds := serviceRounds
	if l.o.quick {
		rounds = 1
	}
	found := make([][]measure.ServiceResult, len(tasks))
	order := rand.New(rand.NewPCG(2, uint64(len(tasks))))
	for range rounds {
		for _, i := range order.Perm(len(tasks)) {
			t := tasks[i]
			if l.results.Row(t.Engine, t.Set, measure.Decode, 1) == nil {
				continue // not right about these documents
			}
			l.say(fmt.Sprintf("service: %s", t.Engine))
			t.Rate = rate
			r, err := l.service(t)
			if err != nil {
				return fmt.Errorf("service with %s: %w", t.Engine, err)
			}
			found[i] = append(found[i], r)
			l.doneUnits += float64(t.For+time.Second) / unit
		}
	}
	for _, runs := range found {
		if len(runs) > 0 {
			l.results.Services = append(l.results.Services, measure.MedianService(runs))
		}
	}
	return nil
}

// service runs one engine once, in a process of its own.
func (l *lab) service(t measure.ServiceTask) (measure.ServiceResult, error) {
	p, err := l.start[t.Engine]()
	if err != nil {
		return measure.ServiceResult{}, err
	}
	if _, err := p.List(); err != nil { // warm
		return measure.ServiceResult{}, errors.Join(err, p.Close())
	}
	r, err := p.Service(t)
	return r, errors.Join(err, p.Close())
}

// print lists what there is.
func (l *lab) print(w io.Writer) error {
	l.done()
	fmt.Fprintln(w, "Engines:")
	for _, e := range l.results.Engines {
		fmt.Fprintf(w, "  %-20s %-34s %s\n      %s\n", e.Name, e.Module, e.Version, e.Config)
	}
	for _, m := range l.results.Missing {
		fmt.Fprintf(w, "  %-20s not measured: %s\n", m.Name, m.Reason)
	}
	fmt.Fprintln(w, "Data sets:")
	for _, s := range l.results.Sets {
		fmt.Fprintf(w, "  %-16s %5d x %7.0f bytes  %s\n", s.Name, s.Docs, s.Bytes, s.About)
	}
	return nil
}
