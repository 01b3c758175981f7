package measure_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/rtbwire/rtbwire/lab/measure"
)

// series is a measurer whose engines take what their series says, round by round, and the last
// value from then on.
type series struct {
	took  map[string][]float64
	calls []string // of set and engine, in the order of their turns
	wrong string   // the engine that Check refuses
	fails string   // the engine that fails in its third round
	seen  map[string]int

	restarts  int
	restarted error
}

func (s *series) Restart() error { s.restarts++; return s.restarted }

func (s *series) List() ([]measure.Info, error) { return nil, nil }

func (s *series) Service(measure.ServiceTask) (measure.ServiceResult, error) {
	return measure.ServiceResult{}, nil
}

func (s *series) Check(engine, _ string, _ measure.Op) (string, error) {
	switch engine {
	case s.wrong:
		return "reads something else", nil
	case "unable":
		return measure.Unsupported, nil
	}
	return "", nil
}

func (s *series) Run(t measure.Task) (measure.Sample, error) {
	if t.N == 0 {
		return measure.Sample{N: 10}, nil
	}
	s.calls = append(s.calls, t.Set+"/"+t.Engine)
	n := s.seen[t.Engine]
	s.seen[t.Engine]++
	if t.Engine == s.fails && n == 2 {
		return measure.Sample{}, errors.New("out of order")
	}
	values := s.took[t.Engine]
	return measure.Sample{N: t.N, NS: values[min(n, len(values)-1)], CPU: true, Bytes: 7}, nil
}

// newSeries has an engine whose times vary by 2%, one whose times vary by half, and one that is
// disturbed in its first rounds and narrow afterwards.
func newSeries() *series {
	steady, noisy := []float64{}, []float64{}
	settles := slices.Repeat([]float64{100, 300}, 3)
	for i := range 1000 {
		steady = append(steady, 100+float64(i%3))
		noisy = append(noisy, 100+float64(50*(i%2)))
	}
	return &series{
		took: map[string][]float64{"steady": steady, "noisy": noisy, "settles": append(settles, 100)},
		seen: map[string]int{},
	}
}

func plan(set string, by measure.Measurer, engines ...string) *measure.Plan {
	p := &measure.Plan{Set: set, Op: measure.Decode, Budget: time.Millisecond}
	for _, e := range engines {
		p.Entries = append(p.Entries, measure.Entry{Engine: e, By: by})
	}
	return p
}

// Rounds go on where an interval is wide, for all engines of the comparison, and nowhere else. No
// round is left out of the result.
func TestRoundsGoOnWhileWide(t *testing.T) {
	s := newSeries()
	effort := measure.Effort{Rounds: 6, Max: 40, Limit: time.Hour, Narrow: 0.1}
	rows, err := measure.Run([]*measure.Plan{
		plan("a", s, "steady"), plan("b", s, "settles", "unable"), plan("c", s, "noisy"),
	}, effort, func(measure.Step) {})
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, r := range rows {
		count[r.Engine] = r.Count
		if r.Count != len(r.Rounds) || r.Count != s.seen[r.Engine] {
			t.Errorf("%s: %d rounds counted, %d kept, %d measured", r.Engine, r.Count, len(r.Rounds), s.seen[r.Engine])
		}
	}
	if len(rows) != 3 || count["steady"] != 6 || count["noisy"] != 40 {
		t.Errorf("rounds: %v", count)
	}
	if n := count["settles"]; n <= 6 || n >= 40 {
		t.Errorf("an engine that settles after 6 rounds was measured %d times", n)
	}
	for _, r := range rows {
		if r.Engine == "settles" && (r.NS != 100 || r.Width() > 0.1 || !r.CPU || r.Bytes != 7) {
			t.Errorf("%+v", r)
		}
	}
}

