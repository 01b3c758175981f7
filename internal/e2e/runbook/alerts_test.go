package runbook

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/rulefmt"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/tsdb/chunkenc"
	"github.com/prometheus/prometheus/tsdb/chunks"
	"github.com/prometheus/prometheus/util/annotations"
)

// A test makes a fault for moments; alerts look at minutes and hours. So time is stretched: what
// happened between two scrapes of the real process is taken for what happens in every scrape
// interval of the health before the fault, and what happened from the fault on for what happens in
// every interval of the fault. Counters go on with the slope that was seen, gauges stay as they
// are. The expressions and Prometheus's engine are the real ones. The last sample is that of now,
// because some metrics are times.
const (
	step       = 15 * time.Second // of scrapes and of evaluations, as prometheus.yaml has them
	healthTime = 2 * time.Hour
	faultTime  = 30 * time.Minute
)

// rules are the alerts.
func rules(t *testing.T) (list []rulefmt.Rule) {
	t.Helper()
	text, err := os.ReadFile(rulesFile)
	if err != nil {
		t.Fatal(err)
	}
	groups, problems := rulefmt.Parse(text, false, model.UTF8Validation, parser.NewParser(parser.Options{}), slog.New(slog.DiscardHandler))
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, g := range groups.Groups {
		list = append(list, g.Rules...)
	}
	if len(list) == 0 {
		t.Fatalf("%s has no alerts", rulesFile)
	}
	return list
}

// seen are the scrapes of a process, whose job is a service.
type seen struct {
	service string
	// start and health are scrapes without a fault, with the usual traffic between them. Nil if the
	// fault was there from the start.
	start, health scrape
	// begin and end are scrapes with the fault; end is nil if the process has ended.
	begin, end scrape
}

// history is what Prometheus would have.
func (s *seen) history(now time.Time) (all []storage.Series) {
	begin := now.Add(-faultTime)
	points := func(name series, health, fault func(i int) float64) {
		var list []chunks.Sample
		add := func(at time.Time, v float64) {
			if !math.IsNaN(v) {
				list = append(list, sample{at.UnixMilli(), v})
			}
		}
		n := int(healthTime / step)
		if health != nil {
			for i := range n {
				add(begin.Add(-healthTime+time.Duration(i)*step), health(i))
			}
		}
		if fault == nil {
			list = append(list, sample{begin.UnixMilli(), math.Float64frombits(value.StaleNaN)})
		} else {
			for i := range int(faultTime/step) + 1 {
				add(begin.Add(time.Duration(i)*step), fault(i))
			}
		}
		b := labels.NewBuilder(labels.EmptyLabels())
		for label, v := range name.labels() {
			b.Set(label, v)
		}
		b.Set(labels.MetricName, name.name()).Set("job", s.service).Set("instance", "here")
		all = append(all, storage.NewListSeries(b.Labels(), list))
	}
	constant := func(v float64) func(int) float64 { return func(int) float64 { return v } }
	names := map[series]bool{}
	for _, from := range []scrape{s.health, s.end} {
		for name := range from {
			names[name] = true
		}
	}
	intervals := healthTime / step
	for name := range names {
		was, healthy := s.health[name]
		is, there := s.end[name]
		var health, fault func(int) float64
		slope := was.v - s.start[name].v
		switch {
		case healthy && was.counter:
			health = func(i int) float64 { return was.v + float64(i)*slope }
		case healthy:
			health = constant(was.v)
		}
		switch {
		case there && is.counter:
			from, more := was.v+float64(intervals)*slope, is.v-s.begin[name].v
			fault = func(i int) float64 { return from + float64(i)*more }
		case there:
			fault = constant(is.v)
		}
		points(name, health, fault)
	}
	up := map[bool]float64{true: 1}
	var before func(int) float64
	if s.health != nil {
		before = constant(1)
	}
	points("up", before, constant(up[s.end != nil]))
	return all
}

// sample is a value at a time, in milliseconds.
type sample struct {
	at int64
	v  float64
}

func (s sample) T() int64                    { return s.at }
func (s sample) F() float64                  { return s.v }
func (sample) ST() int64                     { return 0 }
func (sample) H() *histogram.Histogram       { return nil }
func (sample) FH() *histogram.FloatHistogram { return nil }
func (sample) Type() chunkenc.ValueType      { return chunkenc.ValFloat }
func (s sample) Copy() chunks.Sample         { return s }

// ask is what a test has of Prometheus.
type ask struct {
	engine *promql.Engine
	series []storage.Series
}

func newAsk(t *testing.T, all []storage.Series) *ask {
	t.Helper()
	e := promql.NewEngine(promql.EngineOpts{MaxSamples: 10_000_000, Timeout: patience, LookbackDelta: 5 * time.Minute, Parser: parser.NewParser(parser.Options{})})
	t.Cleanup(func() { _ = e.Close() })
	return &ask{e, all}
}

// Querier implements [storage.Queryable].
func (a *ask) Querier(int64, int64) (storage.Querier, error) {
	return &storage.MockQuerier{SelectMockFunction: func(_ bool, _ *storage.SelectHints, matchers ...*labels.Matcher) storage.SeriesSet {
		set := &found{at: -1}
		for _, s := range a.series {
			if !slices.ContainsFunc(matchers, func(m *labels.Matcher) bool { return !m.Matches(s.Labels().Get(m.Name)) }) {
				set.list = append(set.list, s)
			}
		}
		return set
	}}, nil
}

// firing are the alerts that a fault has raised at its end. An alert waits for its time, as
// Prometheus's do.
func (a *ask) firing(t *testing.T, list []rulefmt.Rule, from, to time.Time) (names []string) {
	t.Helper()
	for i := range list {
		r := &list[i]
		q, err := a.engine.NewRangeQuery(context.Background(), a, nil, r.Expr, from, to, step)
		if err != nil {
			t.Fatalf("%s: %v", r.Alert, err)
		}
		result := q.Exec(context.Background())
		matrix, err := result.Matrix()
		if err != nil {
			t.Fatalf("%s: %v", r.Alert, err)
		}
		for _, s := range matrix {
			if held(s.Floats, to) >= time.Duration(r.For) {
				names = append(names, fmt.Sprintf("%s (%s)", r.Alert, r.Labels["severity"]))
				break
			}
		}
		q.Close()
	}
	return names
}

// held is for how long a series has been there without a gap, at a time; negative if it is not.
func held(points []promql.FPoint, at time.Time) time.Duration {
	first := at.UnixMilli() + step.Milliseconds()
	for _, p := range slices.Backward(points) {
		if p.T != first-step.Milliseconds() {
			break
		}
		first = p.T
	}
	return time.Duration(at.UnixMilli()-first) * time.Millisecond
}

// alerts are those that the fault raises. A gateway without a fault must raise none.
func (s *seen) alerts(t *testing.T) []string {
	t.Helper()
	now := time.Now().Truncate(time.Second)
	list := rules(t)
	a := newAsk(t, s.history(now))
	begin := now.Add(-faultTime)
	if s.health != nil {
		if before := a.firing(t, list, begin.Add(-healthTime/2), begin.Add(-step)); len(before) > 0 {
			t.Errorf("%s is raised before there is a fault", strings.Join(before, ", "))
		}
	}
	return a.firing(t, list, begin, now)
}

// found is an iterator over series that match.
type found struct {
	list []storage.Series
	at   int
}

func (f *found) Next() bool                      { f.at++; return f.at < len(f.list) }
func (f *found) At() storage.Series              { return f.list[f.at] }
func (*found) Err() error                        { return nil }
func (*found) Warnings() annotations.Annotations { return nil }