// What slows a whole round down does not widen ratios.
func TestRatios(t *testing.T) {
	s := newSeries()
	for i, slow := range s.took["noisy"] {
		s.took["steady"][i], s.took["settles"] = slow, append(s.took["settles"], 0)
		s.took["settles"][i] = slow / 4
	}
	run := func(ratios bool) []measure.Row {
		s.seen = map[string]int{}
		p := plan("a", s, "steady", "settles")
		p.Base = "steady"
		rows, err := measure.Run([]*measure.Plan{p}, measure.Effort{Rounds: 6, Max: 40, Limit: time.Hour, Narrow: 0.02, Ratios: ratios}, func(measure.Step) {})
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	for _, ratios := range []bool{false, true} {
		for _, r := range run(ratios) {
			want, count := map[string]float64{"steady": 1, "settles": 4}[r.Engine], map[bool]int{false: 40, true: 6}[ratios]
			if r.Times != want || r.TimesLo != want || r.TimesHi != want || r.Count != count {
				t.Errorf("judged by ratios %t: %+v, want %v after %d rounds", ratios, r, want, count)
			}
		}
	}
}

// The limit ends rounds beyond the first ones, not those.
func TestRoundsEnd(t *testing.T) {
	s := newSeries()
	rows, err := measure.Run([]*measure.Plan{plan("c", s, "noisy")}, measure.Effort{Rounds: 5, Max: 1000, Narrow: 0.1}, func(measure.Step) {})
	if err != nil || rows[0].Count != 5 {
		t.Errorf("without time for more: %d rounds, %v", rows[0].Count, err)
	}
}

// Every round has new processes. When they do not start, what was measured is kept.
func TestRestarts(t *testing.T) {
	s := newSeries()
	plans := func() []*measure.Plan {
		return []*measure.Plan{plan("a", s, "steady", "noisy"), plan("b", s, "settles")}
	}
	if _, err := measure.Run(plans(), measure.Effort{Rounds: 8}, func(measure.Step) {}); err != nil || s.restarts != 8 {
		t.Errorf("%d restarts in 8 rounds, %v", s.restarts, err)
	}
	s.seen = map[string]int{}
	rows, err := measure.Run(plans(), measure.Effort{Rounds: 8}, func(step measure.Step) {
		if step.Round == 5 {
			s.restarted = errors.New("out of memory")
		}
	})
	if err == nil || len(rows) != 3 || rows[0].Count != 5 || rows[0].NS == 0 {
		t.Errorf("%v, %+v", err, rows)
	}
}

// Comparisons and engines take turns: no order is used twice in a row for long.
func TestOrderChanges(t *testing.T) {
	s := newSeries()
	_, err := measure.Run([]*measure.Plan{
		plan("a", s, "steady", "noisy", "settles"), plan("b", s, "steady", "noisy", "settles"),
	}, measure.Effort{Rounds: 8}, func(measure.Step) {})
	if err != nil {
		t.Fatal(err)
	}
	orders := map[string]bool{}
	for round := range slices.Chunk(s.calls, 6) {
		all := slices.Clone(round)
		slices.Sort(all)
		if len(slices.Compact(all)) != 6 {
			t.Errorf("a round has %v", round)
		}
		orders[round[0]+round[1]+round[2]] = true
	}
	if len(orders) < 4 {
		t.Errorf("8 rounds begin in %d ways", len(orders))
	}
}

// An engine that is wrong is not measured; one that fails keeps no number and stops no other.
func TestFailures(t *testing.T) {
	s := newSeries()
	s.wrong, s.fails = "noisy", "settles"
	rows, err := measure.Run([]*measure.Plan{plan("a", s, "steady", "noisy", "settles")}, measure.Effort{Rounds: 6}, func(measure.Step) {})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		want := map[string]string{"steady": "", "noisy": "reads something else", "settles": "out of order"}[r.Engine]
		if r.Wrong != want || (r.NS > 0) != (want == "") {
			t.Errorf("%+v, want wrong %q", r, want)
		}
	}
	if s.seen["noisy"] != 0 || s.seen["settles"] != 3 || s.seen["steady"] != 6 {
		t.Errorf("turns: %v", s.seen)
	}
}

func TestOthers(t *testing.T) {
	start := time.Now()
	before := measure.Usage{At: start, Busy: 10 * time.Second, Own: 2 * time.Second, Stolen: time.Second}
	after := measure.Usage{At: start.Add(10 * time.Second), Busy: 25 * time.Second, Own: 12 * time.Second, Stolen: 2 * time.Second}
	if got := after.Others(before); got != 0.6 { // 15 s busy, 10 s of them our own, 1 s stolen
		t.Errorf("others kept %v cores busy", got)
	}
	if got := after.StolenShare(before); got != 1.0/16 { // of what the programs of this machine asked for
		t.Errorf("others took %v", got)
	}
	if now, ok := measure.UsageNow(); ok && (now.Busy <= 0 || now.Own <= 0 || now.Own > now.Busy) {
		t.Errorf("%+v", now)
	}
}
